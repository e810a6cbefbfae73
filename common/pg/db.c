/*
 * db.c - handles, parameters, statements, waiting. A turn's statements are sent together at its
 * end, before any answer is awaited.
 */
#include <assert.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/pg/db_private.h"

struct db_pool *db_pool_of(struct db *self, const struct db_statement *statement)
{
    switch (statement->class) {
    case DB_READ:
        return &self->read;
    case DB_VITAL:
        return &self->vital;
    default:
        return &self->write;
    }
}

/* ---- calls ---- */

struct db_call *db_call_new(struct db *self, enum db_call_kind kind)
{
    struct db_call *call = TAILQ_FIRST(&self->spare);

    if (call)
        TAILQ_REMOVE(&self->spare, call, link);
    else
        call = memory_raw(sizeof(*call));
    *call = (struct db_call){
        .kind = kind,
        .waiter = fiber_self(self->loop),
        .started_us = clock_mono_us(),
    };
    return call;
}

void db_call_free(struct db *self, struct db_call **call_p)
{
    struct db_call *call = TAKE_PTR(*call_p);

    PQclear(call->result);
    TAILQ_INSERT_HEAD(&self->spare, call, link);
}

void db_call_finish(struct db *self, struct db_call *call, enum db_call_state state)
{
    db_gate_leave(self, call, state);
    call->state = state;
    histogram_add(self->latency, clock_mono_us() - call->started_us);
    if (state == CALL_LOST || state == CALL_DOWN)
        ++*self->count_lost;
    if (call->waiter)
        fiber_wake(call->waiter);
    else
        db_call_free(self, &call);
}

/* Discards an unsent call; leaves a sent one to the connection. */
static int call_give_up(struct db *self, struct db_call *call, enum fiber_wake wake,
                        int64_t deadline_mono_ms, bool uncertain, struct error *err)
{
    if (call->state == CALL_QUEUED) {
        struct db_pool *pool = db_pool_of(self, call->statement);
        bool starved = pool->ready == 0;

        db_pool_dequeue(pool, call);
        db_gate_leave(self, call, CALL_DOWN);
        db_call_free(self, &call);
        uncertain = false;
        if (wake == FIBER_TIMEOUT && loop_mono_ms(self->loop) < deadline_mono_ms)
            return starved ? error_retry(err, ERR_UNAVAILABLE, 1, "The database cannot be reached.")
                           : error_retry(err, ERR_OVERLOADED, 1, "The database is busy.");
    } else {
        call->waiter = NULL;
        call->params = NULL;
        if (wake == FIBER_TIMEOUT)
            db_pool_probe(self, call);
    }
    if (uncertain)
        return error_set(
            err, ERR_UNCERTAIN,
            "The change may or may not have been made. Read the current state before you retry.");
    if (wake == FIBER_CANCELLED)
        return fiber_wake_error(FIBER_CANCELLED, err);
    return error_set(err, ERR_DEADLINE, "The request took too long. Please try again.");
}

static int call_answer(struct db_call *call, bool uncertain, PGresult **ret, struct error *err)
{
    if (call->state == CALL_LOST && uncertain)
        return error_set(
            err, ERR_UNCERTAIN,
            "The change may or may not have been made. Read the current state before you retry.");
    if (call->state == CALL_HELD)
        return db_gate_refuse(err);
    if (call->state != CALL_DONE)
        return error_retry(err, ERR_UNAVAILABLE, 1, "The database cannot be reached.");
    switch (PQresultStatus(call->result)) {
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY:
        *ret = TAKE_PTR(call->result);
        return 0;
    default:
        return db_result_error(call->result, call->statement, err);
    }
}

/* Remembers refusals that are not the statement's fault: full disk, I/O error, read-only server. */
static void note_refusal(struct db *self, const struct error *err)
{
    static const char *const states[] = {"53100", "58", "25006"};

    for (size_t i = 0; i < ARRAY_SIZE(states); i++)
        if (strncmp(err->sqlstate, states[i], strlen(states[i])) == 0)
            db_refusal_set(self, err->detail);
}

