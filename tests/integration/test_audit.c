/*
 * test_audit.c - audit rows in a real PostgreSQL: content, chain, partitions.
 */
#include <libpq-fe.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/service/audit.h"
#include "common/service/audit_chain.h"
#include "tests/support/db_kit.h"
#include "tests/support/pg.h"
#include "tests/support/plans.h"

#define ONE "11111111-1111-4111-8111-111111111111"
#define TWO "22222222-2222-4222-8222-222222222222"
#define SIX "66666666-6666-4666-8666-666666666666"
#define TIME_2026_01_31 1769817600000 /* noon, UTC */
#define DAY_MS 86400000LL

static struct pg *server;
static struct db_migration migrations[2];

static struct request request(struct arena *arena)
{
    return (struct request){.arena = arena,
                            .service = "gateway",
                            .trace = "t1",
                            .address = "192.0.2.1",
                            .userAgent = "Browser",
                            .now_ms = 5,
                            .deadline_mono_ms = clock_mono_ms() + 10000};
}

/* This account has no address key, so addresses are left out; see test_audit_address. */
static void test_a_row_says_who_did_what(void)
{
    static const struct caller caller = {.account = {ONE},
                                         .membership = {TWO},
                                         .project = {ONE},
                                         .profile = {TWO},
                                         .role = ROLE_PRACTITIONER,
                                         .display = "Ana Name"};
    static const struct {
        const char *label;
        const struct caller *caller;
        struct audit what;
        const char *project, *entity, *event;
    } rows[] = {
        {"a person's act",
         &caller,
         {.action = "thing.create", .type = "Thing", .id = {SIX}, .detail = "blue"},
         ONE,
         "Thing/" SIX,
         "{\"action\":\"thing.create\",\"outcome\":\"success\",\"account\":\"" ONE
         "\",\"agent\":{\"account\":\"" ONE "\",\"membership\":\"" TWO
         "\",\"profile\":\"Practitioner/" TWO "\",\"service\":\"gateway\"},"
         "\"trace\":\"t1\",\"detail\":\"blue\"}"},
        {"a stranger's failure",
         NULL,
         {.action = "session.create",
          .failure = true,
          .project = {TWO},
          .account = {SIX},
          .role = ROLE_PATIENT,
          .detail = "password"},
         TWO,
         NULL,
         "{\"action\":\"session.create\",\"outcome\":\"failure\",\"account\":\"" SIX
         "\",\"role\":\"Patient\",\"agent\":{\"service\":\"gateway\"},"
         "\"trace\":\"t1\",\"detail\":\"password\"}"},
        {"about somebody else, elsewhere",
         &caller,
         {.action = "a.b", .project = {SIX}, .account = {SIX}},
         SIX,
         NULL,
         "{\"action\":\"a.b\",\"outcome\":\"success\",\"account\":\"" SIX
         "\",\"agent\":{\"account\":\"" ONE "\",\"membership\":\"" TWO
         "\",\"profile\":\"Practitioner/" TWO "\",\"service\":\"gateway\"},"
         "\"trace\":\"t1\"}"},
        {"of no project and nothing",
         NULL,
         {.action = "key.create", .type = "Key"},
         "",
         NULL,
         "{\"action\":\"key.create\",\"outcome\":\"success\",\"agent\":{\"service\":\"gateway\"},"
         "\"address\":\"192.0.2.1\",\"trace\":\"t1\"}"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct request req = request(arena);
        struct sql_audit row;

        req.caller = rows[i].caller;
        row = audit_row(&req, &rows[i].what);
        UNIT_CHECK(strcmp(row.project.text, rows[i].project) == 0, "%s: %s", rows[i].label,
                   row.project.text);
        UNIT_CHECK(strcmp(row.entity ? row.entity : "", rows[i].entity ? rows[i].entity : "") == 0,
                   "%s: %s", rows[i].label, row.entity);
        UNIT_CHECK(strcmp(row.event, rows[i].event) == 0, "%s: %s", rows[i].label, row.event);
        CU_ASSERT_EQUAL(row.at, 5);
    }
}

/* Another program computed these values from audit_chain.h's description. */
static void test_the_hash_is_the_one_described(void)
{
    static const struct audit_record first = {
        1, 7, 1767225600000, {ONE}, "Session/1", "{\"action\":\"session.create\"}", {NULL, 0}};
    static const struct audit_record second = {2, 9, -1, {""}, NULL, "{}", {NULL, 0}};
    static const struct audit_record empty = {2, 9, -1, {""}, "", "{}", {NULL, 0}};
    static const struct {
        const struct audit_record *record;
        const char *want;
    } rows[] = {
        {&first, "bd79921f728e219519cb809437e88cec2970bb9edfec49b84f0b54e58abaa818"},
        {&second, "5a39e6875292d80b9e9e03677ed438d43a0d24fa1b48e55b5dcfa4189b648d00"},
        {&empty, "b6a652f952d734a46e79fbfec589fda00dcd83260d7779f7cc9490a02a4e087f"},
    };
    uint8_t hash[AUDIT_HASH_SIZE], behind[AUDIT_HASH_SIZE];
    char text[2 * AUDIT_HASH_SIZE + 1];

    audit_hash(&first, (struct field_bytes){NULL, 0}, behind);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        audit_hash(rows[i].record, (struct field_bytes){behind, i > 0 ? sizeof(behind) : 0}, hash);
        sodium_bin2hex(text, sizeof(text), hash, sizeof(hash));
        UNIT_CHECK(strcmp(text, rows[i].want) == 0, "%zu: %s", i, text);
    }
}

