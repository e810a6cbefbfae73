/*
 * mail_route.c - see mail_route.h.
 */
#include "authd/account/mail_route.h"

#include <string.h>

#include "authd/account/app_url.h"
#include "authd/account/email_verified.h"
#include "authd/sql/account.h"

enum {
    PROJECTS_MAX = 1000, /* the limit of account_list_projects */
    LEVELS_MAX = 32,     /* projects above a membership that are looked at */
};

/* Projects, each once. */
struct projects {
    const char **ids;
    size_t count;
};

static void add_once(struct projects *self, const char *id)
{
    for (size_t i = 0; i < self->count; i++) {
        if (strcmp(self->ids[i], id) == 0)
            return;
    }
    self->ids[self->count++] = id;
}

/* One level up: the parents of those that are not `top`. *ret_outside: one is a root, or gone. */
static int climb(struct authd *d, const struct request *req, const char *top, struct projects *self,
                 bool *ret_outside, struct error *err)
{
    struct tenants_of_in in = {{self->ids, self->count}};
    struct tenant_list list = {0};
    const struct tenant *found;

    if (settingsd_tenants_of(d->svc.bus, req, &in, &list, err) < 0)
        return -1;
    found = list.tenants.items;
    *ret_outside = list.tenants.count < self->count;
    self->ids = arena_calloc(req->arena, list.tenants.count, sizeof(*self->ids));
    self->count = 0;
    for (size_t t = 0; t < list.tenants.count; t++) {
        if (!uuid_is_set(&found[t].parentId))
            *ret_outside = true;
        else if (strcmp(found[t].parentId.text, top) != 0)
            add_once(self, found[t].parentId.text);
    }
    return 0;
}

int mail_route_is_own(struct authd *d, struct db_tx *tx, const struct request *req,
                      struct uuid account, struct uuid project, bool *ret, struct error *err)
{
    const struct sql_account_list_projects_in in = {.account = account, .locked = true};
    struct sql_account_list_projects_rows rows;
    struct projects above = {0};
    bool outside;

    if ((tx ? sql_account_list_projects_tx(tx, req, &in, &rows, err)
            : sql_account_list_projects(d->svc.db, req, &in, &rows, err)) < 0)
        return -1;
    above.ids = arena_calloc(req->arena, rows.count, sizeof(*above.ids));
    outside = rows.count == 0 || rows.count == PROJECTS_MAX;
    for (size_t i = 0; i < rows.count; i++)
        if (!uuid_equal(&rows.items[i].project, &project))
            above.ids[above.count++] = rows.items[i].project.text;
    for (int level = 0; above.count > 0 && !outside; level++) {
        if (level == LEVELS_MAX)
            outside = true;
        else if (climb(d, req, project.text, &above, &outside, err) < 0)
            return -1;
    }
    *ret = !outside;
    return 0;
}

void mail_route_own(const struct authd *d, const struct request *req, const struct tenant *tenant,
                    const char *role, struct mail_route *ret)
{
    *ret = (struct mail_route){.tenant = tenant,
                               .app = app_url(d, req->arena, tenant, role),
                               .organization = email_organization(tenant)};
}

int mail_route_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const char *role, struct uuid account, struct mail_route *ret,
                    struct error *err)
{
    bool own = true;

    if (strcmp(role, "Patient") != 0 &&
        mail_route_is_own(d, NULL, req, account, tenant->projectId, &own, err) < 0)
        return -1;
    if (own)
        mail_route_own(d, req, tenant, role, ret);
    else
        *ret = (struct mail_route){.app = app_url_installation(d, req->arena)};
    return 0;
}
