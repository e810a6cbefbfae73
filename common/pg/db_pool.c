/*
 * db_pool.c - assigns statements to connections and opens more.
 *
 * A pool starts with one connection, and adds another when all were busy for DB_BUSY_MS. If there
 * is no server, it retries with back-off, and requests fail immediately. Pools share what they
 * learn about the server.
 */
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/pg/db_private.h"

int64_t db_conn_waits_ms(const struct db_conn *conn, int64_t now_ms)
{
    const struct db_call *first = TAILQ_FIRST(&conn->in_flight);

    if (!conn->ready || !first || first->kind == CALL_SCRIPT)
        return 0;
    return now_ms - MAX(first->sent_mono_ms, conn->heard_mono_ms);
}

/* True if the first call's statement recently got no lock. */
static bool is_trying(const struct db_conn *conn)
{
    const struct db_call *first = TAILQ_FIRST(&conn->in_flight);

    return first && first->tries;
}

/* Prefers the least busy connection; one whose first statement waits for a lock comes last. */
static struct db_conn *pool_pick(const struct db_pool *self)
{
    int64_t now_ms = loop_mono_ms(self->db->loop);
    struct db_conn *best = NULL;
    bool best_waits = false;

    for (size_t i = 0; i < self->max; i++) {
        struct db_conn *conn = &self->conns[i];
        bool waits = is_trying(conn) || db_conn_waits_ms(conn, now_ms) >= DB_STALL_MS;

        if (!conn->ready || conn->leased)
            continue;
        if (!best || (waits == best_waits ? conn->depth < best->depth : best_waits)) {
            best = conn;
            best_waits = waits;
        }
    }
    return best;
}

static void pool_timer(void *arg);

static void pool_at(struct db_pool *self, int64_t at_ms)
{
    loop_cancel(self->db->loop, &self->timer);
    self->timer = loop_at(self->db->loop, at_ms, pool_timer, self);
}

/* Opens another connection unless `best` (from pool_pick()) is idle, or becomes idle within
 * DB_BUSY_MS. */
static void pool_want(struct db_pool *self, const struct db_conn *best)
{
    if (best && best->depth == 0)
        return;
    if (!best || loop_mono_ms(self->db->loop) - best->busy_mono_ms >= DB_BUSY_MS)
        db_pool_grow(self);
    else if (!self->connecting && !self->timer)
        pool_at(self, best->busy_mono_ms + DB_BUSY_MS);
}

static void pool_timer(void *arg)
{
    struct db_pool *self = arg;

    self->timer = NULL;
    if (!self->connecting)
        pool_want(self, pool_pick(self));
    else if (self->connecting->pg || self->connecting->resolving)
        db_conn_lose(self->connecting); /* timeout */
    /* otherwise db_pool_open() starts it at the end of this turn */
}

void db_pool_init(struct db_pool *self, struct db *db, size_t max, size_t depth_max,
                  char *pg_options)
{
    *self = (struct db_pool){
        .db = db,
        .max = max,
        .depth_max = depth_max,
        .backoff_ms = DB_BACKOFF_MIN_MS,
        .pg_options = pg_options,
        .conns = memory_array(max, sizeof(*self->conns)),
    };
    TAILQ_INIT(&self->queue);
    for (size_t i = 0; i < max; i++) {
        struct db_conn *conn = &self->conns[i];

        conn->pool = self;
        conn->prepared = memory_array(db->statement_max, 1);
        TAILQ_INIT(&conn->in_flight);
    }
}

static bool server_is_down(const struct db *db)
{
    return !db_ready(db) && db_pools_failing(db);
}

bool db_pools_failing(const struct db *db)
{
    return db->read.failing || db->write.failing || db->vital.failing;
}

static void pool_refuse(struct db_pool *self)
{
    struct db_call *call;

    while ((call = TAILQ_FIRST(&self->queue))) {
        db_pool_dequeue(self, call);
        db_call_finish(self->db, call, CALL_DOWN);
    }
    fiber_queue_wake_all(&self->lessees);
}

