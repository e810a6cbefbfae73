/*
 * link_view.c - see link_view.h.
 */
#include "authd/page/link_view.h"

#include <string.h>

#include "authd/account/account_api.h"
#include "authd/page/page_api.h"
#include "common/domain/page.h"

enum visit_step link_dead(const struct visit *visit, struct page_answer *out)
{
    return visit_say(visit, 400, PAGE_TEXT_ERROR_LINK, PAGE_TEXT_ERROR_LINK_TEXT, out);
}

enum visit_step link_show(const struct visit *visit, int status, const struct link_view *view,
                          const char *id, const char *secret, struct page_answer *out)
{
    struct page page;

    if (!page_has(id) || !page_has(secret))
        return link_dead(visit, out);
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

enum visit_step link_refuse(const struct visit *visit, struct page_answer *out, struct error *err)
{
    enum page_text text = err->code == ERR_CONFLICT ? PAGE_TEXT_ERROR_TAKEN : visit_problem(err);

    if (err->code == ERR_BAD_REQUEST || err->code == ERR_NOT_FOUND)
        return link_dead(visit, out);
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
