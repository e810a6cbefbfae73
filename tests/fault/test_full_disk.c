/*
 * test_full_disk.c - PostgreSQL's disk is full: every instance knows that it cannot write, /readyz,
 * metrics, status and doctor report it, doctor names the disk, and reads work. Freed space restores
 * everything. The data is on a small tmpfs in a separate mount namespace.
 */
#include <CUnit/CUnit.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { SEEN_MS = 15000, BACK_MS = 15000, PATH_SIZE = 512 };

static const char *const daemons[] = {"authd", "settingsd", "maild", "docd", "botd"};

static struct suite *suite;
static char data[PATH_SIZE], filler[PATH_SIZE + 16];

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return good;
}

/* Enters a mount namespace, as root or in a user namespace with the same uid. */
static bool enter_namespace(void)
{
    char map[64];
    uid_t uid = geteuid();
    gid_t gid = getegid();

    if (uid == 0)
        return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return false;
    snprintf(map, sizeof(map), "%u %u 1", uid, uid);
    if (!write_text("/proc/self/uid_map", map) || !write_text("/proc/self/setgroups", "deny"))
        return false;
    snprintf(map, sizeof(map), "%u %u 1", gid, gid);
    return write_text("/proc/self/gid_map", map);
}

static void run(const char *const *argv)
{
    PROGRAM done = program_run(argv, NULL);

    CHECK_EXIT(done, 0);
}

static bool move_to_small_disk(void)
{
    char aside[PATH_SIZE + 16], options[128];
    struct stat status;

    suite_halt(suite);
    snprintf(data, sizeof(data), "%s/pg", suite_dir(suite));
    snprintf(aside, sizeof(aside), "%s.aside", data);
    snprintf(filler, sizeof(filler), "%s/filler", data);
    if (stat(data, &status) < 0 || rename(data, aside) < 0 || mkdir(data, 0700) < 0)
        return false;
    snprintf(options, sizeof(options), "size=192m,mode=0700,uid=%u,gid=%u", status.st_uid,
             status.st_gid);
    if (mount("tmpfs", data, "tmpfs", 0, options) < 0)
        return false;
    strcat(aside, "/.");
    run((const char *const[]){"/usr/bin/cp", "-a", aside, data, NULL});
    aside[strlen(aside) - 2] = '\0';
    run((const char *const[]){"/usr/bin/rm", "-rf", aside, NULL});
    suite_restart(suite);
    return true;
}

/* Starts a new WAL file that has space for everything until the full disk is noticed. PostgreSQL
 * crashes if it cannot create the next one. */
static void begin_log_file(void)
{
    free(suite_query(suite, "select pg_switch_wal()"));
    free(suite_query(suite, "checkpoint"));
}