void db_pool_close(struct db_pool *self)
{
    self->closing = true;
    for (size_t i = 0; i < self->max; i++) {
        if (self->conns[i].pg || self->conns[i].resolving)
            db_conn_lose(&self->conns[i]);
        free(self->conns[i].prepared);
    }
    pool_refuse(self);
    loop_cancel(self->db->loop, &self->timer);
    free(self->conns);
    free(self->pg_options);
}

bool db_pool_grow(struct db_pool *self)
{
    int64_t now_ms = loop_mono_ms(self->db->loop);
    struct db_conn *conn = NULL;

    if (self->connecting)
        return true;
    if (now_ms < self->retry_at_ms)
        return false;
    for (size_t i = 0; i < self->max && !conn; i++)
        if (!self->conns[i].pg)
            conn = &self->conns[i];
    if (!conn)
        return false;
    self->connecting = conn;
    return true;
}

void db_pool_open(struct db_pool *self)
{
    int64_t limit_ms = self->db->hosts.count > 1 ? DB_HOST_MS : DB_CONNECT_MS;
    struct db_conn *conn = self->connecting;

    if (!conn || conn->pg)
        return;
    if (!conn->resolving)
        pool_at(self, loop_mono_ms(self->db->loop) + DB_RESOLVE_MS);
    if (db_conn_open(conn) && self->connecting == conn)
        pool_at(self, loop_mono_ms(self->db->loop) + limit_ms);
}

void db_pool_dispatch(struct db_pool *self)
{
    struct db_call *call;

    while ((call = TAILQ_FIRST(&self->queue))) {
        struct db_conn *conn = pool_pick(self);

        if (!db_gate_passes(self, call)) {
            db_pool_dequeue(self, call);
            db_call_finish(self->db, call, CALL_HELD);
            continue;
        }
        pool_want(self, conn);
        if (!conn || conn->depth >= self->depth_max)
            break;
        db_pool_dequeue(self, call);
        db_conn_send(conn, call);
    }
    for (size_t i = 0; i < self->max; i++)
        db_conn_flush(&self->conns[i]);
}

void db_pool_dequeue(struct db_pool *self, struct db_call *call)
{
    TAILQ_REMOVE(&self->queue, call, link);
    self->queued--;
}

int db_pool_check(const struct db_pool *self, struct error *err)
{
    if (server_is_down(self->db) || self->closing)
        return error_retry(err, ERR_UNAVAILABLE, 1, "The database cannot be reached.");
    return 0;
}

static size_t pool_gated(const struct db_pool *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->max; i++)
        count += !self->conns[i].leased && is_trying(&self->conns[i]);
    return count;
}

/* Leaves one connection of a larger pool unleased, so that statements get through. A busy
 * connection can be leased, since the pipeline keeps order, but a new one is better. */
struct db_conn *db_pool_lease(struct db_pool *self)
{
    struct db_conn *conn = pool_pick(self);

    if (!conn || conn->depth > 0)
        if (db_pool_grow(self))
            return NULL;
    if (!conn || (self->max > 1 && self->leased + pool_gated(self) + 1 >= self->max))
        return NULL;
    conn->leased = true;
    self->leased++;
    return conn;
}

void db_pool_release(struct db_conn *conn)
{
    conn->leased = false;
    conn->tx = NULL;
    conn->pool->leased--;
    fiber_queue_wake_one(&conn->pool->lessees);
}

/* Ends the back-off after another pool found a server, but not the pause after an own connection: a
 * server that drops each one would get endless attempts. */
static void pool_encourage(struct db_pool *self)
{
    self->backoff_ms = DB_BACKOFF_MIN_MS;
    self->retry_at_ms = MIN(self->retry_at_ms, self->connected_at_ms + DB_BACKOFF_MIN_MS);
    if (self->ready == 0 && !self->connecting)
        pool_at(self, MAX(loop_mono_ms(self->db->loop), self->retry_at_ms));
}

void db_pool_connected(struct db_conn *conn)
{
    struct db_pool *self = conn->pool;
    struct db_pool *const pools[] = DB_POOLS(self->db);

    self->connecting = NULL;
    self->tried = 0;
    self->db->preferred = conn->host;
    self->ready++;
    if (self->failing)
        log_event(LOG_NOTICE, "db", "connected again", NULL);
    self->failing = false;
    for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
        if (pools[i] != self)
            pool_encourage(pools[i]);
    self->backoff_ms = DB_BACKOFF_MIN_MS;
    self->connected_at_ms = loop_mono_ms(self->db->loop);
    loop_cancel(self->db->loop, &self->timer);
    ++*self->db->count_connects;
    fiber_queue_wake_all(&self->lessees);
}

