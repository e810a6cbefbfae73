/*
 * client.c - client applications of a project: the `clientId` that one-step sign-in names.
 */
#include "settingsd/sql/client.h"
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/sql/project.h"

int client_list_of(struct settingsd *d, const struct request *req, struct uuid project,
                   struct client_list *out, struct error *err)
{
    struct sql_client_list_in list = {.project = project};

    return sql_client_list(d->svc.db, req, &list, &out->resources, err) < 0 ? -1 : 0;
}

static struct sql_audit client_audit(const struct request *req, const char *action,
                                     struct uuid project, struct uuid client)
{
    return audit_row(
        req, &(struct audit){
                 .action = action, .project = project, .type = "ClientApplication", .id = client});
}

int client_make(struct settingsd *d, const struct request *req, struct uuid project,
                const char *name, struct client *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_project_lock_in lock = {.project = project};
    struct sql_client_insert_in insert = {
        .project = project, .id = uuid_random(), .name = name, .now = req->now_ms};

    insert.audit = client_audit(req, "client.create", project, insert.id);
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_project_lock(tx, req, &lock, err) < 0 ||
        sql_require(sql_client_insert(tx, req, &insert, out, err), err, ERR_CONFLICT,
                    "The project has 1,000 client applications already.") < 0)
        return -1;
    return db_commit(&tx, err);
}

int client_remove(struct settingsd *d, const struct request *req, struct uuid project,
                  struct uuid client, struct error *err)
{
    struct sql_client_delete_in delete = {.project = project,
                                          .id = client,
                                          .audit =
                                              client_audit(req, "client.delete", project, client)};

    return sql_require(sql_client_delete(d->svc.db, req, &delete, err), err, ERR_NOT_FOUND,
                       "Client not found.");
}

int clients(struct settingsd *d, const struct request *req, const struct nothing *in UNUSED,
            struct client_list *out, struct error *err)
{
    return client_list_of(d, req, req->caller->project, out, err);
}

int client_create(struct settingsd *d, const struct request *req, const struct client_create_in *in,
                  struct client *out, struct error *err)
{
    return client_make(d, req, req->caller->project, in->name, out, err);
}

int client_delete(struct settingsd *d, const struct request *req, const struct id_in *in,
                  struct nothing *out UNUSED, struct error *err)
{
    return client_remove(d, req, req->caller->project, in->id, err);
}

/* The project of a client application, by which one-step sign-in names it. Fails: NOT_FOUND. */
int client_lookup(struct settingsd *d, const struct request *req, const struct client_lookup_in *in,
                  struct tenant *out, struct error *err)
{
    const struct sql_tenant_find_by_client_in find = {.client = in->clientId};
    struct sql_tenant_find_by_client_row row;

    if (sql_require(sql_tenant_find_by_client(d->svc.db, req, &find, &row, err), err, ERR_NOT_FOUND,
                    "Client not found.") < 0)
        return -1;
    *out = tenant_with_policy(req->arena, row.tenant, row.account_policy);
    return 0;
}
