/*
 * test_db.c - the database layer on a real PostgreSQL: pipelining, errors, transactions, rows,
 * plans. See test_db_outages.c for faults.
 *
 * tier: time quiet
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/support/db_jobs.h"

enum {
    SQL_DIVIDE = DB_JOBS,
    SQL_GET,
    SQL_TX_PUT,
    SQL_TYPES,
    SQL_NULLS,
    SQL_ROWS,
    SQL_TX_PID,
    SQL_DIE,
    SQL_REPORT,
    SQL_PAGE,
    SQL_PLANNED,
};

static const struct db_statement statements[] = {
    DB_JOB_STATEMENTS,
    DB_STATEMENT("SQL_DIVIDE", READ, 1, "select 1 / $1::int4"),
    DB_STATEMENT("SQL_GET", READ, 1, "select size from thing where id = $1"),
    DB_STATEMENT("SQL_TX_PUT", TX, 2, "insert into thing (id, size) values ($1, $2)"),
    DB_STATEMENT("SQL_TYPES", READ, 4,
                 "select $1::text, $2::uuid, $3::bytea, $4::bool, 7::int2, -8::int4, 'v'::varchar"),
    DB_STATEMENT("SQL_NULLS", READ, 0,
                 "select null::text, null::uuid, null::bytea, null::bool, null::int2, null::int4, "
                 "null::int8"),
    DB_STATEMENT("SQL_ROWS", READ, 1,
                 "select 'n' || i as \"fileName\", i::int8 as size, i % 2 = 0 as public, "
                 "null::bool as maybe,"
                 " i as stranger, '{\"a\":1}'::jsonb::text as extra, '\\x0001'::bytea as raw"
                 " from generate_series(1, $1::int4) as i"),
    DB_STATEMENT("SQL_TX_PID", TX, 0, "select pg_backend_pid()"),
    DB_STATEMENT("SQL_DIE", READ, 0, "select pg_terminate_backend(pg_backend_pid())"),
    DB_STATEMENT("SQL_REPORT", READ, 0, "select pg_stat_force_next_flush()::text"),
    DB_STATEMENT("SQL_PAGE", READ, 2, "select id from thing where id > $1 order by id limit $2"),
    DB_STATEMENT(
        "SQL_PLANNED", READ, 0,
        "select generic_plans, custom_plans from pg_prepared_statements where name = 'SQL_PAGE'"),
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

static void values_of_every_type(struct loop *loop, void *arg UNUSED)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL, *nulls = NULL;
    struct uuid id = uuid_random(), got;
    struct db_fixture self;

    if (setup(&self, loop, "types")) {
        UNIT_CHECK(DB_KIT_QUERY(&self, SQL_TYPES, &res, DB_TEXT("Zoë"), DB_UUID(id),
                                DB_BYTES("a\0b", 3), DB_BOOL(true)) == 0,
                   "%s", self.err.detail);
        UNIT_CHECK(DB_KIT_QUERY(&self, SQL_NULLS, &nulls) == 0, "%s", self.err.detail);
    }
    if (res && nulls) {
        CU_ASSERT_STRING_EQUAL(db_text(res, 0, 0), "Zoë");
        got = db_uuid(res, 0, 1);
        CU_ASSERT_STRING_EQUAL(got.text, id.text);
        CU_ASSERT_EQUAL(db_bytes(res, 0, 2).size, 3);
        CU_ASSERT_EQUAL(memcmp(db_bytes(res, 0, 2).bytes, "a\0b", 3), 0);
        CU_ASSERT_TRUE(db_bool(res, 0, 3));
        CU_ASSERT_EQUAL(db_int(res, 0, 4), 7);
        CU_ASSERT_EQUAL(db_int(res, 0, 5), -8);
        CU_ASSERT_STRING_EQUAL(db_text(res, 0, 6), "v");
        got = db_uuid(nulls, 0, 1);
        CU_ASSERT_STRING_EQUAL(db_text(nulls, 0, 0), "");
        CU_ASSERT_STRING_EQUAL(got.text, "");
        CU_ASSERT_PTR_NULL(db_bytes(nulls, 0, 2).bytes);
        CU_ASSERT_FALSE(db_bool(nulls, 0, 3));
        CU_ASSERT_EQUAL(db_int(nulls, 0, 4) + db_int(nulls, 0, 5) + db_int(nulls, 0, 6), 0);
        CU_ASSERT_TRUE(db_is_null(nulls, 0, 6));
    }
    db_kit_teardown(&self);
}

struct entry {
    const char *fileName, *extra, *missing;
    int64_t size;
    bool public;
    enum tristate maybe;
    struct field_bytes raw;
};
static const struct field entry_rows[] = {
    FIELD_TEXT(struct entry, fileName, 0, 100, 0, "", ""),
    FIELD_JSON(struct entry, extra, 100, 0, "", ""),
    FIELD_TEXT(struct entry, missing, 0, 100, 0, "", ""),
    FIELD_INT(struct entry, size, 0, 100, 0, 0, "", ""),
    FIELD_BOOL(struct entry, public, false, 0, ""),
    FIELD_TRISTATE(struct entry, maybe, 0, ""),
    FIELD_BYTES(struct entry, raw, 100, 0, ""),
};
static FIELD_TABLE(entry);

static void rows_fill_structs_by_column_name(struct loop *loop, void *arg UNUSED)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct entry one = {.missing = "kept"};
    const struct entry *items;
    struct field_list list;
    struct db_fixture self;

    if (setup(&self, loop, "rows") && DB_KIT_QUERY(&self, SQL_ROWS, &res, DB_INT(3)) == 0) {
        db_row(res, 1, &entry_table, arena, &one);
        list = db_list(res, &entry_table, arena);
        db_result_destroy(&res);
        items = list.items;
        CU_ASSERT_STRING_EQUAL(one.fileName, "n2");
        CU_ASSERT_STRING_EQUAL(one.missing, "kept");
        CU_ASSERT_STRING_EQUAL(one.extra, "{\"a\": 1}");
        CU_ASSERT_TRUE(one.public);
        CU_ASSERT_EQUAL(one.maybe, TRISTATE_UNSET);
        CU_ASSERT_TRUE(one.raw.size == 2 && one.raw.bytes[1] == 1);
        CU_ASSERT_EQUAL(list.count, 3);
        CU_ASSERT_STRING_EQUAL(items[2].fileName, "n3");
        CU_ASSERT_EQUAL(items[2].size, 3);
        CU_ASSERT_FALSE(items[2].public);
    }
    db_kit_teardown(&self);
}

/* Twenty requests' statements are sent in one turn; one fails without effect on its neighbors. */
static void statements_of_many_requests_are_in_flight_together(struct loop *loop, void *arg UNUSED)
{
    struct db_job jobs[20] = {0};
    struct db_fixture self;
    struct db_stats before, after;
    int64_t statements_sent;

    if (!setup(&self, loop, "pipelining")) {
        db_kit_teardown(&self);
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
        jobs[i] = (struct db_job){.statement = SQL_ADD, .a = (int64_t)i, .b = 100, .params = 2};
    jobs[7] = (struct db_job){.statement = SQL_DIVIDE, .params = 1};
    before = db_stats(self.db);
    db_jobs_start(&self, jobs, ARRAY_SIZE(jobs));
    db_jobs_wait(&self, jobs, ARRAY_SIZE(jobs));
    after = db_stats(self.db);
    for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
        if (i == 7)
            UNIT_CHECK(jobs[i].rc < 0 && strcmp(jobs[i].err.sqlstate, "22012") == 0 &&
                           jobs[i].err.code == ERR_INTERNAL,
                       "%s", jobs[i].err.detail);
        else
            UNIT_CHECK(jobs[i].rc == 0 && jobs[i].value == (int64_t)i + 100, "%zu: %s", i,
                       jobs[i].err.message);
    }
    statements_sent = (int64_t)(after.statements - before.statements);
    UNIT_CHECK(statements_sent == 20, "%d", (int)statements_sent);
    UNIT_CHECK(after.flushes - before.flushes <= 4, "%d", (int)(after.flushes - before.flushes));
    UNIT_CHECK(after.in_flight_max >= 10, "%zu", after.in_flight_max);
    db_kit_teardown(&self);
}

