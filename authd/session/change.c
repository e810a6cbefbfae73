/*
 * change.c - see change.h.  The handlers gateway_lease (gateway) and change_publish (settingsd) are
 * here too.
 */
#include "authd/session/change.h"

#include <string.h>

#include "authd/authd_api.h"

enum {
    ANNOUNCE_MAX = 64,      /* of one request; the rest reaches gateways by their next renewal */
    CHANGES_PAGE = 5000,    /* rows of one lease answer; a sequence number has at most 4,000 */
    SETTLE_MS = 5000,       /* a lease older than that is none: the gateway refuses by itself */
    SETTLE_STEP_MS = 50,    /* between two looks at the leases while no gateway acknowledges */
    LEASE_DEAD_MS = 6000,   /* a row that stood still for longer; more than SETTLE_MS */
    LEASES_MAX = 256,       /* the limit in SQL_LEASE_LIST and SQL_LEASE_BEHIND */
    GATEWAY_NAME_SIZE = 65, /* the field takes 64 */
};

/* The announcements of one request, destroyed together. */
struct news {
    struct bus_announcement *items[ANNOUNCE_MAX];
    size_t count;
};

static void news_destroy(struct news *self)
{
    for (size_t i = 0; i < self->count; i++)
        bus_announce_destroy(&self->items[i]);
}

/* A gateway has heard of nothing when nothing was announced: then only its renewal counts. */
static bool news_heard(const struct news *self, const char *gateway)
{
    for (size_t i = 0; i < self->count; i++) {
        if (!bus_announce_acked(self->items[i], gateway))
            return false;
    }
    return self->count > 0;
}

/* Parks until an acknowledgement comes, or it is time to look at the leases again. */
static int news_wait(struct authd *d, struct news *self, int64_t until_mono_ms, struct error *err)
{
    for (size_t i = 0; i < self->count; i++) {
        if (!bus_announce_complete(self->items[i])) {
            bus_announce_wait(self->items[i], until_mono_ms);
            return 0;
        }
    }
    return fiber_sleep_until(d->svc.loop, until_mono_ms, err);
}

/* 1 when a gateway has a lease but not yet the change, 0 when none has, -1 on failure. */
static int gateway_behind(struct authd *d, const struct request *req, int64_t sequence,
                          const struct news *news, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_LEASE_BEHIND, &res, err, DB_INT(sequence)) < 0)
        return -1;
    for (size_t row = 0; row < db_rows(res); row++) {
        if (!news_heard(news, db_text(res, row, 0)))
            return 1;
    }
    return 0;
}

int invalidation_wait(struct authd *d, const struct request *req, int64_t sequence,
                      const struct change *changes, size_t count, struct error *err)
{
    CLEANUP(news_destroy) struct news news = {.count = 0};
    int64_t deadline = clock_mono_ms() + SETTLE_MS;

    for (size_t i = 0; i < count && count <= ANNOUNCE_MAX; i++)
        news.items[news.count++] = bus_announce(d->svc.bus, "change", &change_table, &changes[i]);
    for (;;) {
        int behind = gateway_behind(d, req, sequence, &news, err);
        int64_t now = clock_mono_ms();

        if (behind <= 0)
            return behind;
        if (now >= deadline) {
            log_event(LOG_WARNING, "change", "a gateway did not hear of a change in time", "trace",
                      req->trace, NULL);
            return 0;
        }
        if (news_wait(d, &news, MIN(now + SETTLE_STEP_MS, deadline), err) < 0)
            return -1;
    }
}

int change_top(struct authd *d, const struct request *req, int64_t *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_CHANGE_TOP, &res, err) < 0)
        return -1;
    *ret = db_int(res, 0, 0);
    return 0;
}

/* The ids of all that changed, as an array of uuids. */
static int publish_ids(struct arena *arena, const struct change_publish_in *in,
                       struct db_array *ret, struct error *err)
{
    struct uuid id;

    *ret = db_array_new(arena, in->others.count + 1, sizeof(id.text));
    db_array_add(ret, in->id.text);
    for (size_t i = 0; i < in->others.count; i++) {
        if (uuid_parse(in->others.items[i], &id) < 0)
            return error_set(err, ERR_BAD_REQUEST, "An id is not a uuid.");
        db_array_add(ret, id.text);
    }
    return 0;
}

