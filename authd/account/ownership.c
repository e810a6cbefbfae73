/*
 * ownership.c - see ownership.h.
 */
#include "authd/account/ownership.h"

#include <string.h>

#include "authd/account/app_url.h"
#include "authd/credential/link.h"
#include "authd/sql/account.h"
#include "authd/sql/credential.h"
#include "authd/tenant.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum {
    PROJECTS_MAX = 1000, /* as in account_list_projects */
    LEVELS_MAX = 32,     /* ancestors of a project */
};

/* A set of projects' ids. */
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

/* Replaces each project except `top` by its parent. *ret_outside: one is a root or was deleted. */
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

int ownership_find(struct authd *d, const struct request *req, struct uuid account,
                   struct uuid project, struct ownership *ret, struct error *err)
{
    const struct sql_account_list_projects_in in = {.account = account, .locked = true};
    struct sql_account_list_projects_rows rows;
    struct projects above = {0};
    bool outside;

    *ret = (struct ownership){.owned = false};
    if (sql_account_list_projects(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    ret->projects = db_array_new(req->arena, rows.count, sizeof(project.text));
    above.ids = arena_calloc(req->arena, rows.count, sizeof(*above.ids));
    outside = rows.count == 0 || rows.count == PROJECTS_MAX;
    for (size_t i = 0; i < rows.count; i++) {
        db_array_add(&ret->projects, rows.items[i].project.text);
        if (!uuid_equal(&rows.items[i].project, &project))
            above.ids[above.count++] = rows.items[i].project.text;
    }
    for (int level = 0; above.count > 0 && !outside; level++) {
        if (level == LEVELS_MAX)
            outside = true;
        else if (climb(d, req, project.text, &above, &outside, err) < 0)
            return -1;
    }
    ret->owned = !outside;
    return 0;
}

int ownership_lowest(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid *ret, struct error *err)
{
    const struct sql_account_list_projects_in in = {.account = account, .locked = true};
    struct sql_account_list_projects_rows rows;
    struct ownership found = {.owned = false};

    if (sql_account_list_projects(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    *ret = rows.count == 0 ? (struct uuid){""} : rows.items[0].project;
    for (int level = 0; level < LEVELS_MAX && uuid_is_set(ret); level++) {
        if (ownership_find(d, req, account, *ret, &found, err) < 0)
            return -1;
        if (found.owned)
            return 0;
        if (tenant_parent(d, req, ret, err) < 0)
            return -1;
    }
    *ret = (struct uuid){""};
    return 0;
}

int ownership_count_shared(struct authd *d, const struct request *req, struct uuid project,
                           int64_t *ret, struct error *err)
{
    const struct sql_account_project_sets_in in = {.project = project};
    struct sql_account_project_sets_rows rows;
    struct uuid owner;

    *ret = 0;
    if (app_url_own_page(d, req->arena, "account"))
        return 0;
    if (sql_account_project_sets(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        if (ownership_lowest(d, req, rows.items[i].account, &owner, err) < 0)
            return -1;
        if (!uuid_is_set(&owner) || !strstr(rows.items[i].projects, owner.text))
            *ret += rows.items[i].people;
    }
    return 0;
}

int ownership_admits_factor(struct authd *d, const struct request *req, bool *ret,
                            struct error *err)
{
    const struct sql_factor_is_admitted_in in = {.account = req->caller->account,
                                                 .now = req->now_ms};
    struct sql_factor_is_admitted_row row = {.admitted = false};

    *ret = false;
    if (app_url_own_page(d, req->arena, "account"))
        return 0;
    if (sql_factor_is_admitted(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    *ret = row.admitted;
    return 0;
}

int ownership_refuse(const struct authd *d, const struct request *req, struct error *err)
{
    const char *page = app_url_own_page(d, req->arena, "account");

    (void)error_set(err, ERR_ACCOUNT_SHARED,
                    page ? "The account belongs to several organizations. Its owner changes this "
                           "on the installation's account page."
                         : "The account belongs to several organizations. Ask the operator of this "
                           "installation to change this (atriumctl account).");
    if (page)
        error_member(err, "details.url", page);
    return -1;
}

int ownership_hold(const struct authd *d, struct db_tx *tx, const struct request *req,
                   struct uuid account, const struct ownership *found, struct error *err)
{
    const struct sql_account_row_lock_in lock = {.account = account};
    struct sql_account_is_within_in within = {.account = account};
    struct sql_account_is_within_row row;

    if (sql_require(sql_account_row_lock(tx, req, &lock, err), err, ERR_NOT_FOUND,
                    "Account not found.") < 0)
        return -1;
    if (found->installation)
        return 0;
    within.projects = found->projects;
    if (sql_account_is_within(tx, req, &within, &row, err) < 0)
        return -1;
    return row.within && found->owned ? 0 : ownership_refuse(d, req, err);
}

int ownership_join(struct db_tx *tx, const struct request *req, struct uuid account,
                   struct db_array above, struct error *err)
{
    const struct sql_account_links_delete_in links = {.account = account, .above = above};
    const struct sql_account_row_lock_in lock = {.account = account};

    if (sql_account_links_delete(tx, req, &links, err) < 0)
        return -1;
    return sql_require(sql_account_row_lock(tx, req, &lock, err), err, ERR_NOT_FOUND,
                       "Account not found.");
}

int ownership_find_link(struct authd *d, const struct request *req, struct uuid account,
                        struct uuid project, bool installation, struct ownership *ret,
                        struct error *err)
{
    *ret = (struct ownership){.owned = true, .installation = installation};
    if (!installation && ownership_find(d, req, account, project, ret, err) < 0)
        return -1;
    return ret->owned ? 0 : link_invalid(err);
}

int ownership_hold_link(const struct authd *d, struct db_tx *tx, const struct request *req,
                        struct uuid account, const struct ownership *found, struct error *err)
{
    if (ownership_hold(d, tx, req, account, found, err) == 0)
        return 0;
    if (err->code != ERR_ACCOUNT_SHARED && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return link_invalid(err);
}

int ownership_admit(void *daemon, struct request *req, const struct operation *row,
                    struct error *err)
{
    struct authd *d = daemon;
    struct ownership *found;

    /* Pages identify their visitor later; visit_open_account() calls this then. */
    if (row->reach != REACH_ACCOUNT || !req->caller)
        return 0;
    found = arena_alloc(req->arena, sizeof(*found));
    if (ownership_find(d, req, req->caller->account, req->caller->project, found, err) < 0)
        return -1;
    req->ownership = found;
    if (!found->owned && (row->flags & R_ADMITTED)) {
        if (ownership_admits_factor(d, req, &found->installation, err) < 0)
            return -1;
        found->owned = found->installation;
    }
    return found->owned ? 0 : ownership_refuse(d, req, err);
}

int ownership_of_caller(struct authd *d, const struct request *req, bool *ret, struct error *err)
{
    struct ownership found = {.owned = true};

    if (uuid_is_set(&req->caller->project) &&
        ownership_find(d, req, req->caller->account, req->caller->project, &found, err) < 0)
        return -1;
    *ret = found.owned;
    return 0;
}

int ownership_hold_caller(const struct authd *d, struct db_tx *tx, const struct request *req,
                          struct error *err)
{
    if (ownership_hold(d, tx, req, req->caller->account, req->ownership, err) == 0)
        return 0;
    return err->code == ERR_NOT_FOUND ? error_set(err, ERR_UNAUTHORIZED, "Unauthorized") : -1;
}