static long count_connections(const char *schema)
{
    char sql[128];

    snprintf(sql, sizeof(sql),
             "select count(*) from pg_stat_activity where application_name = '%s'", schema);
    return pg_exec(server, sql);
}

/* Each connection costs a server process, so short concurrent statements share the existing ones. A
 * busy machine can delay a burst once; then another handle is tried. */
static void a_burst_opens_no_connection(struct loop *loop, void *arg UNUSED)
{
    struct db_job jobs[20] = {0},
                  first = {.statement = SQL_ADD,
                           .params = 2}; /* the first query prepares the statement */
    struct db_fixture self;
    bool shared = false;

    for (int i = 0; i < 10 && !shared; i++) {
        char schema[32];
        long before;

        snprintf(schema, sizeof(schema), "bursts_%d", i);
        if (setup(&self, loop, schema)) {
            db_jobs_start(&self, &first, 1);
            db_jobs_wait(&self, &first, 1);
            before = count_connections(schema);
            db_kit_sleep_ms(&self, 1); /* another turn of the loop */
            for (size_t j = 0; j < ARRAY_SIZE(jobs); j++)
                jobs[j] = (struct db_job){.statement = SQL_ADD, .params = 2};
            db_jobs_start(&self, jobs, ARRAY_SIZE(jobs));
            db_jobs_wait(&self, jobs, ARRAY_SIZE(jobs));
            db_kit_sleep_ms(&self, 100);
            shared = count_connections(schema) == before;
        }
        db_kit_teardown(&self);
    }
    CU_ASSERT_TRUE(shared);
}