struct fixture {
    struct loop *loop;
    struct arena *arena;
    struct metrics *metrics;
    const char *schema;
    struct db_options options;
    struct db *db;
    struct audit_chain *chain;
};

static void setup(struct fixture *self, struct loop *loop, const char *schema)
{
    struct error err;

    *self = (struct fixture){
        .loop = loop,
        .arena = arena_new(),
        .metrics = metrics_new(),
        .schema = schema,
        .options = {.conninfo = server->conninfo,
                    .schema = schema,
                    .program = schema,
                    .migrations = migrations,
                    .read_connections = 1,
                    .write_connections = 2,
                    .statement_timeout_ms = 5000,
                    .queue_max = 64},
    };
    error_init(&err, NULL);
    pg_exec(server, arena_printf(self->arena, "create schema if not exists %s", schema));
    self->db = db_new(loop, self->metrics, &self->options);
    self->chain = audit_chain_new(self->arena, self->db, self->metrics);
    UNIT_CHECK(db_kit_prepare(self->db, &err) == 0, "%s %s", err.message, err.detail);
}

static void teardown(struct fixture *self)
{
    db_destroy(&self->db);
    metrics_destroy(&self->metrics);
    arena_destroy(&self->arena);
}

static long ask(const struct fixture *self, const char *sql)
{
    return pg_exec(server,
                   arena_printf(self->arena, "set search_path = %s; %s", self->schema, sql));
}

static void add_rows(const struct fixture *self, int64_t at, int count)
{
    ask(self, arena_printf(self->arena,
                           "insert into audit (at, project_id, entity, event) select %lld, '%s', "
                           "'Thing/' || i, json_build_object('n', i) from generate_series(1, %d) i",
                           (long long)at, ONE, count));
}

static int run_at(struct fixture *self, int64_t now_ms)
{
    struct request req = request(self->arena);
    struct error err;

    error_init(&err, self->arena);
    req.now_ms = now_ms;
    return UNIT_CHECK(audit_chain_run(self->chain, &req, &err) == 0, "%s %s", err.message,
                      err.detail);
}

/* Checks that every row is in the chain once and fits the previous one. Returns the count. */
static int64_t walk(struct fixture *self)
{
    struct request req = request(self->arena);
    struct field_bytes previous = {NULL, 0};
    struct audit_state state;
    struct error err;
    int64_t after = 0;

    error_init(&err, self->arena);
    if (!UNIT_CHECK(audit_chain_state(self->chain, &req, &state, &err) == 0, "%s", err.message))
        return -1;
    for (;;) {
        struct field_list page = {NULL, 0};
        const struct audit_record *row;

        if (!UNIT_CHECK(audit_chain_page(self->chain, &req, (struct uuid){""}, after, 700, &page,
                                         &err) == 0,
                        "%s", err.message))
            return -1;
        row = page.items;
        for (size_t i = 0; i < page.count; i++) {
            uint8_t hash[AUDIT_HASH_SIZE];

            audit_hash(&row[i], previous, hash);
            if (!UNIT_CHECK(row[i].sequence == after + 1 && row[i].hash.size == sizeof(hash) &&
                                memcmp(row[i].hash.bytes, hash, sizeof(hash)) == 0,
                            "row %lld behind %lld", (long long)row[i].sequence, (long long)after))
                return -1;
            after = row[i].sequence;
            previous = row[i].hash;
        }
        if (page.count == 0)
            break;
    }
    UNIT_CHECK(state.sequence == after && state.hash.size == previous.size &&
                   (previous.size == 0 ||
                    memcmp(state.hash.bytes, previous.bytes, previous.size) == 0),
               "the end is %lld, not %lld", (long long)after, (long long)state.sequence);
    return after;
}

