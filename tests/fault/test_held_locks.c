/*
 * test_held_locks.c - a person's psql holds a lock: requests without need of it work, others soon
 * get 503, metrics and doctor name the session, and everything recovers after it.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    HELD_MS = 12000, /* longer than a lease and a request */
    LOCK_MS = 2000,  /* lock_timeout */
    MANY = 40,
    RENEWING = 8,
    SEEN_MS = 15000,
    BACK_MS = 10000,
};

static struct suite *suite;

static PGconn *hold(const char *sql)
{
    PGconn *conn = suite_database(suite);
    PGresult *result;

    PQclear(PQexec(conn, "set application_name = 'psql'"));
    result = PQexec(conn, sql);
    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK ||
                   PQresultStatus(result) == PGRES_TUPLES_OK,
               "%s: %s", sql, PQerrorMessage(conn));
    PQclear(result);
    return conn;
}

static void ask_many(const char *path, const char *bearer, double *ret_slowest)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.path = path, .bearer = bearer};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    *ret_slowest = 0;
    for (int i = 0; i < MANY; i++) {
        CHECK_STATUS(answers[i], 503);
        *ret_slowest = MAX(*ret_slowest, answers[i]->seconds);
    }
    http_answers_destroy(answers, MANY);
}

static void check_back(const struct person *patient)
{
    int64_t deadline = clock_mono_ms() + BACK_MS;
    int status;

    do {
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);

        status = me->status;
    } while (status != 200 && clock_mono_ms() < deadline);
    UNIT_CHECK(status == 200, "%d", status);
    PERSON again = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    CU_ASSERT_EQUAL(again->status, 200);
}

/* Makes the gateway cache both callers, because it would need the database for an unknown session.
 * Changes at the suite's start can clear its cache once more. */
static void warm_up(const struct person *patient, const struct person *admin)
{
    for (int i = 0; i < 10; i++) {
        HTTP_ANSWER list = http_get(suite_url(suite), "/document", patient->access);
        HTTP_ANSWER settings = http_get(suite_url(suite), "/v1/project/settings", admin->access);

        CHECK_STATUS(list, 200);
        CHECK_STATUS(settings, 200);
        usleep(200000);
    }
}

/* The lock is held for longer than a lease lasts: requests without a session work, others get 503
 * within the lock timeout. */
static void a_locked_table_stops_what_needs_it(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    pid_t authd = suite_pid(suite, "authd", "1"), gateway = suite_pid(suite, "gateway", "1");
    int64_t until = clock_mono_ms() + HELD_MS;
    double slowest = 0, slowest_me = 0;
    int rounds = 0;
    PGconn *holder;

    warm_up(patient, admin);
    holder = hold("begin; lock table auth.session in access exclusive mode");
    ask_many("/auth/me", patient->access, &slowest);
    while (clock_mono_ms() < until) {
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
        HTTP_ANSWER list = http_get(suite_url(suite), "/document", patient->access);
        HTTP_ANSWER settings = http_get(suite_url(suite), "/v1/project/settings", admin->access);

        CHECK_STATUS(me, 503);
        CHECK_STATUS(list, 200);
        CHECK_STATUS(settings, 200);
        slowest_me = MAX(slowest_me, me->seconds);
        rounds++;
    }
    printf("%d rounds, 503 within %.1f s at once and %.1f s later ...", rounds, slowest,
           slowest_me);
    CU_ASSERT_TRUE(slowest_me < 1.5 * LOCK_MS / 1000);
    PQfinish(holder);
    check_back(patient);
    CU_ASSERT_EQUAL(suite_pid(suite, "authd", "1"), authd);
    CU_ASSERT_EQUAL(suite_pid(suite, "gateway", "1"), gateway);
}

/* Returns authd's atrium_database_blocked_seconds, with its labels in *ret. */
static long blocked_seconds(char *ret, size_t size)
{
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    const char *at = strstr(metrics->body, "\natrium_database_blocked_seconds{service=\"authd\"");

    ret[0] = '\0';
    if (!at)
        return -1;
    snprintf(ret, size, "%.*s", (int)(strchr(at, '}') - at), at);
    return strtol(strchr(at, '}') + 1, NULL, 10);
}

