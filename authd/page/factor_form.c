/*
 * factor_form.c - see factor_form.h.
 */
#include "authd/page/factor_form.h"

#include <string.h>

#include "authd/page/passkey_form.h"
#include "authd/passkey/passkey_api.h"
#include "authd/signin/login.h"
#include "authd/signin/sign_in_api.h"
#include "common/domain/page.h"

/* Offers a challenge for the account's passkeys; *ret NULL: none here. */
static int offer_passkey(const struct visit *visit, const struct factor_wanted *wanted,
                         const char **ret, struct error *err)
{
    bool patient = wanted->role == ROLE_PATIENT;
    struct login_mfa_start_in in;
    struct passkey_request request = {0};

    *ret = NULL;
    if (uuid_parse(wanted->login, &in.loginId) < 0)
        return 0;
    if ((patient ? patient_login_mfa_start(visit->d, &visit->req, &in, &request, err)
                 : practitioner_login_mfa_start(visit->d, &visit->req, &in, &request, err)) < 0) {
        if (err->code != ERR_BAD_REQUEST && err->code != ERR_NOT_FOUND)
            return -1;
        error_clear(err);
        return 0;
    }
    *ret = passkey_form_options(visit, &passkey_request_options_table, request.options);
    return 0;
}

enum visit_step factor_form_show(const struct visit *visit, const struct factor_wanted *wanted,
                                 int status, enum page_text problem, struct page_answer *out,
                                 struct error *err)
{
    const char *options;
    struct page page;

    if (offer_passkey(visit, wanted, &options, err) < 0)
        return VISIT_FAILED;
    visit_page(visit, &page);
    page_mfa(&page,
             &(struct page_mfa_in){VISIT_VALUES(visit), .page = wanted->page, .step = wanted->step,
                                   .options = options, .code_problem = problem});
    return options ? visit_show_script(&page, status, out) : visit_show(&page, status, out);
}

int factor_form_submit(const struct visit *visit, enum role role, const char *login,
                       const char *code, const char *credential, struct login_step *ret,
                       struct error *err)
{
    json_auto_t *body = credential ? passkey_form_body(credential, "loginId", login)
                                   : json_pack("{s:s*, s:s*}", "loginId", login, "mfaToken", code);
    struct login_mfa_in in;

    if (visit_fields(visit, &login_mfa_in_table, body, &in, err) < 0) {
        error_clear(err); /* the text doesn't look like a code */
        return error_set(err, ERR_BAD_REQUEST, "The code is incorrect.");
    }
    if (role == ROLE_PATIENT)
        return patient_login_mfa(visit->d, &visit->req, &in, ret, err);
    return visit->installation ? login_mfa_account(visit->d, &visit->req, &in, ret, err)
                               : practitioner_login_mfa(visit->d, &visit->req, &in, ret, err);
}

const char *factor_form_code(struct arena *arena, const char *text)
{
    char *out = arena_strdup(arena, text ? text : ""), *end = out;

    for (const char *at = out; *at; at++)
        if (!strchr(" \t", *at))
            *end++ = *at;
    *end = '\0';
    return out;
}

enum page_text factor_form_problem(const struct error *err)
{
    enum page_text problem = visit_problem(err);

    return problem == PAGE_TEXT_ERROR_CREDENTIALS ? PAGE_TEXT_ERROR_CODE : problem;
}
