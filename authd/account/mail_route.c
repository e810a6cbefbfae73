/*
 * mail_route.c - see mail_route.h.
 */
#include "authd/account/mail_route.h"

#include "authd/account/app_url.h"
#include "authd/account/email_verified.h"
#include "authd/account/ownership.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

void mail_route_own(const struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct mail_route *ret)
{
    *ret = (struct mail_route){.tenant = tenant,
                               .app = app_url(d, req->arena, tenant, role),
                               .organization = tenant_organization(tenant)};
}

void mail_route_installation(const struct authd *d, const struct request *req,
                             struct mail_route *ret)
{
    *ret = (struct mail_route){.app = app_url_installation(d, req->arena)};
}

int mail_route_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct uuid account, struct mail_route *ret, struct error *err)
{
    struct ownership found = {.owned = true};

    if (role != ROLE_PATIENT && ownership_find(d, req, account, tenant->projectId, &found, err) < 0)
        return -1;
    if (found.owned)
        mail_route_own(d, req, tenant, role, ret);
    else
        mail_route_installation(d, req, ret);
    return 0;
}
