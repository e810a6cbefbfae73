/*
 * test_outbox.c - the outbox's relay between a real PostgreSQL and a service process: rows are
 * delivered even if sender, receiver or database is killed.
 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/service/outbox.h"
#include "tests/support/bus_kit.h"
#include "tests/support/db_kit.h"
#include "tests/support/pg.h"

enum { SQL_WRITE, SQL_LEFT };

static const struct db_statement statements[] = {
    DB_STATEMENT(
        "SQL_WRITE", WRITE, 4,
        "insert into outbox (id, method, body, created_at, due_at) values ($1, $2, $3, $4, $4)"),
    DB_STATEMENT("SQL_LEFT", READ, 0, "select count(*) from outbox"),
    {.name = NULL},
};

static const struct db_migration migrations[] = {
    {"0001_initial",
     "create table outbox (id uuid primary key, method text not null, body bytea not null,"
     " created_at bigint not null, attempts int not null default 0, due_at bigint not null);"
     "create index outbox_due on outbox (due_at)"},
    {NULL, NULL},
};

static const struct bus_method *const methods[] = {&kit_work, &kit_refuse, NULL};
static const struct bus_method *const no_methods[] = {NULL};

static struct pg *server;

struct fixture {
    struct kit kit;
    struct loop *loop;
    struct arena *arena;
    struct db_options options;
    struct db *db;
    struct seal_keys keys;
    struct outbox *outbox;
};

static struct db_options options_of(const char *schema, const char *conninfo)
{
    return (struct db_options){
        .conninfo = conninfo,
        .schema = schema,
        .program = schema,
        .sql = statements,
        .migrations = migrations,
        .read_connections = 1,
        .write_connections = 2,
        .statement_timeout_ms = 3000,
        .queue_max = 64,
    };
}

/* relayed: methods that the outbox calls; without any, rows are only written. */
static bool setup(struct fixture *self, struct loop *loop, const char *schema,
                  const struct bus_method *const *relayed)
{
    struct error err;
    char sql[80];

    *self = (struct fixture){
        .loop = loop,
        .arena = arena_new(),
        .options = options_of(schema, server->conninfo),
        .keys = unit_seal_keys(0),
    };
    error_init(&err, NULL);
    snprintf(sql, sizeof(sql), "create schema %s", schema);
    pg_exec(server, sql);
    kit_open(&self->kit, loop, "gateway", 512);
    self->db = db_new(loop, self->kit.metrics, &self->options);
    if (!UNIT_CHECK(db_kit_prepare(self->db, &err) == 0, "%s %s", err.message, err.detail))
        return false;
    self->outbox =
        outbox_new(loop, self->db, self->kit.bus, self->kit.metrics, relayed, &self->keys);
    return true;
}

static void teardown(struct fixture *self)
{
    outbox_destroy(&self->outbox);
    db_destroy(&self->db);
    kit_close(&self->kit);
    arena_destroy(&self->arena);
}

static void write_row(struct fixture *self, const struct bus_method *method, const char *text,
                      int64_t number)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct kit_in in = {.text = text, .number = number};
    struct sql_outbox row = outbox_row(self->outbox, self->arena, method, uuid_random(), &in);
    struct db_param params[] = {DB_UUID(row.id), DB_TEXT(row.method), DB_SEALED(row.body),
                                DB_INT(row.at)};
    struct error err;

    error_init(&err, NULL);
    UNIT_CHECK(db_kit_query(self->db, clock_mono_ms() + 5000, &statements[SQL_WRITE], &res, &err,
                            params, 4) == 0,
               "%s %s", err.message, err.detail);
}

static int64_t rows_left(struct fixture *self)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct error err;

    error_init(&err, NULL);
    if (db_kit_query(self->db, clock_mono_ms() + 5000, &statements[SQL_LEFT], &res, &err,
                     DB_PARAMS()) < 0)
        return -1;
    return db_int(res, 0, 0);
}

/* Waits until the query counts this many. Returns false after `within_ms`. */
static bool wait_count(struct fixture *self, int64_t want, int64_t within_ms, const char *sql)
{
    int64_t started = clock_mono_ms();

    while (pg_exec(server, sql) != want) {
        if (clock_mono_ms() - started > within_ms)
            return false;
        kit_sleep(&self->kit, 50);
    }
    return true;
}

/* Waits until the table has this many rows. Returns the ms, or -1 after `within_ms`. */
static int64_t wait_left(struct fixture *self, int64_t rows, int64_t within_ms)
{
    int64_t started = clock_mono_ms();

    while (rows_left(self) != rows) {
        if (clock_mono_ms() - started > within_ms)
            return -1;
        kit_sleep(&self->kit, 10);
    }
    return clock_mono_ms() - started;
}

static long executed(const struct fixture *self)
{
    return atomic_load(&self->kit.counts->executed);
}

static void wait_executed(struct fixture *self, long count)
{
    for (int i = 0; i < 1000 && executed(self) < count; i++)
        kit_sleep(&self->kit, 10);
    UNIT_CHECK(executed(self) == count, "%ld", executed(self));
}

