/*
 * db_conn.c - one connection to PostgreSQL: connecting, sending, receiving, loss.
 *
 * After an error the server skips to the next Sync. Writes, commands and first uses of a statement
 * have their own Sync. A turn's reads share one, which saves work on both sides; reads skipped
 * after another's error are sent again alone. libpq 15 flushes at each Sync. With several servers,
 * each new connection asks for the timeline and rejects a former primary's. resolver.h resolves
 * host names, since PQconnectStart() would block.
 */
#include <errno.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/pg/db_private.h"

static void conn_lose_because(struct db_conn *self, const char *why);
static void on_connect(void *arg, short revents);
static void on_timeline(void *arg, short revents);
static void on_ready(void *arg, short revents);

/* ---- connecting ---- */

/* Notes a cancelled wait of a commit for a standby (recognised by its function, since texts are
 * localized), and a migration's report. */
static void on_notice(void *arg, const PGresult *result)
{
    struct db_conn *self = arg;
    const char *from = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    if (from && strcmp(from, "SyncRepWaitForLSN") == 0)
        self->unreplicated = true;
    if (state && strcmp(state, MIGRATION_WARNING) == 0)
        log_event(LOG_WARNING, "db", "a migration warns", "seen",
                  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY), NULL);
}

static void conn_watch(struct db_conn *self, short events, void (*fn)(void *arg, short revents))
{
    self->fd = PQsocket(self->pg);
    self->watched = events;
    loop_watch(self->pool->db->loop, self->fd, events, fn, self);
}

static void conn_unwatch(struct db_conn *self)
{
    if (self->watched)
        loop_unwatch(self->pool->db->loop, self->fd);
    self->watched = 0;
}

static void conn_start(struct db_conn *self, const struct db_target *target)
{
    const struct db *db = self->pool->db;
    /* Values before "dbname" (the connection string) are defaults; those after it override. */
    const char *const keywords[] = {
        "target_session_attrs", "tcp_user_timeout", /* a silent host counts as lost after 5 s */
        "keepalives_idle",      "dbname",           "host",    "hostaddr", "port",
        "application_name",     "client_encoding",  "options", NULL};
    const char *const values[] = {"read-write", "5000",
                                  "10",         db->options->conninfo,
                                  target->host, target->hostaddr,
                                  target->port, db->options->program,
                                  "UTF8",       self->pool->pg_options,
                                  NULL};

    memset(self->prepared, 0, db->statement_max);
    self->pg = memory_ensure(PQconnectStartParams(keywords, values, 1));
    self->unreplicated = false;
    PQsetNoticeReceiver(self->pg, on_notice, self);
    if (PQstatus(self->pg) == CONNECTION_BAD)
        db_conn_lose(self);
    else
        conn_watch(self, ZMQ_POLLOUT, on_connect);
}

bool db_conn_open(struct db_conn *self)
{
    struct db *db = self->pool->db;
    struct db_target target;
    struct error err;

    error_init(&err, NULL);
    self->host = (db->preferred + self->pool->tried) % db->hosts.count;
    self->timeline = 0;
    switch (db_hosts_resolve(db, &db->hosts.items[self->host], &target, &err)) {
    case RESOLVER_PENDING:
        self->resolving = true;
        return false;
    case RESOLVER_FAILED:
        conn_lose_because(self, err.detail[0] ? err.detail : err.message);
        break;
    case RESOLVER_FOUND:
        self->resolving = false;
        conn_start(self, &target);
    }
    return true;
}

static void conn_serve(struct db_conn *self)
{
    if (PQenterPipelineMode(self->pg) != 1) {
        db_conn_lose(self);
        return;
    }
    self->ready = true;
    self->heard_mono_ms = loop_mono_ms(self->pool->db->loop);
    conn_watch(self, ZMQ_POLLIN, on_ready);
    db_pool_connected(self);
}

/* Sends immediately: a fresh socket has space for a few bytes. */
static void conn_ask_timeline(struct db_conn *self)
{
    if (PQsendQuery(self->pg, "select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)") != 1 ||
        PQflush(self->pg) != 0)
        db_conn_lose(self);
    else
        conn_watch(self, ZMQ_POLLIN, on_timeline);
}

/* Reads a hexadecimal timeline. Accepts servers that report none. */
static void take_timeline(struct db_conn *self, const PGresult *result)
{
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1)
        self->timeline = strtoll(PQgetvalue(result, 0, 0), NULL, 16);
}

static bool is_outdated(const struct db_conn *self)
{
    return self->timeline > 0 && self->timeline < self->pool->db->timeline;
}

