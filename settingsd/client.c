/*
 * client.c - client applications of a project: the `clientId` that one-step sign-in names.
 */
#include "settingsd/settingsd.h"

int client_list_of(struct settingsd *d, const struct request *req, struct uuid project,
                   struct client_list *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_CLIENTS, &res, err, DB_UUID(project)) < 0)
        return -1;
    out->resources = db_list(res, &client_table, req->arena);
    return 0;
}

static struct audit_row client_audit(const struct request *req, const char *action,
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
    CLEANUP(db_result_destroy) struct db_result *locked = NULL;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct uuid id = uuid_random();
    struct audit_row audit = client_audit(req, "client.create", project, id);

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_PROJECT_LOCK, &locked, err, DB_UUID(project)) < 0 ||
        db_tx_query(tx, SQL_CLIENT_INSERT, &res, err, DB_UUID(project), DB_UUID(id), DB_TEXT(name),
                    DB_INT(req->now_ms), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_CONFLICT, "The project has 1,000 client applications already.");
    if (db_commit(&tx, err) < 0)
        return -1;
    db_row(res, 0, &client_table, req->arena, out);
    return 0;
}

int client_remove(struct settingsd *d, const struct request *req, struct uuid project,
                  struct uuid client, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct audit_row audit = client_audit(req, "client.delete", project, client);

    if (db_query(d->svc.db, req, SQL_CLIENT_DELETE, &res, err, DB_UUID(project), DB_UUID(client),
                 DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_NOT_FOUND, "Client not found.");
    return 0;
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
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_TENANT_BY_CLIENT, &res, err, DB_UUID(in->clientId)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_NOT_FOUND, "Client not found.");
    tenant_from_row(res, 0, req->arena, out);
    return 0;
}
