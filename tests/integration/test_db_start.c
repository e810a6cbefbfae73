/*
 * test_db_start.c - the start of a database handle: statement checks, migration by one of several
 * instances, and an absent server.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/support/db_kit.h"

enum { SQL_PUT_SLOWLY };

static const struct db_statement statements[] = {
    DB_STATEMENT("SQL_PUT_SLOWLY", WRITE, 2,
                 "insert into thing (id, size) select $1::int4, $2::int4 from pg_sleep(0.5)"),
    {.name = NULL},
};

static struct pg *server;

static struct db_options options_of(const char *schema)
{
    return db_kit_options(server, schema, statements);
}

static bool setup(struct db_fixture *self, struct loop *loop, const char *schema)
{
    struct db_options options = options_of(schema);

    return db_kit_setup(self, server, loop, &options);
}

static void wrong_statements_stop_the_start(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *label;
        struct db_statement statements[2];
        const char *detail;
    } cases[] = {
        {"count", {DB_STATEMENT("SQL_X", READ, 1, "select $1::int4 + $2::int4")}, "2 parameters"},
        {"syntax", {DB_STATEMENT("SQL_Y", READ, 0, "selec 1")}, "SQL_Y 42601"},
        {"table", {DB_STATEMENT("SQL_Z", READ, 0, "select 1 from nowhere")}, "nowhere"},
    };

    pg_exec(server, "create schema wrong_rows");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct metrics *metrics = metrics_new();
        struct db_options options = options_of("wrong_rows");
        struct error err;
        struct db *db;

        error_init(&err, NULL);
        options.sql = cases[i].statements;
        db = db_new(loop, metrics, &options);
        CU_ASSERT_TRUE(db_prepare(db, &err) < 0);
        UNIT_CHECK(err.code == ERR_INTERNAL && strstr(err.detail, cases[i].detail), "%s: %s",
                   cases[i].label, err.detail);
        db_destroy(&db);
        metrics_destroy(&metrics);
    }
}

struct racer {
    struct db *db;
    struct error err;
    int rc;
    bool done;
};

static void run_racer(void *arg)
{
    struct racer *racer = arg;

    error_init(&racer->err, NULL);
    racer->rc = db_prepare(racer->db, &racer->err);
    racer->done = true;
}

/* One instance migrates, for longer than statement_timeout, and the others wait. */
static void instances_that_start_together_migrate_once(struct loop *loop, void *arg UNUSED)
{
    static const struct db_migration slow[] = {
        {"0001_initial", "create table thing (id int primary key, size int, note text);\n"
                         "insert into thing (id, size) values (1, 1);\n"
                         "select pg_sleep(1)"},
        {NULL, NULL},
    };
    struct metrics *metrics = metrics_new();
    struct db_options options = options_of("race");
    struct racer racers[3] = {0};
    struct error err;

    error_init(&err, NULL);
    pg_exec(server, "create schema race");
    options.migrations = slow;
    options.statement_timeout_ms = 300;
    for (size_t i = 0; i < ARRAY_SIZE(racers); i++) {
        racers[i].db = db_new(loop, metrics, &options);
        if (fiber_start(loop, run_racer, &racers[i], &err) < 0)
            CU_FAIL("fiber_start");
    }
    for (size_t i = 0; i < ARRAY_SIZE(racers); i++) {
        while (!racers[i].done && fiber_sleep_until(loop, clock_mono_ms() + 10, &err) == 0)
            ;
        UNIT_CHECK(racers[i].rc == 0, "%s %s", racers[i].err.message, racers[i].err.detail);
    }
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from race.schema_migration"), 1);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from race.thing"), 1);
    /* The session settings are restored. */
    {
        CLEANUP(db_result_destroy) struct db_result *res = NULL;
        struct db_param params[] = {DB_INT(2), DB_INT(2)};

        CU_ASSERT_TRUE(db_kit_query(racers[0].db, clock_mono_ms() + 5000,
                                    &statements[SQL_PUT_SLOWLY], &res, &err, params, 2) < 0);
        CU_ASSERT_EQUAL(err.code, ERR_DEADLINE);
    }
    for (size_t i = 0; i < ARRAY_SIZE(racers); i++)
        db_destroy(&racers[i].db);
    metrics_destroy(&metrics);
}