static void on_timeline(void *arg, short revents UNUSED)
{
    struct db_conn *self = arg;
    struct db *db = self->pool->db;
    PGresult *result = NULL;

    if (PQconsumeInput(self->pg) != 1) {
        db_conn_lose(self);
        return;
    }
    while (!PQisBusy(self->pg) && (result = PQgetResult(self->pg))) {
        take_timeline(self, result);
        PQclear(result);
    }
    if (PQisBusy(self->pg))
        return;
    conn_unwatch(self);
    if (is_outdated(self)) {
        if (!db_pools_failing(db))
            log_event(LOG_WARNING, "db", "a former primary accepts writes: not used", NULL);
        db_conn_lose(self);
        return;
    }
    if (self->timeline > db->timeline)
        db_pool_promoted(db, self->timeline);
    conn_serve(self);
}

static void on_connect(void *arg, short revents UNUSED)
{
    struct db_conn *self = arg;

    conn_unwatch(self); /* PQconnectPoll() can replace the socket */
    switch (PQconnectPoll(self->pg)) {
    case PGRES_POLLING_READING:
        conn_watch(self, ZMQ_POLLIN, on_connect);
        return;
    case PGRES_POLLING_WRITING:
        conn_watch(self, ZMQ_POLLOUT, on_connect);
        return;
    case PGRES_POLLING_OK:
        break;
    default:
        db_conn_lose(self);
        return;
    }
    if (PQsetnonblocking(self->pg, 1) != 0)
        db_conn_lose(self);
    else if (self->pool->db->hosts.count == 1)
        conn_serve(self);
    else
        conn_ask_timeline(self);
}

/* ---- loss ---- */

/* Logs once per outage for all pools, after all hosts failed. */
static void log_down(const struct db_conn *self, const char *why)
{
    const struct db *db = self->pool->db;

    if (!db_pools_failing(db) && !self->pool->closing && self->pool->ready == 0 &&
        self->pool->tried + 1 >= db->hosts.count)
        log_detail(LOG_WARNING, "db", "cannot connect", "%.*s", (int)strcspn(why, "\n"), why);
}

static bool is_read(const struct db_call *call)
{
    return call->kind == CALL_STATEMENT && call->statement->class == DB_READ && !call->in_tx;
}

static bool is_repeatable(const struct db_call *call)
{
    return call->kind == CALL_STATEMENT && !call->in_tx && call->statement->class != DB_WRITE;
}

static void call_requeue(struct db_pool *pool, struct db_call *call)
{
    call->state = CALL_QUEUED;
    TAILQ_INSERT_HEAD(&pool->queue, call, link);
    pool->queued++;
}

/* True if the call has waited for the longest statement time: if it were sent again, it would
 * outlast its request. */
static bool has_waited_long(const struct db_pool *pool, const struct db_call *call)
{
    return loop_mono_ms(pool->db->loop) - call->sent_mono_ms >=
           pool->db->options->statement_timeout_ms;
}

/* Sends a repeatable call again while its fiber waits. For other calls, only the fiber knows what
 * the loss means. */
static void call_lose(struct db_pool *pool, struct db_call *call)
{
    PQclear(call->result);
    call->result = NULL;
    if (!is_repeatable(call) || call->resent == pool->max || !call->waiter ||
        has_waited_long(pool, call)) {
        db_call_finish(pool->db, call, CALL_LOST);
        return;
    }
    call->resent++;
    call_requeue(pool, call);
}

/* Sends a read that was skipped after another's error again, alone. */
static void call_skipped(struct db_pool *pool, struct db_call *call)
{
    if (!call->waiter) {
        db_call_finish(pool->db, call, CALL_LOST);
        return;
    }
    call->alone = true;
    call_requeue(pool, call);
}

void db_conn_lose(struct db_conn *self)
{
    conn_lose_because(self, self->resolving ? "no name server has answered for its host"
                                            : PQerrorMessage(self->pg));
}

static void conn_lose_because(struct db_conn *self, const char *why)
{
    bool was_ready = self->ready;
    struct db_call *call;

    if (!was_ready)
        log_down(self, why);
    conn_unwatch(self);
    PQfinish(self->pg);
    self->pg = NULL;
    self->ready = self->resolving = false;
    self->touched = false;
    self->unsynced = 0;
    self->depth = 0;
    while ((call = TAILQ_LAST(&self->in_flight,
                              db_calls))) { /* backwards, so that requeuing keeps the order */
        TAILQ_REMOVE(&self->in_flight, call, link);
        call_lose(self->pool, call);
    }
    if (self->tx)
        self->tx->conn = NULL;
    if (self->leased)
        db_pool_release(self);
    db_pool_lost(self, was_ready);
}

/* True if the connection ended because its host does not respond. libpq reveals only errno's text:
 * ETIMEDOUT, or the error of an ICMP message. */
