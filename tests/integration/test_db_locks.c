/*
 * test_db_locks.c - a person's lock: which statements wait, how long, and what continues.
 */
#include <libpq-fe.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/support/db_kit.h"

enum {
    LOCK_MS = 300,
    OTHERS_MS = 2000, /* maximum for calls that do not need the lock, on a busy machine */
    SOON_MS = 5000,
};

enum { SQL_PUT, SQL_TX_PUT, SQL_GET, SQL_RESIZE, SQL_ADD, SQL_NOTE, SQL_TX_NOTE, SQL_LIVE };

static const struct db_statement statements[] = {
    DB_STATEMENT("SQL_PUT", WRITE, 1, "insert into thing (id, size) values ($1, 0)"),
    DB_STATEMENT("SQL_TX_PUT", TX, 1, "insert into thing (id, size) values ($1, 0)"),
    DB_STATEMENT("SQL_GET", READ, 1, "select size from thing where id = $1"),
    DB_STATEMENT("SQL_RESIZE", WRITE, 1,
                 "update thing set size = size + 1 where id = $1 returning size"),
    DB_STATEMENT("SQL_ADD", READ, 1, "select $1::int8 + 1"),
    DB_STATEMENT("SQL_NOTE", WRITE, 1,
                 "select pg_logical_emit_message(true, 'note', $1::int4::text)::text"),
    DB_STATEMENT("SQL_TX_NOTE", TX, 1,
                 "select pg_logical_emit_message(true, 'note', $1::int4::text)::text"),
    DB_STATEMENT("SQL_LIVE", VITAL, 1, "select $1::int8"),
    {.name = NULL},
};

static struct pg *server;

static PGconn *hold(const char *sql)
{
    PGconn *conn = PQconnectdb(server->conninfo);
    PGresult *result = PQexec(conn, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK ||
                   PQresultStatus(result) == PGRES_TUPLES_OK,
               "%s: %s", sql, PQerrorMessage(conn));
    PQclear(result);
    return conn;
}

struct client {
    struct db_fixture *fixture;
    int statement;
    int64_t id, step; /* id: the row; step: amount added */
    size_t good, refused, uncertain, other;
    int64_t longest_ms; /* longest call since reset() */
    bool stop, ended;
    struct error last;
};

static int run_statement(struct client *self, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct db_param params[] = {DB_INT(self->id)};
    struct db *db = self->fixture->db;
    int64_t deadline = clock_mono_ms() + SOON_MS;

    if (statements[self->statement].class != DB_TX)
        return db_kit_query(db, deadline, &statements[self->statement], &res, err, params, 1);
    if (db_begin(db, deadline, &tx, err) < 0 ||
        db_kit_tx_query(tx, &statements[self->statement], &res, err, params, 1) < 0)
        return -1;
    return db_commit(&tx, err);
}

static void run_client(void *arg)
{
    struct client *self = arg;

    while (!self->stop) {
        int64_t started = clock_mono_ms();
        struct error err;

        error_init(&err, NULL);
        if (run_statement(self, &err) == 0)
            self->good++;
        else if (err.code == ERR_UNAVAILABLE)
            self->refused++;
        else if (err.code == ERR_UNCERTAIN)
            self->uncertain++;
        else
            self->other++;
        if (err.code != ERR_NONE)
            self->last = err;
        self->id += self->step;
        self->longest_ms = MAX(self->longest_ms, clock_mono_ms() - started);
        error_clear(&err);
        if (fiber_sleep_until(self->fixture->loop, clock_mono_ms() + 2, &err) < 0)
            break;
    }
    self->ended = true;
}

static void start(struct db_fixture *self, struct client *clients, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        clients[i].fixture = self;
        CU_ASSERT(fiber_start(self->loop, run_client, &clients[i], &self->err) == 0);
    }
}

static void sleep_ms(struct db_fixture *self, int64_t ms)
{
    (void)!fiber_sleep_until(self->loop, clock_mono_ms() + ms, &self->err);
}

