/*
 * change.c - see change.h. Also the handler gateway_lease (gateway).
 */
#include "authd/session/change.h"

#include <string.h>

#include "authd/operation_api.h"
#include "authd/sql/change.h"

enum {
    ANNOUNCE_MAX = 64,      /* per request; lease renewal delivers more */
    CHANGES_PAGE = 5000,    /* rows per answer; a sequence number has at most 4,000 */
    SETTLE_MS = 5000,       /* after this, gateways without a newer lease reject all tokens */
    SETTLE_STEP_MS = 50,    /* between checks of the leases */
    LEASE_DEAD_MS = 6000,   /* since the last lease renewal; more than SETTLE_MS */
    LEASES_MAX = 256,       /* as in lease_list.sql and lease_behind.sql */
    GATEWAY_NAME_SIZE = 65, /* the field takes 64 */
};

struct announcement_batch {
    struct bus_announcement *items[ANNOUNCE_MAX];
    size_t count;
};

static void batch_destroy(struct announcement_batch *self)
{
    for (size_t i = 0; i < self->count; i++)
        bus_announce_destroy(&self->items[i]);
}

/* Reports if a gateway has acknowledged the batch. Without an announcement, only lease renewal
 * counts. */
static bool batch_acked(const struct announcement_batch *self, const char *gateway)
{
    for (size_t i = 0; i < self->count; i++) {
        if (!bus_announce_acked(self->items[i], gateway))
            return false;
    }
    return self->count > 0;
}

static int batch_wait(struct authd *d, struct announcement_batch *self, int64_t until_mono_ms,
                      struct error *err)
{
    for (size_t i = 0; i < self->count; i++) {
        if (!bus_announce_complete(self->items[i])) {
            bus_announce_wait(self->items[i], until_mono_ms);
            return 0;
        }
    }
    return fiber_sleep_until(d->svc.loop, until_mono_ms, err);
}

/* Returns 1 if a gateway with a lease lacks the change. */
static int gateway_behind(struct authd *d, const struct request *req, int64_t sequence,
                          const struct announcement_batch *batch, struct error *err)
{
    const struct sql_lease_behind_in in = {.sequence = sequence};
    struct sql_lease_behind_rows behind;

    if (sql_lease_behind(d->svc.db, req, &in, &behind, err) < 0)
        return -1;
    for (size_t i = 0; i < behind.count; i++) {
        if (!batch_acked(batch, behind.items[i].gateway))
            return 1;
    }
    return 0;
}

int invalidation_wait(struct authd *d, const struct request *req, int64_t sequence,
                      const struct change *changes, size_t count, struct error *err)
{
    CLEANUP(batch_destroy) struct announcement_batch batch = {.count = 0};
    int64_t deadline = clock_mono_ms() + SETTLE_MS;

    for (size_t i = 0; i < count && count <= ANNOUNCE_MAX; i++)
        batch.items[batch.count++] = bus_announce(d->svc.bus, "change", &change_table, &changes[i]);
    for (;;) {
        int behind = gateway_behind(d, req, sequence, &batch, err);
        int64_t now = clock_mono_ms();

        if (behind <= 0)
            return behind;
        if (now >= deadline) {
            log_event(LOG_WARNING, "change", "a gateway did not learn of a change in time", "trace",
                      req->trace, NULL);
            return 0;
        }
        if (batch_wait(d, &batch, MIN(now + SETTLE_STEP_MS, deadline), err) < 0)
            return -1;
    }
}

int change_top(struct authd *d, const struct request *req, int64_t *ret, struct error *err)
{
    struct sql_change_top_row row;

    if (sql_change_top(d->svc.db, req, &row, err) < 0)
        return -1;
    *ret = row.sequence;
    return 0;
}

/* ---- leases ---- */

