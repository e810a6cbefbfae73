/*
 * step_up_page.c - see step_up_page.h.
 */
#include "authd/page/step_up_page.h"

#include <string.h>

#include "authd/account/account_api.h"
#include "authd/page/factor_form.h"
#include "authd/page/page_api.h"
#include "authd/page/passkey_form.h"
#include "authd/passkey/passkey_api.h"
#include "authd/session/session_api.h"
#include "authd/session/step_up_check.h"
#include "common/domain/page.h"

/* Allowed next pages, whatever the form says. */
static const char *const goals[] = {"account",        "account/delete",   "account/export",
                                    "account/factor", "account/passkeys", "change-email"};

static const char *goal_of(const char *text)
{
    for (size_t i = 0; text && i < ARRAY_SIZE(goals); i++) {
        if (strcmp(goals[i], text) == 0)
            return goals[i];
    }
    return goals[0];
}

enum visit_step step_up_go(const struct visit *visit, const char *goal, struct page_answer *out)
{
    return visit_go(visit, arena_printf(visit->req.arena, "step-up?goal=%s", goal_of(goal)), out);
}

enum visit_step step_up_require(const struct visit *visit, const char *goal,
                                struct page_answer *out, struct error *err)
{
    if (step_up_check(visit->d, NULL, &visit->req, err) == 0)
        return VISIT_OPEN;
    if (err->code != ERR_STEP_UP_REQUIRED)
        return VISIT_FAILED;
    error_clear(err);
    return step_up_go(visit, goal, out);
}

/* Offers a challenge for the account's passkeys; *ret_options NULL: none here. */
static int offer_passkey(const struct visit *visit, const char **ret_step, const char **ret_options,
                         struct error *err)
{
    const struct nothing in = {0};
    struct passkey_request request = {0};

    *ret_step = *ret_options = NULL;
    if (step_up_start(visit->d, &visit->req, &in, &request, err) < 0) {
        if (err->code != ERR_BAD_REQUEST)
            return -1;
        error_clear(err);
        return 0;
    }
    *ret_step = visit_seal(visit, arena_strdup(visit->req.arena, request.loginId.text));
    *ret_options = passkey_form_options(visit, &passkey_request_options_table, request.options);
    return 0;
}

static enum visit_step show(const struct visit *visit, const char *goal, int status,
                            enum page_text problem, struct page_answer *out, struct error *err)
{
    const struct nothing in = {0};
    const char *step, *options;
    struct page page;
    struct me_out who = {0};

    if (me(visit->d, &visit->req, &in, &who, err) < 0 ||
        offer_passkey(visit, &step, &options, err) < 0)
        return VISIT_FAILED;
    visit_page(visit, &page);
    page_step_up(&page, &(struct page_step_up_in){
                            VISIT_VALUES(visit), .step = step, .goal = goal, .options = options,
                            .factor = who.security->mfaEnrolled, .problem = problem});
    return options ? visit_show_script(&page, status, out) : visit_show(&page, status, out);
}

/* Reads the form by the table of POST /auth/step-up. */
static int read_proof(const struct visit *visit, const struct step_up_form *form,
                      struct step_up_in *ret, struct error *err)
{
    const char *code = factor_form_code(visit->req.arena, form->code);
    json_auto_t *body = NULL;

    if (form->credential)
        body = passkey_form_body(form->credential, "loginId", visit_unseal(visit, form->step));
    else
        body = json_pack("{s:s*, s:s*}", "mfaToken", page_has(code) ? code : NULL, "password",
                         page_has(form->password) ? form->password : NULL);
    return visit_fields(visit, &step_up_in_table, body, ret, err);
}

static enum page_text problem_of(const struct step_up_form *form, const struct error *err)
{
    if (err->code == ERR_VALIDATION && !form->credential)
        return page_has(form->code) ? PAGE_TEXT_ERROR_CODE : PAGE_TEXT_ERROR_REQUIRED;
    if (err->code != ERR_BAD_REQUEST && err->code != ERR_VALIDATION)
        return visit_problem(err);
    if (form->credential)
        return PAGE_TEXT_ERROR_PASSKEY;
    return form->code ? PAGE_TEXT_ERROR_CODE : PAGE_TEXT_ERROR_WRONG_PASSWORD;
}

static enum visit_step take_proof(const struct visit *visit, const struct step_up_form *form,
                                  struct page_answer *out, struct error *err)
{
    const char *goal = goal_of(form->goal);
    enum page_text problem;
    struct nothing nothing = {0};
    struct step_up_in in;

    if (read_proof(visit, form, &in, err) == 0 &&
        step_up(visit->d, &visit->req, &in, &nothing, err) == 0)
        return visit_go(visit, goal, out);
    problem = problem_of(form, err);
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return show(visit, goal, visit_refused(err, out), problem, out, err);
}

int page_step_up_get(struct authd *d, const struct request *req, const struct page_query *in,
                     struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_account(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = show(&visit, goal_of(in->goal), 200, PAGE_NO_TEXT, out, err);
    return visit_result(step);
}

int page_step_up_post(struct authd *d, const struct request *req, const struct step_up_form *in,
                      struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step =
        visit_open_account_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = show(&visit, goal_of(in->goal), VISIT_STALE_STATUS, PAGE_TEXT_ERROR_STALE, out, err);
    else if (step == VISIT_OPEN)
        step = take_proof(&visit, in, out, err);
    return visit_result(step);
}