static void reset(struct client *clients, size_t count)
{
    for (size_t i = 0; i < count; i++)
        clients[i].good = clients[i].refused = clients[i].other = 0, clients[i].longest_ms = 0;
}

/* Waits up to ten seconds until each client has had more than this many successes. */
static void wait_good(struct db_fixture *self, const struct client *clients, size_t count,
                      size_t good)
{
    size_t done = 0;

    for (int i = 0; i < 200 && done < count; i++) {
        sleep_ms(self, 50);
        done = 0;
        for (size_t each = 0; each < count; each++)
            done += clients[each].good > good;
    }
}

static void stop(struct db_fixture *self, struct client *clients, size_t count)
{
    for (size_t i = 0; i < count; i++)
        clients[i].stop = true;
    for (size_t i = 0; i < count; i++)
        while (!clients[i].ended)
            sleep_ms(self, 5);
}

static bool setup(struct db_fixture *self, struct loop *loop, const char *schema)
{
    struct db_options options = db_kit_options(server, schema, statements);

    options.lock_timeout_ms = LOCK_MS;
    return db_kit_setup(self, server, loop, &options);
}

/* Statements that need the locked table are refused, while the same pools serve all others. There
 * are many more clients than connections. */
static void table_lock(struct loop *loop, void *arg UNUSED)
{
    enum { NEED = 24, OTHERS = 6, ALL = NEED + OTHERS + 1 };
    static const int others[OTHERS] = {SQL_ADD,  SQL_ADD,     SQL_NOTE,
                                       SQL_NOTE, SQL_TX_NOTE, SQL_TX_NOTE};
    struct client clients[ALL] = {0}, *live = &clients[ALL - 1];
    struct db_fixture self;
    PGconn *holder;

    if (!setup(&self, loop, "table_lock")) {
        db_kit_teardown(&self);
        return;
    }
    for (int i = 0; i < NEED; i++)
        clients[i] =
            (struct client){.statement = i % 3 == 0 ? SQL_PUT : (i % 3 == 1 ? SQL_GET : SQL_TX_PUT),
                            .id = 1000000 * i,
                            .step = 1};
    for (int i = 0; i < OTHERS; i++)
        clients[NEED + i].statement = others[i];
    live->statement = SQL_LIVE;
    unit_expect_log(3);
    holder = hold("begin; lock table table_lock.thing in access exclusive mode");
    start(&self, clients, ALL);
    for (int i = 0; i < 200 && db_gates_closed(self.db) < 3; i++)
        sleep_ms(&self, 50);
    sleep_ms(&self, 1000);
    UNIT_CHECK(live->longest_ms < 2 * LOCK_MS && live->refused == 0, "%d ms, %zu refused",
               (int)live->longest_ms, live->refused);
    CU_ASSERT_TRUE(db_waits(self.db));
    CU_ASSERT_EQUAL(db_gates_closed(self.db), 3);
    for (int i = 0; i < NEED; i++)
        UNIT_CHECK(clients[i].good == 0 && clients[i].refused > 0 && clients[i].other == 0,
                   "client %d: %zu good, %zu refused, %zu other (%s)", i, clients[i].good,
                   clients[i].refused, clients[i].other, clients[i].last.message);
    reset(clients, ALL);
    wait_good(&self, clients + NEED, OTHERS + 1, 20);
    for (int i = NEED; i < ALL; i++)
        UNIT_CHECK(clients[i].good > 20 && clients[i].refused + clients[i].other == 0 &&
                       clients[i].longest_ms < OTHERS_MS,
                   "client %d: %zu good, %zu refused, %zu other, %d ms (%s)", i, clients[i].good,
                   clients[i].refused, clients[i].other, (int)clients[i].longest_ms,
                   clients[i].last.message);
    PQfinish(holder);
    sleep_ms(&self, LOCK_MS);
    reset(clients, ALL);
    wait_good(&self, clients, ALL, 10);
    for (int i = 0; i < ALL; i++)
        UNIT_CHECK(clients[i].good > 10 && clients[i].refused + clients[i].other == 0,
                   "client %d: %zu good, %zu refused, %zu other (%s)", i, clients[i].good,
                   clients[i].refused, clients[i].other, clients[i].last.message);
    CU_ASSERT_EQUAL(db_gates_closed(self.db), 0);
    stop(&self, clients, ALL);
    db_kit_teardown(&self);
}

