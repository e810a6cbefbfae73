/*
 * link_view.c - see link_view.h.
 */
#include "authd/page/link_view.h"

#include <string.h>

#include "authd/account/account_api.h"
#include "authd/page/page_api.h"
#include "authd/sql/account.h"
#include "common/domain/page.h"

/* How to get a new link. */
struct remedy {
    enum page_text why;
    const char *page; /* receives the form that asks for the address; NULL: no form */
    bool knows_email; /* the person is signed in */
};

/* The installation sends links to verify an address only when it changes. */
static struct remedy remedy_of(const struct visit *visit, enum link_kind kind)
{
    switch (kind) {
    case LINK_PASSWORD:
        return (struct remedy){PAGE_TEXT_NOTE_AGAIN_PASSWORD, "reset-password", false};
    case LINK_VERIFY:
        if (visit->installation)
            return (struct remedy){PAGE_TEXT_NOTE_AGAIN_CHANGE, NULL, false};
        return visit->signed_in
                   ? (struct remedy){PAGE_TEXT_NOTE_AGAIN_SIGNED_IN, "verify-email", true}
                   : (struct remedy){PAGE_TEXT_NOTE_AGAIN_VERIFY, "verify-email", false};
    case LINK_UNDO:
        return (struct remedy){PAGE_TEXT_NOTE_AGAIN_UNDO, NULL, false};
    case LINK_INVITATION:
        break;
    }
    return (struct remedy){PAGE_TEXT_NOTE_AGAIN_INVITATION, NULL, false};
}

static enum visit_step show_dead(const struct visit *visit, int status, enum link_kind kind,
                                 const char *email, enum page_text problem, struct page_answer *out)
{
    const struct remedy remedy = remedy_of(visit, kind);
    struct page page;

    visit_page(visit, &page);
    page_expired(&page,
                 &(struct page_expired_in){
                     VISIT_VALUES(visit), .why = remedy.why, .page = remedy.page,
                     .button = remedy.page ? PAGE_TEXT_NOTE_AGAIN_DO : PAGE_NO_TEXT,
                     .asks_email = !remedy.knows_email, .email = email, .email_problem = problem});
    return visit_show(&page, status, out);
}

enum visit_step link_dead(const struct visit *visit, enum link_kind kind, struct page_answer *out)
{
    return show_dead(visit, 400, kind, NULL, PAGE_NO_TEXT, out);
}

enum visit_step link_send_again(const struct visit *visit, const char *email,
                                struct page_answer *out, struct error *err)
{
    const struct email_verify_send_in in = {.email =
                                                fields_email(visit->req.arena, email ? email : ""),
                                            .tenantCode = visit->tenant.tenantCode};
    struct message_out message = {0};

    if (visit->installation)
        return link_dead(visit, LINK_VERIFY, out);
    if (!visit->signed_in && !in.email)
        return show_dead(visit, 422, LINK_VERIFY, email, PAGE_TEXT_ERROR_EMAIL, out);
    if (email_verify_send(visit->d, &visit->req, &in, &message, err) < 0)
        return VISIT_FAILED;
    return visit_say(visit, 200, PAGE_TEXT_NOTE_RESET, PAGE_TEXT_NOTE_AGAIN_TEXT, out);
}

/* Reads whether a link can be used, without using it. */
static int is_open(const struct visit *visit, enum link_kind kind, const char *id,
                   const char *secret, bool *ret, struct error *err)
{
    struct db *db = visit->d->svc.db;
    int64_t now = visit->req.now_ms;
    struct sql_password_link_get_row password;
    struct sql_email_link_get_row verify;
    struct sql_email_undo_get_row undo;
    uint8_t hash[SECRET_HASH_SIZE];
    struct uuid link;
    int found = 0;

    *ret = false;
    if (uuid_parse(id, &link) < 0)
        return 0;
    secret_hash(secret, hash);
    if (kind == LINK_PASSWORD)
        found = sql_password_link_get(
            db, &visit->req,
            &(struct sql_password_link_get_in){link, {hash, SECRET_HASH_SIZE}, now}, &password,
            err);
    else if (kind == LINK_VERIFY)
        found =
            sql_email_link_get(db, &visit->req,
                               &(struct sql_email_link_get_in){link, {hash, SECRET_HASH_SIZE}, now},
                               &verify, err);
    else
        found =
            sql_email_undo_get(db, &visit->req,
                               &(struct sql_email_undo_get_in){link, {hash, SECRET_HASH_SIZE}, now},
                               &undo, err);
    *ret = found > 0;
    return MIN(found, 0);
}

enum visit_step link_open(const struct visit *visit, const struct link_view *view, const char *id,
                          const char *secret, struct page_answer *out, struct error *err)
{
    bool open;

    if (!page_has(id) || !page_has(secret))
        return link_dead(visit, view->kind, out);
    if (is_open(visit, view->kind, id, secret, &open, err) < 0)
        return VISIT_FAILED;
    return open ? link_show(visit, 200, view, id, secret, out) : link_dead(visit, view->kind, out);
}

enum visit_step link_show(const struct visit *visit, int status, const struct link_view *view,
                          const char *id, const char *secret, struct page_answer *out)
{
    struct page page;

    if (!page_has(id) || !page_has(secret))
        return link_dead(visit, view->kind, out);
    visit_page(visit, &page);
    page_link(&page, &(struct page_link_in){
                         VISIT_VALUES(visit), .page = view->page, .id = id, .secret = secret,
                         .action = view->action, .title = view->title, .why = view->why,
                         .button = view->button, .problem = view->problem,
                         .password_problem = view->password_problem,
                         .asks_password = view->asks_password, .new_password = view->new_password,
                         .project = view->project, .inviter = view->inviter, .email = view->email});
    return visit_show(&page, status, out);
}

enum visit_step link_refuse(const struct visit *visit, enum link_kind kind, struct page_answer *out,
                            struct error *err)
{
    enum page_text text = err->code == ERR_CONFLICT ? PAGE_TEXT_ERROR_TAKEN : visit_problem(err);

    if (err->code == ERR_BAD_REQUEST || err->code == ERR_NOT_FOUND)
        return link_dead(visit, kind, out);
    if (text == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return visit_say(visit, visit_refused(err, out), PAGE_TEXT_ERROR_LINK_USED, text, out);
}

json_t *link_body(const struct link_form *form, const char *password)
{
    return json_pack("{s:s*, s:s*, s:s*}", "id", form->id, "secret", form->secret, "password",
                     password);
}

int link_set_password(const struct visit *visit, const struct link_form *form,
                      enum page_text *ret_problem, struct error *err)
{
    json_auto_t *body = link_body(form, page_has(form->password) ? form->password : NULL);
    struct set_password_in in;
    struct nothing nothing = {0};

    if (visit_fields(visit, &set_password_in_table, body, &in, err) == 0 &&
        set_password(visit->d, &visit->req, &in, &nothing, err) == 0)
        return 0;
    for (const struct error_item *item = err->problems; item; item = item->next) {
        if (strcmp(item->name, "password") == 0)
            *ret_problem =
                page_has(form->password) ? PAGE_TEXT_ERROR_PASSWORD : PAGE_TEXT_ERROR_REQUIRED;
    }
    if (*ret_problem == PAGE_NO_TEXT && err->problems)
        return error_set(err, ERR_BAD_REQUEST, "The link is invalid or has expired.");
    return -1;
}
