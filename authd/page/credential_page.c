/*
 * credential_page.c - the pages for password, email address and second factor.
 */
#include <string.h>

#include "authd/account/account_api.h"
#include "authd/page/factor_form.h"
#include "authd/page/page_api.h"
#include "authd/page/step_up_page.h"
#include "authd/session/session_api.h"
#include "common/domain/page.h"

static const char factor_page[] = "account/factor", email_page[] = "change-email";

static enum visit_step ask_password(const struct visit *visit, int status,
                                    enum page_text old_problem, enum page_text new_problem,
                                    struct page_answer *out, struct error *err)
{
    const struct me_telecom *telecom;
    const struct nothing in = {0};
    struct page page;
    struct me_out who = {0};

    if (me(visit->d, &visit->req, &in, &who, err) < 0)
        return VISIT_FAILED;
    telecom = who.profile->telecom.items;
    visit_page(visit, &page);
    page_change_password(&page, &(struct page_change_password_in){
                                    VISIT_VALUES(visit), .email = telecom->value,
                                    .old_problem = old_problem, .new_problem = new_problem});
    return visit_show(&page, status, out);
}

static enum visit_step refuse_password(const struct visit *visit, const struct password_form *form,
                                       struct page_answer *out, struct error *err)
{
    enum page_text old_problem = PAGE_NO_TEXT, new_problem = PAGE_NO_TEXT;

    for (const struct error_item *item = err->problems; item; item = item->next) {
        if (strcmp(item->name, "oldPassword") == 0)
            old_problem =
                page_has(form->old) ? PAGE_TEXT_ERROR_WRONG_PASSWORD : PAGE_TEXT_ERROR_REQUIRED;
        else
            new_problem = page_has(form->new) ? PAGE_TEXT_ERROR_PASSWORD : PAGE_TEXT_ERROR_REQUIRED;
    }
    if (err->code == ERR_BAD_REQUEST)
        old_problem = PAGE_TEXT_ERROR_WRONG_PASSWORD;
    else if (!err->problems)
        old_problem = visit_problem(err);
    if (!old_problem && !new_problem)
        return VISIT_FAILED;
    return ask_password(visit, visit_refused(err, out), old_problem, new_problem, out, err);
}

static enum visit_step take_password(const struct visit *visit, const struct password_form *form,
                                     struct page_answer *out, struct error *err)
{
    json_auto_t *body =
        json_pack("{s:s*, s:s*}", "oldPassword", page_has(form->old) ? form->old : NULL,
                  "newPassword", page_has(form->new) ? form->new : NULL);
    struct change_password_in in;
    struct nothing nothing = {0};

    if (visit_fields(visit, &change_password_in_table, body, &in, err) < 0 ||
        change_password(visit->d, &visit->req, &in, &nothing, err) < 0)
        return refuse_password(visit, form, out, err);
    return visit_go(visit, "account?note=password-changed", out);
}

