/*
 * test_password_memory.c - authd without memory for Argon2id: routes with a hash return 503, no
 * failure counts, no link is consumed, log and metric show it, and everything recovers. RLIMIT_AS
 * limits authd to its current size, so mmap() of 19 MiB fails with ENOMEM as with
 * vm.overcommit_memory=2, while small allocations work.
 *
 * tier: time quiet
 */
#include <CUnit/CUnit.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/daemon_log.h"
#include "tests/support/processes.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    TRIES = 12,           /* more than the throttle's limit */
    SPARE_KIB = 8 * 1024, /* authd's spare memory: less than half a hash */
    IDLE_KIB = 12 * 1024, /* authd's anonymous memory when it keeps none for a hash */
};

static struct suite *suite;

/* authd's address space when the limit was set */

static long taken_kib;

/* Limits authd's memory once all its threads run and the memory kept for hashes is released, which
 * is when its size has not changed for three seconds. */
static void take_memory(void)
{
    pid_t pid = suite_pid(suite, "authd", "1");
    struct rlimit limit = {0, RLIM_INFINITY};
    int calm = 0;

    taken_kib = LONG_MAX;
    for (int i = 0; i < 300 && calm < 30; i++) {
        long size = process_status(pid, "VmSize:");

        calm = size == taken_kib && process_status(pid, "RssAnon:") < IDLE_KIB ? calm + 1 : 0;
        taken_kib = size;
        usleep(100000);
    }
    UNIT_CHECK(calm == 30, "authd does not rest: %ld KiB, %ld resident", taken_kib,
               process_status(pid, "RssAnon:"));
    limit.rlim_cur = ((rlim_t)taken_kib + SPARE_KIB) * 1024;
    CU_ASSERT_EQUAL(prlimit(pid, RLIMIT_AS, &limit, NULL), 0);
}

static void return_memory(void)
{
    const struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    pid_t pid = suite_pid(suite, "authd", "1");
    long size = process_status(pid, "VmSize:");

    UNIT_CHECK(size + SPARE_KIB >= taken_kib, "authd had %ld KiB, and has %ld", taken_kib, size);
    CU_ASSERT_EQUAL(prlimit(pid, RLIMIT_AS, &limit, NULL), 0);
}

static void check_unavailable(const char *what, struct http_answer *answer)
{
    char *retry = http_header(answer, "Retry-After");

    UNIT_CHECK(answer->status == 503 && retry, "%s: %d %s", what, answer->status, answer->body);
    free(retry);
    http_answer_destroy(&answer);
}

static json_t *body_client_login(const char *email, const char *password)
{
    return json_pack("{s:s, s:s, s:s}", "email", email, "password", password, "clientId",
                     suite_text(suite, "demo.clientId"));
}

static long throttle_rows(void)
{
    return suite_count(suite, "select count(*) from auth.throttle");
}

static long failures(void)
{
    return suite_count(suite, "select count(*) from auth.audit where event->>'outcome' <> '0'");
}

static long memory_failures(void)
{
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    const char *at = strstr(metrics->body, "\natrium_auth_password_memory_failures_total{");

    return at ? strtol(strchr(at, '}') + 1, NULL, 10) : -1;
}

