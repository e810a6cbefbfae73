/*
 * deletion.c - see deletion.h.
 *
 * The project is suspended and marked by one statement, together with a row for each service in
 * project_deletion. From then on no daemon finds it, and gateways refuse its tokens. A task of
 * every instance claims rows under a lease and calls the services, until a call of each has found
 * nothing; then settingsd deletes the project. Wherever a process dies, the lease runs out and the
 * next call goes on: deleting what is gone is harmless.
 */
#include "settingsd/deletion.h"

#include <string.h>

#include "authd/authd_api.h"
#include "botd/botd_api.h"
#include "docd/docd_api.h"
#include "maild/maild_api.h"
#include "settingsd/settingsd_api.h"

#define LAST_SERVICE "settingsd"

enum {
    CALL_MS = 6000,
    LEASE_MS = 10000, /* what a dead instance has begun goes on after that */
    RETRY_MS = 1000,  /* after a failure */
    RUN_MS = 5000,
    BATCH = 4,      /* calls of a second each */
    KEEP_DAYS = 30, /* rows of deletions that are over */
};

/* A call that is due. */
struct due_call {
    struct uuid projectId;
    const char *service;
};
static const struct field due_call_rows[] = {
    FIELD_UUID(struct due_call, projectId, FIELD_REQUIRED, "Project"),
    FIELD_TEXT(struct due_call, service, 1, 64, FIELD_REQUIRED, "Service", "docd"),
};
static FIELD_TABLE(due_call);

static const char services[] = "{authd,botd,docd,maild," LAST_SERVICE "}";
static const struct bus_method *const methods[] = {&authd_project_purge_method,
                                                   &botd_project_purge_method,
                                                   &docd_project_purge_method,
                                                   &maild_project_purge_method};

static const struct purge_step own_steps[] = {
    {"setting_history", 1000, SQL_PURGE_HISTORY, NULL},
    {"access_policy", 500, SQL_PURGE_POLICIES, NULL},
    {"client", 500, SQL_PURGE_CLIENTS, NULL},
    {.table = NULL},
};

/* ---- asking for it ---- */

/* Within a transaction that keeps children from being made. */
static int check_no_children(struct db_tx *tx, const struct tenant *tenant, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *locked = NULL, *below = NULL;

    if (db_tx_query(tx, SQL_PROJECT_LOCK, &locked, err, DB_UUID(tenant->rootId)) < 0 ||
        db_tx_query(tx, SQL_PROJECT_BELOW, &below, err, DB_UUID(tenant->projectId), DB_INT(2)) < 0)
        return -1;
    if (db_rows(below) > 1)
        return error_set(err, ERR_CONFLICT,
                         "The project has child projects: delete those before it.");
    return 0;
}

/* Marks the project within one transaction; *ret_row: the message that closes it everywhere. */
static int mark(struct settingsd *d, const struct request *req, const struct tenant *tenant,
                struct sql_outbox *ret_row, bool *ret_marked, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_audit audit = project_audit(req, "project.delete", tenant->projectId, "begin");

    *ret_row = publish_change_row(d, req, "project", tenant->projectId);
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        check_no_children(tx, tenant, err) < 0 ||
        db_tx_query(tx, SQL_PROJECT_DELETING, &res, err, DB_UUID(tenant->projectId),
                    DB_INT(req->now_ms), DB_TEXT(services), DB_OUTBOX(*ret_row),
                    DB_AUDIT(audit)) < 0)
        return -1;
    *ret_marked = db_rows(res) > 0;
    return db_commit(&tx, err);
}

/* Closes a project for ever and begins to delete what is kept of it; repeated, it says how far that
 * is. Fails: NOT_FOUND, CONFLICT (it has child projects), UNCERTAIN (begun, but not yet closed
 * everywhere). */
int project_delete(struct settingsd *d, const struct request *req,
                   const struct project_delete_in *in, struct project_deletion *out,
                   struct error *err)
{
    struct tenant tenant = {0};
    struct sql_outbox row;
    bool marked = false;