static void seal_in_order(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;

    setup(&self, loop, "ordered");
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&self), 0);
    add_rows(&self, TIME_2026_01_31, 2500); /* more than two batches in one round */
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from audit where sequence is null"), 2500);
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&self), 2500);
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from audit where sequence = id"), 2500);
    add_rows(&self, TIME_2026_01_31 - 1000 * DAY_MS, 3); /* a clock that was set back */
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&self), 2503);
    teardown(&self);
}

static void wait_for_a_place(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;
    const int64_t *waiting_s;

    setup(&self, loop, "behind");
    waiting_s = metrics_gauge_cell(self.metrics, "atrium_audit_waiting_seconds", "");
    add_rows(&self, TIME_2026_01_31, 3);
    run_at(&self, TIME_2026_01_31 + 90500);
    CU_ASSERT_EQUAL(*waiting_s, 90);
    run_at(&self, TIME_2026_01_31 + 91000);
    CU_ASSERT_EQUAL(*waiting_s, 0);
    teardown(&self);
}

static void test_a_late_seal_is_measured(void)
{
    unit_on_fiber(wait_for_a_place, NULL);
}

static void test_rows_are_sealed_in_order(void)
{
    unit_on_fiber(seal_in_order, NULL);
}

static void seal_late(struct loop *loop, void *arg UNUSED)
{
    PGconn *late = PQconnectdb(server->conninfo);
    struct fixture self;

    setup(&self, loop, "late");
    PQclear(PQexec(late, "begin; insert into late.audit (at, event) values (1, '{}')"));
    add_rows(&self, 1, 1);
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&self), 1);
    PQclear(PQexec(late, "commit"));
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&self), 2);
    CU_ASSERT_EQUAL(ask(&self, "select id from audit where sequence = 2"), 1);
    PQfinish(late);
    teardown(&self);
}

static void test_the_order_is_that_of_commits(void)
{
    unit_on_fiber(seal_late, NULL);
}

/* While a snapshot may need sealed rows, they stay in the index of unsealed ones. Reads allowed per
 * row: two by the twenty batches and two by walk(). If each batch started at the first row, there
 * would be ten more. */
static void seal_beside_a_snapshot(struct loop *loop, void *arg UNUSED)
{
    enum { ROWS = 20000 };
    static const char count[] = "select sum(idx_tup_read) from pg_stat_user_indexes where "
                                "schemaname = 'beside' and indexrelname like '%\\_id\\_idx'";
    PGconn *snapshot = PQconnectdb(server->conninfo);
    struct fixture self;
    long read = 0;

    setup(&self, loop, "beside");
    run_at(&self, TIME_2026_01_31);
    PQclear(PQexec(snapshot, "begin isolation level repeatable read; select from beside.audit"));
    add_rows(&self, TIME_2026_01_31, ROWS);
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&self), ROWS);
    PQfinish(snapshot);
    teardown(&self); /* a closed connection reports its reads */
    for (int i = 0; i < 500 && read < 4 * ROWS; i++) {
        usleep(10000);
        read = pg_exec(server, count);
    }
    UNIT_CHECK(read >= 4 * ROWS && read < 5 * ROWS, "%ld index entries were read", read);
}

static void test_a_batch_reads_none_of_those_before(void)
{
    unit_on_fiber(seal_beside_a_snapshot, NULL);
}

enum { WRITERS = 3, WRITES = 400 };

static void write_alone(void)
{
    PGconn *conn = PQconnectdb(server->conninfo);

    for (int i = 0; i < WRITES; i++)
        PQclear(PQexec(conn, "insert into two.audit (at, event) values (1, '{}')"));
    PQfinish(conn);
    _exit(0);
}

struct chainer {
    struct fixture fixture;
    bool *stop;
    int rounds;
    bool done;
};

static void chain_on(void *arg)
{
    struct chainer *self = arg;
    struct error err;

    error_init(&err, NULL);
    while (!*self->stop) {
        run_at(&self->fixture, TIME_2026_01_31);
        self->rounds++;
        if (fiber_sleep_until(self->fixture.loop, clock_mono_ms() + 1, &err) < 0)
            break;
    }
    self->done = true;
}

