/*
 * tenant_choice.c - see tenant_choice.h.
 */
#include "authd/page/tenant_choice.h"

#include <string.h>

#include "authd/authd_api.h"
#include "common/domain/page.h"

/* The session of this browser in a tenant, whose cookie is named by it. */
static enum visit_step enter(const struct visit *visit, const char *verifier, const char *code,
                             const char *tenant, struct page_answer *out, struct error *err)
{
    const char *cookie = visit_new_cookie(visit);
    const struct practitioner_login_token_in in = {code, verifier, tenant, cookie};
    struct token_response tokens = {0};

    if (practitioner_login_token(visit->d, &visit->req, &in, &tokens, err) < 0)
        return VISIT_FAILED;
    out->cookie = cookie;
    out->cookieTenant = tenant;
    out->location = arena_printf(visit->req.arena, "/t/%s/account", tenant);
    out->status = 303;
    return VISIT_ANSWERED;
}

/* Those that have pages. */
static struct page_choose_tenant_choice *choices_of(struct arena *arena, struct field_list tenants,
                                                    size_t *ret_count)
{
    struct page_choose_tenant_choice *rows = arena_calloc(arena, tenants.count, sizeof(*rows));
    const struct login_tenant *all = tenants.items;

    *ret_count = 0;
    for (size_t i = 0; i < tenants.count; i++)
        if (page_is_code(all[i].tenantCode))
            rows[(*ret_count)++] =
                (struct page_choose_tenant_choice){all[i].tenantCode, all[i].project->display};
    return rows;
}

enum visit_step tenant_choice_ask(const struct visit *visit, const char *verifier, const char *code,
                                  struct field_list tenants, struct page_answer *out,
                                  struct error *err)
{
    struct arena *arena = visit->req.arena;
    size_t count;
    const struct page_choose_tenant_choice *choices = choices_of(arena, tenants, &count);
    const char *step = visit_seal(visit, arena_printf(arena, "%s %s", verifier, code));
    struct page page;

    if (count == 0)
        return visit_say(visit, 404, PAGE_TEXT_ERROR_NO_PAGE, PAGE_TEXT_ERROR_NO_PAGE_TEXT, out);
    if (count == 1)
        return enter(visit, verifier, code, choices[0].code, out, err);
    visit_page(visit, &page);
    page_choose_tenant(&page,
                       &(struct page_choose_tenant_in){VISIT_VALUES(visit), .step = step,
                                                       .choice = choices, .choice_count = count});
    return visit_show(&page, 200, out);
}

enum visit_step tenant_choice_answer(const struct visit *visit, const char *step,
                                     const char *tenant, struct page_answer *out, struct error *err)
{
    const char *state = visit_unseal(visit, step), *blank = state ? strchr(state, ' ') : NULL;

    if (!blank || !page_is_code(tenant))
        return VISIT_STALE;
    return enter(visit, arena_strndup(visit->req.arena, state, (size_t)(blank - state)), blank + 1,
                 tenant, out, err);
}