/* Doubles the pause, with jitter so that instances do not synchronize. */
static int64_t pool_pause(struct db_pool *self)
{
    int64_t pause_ms = self->backoff_ms / 2 + rand_r(&self->db->jitter) % self->backoff_ms;

    self->backoff_ms = MIN(2 * self->backoff_ms, (int64_t)DB_BACKOFF_MAX_MS);
    return MIN(pause_ms, (int64_t)DB_BACKOFF_MAX_MS);
}

static void pool_missed(struct db_pool *self, int64_t now_ms)
{
    if (++self->tried < self->db->hosts.count) {
        self->retry_at_ms = now_ms;
        return;
    }
    self->tried = 0;
    self->retry_at_ms = now_ms + pool_pause(self);
    self->failing = self->ready == 0;
}

void db_pool_lost(struct db_conn *conn, bool was_ready)
{
    struct db_pool *self = conn->pool;
    struct db_pool *const pools[] = DB_POOLS(self->db);
    int64_t now_ms = loop_mono_ms(self->db->loop);

    if (was_ready) {
        self->ready--;
        self->db->stats.reconnects++;
        /* Also pauses for a server that accepts each new connection and then drops it. */
        self->retry_at_ms = MAX(self->retry_at_ms, self->connected_at_ms + DB_BACKOFF_MIN_MS);
    } else {
        self->connecting = NULL;
        loop_cancel(self->db->loop, &self->timer);
        pool_missed(self, now_ms);
    }
    if (self->closing)
        return;
    if (server_is_down(self->db))
        for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
            pool_refuse(pools[i]);
    else
        fiber_queue_wake_all(&self->lessees);
    if (self->ready == 0 && !self->connecting)
        pool_at(self, MAX(now_ms, self->retry_at_ms));
}

/* ---- failover ---- */

void db_pool_promoted(struct db *db, int64_t timeline)
{
    struct db_pool *const pools[] = DB_POOLS(db);

    db->timeline = timeline;
    for (size_t i = 0; i < ARRAY_SIZE(pools); i++) {
        for (size_t j = 0; j < pools[i]->max; j++) {
            struct db_conn *conn = &pools[i]->conns[j];

            if (conn->ready && conn->timeline > 0 && conn->timeline < timeline)
                db_conn_lose(conn);
        }
    }
}

void db_pool_host_gone(struct db *db, size_t host, int64_t since_ms)
{
    struct db_pool *const pools[] = DB_POOLS(db);

    log_event(LOG_WARNING, "db", "the host of the server does not answer", NULL);
    for (size_t i = 0; i < ARRAY_SIZE(pools); i++) {
        for (size_t j = 0; j < pools[i]->max; j++) {
            struct db_conn *conn = &pools[i]->conns[j];

            if (conn->ready && conn->host == host && conn->heard_mono_ms <= since_ms)
                db_conn_lose(conn);
        }
    }
}

static bool is_silent(const struct db_conn *conn, int64_t now_ms)
{
    int64_t limit_ms = conn->pool->db->options->statement_timeout_ms + DB_SILENCE_MS;

    return db_conn_waits_ms(conn, now_ms) >= limit_ms;
}

/* Only reads prove that the server hangs, since a commit can wait for a standby. TCP notices a lost
 * host, but not one that hangs. */
void db_pool_probe(struct db *db, const struct db_call *call)
{
    struct db_pool *const pools[] = DB_POOLS(db);
    int64_t now_ms = loop_mono_ms(db->loop);

    if (call->conn->pool == &db->write || !is_silent(call->conn, now_ms))
        return;
    log_event(LOG_WARNING, "db", "the server does not answer", NULL);
    for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
        for (size_t j = 0; j < pools[i]->max; j++)
            if (is_silent(&pools[i]->conns[j], now_ms))
                db_conn_lose(&pools[i]->conns[j]);
}
