/*
 * deletion.c - see deletion.h.
 *
 * One statement suspends and marks the project, and adds a row per service to project_deletion.
 * From then on no daemon finds it, and gateways reject its tokens. A task on each instance claims
 * rows under a lease and calls the services until a call finds nothing; then settingsd deletes the
 * project. After a crash the lease expires and the next call continues: repeated deletion is
 * harmless.
 */
#include "settingsd/deletion.h"

#include <string.h>

#include "authd/authd_api.h"
#include "botd/botd_api.h"
#include "common/base/clock.h"
#include "docd/docd_api.h"
#include "maild/maild_api.h"
#include "settingsd/project_api.h"
#include "settingsd/sql/deletion.h"
#include "settingsd/sql/project.h"
#include "settingsd/sql/purge.h"
#include "settingsd/tenant_api.h"

#define LAST_SERVICE "settingsd"

enum {
    CALL_MS = 6000,
    LEASE_MS = 10000, /* after this time, another instance continues */
    RETRY_MS = 1000,  /* after a failure */
    RUN_MS = 5000,
    BATCH = 4,      /* calls per run; a call takes a second */
    KEEP_DAYS = 30, /* for rows of completed deletions */
};

static const struct bus_method *const methods[] = {&authd_project_purge_method,
                                                   &botd_project_purge_method,
                                                   &docd_project_purge_method,
                                                   &maild_project_purge_method};

static const struct purge_step own_steps[] = {
    PURGE_STEP(setting_history, 1000),
    PURGE_STEP(access_policy, 500),
    PURGE_STEP(client, 500),
    {.table = NULL},
};

/* Runs in a transaction that prevents new children. */
static int check_no_children(struct db_tx *tx, const struct request *req,
                             const struct tenant *tenant, struct error *err)
{
    const struct sql_project_lock_in lock = {.project = tenant->rootId};
    const struct sql_project_below_in tree = {.project = tenant->projectId, .most = 2};
    struct sql_project_below_rows below;

    if (sql_project_lock(tx, req, &lock, err) < 0 ||
        sql_project_below_tx(tx, req, &tree, &below, err) < 0)
        return -1;
    if (below.count > 1)
        return error_set(err, ERR_CONFLICT, "The project has child projects. Delete them first.");
    return 0;
}

static struct db_array all_services(struct arena *arena)
{
    struct db_array names = db_array_new(arena, ARRAY_SIZE(methods) + 1, 16);

    for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
        db_array_add(&names, methods[i]->service);
    db_array_add(&names, LAST_SERVICE);
    return names;
}

/* Marks the project as being deleted. *ret_row: the outbox row that closes it everywhere. */
static int mark(struct settingsd *d, const struct request *req, const struct tenant *tenant,
                struct sql_outbox *ret_row, bool *ret_marked, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_project_deletion_begin_in begin = {
        .project = tenant->projectId,
        .now = req->now_ms,
        .services = all_services(req->arena),
        .outbox = publish_change_row(d, req, "project", tenant->projectId),
        .audit = project_audit(req, "project.delete", tenant->projectId, "begin")};
    int marked;

    *ret_row = begin.outbox;
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        check_no_children(tx, req, tenant, err) < 0 ||
        (marked = sql_project_deletion_begin(tx, req, &begin, err)) < 0)
        return -1;
    *ret_marked = marked > 0;
    return db_commit(&tx, err);
}

/* Closes a project permanently and starts its deletion; a repeated call returns the progress.
 * UNCERTAIN: not yet closed everywhere. */
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

/* Returns the progress, kept for a month after the end. */
int project_deletion(struct settingsd *d, const struct request *req,
                     const struct project_deletion_in *in, struct project_deletion *out,
                     struct error *err)
{
    const struct sql_project_deletion_list_in list = {.project = in->projectId};
    const struct deletion_part *parts;

    if (sql_require(sql_project_deletion_list(d->svc.db, req, &list, &out->parts, err), err,
                    ERR_NOT_FOUND, "The project is not being deleted.") < 0)
        return -1;
    out->projectId = in->projectId;
    out->done = true;
    parts = out->parts.items;
    for (size_t i = 0; i < out->parts.count; i++)
        out->done = out->done && parts[i].done;
    return 0;
}