static void chain_twice(struct loop *loop, void *arg UNUSED)
{
    static struct chainer chainers[2];
    pid_t writers[WRITERS];
    bool stop = false;
    struct error err;

    error_init(&err, NULL);
    for (int i = 0; i < 2; i++) {
        setup(&chainers[i].fixture, loop, "two");
        chainers[i].stop = &stop;
    }
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0)
            write_alone();
    }
    for (int i = 0; i < 2; i++)
        UNIT_REQUIRE(fiber_start(loop, chain_on, &chainers[i], &err) == 0, "%s", err.message);
    for (int i = 0; i < WRITERS; i++) {
        while (waitpid(writers[i], NULL, WNOHANG) == 0) {
            if (fiber_sleep_until(loop, clock_mono_ms() + 5, &err) < 0)
                return;
        }
    }
    stop = true;
    while (!chainers[0].done || !chainers[1].done) {
        if (fiber_sleep_until(loop, clock_mono_ms() + 5, &err) < 0)
            return;
    }
    run_at(&chainers[0].fixture, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&chainers[1].fixture), WRITERS * WRITES);
    CU_ASSERT_TRUE(chainers[0].rounds > 0 && chainers[1].rounds > 0);
    teardown(&chainers[0].fixture);
    teardown(&chainers[1].fixture);
}

static void test_two_chainers_make_one_chain(void)
{
    unit_on_fiber(chain_twice, NULL);
}

/* The session with the lock on the chain's end seals; other chainers return without waiting. */
static void yield_to_another(struct loop *loop, void *arg UNUSED)
{
    PGconn *other = PQconnectdb(server->conninfo);
    struct fixture self;

    setup(&self, loop, "held");
    add_rows(&self, 1, 3);
    PQclear(PQexec(other, "begin; select from held.audit_head for update"));
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from audit where sequence is null"), 3);
    PQfinish(other); /* the lock ends with it */
    for (int i = 0; i < 500 && ask(&self, "select count(*) from audit where sequence is null"); i++)
        run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&self), 3);
    teardown(&self);
}

static void test_a_chainer_yields_to_another(void)
{
    unit_on_fiber(yield_to_another, NULL);
}

static void keep_months(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *label;
        int64_t now;
        long partitions; /* besides audit_other */
    } rows[] = {
        {"this month and the next", TIME_2026_01_31, 2},
        {"the same month again", TIME_2026_01_31, 2},
        {"a month on", TIME_2026_01_31 + DAY_MS, 3},
        {"back", TIME_2026_01_31, 3},
        {"five years on", TIME_2026_01_31 + 1826 * DAY_MS, 5},
        {"before the epoch", -1, 5},
        {"beyond all years", 253402300800000, 5},
        {"no time at all", INT64_MAX, 5},
        {"back again", TIME_2026_01_31, 5},
    };
    struct fixture self;

    setup(&self, loop, "months");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        run_at(&self, rows[i].now);
        add_rows(&self, rows[i].now, 1); /* works at any time: audit_other takes the rest */
        UNIT_CHECK(ask(&self, "select count(*) - 1 from pg_inherits i join pg_class c "
                              "on c.oid = i.inhparent where c.relname = 'audit' "
                              "and c.relnamespace = 'months'::regnamespace") == rows[i].partitions,
                   "%s", rows[i].label);
    }
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&self), (int64_t)ARRAY_SIZE(rows));
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from audit_other"), 3);
    teardown(&self);
}

static void test_months_are_made_ahead(void)
{
    unit_on_fiber(keep_months, NULL);
}

/* Rows written before their month has a partition stay where they are, and that month gets none. */
static void jump_ahead(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;

    setup(&self, loop, "jumps");
    run_at(&self, TIME_2026_01_31);
    add_rows(&self, TIME_2026_01_31, 1);
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from audit_2026_01"), 1);
    add_rows(&self, TIME_2026_01_31 + 100 * DAY_MS, 2);
    run_at(&self, TIME_2026_01_31 + 100 * DAY_MS);
    add_rows(&self, TIME_2026_01_31 + 100 * DAY_MS, 3);
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from audit_other"), 5);
    add_rows(&self, TIME_2026_01_31 + 130 * DAY_MS, 1);
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from audit_2026_06"), 1);
    run_at(&self, TIME_2026_01_31 + 100 * DAY_MS);
    CU_ASSERT_EQUAL(walk(&self), 7);
    teardown(&self);
}

static void test_a_clock_may_jump(void)
{
    unit_on_fiber(jump_ahead, NULL);
}

static pid_t watch_locks(void)
{
    pid_t pid = fork();
    PGconn *conn;

    if (pid != 0)
        return pid;
    conn = PQconnectdb(server->conninfo);
    for (int64_t end = clock_mono_ms() + 30000; clock_mono_ms() < end;) {
        PGresult *held = PQexec(conn, "select from pg_locks where granted "
                                      "and relation = 'backup.audit'::regclass "
                                      "and mode = 'ShareRowExclusiveLock'");

        if (PQntuples(held) > 0)
            _exit(1);
        PQclear(held);
    }
    _exit(0);
}

