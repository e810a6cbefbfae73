/*
 * access_policy.c - access policies of a project: what their members may do with documents, bots
 * and content.
 */
#include "authd/authd_api.h"
#include "settingsd/access_policy_check.h"
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"

static int not_found(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "Access policy not found.");
}

static int in_use(struct error *err)
{
    return error_set(err, ERR_CONFLICT, "The access policy is in use.");
}

int access_policy_list_of(struct settingsd *d, const struct request *req, struct uuid project,
                          struct access_policy_list *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_ACCESS_POLICIES, &res, err, DB_UUID(project)) < 0)
        return -1;
    out->resources = db_list(res, &access_policy_table, req->arena);
    return 0;
}

static struct sql_audit policy_audit(const struct request *req, const char *action,
                                     struct uuid project, struct uuid policy)
{
    return audit_row(
        req, &(struct audit){
                 .action = action, .project = project, .type = "AccessPolicy", .id = policy});
}

/* Inserts a policy whose rules were checked. */
static int policy_insert(struct settingsd *d, const struct request *req, struct uuid project,
                         const struct access_policy_in *in, struct access_policy *out,
                         struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(db_result_destroy) struct db_result *locked = NULL;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct uuid id = uuid_random();
    struct sql_audit audit = policy_audit(req, "policy.create", project, id);

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_PROJECT_LOCK, &locked, err, DB_UUID(project)) < 0 ||
        db_tx_query(tx, SQL_ACCESS_POLICY_INSERT, &res, err, DB_UUID(project), DB_UUID(id),
                    DB_TEXT(in->name), DB_TEXT(in->resource), DB_TEXT(in->ipAccessRule),
                    DB_INT(req->now_ms), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_CONFLICT, "The project has 1,000 access policies already.");
    if (db_commit(&tx, err) < 0)
        return -1;
    db_row(res, 0, &access_policy_table, req->arena, out);
    return 0;
}

/* Replaces a policy and makes every gateway forget the old rules before it is answered. */
static int policy_update(struct settingsd *d, const struct request *req, struct uuid project,
                         const struct access_policy_in *in, struct access_policy *out,
                         struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_outbox row = publish_change_row(d, req, "policy", in->id);
    struct sql_audit audit = policy_audit(req, "policy.replace", project, in->id);

    if (db_query(d->svc.db, req, SQL_ACCESS_POLICY_UPDATE, &res, err, DB_UUID(project),
                 DB_UUID(in->id), DB_TEXT(in->name), DB_TEXT(in->resource),
                 DB_TEXT(in->ipAccessRule), DB_INT(req->now_ms), DB_OUTBOX(row),
                 DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return not_found(err);
    db_row(res, 0, &access_policy_table, req->arena, out);
    return publish_change(d, req, &row, "policy", in->id, err);
}

int access_policy_put(struct settingsd *d, const struct request *req, struct uuid project,
                      const struct access_policy_in *in, struct access_policy *out,
                      struct error *err)
{
    struct access_policy_in checked = *in;

    if (access_policy_check(req->arena, &checked.resource, &checked.ipAccessRule, err) < 0)
        return -1;
    if (!uuid_is_set(&in->id))
        return policy_insert(d, req, project, &checked, out, err);
    return policy_update(d, req, project, &checked, out, err);
}

int access_policy_remove(struct settingsd *d, const struct request *req, struct uuid project,
                         struct uuid policy, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *read = NULL, *deleted = NULL;
    struct policy_in_use_in use = {.projectId = project, .policyId = policy};
    struct policy_in_use_out used = {0};
    struct sql_audit audit = policy_audit(req, "policy.delete", project, policy);

    if (db_query(d->svc.db, req, SQL_ACCESS_POLICY_USE, &read, err, DB_UUID(project),
                 DB_UUID(policy)) < 0)
        return -1;
    if (db_rows(read) == 0)
        return not_found(err);
    if (db_bool(read, 0, 1))
        return in_use(err);
    if (authd_policy_in_use(d->svc.bus, req, &use, &used, err) < 0)
        return -1;
    if (used.inUse)
        return in_use(err);
    if (db_query(d->svc.db, req, SQL_ACCESS_POLICY_DELETE, &deleted, err, DB_UUID(project),
                 DB_UUID(policy), DB_INT(db_int(read, 0, 0)), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(deleted) == 0)
        return error_set(err, ERR_CONFLICT, "The project changed during the write.");
    return 0;
}

/* ---- handlers ---- */

int access_policies(struct settingsd *d, const struct request *req, const struct nothing *in UNUSED,
                    struct access_policy_list *out, struct error *err)
{
    return access_policy_list_of(d, req, req->caller->project, out, err);
}

int access_policy_create(struct settingsd *d, const struct request *req,
                         const struct access_policy_in *in, struct access_policy *out,
                         struct error *err)
{
    struct access_policy_in made = *in;

    made.id = (struct uuid){""};
    return access_policy_put(d, req, req->caller->project, &made, out, err);
}

int access_policy_get(struct settingsd *d, const struct request *req, const struct id_in *in,
                      struct access_policy *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_ACCESS_POLICY_GET, &res, err, DB_UUID(req->caller->project),
                 DB_UUID(in->id)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return not_found(err);
    db_row(res, 0, &access_policy_table, req->arena, out);
    return 0;
}

/* Fails: NOT_FOUND, VALIDATION, UNCERTAIN (stored, but not yet in force on every gateway). */
int access_policy_replace(struct settingsd *d, const struct request *req,
                          const struct access_policy_in *in, struct access_policy *out,
                          struct error *err)
{
    return access_policy_put(d, req, req->caller->project, in, out, err);
}

int access_policy_delete(struct settingsd *d, const struct request *req, const struct id_in *in,
                         struct nothing *out UNUSED, struct error *err)
{
    return access_policy_remove(d, req, req->caller->project, in->id, err);
}
