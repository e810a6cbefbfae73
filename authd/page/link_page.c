/*
 * link_page.c - the pages of emailed links, except invitations.
 *
 * Opening a link doesn't use it up, because email scanners open links too. The form carries the
 * link and uses it, so only the first page's URL has the secret. The installation has these pages
 * too (/t/-/...).
 */
#include "authd/page/link_view.h"

#include <string.h>

#include "authd/account/account_api.h"
#include "authd/account/email_change.h"
#include "authd/page/page_api.h"
#include "common/domain/page.h"

static const char set_password_page[] = "set-password", verify_page[] = "verify-email",
                  undo_page[] = "undo-email";

static enum visit_step ask_address(const struct visit *visit, int status, const char *email,
                                   enum page_text notice, enum page_text problem,
                                   struct page_answer *out)
{
    struct page page;

    visit_page(visit, &page);
    page_reset_password(&page, &(struct page_reset_password_in){VISIT_VALUES(visit), .email = email,
                                                                .notice = notice,
                                                                .email_problem = problem});
    return visit_show(&page, status, out);
}

static enum visit_step send_link(const struct visit *visit, const char *email,
                                 struct page_answer *out, struct error *err)
{
    const struct reset_password_in in = {
        .email = fields_email(visit->req.arena, email ? email : ""),
        .tenantCode = visit->installation ? NULL : visit->tenant.tenantCode};
    struct message_out message = {0};

    if (!in.email)
        return ask_address(visit, 422, email, PAGE_NO_TEXT, PAGE_TEXT_ERROR_EMAIL, out);
    if (reset_password(visit->d, &visit->req, &in, &message, err) < 0)
        return VISIT_FAILED;
    return visit_say(visit, 200, PAGE_TEXT_NOTE_RESET, PAGE_TEXT_NOTE_RESET_TEXT, out);
}

int page_reset_get(struct authd *d, const struct request *req, const struct page_query *in,
                   struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = ask_address(&visit, 200, NULL, visit_note(in->note), PAGE_NO_TEXT, out);
    return visit_result(step);
}

int page_reset_post(struct authd *d, const struct request *req, const struct email_form *in,
                    struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE && !visit.signed_in)
        step = ask_address(&visit, VISIT_STALE_STATUS, in->email, PAGE_NO_TEXT,
                           PAGE_TEXT_ERROR_STALE, out);
    if (step == VISIT_OPEN)
        step = send_link(&visit, in->email, out, err);
    return visit_result(step);
}

static enum visit_step show_again(const struct visit *visit, struct link_view view,
                                  const struct link_form *form, struct page_answer *out)
{
    view.problem = PAGE_TEXT_ERROR_STALE;
    return link_show(visit, VISIT_STALE_STATUS, &view, form->id, form->secret, out);
}

static struct link_view password_view(enum page_text problem)
{
    return (struct link_view){.kind = LINK_PASSWORD,
                              .page = set_password_page,
                              .action = "set-password",
                              .title = PAGE_TEXT_NOTE_SET_PASSWORD,
                              .button = PAGE_TEXT_NOTE_SET_PASSWORD_DO,
                              .password_problem = problem,
                              .asks_password = true,
                              .new_password = true};
}

static enum visit_step set_it(const struct visit *visit, const struct link_form *form,
                              struct page_answer *out, struct error *err)
{
    struct link_view view = password_view(PAGE_NO_TEXT);
    enum page_text problem = PAGE_NO_TEXT;
    int set = link_set_password(visit, form, &problem, err);

    if (set == 0)
        return visit_go(visit, "sign-in?note=password-set", out);
    if (err->code == ERR_ACCEPT_SIGNED_IN && !visit->installation)
        return link_invitation(visit, form->id, form->secret, out, err);
    view.password_problem = problem;
    return problem == PAGE_NO_TEXT ? link_refuse(visit, LINK_PASSWORD, out, err)
                                   : link_show(visit, 422, &view, form->id, form->secret, out);
}

