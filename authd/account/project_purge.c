/*
 * project_purge.c - see project_purge.h.
 */
#include "authd/account/project_purge.h"

#include "authd/authd.h"
#include "authd/sql/purge.h"

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

/* Locks the accounts first, so that the next statement sees all their memberships. */
static int purge_membership_page(void *daemon, const struct request *req, struct uuid project,
                                 int64_t rows, int64_t *ret_removed, struct error *err)
{
    struct authd *d = daemon;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_purge_member_lock_in lock = {.project = project, .most = rows};
    struct sql_purge_member_in in = {.project = project,
                                     .audit = membership_audit(req, project),
                                     .account = account_audit(req, project)};
    struct sql_purge_member_lock_rows locked;
    struct sql_purge_member_row row;

    *ret_removed = 0;
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_purge_member_lock(tx, req, &lock, &locked, err) < 0)
        return -1;
    in.accounts = db_array_new(req->arena, locked.count, sizeof(project.text));
    for (size_t i = 0; i < locked.count; i++)
        db_array_add(&in.accounts, locked.items[i].id.text);
    if (sql_purge_member(tx, req, &in, &row, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    *ret_removed = row.removed;
    *d->count.accounts_deleted += (uint64_t)row.accounts;
    return 0;
}

static int purge_patient_page(void *daemon, const struct request *req, struct uuid project,
                              int64_t rows, int64_t *ret_removed, struct error *err)
{
    struct authd *d = daemon;
    const struct sql_purge_patient_in in = {
        .project = project, .most = rows, .audit = account_audit(req, project)};
    struct sql_purge_patient_row row;

    if (sql_purge_patient(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    *ret_removed = row.removed;
    *d->count.accounts_deleted += (uint64_t)row.removed;
    return 0;
}

/* Sessions before accounts: deleting an account would delete them all in one statement. */
const struct purge_step authd_purge[] = {
    PURGE_STEP(invitation, 1000),
    PURGE_STEP(transfer_account, 1000),
    PURGE_STEP(fhir_server, 1000),
    PURGE_STEP(session, 1000),
    PURGE_STEP(api_key, 1000),
    PURGE_STEP(project_domain, 1000),
    PURGE_STEP(identity_provider, 1000),
    PURGE_STEP(scim_token, 1000),
    PURGE_STEP(scim_mapping, 1000),
    PURGE_STEP(scim_request, 1000),
    PURGE_STEP(scim_group, 100),
    PURGE_STEP(oauth_consent, 1000),
    PURGE_STEP(logout_delivery, 1000),
    {"membership", 100, .page = purge_membership_page},
    {"account", 200, .page = purge_patient_page},
    {.table = NULL},
};

/* Runs for at most a second; settingsd calls it until no row is left. */
int project_purge(struct authd *d, const struct request *req, const struct project_purge_in *in,
                  struct project_purge_out *out, struct error *err)
{
    return purge_call(&d->svc, req, in->projectId, out, err);
}