/* A long statement occupies its connection, so a second one is opened for queued statements, even
 * if no new ones come. */
static void a_long_statement_opens_another_connection(struct loop *loop, void *arg UNUSED)
{
    struct db_job long_one = {.statement = SQL_SLEEP, .a = 1500, .params = 1};
    struct db_job behind = {.statement = SQL_ADD, .params = 2}, next = behind;
    struct db_fixture self;
    long before = 0;
    int64_t since;

    if (setup(&self, loop, "long_statement")) {
        before = count_connections("long_statement");
        db_jobs_start(&self, &long_one, 1);
        db_kit_sleep_ms(&self, 1);
        db_jobs_start(&self, &behind, 1);
        db_kit_sleep_ms(&self, 500);
        since = clock_mono_ms();
        db_jobs_start(&self, &next, 1);
        db_jobs_wait(&self, &next, 1);
        UNIT_CHECK(next.rc == 0 && !long_one.done && clock_mono_ms() - since < 500, "%d ms: %s",
                   (int)(clock_mono_ms() - since), next.err.message);
        CU_ASSERT_EQUAL(count_connections("long_statement"), before + 1);
        db_jobs_wait(&self, &behind, 1);
        db_jobs_wait(&self, &long_one, 1);
    }
    db_kit_teardown(&self);
}

/* Reads of a turn share a Sync. Each failed one gets its own error, the others their results. A
 * write among them is never repeated. */
static void reads_of_a_turn_share_a_sync_and_no_error(struct loop *loop, void *arg UNUSED)
{
    struct db_job jobs[60] = {0};
    struct db_fixture self;
    struct db_stats before, after;

    if (!setup(&self, loop, "shared_syncs")) {
        db_kit_teardown(&self);
        return;
    }
    for (int round = 0; round < 3; round++) { /* the first round prepares the statement */
        memset(jobs, 0, sizeof(jobs));
        for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
            jobs[i] = (struct db_job){.statement = SQL_ADD, .a = (int64_t)i, .b = 100, .params = 2};
            if (round < 2 && i % 7 == 3)
                jobs[i] = (struct db_job){.statement = SQL_DIVIDE, .params = 1};
            if (round < 2 && i % 20 == 5)
                jobs[i] = (struct db_job){
                    .statement = SQL_PUT, .a = 100 * round + (int64_t)i, .b = 1, .params = 2};
        }
        before = db_stats(self.db);
        db_jobs_start(&self, jobs, ARRAY_SIZE(jobs));
        db_jobs_wait(&self, jobs, ARRAY_SIZE(jobs));
        after = db_stats(self.db);
        for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
            if (jobs[i].statement == SQL_DIVIDE)
                UNIT_CHECK(jobs[i].rc < 0 && strcmp(jobs[i].err.sqlstate, "22012") == 0, "%zu: %s",
                           i, jobs[i].err.message);
            else
                UNIT_CHECK(jobs[i].rc == 0, "%zu: %s", i, jobs[i].err.message);
            if (jobs[i].statement == SQL_ADD)
                UNIT_CHECK(jobs[i].value == (int64_t)i + 100, "%zu", i);
        }
    }
    CU_ASSERT_EQUAL(db_jobs_count_things(&self), 6);
    UNIT_CHECK(after.statements - before.statements == 60, "%d",
               (int)(after.statements - before.statements));
    UNIT_CHECK(after.syncs - before.syncs <= 10, "%d", (int)(after.syncs - before.syncs));
    db_kit_teardown(&self);
}

