/*
 * tenant.c - see tenant.h.
 */
#include "authd/tenant.h"

#include <string.h>

#include "authd/settings_cache.h"
#include "authd/sql/account.h"
#include "common/domain/policy.h"
#include "settingsd/client_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum { LEVELS_MAX = 32 }; /* ancestors of a project */

static int take_open(const struct request *req, const struct tenant *tenant, struct tenant *ret,
                     struct error *err)
{
    if (tenant->suspended)
        return error_set(err, ERR_NOT_FOUND, "Tenant not found.");
    if (tenant->readOnly && !req->safe)
        return refuse_read_only(err);
    *ret = *tenant;
    return 0;
}

static int lookup(struct authd *d, const struct request *req, struct settings_view *view,
                  const struct tenant_lookup_in *in, struct tenant *ret, struct error *err)
{
    struct tenant tenant = {0};

    if (settings_cache_call(d, req, view, &settingsd_tenant_lookup_method, in, &tenant, err) < 0)
        return -1;
    return take_open(req, &tenant, ret, err);
}

int tenant_open_view(struct authd *d, const struct request *req, struct settings_view *view,
                     const char *code, struct tenant *ret, struct error *err)
{
    return lookup(d, req, view, &(struct tenant_lookup_in){.tenantCode = code}, ret, err);
}

int tenant_open(struct authd *d, const struct request *req, const char *code, struct tenant *ret,
                struct error *err)
{
    return tenant_open_view(d, req, NULL, code, ret, err);
}

int tenant_open_look(struct authd *d, const struct request *req, const char *code,
                     struct tenant *ret, struct error *err)
{
    return lookup(d, req, NULL, &(struct tenant_lookup_in){.tenantCode = code, .branding = true},
                  ret, err);
}

int tenant_open_id(struct authd *d, const struct request *req, struct uuid project,
                   struct tenant *ret, struct error *err)
{
    return lookup(d, req, NULL, &(struct tenant_lookup_in){.projectId = project}, ret, err);
}

int tenant_project_of(struct authd *d, const struct request *req, const char *code,
                      struct uuid *ret, struct error *err)
{
    const struct tenant_lookup_in which = tenant_lookup_from_text(code);
    struct tenant tenant = {.name = NULL};

    if (code && settingsd_tenant_lookup(d->svc.bus, req, &which, &tenant, err) < 0)
        return -1;
    *ret = tenant.projectId;
    return 0;
}

int tenant_id_of(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                 struct error *err)
{
    return tenant_project_of(daemon, req, name, ret, err);
}

int tenant_policy_of(struct authd *d, const struct request *req, struct uuid project,
                     const char *reference, struct uuid *ret, struct error *err)
{
    struct caller_context_in which = {.projectId = project};
    struct caller_context_out context = {0};

    if (policy_reference(reference, &which.policyId) < 0)
        return error_problem(err, "accessPolicy", "must be AccessPolicy/<id>");
    if (settingsd_caller_context(d->svc.bus, req, &which, &context, err) < 0)
        return -1;
    if (!uuid_is_set(&context.policyId))
        return error_problem(err, "accessPolicy", "must name an access policy of this project");
    *ret = context.policyId;
    return 0;
}

int tenant_is_within(struct authd *d, const struct request *req, struct uuid project,
                     struct uuid top, bool *ret, struct error *err)
{
    struct tenant tenant;

    for (int level = 0; level < LEVELS_MAX && uuid_is_set(&project); level++) {
        *ret = uuid_equal(&project, &top);
        if (*ret)
            return 0;
        if (tenant_open_id(d, req, project, &tenant, err) < 0)
            return -1;
        project = tenant.parentId;
    }
    *ret = false;
    return 0;
}

const struct tenant *tenant_among(const struct field_list *tenants, struct uuid project)
{
    const struct tenant *all = tenants->items;

    for (size_t t = 0; t < tenants->count; t++) {
        if (uuid_equal(&all[t].projectId, &project))
            return &all[t];
    }
    return NULL;
}

int tenant_parent(struct authd *d, const struct request *req, struct uuid *project,
                  struct error *err)
{
    const char *id = project->text;
    const struct tenants_of_in in = {{&id, 1}};
    struct tenant_list list = {0};