    if (project_find(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    if (!tenant.deleting && mark(d, req, &tenant, &row, &marked, err) < 0)
        return -1;
    if (marked && publish_change(d, req, &row, "project", tenant.projectId, err) < 0)
        return -1;
    if (project_deletion(d, req, &(struct project_deletion_in){tenant.projectId}, out, err) < 0)
        return -1;
    out->tenantCode = tenant.tenantCode;
    return 0;
}

/* How far a deletion is, up to a month after its end. Fails: NOT_FOUND. */
int project_deletion(struct settingsd *d, const struct request *req,
                     const struct project_deletion_in *in, struct project_deletion *out,
                     struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const struct deletion_part *parts;

    if (db_query(d->svc.db, req, SQL_PROJECT_DELETION, &res, err, DB_UUID(in->projectId)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_NOT_FOUND, "The project is not being deleted.");
    out->projectId = in->projectId;
    out->parts = db_list(res, &deletion_part_table, req->arena);
    out->done = true;
    parts = out->parts.items;
    for (size_t i = 0; i < out->parts.count; i++)
        out->done = out->done && parts[i].done;
    return 0;
}

/* ---- carrying it out ---- */

/* What is left in the end: the project, and its code. */
static int finish(struct settingsd *d, const struct request *req, struct uuid project,
                  struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_audit audit = project_audit(req, "project.delete", project, NULL);
    struct sql_outbox row = publish_change_row(d, req, "project", project);

    return db_query(d->svc.db, req, SQL_PROJECT_DELETE, &res, err, DB_UUID(project),
                    DB_TEXT(LAST_SERVICE), DB_INT(clock_real_ms()), DB_OUTBOX(row),
                    DB_AUDIT(audit));
}

static int purge_own(struct settingsd *d, const struct request *req, struct uuid project,
                     struct project_purge_out *out, struct error *err)
{
    if (purge_run(&d->svc, own_steps, req, project, out, err) < 0)
        return -1;
    return out->more || out->removed > 0 ? 0 : finish(d, req, project, err);
}

/* Records what a call has come to. */
static int settle(struct settingsd *d, const struct request *req, const struct due_call *call,
                  const struct project_purge_out *out, const struct error *failure,
                  struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    bool failed = failure->code != ERR_NONE;
    bool done = !failed && !out->more && out->removed == 0;
    int64_t now_ms = clock_real_ms();

    return db_query(d->svc.db, req, SQL_PROJECT_DELETION_SETTLE, &res, err,
                    DB_UUID(call->projectId), DB_TEXT(call->service), DB_INT(out->removed),
                    DB_INT(failed ? now_ms + RETRY_MS : 0), done ? DB_INT(now_ms) : DB_NULL,
                    DB_TEXT(failed ? failure->message : NULL));
}

/* One call; what it fails with is recorded. */
static int make_call(struct settingsd *d, const struct due_call *call, struct error *err)
{
    CLEANUP(service_request_destroy) struct request *req = service_request_new(&d->svc, CALL_MS);
    const struct project_purge_in in = {call->projectId};
    struct project_purge_out out = {0};
    struct error failure;
    int rc = -1;

    error_init(&failure, req->arena);
    if (strcmp(call->service, LAST_SERVICE) == 0)
        rc = purge_own(d, req, call->projectId, &out, &failure);
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
        if (strcmp(call->service, methods[i]->service) == 0)
            rc = bus_call(d->svc.bus, methods[i], req, &in, &out, &failure);
    if (rc == 0)
        error_clear(&failure);
    return settle(d, req, call, &out, &failure, err);
}

/* Claims calls that are due and makes them; *ret_count: how many those were. */
static int run_batch(struct settingsd *d, size_t *ret_count, struct error *err)
{
    CLEANUP(service_request_destroy) struct request *req = service_request_new(&d->svc, CALL_MS);
    CLEANUP(db_result_destroy) struct db_result *claimed = NULL;
    int64_t now_ms = clock_real_ms();
    const struct due_call *calls;

    if (db_query(d->svc.db, req, SQL_PROJECT_DELETION_CLAIM, &claimed, err, DB_INT(now_ms),
                 DB_INT(now_ms + LEASE_MS), DB_TEXT(LAST_SERVICE), DB_INT(BATCH)) < 0)
        return -1;
    *ret_count = db_rows(claimed);
    calls = db_list(claimed, &due_call_table, req->arena).items;
    for (size_t i = 0; i < *ret_count && !d->svc.stopping; i++)
        if (make_call(d, &calls[i], err) < 0)
            return -1;
    return 0;
}

static int run_deletions(void *daemon, const struct request *req UNUSED, struct error *err)
{
    struct settingsd *d = daemon;
    int64_t until_ms = clock_mono_ms() + RUN_MS;
    size_t count;

    do {
        if (run_batch(d, &count, err) < 0)
            return -1;
    } while (count > 0 && !d->svc.stopping && clock_mono_ms() < until_ms);
    return 0;
}

static int forget_deletions(void *daemon, const struct request *req, struct error *err)
{
    struct settingsd *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    return db_query(d->svc.db, req, SQL_PROJECT_DELETION_FORGET, &res, err,
                    DB_INT(clock_real_ms() - (int64_t)KEEP_DAYS * 24 * 3600 * 1000), DB_INT(BATCH));
}

void deletion_start(struct settingsd *d)
{
    service_every(&d->svc, "project deletion", 1000, run_deletions);
    service_every(&d->svc, "deletions over", 60 * 1000, forget_deletions);
}