/* Returns the end of the statement timeout, or the deadline if that is earlier. A write can wait
 * longer, for a standby. */
static int64_t wait_until(const struct db *self, const struct db_call *call, int64_t queued_until,
                          int64_t deadline_mono_ms, bool doubted)
{
    if (call->state == CALL_QUEUED)
        return queued_until;
    if (doubted || call->in_tx || !call->statement || call->statement->class == DB_WRITE)
        return deadline_mono_ms;
    return MIN(deadline_mono_ms,
               call->sent_mono_ms + self->options->statement_timeout_ms + DB_SILENCE_MS);
}

/* If the server is silent, drops the connection, which also ends the call. */
static void doubt(struct db *self, const struct db_call *call)
{
    db_pool_probe(self, call);
    /* The call's end woke this fiber, which is not parked. */
    if (call->state >= CALL_DONE)
        (void)fiber_take_wake(self->loop);
}

int db_call_wait(struct db *self, struct db_call **call_p, int64_t deadline_mono_ms, bool uncertain,
                 PGresult **ret, struct error *err)
{
    struct db_call *call = TAKE_PTR(*call_p);
    int64_t queued_until = MIN(deadline_mono_ms, loop_mono_ms(self->loop) + DB_WAIT_MS);
    bool doubted = false;
    int rc;

    assert(call->waiter);
    while (call->state < CALL_DONE) {
        int64_t until = wait_until(self, call, queued_until, deadline_mono_ms, doubted);
        enum fiber_wake wake = fiber_park(self->loop, until);

        /* while this fiber was parked, the call can have been sent, sent again, or answered */
        if (call->state >= CALL_DONE || wake == FIBER_WOKEN)
            continue;
        until = wait_until(self, call, queued_until, deadline_mono_ms, doubted);
        if (wake == FIBER_TIMEOUT && call->state != CALL_QUEUED && until < deadline_mono_ms &&
            loop_mono_ms(self->loop) >= until) {
            doubted = true;
            doubt(self, call);
            continue;
        }
        if (wake == FIBER_CANCELLED || loop_mono_ms(self->loop) >= until) {
            const struct db_call seen = *call; /* a copy: the call can be another's afterwards */

            rc = call_give_up(self, call, wake, deadline_mono_ms, uncertain, err);
            db_watch(self, &seen, err);
            return rc;
        }
    }
    rc = call_answer(call, uncertain, ret, err);
    if (rc < 0) {
        ++*self->count_errors;
        note_refusal(self, err);
    }
    db_watch(self, call, rc < 0 ? err : NULL);
    db_call_free(self, &call);
    return rc;
}

/* ---- statements ---- */

const struct db_statement *db_statement(const struct db *self, int number)
{
    for (const struct db_set *set = self->sets; set < self->sets + self->set_count; set++)
        if (number >= (int)set->first && (size_t)number < set->first + set->count)
            return &set->items[(size_t)number - set->first];
    log_die("db", "no such statement");
}

size_t db_statement_number(const struct db *self, const struct db_statement *statement)
{
    for (const struct db_set *set = self->sets; set < self->sets + self->set_count; set++)
        if (statement >= set->items && statement < set->items + set->count)
            return set->first + (size_t)(statement - set->items);
    log_die("db", "no such statement");
}

static size_t count_files(const struct db_statement *sql)
{
    size_t count = 0;

    while (sql && sql[count].name)
        count++;
    return count;
}

void db_extend_sql(struct db *self, const struct db_statement *sql)
{
    size_t first = self->statement_count, count = count_files(sql);

    if (count > self->statement_max - first || self->set_count == DB_SETS_MAX)
        log_die("db", "too many statements are added");
    for (size_t i = 0; i < count; i++)
        if (sql[i].params > DB_PARAMS_MAX)
            log_die("db", "a statement has too many parameters");
    self->sets[self->set_count++] = (struct db_set){.items = sql, .count = count, .first = first};
    self->statement_count += count;
}

static void add_own_statements(struct db *self, const struct db_options *options)
{
    self->statement_max = count_files(options->sql) + DB_EXTRA_MAX;
    db_extend_sql(self, options->sql);
}