/* A failed migration leaves nothing. The next build's migrations continue from there, and an older
 * build still starts. */
static void a_failed_migration_leaves_nothing(struct loop *loop, void *arg UNUSED)
{
    static const struct db_migration broken[] = {
        {"0001_initial", DB_KIT_SQL},
        {"0002_broken", "create table half (id int); insert into nowhere values (1)"},
        {NULL, NULL},
    };
    static const struct {
        const char *label;
        const struct db_migration *rows;
        int rc;
        const char *detail;
    } steps[] = {
        {"broken", broken, -1, "migration 0002_broken"},
        {"mended", db_kit_migrations, 0, ""},
        {"older build", db_kit_migrations + 2, 0, ""},
    };
    struct metrics *metrics = metrics_new();
    struct db_options options = options_of("failure");

    pg_exec(server, "create schema failure");
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        struct error err;
        struct db *db;
        int rc;

        error_init(&err, NULL);
        options.migrations = steps[i].rows;
        db = db_new(loop, metrics, &options);
        rc = db_prepare(db, &err);
        UNIT_CHECK(rc == steps[i].rc && strstr(err.detail, steps[i].detail), "%s: %s",
                   steps[i].label, err.detail);
        db_destroy(&db);
        CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from pg_tables where tablename = 'half'"),
                        0);
    }
    metrics_destroy(&metrics);
}

/* A backup reads a table that a migration needs. The migration gives up its lock request
 * immediately, so that no statement queues after it, and retries. */
static void a_migration_gives_way(struct loop *loop, void *arg UNUSED)
{
    struct db_fixture f;
    PGconn *dump = PQconnectdb(server->conninfo);
    struct db_options options = options_of("busy");
    struct db *db;
    int64_t started;

    options.migrations = db_kit_migrations;
    if (!setup(&f, loop, "busy"))
        return;
    PQclear(PQexec(dump, "delete from busy.schema_migration where name = '0002_more'"));
    PQclear(PQexec(dump, "alter table busy.thing drop column note"));
    PQclear(PQexec(dump, "begin; select * from busy.thing"));
    started = clock_mono_ms();
    db = db_new(loop, f.metrics, &options);
    CU_ASSERT_TRUE(db_prepare(db, &f.err) < 0);
    CU_ASSERT_EQUAL(f.err.code, ERR_UNAVAILABLE);
    CU_ASSERT_STRING_EQUAL(f.err.sqlstate, "55P03");
    UNIT_CHECK(clock_mono_ms() - started < 900, "%d ms", (int)(clock_mono_ms() - started));
    PQclear(PQexec(dump, "rollback"));
    error_clear(&f.err);
    UNIT_CHECK(db_prepare(db, &f.err) == 0, "%s %s", f.err.message, f.err.detail);
    PQfinish(dump);
    db_destroy(&db);
    db_kit_teardown(&f);
}

/* An index is made during writes. Instances that start together do not wait for each other in the
 * server, an open transaction delays it for longer than the table lock's timeout, and a failed
 * attempt's leftovers are replaced. */