static void a_violated_constraint_is_a_conflict_with_its_name(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *label;
        int64_t id, size;
        enum error_code code;
        const char *constraint;
    } cases[] = {
        {"new", 1, 1, ERR_NONE, ""},
        {"unique", 1, 2, ERR_CONFLICT, "thing_pkey"},
        {"check", 2, -1, ERR_CONFLICT, "thing_size"},
    };
    struct db_fixture self;

    if (setup(&self, loop, "constraints"))
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
            CLEANUP(db_result_destroy) struct db_result *res = NULL;
            int rc;

            error_clear(&self.err);
            rc = DB_KIT_QUERY(&self, SQL_PUT, &res, DB_INT(cases[i].id), DB_INT(cases[i].size));
            UNIT_CHECK((rc < 0) == (cases[i].code != ERR_NONE) && self.err.code == cases[i].code &&
                           strcmp(self.err.constraint, cases[i].constraint) == 0,
                       "%s: %d %s", cases[i].label, self.err.code, self.err.detail);
            UNIT_CHECK(rc < 0 || db_affected(res) == 1, "%s", cases[i].label);
            UNIT_CHECK(!strstr(self.err.detail, "Key"), "%s", self.err.detail);
        }
    db_kit_teardown(&self);
}

/* A fiber that times out leaves its slot in the pipeline; later ones get their own results. */
static void deadlines_and_the_statement_timeout(struct loop *loop, void *arg UNUSED)
{
    struct db_job jobs[] = {
        {.statement = SQL_SLEEP, .a = 1500, .params = 1, .timeout_ms = 50},
        {.statement = SQL_SLEEP, .a = 1500, .params = 1, .timeout_ms = 50},
        {.statement = SQL_ADD, .a = 1, .b = 2, .params = 2},
        {.statement = SQL_ADD, .a = 3, .b = 4, .params = 2},
        {.statement = SQL_PUT_SLOWLY, .a = 5, .b = 5, .params = 2, .timeout_ms = 50},
        {.statement = SQL_SLEEP, .a = 9000, .params = 1},
    };
    struct db_fixture self;
    int64_t started;

    if (setup(&self, loop, "deadlines")) {
        started = clock_mono_ms();
        db_jobs_start(&self, jobs, 5);
        db_jobs_wait(&self, jobs, 2);
        UNIT_CHECK(clock_mono_ms() - started < 1000, "%d", (int)(clock_mono_ms() - started));
        db_jobs_wait(&self, jobs, 5);
        CU_ASSERT_EQUAL(jobs[0].err.code, ERR_DEADLINE);
        CU_ASSERT_EQUAL(jobs[1].err.code, ERR_DEADLINE);
        CU_ASSERT_EQUAL(jobs[2].value, 3);
        CU_ASSERT_EQUAL(jobs[3].value, 7);
        CU_ASSERT_EQUAL(jobs[4].err.code, ERR_UNCERTAIN);
        db_jobs_start(&self, jobs + 5, 1); /* longer than statement_timeout */
        db_jobs_wait(&self, jobs + 5, 1);
        CU_ASSERT_EQUAL(jobs[5].err.code, ERR_DEADLINE);
        CU_ASSERT_STRING_EQUAL(jobs[5].err.sqlstate, "57014");
        CU_ASSERT_EQUAL(db_jobs_count_things(&self), 1); /* the slow insert succeeded after all */
    }
    db_kit_teardown(&self);
}