int db_query(struct db *self, int64_t deadline_mono_ms, const struct db_statement *statement,
             const struct db_param *params, struct db_result **ret, struct error *err)
{
    struct db_pool *pool = db_pool_of(self, statement);
    PGresult *result = NULL;
    struct db_call *call;

    if (statement->class == DB_TX)
        log_die("db", "a statement of a transaction outside of one");
    if (db_pool_check(pool, err) < 0)
        return -1;
    if (pool->queued >= self->options->queue_max)
        db_pool_dispatch(pool); /* normally done at the turn's end */
    if (pool->queued >= self->options->queue_max)
        return error_retry(err, ERR_OVERLOADED, 1, "The database is busy.");
    call = db_call_new(self, CALL_STATEMENT);
    call->statement = statement;
    call->params = params;
    if (db_gate_enter(pool, call, err) < 0) {
        db_call_free(self, &call);
        return -1;
    }
    TAILQ_INSERT_TAIL(&pool->queue, call, link);
    pool->queued++;
    if (db_call_wait(self, &call, deadline_mono_ms, statement->class == DB_WRITE, &result, err) < 0)
        return -1;
    *ret = (struct db_result *)result;
    return 0;
}

/* ---- parameters ---- */

struct db_param db_param_bytes(const void *bytes, size_t size)
{
    if (!bytes)
        return DB_NULL;
    if (size > INT32_MAX)
        log_die("db", "parameter too large");
    return (struct db_param){.bytes = bytes, .size = (int)size};
}

/* ---- handle ---- */

static void db_turn(void *arg)
{
    struct db *self = arg;

    struct db_pool *const pools[] = DB_POOLS(self);

    for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
        db_pool_dispatch(pools[i]);
    for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
        db_pool_open(pools[i]);
}

/* Returns settings of the session, which override the connection string's. A plan lives as long as
 * the connection, or until the table is analysed; a plan made for a small table would scan the
 * grown one. Hence enable_seqscan=off: each statement has an index. With only one possible plan,
 * PostgreSQL also need not plan for each set of parameters, which would double a list's work. */
static char *session_options(const struct db_options *options, bool vital)
{
    int64_t lock_ms = vital && options->lock_timeout_ms > DB_VITAL_LOCK_MS
                          ? DB_VITAL_LOCK_MS
                          : options->lock_timeout_ms;
    PQconninfoOption *parsed = PQconninfoParse(options->conninfo, NULL);
    const char *own = "";
    char *text = NULL;

    for (PQconninfoOption *row = parsed; row && row->keyword; row++)
        if (strcmp(row->keyword, "options") == 0 && row->val)
            own = row->val;
    if (asprintf(&text,
                 "%s -c search_path=%s -c statement_timeout=%lld -c lock_timeout=%lld -c jit=off"
                 " -c enable_seqscan=off -c plan_cache_mode=force_generic_plan"
                 " -c idle_in_transaction_session_timeout=%lld%s",
                 own, options->schema, (long long)options->statement_timeout_ms, (long long)lock_ms,
                 (long long)(2 * options->statement_timeout_ms),
                 vital ? " -c synchronous_commit=off" : "") < 0)
        log_die("db", "out of memory");
    PQconninfoFree(parsed);
    return text;
}

static int64_t read_in_flight(void *arg)
{
    const struct db *self = arg;
    const struct db_pool *const pools[] = DB_POOLS(self);
    int64_t sum = 0;

    for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
        for (size_t j = 0; j < pools[i]->max; j++)
            sum += (int64_t)pools[i]->conns[j].depth;
    return sum;
}

static int64_t read_held(void *arg)
{
    return (int64_t)((const struct db *)arg)->gates_closed;
}

struct db *db_new(struct loop *loop, struct metrics *metrics, const struct db_options *options)
{
    struct db *self = memory_new(sizeof(*self));