    if (settingsd_tenants_of(d->svc.bus, req, &in, &list, err) < 0)
        return -1;
    *project = list.tenants.count == 0 ? (struct uuid){""}
                                       : ((const struct tenant *)list.tenants.items)->parentId;
    return 0;
}

int tenant_inherits_from(struct authd *d, const struct request *req, struct uuid project,
                         struct db_array *ret, struct db_array *ret_above, struct error *err)
{
    bool inherits = true;

    *ret = db_array_new(req->arena, LEVELS_MAX, sizeof(project.text));
    *ret_above = db_array_new(req->arena, LEVELS_MAX, sizeof(project.text));
    for (int level = 0; level < LEVELS_MAX && uuid_is_set(&project); level++) {
        const struct tenant_lookup_in in = {.projectId = project};
        struct tenant tenant = {0};

        db_array_add(ret_above, project.text);
        if (inherits)
            db_array_add(ret, project.text);
        if (settings_cache_call(d, req, NULL, &settingsd_tenant_lookup_method, &in, &tenant, err) <
                0 &&
            err->code != ERR_NOT_FOUND)
            return -1;
        error_clear(err); /* a deleted project is the last one */
        inherits = inherits && tenant.inheritProviders;
        project = tenant.parentId;
    }
    return 0;
}

int tenant_ancestors(struct authd *d, const struct request *req, struct uuid project,
                     struct db_array *ret, struct error *err)
{
    struct db_array inherited;

    return tenant_inherits_from(d, req, project, &inherited, ret, err);
}

int tenant_open_client(struct authd *d, const struct request *req, struct uuid client,
                       struct tenant *ret, struct error *err)
{
    const struct client_lookup_in in = {client};
    struct tenant tenant = {0};

    if (settings_cache_call(d, req, NULL, &settingsd_client_lookup_method, &in, &tenant, err) < 0)
        return -1;
    return take_open(req, &tenant, ret, err);
}

int tenant_open_business(struct authd *d, const struct request *req, struct uuid client,
                         struct uuid project, struct tenant *ret, struct error *err)
{
    struct tenant named, owner;

    if (tenant_open_client(d, req, client, &owner, err) < 0 ||
        tenant_open_id(d, req, project, &named, err) < 0)
        return -1;
    if (!uuid_equal(&named.projectId, &owner.projectId))
        return error_set(err, ERR_NOT_FOUND, "Client not found.");
    *ret = named;
    return 0;
}

int account_projects(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid project, bool locked, struct field_texts *ret, struct error *err)
{
    const struct sql_account_list_projects_in in = {
        .account = account, .project = project, .locked = locked};
    struct sql_account_list_projects_rows rows;

    if (sql_account_list_projects(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    *ret =
        (struct field_texts){arena_calloc(req->arena, rows.count, sizeof(*ret->items)), rows.count};
    for (size_t i = 0; i < rows.count; i++)
        ret->items[i] = rows.items[i].project.text;
    return 0;
}

int tenants_open(struct authd *d, const struct request *req, struct field_texts projects,
                 struct field_list *ret, struct error *err)
{
    struct tenant_list found = {0};
    struct tenant *open = arena_calloc(req->arena, projects.count, sizeof(*open));
    const struct tenants_of_in in = {projects};
    const struct tenant *all;
    size_t count = 0;

    if (projects.count > 0 && settingsd_tenants_of(d->svc.bus, req, &in, &found, err) < 0)
        return -1;
    all = found.tenants.items;
    for (size_t p = 0; p < projects.count; p++) {
        for (size_t t = 0; t < found.tenants.count; t++) {
            if (strcmp(all[t].projectId.text, projects.items[p]) == 0 && !all[t].suspended) {
                open[count++] = all[t];
                break;
            }
        }
    }
    *ret = (struct field_list){open, count};
    return 0;
}

struct uuid tenant_organization(const struct tenant *tenant)
{
    if (uuid_is_set(&tenant->rootId))
        return tenant->rootId;
    /* a settingsd of an older release */
    return uuid_is_set(&tenant->parentId) ? tenant->parentId : tenant->projectId;
}