static void an_overload_is_refused_at_once(struct loop *loop, void *arg UNUSED)
{
    static struct db_job jobs[402];
    int ok = 0, refused = 0;
    struct db_fixture self;

    if (setup(&self, loop, "overload")) {
        for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
            jobs[i] = (struct db_job){.statement = SQL_ADD, .a = 1, .b = 1, .params = 2};
        jobs[0] = jobs[2] = (struct db_job){.statement = SQL_SLEEP, .a = 2000, .params = 1};
        db_jobs_start(&self, jobs, 2); /* opens the second connection */
        while (pg_exec(server, "select count(*) from pg_stat_activity where application_name = "
                               "'overload'") < 4)
            db_kit_sleep_ms(&self, 20);
        db_kit_sleep_ms(&self, 200); /* both connections are ready here */
        db_jobs_start(&self, jobs + 2, 1);
        while (pg_exec(server, "select count(*) from pg_stat_activity where application_name = "
                               "'overload' and query like '%pg_sleep%'") < 2)
            db_kit_sleep_ms(&self, 20);
        db_kit_sleep_ms(&self, 300); /* both have been silent for long, so neither is preferred */
        db_jobs_start(&self, jobs + 3, ARRAY_SIZE(jobs) - 3);
        db_kit_sleep_ms(&self, 50);
        for (size_t i = 3; i < ARRAY_SIZE(jobs); i++)
            refused +=
                jobs[i].done && jobs[i].err.code == ERR_OVERLOADED && jobs[i].err.retry_after_s > 0;
        db_jobs_wait(&self, jobs, ARRAY_SIZE(jobs));
        for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
            ok += jobs[i].rc == 0;
        UNIT_CHECK(ok == 2 * 128 + 64, "%d", ok);
        UNIT_CHECK(ok + refused == (int)ARRAY_SIZE(jobs), "%d %d", ok, refused);
    }
    db_kit_teardown(&self);
}

static void transactions_commit_roll_back_and_get_lost(struct loop *loop, void *arg UNUSED)
{
    struct db_tx *tx = NULL;
    struct db_result *res = NULL;
    struct db_fixture self;
    long pid;

    if (!setup(&self, loop, "transactions")) {
        db_kit_teardown(&self);
        return;
    }
    /* a transaction that is committed */
    CU_ASSERT_EQUAL(db_begin(self.db, db_kit_soon(&self), &tx, &self.err), 0);
    CU_ASSERT_EQUAL(db_kit_tx_query(tx, &statements[SQL_TX_PUT], &res, &self.err,
                                    DB_PARAMS(DB_INT(1), DB_INT(1))),
                    0);
    db_result_destroy(&res);
    CU_ASSERT_EQUAL(db_jobs_count_things(&self), 0);
    CU_ASSERT_EQUAL(db_commit(&tx, &self.err), 0);
    CU_ASSERT_PTR_NULL(tx);
    CU_ASSERT_EQUAL(db_jobs_count_things(&self), 1);

    /* a transaction that is destroyed before its commit */
    CU_ASSERT_EQUAL(db_begin(self.db, db_kit_soon(&self), &tx, &self.err), 0);
    CU_ASSERT_EQUAL(db_kit_tx_query(tx, &statements[SQL_TX_PUT], &res, &self.err,
                                    DB_PARAMS(DB_INT(2), DB_INT(1))),
                    0);
    db_result_destroy(&res);
    db_tx_destroy(&tx);
    CU_ASSERT_EQUAL(db_jobs_count_things(&self), 1);

    /* a failed statement prevents the commit */
    CU_ASSERT_EQUAL(db_begin(self.db, db_kit_soon(&self), &tx, &self.err), 0);
    CU_ASSERT_EQUAL(db_kit_tx_query(tx, &statements[SQL_TX_PUT], &res, &self.err,
                                    DB_PARAMS(DB_INT(3), DB_INT(1))),
                    0);
    db_result_destroy(&res);
    CU_ASSERT_TRUE(db_kit_tx_query(tx, &statements[SQL_TX_PUT], &res, &self.err,
                                   DB_PARAMS(DB_INT(3), DB_INT(1))) < 0);
    CU_ASSERT_STRING_EQUAL(self.err.constraint, "thing_pkey");
    error_clear(&self.err);
    CU_ASSERT_TRUE(db_commit(&tx, &self.err) < 0);
    CU_ASSERT_EQUAL(self.err.code, ERR_INTERNAL);
    CU_ASSERT_EQUAL(db_jobs_count_things(&self), 1);

    /* the connection breaks within a transaction, so certainly nothing was done */
    error_clear(&self.err);
    CU_ASSERT_EQUAL(db_begin(self.db, db_kit_soon(&self), &tx, &self.err), 0);
    CU_ASSERT_EQUAL(db_kit_tx_query(tx, &statements[SQL_TX_PID], &res, &self.err, DB_PARAMS()), 0);
    pid = res ? (long)db_int(res, 0, 0) : 0;
    db_result_destroy(&res);
    CU_ASSERT_EQUAL(kill((pid_t)pid, SIGTERM), 0);
    db_kit_sleep_ms(&self, 100);
    CU_ASSERT_TRUE(db_kit_tx_query(tx, &statements[SQL_TX_PUT], &res, &self.err,
                                   DB_PARAMS(DB_INT(4), DB_INT(1))) < 0);
    CU_ASSERT_EQUAL(self.err.code, ERR_UNAVAILABLE);
    db_tx_destroy(&tx);

    /* a transaction's read is not repeated outside it */
    error_clear(&self.err);
    CU_ASSERT_EQUAL(db_begin(self.db, db_kit_soon(&self), &tx, &self.err), 0);
    CU_ASSERT_TRUE(db_kit_tx_query(tx, &statements[SQL_DIE], &res, &self.err, DB_PARAMS()) < 0);
    CU_ASSERT_EQUAL(self.err.code, ERR_UNAVAILABLE);
    CU_ASSERT_EQUAL(db_stats(self.db).reconnects, 2);
    db_tx_destroy(&tx);
    CU_ASSERT_EQUAL(db_jobs_count_things(&self), 1);
    db_kit_teardown(&self);
}