    self->loop = loop;
    self->options = options;
    add_own_statements(self, options);
    self->gates = memory_array(self->statement_max, sizeof(*self->gates));
    self->jitter = (unsigned)clock_mono_us();
    TAILQ_INIT(&self->spare);
    self->count_statements = metrics_counter(metrics, "atrium_db_statements_total", "",
                                             "Statements sent to PostgreSQL.");
    self->count_errors = metrics_counter(metrics, "atrium_db_errors_total", "",
                                         "Statements that PostgreSQL rejected or did not answer.");
    self->count_lost = metrics_counter(metrics, "atrium_db_lost_total", "",
                                       "Statements lost with their connection.");
    self->count_connects =
        metrics_counter(metrics, "atrium_db_connects_total", "", "Connections made to PostgreSQL.");
    self->count_slow = metrics_counter(
        metrics, "atrium_db_slow_total", "",
        "Statements that took longer than slow_statement, including their wait for a connection.");
    self->latency = metrics_histogram(
        metrics, "atrium_db_statement_us", "",
        "Time from a statement to its answer, including its wait for a connection.");
    metrics_gauge(metrics, "atrium_db_in_flight", "Statements that wait for their answer.",
                  read_in_flight, self);
    metrics_gauge(metrics, "atrium_db_statements_held",
                  "Statements that are held back because they cannot get a lock.", read_held, self);
    db_hosts_init(&self->hosts, options->conninfo);
    self->resolver = resolver_new(loop);
    db_pool_init(&self->read, self, options->read_connections, DB_READ_DEPTH,
                 session_options(options, false));
    db_pool_init(&self->write, self, options->write_connections, DB_WRITE_DEPTH,
                 session_options(options, false));
    db_pool_init(&self->vital, self, 1, DB_READ_DEPTH, session_options(options, true));
    loop_each_turn(loop, db_turn, self);
    db_pool_grow(&self->read);
    db_pool_grow(&self->write);
    db_pool_grow(&self->vital);
    return self;
}

void db_destroy(struct db **self_p)
{
    struct db *self = TAKE_PTR(*self_p);
    struct db_call *call;

    if (!self)
        return;
    loop_each_turn_stop(self->loop, db_turn, self);
    db_pool_close(&self->read);
    db_pool_close(&self->write);
    db_pool_close(&self->vital);
    while ((call = TAILQ_FIRST(&self->spare))) {
        TAILQ_REMOVE(&self->spare, call, link);
        free(call);
    }
    db_hosts_clear(&self->hosts);
    resolver_destroy(&self->resolver);
    free(self->gates);
    free(self);
}

/* ---- state ---- */

bool db_ready(const struct db *self)
{
    return self->read.ready + self->write.ready + self->vital.ready > 0;
}

size_t db_connections_max(const struct db *self)
{
    return self->read.max + self->write.max + self->vital.max;
}

void db_server(const struct db *self, char *ret, size_t size)
{
    const struct db_pool *const pools[] = DB_POOLS(self);

    ret[0] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(pools); i++) {
        for (size_t j = 0; j < pools[i]->max; j++) {
            const PGconn *pg = pools[i]->conns[j].pg;
            const char *address = pg && pools[i]->conns[j].ready ? PQhostaddr(pg) : "";

            if (!pg || !pools[i]->conns[j].ready)
                continue;
            snprintf(ret, size, "host=%s port=%s", address && *address ? address : PQhost(pg),
                     PQport(pg));
            return;
        }
    }
}

const char *db_refusal(const struct db *self)
{
    return self->refusal[0] ? self->refusal : NULL;
}

void db_refusal_set(struct db *self, const char *text)
{
    snprintf(self->refusal, sizeof(self->refusal), "%s", text ? text : "");
}

bool db_waits(struct db *self)
{
    const struct db_pool *const pools[] = DB_POOLS(self);
    int64_t now_ms = loop_mono_ms(self->loop);

    for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
        for (size_t j = 0; j < pools[i]->max; j++)
            if (db_conn_waits_ms(&pools[i]->conns[j], now_ms) >= DB_WAIT_LONG_MS)
                return true;
    db_gate_sweep(self);
    return self->gates_closed > 0;
}

size_t db_gates_closed(const struct db *self)
{
    return self->gates_closed;
}

struct db_stats db_stats(const struct db *self)
{
    return self->stats;
}
