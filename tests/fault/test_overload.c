/*
 * test_overload.c - memory of idle daemons, 500 concurrent requests, mostly sign-ins, and noise on
 * every bus socket.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "tests/support/processes.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

/* The memory that authd may have besides 19 MiB per core for hashes, with 500 connections. */
enum { SPARE_MIB = 40 + UNIT_KEPT_KIB / 1024 };

static struct suite *suite;

/* authd keeps the memory of a hash briefly for the next one. docd is excluded, because libvips
 * decides how much memory it uses. */
static void idle_daemons_are_small(void)
{
    enum { PRIVATE_KIB = 6 * 1024 + UNIT_KEPT_KIB, RESIDENT_KIB = 21 * 1024 + UNIT_KEPT_KIB };
    static const char *const daemons[] = {"gateway", "authd", "settingsd", "maild", "botd"};
    PERSON patient = person_register(suite, NULL);

    CU_ASSERT_PTR_NOT_NULL(patient->access); /* the registration hashed a password */
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pid_t pid = suite_pid(suite, daemons[i], "1");
        long private = LONG_MAX, resident = LONG_MAX;

        for (int tries = 0; tries < 100 && private > PRIVATE_KIB; tries++) {
            usleep(100000);
            private = process_status(pid, "RssAnon:");
            resident = process_status(pid, "VmRSS:");
        }
        UNIT_CHECK(private > 0 && private <= PRIVATE_KIB && resident <= RESIDENT_KIB,
                   "%s: %ld KiB private, %ld KiB resident", daemons[i], private, resident);
    }
}

/* The pool limits memory, the queue limits waiting, and further requests get Retry-After. They stay
 * below the gateway's limit of 512 requests per daemon. */
static void five_hundred_concurrent_requests_are_answered(void)
{
    enum { MANY = 464, READS = 38 };
    struct http_request *requests = calloc(MANY + READS, sizeof(*requests));
    struct http_answer **answers = calloc(MANY + READS, sizeof(*answers));
    PERSON patient = person_register(suite, NULL);
    int good = 0, shed = 0;
    double slowest_read = 0;

    for (int i = 0; i < MANY + READS; i++) {
        if (i % 13 == 12)
            requests[i] = (struct http_request){.path = "/auth/me", .bearer = patient->access};
        else
            requests[i] = (struct http_request){
                .method = "POST",
                .path = "/auth/tenant/Patient/login/start",
                .body = body_login_start(patient->email, patient->password, "demo")};
    }
    http_call_many(suite_url(suite), requests, MANY + READS, MANY + READS, answers);
    for (int i = 0; i < MANY + READS; i++) {
        if (i % 13 == 12) {
            CHECK_STATUS(answers[i], 200);
            slowest_read = answers[i]->seconds > slowest_read ? answers[i]->seconds : slowest_read;
            continue;
        }
        CU_ASSERT_TRUE(answers[i]->status == 200 || answers[i]->status == 503);
        good += answers[i]->status == 200;
        if (answers[i]->status == 503) {
            char *retry = http_header(answers[i], "Retry-After");

            CU_ASSERT_PTR_NOT_NULL(retry);
            free(retry);
            shed++;
        }
    }
    CU_ASSERT_TRUE(good >= 20);
    CU_ASSERT_TRUE(shed >= 100);
    CU_ASSERT_TRUE(slowest_read < 1.0);
    CU_ASSERT_TRUE(process_status(suite_pid(suite, "authd", "1"), "VmHWM:") <
                   (sysconf(_SC_NPROCESSORS_ONLN) * 19 + SPARE_MIB) * 1024);
    http_answers_destroy(answers, MANY + READS);
    free(answers);
    free(requests);
}

static void make_noise(void *context, const char *path)
{
    char endpoint[600];
    void *socket = zmq_socket(context, ZMQ_DEALER);
    int linger = 200;
    unsigned seed = 7;

    snprintf(endpoint, sizeof(endpoint), "ipc://%s", path);
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof(linger));
    CU_ASSERT_EQUAL(zmq_connect(socket, endpoint), 0);
    for (int i = 0; i < 2000; i++) {
        unsigned char bytes[64];
        size_t size = (size_t)rand_r(&seed) % sizeof(bytes);

        for (size_t at = 0; at < size; at++)
            bytes[at] = (unsigned char)rand_r(&seed);
        if (size > 2 && i % 2) {
            bytes[0] = 0x96; /* an array of six, as in a bus request */
            bytes[1] = 1;
            bytes[2] = (unsigned char)(i % 12);
        }
        zmq_send(socket, bytes, size, i % 5 ? ZMQ_DONTWAIT : ZMQ_DONTWAIT | ZMQ_SNDMORE);
    }
    usleep(100000);
    zmq_close(socket);
}

static void invalid_frames_stop_no_daemon(void)
{
    static const char *const daemons[] = {"authd", "settingsd", "maild"};
    PERSON patient = person_register(suite, NULL);
    void *context = zmq_ctx_new();
    int sockets = 0;

    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pid_t pid = suite_pid(suite, daemons[i], "1");
        char dir[200], path[512];
        struct dirent *entry;

        snprintf(dir, sizeof(dir), "%s/%s", suite_text(suite, "busDir"), daemons[i]);
        DIR *listing = opendir(dir);
        CU_ASSERT_PTR_NOT_NULL_FATAL(listing);
        while ((entry = readdir(listing))) {
            if (entry->d_type != DT_SOCK)
                continue;
            snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
            make_noise(context, path);
            sockets++;
        }
        closedir(listing);
        CU_ASSERT_EQUAL(suite_pid(suite, daemons[i], "1"), pid);
    }
    CU_ASSERT_TRUE(sockets >= 6);
    zmq_ctx_term(context);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
    CHECK_STATUS(me, 200);
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(metrics->body, "atrium_bus_dropped_total"));
}

/* Checks that a daemon's sweep at its start (and each minute or hour) removes old rows. */
static void check_swept(const char *daemon, const char *count_sql)
{
    pid_t pid = suite_pid(suite, daemon, "1");
    char *left = NULL;

    kill(pid, SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemon, "1", pid));
    for (int i = 0; i < 300; i++) {
        free(left);
        left = suite_query(suite, count_sql);
        if (strcmp(left, "0") == 0)
            break;
        usleep(100000);
    }
    UNIT_CHECK(strcmp(left, "0") == 0, "%s left %s", daemon, left);
    free(left);
}

static void expired_rows_are_swept_at_once(void)
{
    free(suite_query(suite,
                     "insert into auth.login (id, account_id, challenge, auth_method, created_at, "
                     "expires_at) select gen_random_uuid(), (select id from auth.account limit 1), "
                     "'x', 'password', 1, i from generate_series(1, 5500) i"));
    check_swept("authd", "select count(*) from auth.login where created_at = 1");
    free(suite_query(suite,
                     "insert into mail.message (id, project_id, template, state, due_at, "
                     "created_at) select gen_random_uuid(), gen_random_uuid(), 'X', 'sent', 1, 1 "
                     "from generate_series(1, 5500)"));
    check_swept("maild", "select count(*) from mail.message where created_at = 1");
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(idle_daemons_are_small),          CASE(five_hundred_concurrent_requests_are_answered),
    CASE(invalid_frames_stop_no_daemon),   CASE(expired_rows_are_swept_at_once),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(NULL);
    return unit_run("overload", cases, ARRAY_SIZE(cases));
}