static void test_a_locked_table_holds_up_what_needs_it_and_nothing_else(void)
{
    unit_on_fiber(table_lock, NULL);
}

/* A statement that waits for the row is refused with certainty that nothing was done, and works for
 * other rows. */
static void row_lock(struct loop *loop, void *arg UNUSED)
{
    struct client clients[4] = {{.statement = SQL_RESIZE, .id = 1},
                                {.statement = SQL_RESIZE, .id = 2},
                                {.statement = SQL_RESIZE, .id = 3},
                                {.statement = SQL_RESIZE, .id = 4}};
    struct db_fixture self;
    PGconn *holder;
    size_t refused;

    if (!setup(&self, loop, "row_lock")) {
        db_kit_teardown(&self);
        return;
    }
    pg_exec(server, "insert into row_lock.thing select i, 0 from generate_series(1, 4) i");
    holder = hold("begin; update row_lock.thing set size = 0 where id = 1");
    start(&self, clients, 4);
    sleep_ms(&self, 1500);
    wait_good(&self, clients + 1, 3, 50);
    UNIT_CHECK(clients[0].good == 0 && clients[0].refused >= 3 && clients[0].other == 0,
               "%zu good, %zu refused", clients[0].good, clients[0].refused);
    CU_ASSERT_STRING_EQUAL(clients[0].last.sqlstate, "55P03");
    CU_ASSERT_TRUE(clients[0].last.retry_after_s > 0);
    CU_ASSERT_TRUE(clients[0].longest_ms < 2 * LOCK_MS);
    for (int i = 1; i < 4; i++)
        UNIT_CHECK(clients[i].good > 50 && clients[i].refused + clients[i].other == 0,
                   "client %d: %zu good, %zu refused, %zu other", i, clients[i].good,
                   clients[i].refused, clients[i].other);
    CU_ASSERT_EQUAL(db_gates_closed(self.db), 0);
    refused = clients[0].refused;
    PQfinish(holder);
    sleep_ms(&self, LOCK_MS);
    /* one refusal may not have reached its client yet */
    UNIT_CHECK(clients[0].good > 0 && clients[0].refused <= refused + 1, "%zu good, %zu refused",
               clients[0].good, clients[0].refused - refused);
    stop(&self, clients, 4);
    CU_ASSERT_EQUAL((size_t)pg_exec(server, "select size from row_lock.thing where id = 1"),
                    clients[0].good);
    db_kit_teardown(&self);
}

static void test_a_locked_row_is_one_clients(void)
{
    unit_on_fiber(row_lock, NULL);
}

/* The commit of a vital statement may be lost in a crash, so it does not wait for a standby or
 * disk. */
static void vital(struct loop *loop, void *arg UNUSED)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct db_fixture self;

    if (setup(&self, loop, "vital")) {
        CU_ASSERT_EQUAL(db_connections_max(self.db), 7);
        CU_ASSERT(db_kit_query(self.db, clock_mono_ms() + SOON_MS, &statements[SQL_LIVE], &res,
                               &self.err, DB_PARAMS(DB_INT(5))) == 0);
        CU_ASSERT_EQUAL(db_int(res, 0, 0), 5);
    }
    db_kit_teardown(&self);
}

static void test_a_vital_statement_has_a_connection_of_its_own(void)
{
    unit_on_fiber(vital, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_a_locked_table_holds_up_what_needs_it_and_nothing_else),
    CASE(test_a_locked_row_is_one_clients),
    CASE(test_a_vital_statement_has_a_connection_of_its_own),
};

int main(void)
{
    int rc;

    log_open("test_db_locks", "1", LOG_WARNING);
    server = pg_new();
    rc = unit_run("db locks", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return rc;
}
