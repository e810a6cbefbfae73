/*
 * test_kill.c - daemons killed, stopped and restarted under load: nothing acknowledged is lost, and
 * nothing hangs.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { LOADERS = 6 };

static struct suite *suite;

struct load {
    const char *url, *path, *bearer;
    atomic_bool stop;
    atomic_int good, unavailable, other;
    _Atomic double longest;
    pthread_t threads[LOADERS];
};

static void *load_thread(void *arg)
{
    struct load *load = arg;

    while (!atomic_load(&load->stop)) {
        HTTP_ANSWER answer = http_get(load->url, load->path, load->bearer);

        if (answer->status == 200)
            atomic_fetch_add(&load->good, 1);
        else if (answer->status == 503)
            atomic_fetch_add(&load->unavailable, 1);
        else
            atomic_fetch_add(&load->other, 1);
        if (answer->status != 200 && answer->status != 503)
            fprintf(stderr, "load: %d %.200s\n", answer->status, answer->body);
        if (answer->seconds > atomic_load(&load->longest))
            atomic_store(&load->longest, answer->seconds);
    }
    return NULL;
}

static struct load *load_start(const char *path, const char *bearer)
{
    struct load *load = calloc(1, sizeof(*load));

    load->url = suite_url(suite);
    load->path = path;
    load->bearer = bearer;
    for (int i = 0; i < LOADERS; i++)
        pthread_create(&load->threads[i], NULL, load_thread, load);
    return load;
}

static void load_finish(struct load *load)
{
    atomic_store(&load->stop, true);
    for (int i = 0; i < LOADERS; i++)
        pthread_join(load->threads[i], NULL);
}

static void reads_survive_a_killed_instance(void)
{
    PERSON patient = person_register(suite, NULL);
    struct load *load = load_start("/auth/me", patient->access);

    for (int i = 0; i < 4; i++) {
        const char *instance = i % 2 ? "2" : "1";
        pid_t pid = suite_pid(suite, "authd", instance);

        unit_sleep_ms(300);
        suite_signal(suite, "authd", instance, SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", instance, pid));
    }
    load_finish(load);
    CU_ASSERT_TRUE(atomic_load(&load->good) > 100);
    CU_ASSERT_EQUAL(atomic_load(&load->unavailable), 0);
    CU_ASSERT_EQUAL(atomic_load(&load->other), 0);
    CU_ASSERT_TRUE(atomic_load(&load->longest) < 2.0);
    free(load);
}

static void no_request_fails_when_an_instance_is_stopped(void)
{
    PERSON patient = person_register(suite, NULL);
    struct load *load = load_start("/auth/me", patient->access);
    char *refresh = strdup(patient->refresh);
    int failed = 0;

    for (int i = 0; i < 4; i++) {
        const char *instance = i % 2 ? "2" : "1";
        pid_t pid = suite_pid(suite, "authd", instance);

        unit_sleep_ms(200);
        suite_signal(suite, "authd", instance, SIGTERM);
        for (int j = 0; j < 20; j++) { /* writes must work too */
            HTTP_ANSWER answer = http_post(suite_url(suite), "/auth/refresh-token", NULL,
                                           json_pack("{s:s}", "refresh_token", refresh));
            failed += answer->status != 200;
            if (answer->status == 200) {
                free(refresh);
                refresh = strdup(http_text(answer, "refresh_token"));
            }
        }
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", instance, pid));
    }
    load_finish(load);
    CU_ASSERT_EQUAL(failed, 0);
    CU_ASSERT_EQUAL(atomic_load(&load->unavailable), 0);
    CU_ASSERT_EQUAL(atomic_load(&load->other), 0);
    free(refresh);
    free(load);
}

/* While the only settingsd is gone, requests get 503 immediately; within two seconds of its restart
 * they get 200. */
static void a_single_daemon_comes_back(void)
{
    PERSON admin = person_admin(suite);
    struct load *load = load_start("/v1/project/settings", admin->access);

    unit_sleep_ms(300);
    for (int i = 0; i < 3; i++) {
        pid_t pid = suite_pid(suite, "settingsd", "1");

        suite_signal(suite, "settingsd", "1", SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "settingsd", "1", pid));
        unit_sleep_ms(300);
    }
    load_finish(load);
    CU_ASSERT_TRUE(atomic_load(&load->good) > 100);
    CU_ASSERT_EQUAL(atomic_load(&load->other), 0);
    CU_ASSERT_TRUE(atomic_load(&load->longest) < 2.0);
    free(load);
}