static bool host_is_gone(const struct db_conn *self)
{
    static const int errors[] = {ETIMEDOUT, EHOSTUNREACH, ENETUNREACH};
    const char *why = PQerrorMessage(self->pg);

    for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
        if (strstr(why, strerror(errors[i])))
            return true;
    return false;
}

/* Drops a lost host's silent connections too, which would each fail at their next use. */
static void conn_break(struct db_conn *self)
{
    const struct db_call *first = TAILQ_FIRST(&self->in_flight);
    struct db *db = self->pool->db;
    int64_t since_ms = MAX(self->heard_mono_ms, first ? first->sent_mono_ms : 0);
    size_t host = self->host;
    bool gone = host_is_gone(self);

    db_conn_lose(self);
    if (gone)
        db_pool_host_gone(db, host, since_ms);
}

/* ---- sending ---- */

static bool send_statement(struct db_conn *self, const struct db_call *call)
{
    const char *values[DB_PARAMS_MAX];
    int lengths[DB_PARAMS_MAX], formats[DB_PARAMS_MAX];

    for (int i = 0; i < call->statement->params; i++) {
        const struct db_param *param = &call->params[i];

        formats[i] = param->size >= 0;
        lengths[i] = param->size;
        values[i] = param->size >= 0 ? (const char *)param->bytes : param->text;
    }
    return PQsendQueryPrepared(self->pg, call->statement->name, call->statement->params, values,
                               lengths, formats, 1);
}

static bool send_command(struct db_conn *self, const char *command)
{
    return PQsendQueryParams(self->pg, command, 0, NULL, NULL, NULL, NULL, 1);
}

static bool send_prepare(struct db_conn *self, struct db_call *call)
{
    uint8_t *known = &self->prepared[db_statement_number(self->pool->db, call->statement)];
    Oid types[DB_PARAMS_MAX];

    if (*known)
        return true;
    *known = 1;
    call->prepares = true;
    db_statement_types(call->statement, types);
    return PQsendPrepare(self->pg, call->statement->name, call->statement->text,
                         call->statement->shape ? call->statement->params : 0, types);
}

static bool send_call(struct db_conn *self, struct db_call *call)
{
    if (call->begins && !send_command(self, "begin isolation level read committed"))
        return false;
    switch (call->kind) {
    case CALL_STATEMENT:
        return send_prepare(self, call) && send_statement(self, call);
    case CALL_VERIFY:
        return send_prepare(self, call) && PQsendDescribePrepared(self->pg, call->statement->name);
    case CALL_COMMAND:
        return send_command(self, call->text);
    case CALL_SCRIPT: /* a script has its own end */
        return PQsendQuery(self->pg, call->text);
    }
    return false;
}

static bool send_sync(struct db_conn *self)
{
    if (self->unsynced == 0)
        return true;
    TAILQ_LAST(&self->in_flight, db_calls)->synced = true;
    self->unsynced = 0;
    self->pool->db->stats.syncs++;
    return PQpipelineSync(self->pg);
}

static bool shares_sync(const struct db_conn *self, const struct db_call *call)
{
    return is_read(call) && !call->alone && !call->tries &&
           self->prepared[db_statement_number(self->pool->db, call->statement)];
}

/* Sends the call, with a Sync unless others may share one. */
static bool conn_put(struct db_conn *self, struct db_call *call)
{
    bool shares = shares_sync(self, call);
    bool good = shares || send_sync(self);

    call->synced = call->prepares = call->failed = call->skipped = false;
    call->good = 0;
    TAILQ_INSERT_TAIL(&self->in_flight, call, link);
    if (!good || !send_call(self, call))
        return false;
    call->unanswered = 1 + call->begins + call->prepares;
    if (call->kind == CALL_SCRIPT)
        return true;
    self->unsynced++;
    return (shares && self->unsynced < DB_READS_TOGETHER) || send_sync(self);
}

void db_conn_send(struct db_conn *self, struct db_call *call)
{
    struct db *db = self->pool->db;

    call->state = CALL_SENT;
    call->conn = self;
    call->sent_mono_ms = loop_mono_ms(db->loop);
    call->sent_us = clock_mono_us();
    if (self->depth++ == 0)
        self->busy_mono_ms = call->sent_mono_ms;
    self->touched = true;
    db->stats.statements++;
    db->stats.in_flight_max = MAX(db->stats.in_flight_max, self->depth);
    ++*db->count_statements;
    if (!conn_put(self, call))
        db_conn_lose(self);
}