int page_password_get(struct authd *d, const struct request *req, const struct page_query *in,
                      struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_account(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = ask_password(&visit, 200, PAGE_NO_TEXT, PAGE_NO_TEXT, out, err);
    return visit_result(step);
}

int page_password_post(struct authd *d, const struct request *req, const struct password_form *in,
                       struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step =
        visit_open_account_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step =
            ask_password(&visit, VISIT_STALE_STATUS, PAGE_TEXT_ERROR_STALE, PAGE_NO_TEXT, out, err);
    else if (step == VISIT_OPEN)
        step = take_password(&visit, in, out, err);
    return visit_result(step);
}

static enum visit_step ask_address(const struct visit *visit, int status, const char *email,
                                   enum page_text email_problem, enum page_text problem,
                                   struct page_answer *out)
{
    struct page page;

    visit_page(visit, &page);
    page_change_email(&page, &(struct page_change_email_in){VISIT_VALUES(visit), .email = email,
                                                            .email_problem = email_problem,
                                                            .problem = problem});
    return visit_show(&page, status, out);
}

static enum visit_step take_address(const struct visit *visit, const char *email,
                                    struct page_answer *out, struct error *err)
{
    json_auto_t *body = json_pack("{s:s*}", "email", page_has(email) ? email : NULL);
    struct email_change_in in;
    struct message_out message = {0};
    enum page_text problem;

    if (visit_fields(visit, &email_change_in_table, body, &in, err) < 0)
        return ask_address(visit, 422, email, PAGE_TEXT_ERROR_EMAIL, PAGE_NO_TEXT, out);
    if (email_change(visit->d, &visit->req, &in, &message, err) == 0)
        return visit_go(visit, "account?note=email-sent", out);
    if (err->code == ERR_STEP_UP_REQUIRED)
        return step_up_go(visit, email_page, out);
    problem = err->code == ERR_BAD_REQUEST ? PAGE_TEXT_ERROR_DISABLED : visit_problem(err);
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return ask_address(visit, visit_refused(err, out), email, PAGE_NO_TEXT, problem, out);
}

static enum visit_step open_address(const struct visit *visit, int status, const char *email,
                                    enum page_text problem, struct page_answer *out,
                                    struct error *err)
{
    enum visit_step step = step_up_require(visit, email_page, out, err);

    return step == VISIT_OPEN ? ask_address(visit, status, email, PAGE_NO_TEXT, problem, out)
                              : step;
}

int page_change_email_get(struct authd *d, const struct request *req, const struct page_query *in,
                          struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_account(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = open_address(&visit, 200, NULL, PAGE_NO_TEXT, out, err);
    return visit_result(step);
}

int page_change_email_post(struct authd *d, const struct request *req, const struct email_form *in,
                           struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step =
        visit_open_account_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = open_address(&visit, VISIT_STALE_STATUS, in->email, PAGE_TEXT_ERROR_STALE, out, err);
    else if (step == VISIT_OPEN)
        step = take_address(&visit, in->email, out, err);
    return visit_result(step);
}

/* Returns the key of "otpauth://...?secret=KEY&..." in groups of four. */
static const char *key_of(struct arena *arena, const char *url)
{
    const char *key = url ? strstr(url, "secret=") : NULL, *text = "";
    size_t length;

    if (!key)
        return NULL;
    key += strlen("secret=");
    length = strcspn(key, "&");
    for (size_t i = 0; i < length; i += 4)
        text = arena_printf(arena, "%s%s%.*s", text, i ? " " : "", (int)MIN(length - i, (size_t)4),
                            key + i);
    return text;
}

static enum visit_step show_factor(const struct visit *visit, int status, enum page_text problem,
                                   struct page_answer *out, struct error *err)
{
    const struct nothing in = {0};
    struct mfa_status_out state = {0};
    struct page page;

    if (mfa_status(visit->d, &visit->req, &in, &state, err) < 0)
        return VISIT_FAILED;
    visit_page(visit, &page);
    page_factor(&page, &(struct page_factor_in){VISIT_VALUES(visit), .on = state.enrolled,
                                                .image = state.qrCodeDataUrl,
                                                .key = key_of(visit->req.arena, state.otpauthUrl),
                                                .code_problem = problem});
    return visit_show_image(&page, status, out);
}

static enum visit_step show_codes(const struct visit *visit, const struct mfa_enroll_out *made,
                                  struct page_answer *out)
{
    struct page_recovery_codes_row *rows =
        arena_calloc(visit->req.arena, made->recoveryCodes.count, sizeof(*rows));
    struct page page;

    for (size_t i = 0; i < made->recoveryCodes.count; i++)
        rows[i].value = made->recoveryCodes.items[i];
    visit_page(visit, &page);
    page_recovery_codes(&page,
                        &(struct page_recovery_codes_in){VISIT_FRAME(visit), .row = rows,
                                                         .row_count = made->recoveryCodes.count});
    return visit_show(&page, 200, out);
}

static enum visit_step refuse_factor(const struct visit *visit, struct page_answer *out,
                                     struct error *err)
{
    enum page_text problem = err->code == ERR_BAD_REQUEST || err->code == ERR_VALIDATION
                                 ? PAGE_TEXT_ERROR_CODE
                                 : visit_problem(err);

    if (err->code == ERR_STEP_UP_REQUIRED)
        return step_up_go(visit, factor_page, out);
    if (err->code == ERR_CONFLICT)
        return visit_go(visit, factor_page, out);
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return show_factor(visit, visit_refused(err, out), problem, out, err);
}

static enum visit_step turn_factor(const struct visit *visit, const struct factor_form *form,
                                   struct page_answer *out, struct error *err)
{
    bool off = form->action && strcmp(form->action, "off") == 0;
    const char *code = factor_form_code(visit->req.arena, form->code);
    json_auto_t *body = json_pack("{s:s}", "token", code);
    struct mfa_enroll_out made = {0};
    struct mfa_token_in in;
    struct ok_out ok = {0};

    if (visit_fields(visit, &mfa_token_in_table, body, &in, err) < 0 ||
        (off ? mfa_disable(visit->d, &visit->req, &in, &ok, err)
             : mfa_enroll(visit->d, &visit->req, &in, &made, err)) < 0)
        return refuse_factor(visit, out, err);
    return off ? visit_go(visit, "account?note=factor-off", out) : show_codes(visit, &made, out);
}

static enum visit_step open_factor(const struct visit *visit, int status, enum page_text problem,
                                   struct page_answer *out, struct error *err)
{
    enum visit_step step = step_up_require(visit, factor_page, out, err);

    return step == VISIT_OPEN ? show_factor(visit, status, problem, out, err) : step;
}

int page_factor_get(struct authd *d, const struct request *req, const struct page_query *in,
                    struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_account(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = open_factor(&visit, 200, PAGE_NO_TEXT, out, err);
    return visit_result(step);
}

int page_factor_post(struct authd *d, const struct request *req, const struct factor_form *in,
                     struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step =
        visit_open_account_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = open_factor(&visit, VISIT_STALE_STATUS, PAGE_TEXT_ERROR_STALE, out, err);
    else if (step == VISIT_OPEN)
        step = turn_factor(&visit, in, out, err);
    return visit_result(step);
}
