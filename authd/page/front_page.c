/*
 * front_page.c - the installation's front page, and the page for unknown addresses.
 */
#include <string.h>

#include "authd/page/page_api.h"
#include "authd/page/visit.h"
#include "authd/tenant.h"
#include "common/domain/page.h"

/* Removes blanks that come with copied text. */
static const char *trimmed(struct arena *arena, const char *text)
{
    const char *code = text + strspn(text, " \t");

    return arena_strndup(arena, code, strcspn(code, " \t"));
}

static enum visit_step show_form(const struct visit *visit, int status, const char *code,
                                 enum page_text problem, struct page_answer *out)
{
    struct page page;

    visit_page(visit, &page);
    page_front(&page, &(struct page_front_in){VISIT_FRAME(visit), .organization = code,
                                              .problem = problem});
    return visit_show(&page, status, out);
}

static enum visit_step find_tenant(struct visit *visit, const char *typed, struct page_answer *out,
                                   struct error *err)
{
    const char *code = trimmed(visit->req.arena, typed);

    if (page_is_code(code) &&
        tenant_open_look(visit->d, &visit->req, code, &visit->tenant, err) == 0)
        return visit_go(visit, "sign-in", out);
    if (err->code != ERR_NONE && err->code != ERR_NOT_FOUND)
        return VISIT_FAILED;
    error_clear(err);
    return show_form(visit, 404, code, PAGE_TEXT_ERROR_ORGANIZATION, out);
}

int page_front_get(struct authd *d, const struct request *req, const struct front_query *in,
                   struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step =
        visit_open_any(d, req, PAGE_INSTALLATION_CODE, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = in->tenant ? find_tenant(&visit, in->tenant, out, err)
                          : show_form(&visit, 200, NULL, PAGE_NO_TEXT, out);
    return visit_result(step);
}

int page_missing_get(struct authd *d, const struct request *req, const struct front_query *in,
                     struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step =
        visit_open_any(d, req, PAGE_INSTALLATION_CODE, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = visit_say(&visit, 404, PAGE_TEXT_ERROR_NO_PAGE, PAGE_TEXT_ERROR_NO_PAGE_TEXT, out);
    return visit_result(step);
}