static void fill_disk(void)
{
    static char block[65536];
    int fd;

    begin_log_file();
    fd = open(filler, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    UNIT_CHECK(fd >= 0, "%s", filler);
    while (write(fd, block, sizeof(block)) > 0)
        continue;
    close(fd);
}

static void free_disk(void)
{
    CU_ASSERT_EQUAL(unlink(filler), 0);
}

static long value_of(const char *name, const char *service)
{
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    char start[128];
    const char *at;

    snprintf(start, sizeof(start), "\n%s{service=\"%s\"", name, service);
    at = metrics->body ? strstr(metrics->body, start) : NULL;
    return at ? strtol(strchr(at, '}') + 1, NULL, 10) : -1;
}

static bool comes_to(const char *name, const char *service, long want, int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;
    long value = -1;

    while ((value = value_of(name, service)) != want && clock_mono_ms() < deadline)
        usleep(100000);
    return UNIT_CHECK(value == want, "%s of %s is %ld", name, service, value);
}

static struct http_answer *write_setting(const struct person *admin, const char *value)
{
    return http_put(suite_url(suite), "/v1/project/settings/values/PATIENT_APP_URL", admin->access,
                    json_pack("{s:s}", "value", value));
}

static void the_data_lies_on_a_small_disk(void)
{
    CU_ASSERT_TRUE_FATAL(move_to_small_disk());
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        comes_to("atrium_database_writable", daemons[i], 1, SEEN_MS);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    UNIT_CHECK(strstr(doctor->out, "\"postgresql\"") != NULL, "%s", doctor->out);
}

static void full_disk_is_reported(void)
{
    PERSON admin = person_admin(suite);
    int64_t since = clock_mono_ms();

    fill_disk();
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        comes_to("atrium_database_writable", daemons[i], 0, SEEN_MS);
    printf("told after %d ms ...", (int)(clock_mono_ms() - since));
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        CU_ASSERT_EQUAL(value_of("atrium_database_up", daemons[i]), 1);
    HTTP_ANSWER ready = http_get(suite_admin_url(suite), "/readyz", NULL);
    CHECK_STATUS(ready, 503);
    UNIT_CHECK(strstr(ready->body, "\"database writes\"") != NULL, "%s", ready->body);
    PROGRAM status = ATRIUMCTL(suite, NULL, "status", "--json");
    UNIT_CHECK(unit_occurrences(status->out, "\"writable\": false") == ARRAY_SIZE(daemons), "%s",
               status->out);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", admin->access);
    CHECK_STATUS(me, 200);
}

static void doctor_reports_the_disk_first(void)
{
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    PROGRAM json = ATRIUMCTL(suite, NULL, "doctor", "--json");
    const char *first = strstr(doctor->out, "\n\n");

    CHECK_EXIT(doctor, 1);
    UNIT_CHECK(first && strncmp(first, "\n\npostgresql, disk: ", 20) == 0 && strstr(first, data) &&
                   strstr(first, "MiB are free"),
               "%s", doctor->out);
    UNIT_CHECK(strstr(json->out, "PostgreSQL's disk is full: ") && strstr(json->out, "53100") &&
                   strstr(json->out, "\"follows\": \"postgresql disk\""),
               "%s", json->out);
}

/* The failure of a request is noticed immediately, freed space within seconds, and no daemon
 * restarts. */
static void freed_space_restores_service_without_a_restart(void)
{
    pid_t before[ARRAY_SIZE(daemons)];
    PERSON admin = person_admin(suite);
    int64_t since;

    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        before[i] = suite_pid(suite, daemons[i], "1");
    free_disk();
    since = clock_mono_ms();
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        comes_to("atrium_database_writable", daemons[i], 1, BACK_MS);
    printf("told after %d ms ...", (int)(clock_mono_ms() - since));
    CU_ASSERT_TRUE(suite_wait_ready(suite, BACK_MS));
    PERSON patient = person_register(suite, NULL);
    CU_ASSERT_EQUAL(patient->status, 200);
    UNUSED HTTP_ANSWER written = write_setting(admin, "https://room.example");
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        CU_ASSERT_EQUAL(suite_pid(suite, daemons[i], "1"), before[i]);
}

static void free_bytes_of_the_store_are_measured_every_five_seconds(void)
{
    enum { SMALL = 64 << 20, FRESH_MS = 5500 };
    char storage[PATH_SIZE];
    int64_t since;
    long bytes;

    snprintf(storage, sizeof(storage), "%s/storage", suite_dir(suite));
    CU_ASSERT_EQUAL_FATAL(mount("tmpfs", storage, "tmpfs", 0, "size=64m,mode=0777"), 0);
    since = clock_mono_ms();
    while ((bytes = value_of("atrium_doc_storage_free_bytes", "docd")) > SMALL &&
           clock_mono_ms() - since < FRESH_MS)
        usleep(100000);
    UNIT_CHECK(bytes > SMALL / 2 && bytes <= SMALL, "%ld bytes", bytes);
    CU_ASSERT_EQUAL(umount2(storage, MNT_DETACH), 0);
}

/* The server keeps the detached disk, which has its working directory, until it stops. Then nothing
 * of the disk remains. */
static void suite_shuts_down_cleanly(void)
{
    CU_ASSERT_EQUAL(umount2(data, MNT_DETACH), 0);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_data_lies_on_a_small_disk),
    CASE(full_disk_is_reported),
    CASE(doctor_reports_the_disk_first),
    CASE(freed_space_restores_service_without_a_restart),
    CASE(free_bytes_of_the_store_are_measured_every_five_seconds),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    if (!enter_namespace())
        return unit_leave_out_suite("full disk", "no mount namespace can be made");
    unit_optional();
    suite = suite_start(NULL);
    return unit_run("full disk", cases, ARRAY_SIZE(cases));
}
