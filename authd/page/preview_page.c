/*
 * preview_page.c - a tenant's sign-in page with branding that is not saved, for its admin.
 *
 * The page is text in an API response instead of a page with a URL, so no link and no frame of
 * another site can show a tenant's page with other branding. Its form has no token.
 */
#include <string.h>

#include "authd/page/language_choice.h"
#include "authd/page/page_api.h"
#include "authd/page/visit.h"
#include "authd/tenant.h"
#include "common/domain/page.h"
#include "settingsd/brand_api.h"

static const char *path_of(struct arena *arena, const char *code)
{
    return arena_printf(arena, "/t/%s/sign-in", code);
}

/* Finds the tenant with its stored branding. */
static int find_tenant(struct authd *d, const struct request *req, struct tenant *ret,
                       struct error *err)
{
    if (tenant_open_id(d, req, req->caller->project, ret, err) < 0)
        return -1;
    if (!ret->tenantCode)
        return error_set(err, ERR_BAD_REQUEST, "The project has no tenant code.");
    return tenant_open_look(d, req, ret->tenantCode, ret, err);
}

static struct branding branding_of(const struct branding_preview_in *in,
                                   const struct tenant *tenant)
{
    return (struct branding){.name = in->name,
                             .imprintUrl = in->imprintUrl,
                             .privacyUrl = in->privacyUrl,
                             .texts = in->texts,
                             .logo = tenant->branding ? tenant->branding->logo : NULL};
}

/* Parks. Fails: BAD_REQUEST (the project has no tenant code). */
int branding_preview(struct authd *d, const struct request *req,
                     const struct branding_preview_in *in, struct branding_preview_out *out,
                     struct error *err)
{
    const char *url = d->svc.common->public_url;
    struct page_visit from = {.url = url ? url : ""};
    struct visit visit;
    struct branding branding;
    struct page page;

    visit = (struct visit){.d = d, .from = &from, .req = *req};
    if (find_tenant(d, req, &visit.tenant, err) < 0)
        return -1;
    branding = branding_of(in, &visit.tenant);
    visit.tenant.branding = &branding;
    from.languages = in->language;
    from.here = path_of(req->arena, visit.tenant.tenantCode);
    visit_look(&visit);
    visit_page(&visit, &page);
    page_sign_in(&page,
                 &(struct page_sign_in_in){VISIT_VALUES(&visit), .intro = visit.brand.intro,
                                           .may_register = visit_may_register(&visit.tenant)});
    out->html = page.text;
    return 0;
}