/* A backup reads every table for hours. Meanwhile no month is added, and no writer waits for
 * one. */
static void wait_for_backup(struct loop *loop, void *arg UNUSED)
{
    PGconn *backup = PQconnectdb(server->conninfo);
    int status = -1;
    struct fixture self;
    pid_t watch;

    setup(&self, loop, "backup");
    PQclear(PQexec(backup, "begin; select count(*) from backup.audit"));
    watch = watch_locks();
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(ask(&self, "select count(to_regclass('audit_2026_01'))"), 0);
    kill(watch, SIGKILL);
    waitpid(watch, &status, 0);
    UNIT_CHECK(WIFSIGNALED(status), "writers were kept out for nothing");
    add_rows(&self, TIME_2026_01_31, 2);
    run_at(&self, TIME_2026_01_31);
    CU_ASSERT_EQUAL(walk(&self), 2);
    PQfinish(backup);
    teardown(&self);
}

static void test_a_month_waits_for_a_backup(void)
{
    unit_on_fiber(wait_for_backup, NULL);
}

static void drop_month(struct loop *loop, void *arg UNUSED)
{
    struct request req;
    const struct audit_gap *gap;
    struct field_list gaps;
    struct fixture self;
    struct error err;

    error_init(&err, NULL);
    setup(&self, loop, "dropped");
    req = request(self.arena);
    run_at(&self, TIME_2026_01_31);
    for (int i = 0; i < 2; i++) { /* two runs of January rows, because the clock was set back */
        add_rows(&self, TIME_2026_01_31, 5);
        run_at(&self, TIME_2026_01_31);
        add_rows(&self, TIME_2026_01_31 + 5 * DAY_MS, 2);
        run_at(&self, TIME_2026_01_31);
    }
    CU_ASSERT_EQUAL(ask(&self, "select audit_drop('audit_2026_01')"), 10);
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from audit"), 4);
    UNIT_REQUIRE(audit_chain_gaps(self.chain, &req, 0, 10, &gaps, &err) == 0, "%s", err.message);
    gap = gaps.items;
    UNIT_REQUIRE(gaps.count == 2, "%zu gaps", gaps.count);
    CU_ASSERT_TRUE(gap[0].first == 1 && gap[0].last == 5 && gap[0].hash.size == AUDIT_HASH_SIZE);
    CU_ASSERT_TRUE(gap[1].first == 8 && gap[1].last == 12);
    UNIT_REQUIRE(audit_chain_gaps(self.chain, &req, 5, 10, &gaps, &err) == 0, "%s", err.message);
    CU_ASSERT_EQUAL(gaps.count, 1);
    teardown(&self);
}

static void test_a_month_can_be_dropped(void)
{
    unit_on_fiber(drop_month, NULL);
}

static void test_no_month_is_read_from_end_to_end(void)
{
    static const struct plans plans = {
        .schema = "jumps", .sql = {service_audit_sql}, .small = "audit_head audit_gap"};
    PGconn *conn = plans_open(&plans, server);
    char plan[16384];

    PQclear(PQexec(conn, "set plan_cache_mode = force_generic_plan"));
    for (size_t i = 0; plans_statement(&plans, i); i++) {
        plans_explain(conn, plans_statement(&plans, i), plan, sizeof(plan));
        UNIT_CHECK(!plans_scan_whole(&plans, plan), "%s: %s", plans_statement(&plans, i)->name,
                   plan);
    }
    PQfinish(conn);
}

static const struct unit_case cases[] = {
    CASE(test_a_row_says_who_did_what),
    CASE(test_the_hash_is_the_one_described),
    CASE(test_rows_are_sealed_in_order),
    CASE(test_a_late_seal_is_measured),
    CASE(test_the_order_is_that_of_commits),
    CASE(test_a_batch_reads_none_of_those_before),
    CASE(test_two_chainers_make_one_chain),
    CASE(test_a_chainer_yields_to_another),
    CASE(test_months_are_made_ahead),
    CASE(test_a_clock_may_jump),
    CASE(test_a_month_waits_for_a_backup),
    CASE(test_a_month_can_be_dropped),
    CASE(test_no_month_is_read_from_end_to_end),
};

/* Reads the migration that every daemon has. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (!file || getdelim(&text, &size, '\0', file) < 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

int main(void)
{
    char *sql = read_file("common/service/schema/audit.sql");
    int failed;

    migrations[0] = (struct db_migration){"0001_audit", sql};
    server = pg_new();
    failed = unit_run("audit", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    free(sql);
    return failed;
}