static int finish(struct settingsd *d, const struct request *req, struct uuid project,
                  struct error *err)
{
    const struct sql_project_delete_in delete = {
        .project = project,
        .last_service = LAST_SERVICE,
        .now = clock_real_ms(),
        .outbox = publish_change_row(d, req, "project", project),
        .audit = project_audit(req, "project.delete", project, NULL)};

    return sql_project_delete(d->svc.db, req, &delete, err) < 0 ? -1 : 0;
}

static int purge_own(struct settingsd *d, const struct request *req, struct uuid project,
                     struct project_purge_out *out, struct error *err)
{
    if (purge_run(&d->svc, own_steps, req, project, out, err) < 0)
        return -1;
    return out->more || out->removed > 0 ? 0 : finish(d, req, project, err);
}

static int record_call(struct settingsd *d, const struct request *req,
                       const struct sql_project_deletion_claim_row *call,
                       const struct project_purge_out *out, const struct error *failure,
                       struct error *err)
{
    bool failed = failure->code != ERR_NONE;
    bool done = !failed && !out->more && out->removed == 0;
    int64_t now_ms = clock_real_ms();
    const struct sql_project_deletion_settle_in settle = {.project = call->project,
                                                          .service = call->service,
                                                          .removed = out->removed,
                                                          .try_at = failed ? now_ms + RETRY_MS : 0,
                                                          .done_at = done ? &now_ms : NULL,
                                                          .failure =
                                                              failed ? failure->message : NULL};

    return sql_project_deletion_settle(d->svc.db, req, &settle, err) < 0 ? -1 : 0;
}

/* Returns NULL for settingsd itself and unknown services. */
static const struct bus_method *find_method(const char *service)
{
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
        if (strcmp(service, methods[i]->service) == 0)
            return methods[i];
    return NULL;
}

/* Makes a call and records a failure. Skips services that only a newer release knows. */
static int make_call(struct settingsd *d, const struct sql_project_deletion_claim_row *call,
                     struct error *err)
{
    CLEANUP(service_request_destroy) struct request *req = service_request_new(&d->svc, CALL_MS);
    const struct project_purge_in in = {call->project};
    const struct bus_method *method = find_method(call->service);
    struct project_purge_out out = {0};
    struct error failure;
    int rc;

    error_init(&failure, req->arena);
    if (strcmp(call->service, LAST_SERVICE) == 0)
        rc = purge_own(d, req, call->project, &out, &failure);
    else if (method)
        rc = bus_call(d->svc.bus, method, req, &in, &out, &failure);
    else
        rc = error_set(&failure, ERR_UNAVAILABLE, "This build calls no such service.");
    if (rc == 0)
        error_clear(&failure);
    return record_call(d, req, call, &out, &failure, err);
}

/* Makes due calls. *ret_count: how many. */
static int run_batch(struct settingsd *d, size_t *ret_count, struct error *err)
{
    CLEANUP(service_request_destroy) struct request *req = service_request_new(&d->svc, CALL_MS);
    int64_t now_ms = clock_real_ms();
    const struct sql_project_deletion_claim_in claim = {.now = now_ms,
                                                        .lease_until = now_ms + LEASE_MS,
                                                        .last_service = LAST_SERVICE,
                                                        .most = BATCH};
    struct sql_project_deletion_claim_rows calls;

    if (sql_project_deletion_claim(d->svc.db, req, &claim, &calls, err) < 0)
        return -1;
    *ret_count = calls.count;
    for (size_t i = 0; i < calls.count && !d->svc.stopping; i++)
        if (make_call(d, &calls.items[i], err) < 0)
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
    const struct sql_project_deletion_expire_in expire = {
        .before = clock_real_ms() - DAYS(KEEP_DAYS), .most = BATCH};

    return sql_project_deletion_expire(d->svc.db, req, &expire, err) < 0 ? -1 : 0;
}

void deletion_start(struct settingsd *d)
{
    service_every(&d->svc, "project deletion", 1000, run_deletions);
    service_every(&d->svc, "deletions over", MINUTES(1), forget_deletions);
}