void db_conn_flush(struct db_conn *self)
{
    int rc;

    if (!self->touched)
        return;
    self->touched = false;
    self->pool->db->stats.flushes++;
    rc = send_sync(self) ? PQflush(self->pg) : -1;
    if (rc < 0)
        db_conn_lose(self);
    else if (rc > 0) /* socket full */
        conn_watch(self, ZMQ_POLLIN | ZMQ_POLLOUT, on_ready);
}

int db_conn_pipeline(struct db_conn *self, bool on)
{
    int rc = on ? PQenterPipelineMode(self->pg) : PQexitPipelineMode(self->pg);

    return rc == 1 ? 0 : -1;
}

/* ---- receiving ---- */

/* True if the server ended the connection, or libpq noticed its end. */
static bool is_fatal(const struct db_conn *self, const PGresult *result)
{
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);

    if (PQresultStatus(result) != PGRES_FATAL_ERROR)
        return false;
    return PQstatus(self->pg) == CONNECTION_BAD ||
           (severity && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0));
}

/* Lets the next use prepare a statement that the server lost or never prepared. */
static void forget_prepared(struct db_conn *self, const struct db_call *call,
                            const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    bool unknown = state && strcmp(state, "26000") == 0;

    if (call->statement && (unknown || (call->prepares && call->good <= call->begins)))
        self->prepared[db_statement_number(self->pool->db, call->statement)] = 0;
}

/* Handles a NULL result, which ends a script and each command of a pipeline. Returns true when no
 * command or Sync is left. */
static bool call_command_over(struct db_call *call)
{
    return call->kind == CALL_SCRIPT || (--call->unanswered == 0 && !call->synced);
}

/* Returns true for the call's last result. */
static bool call_accept(struct db_conn *self, struct db_call *call, PGresult *result)
{
    switch (PQresultStatus(result)) {
    case PGRES_PIPELINE_SYNC:
        PQclear(result);
        return true;
    case PGRES_PIPELINE_ABORTED: /* after an error of this or another call */
        call->skipped = !call->failed;
        PQclear(result);
        return false;
    case PGRES_FATAL_ERROR:
        if (!call->failed)
            forget_prepared(self, call, result);
        break;
    default:
        call->good++;
    }
    if (call->failed) {
        PQclear(result);
        return false;
    }
    call->failed = PQresultStatus(result) == PGRES_FATAL_ERROR;
    PQclear(call->result);
    call->result = result;
    return false;
}

/* Returns the outcome. A commit that may be missing on the standby is as uncertain as a lost
 * one. */
static enum db_call_state end_of(struct db_conn *self, const struct db_call *call)
{
    if (!self->unreplicated)
        return CALL_DONE;
    self->unreplicated = false;
    log_event(LOG_WARNING, "db", "a commit's wait for the standby was canceled", "statement",
              call->statement ? call->statement->name : call->text, NULL);
    return CALL_LOST;
}

/* Ends a call. Returns false when the connection cannot continue. */
static bool call_over(struct db_conn *self, struct db_call *call)
{
    bool ends = call->ends, timed_out = db_result_is(call->result, "55P03");

    TAILQ_REMOVE(&self->in_flight, call, link);
    self->depth--;
    if (call->skipped)
        call_skipped(self->pool, call);
    else
        db_call_finish(self->pool->db, call, end_of(self, call));
    if (!ends)
        return !timed_out || !db_gate_jams(self);
    if (self->depth != 0 || PQtransactionStatus(self->pg) != PQTRANS_IDLE)
        return false; /* others could not use the connection */
    db_pool_release(self);
    return true;
}

/* Receives results. Returns false at the connection's end. */
static bool conn_receive(struct db_conn *self)
{
    bool alive = PQconsumeInput(self->pg) == 1;
    struct db_call *call;
    int nothing = 0;

    while ((call = TAILQ_FIRST(&self->in_flight)) && !PQisBusy(self->pg)) {
        PGresult *result = PQgetResult(self->pg);
        bool over;

        self->heard_mono_ms = loop_mono_ms(self->pool->db->loop);
        if (result && is_fatal(self, result)) {
            PQclear(result);
            return false;
        }
        /* A pipeline never has two NULL results in a row. */
        if (!result && ++nothing > 1)
            return false;
        over = result ? call_accept(self, call, result) : call_command_over(call);
        if (result || over)
            nothing = 0;
        if (over && !call_over(self, call))
            return false;
    }
    return alive && PQstatus(self->pg) == CONNECTION_OK;
}

static void on_ready(void *arg, short revents)
{
    struct db_conn *self = arg;

    if (!conn_receive(self)) {
        conn_break(self);
        return;
    }
    if (revents & ZMQ_POLLOUT && PQflush(self->pg) == 0)
        conn_watch(self, ZMQ_POLLIN, on_ready);
}
