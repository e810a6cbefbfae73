/*
 * test_authd_sql.c - authd's statements against a real server: that they prepare, which indexes
 * they are planned on, and the locks that sign-in limits and gateway leases rely on.
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "authd/authd_sql.h"
#include "tests/unit/pg.h"
#include "tests/unit/unit.h"

#define ONE "11111111-1111-4111-8111-111111111111"

extern const struct db_migration authd_migrations[];

static const struct db_statement statements[] = {
#define SQL(name, class, params, text) {#name, DB_##class, params, text},
#include "authd/authd_sql.def"
#undef SQL
};

static struct pg *server;

static void run(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK ||
                   PQresultStatus(result) == PGRES_TUPLES_OK,
               "%.60s: %s", sql, PQerrorMessage(conn));
    PQclear(result);
}

/* A connection on which every statement is prepared. */
static PGconn *open_prepared(void)
{
    PGconn *conn = PQconnectdb(server->conninfo);

    CU_ASSERT_EQUAL(PQstatus(conn), CONNECTION_OK);
    run(conn, "set search_path = auth; set client_min_messages = warning");
    for (size_t i = 0; i < ARRAY_SIZE(statements); i++) {
        PGresult *made = PQprepare(conn, statements[i].name, statements[i].text, 0, NULL);
        PGresult *shape = PQdescribePrepared(conn, statements[i].name);

        UNIT_CHECK(PQnparams(shape) == statements[i].params, "%s has %d parameters: %s",
                   statements[i].name, PQnparams(shape), PQresultErrorMessage(made));
        PQclear(made);
        PQclear(shape);
    }
    return conn;
}

#define EXECUTE(conn_, statement_, ...)                          \
    execute((conn_), #statement_, (const char *[]){__VA_ARGS__}, \
            (int)ARRAY_SIZE(((const char *[]){__VA_ARGS__})))

/* The first value as a number (-1: no row, -2: null), or how many rows were written when there
 * are none to read. */
static long execute(PGconn *conn, const char *name, const char *const *params, int count)
{
    PGresult *result = PQexecPrepared(conn, name, count, params, NULL, NULL, 0);
    long value = -1;

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK ||
                   PQresultStatus(result) == PGRES_TUPLES_OK,
               "%s: %s", name, PQresultErrorMessage(result));
    if (PQnfields(result) == 0)
        value = strtol(PQcmdTuples(result), NULL, 10);
    else if (PQntuples(result) > 0)
        value = PQgetisnull(result, 0, 0) ? -2 : strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return value;
}

static void test_the_schema_is_made(void)
{
    pg_exec(server, "create schema auth");
    for (const struct db_migration *next = authd_migrations; next->name != NULL; next++) {
        char *sql = NULL;

        if (asprintf(&sql, "set search_path = auth; %s", next->sql) < 0)
            abort();
        pg_exec(server, sql);
        free(sql);
    }
    CU_ASSERT_EQUAL(pg_exec(server, "select sequence from auth.change_counter"), 0);
}

static void test_every_statement_prepares(void)
{
    PGconn *conn = open_prepared();

    PQfinish(conn);
}

/* The generic plan of a statement, its lines joined. */
static void explain(PGconn *conn, const struct db_statement *statement, char *ret, size_t size)
{
    char sql[512];
    size_t length = (size_t)snprintf(sql, sizeof(sql), "explain (costs off) execute \"%s\" (null",
                                     statement->name);
    PGresult *result;

    for (int i = 1; i < statement->params; i++)
        length += (size_t)snprintf(sql + length, sizeof(sql) - length, ", null");
    snprintf(sql + length, sizeof(sql) - length, ")");
    result = PQexec(conn, sql);
    ret[0] = '\0';
    for (int row = 0; row < PQntuples(result); row++) {
        size_t used = strlen(ret);

        snprintf(ret + used, size - used, "%s\n", PQgetvalue(result, row, 0));
    }
    PQclear(result);
}