/* Tells every gateway that a policy or projects changed; answers when all of them know. */
int change_publish(struct authd *d, const struct request *req, const struct change_publish_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct change *changes;
    struct db_array ids;

    if (publish_ids(req->arena, in, &ids, err) < 0 ||
        db_query(d->svc.db, req, SQL_CHANGE_PUBLISH, &res, err, DB_TEXT(in->kind),
                 DB_TEXT(ids.text), DB_INT(req->now_ms + CHANGE_EVENT_LIFE)) < 0)
        return -1;
    changes = arena_calloc(req->arena, db_rows(res), sizeof(*changes));
    for (size_t row = 0; row < db_rows(res); row++)
        changes[row] = (struct change){
            .sequence = db_int(res, row, 0), .kind = in->kind, .id = db_uuid(res, row, 1)};
    return invalidation_wait(d, req, changes[0].sequence, changes, db_rows(res), err);
}

/* ---- leases ---- */

/* Renews the lease, or begins one under the lock that keeps changes from slipping past it. */
static int lease_acquire(struct authd *d, const struct request *req,
                         const struct gateway_lease_in *in, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *renewed = NULL;
    CLEANUP(db_result_destroy) struct db_result *locked = NULL;
    CLEANUP(db_result_destroy) struct db_result *begun = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;

    if (db_query(d->svc.db, req, SQL_LEASE_RENEW, &renewed, err, DB_TEXT(in->gateway),
                 DB_TEXT(in->boot), DB_INT(in->since)) < 0)
        return -1;
    if (db_affected(renewed) > 0)
        return 0;
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_LEASE_LOCK, &locked, err) < 0 ||
        db_tx_query(tx, SQL_LEASE_BEGIN, &begun, err, DB_TEXT(in->gateway), DB_TEXT(in->boot),
                    DB_INT(in->since), DB_INT(req->now_ms)) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Rows of SQL_CHANGES_SINCE to the answer. A full page ends between two numbers, never within
 * one. */
static void changes_fill(const struct db_result *res, struct arena *arena,
                         struct gateway_lease_out *out)
{
    size_t rows = db_rows(res);
    struct change *list = arena_calloc(arena, rows, sizeof(*list));
    size_t count = 0;

    out->sequence = db_int(res, 0, 0);
    out->more = rows > CHANGES_PAGE;
    for (size_t row = 0; row < rows && !db_is_null(res, row, 1); row++) {
        if (out->more && db_int(res, row, 1) == db_int(res, rows - 1, 1))
            break;
        list[count] = (struct change){.sequence = db_int(res, row, 1),
                                      .kind = arena_strdup(arena, db_text(res, row, 2)),
                                      .id = db_uuid(res, row, 3),
                                      .token = db_uuid(res, row, 4)};
        if (strcmp(list[count].kind, "session") == 0)
            list[count].until = db_int(res, row, 5);
        count++;
    }
    if (out->more)
        out->sequence = list[count - 1].sequence;
    out->changes = (struct field_list){list, count};
}

/* Renews a gateway's lease and answers the changes that it has not yet. */
int gateway_lease(struct authd *d, const struct request *req, const struct gateway_lease_in *in,
                  struct gateway_lease_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (lease_acquire(d, req, in, err) < 0)
        return -1;
    if (db_query(d->svc.db, req, SQL_CHANGES_SINCE, &res, err, DB_INT(in->since),
                 DB_INT(req->now_ms), DB_INT(CHANGES_PAGE + 1)) < 0)
        return -1;
    changes_fill(res, req->arena, out);
    return 0;
}

/* What this instance saw of a lease, and since when it has not moved. */
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
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_LEASE_DROP, &res, err, DB_TEXT(seen->gateway),
                 DB_INT(seen->renewals)) < 0)
        return -1;
    if (db_affected(res) > 0)
        log_event(LOG_NOTICE, "change", "the lease of a gateway ran out", "gateway", seen->gateway,
                  NULL);
    return 0;
}

int lease_watch_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct lease_watch *next = arena_alloc(req->arena, sizeof(*next));
    int64_t now;

    if (db_query(d->svc.db, req, SQL_LEASE_LIST, &res, err) < 0)
        return -1;
    now = clock_mono_ms();
    for (size_t row = 0; row < db_rows(res); row++) {
        struct lease_seen *seen = &next->seen[next->count++];

        strncpy(seen->gateway, db_text(res, row, 0), sizeof(seen->gateway) - 1);
        seen->renewals = db_int(res, row, 1);
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