int page_set_password_get(struct authd *d, const struct request *req, const struct link_query *in,
                          struct page_answer *out, struct error *err)
{
    struct link_view view = password_view(PAGE_NO_TEXT);
    struct visit visit;
    enum visit_step step = visit_open_any(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = link_open(&visit, &view, in->id, in->secret, out, err);
    return visit_result(step);
}

int page_set_password_post(struct authd *d, const struct request *req, const struct link_form *in,
                           struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = show_again(&visit, password_view(PAGE_NO_TEXT), in, out);
    else if (step == VISIT_OPEN)
        step = set_it(&visit, in, out, err);
    return visit_result(step);
}

/* A signed-in owner confirms with a click. Others need the account's password. */
static struct link_view verify_view(bool by_password)
{
    return (struct link_view){.kind = LINK_VERIFY,
                              .page = verify_page,
                              .action = "verify",
                              .title = PAGE_TEXT_NOTE_CONFIRM,
                              .why = by_password ? PAGE_TEXT_NOTE_CONFIRM_PASSWORD
                                                 : PAGE_TEXT_NOTE_CONFIRM_SIGNED_IN,
                              .button = PAGE_TEXT_NOTE_CONFIRM_DO,
                              .asks_password = by_password};
}

static enum visit_step verify(const struct visit *visit, const struct link_form *form,
                              struct page_answer *out, struct error *err)
{
    json_auto_t *body = link_body(form, page_has(form->password) ? form->password : NULL);
    struct link_view view = verify_view(true);
    struct email_verify_in in;
    struct nothing nothing = {0};

    if (visit_fields(visit, &email_verify_in_table, body, &in, err) < 0)
        return link_dead(visit, LINK_VERIFY, out);
    if (email_verify(visit->d, &visit->req, &in, &nothing, err) == 0)
        return visit_go(visit, visit->signed_in ? "account?note=verified" : "sign-in?note=verified",
                        out);
    if (err->code != ERR_SIGN_IN_REQUIRED)
        return link_refuse(visit, LINK_VERIFY, out, err);
    if (form->password)
        view.password_problem =
            *form->password ? PAGE_TEXT_ERROR_WRONG_PASSWORD : PAGE_TEXT_ERROR_REQUIRED;
    return link_show(visit, form->password ? 400 : 200, &view, form->id, form->secret, out);
}

int page_verify_get(struct authd *d, const struct request *req, const struct link_query *in,
                    struct page_answer *out, struct error *err)
{
    struct link_view view;
    struct visit visit;
    enum visit_step step = visit_open_any(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step != VISIT_OPEN)
        return visit_result(step);
    view = verify_view(!visit.signed_in);
    return visit_result(link_open(&visit, &view, in->id, in->secret, out, err));
}

int page_verify_post(struct authd *d, const struct request *req, const struct link_form *in,
                     struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any_form(d, req, in->tenantCode, in->visit, &visit, out, err);
    bool again = in->action && strcmp(in->action, "send") == 0;

    if (step == VISIT_STALE)
        step = again ? link_dead(&visit, LINK_VERIFY, out)
                     : show_again(&visit, verify_view(!visit.signed_in), in, out);
    else if (step == VISIT_OPEN)
        step = again ? link_send_again(&visit, in->email, out, err) : verify(&visit, in, out, err);
    return visit_result(step);
}

static const struct link_view undo_view = {.kind = LINK_UNDO,
                                           .page = undo_page,
                                           .action = "undo",
                                           .title = PAGE_TEXT_NOTE_UNDO,
                                           .why = PAGE_TEXT_NOTE_UNDO_TEXT,
                                           .button = PAGE_TEXT_NOTE_UNDO_DO};

static enum visit_step undo(const struct visit *visit, const struct link_form *form,
                            struct page_answer *out, struct error *err)
{
    json_auto_t *body = link_body(form, NULL);
    struct email_undo_in in;
    const char *tenant;

    if (visit_fields(visit, &email_undo_in_table, body, &in, err) < 0)
        return link_dead(visit, LINK_UNDO, out);
    if (email_change_undo(visit->d, &visit->req, &in, &tenant, err) < 0)
        return link_refuse(visit, LINK_UNDO, out, err);
    if (!tenant || !page_is_code(tenant))
        return visit_go(visit, "reset-password?note=undone", out);
    /* a patient's password is valid only for that tenant */
    out->status = 303;
    out->location = arena_printf(visit->req.arena, "/t/%s/reset-password?note=undone", tenant);
    return VISIT_ANSWERED;
}

int page_undo_get(struct authd *d, const struct request *req, const struct link_query *in,
                  struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = link_open(&visit, &undo_view, in->id, in->secret, out, err);
    return visit_result(step);
}

int page_undo_post(struct authd *d, const struct request *req, const struct link_form *in,
                   struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = show_again(&visit, undo_view, in, out);
    else if (step == VISIT_OPEN)
        step = undo(&visit, in, out, err);
    return visit_result(step);
}