/* The counter is a single row; every other table grows with its tenants. */
static bool scans_whole(const char *plan)
{
    static const char scan[] = "Seq Scan on ", counter[] = "change_counter";

    while ((plan = strstr(plan, scan)) != NULL) {
        plan += sizeof(scan) - 1;
        if (strncmp(plan, counter, sizeof(counter) - 1) != 0)
            return true;
    }
    return false;
}

/* Tables that nobody analysed yet are where a plan goes wrong, and a prepared statement keeps
 * it. */
static void test_hot_statements_are_planned_on_their_keys(void)
{
    static const struct {
        int statement;
        const char *want;
    } rows[] = {
        {SQL_REFRESH_ROTATE, "Index Scan using session_pkey on session s\n"
                             "        Index Cond: ((project_id = $1) AND (id = $2))"},
        {SQL_REFRESH_VERDICT,
         "Index Cond: ((project_id = s.project_id) AND (id = s.membership_id))"},
        {SQL_IDENTITY, "Index Scan using session_pkey on session s\n"
                       "          Index Cond: ((project_id = $1) AND (id = $3))"},
        {SQL_IDENTITY, "Index Cond: ((project_id = $1) AND (id = $2))"},
        {SQL_ME, "Index Cond: ((project_id = $1) AND (account_id = a.id))"},
        {SQL_SESSION_LIST, "Index Cond: ((project_id = $1) AND (account_id = $2))"},
        {SQL_SESSION_END, "Index Cond: ((project_id = $5) AND (account_id = $6))"},
        {SQL_PATIENT_FIND, "Index Cond: ((account_id = a.id) AND (project_id = a.project_id))"},
        {SQL_LOGIN_GET, "Index Scan using login_code on login l"},
        {SQL_LOGIN_SPEND, "Index Cond: ((account_id = s_1.account_id) AND (project_id = $1))"},
        {SQL_SIGN_IN, "Index Cond: ((account_id = p.account_id) AND (project_id = $1))"},
        {SQL_SESSION_END_ACCOUNT, "Index Cond: ((project_id = ANY ($0)) AND (account_id = $4))"},
        {SQL_SESSION_END_ACCOUNT, "Index Cond: ((project_id = ANY ($1)) AND (account_id = $4))"},
    };
    PGconn *conn = open_prepared();
    char plan[8192];

    run(conn, "set plan_cache_mode = force_generic_plan");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct db_statement *statement = &statements[rows[i].statement];

        explain(conn, statement, plan, sizeof(plan));
        UNIT_CHECK(strstr(plan, rows[i].want) != NULL, "%s should have \"%s\":\n%s",
                   statement->name, rows[i].want, plan);
        UNIT_CHECK(!scans_whole(plan), "%s reads a table from end to end:\n%s", statement->name,
                   plan);
    }
    PQfinish(conn);
}

static void test_registrations_slide(void)
{
    static const struct {
        const char *now;
        long want; /* rows written: 1 admitted, 0 refused */
    } rows[] = {
        {"1000", 1},  {"2000", 1},  {"3000", 1},  {"4000", 1},  {"5000", 1},
        {"6000", 0},  {"60999", 0}, {"61000", 1}, {"61001", 0}, {"62000", 1},
        {"62001", 0}, {"500", 1}, /* set back: what lies ahead by more than a window is no hit */
    };
    PGconn *conn = open_prepared();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (i == 11)
            run(conn,
                "update throttle set hits = array[9000000, 9000001, 9000002, 9000003, 9000004]");
        UNIT_CHECK(EXECUTE(conn, SQL_THROTTLE_ADMIT, "\\x01", rows[i].now, "60000", "5") ==
                       rows[i].want,
                   "at %s", rows[i].now);
    }
    PQfinish(conn);
}