static void rows_are_delivered_and_deleted(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;
    int64_t took;

    if (setup(&self, loop, "relays", methods)) {
        kit_start(&self.kit, 1, "512");
        CU_ASSERT_TRUE(kit_wait(&self.kit, 1));
        write_row(&self, &kit_work, "secret words", 0);
        outbox_wake(self.outbox);
        took = wait_left(&self, 0, 2000);
        UNIT_CHECK(took >= 0 && took < 300, "%d ms",
                   (int)took); /* the relay was woken, it did not poll */
        for (int i = 0; i < 150; i++)
            write_row(&self, &kit_work, "more", 0);
        took = wait_left(&self, 0, 3000); /* found by polling */
        UNIT_CHECK(took >= 0, "%d rows left", (int)rows_left(&self));
        UNIT_CHECK(executed(&self) == 151, "%ld", executed(&self));
    }
    teardown(&self);
}

/* Waits until the measured waiting time is in this range; the relay measures it only now and
 * then. */
static bool wait_waiting(struct fixture *self, int64_t from_s, int64_t to_s)
{
    const int64_t *level =
        metrics_gauge_cell(self->kit.metrics, "atrium_outbox_waiting_seconds", "");

    for (int i = 0; i < 1000 && (*level < from_s || *level > to_s); i++)
        kit_sleep(&self->kit, 10);
    return UNIT_CHECK(*level >= from_s && *level <= to_s, "%d s", (int)*level);
}

static void rows_wait_for_an_absent_service(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;

    if (setup(&self, loop, "absent", methods)) {
        for (int i = 0; i < 5; i++)
            write_row(&self, &kit_work, "secret words", 0);
        outbox_wake(self.outbox);
        kit_sleep(&self.kit, 1500);
        CU_ASSERT_EQUAL(pg_exec(server, "select sum(attempts) from absent.outbox"), 0);
        CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from absent.outbox where "
                                        "position('secret'::bytea in body) > 0"),
                        0);
        pg_exec(server, "update absent.outbox set created_at = created_at - 100000 "
                        "where id = (select max(id::text)::uuid from absent.outbox)");
        wait_waiting(&self, 100, 110);
        kit_start(&self.kit, 1, "512");
        UNIT_CHECK(wait_left(&self, 0, 3000) >= 0, "%d rows left", (int)rows_left(&self));
        CU_ASSERT_EQUAL(executed(&self), 5);
        wait_waiting(&self, 0, 0);
    }
    teardown(&self);
}

/* A row that the receiver rejects rests for an hour; one that fails temporarily is retried soon.
 * Neither blocks others. */
static void refusals_are_kept_failures_come_again(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;

    if (setup(&self, loop, "failures", methods)) {
        kit_start(&self.kit, 1, "512");
        CU_ASSERT_TRUE(kit_wait(&self.kit, 1));
        write_row(&self, &kit_refuse, "setting", 0);
        write_row(&self, &kit_refuse, "throttle", 0);
        write_row(&self, &kit_work, "fine", 0);
        outbox_wake(self.outbox);
        UNIT_CHECK(wait_count(&self, 2, 10000,
                              "select count(*) from failures.outbox where attempts > 0 "
                              "and (attempts > 2 or due_at > created_at + 3500000)"),
                   "%d rows left", (int)rows_left(&self));
        CU_ASSERT_EQUAL(executed(&self), 1);
        CU_ASSERT_EQUAL(rows_left(&self), 2);
        CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from failures.outbox where attempts = 1 "
                                        "and due_at > created_at + 3500000"),
                        1);
    }
    teardown(&self);
}

/* The receiver dies while processing a row, and gets it again after its restart. */
static void the_receiver_is_killed(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;

    if (setup(&self, loop, "receiver", methods)) {
        kit_start(&self.kit, 1, "512");
        CU_ASSERT_TRUE(kit_wait(&self.kit, 1));
        write_row(&self, &kit_work, "slow", 800);
        outbox_wake(self.outbox);
        kit_sleep(&self.kit, 300);
        CU_ASSERT_EQUAL(executed(&self), 1);
        kit_end(&self.kit, 1, SIGKILL);
        kit_sleep(&self.kit, 500);
        CU_ASSERT_EQUAL(rows_left(&self), 1);
        kit_start(&self.kit, 2, "512");
        UNIT_CHECK(wait_left(&self, 0, 5000) >= 0, "%d rows left", (int)rows_left(&self));
        CU_ASSERT_EQUAL(executed(&self), 2);
    }
    teardown(&self);
}

/* Runs a relay process: this program with "--sender", the schema, the bus's directory, conninfo. */
static void sender_main(int argc, char **argv)
{
    static const char *const upstreams[] = {"settingsd", NULL};
    static const struct operation no_operations[] = {{0}};
    struct loop *loop;
    struct metrics *metrics;
    struct fixture self = {.keys = unit_seal_keys(0)};
    struct bus_options options = {.service = "gateway",
                                  .instance = "2",
                                  .version = "0",
                                  .operations = no_operations,
                                  .upstreams = upstreams,
                                  .peer_max = 16,
                                  .serve_max = 16};
    struct error err;

    if (argc != 5 || strcmp(argv[1], "--sender") != 0)
        return;
    log_open("sender", "2", LOG_CRIT);
    error_init(&err, NULL);
    loop = loop_new();
    metrics = metrics_new();
    self.options = options_of(argv[2], argv[4]);
    options.run_dir = argv[3];
    self.db = db_new(loop, metrics, &self.options);
    self.kit.bus = bus_new(loop, clock_new(NULL), metrics, &options, &err);
    self.outbox = outbox_new(loop, self.db, self.kit.bus, metrics, methods, &self.keys);
    exit(loop_run(loop)); /* until it is killed */
}

