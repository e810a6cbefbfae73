/*
 * purge.c - see purge.h.
 */
#include "authd/account/purge.h"

#include "authd/authd.h"

/* What a page of members has come to. */
struct members_purged {
    int64_t removed, accounts;
};
static const struct field members_purged_rows[] = {
    FIELD_INT(struct members_purged, removed, 0, INT64_MAX, 0, 0, "Memberships", "1"),
    FIELD_INT(struct members_purged, accounts, 0, INT64_MAX, 0, 0, "Accounts", "1"),
};
static FIELD_TABLE(members_purged);

static struct sql_audit account_audit(const struct request *req, struct uuid project)
{
    return audit_row(req, &(struct audit){.action = "account.delete",
                                          .project = project,
                                          .type = NULL,
                                          .detail = "project"});
}

static struct sql_audit membership_audit(const struct request *req, struct uuid project)
{
    return audit_row(req, &(struct audit){.action = "membership.delete",
                                          .project = project,
                                          .type = NULL,
                                          .detail = "project"});
}

/* The accounts are locked by a statement of their own: the second one then sees every other
 * membership that was made before, and none is made until the commit. */
static int purge_members(void *daemon, const struct request *req, struct uuid project, int64_t rows,
                         int64_t *ret_removed, struct error *err)
{
    struct authd *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *locked = NULL, *gone = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_audit member = membership_audit(req, project);
    struct sql_audit account = account_audit(req, project);
    struct members_purged out = {0};
    const struct purge_row *items;
    struct db_array accounts;

    *ret_removed = 0;
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_PURGE_MEMBERS_LOCK, &locked, err, DB_UUID(project), DB_INT(rows)) < 0)
        return -1;
    accounts = db_array_new(req->arena, db_rows(locked), sizeof(project.text));
    items = db_list(locked, &purge_row_table, req->arena).items;
    for (size_t i = 0; i < db_rows(locked); i++)
        db_array_add(&accounts, items[i].id.text);
    if (db_tx_query(tx, SQL_PURGE_MEMBERS, &gone, err, DB_UUID(project), DB_TEXT(accounts.text),
                    DB_AUDIT(member), DB_AUDIT(account)) < 0)
        return -1;
    db_row(gone, 0, &members_purged_table, req->arena, &out);
    if (db_commit(&tx, err) < 0)
        return -1;
    *ret_removed = out.removed;
    *d->count.accounts_deleted += (uint64_t)out.accounts;
    return 0;
}

static int purge_patients(void *daemon, const struct request *req, struct uuid project,
                          int64_t rows, int64_t *ret_removed, struct error *err)
{
    struct authd *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *gone = NULL;
    struct sql_audit audit = account_audit(req, project);

    if (db_query(d->svc.db, req, SQL_PURGE_PATIENTS, &gone, err, DB_UUID(project), DB_INT(rows),
                 DB_AUDIT(audit)) < 0)
        return -1;
    *ret_removed = purge_removed(gone, req->arena);
    *d->count.accounts_deleted += (uint64_t)*ret_removed;
    return 0;
}

/* Sessions before accounts: an account takes its sessions along, however many those are. */
const struct purge_step authd_purge[] = {
    {"invitation", 1000, SQL_PURGE_INVITATIONS, NULL},
    {"session", 1000, SQL_PURGE_SESSIONS, NULL},
    {.table = "membership", .rows = 100, .page = purge_members},
    {.table = "account", .rows = 200, .page = purge_patients},
    {.table = NULL},
};

/* Deletes what is kept of a project, for a second at most; settingsd calls until nothing is
 * left. */
int project_purge(struct authd *d, const struct request *req, const struct project_purge_in *in,
                  struct project_purge_out *out, struct error *err)
{
    return purge_call(&d->svc, req, in->projectId, out, err);
}