static void test_failures_are_counted(void)
{
    PGconn *conn = open_prepared();
    char now[32];

    for (int i = 1; i <= 130; i++) {
        snprintf(now, sizeof(now), "%d", 1000000 + i);
        UNIT_CHECK(EXECUTE(conn, SQL_THROTTLE_FAIL, "\\x0a", "\\x0b", "\\x0c", now, "900000") ==
                       (i > 101 ? 101 : i),
                   "failure %d", i);
        UNIT_CHECK(EXECUTE(conn, SQL_THROTTLE_AT_LIMIT, "\\x0a", now, "900000", "10") ==
                       (i < 10 ? -2 : 1000000 + i - 9),
                   "limit after failure %d", i);
    }
    CU_ASSERT_EQUAL(EXECUTE(conn, SQL_THROTTLE_AT_LIMIT, "\\x0a", "1900121", "900000", "10"), -2);
    CU_ASSERT_EQUAL(EXECUTE(conn, SQL_THROTTLE_AT_LIMIT, "\\x0a", "1900120", "900000", "10"),
                    1000121);
    PQfinish(conn);
}

static bool still_waits(PGconn *conn)
{
    for (int i = 0; i < 20; i++) {
        PQconsumeInput(conn);
        if (!PQisBusy(conn))
            return false;
        usleep(10000);
    }
    return true;
}

static void finish(PGconn *conn)
{
    PGresult *result;

    while ((result = PQgetResult(conn)) != NULL) {
        UNIT_CHECK(PQresultStatus(result) == PGRES_TUPLES_OK, "%s", PQresultErrorMessage(result));
        PQclear(result);
    }
}

/* A lease that begins while a change is being committed has the change, or the change waits for
 * the lease. */
static void test_no_change_slips_past_a_new_lease(void)
{
    PGconn *change = open_prepared(), *lease = open_prepared();
    const char *const published[] = {"session", ONE, "99"};
    long before = EXECUTE(change, SQL_CHANGES_SINCE, "1", "1", "10"), got;

    run(change, "begin");
    got = EXECUTE(change, SQL_CHANGE_PUBLISH, "session", ONE, "99");
    run(lease, "begin");
    PQsendQueryPrepared(lease, "SQL_LEASE_LOCK", 0, NULL, NULL, NULL, 0);
    CU_ASSERT_TRUE(still_waits(lease));
    run(change, "commit");
    finish(lease);
    CU_ASSERT_EQUAL(EXECUTE(lease, SQL_LEASE_BEGIN, "gateway.1", "boot", "0", "5"), 1);
    run(lease, "commit");
    CU_ASSERT_EQUAL(EXECUTE(lease, SQL_CHANGES_SINCE, "0", "1", "10"), got);
    CU_ASSERT_EQUAL(got, before + 1);

    run(lease, "begin");
    execute(lease, "SQL_LEASE_LOCK", NULL, 0);
    CU_ASSERT_EQUAL(EXECUTE(lease, SQL_LEASE_BEGIN, "gateway.2", "boot", "0", "5"), 1);
    PQsendQueryPrepared(change, "SQL_CHANGE_PUBLISH", 3, published, NULL, NULL, 0);
    CU_ASSERT_TRUE(still_waits(change));
    run(lease, "commit");
    finish(change);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from auth.gateway_lease where sequence < "
                                    "(select sequence from auth.change_counter)"),
                    2);

    /* Once renewed past the number nobody is behind; a lease that came back is not the one that
     * stood still. */
    CU_ASSERT_EQUAL(EXECUTE(lease, SQL_LEASE_RENEW, "gateway.1", "other boot", "2"), 0);
    CU_ASSERT_EQUAL(EXECUTE(lease, SQL_LEASE_RENEW, "gateway.1", "boot", "2"), 1);
    CU_ASSERT_EQUAL(EXECUTE(lease, SQL_LEASE_DROP, "gateway.1", "5"), 0);
    CU_ASSERT_EQUAL(EXECUTE(lease, SQL_LEASE_DROP, "gateway.1", "6"), 1);
    PQfinish(change);
    PQfinish(lease);
}

static const struct unit_case cases[] = {
    {"the schema is made", test_the_schema_is_made},
    {"every statement prepares with its parameters", test_every_statement_prepares},
    {"hot statements are planned on their keys", test_hot_statements_are_planned_on_their_keys},
    {"five registrations in any sixty seconds", test_registrations_slide},
    {"failures are counted, the newest hundred kept", test_failures_are_counted},
    {"no change slips past a new lease", test_no_change_slips_past_a_new_lease},
};

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("authd sql", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return failed;
}