static void an_index_is_made_concurrently(struct loop *loop, void *arg UNUSED)
{
    static const struct db_migration rows[] = {
        {"0001_initial", DB_KIT_SQL},
        {"0002_more", "alter table thing add note text"},
        {"0003_thing_size_concurrently",
         "-- Looked for by size.\ndrop index concurrently if exists thing_size_index;\n"
         "create unique index concurrently thing_size_index on thing (size);\n"},
        {NULL, NULL},
    };
    struct db_options options = options_of("concurrent");
    PGconn *writer = PQconnectdb(server->conninfo);
    struct racer racers[3] = {0};
    struct db_fixture f;
    int64_t until;

    if (!setup(&f, loop, "concurrent"))
        return;
    pg_exec(server, "insert into concurrent.thing (id, size) values (1, 7), (2, 7)");
    options.migrations = rows;
    racers[0].db = db_new(loop, f.metrics, &options);
    run_racer(&racers[0]);
    UNIT_CHECK(racers[0].rc < 0 && strstr(racers[0].err.detail, "0003_thing_size_concurrently"),
               "%s", racers[0].err.detail);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from pg_index where not indisvalid"), 1);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from concurrent.schema_migration"), 2);
    db_destroy(&racers[0].db);

    pg_exec(server, "delete from concurrent.thing where id = 2");
    PQclear(PQexec(writer, "begin; insert into concurrent.thing (id, size) values (3, 8)"));
    racers[0] = (struct racer){0};
    for (size_t i = 0; i < ARRAY_SIZE(racers); i++) {
        racers[i].db = db_new(loop, f.metrics, &options);
        if (fiber_start(loop, run_racer, &racers[i], &f.err) < 0)
            CU_FAIL("fiber_start");
    }
    for (until = clock_mono_ms() + 1500; clock_mono_ms() < until;)
        CU_ASSERT_EQUAL(fiber_sleep_until(loop, clock_mono_ms() + 50, &f.err), 0);
    PQclear(PQexec(writer, "commit"));
    for (size_t i = 0; i < ARRAY_SIZE(racers); i++) {
        while (!racers[i].done && fiber_sleep_until(loop, clock_mono_ms() + 10, &f.err) == 0)
            ;
        UNIT_CHECK(racers[i].rc == 0, "%s %s", racers[i].err.message, racers[i].err.detail);
        db_destroy(&racers[i].db);
    }
    CU_ASSERT_EQUAL(pg_exec(server,
                            "select count(*) from pg_index where indisvalid and indexrelid = "
                            "'concurrent.thing_size_index'::regclass"),
                    1);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from concurrent.schema_migration"), 3);
    PQfinish(writer);
    db_kit_teardown(&f);
}

static void no_server(struct loop *loop, void *arg UNUSED)
{
    struct metrics *metrics = metrics_new();
    struct db_options options = options_of("nothing");
    struct error err;
    struct db *db;
    int64_t started = clock_mono_ms();

    error_init(&err, NULL);
    options.conninfo = "host=/nonexistent user=nobody";
    db = db_new(loop, metrics, &options);
    CU_ASSERT_TRUE(db_prepare(db, &err) < 0);
    CU_ASSERT_EQUAL(err.code, ERR_UNAVAILABLE);
    UNIT_CHECK(clock_mono_ms() - started < 500, "%d", (int)(clock_mono_ms() - started));
    db_destroy(&db);
    metrics_destroy(&metrics);
}

static void the_next_host_serves_when_the_first_is_gone(struct loop *loop, void *arg UNUSED)
{
    struct metrics *metrics = metrics_new();
    struct db_options options = options_of("second_host");
    char conninfo[160];
    struct error err;
    struct db *db;

    error_init(&err, NULL);
    pg_exec(server, "create schema second_host");
    snprintf(conninfo, sizeof(conninfo), "host=/nonexistent,%s user=postgres dbname=postgres",
             server->dir.path);
    options.conninfo = conninfo;
    db = db_new(loop, metrics, &options);
    UNIT_CHECK(db_prepare(db, &err) == 0, "%s %s", err.message, err.detail);
    db_destroy(&db);
    metrics_destroy(&metrics);
}

#define ON_FIBER(fn_)             \
    static void test_##fn_(void)  \
    {                             \
        unit_on_fiber(fn_, NULL); \
    }
ON_FIBER(wrong_statements_stop_the_start)
ON_FIBER(instances_that_start_together_migrate_once)
ON_FIBER(a_failed_migration_leaves_nothing)
ON_FIBER(a_migration_gives_way)
ON_FIBER(an_index_is_made_concurrently)
ON_FIBER(the_next_host_serves_when_the_first_is_gone)

static void test_without_a_server_requests_fail_at_once(void)
{
    unit_expect_log(1);
    unit_on_fiber(no_server, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_wrong_statements_stop_the_start),
    CASE(test_instances_that_start_together_migrate_once),
    CASE(test_a_failed_migration_leaves_nothing),
    CASE(test_a_migration_gives_way),
    CASE(test_an_index_is_made_concurrently),
    CASE(test_the_next_host_serves_when_the_first_is_gone),
    CASE(test_without_a_server_requests_fail_at_once),
};

int main(void)
{
    int rc;

    log_open("test_db_start", "1", LOG_WARNING);
    server = pg_new();
    rc = unit_run("db start", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return rc;
}