/* Renews the lease, or begins one under a lock, so that it misses no change. */
static int lease_acquire(struct authd *d, const struct request *req,
                         const struct gateway_lease_in *in, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_lease_renew_in renew = {
        .gateway = in->gateway, .boot = in->boot, .sequence = in->since};
    const struct sql_lease_begin_in begin = {
        .gateway = in->gateway, .boot = in->boot, .sequence = in->since, .now = req->now_ms};
    struct sql_lease_lock_row locked;
    int renewed = sql_lease_renew(d->svc.db, req, &renew, err);

    if (renewed != 0)
        return MIN(renewed, 0);
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_lease_lock(tx, req, &locked, err) < 0 || sql_lease_begin(tx, req, &begin, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Fills a page of changes, without splitting those of one sequence number. */
static void changes_fill(const struct sql_change_since_rows *rows, struct arena *arena,
                         struct gateway_lease_out *out)
{
    struct change *list = arena_calloc(arena, rows->count, sizeof(*list));
    int64_t last = rows->items[rows->count - 1].change->sequence;
    size_t count = 0;

    out->sequence = rows->items[0].top;
    out->more = rows->count > CHANGES_PAGE;
    for (size_t i = 0; i < rows->count && rows->items[i].change->kind; i++) {
        if (out->more && rows->items[i].change->sequence == last)
            break;
        list[count++] = *rows->items[i].change;
    }
    if (out->more)
        out->sequence = list[count - 1].sequence;
    out->changes = (struct field_list){list, count};
}

int gateway_lease(struct authd *d, const struct request *req, const struct gateway_lease_in *in,
                  struct gateway_lease_out *out, struct error *err)
{
    const struct sql_change_since_in since = {
        .since = in->since, .now = req->now_ms, .most = CHANGES_PAGE + 1};
    struct sql_change_since_rows rows;

    if (lease_acquire(d, req, in, err) < 0 ||
        sql_require(sql_change_since(d->svc.db, req, &since, &rows, err), err, ERR_INTERNAL,
                    "The row of the change counter is missing.") < 0)
        return -1;
    changes_fill(&rows, req->arena, out);
    return 0;
}

/* A lease, and since when it is unchanged. */
struct lease_seen {
    char gateway[GATEWAY_NAME_SIZE];
    int64_t renewals, since_mono_ms;
};

struct lease_watch {
    struct lease_seen seen[LEASES_MAX];
    size_t count;
};

void lease_watch_open(struct authd *d)
{
    d->leases = arena_alloc(d->svc.arena, sizeof(*d->leases));
}

static int64_t still_since(const struct lease_watch *watch, const char *gateway, int64_t renewals,
                           int64_t now)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (strcmp(watch->seen[i].gateway, gateway) == 0)
            return watch->seen[i].renewals == renewals ? watch->seen[i].since_mono_ms : now;
    }
    return now;
}

static int lease_drop(struct authd *d, const struct request *req, const struct lease_seen *seen,
                      struct error *err)
{
    const struct sql_lease_drop_in drop = {.gateway = seen->gateway, .renewals = seen->renewals};
    int dropped = sql_lease_drop(d->svc.db, req, &drop, err);

    if (dropped > 0)
        log_event(LOG_NOTICE, "change", "a gateway's lease has expired", "gateway", seen->gateway,
                  NULL);
    return MIN(dropped, 0);
}

int lease_watch_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;
    struct lease_watch *next = arena_alloc(req->arena, sizeof(*next));
    struct sql_lease_list_rows rows;
    int64_t now;

    if (sql_lease_list(d->svc.db, req, &rows, err) < 0)
        return -1;
    now = clock_mono_ms();
    for (size_t i = 0; i < rows.count; i++) {
        struct lease_seen *seen = &next->seen[next->count++];

        strncpy(seen->gateway, rows.items[i].gateway, sizeof(seen->gateway) - 1);
        seen->renewals = rows.items[i].renewals;
        seen->since_mono_ms = still_since(d->leases, seen->gateway, seen->renewals, now);
    }
    *d->leases = *next;
    for (size_t i = 0; i < next->count; i++) {
        if (now - next->seen[i].since_mono_ms > LEASE_DEAD_MS &&
            lease_drop(d, req, &next->seen[i], err) < 0)
            return -1;
    }
    return 0;
}