/* More transactions than connections: they take turns, and single writes pass between them. */
struct tx_job {
    struct db_fixture *fixture;
    int id;
    int rc;
    bool done;
};

static void run_tx(void *arg)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct tx_job *job = arg;
    struct db_fixture *self = job->fixture;
    struct error err;

    error_init(&err, NULL);
    job->rc = db_begin(self->db, db_kit_soon(self), &tx, &err);
    if (job->rc == 0)
        job->rc = db_kit_tx_query(tx, &statements[SQL_TX_PUT], &res, &err,
                                  DB_PARAMS(DB_INT(job->id), DB_INT(1)));
    if (job->rc == 0)
        job->rc = fiber_sleep_until(self->loop, clock_mono_ms() + 100, &err);
    if (job->rc == 0 && job->id % 2 == 0)
        job->rc = db_commit(&tx, &err);
    db_tx_destroy(&tx);
    job->done = true;
}

static void leases_take_turns(struct loop *loop, void *arg UNUSED)
{
    struct tx_job jobs[30] = {0};
    struct db_job write = {.statement = SQL_PUT, .a = 1000, .b = 1, .params = 2};
    struct db_fixture self;
    int64_t started = 0;
    bool waiting = true;

    if (setup(&self, loop, "leases")) {
        for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
            jobs[i] = (struct tx_job){.fixture = &self, .id = (int)i};
            if (fiber_start(loop, run_tx, &jobs[i], &self.err) < 0)
                CU_FAIL("fiber_start");
        }
        db_kit_sleep_ms(&self, 60);
        started = clock_mono_ms();
        db_jobs_start(&self, &write, 1);
        db_jobs_wait(&self, &write, 1);
        UNIT_CHECK(write.rc == 0 && clock_mono_ms() - started < 400, "%d ms: %s",
                   (int)(clock_mono_ms() - started), write.err.message);
        for (int i = 0; i < 500 && waiting; i++) {
            db_kit_sleep_ms(&self, 10);
            waiting = false;
            for (size_t j = 0; j < ARRAY_SIZE(jobs); j++)
                waiting |= !jobs[j].done;
        }
        CU_ASSERT_FALSE(waiting);
        for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
            UNIT_CHECK(jobs[i].rc == 0, "%zu", i);
        CU_ASSERT_EQUAL(db_jobs_count_things(&self), 16);
    }
    db_kit_teardown(&self);
}

/* A plan made for an empty table is kept, so it must not read the whole table after it has grown
 * without an analyze. */