static void a_sign_in_is_unavailable_not_incorrect(void)
{
    static const char start[] = "/auth/tenant/Patient/login/start";
    PERSON patient = person_register(suite, NULL);
    PERSON boss = person_admin(suite);
    long rows, failed, metric;

    take_memory();
    rows = throttle_rows();
    failed = failures();
    metric = memory_failures();
    for (int i = 0; i < TRIES; i++) {
        check_unavailable("right",
                          http_post(suite_url(suite), start, NULL,
                                    body_login_start(patient->email, patient->password, "demo")));
    }
    check_unavailable("wrong", http_post(suite_url(suite), start, NULL,
                                         body_login_start(patient->email, "wrong", "demo")));
    check_unavailable("unknown", http_post(suite_url(suite), start, NULL,
                                           body_login_start("x@patients.example", "x", "demo")));
    check_unavailable("practitioner",
                      http_post(suite_url(suite), "/auth/tenant/Practitioner/login/start", NULL,
                                body_login_start(boss->email, boss->password, "demo")));
    check_unavailable("client", http_post(suite_url(suite), "/v2/auth/login", NULL,
                                          body_client_login(patient->email, patient->password)));
    CU_ASSERT_EQUAL(throttle_rows(), rows);
    CU_ASSERT_EQUAL(failures(), failed);
    UNIT_CHECK(memory_failures() >= metric + TRIES + 4, "%ld, then %ld", metric, memory_failures());
    return_memory();
    HTTP_ANSWER signed_in = http_post(suite_url(suite), start, NULL,
                                      body_login_start(patient->email, patient->password, "demo"));
    CHECK_STATUS(signed_in, 200);
}

static void a_proof_by_password_is_unavailable_not_wrong(void)
{
    PERSON patient = person_register(suite, NULL);
    long rows, failed;

    take_memory();
    rows = throttle_rows();
    failed = failures();
    check_unavailable("change",
                      http_post(suite_url(suite), "/auth/change-password", patient->access,
                                json_pack("{s:s, s:s}", "oldPassword", patient->password,
                                          "newPassword", "another horse")));
    check_unavailable("step up", http_post(suite_url(suite), "/auth/step-up", patient->access,
                                           json_pack("{s:s}", "password", patient->password)));
    CU_ASSERT_EQUAL(throttle_rows(), rows);
    CU_ASSERT_EQUAL(failures(), failed);
    return_memory();
    HTTP_ANSWER up = http_post(suite_url(suite), "/auth/step-up", patient->access,
                               json_pack("{s:s}", "password", patient->password));
    CHECK_STATUS(up, 204);
}

static void a_password_that_cannot_be_set_spends_nothing(void)
{
    PERSON patient = person_register(suite, NULL);
    struct mail_link link;

    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 1));
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    link = suite_mail_link(suite, patient->email, "https://patient.demo.example/set-password");
    take_memory();
    check_unavailable("set", http_post(suite_url(suite), "/auth/set-password", NULL,
                                       json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                 link.secret, "password", "another horse")));
    check_unavailable("register", suite_post_fresh(suite, "/auth/tenant/Patient/register",
                                                   body_register("n@patients.example", "demo")));
    PROGRAM made = ATRIUMCTL(suite, "correct horse\n", "user", "create-admin", "--project", "demo",
                             "--email", "new@demo.example", "--name", "N", "--surname", "S");
    CHECK_EXIT(made, 1);
    UNIT_CHECK(strstr(made->err, "busy") != NULL, "%s", made->err);
    return_memory();
    HTTP_ANSWER set = http_post(suite_url(suite), "/auth/set-password", NULL,
                                json_pack("{s:s, s:s, s:s}", "id", link.id, "secret", link.secret,
                                          "password", "another horse"));
    CHECK_STATUS(set, 204);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.account where email in "
                                       "('n@patients.example', 'new@demo.example')"),
                    0);
}

/* doctor includes the last minutes, so it does not miss a short shortage. */
static void doctor_and_the_log_report_it(void)
{
    size_t lines = daemon_log_count(suite, "authd", "no memory to hash a password");

    UNIT_CHECK(lines >= 1 && lines <= 6, "%zu lines", lines);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    UNIT_CHECK(strstr(doctor->out, "\"password memory\"") &&
                   strstr(doctor->out, "could not be hashed"),
               "%s", doctor->out);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_sign_in_is_unavailable_not_incorrect),
    CASE(a_proof_by_password_is_unavailable_not_wrong),
    CASE(a_password_that_cannot_be_set_spends_nothing),
    CASE(doctor_and_the_log_report_it),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    if (UNIT_KEPT_KIB > 0)
        return unit_leave_out_suite("password memory",
                                    "AddressSanitizer needs address space of its own");
    suite = suite_start(NULL);
    return unit_run("password memory", cases, ARRAY_SIZE(cases));
}
