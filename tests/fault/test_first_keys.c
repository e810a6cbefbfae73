/*
 * test_first_keys.c - two instances of authd start together without keys and make only one. A
 * trigger on the table blocks on the test's lock, so that one instance is still about to write when
 * the other looks for a key.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <stdio.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { WAIT_MS = 15000 };

static struct suite *suite;

static void run(PGconn *database, const char *sql)
{
    PGresult *result = PQexec(database, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK, "%s: %s", sql, PQerrorMessage(database));
    PQclear(result);
}

/* Restarts both instances with an empty table. Neither can write a key before the other waits too:
 * to write its own, or for permission to make one. */
static void start_without_keys(const char *table)
{
    const pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
    PGconn *holder = suite_database(suite);
    char sql[256];

    snprintf(sql, sizeof(sql), "delete from auth.%s", table);
    run(holder, sql);
    snprintf(
        sql, sizeof(sql),
        "create trigger held before insert on auth.%s for each row execute function auth.held()",
        table);
    run(holder, sql);
    run(holder, "begin");
    run(holder, "lock table auth.hold");
    suite_signal(suite, "authd", "1", SIGKILL);
    suite_signal(suite, "authd", "2", SIGKILL);
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, WAIT_MS,
                                  "select count(*) from pg_stat_activity where wait_event_type = "
                                  "'Lock' and application_name like 'atrium-authd%%'"));
    run(holder, "commit");
    PQfinish(holder);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
}

static void the_scene_is_set(void)
{
    PGconn *database = suite_database(suite);

    run(database, "create table auth.hold ()");
    run(database, "grant select on auth.hold to public");
    run(database, "create function auth.held() returns trigger language plpgsql as "
                  "'begin perform from auth.hold; return new; end'");
    PQfinish(database);
}

static void two_instances_make_one_first_key(void)
{
    start_without_keys("signing_key");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.signing_key"), 1);
}

static void two_instances_make_one_first_key_of_the_issuers(void)
{
    start_without_keys("issuer_key");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.issuer_key where alg = 'ES256'"),
                    1);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.issuer_key where alg = 'RS256'"),
                    1);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(two_instances_make_one_first_key),
    CASE(two_instances_make_one_first_key_of_the_issuers),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2", .no_demo = true});
    return unit_run("first keys", cases, ARRAY_SIZE(cases));
}