static void a_plan_made_for_an_empty_table_suits_a_full_one(struct loop *loop, void *arg UNUSED)
{
    struct db_fixture self;

    if (!setup(&self, loop, "kept_plans"))
        return;
    pg_exec(server, "vacuum (analyze) kept_plans.thing");
    for (int i = 0; i < 12; i++) {
        CLEANUP(db_result_destroy) struct db_result *res = NULL;
        CLEANUP(db_result_destroy) struct db_result *reported = NULL;

        if (i == 10)
            pg_exec(server, "insert into kept_plans.thing (id, size) "
                            "select i, i from generate_series(1, 10000) i");
        CU_ASSERT_EQUAL(DB_KIT_QUERY(&self, SQL_GET, &res, DB_INT(7)), 0);
        CU_ASSERT_EQUAL(db_rows(res), i < 10 ? 0 : 1);
        CU_ASSERT_EQUAL(DB_KIT_QUERY(&self, SQL_REPORT, &reported), 0);
    }
    CU_ASSERT_EQUAL(pg_exec(server, "select seq_tup_read from pg_stat_user_tables "
                                    "where schemaname = 'kept_plans' and relname = 'thing'"),
                    0);
    db_kit_teardown(&self);
}

/* A statement's limit, of any value, causes no new plan. */
static void a_list_is_not_planned_anew(struct loop *loop, void *arg UNUSED)
{
    CLEANUP(db_result_destroy) struct db_result *planned = NULL;
    struct db_fixture self;

    if (!setup(&self, loop, "plans_of_lists"))
        return;
    pg_exec(server, "insert into plans_of_lists.thing (id, size) "
                    "select i, i from generate_series(1, 1000) i");
    pg_exec(server, "vacuum (analyze) plans_of_lists.thing");
    for (int i = 0; i < 12; i++) {
        CLEANUP(db_result_destroy) struct db_result *res = NULL;

        CU_ASSERT_EQUAL(DB_KIT_QUERY(&self, SQL_PAGE, &res, DB_INT(7), DB_INT(100)), 0);
        CU_ASSERT_EQUAL(db_rows(res), 100);
    }
    CU_ASSERT_EQUAL(DB_KIT_QUERY(&self, SQL_PLANNED, &planned), 0);
    UNIT_CHECK(db_int(planned, 0, 0) > 0 && db_int(planned, 0, 1) == 0, "%d by one, %d anew",
               (int)db_int(planned, 0, 0), (int)db_int(planned, 0, 1));
    db_kit_teardown(&self);
}

#define ON_FIBER(fn_)             \
    static void test_##fn_(void)  \
    {                             \
        unit_on_fiber(fn_, NULL); \
    }
ON_FIBER(values_of_every_type)
ON_FIBER(rows_fill_structs_by_column_name)
ON_FIBER(statements_of_many_requests_are_in_flight_together)
ON_FIBER(a_burst_opens_no_connection)
ON_FIBER(a_long_statement_opens_another_connection)
ON_FIBER(reads_of_a_turn_share_a_sync_and_no_error)
ON_FIBER(a_violated_constraint_is_a_conflict_with_its_name)
ON_FIBER(deadlines_and_the_statement_timeout)
ON_FIBER(an_overload_is_refused_at_once)
ON_FIBER(transactions_commit_roll_back_and_get_lost)
ON_FIBER(leases_take_turns)
ON_FIBER(a_plan_made_for_an_empty_table_suits_a_full_one)
ON_FIBER(a_list_is_not_planned_anew)

static const struct unit_case cases[] = {
    CASE(test_values_of_every_type),
    CASE(test_rows_fill_structs_by_column_name),
    CASE(test_statements_of_many_requests_are_in_flight_together),
    CASE(test_a_burst_opens_no_connection),
    CASE(test_a_long_statement_opens_another_connection),
    CASE(test_reads_of_a_turn_share_a_sync_and_no_error),
    CASE(test_a_violated_constraint_is_a_conflict_with_its_name),
    CASE(test_deadlines_and_the_statement_timeout),
    CASE(test_an_overload_is_refused_at_once),
    CASE(test_transactions_commit_roll_back_and_get_lost),
    CASE(test_leases_take_turns),
    CASE(test_a_plan_made_for_an_empty_table_suits_a_full_one),
    CASE(test_a_list_is_not_planned_anew),
};

int main(void)
{
    int rc;

    log_open("test_db", "1", LOG_WARNING);
    server = pg_new();
    rc = unit_run("db", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return rc;
}
