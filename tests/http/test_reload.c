/*
 * test_reload.c - SIGHUP for a whole suite under load: reloadable settings change, others are
 * named, a broken file changes nothing, and no request fails.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/daemon_log.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { CLIENTS = 4, RELOADS = 10 };

static const char *const daemons[] = {"gateway", "authd", "settingsd", "docd", "maild", "botd"};

static struct suite *suite;

/* Writes the suite's conf.d file; NULL removes it. */
static void write_part(const char *text)
{
    char directory[512], path[600];
    FILE *file;

    snprintf(directory, sizeof(directory), "%s/conf.d", suite_dir(suite));
    snprintf(path, sizeof(path), "%s/50-test.conf", directory);
    if (!text) {
        unlink(path);
        rmdir(directory);
        return;
    }
    mkdir(directory, 0700);
    file = fopen(path, "we");
    UNIT_REQUIRE(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

/* Sends SIGHUP to every daemon and waits until all accepted or refused the new configuration. */
static void reload(const char *line)
{
    size_t before = daemon_log_count(suite, NULL, line);

    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        suite_signal(suite, daemons[i], "1", SIGHUP);
    daemon_log_wait(suite, NULL, line, before + ARRAY_SIZE(daemons));
}

static const char reloaded[] = "configuration reloaded", refused[] = "configuration refused";

static struct {
    pthread_t threads[CLIENTS];
    struct person *admin;
    atomic_int good, failed;
    atomic_bool enough;
} load;

static void *ask_on(void *arg UNUSED)
{
    while (!atomic_load(&load.enough)) {
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", load.admin->access);

        atomic_fetch_add(me->status == 200 ? &load.good : &load.failed, 1);
    }
    return NULL;
}

static void load_start(void)
{
    load.admin = person_admin(suite);
    atomic_store(&load.good, 0);
    atomic_store(&load.failed, 0);
    atomic_store(&load.enough, false);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_create(&load.threads[i], NULL, ask_on, NULL);
}

static void load_stop(void)
{
    int before = atomic_load(&load.good);

    while (atomic_load(&load.good) < before + 20 && atomic_load(&load.failed) == 0)
        usleep(10000);
    atomic_store(&load.enough, true);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_join(load.threads[i], NULL);
    person_destroy(&load.admin);
    UNIT_CHECK(atomic_load(&load.failed) == 0, "%d requests failed, %d did not",
               atomic_load(&load.failed), atomic_load(&load.good));
}

static void remember_pids(pid_t pids[static ARRAY_SIZE(daemons)])
{
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        pids[i] = suite_pid(suite, daemons[i], "1");
}

/* The limit is two sessions, so the third sign-in ends the first. */
static size_t sessions_after_three_sign_ins(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON second = person_sign_in(suite, "Patient", patient->email, patient->password, "demo");
    PERSON third = person_sign_in(suite, "Patient", patient->email, patient->password, "demo");
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", third->access);

    CU_ASSERT_PTR_NOT_NULL(second);
    CHECK_STATUS(me, 200);
    return json_array_size(http_member(me, "security.sessions"));
}

static void limits_change_under_load(void)
{
    pid_t before[ARRAY_SIZE(daemons)], after[ARRAY_SIZE(daemons)];

    CU_ASSERT_EQUAL(sessions_after_three_sign_ins(), 3);
    remember_pids(before);
    load_start();
    for (int i = 0; i < RELOADS; i++) {
        write_part(i % 2 == 0
                       ? "authd\n    sessions_per_account = 2\ngateway\n    access_log = false\n"
                       : "authd\n    sessions_per_account = 3\n");
        reload(reloaded);
    }
    load_stop();
    CU_ASSERT_EQUAL(sessions_after_three_sign_ins(), 3);
    write_part("authd\n    sessions_per_account = 2\n");
    reload(reloaded);
    CU_ASSERT_EQUAL(sessions_after_three_sign_ins(), 2);
    CU_ASSERT_TRUE(daemon_log_count(suite, NULL, "changed=authd.sessions_per_account") > 0);
    CU_ASSERT_TRUE(daemon_log_count(suite, NULL, "changed=\"gateway.access_log\"") +
                       daemon_log_count(suite, NULL, "changed=gateway.access_log") >
                   0);
    remember_pids(after);
    UNIT_CHECK(memcmp(before, after, sizeof(before)) == 0, "a daemon was restarted");
}

static void what_needs_a_restart_is_named(void)
{
    write_part("authd\n    issuer = other\n    sessions_per_account = 3\n");
    PROGRAM check = ATRIUMCTL(suite, NULL, "config", "check", "authd");
    CHECK_EXIT(check, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(check->out, "restart  authd.issuer: atrium -> other"));
    CU_ASSERT_PTR_NOT_NULL(strstr(check->out, "reload   authd.sessions_per_account: 2 -> 3"));
    reload(reloaded);
    PROGRAM show = ATRIUMCTL(suite, NULL, "config", "show", "authd", "--json"); /* full paths */
    CU_ASSERT_PTR_NOT_NULL(strstr(show->out, "/conf.d/50-test.conf:3"));
    CU_ASSERT_EQUAL(daemon_log_count(suite, NULL, "\"a change needs a restart\" keys=authd.issuer"),
                    1);
    CU_ASSERT_EQUAL(sessions_after_three_sign_ins(), 3);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    CU_ASSERT_PTR_NOT_NULL(strstr(doctor->out, "authd.issuer"));
    CU_ASSERT_PTR_NOT_NULL(strstr(doctor->out, "systemctl restart atrium-authd@1"));
}

static void a_broken_file_changes_nothing(void)
{
    write_part("common\n    log_levl = debug\nauthd\n    sessions_per_account = 2\n");
    load_start();
    reload(refused);
    load_stop();
    PROGRAM check = ATRIUMCTL(suite, NULL, "config", "check");
    CHECK_EXIT(check, 1);
    UNIT_CHECK(strstr(check->err, "conf.d/50-test.conf:2: section") != NULL, "%s", check->err);
    write_part("authd\n    issuer = \"x\"\n    isuer = \"y\"\n");
    PROGRAM one = ATRIUMCTL(suite, NULL, "config", "check");
    CHECK_EXIT(one, 1);
    UNIT_CHECK(strstr(one->out, "authd.1: ") && strstr(one->out, "50-test.conf:3: section"), "%s",
               one->out);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(one->out, "gateway.1    refused")); /* the gateway reads authd's section too */
    CU_ASSERT_TRUE(
        daemon_log_count(suite, NULL, "50-test.conf:2: section \\\"common\\\" has no key") > 0);
    CU_ASSERT_EQUAL(sessions_after_three_sign_ins(), 3);
    write_part("gateway\n    trusted_proxies = \"10.0.0.0/8, nonsense\"\n");
    suite_signal(suite, "gateway", "1", SIGHUP);
    daemon_log_wait(suite, NULL, refused, ARRAY_SIZE(daemons) + 1);
    write_part(NULL);
    reload(reloaded);
}

/* Sessions show the client's address. The proxy's header counts once the proxy is trusted. */
static void a_proxy_is_trusted_after_a_reload(void)
{
    write_part("gateway\n    trusted_proxies = \"127.0.0.1\"\n    access_log_address = true\n");
    reload(reloaded);
    HTTP_ANSWER answer = http_call(
        suite_url(suite),
        &(struct http_request){.path = "/auth/me", .headers = {"X-Forwarded-For: 203.0.113.77"}});

    CHECK_STATUS(answer, 401);
    daemon_log_wait(suite, NULL, "203.0.113.77", 1);
    write_part(NULL);
    reload(reloaded);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(limits_change_under_load),        CASE(what_needs_a_restart_is_named),
    CASE(a_broken_file_changes_nothing),   CASE(a_proxy_is_trusted_after_a_reload),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){0});
    return unit_run("reload", cases, ARRAY_SIZE(cases));
}
