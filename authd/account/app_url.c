/*
 * app_url.c - see app_url.h.
 */
#include "authd/account/app_url.h"

#include "common/domain/page.h"
#include "settingsd/tenant_api.h"

static const char *pages_of(const struct authd *d, struct arena *arena, const char *code)
{
    const char *url = d->svc.common->public_url;

    if (!url || !code || !page_is_code(code))
        return NULL;
    return arena_printf(arena, "%s/t/%s", url, code);
}

const char *app_url(const struct authd *d, struct arena *arena, const struct tenant *tenant,
                    enum role role)
{
    bool patient = role == ROLE_PATIENT;
    const char *set = patient ? tenant->patientAppUrl : tenant->practitionerAppUrl;

    return set ? set : pages_of(d, arena, tenant->tenantCode);
}

const char *app_url_installation(const struct authd *d, struct arena *arena)
{
    const char *set = d->config->account_app_url;

    return set ? set : pages_of(d, arena, PAGE_INSTALLATION_CODE);
}

const char *app_url_own_page(const struct authd *d, struct arena *arena, const char *page)
{
    const char *pages = pages_of(d, arena, PAGE_INSTALLATION_CODE);

    return pages ? arena_printf(arena, "%s/%s", pages, page) : NULL;
}