static pid_t start_sender(struct fixture *self)
{
    char program[] = "sender", flag[] = "--sender", schema[32], conninfo[128];
    char *argv[] = {program, flag, schema, self->kit.dir.path, conninfo, NULL};
    pid_t pid = 0;

    snprintf(schema, sizeof(schema), "%s", self->options.schema);
    snprintf(conninfo, sizeof(conninfo), "%s", server->conninfo);
    CU_ASSERT_EQUAL(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ), 0);
    return pid;
}

/* A sender dies while processing a row: another takes it after its lease, within 5 s. */
static void the_sender_is_killed(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;
    int64_t killed, took;
    pid_t sender;

    if (setup(&self, loop, "sender", no_methods)) {
        kit_start(&self.kit, 1, "512");
        CU_ASSERT_TRUE(kit_wait(&self.kit, 1));
        write_row(&self, &kit_work, "slow", 1000);
        sender = start_sender(&self);
        wait_executed(&self, 1);
        kill(sender, SIGKILL);
        waitpid(sender, NULL, 0);
        killed = clock_mono_ms();
        sender = start_sender(&self);
        wait_executed(&self, 2);
        took = clock_mono_ms() - killed;
        UNIT_CHECK(took > 1500 && took < 5000, "%d ms", (int)took);
        UNIT_CHECK(wait_left(&self, 0, 3000) >= 0, "%d rows left", (int)rows_left(&self));
        kill(sender, SIGKILL);
        waitpid(sender, NULL, 0);
        CU_ASSERT_EQUAL(executed(&self), 2);
    }
    teardown(&self);
}

static void the_database_restarts(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;

    if (setup(&self, loop, "restart", methods)) {
        kit_start(&self.kit, 1, "512");
        CU_ASSERT_TRUE(kit_wait(&self.kit, 1));
        for (int i = 0; i < 10; i++)
            write_row(&self, &kit_work, "slow", 100);
        outbox_wake(self.outbox);
        kit_sleep(&self.kit, 350);
        pg_stop(server, SIGQUIT);
        kit_sleep(&self.kit, 300);
        pg_start(server);
        UNIT_CHECK(wait_left(&self, 0, 10000) >= 0, "%d rows left", (int)rows_left(&self));
        CU_ASSERT_TRUE(executed(&self) >= 10);
    }
    teardown(&self);
}

/* Two relays on one table deliver no row twice while both live. */
static void two_instances_share_the_work(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;
    struct db *db;
    struct outbox *second;

    if (setup(&self, loop, "two", methods)) {
        db = db_new(loop, self.kit.metrics, &self.options);
        second = outbox_new(loop, db, self.kit.bus, self.kit.metrics, methods, &self.keys);
        kit_start(&self.kit, 1, "512");
        CU_ASSERT_TRUE(kit_wait(&self.kit, 1));
        for (int i = 0; i < 300; i++) {
            write_row(&self, &kit_work, "once", 1);
            outbox_wake(i % 2 ? self.outbox : second);
        }
        UNIT_CHECK(wait_left(&self, 0, 5000) >= 0, "%d rows left", (int)rows_left(&self));
        UNIT_CHECK(executed(&self) == 300, "%ld", executed(&self));
        outbox_destroy(&second);
        db_destroy(&db);
    }
    teardown(&self);
}

#define ON_FIBER(fn_, warnings_)    \
    static void test_##fn_(void)    \
    {                               \
        unit_expect_log(warnings_); \
        unit_on_fiber(fn_, NULL);   \
    }
ON_FIBER(rows_are_delivered_and_deleted, 0)
ON_FIBER(rows_wait_for_an_absent_service, 0)
ON_FIBER(refusals_are_kept_failures_come_again, 1)
ON_FIBER(the_receiver_is_killed, 2)
ON_FIBER(the_sender_is_killed, 0)
ON_FIBER(the_database_restarts, 1)
ON_FIBER(two_instances_share_the_work, 0)

static const struct unit_case cases[] = {
    CASE(test_rows_are_delivered_and_deleted),
    CASE(test_rows_wait_for_an_absent_service),
    CASE(test_refusals_are_kept_failures_come_again),
    CASE(test_the_receiver_is_killed),
    CASE(test_the_sender_is_killed),
    CASE(test_the_database_restarts),
    CASE(test_two_instances_share_the_work),
};

int main(int argc, char **argv)
{
    int rc;

    kit_server_main(argc, argv);
    sender_main(argc, argv);
    log_open("test_outbox", "1", LOG_WARNING);
    server = pg_new();
    rc = unit_run("outbox", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return rc;
}