static void the_holder_of_the_lock_is_reported(void)
{
    PERSON patient = person_register(suite, NULL);
    PGconn *holder = hold("begin; lock table auth.session in access exclusive mode");
    int64_t deadline = clock_mono_ms() + SEEN_MS;
    char pid[40], backend[40], labels[400] = "";
    const char *first;

    snprintf(pid, sizeof(pid), "pid=\"%d\"", PQbackendPID(holder));
    snprintf(backend, sizeof(backend), "backend %d (psql)", PQbackendPID(holder));
    while (!strstr(labels, pid) && clock_mono_ms() < deadline) {
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);

        CHECK_STATUS(me, 503);
        (void)blocked_seconds(labels, sizeof(labels));
    }
    UNIT_CHECK(strstr(labels, pid) && strstr(labels, "table=\"session\"") &&
                   strstr(labels, "query_start=\"20"),
               "%s", labels);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    CHECK_EXIT(doctor, 1);
    first = strstr(doctor->out, "\n\n");
    UNIT_CHECK(first && strncmp(first, "\n\nauthd.1, database locks: ", 27) == 0, "%s",
               doctor->out);
    UNIT_CHECK(first && strstr(first, backend) && strstr(first, "holds a lock on session") &&
                   strstr(first, "whose statement began at 20") &&
                   strstr(first, "pg_terminate_backend("),
               "%s", doctor->out);
    PQfinish(holder);
    check_back(patient);
    deadline = clock_mono_ms() + SEEN_MS;
    while ((blocked_seconds(labels, sizeof(labels)) != 0 || strstr(labels, "pid=")) &&
           clock_mono_ms() < deadline)
        usleep(100000);
    UNIT_CHECK(!strstr(labels, "pid="), "%s", labels);
}

static void a_locked_counter_stops_logging_out_only(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    PGconn *holder = hold("begin; update auth.change_counter set sequence = sequence");
    int64_t until = clock_mono_ms() + HELD_MS / 2;

    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", other->access, json_object());
    CHECK_STATUS(out, 503);
    CU_ASSERT_TRUE(out->seconds < 2.0 * LOCK_MS / 1000);
    while (clock_mono_ms() < until) {
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
        HTTP_ANSWER list = http_get(suite_url(suite), "/document", patient->access);

        CHECK_STATUS(me, 200);
        CHECK_STATUS(list, 200);
        usleep(50000);
    }
    PQfinish(holder);
    HTTP_ANSWER again = http_post(suite_url(suite), "/auth/logout", other->access, json_object());
    UNIT_CHECK(again->status / 100 == 2, "%d", again->status);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", other->access);
    CHECK_STATUS(me, 401);
}

/* Refreshes once. After a failure keeps the earlier pair of tokens. */
static int renew(struct person *patient)
{
    HTTP_ANSWER answer = http_post(suite_url(suite), "/auth/refresh-token", NULL,
                                   json_pack("{s:s}", "refresh_token", patient->refresh));

    if (answer->status == 200) {
        free(patient->refresh);
        patient->refresh = strdup(http_text(answer, "refresh_token"));
    }
    return answer->status;
}

/* Retries, because the first statement after the lock can still be blocked. */
static bool is_renewed_soon(struct person *patient)
{
    int64_t deadline = clock_mono_ms() + BACK_MS;
    int status = renew(patient);

    while (status == 503 && clock_mono_ms() < deadline) {
        usleep(100000);
        status = renew(patient);
    }
    return status == 200;
}

static atomic_int renewed, put_off, wrong;
static atomic_bool enough;

static void *renew_on(void *arg)
{
    while (!atomic_load(&enough)) {
        int status = renew(arg);

        atomic_fetch_add(status == 200 ? &renewed : status == 503 ? &put_off : &wrong, 1);
    }
    return NULL;
}

/* One statement refreshes several sessions. If it fails, each gets 503 and keeps its token. */
static void a_renewal_that_failed_ends_no_session(void)
{
    struct person *patients[RENEWING];
    pthread_t threads[RENEWING];
    PGconn *holder;

    for (size_t i = 0; i < RENEWING; i++)
        patients[i] = person_register(suite, NULL);
    holder = hold("begin; lock table auth.session in share row exclusive mode");
    atomic_store(&renewed, 0);
    atomic_store(&put_off, 0);
    atomic_store(&wrong, 0);
    atomic_store(&enough, false);
    for (size_t i = 0; i < RENEWING; i++)
        pthread_create(&threads[i], NULL, renew_on, patients[i]);
    usleep(HELD_MS / 2 * 1000);
    PQfinish(holder);
    atomic_store(&enough, true);
    for (size_t i = 0; i < RENEWING; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_EQUAL(atomic_load(&wrong), 0);
    UNIT_CHECK(atomic_load(&put_off) >= RENEWING, "%d", atomic_load(&put_off));
    for (size_t i = 0; i < RENEWING; i++) {
        CU_ASSERT_TRUE(is_renewed_soon(patients[i]));
        person_destroy(&patients[i]);
    }
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_locked_table_stops_what_needs_it),      CASE(the_holder_of_the_lock_is_reported),
    CASE(a_locked_counter_stops_logging_out_only), CASE(a_renewal_that_failed_ends_no_session),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(NULL);
    return unit_run("held locks", cases, ARRAY_SIZE(cases));
}
