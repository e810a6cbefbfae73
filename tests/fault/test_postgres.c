/*
 * test_postgres.c - database restarts and cut connections under load.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

static struct suite *suite;

/* Asks until 200 or the timeout. Other responses must be a quick 503. */
static bool recovers(const char *path, const char *bearer, int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    for (;;) {
        HTTP_ANSWER answer = http_get(suite_url(suite), path, bearer);

        if (answer->status == 200)
            return true;
        CHECK_STATUS(answer, 503);
        CU_ASSERT_TRUE(answer->seconds < 3.0);
        if (clock_mono_ms() > deadline)
            return false;
        usleep(20000);
    }
}

static void a_restart_is_survived(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    static const char *const daemons[] = {"gateway", "authd", "settingsd", "maild"};
    pid_t before[ARRAY_SIZE(daemons)];

    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        before[i] = suite_pid(suite, daemons[i], "1");
    for (int signo = 0; signo < 2; signo++) {
        pid_t pid = suite_pid(suite, "postgres", "");

        kill(pid, signo ? SIGQUIT : SIGINT); /* immediate, fast */
        usleep(50000);
        CU_ASSERT_TRUE(recovers("/auth/me", patient->access, 15000));
        CU_ASSERT_TRUE(recovers("/v1/project/settings", admin->access, 5000));
        PERSON more = person_register(suite, NULL);
        CU_ASSERT_EQUAL(more->status, 200);
    }
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        CU_ASSERT_EQUAL(suite_pid(suite, daemons[i], "1"), before[i]);
}

static void cut_connections_are_renewed(void)
{
    enum { MANY = 300 };
    PERSON admin = person_admin(suite);
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int failed = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] =
            (struct http_request){.path = "/v1/project/settings", .bearer = admin->access};
    for (int round = 0; round < 3; round++) {
        free(suite_query(suite, "select count(pg_terminate_backend(pid)) from pg_stat_activity "
                                "where usename like 'atrium%' and pid <> pg_backend_pid()"));
        http_call_many(suite_url(suite), requests, MANY, 16, answers);
        for (int i = 0; i < MANY; i++) {
            CU_ASSERT_TRUE(answers[i]->status == 200 || answers[i]->status == 503);
            failed += answers[i]->status != 200;
        }
        http_answers_destroy(answers, MANY);
    }
    CU_ASSERT_TRUE(failed <= 3 * 16); /* at most the requests in flight */
}

static void acknowledged_settings_survive_a_crash_of_the_server(void)
{
    PERSON admin = person_admin(suite);

    for (int i = 0; i < 3; i++) {
        char value[64];

        snprintf(value, sizeof(value), "https://crash-%d.example", i);
        HTTP_ANSWER written =
            http_put(suite_url(suite), "/v1/project/settings/values/PATIENT_APP_URL", admin->access,
                     json_pack("{s:s}", "value", value));
        CHECK_STATUS(written, 200);
        kill(suite_pid(suite, "postgres", ""), SIGQUIT);
        usleep(50000);
        CU_ASSERT_TRUE(recovers("/v1/project/settings", admin->access, 15000));
        HTTP_ANSWER read = http_get(suite_url(suite), "/v1/project/settings", admin->access);
        CU_ASSERT_STRING_EQUAL(http_text(read, "settings.PATIENT_APP_URL"), value);
    }
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_restart_is_survived),
    CASE(cut_connections_are_renewed),
    CASE(acknowledged_settings_survive_a_crash_of_the_server),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(NULL);
    return unit_run("postgres", cases, ARRAY_SIZE(cases));
}
