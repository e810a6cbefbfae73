/*
 * delete_page.c - the page that schedules an account's deletion. A sign-in before that date can
 * cancel it.
 */
#include <string.h>

#include "authd/account/account_api.h"
#include "authd/page/page_api.h"
#include "authd/page/step_up_page.h"
#include "common/domain/page.h"

static const char own_page[] = "account/delete";

static enum visit_step ask(const struct visit *visit, int status, enum page_text problem,
                           struct page_answer *out)
{
    struct page page;

    visit_page(visit, &page);
    page_delete_account(&page,
                        &(struct page_delete_account_in){VISIT_VALUES(visit), .problem = problem});
    return visit_show(&page, status, out);
}

/* Returns one of the offered values or the default. */
static int64_t days_of(const char *text)
{
    if (text && strcmp(text, "0") == 0)
        return 0;
    return text && strcmp(text, "7") == 0 ? 7 : 30;
}

static enum visit_step schedule(const struct visit *visit, const struct delete_form *form,
                                struct page_answer *out, struct error *err)
{
    const struct deletion_schedule_in in = {.days = days_of(form->days)};
    struct deletion_scheduled scheduled = {0};
    enum page_text problem;

    if (deletion_schedule(visit->d, &visit->req, &in, &scheduled, err) == 0) {
        if (in.days > 0)
            return visit_go(visit, "account", out);
        out->cookie = "";
        return visit_say(visit, 200, PAGE_TEXT_NOTE_DELETED, PAGE_TEXT_NOTE_DELETED_TEXT, out);
    }
    if (err->code == ERR_STEP_UP_REQUIRED)
        return step_up_go(visit, own_page, out);
    problem = err->code == ERR_CONFLICT ? PAGE_TEXT_ERROR_LAST_ADMIN : visit_problem(err);
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return ask(visit, visit_refused(err, out), problem, out);
}

static enum visit_step open_form(const struct visit *visit, int status, enum page_text problem,
                                 struct page_answer *out, struct error *err)
{
    enum visit_step step = step_up_require(visit, own_page, out, err);

    return step == VISIT_OPEN ? ask(visit, status, problem, out) : step;
}

int page_delete_get(struct authd *d, const struct request *req, const struct page_query *in,
                    struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_account(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = open_form(&visit, 200, PAGE_NO_TEXT, out, err);
    return visit_result(step);
}

int page_delete_post(struct authd *d, const struct request *req, const struct delete_form *in,
                     struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step =
        visit_open_account_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = open_form(&visit, VISIT_STALE_STATUS, PAGE_TEXT_ERROR_STALE, out, err);
    else if (step == VISIT_OPEN)
        step = schedule(&visit, in, out, err);
    return visit_result(step);
}