/* Heartbeats or deadlines end the wait for a stopped daemon, and no instance executes the request
 * later. */
static void a_frozen_daemon_does_not_hang_anyone(void)
{
    PERSON admin = person_admin(suite);
    pid_t pid = suite_pid(suite, "settingsd", "1");
    char *before = suite_query(suite, "select count(*) from settings.setting_history"), *after;

    kill(pid, SIGSTOP);
    HTTP_ANSWER answer =
        http_put(suite_url(suite), "/v1/project/settings/PATIENT_INVITATION_ENABLED", admin->access,
                 json_pack("{s:b}", "enabled", 1));
    CU_ASSERT_TRUE(answer->status == 503 || answer->status == 504);
    CU_ASSERT_TRUE(answer->seconds < 11.0);
    kill(pid, SIGCONT);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 10000));
    unit_sleep_ms(500);
    after = suite_query(suite, "select count(*) from settings.setting_history");
    CU_ASSERT_STRING_EQUAL(before, after);
    free(before);
    free(after);
}

static void acknowledged_writes_survive(void)
{
    static const char *const victims[] = {"authd", "settingsd", "maild", "gateway"};
    enum { ROUNDS = 12 };
    struct person *people[ROUNDS];
    int acknowledged = 0;

    for (int i = 0; i < ROUNDS; i++) {
        const char *victim = victims[i % 4];
        pid_t pid = suite_pid(suite, victim, "1");

        if (i % 2)
            kill(pid, SIGKILL);
        people[i] = person_register(suite, NULL);
        if (i % 2 == 0)
            kill(pid, SIGKILL);
        CU_ASSERT_TRUE(people[i]->status == 200 || people[i]->status == 503 ||
                       people[i]->status == 0);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, victim, "1", pid));
        if (people[i]->status != 200)
            continue;
        acknowledged++;
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", people[i]->access);
        CHECK_STATUS(me, 200);
        PERSON again =
            person_sign_in(suite, "Patient", people[i]->email, people[i]->password, NULL);
        CU_ASSERT_EQUAL(again->status, 200);
    }
    CU_ASSERT_TRUE(acknowledged >= ROUNDS / 2);
    suite_halt(suite);
    suite_restart(suite);
    for (int i = 0; i < ROUNDS; i++) {
        if (people[i]->status == 200) {
            char *mail = suite_mail(suite, people[i]->email, 8000);
            PERSON again =
                person_sign_in(suite, "Patient", people[i]->email, people[i]->password, NULL);

            CU_ASSERT_EQUAL(again->status, 200);
            CU_ASSERT_PTR_NOT_NULL(mail);
            CU_ASSERT_EQUAL(suite_mail_count(suite, people[i]->email), 1);
            free(mail);
        }
        person_destroy(&people[i]);
    }
}

static void the_mail_of_a_dead_maild_goes_out(void)
{
    pid_t pid = suite_pid(suite, "maild", "1");

    kill(pid, SIGKILL);
    PERSON patient = person_register(suite, NULL);
    CU_ASSERT_EQUAL(patient->status, 200); /* registration does not wait for email */
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", "1", pid));
    char *mail = suite_mail(suite, patient->email, 6000);
    CU_ASSERT_PTR_NOT_NULL(mail);
    free(mail);
}

static void a_gateway_without_a_lease_fails_closed(void)
{
    PERSON patient = person_register(suite, NULL);
    pid_t one = suite_pid(suite, "authd", "1"), two = suite_pid(suite, "authd", "2");

    kill(one, SIGSTOP);
    kill(two, SIGSTOP);
    unit_sleep_ms(6000);
    HTTP_ANSWER closed = http_get(suite_url(suite), "/v1/project/settings", patient->access);
    HTTP_ANSWER health = http_get(suite_url(suite), "/partner/health-check", NULL);
    kill(one, SIGCONT);
    kill(two, SIGCONT);
    CHECK_STATUS(closed, 503);
    CHECK_STATUS(health, 200);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 10000));
    HTTP_ANSWER open = http_get(suite_url(suite), "/auth/me", patient->access);
    CHECK_STATUS(open, 200);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(reads_survive_a_killed_instance),
    CASE(no_request_fails_when_an_instance_is_stopped),
    CASE(a_single_daemon_comes_back),
    CASE(a_frozen_daemon_does_not_hang_anyone),
    CASE(acknowledged_writes_survive),
    CASE(the_mail_of_a_dead_maild_goes_out),
    CASE(a_gateway_without_a_lease_fails_closed),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2"});
    return unit_run("killed daemons", cases, ARRAY_SIZE(cases));
}
