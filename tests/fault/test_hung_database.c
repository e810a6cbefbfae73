/*
 * test_hung_database.c - PostgreSQL hangs with open connections. Every instance reports it within
 * 15 seconds, even without requests; doctor names PostgreSQL first; requests work when it
 * continues.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/processes.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { SEEN_MS = 15000, BACK_MS = 20000, PIDS_MAX = 256 };

static const char *const daemons[] = {"authd", "settingsd", "maild", "docd", "botd"};

static struct suite *suite;

static void signal_server(int signo)
{
    pid_t server = suite_pid(suite, "postgres", ""), pids[PIDS_MAX];
    size_t count;

    kill(server, signo);
    count = processes_with("postgres", server, pids, PIDS_MAX);
    for (size_t i = 0; i < count && i < PIDS_MAX; i++)
        kill(pids[i], signo);
}

static int count_value(const char *name, long want)
{
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    char start[128];
    int count = 0;

    snprintf(start, sizeof(start), "\n%s{", name);
    for (const char *at = metrics->body; at && (at = strstr(at, start)); at++)
        count += strtol(strchr(at, '}') + 1, NULL, 10) == want;
    return count;
}

static int comes_to(const char *name, long want, int timeout_ms)
{
    int64_t since = clock_mono_ms();
    int all = 2 * (int)ARRAY_SIZE(daemons), count;

    while ((count = count_value(name, want)) < all && clock_mono_ms() - since < timeout_ms)
        usleep(100000);
    UNIT_CHECK(count == all, "%s is %ld at %d of %d", name, want, count, all);
    return (int)(clock_mono_ms() - since);
}

static void every_instance_knows_within_15_seconds(void)
{
    comes_to("atrium_database_up", 1, SEEN_MS);
    for (int i = 0; i < 8; i++) { /* enough requests for each gateway to cache the keys */
        HTTP_ANSWER keys = http_get(suite_url(suite), "/.well-known/jwks.json", NULL);

        CHECK_STATUS(keys, 200);
    }
    signal_server(SIGSTOP);
    printf("told after %d ms ...", comes_to("atrium_database_up", 0, SEEN_MS));
    CU_ASSERT_EQUAL(count_value("atrium_database_writable", 1), 0);
    HTTP_ANSWER ready = http_get(suite_admin_url(suite), "/readyz", NULL);
    CHECK_STATUS(ready, 503);
    UNIT_CHECK(strstr(ready->body, "\"database\"") != NULL, "%s", ready->body);
}

/* The lost connections of probes do not make an instance without requests forget that the database
 * hangs. */
static void every_instance_goes_on_knowing(void)
{
    int64_t until_ms = clock_mono_ms() + SEEN_MS;
    int up;

    while ((up = count_value("atrium_database_up", 1)) == 0 && clock_mono_ms() < until_ms)
        usleep(200000);
    UNIT_CHECK(up == 0, "%d instances say that the database is up", up);
}

static void the_key_set_is_served(void)
{
    HTTP_ANSWER keys = http_get(suite_url(suite), "/.well-known/jwks.json", NULL);

    CHECK_STATUS(keys, 200);
    CU_ASSERT(json_array_size(http_member(keys, "keys")) >= 1);
    UNIT_CHECK(keys->seconds < 2.0, "%.1f s", keys->seconds);
}

static void doctor_names_postgresql_first(void)
{
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    const char *first = strstr(doctor->out, "\n\n"), *second = NULL;
    const char *lease = strstr(doctor->out, "\ngateway.1, lease: ");

    CHECK_EXIT(doctor, 1);
    UNIT_CHECK(first && (second = strstr(first, ", database: ")) && second - first < 20 &&
                   strncmp(strchr(second, '\n'), "\n    Start PostgreSQL", 21) == 0,
               "%s", doctor->out);
    UNIT_CHECK(lease && strstr(lease, "Follows from "), "%s", doctor->out);
}

static void requests_succeed_afterwards(void)
{
    pid_t before[ARRAY_SIZE(daemons)];

    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        before[i] = suite_pid(suite, daemons[i], "1");
    signal_server(SIGCONT);
    printf("told after %d ms ...", comes_to("atrium_database_up", 1, BACK_MS));
    comes_to("atrium_database_writable", 1, BACK_MS);
    CU_ASSERT_TRUE(suite_wait_ready(suite, BACK_MS));
    PERSON patient = person_register(suite, NULL);
    CU_ASSERT_EQUAL(patient->status, 200);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        CU_ASSERT_EQUAL(suite_pid(suite, daemons[i], "1"), before[i]);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(every_instance_knows_within_15_seconds),
    CASE(every_instance_goes_on_knowing),
    CASE(the_key_set_is_served),
    CASE(doctor_names_postgresql_first),
    CASE(requests_succeed_afterwards),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2,settingsd=2,maild=2,docd=2,botd=2"});
    return unit_run("hung database", cases, ARRAY_SIZE(cases));
}
