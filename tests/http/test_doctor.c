/*
 * test_doctor.c - `atriumctl doctor`: a healthy suite has no findings. Each possible fault is
 * caused once, reported in its row with a remedy, and repaired.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/service/service.h"
#include "tests/support/mail_server.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    HUNG_MS = 15000, /* doctor's maximum time when one thing hangs */
    BACK_MS = 15000,
};

static struct suite *suite;

static const json_t *row_of(const struct program *doctor, const char *daemon, const char *check)
{
    const json_t *row;
    size_t i;

    json_array_foreach(doctor->json, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "daemon")), daemon) == 0 &&
            strcmp(json_string_value(json_object_get(row, "check")), check) == 0)
            return row;
    }
    return NULL;
}

static const char *member(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));

    return text ? text : "";
}

static bool says(const struct program *doctor, const char *daemon, const char *check,
                 const char *state, const char *seen, const char *mend)
{
    const json_t *row = row_of(doctor, daemon, check);

    return row && strcmp(member(row, "state"), state) == 0 && strstr(member(row, "seen"), seen) &&
           strstr(member(row, "mend"), mend) && (*mend != '\0') == (*member(row, "mend") != '\0');
}

#define CHECK_ROW(daemon, check, state, seen, mend) \
    check_row((daemon), (check), (state), (seen), (mend), __LINE__)

/* Checks one row, and that doctor exits with 1 exactly when something fails. */
static void check_row(const char *daemon, const char *check, const char *state, const char *seen,
                      const char *mend, int line)
{
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");

    UNIT_CHECK(says(doctor, daemon, check, state, seen, mend), "line %d: %s %s: %s%s", line, daemon,
               check, doctor->out, doctor->err);
    UNIT_CHECK((strstr(doctor->out, "\"fail\"") != NULL) == (doctor->code == FAILED), "line %d: %s",
               line, doctor->out);
    UNIT_CHECK(strcmp(state, "fail") != 0 || strstr(doctor->err, "checks failed\n"), "line %d: %s",
               line, doctor->err);
}

static void check_sound(void)
{
    int64_t limit = clock_mono_ms() + BACK_MS;

    for (;;) {
        PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
        bool sound = doctor->code == DONE && !strstr(doctor->out, "\"warn\"");

        if (sound || clock_mono_ms() > limit) {
            UNIT_CHECK(sound, "%s%s", doctor->out, doctor->err);
            return;
        }
        usleep(200000);
    }
}

static void run_sql(const char *sql)
{
    PGconn *connection = suite_database(suite);
    PGresult *result = PQexec(connection, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK ||
                   PQresultStatus(result) == PGRES_TUPLES_OK,
               "%s: %s", sql, PQerrorMessage(connection));
    PQclear(result);
    PQfinish(connection);
}

static void reconnect_docd(void)
{
    run_sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'atrium-docd'");
}

static char *path_of(const char *name)
{
    char *path;

    if (asprintf(&path, "%s/%s", suite_dir(suite), name) < 0)
        abort();
    return path;
}

static void run(const char *const *argv)
{
    PROGRAM done = program_run(argv, NULL);

    CHECK_EXIT(done, 0);
}

/* Runs broken(), which damages a file of the suite, and then restores the file. */
static void with_file_changed(const char *name, void (*broken)(const char *path))
{
    char *path = path_of(name), *aside = path_of("aside");

    run((const char *const[]){"/usr/bin/cp", "-p", path, aside, NULL});
    broken(path);
    run((const char *const[]){"/usr/bin/rm", "-rf", path, NULL});
    run((const char *const[]){"/usr/bin/mv", aside, path, NULL});
    free(path);
    free(aside);
}

static void write_file(const char *path, const char *mode, const char *text)
{
    FILE *file = fopen(path, mode);

    UNIT_CHECK(file && fputs(text, file) >= 0, "%s", path);
    if (file)
        fclose(file);
}

static void a_healthy_suite_has_no_findings(void)
{
    static const struct {
        const char *daemon, *checks[24];
    } want[] = {
        {"gateway.1", {"bus", "configuration", "peers", "lease"}},
        {"authd.1",
         {"bus", "configuration", "key files", "peers", "database", "database version",
          "database writes", "database locks", "database rights", "audit rights", "migrations",
          "durability", "connections", "clock", "audit", "outbox", "signing keys", "issuer keys",
          "shared accounts"}},
        {"settingsd.1", {"bus", "configuration", "key files", "peers", "database", "outbox"}},
        {"maild.1",
         {"bus", "key files", "database", "mail transport", "dead mail", "mail queue", "jobs"}},
        {"docd.1",
         {"bus", "configuration", "key files", "peers", "database", "audit", "disk", "seal key",
          "sandbox"}},
        {"docd.2", {"bus", "configuration", "key files", "peers", "database", "audit"}},
        {"botd.1", {"bus", "configuration", "database", "audit", "sandbox", "translation"}},
    };
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    PROGRAM table = ATRIUMCTL(suite, NULL, "doctor");

    CHECK_EXIT(doctor, DONE);
    for (size_t d = 0; d < ARRAY_SIZE(want); d++) {
        for (size_t i = 0; want[d].checks[i]; i++)
            UNIT_CHECK(says(doctor, want[d].daemon, want[d].checks[i], "ok", "", ""), "%s %s: %s",
                       want[d].daemon, want[d].checks[i], doctor->out);
    }
    CHECK_ROW("botd.1", "translation", "ok", "0 tried with a word", "");
    CHECK_EXIT(table, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "DAEMON"));
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "version " ATRIUM_VERSION ", up "));
    CU_ASSERT_STRING_EQUAL(table->err, "");
}

static void a_daemon_that_hangs_is_a_row(void)
{
    int64_t since = clock_mono_ms();

    suite_signal(suite, "maild", "1", SIGSTOP);
    CHECK_ROW("maild.1", "bus", "fail", "has a socket, but does not respond",
              "journalctl -u atrium-maild@1");
    CU_ASSERT_TRUE(clock_mono_ms() - since < HUNG_MS);
    /* The callers have noticed by now, or will at their next heartbeat. */
    for (int64_t limit = since + BACK_MS;; usleep(200000)) {
        PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");

        if (says(doctor, "authd.1", "peers", "fail", "no instance can be reached: maild",
                 "systemctl start"))
            break;
        UNIT_REQUIRE(clock_mono_ms() < limit, "%s", doctor->out);
    }
    suite_signal(suite, "maild", "1", SIGCONT);
    CU_ASSERT_TRUE(suite_wait_ready(suite, BACK_MS));
    check_sound();
}

static void a_daemon_that_is_not_there_is_a_row(void)
{
    char aside[300], place[300];

    snprintf(place, sizeof(place), "%s/botd", suite_text(suite, "busDir"));
    snprintf(aside, sizeof(aside), "%s/aside", suite_text(suite, "busDir"));
    CU_ASSERT_EQUAL(rename(place, aside), 0);
    CHECK_ROW("botd", "bus", "fail", "no instance has a socket below",
              "systemctl enable --now atrium-botd@1");
    PROGRAM table = ATRIUMCTL(suite, NULL, "doctor");
    CU_ASSERT_PTR_NOT_NULL(strstr(
        table->out, "\nbotd, bus: no instance has a socket below")); /* the unshortened line */
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "\n    systemctl enable --now atrium-botd@1"));
    CU_ASSERT_EQUAL(rename(aside, place), 0);
    check_sound();
}

/* A gateway without any authd cannot learn of revocations, and reports it after five seconds. */
static void a_gateway_without_a_lease_is_reported(void)
{
    int64_t limit = clock_mono_ms() + BACK_MS;

    suite_signal(suite, "authd", "1", SIGSTOP);
    for (;; usleep(300000)) {
        PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");

        if (says(doctor, "gateway.1", "lease", "fail", "return 503", "Start authd"))
            break;
        UNIT_REQUIRE(clock_mono_ms() < limit, "%s", doctor->out);
    }
    suite_signal(suite, "authd", "1", SIGCONT);
    CU_ASSERT_TRUE(suite_wait_ready(suite, BACK_MS));
    check_sound();
}

static int old_status(void *daemon, const struct request *req, const void *in, void *out,
                      struct error *err)
{
    struct service_status_out *status = out;

    (void)daemon, (void)req, (void)in, (void)err;
    *status = (struct service_status_out){
        .service = "maild", .instance = "old", .version = "0.0.9", .database = true};
    return 0;
}

static void serve_old(struct loop *loop, void *arg)
{
    static const struct operation operations[] = {
        {"service_status", "ctl", ACCESS_INTERNAL, REACH_PUBLIC, R_SAFE, &nothing_table,
         &service_status_out_table, old_status},
        {.name = NULL},
    };
    static const char *const upstreams[] = {NULL};
    struct clock *clock = clock_new(NULL);
    struct bus_options options = {.service = "maild",
                                  .instance = "old",
                                  .version = "0.0.9",
                                  .run_dir = arg,
                                  .operations = operations,
                                  .upstreams = upstreams,
                                  .peer_max = 16,
                                  .serve_max = 16};
    struct error err;

    error_init(&err, NULL);
    if (!bus_new(loop, clock, metrics_new(), &options, &err))
        _exit(1);
    (void)!fiber_sleep_until(loop, clock_mono_ms() + 60000, &err);
    _exit(0);
}

static void another_version_is_a_warning(void)
{
    char run_dir[256];
    pid_t child;

    snprintf(run_dir, sizeof(run_dir), "%s", suite_text(suite, "busDir"));
    *strrchr(run_dir, '/') = '\0';
    child = fork();
    if (child == 0) {
        (void)!freopen("/dev/null", "w", stderr); /* this daemon logs each unknown request */
        unit_on_fiber(serve_old, run_dir);
        _exit(1);
    }
    /* starting it can take a while when other tests run */
    for (int i = 0, last = 19; i <= last; i++) {
        PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
        bool old = says(doctor, "maild.old", "bus", "warn",
                        "version 0.0.9, but this atriumctl has version " ATRIUM_VERSION,
                        "systemctl restart atrium-maild@old");

        if (!old && i < last) {
            usleep(250000);
            continue;
        }
        UNIT_CHECK(old, "%s", doctor->out);
        UNIT_CHECK(says(doctor, "maild.old", "checks", "warn", "being upgraded",
                        "Finish the upgrade"),
                   "%s", doctor->out);
        break;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    /* Its socket is still there, and is reported until an operator removes it. */
    CHECK_ROW("maild.old", "bus", "fail", "has a socket, but does not respond",
              "remove its socket");
    char path[300];
    snprintf(path, sizeof(path), "%s/bus/maild/ctl.old", run_dir);
    CU_ASSERT_EQUAL(unlink(path), 0);
    check_sound();
}

static void add_setting(const char *path, const char *section, const char *key)
{
    char rule[256];

    snprintf(rule, sizeof(rule), "s/^%s$/%s\\n    %s = \"3\"/", section, section, key);
    run((const char *const[]){"/usr/bin/sed", "-i", rule, path, NULL});
}

static void wrong_configuration_case(const char *path)
{
    add_setting(path, "authd", "isuer");
    CHECK_ROW("authd.1", "configuration", "fail", "has no key \"isuer\"", "--check-config");
    CHECK_ROW("maild.1", "configuration", "fail", "has no key \"isuer\"", "--check-config");
}

static void changed_configuration_case(const char *path)
{
    add_setting(path, "maild", "deliveries");
    CHECK_ROW("maild.1", "configuration", "warn", "has changed since",
              "systemctl restart atrium-maild@1");
    CHECK_ROW("authd.1", "configuration", "ok", "atrium.conf", "");
}

static void open_configuration_case(const char *path)
{
    chmod(path, 0602);
    CHECK_ROW("docd.2", "configuration", "fail", "can be changed by users other than",
              "chmod go-w");
}

static void the_configuration_is_read_again(void)
{
    with_file_changed("atrium.conf", wrong_configuration_case);
    with_file_changed("atrium.conf", changed_configuration_case);
    with_file_changed("atrium.conf", open_configuration_case);
    check_sound();
}

static void key_file_cases(const char *path)
{
    static const char other_key[] =
        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n";

    chmod(path, 0644);
    CHECK_ROW("maild.1", "key files", "fail", "must not be accessible to others", "chmod 600");
    chmod(path, 0600);
    if (geteuid() == 0) {
        CU_ASSERT_EQUAL(chown(path, 65534, 65534), 0);
        CHECK_ROW("maild.1", "key files", "fail", "belongs to another user (65534)", "chown");
        CU_ASSERT_EQUAL(chown(path, 0, 0), 0);
    }
    write_file(path, "w", other_key);
    CHECK_ROW("maild.1", "key files", "fail", "has a different key than the one in use",
              "from the backup");
    unlink(path);
    CHECK_ROW("maild.1", "key files", "fail", "No such file or directory", "must exist");
}

static void key_files_are_looked_at(void)
{
    with_file_changed("keys/maild.key", key_file_cases);
    check_sound();
}

static void a_role_with_too_many_rights_is_reported(void)
{
    run_sql("grant usage on schema mail to \"atrium-docd\"");
    CHECK_ROW("docd.1", "database rights", "fail", "schemas of other daemons: mail",
              "revoke all on schema mail from \"atrium-docd\"");
    run_sql("revoke usage on schema mail from \"atrium-docd\"");
    run_sql("grant \"atrium-authd\" to \"atrium-docd\"");
    CHECK_ROW("docd.1", "database rights", "fail", "schemas of other daemons: auth", "membership");
    run_sql("revoke \"atrium-authd\" from \"atrium-docd\"");
    run_sql("alter role \"atrium-docd\" superuser");
    CHECK_ROW("docd.1", "database rights", "fail", "can do everything", "nosuperuser");
    run_sql("alter role \"atrium-docd\" nosuperuser createrole");
    CHECK_ROW("docd.1", "database rights", "fail", "can do everything", "nocreaterole");
    run_sql("alter role \"atrium-docd\" nocreaterole");
    check_sound();
}

static void migrations_are_counted(void)
{
    char *last = suite_query(suite, "select max(name) from doc.schema_migration"), sql[256];

    snprintf(sql, sizeof(sql), "delete from doc.schema_migration where name = '%s'", last);
    run_sql(sql);
    CHECK_ROW("docd.2", "migrations", "fail", last, "restart all instances");
    snprintf(sql, sizeof(sql), "insert into doc.schema_migration values ('%s'), ('9999_later')",
             last);
    run_sql(sql);
    CHECK_ROW("docd.2", "migrations", "warn", "9999_later", "A newer release has migrated");
    run_sql("delete from doc.schema_migration where name = '9999_later'");
    check_sound();
    free(last);
}

static void settings_that_lose_commits_are_reported(void)
{
    run_sql("alter role \"atrium-docd\" set synchronous_commit = off");
    reconnect_docd();
    CHECK_ROW("docd.1", "durability", "fail", "synchronous_commit is off",
              "Set synchronous_commit = on");
    run_sql("alter role \"atrium-docd\" reset synchronous_commit");
    reconnect_docd();
    check_sound();
}

static void connections_run_out(void)
{
    char sql[200];

    /* Five more than in use: another instance takes up to eleven. */
    snprintf(sql, sizeof(sql), "alter role \"atrium-docd\" connection limit %ld",
             5 + suite_count(suite, "select count(*) from pg_stat_activity "
                                    "where usename = 'atrium-docd'"));
    run_sql(sql);
    CHECK_ROW("docd.1", "connections", "warn", "one more instance would take 11",
              "max_connections");
    run_sql("alter role \"atrium-docd\" connection limit 1");
    CHECK_ROW("docd.1", "connections", "fail", "none is left", "max_connections");
    run_sql("alter role \"atrium-docd\" connection limit -1");
    check_sound();
}

/* Overrides the server's function clock_timestamp(); only newly planned statements use it. */
static void set_server_clock(const char *seconds)
{
    char sql[400];

    snprintf(sql, sizeof(sql),
             "create or replace function pg_catalog.clock_timestamp() returns timestamptz "
             "language sql volatile as $$ select statement_timestamp() + interval '%s s' $$",
             seconds);
    run_sql(sql);
    reconnect_docd();
}

static void clocks_that_differ_are_reported(void)
{
    set_server_clock("3600");
    CHECK_ROW("docd.1", "clock", "fail", "ahead of this host's", "timedatectl");
    set_server_clock("-3600");
    CHECK_ROW("docd.1", "clock", "fail", "behind this host's", "timedatectl");
    set_server_clock("3");
    CHECK_ROW("docd.1", "clock", "warn", "s ahead of this host's", "NTP");
    run_sql("create or replace function pg_catalog.clock_timestamp() returns timestamptz "
            "language internal volatile strict parallel safe as 'clock_timestamp'");
    reconnect_docd();
    check_sound();
}

static void a_database_that_refuses_connections_is_reported(void)
{
    int64_t since;

    run_sql("alter role \"atrium-docd\" nologin");
    reconnect_docd();
    since = clock_mono_ms();
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    UNIT_CHECK(says(doctor, "docd.1", "database", "fail", "", "Start PostgreSQL"), "%s",
               doctor->out);
    CU_ASSERT_TRUE(clock_mono_ms() - since < HUNG_MS);
    CU_ASSERT_PTR_NULL(row_of(doctor, "docd.1", "migrations"));
    CU_ASSERT_PTR_NOT_NULL(row_of(doctor, "docd.1", "key files"));
    UNIT_CHECK(says(doctor, "authd.1", "database", "ok", "", ""), "%s", doctor->out);
    run_sql("alter role \"atrium-docd\" login");
    CU_ASSERT_TRUE(suite_wait_ready(suite, BACK_MS));
    check_sound();
}

static void a_table_that_is_locked_is_a_row(void)
{
    PGconn *holder = suite_database(suite);
    int64_t since = clock_mono_ms();

    PQclear(PQexec(holder, "begin; lock table doc.schema_migration in access exclusive mode"));
    CHECK_ROW("docd.1", "migrations", "fail", "", "restart all instances");
    CHECK_ROW("docd.1", "audit", "ok", "", "");
    CU_ASSERT_TRUE(clock_mono_ms() - since < 2 * HUNG_MS);
    PQfinish(holder);
    check_sound();
}

static void an_unsealed_audit_trail_is_reported(void)
{
    PGconn *holder = suite_database(suite);

    PQclear(PQexec(holder, "begin; select from settings.audit_head for update"));
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", "Unsealed");
    CHECK_EXIT(made, DONE);
    suite_set_clock(suite, 30);
    CHECK_ROW("settingsd.1", "audit", "warn", "are not sealed", "audit_head");
    suite_set_clock(suite, 300);
    CHECK_ROW("settingsd.1", "audit", "fail", "are not sealed", "audit_head");
    PQfinish(holder);
    suite_set_clock(suite, 0);
    check_sound();
}

static void add_to_outbox(int minutes)
{
    char sql[400];

    snprintf(sql, sizeof(sql),
             "insert into auth.outbox (id, method, body, created_at, due_at) "
             "values (gen_random_uuid(), 'maild.gone', '', %lld, %lld)",
             (long long)(clock_real_ms() - minutes * 60000),
             (long long)(clock_real_ms() + 3600000));
    run_sql(sql);
}

static void a_growing_outbox_is_reported(void)
{
    add_to_outbox(3);
    CHECK_ROW("authd.1", "outbox", "warn", "1 calls of other daemons wait, the oldest for 3 min",
              "this daemon's log");
    add_to_outbox(30);
    CHECK_ROW("authd.1", "outbox", "fail", "2 calls of other daemons wait, the oldest for 30 min",
              "this daemon's log");
    run_sql("delete from auth.outbox where method = 'maild.gone'");
    check_sound();
}

#define ID "'00000000-0000-4000-8000-000000000001'"

static void add_mail(const char *state, const char *sealed, int minutes)
{
    char sql[600];

    snprintf(sql, sizeof(sql),
             "insert into mail.message (id, project_id, template, sealed, state, attempts, due_at, "
             "last_error, created_at) values (gen_random_uuid(), " ID
             ", 'GONE', %s, '%s', 7, %lld, "
             "'smtp: answered 451', %lld)",
             sealed, state, (long long)(clock_real_ms() + 3600000),
             (long long)(clock_real_ms() - minutes * 60000));
    run_sql(sql);
}

static void undelivered_mail_is_reported(void)
{
    add_mail("dead", "null", 1);
    CHECK_ROW("maild.1", "dead mail", "warn", "1 failed", "mail queue --state dead");
    run_sql("delete from mail.message where template = 'GONE'");
    add_mail("queued", "''", 20);
    CHECK_ROW("maild.1", "mail queue", "warn",
              "the oldest has waited for 20 min, after 7 attempts: smtp: answered 451",
              "mail retry");
    add_mail("queued", "''", 200);
    CHECK_ROW("maild.1", "mail queue", "fail", "waited for 3 h", "mail retry");
    run_sql("delete from mail.message where template = 'GONE'");
    check_sound();
}

static void add_job(int minutes)
{
    char sql[600];

    snprintf(
        sql, sizeof(sql),
        "insert into mail.job (id, kind, due_at, account_id, schedule_id, project_id, attempts, "
        "try_at, last_error, created_at) values (gen_random_uuid(), 'account-delete', %lld, " ID
        ", " ID ", " ID ", 9, %lld, 'UNAVAILABLE', 0)",
        (long long)(clock_real_ms() - minutes * 60000), (long long)(clock_real_ms() + 3600000));
    run_sql(sql);
}

static void late_jobs_are_reported(void)
{
    add_job(20);
    CHECK_ROW("maild.1", "jobs", "warn", "a job is 20 min late, after 9 attempts: UNAVAILABLE",
              "job run-due");
    add_job(200);
    CHECK_ROW("maild.1", "jobs", "fail", "a job is 3 h late", "job run-due");
    run_sql("delete from mail.job where account_id = " ID);
    check_sound();
}

static void with_directory_gone(const char *name, void (*broken)(void))
{
    char *path = path_of(name), *aside = path_of("aside");

    CU_ASSERT_EQUAL(rename(path, aside), 0);
    broken();
    CU_ASSERT_EQUAL(rename(aside, path), 0);
    free(path);
    free(aside);
}

static void mail_directory_case(void)
{
    CHECK_ROW("maild.1", "mail transport", "fail", "/mail: No such file or directory", "mail_dir");
}

static void storage_case(void)
{
    CHECK_ROW("docd.1", "disk", "fail", "/storage: No such file or directory", "must exist");
}

static void missing_directories_are_reported(void)
{
    with_directory_gone("mail", mail_directory_case);
    with_directory_gone("storage", storage_case);
    check_sound();
}

static void old_signing_keys_are_reported(void)
{
    suite_set_clock(suite, 400 * 86400);
    CHECK_ROW("authd.1", "signing keys", "warn", "the signing key is 400 days old",
              "atriumctl keys rotate");
    suite_set_clock(suite, 800 * 86400);
    CHECK_ROW("authd.1", "signing keys", "fail", "the signing key is 800 days old",
              "atriumctl keys rotate");
    PROGRAM rotated = ATRIUMCTL(suite, NULL, "keys", "rotate");
    CHECK_EXIT(rotated, DONE);
    suite_set_clock(suite, 800 * 86400 + 15);
    CHECK_ROW("authd.1", "signing keys", "ok", "2 keys are in use", "");
    CHECK_ROW("authd.1", "issuer keys", "fail", "the signing key is 800 days old",
              "atriumctl keys rotate --issuer");
    PROGRAM issuer = ATRIUMCTL(suite, NULL, "keys", "rotate", "--issuer");
    CHECK_EXIT(issuer, DONE);
    suite_set_clock(suite, 801 * 86400 + 30);
    CHECK_ROW("authd.1", "issuer keys", "ok", "in use", "");
    suite_set_clock(suite, 0);
    check_sound();
}

/* The maximum file size leaves space for fewer than ten uploads on most disks, so the result is
 * known. */
static void space_for_fewer_than_ten_uploads_is_reported(void)
{
    enum { LARGEST_GIB = 1024 };
    struct statvfs status;
    int64_t room;

    suite_reconfigure(suite, "docd.max_upload=1024G,botd.apertium_dir=/usr/share/nothing");
    CU_ASSERT_EQUAL(statvfs(suite_dir(suite), &status), 0);
    room = (int64_t)(status.f_bavail * status.f_frsize) >> 30;
    CHECK_ROW("docd.1", "disk",
              room < LARGEST_GIB        ? "fail"
              : room < 10 * LARGEST_GIB ? "warn"
                                        : "ok",
              "has space for", room < 10 * LARGEST_GIB ? "Free space below storage_dir" : "");
    CHECK_ROW("botd.1", "translation", "fail", "no pair of languages in /usr/share/nothing",
              "apt-get install apertium-eng-spa");
}

static void no_namespaces_are_told(void)
{
    suite_stop(&suite);
    suite = suite_start(
        &(struct suite_options){.no_demo = true, .no_namespaces = true, .no_landlock = true});
    CHECK_ROW("botd.1", "sandbox", "fail",
              "bubblewrap cannot confine a program: bwrap: ", "user.max_user_namespaces");
    CHECK_ROW("botd.1", "sandbox", "fail", "landlock: the kernel has no Landlock",
              "landlock_* system calls");
    CHECK_ROW("docd.1", "sandbox", "fail", "no image is resized", "bubblewrap");
    PROGRAM status = ATRIUMCTL(suite, NULL, "status", "--json");
    const char *first = strstr(status->out, "\"sandbox\": \"none\"");
    CU_ASSERT_PTR_NOT_NULL(first);
    UNIT_CHECK(first && strstr(first + 1, "\"sandbox\": \"none\""), "%s", "of docd and of botd");
}

/* A sandbox trial that takes too long does not mean that the sandbox fails: botd continues with the
 * result of its start. */
static void a_slow_trial_is_told(void)
{
    suite_stop(&suite);
    suite = suite_start(&(struct suite_options){.set = "botd.sandbox_trial=1ms"});
    CHECK_ROW("botd.1", "sandbox", "warn", "takes longer than 1 ms", "The machine is busy");
    PERSON one = person_register(suite, NULL);
    HTTP_ANSWER answer =
        http_post(suite_url(suite), "/bots?identifier=https%3A%2F%2Fatrium.example%2Fbots%7Cecho",
                  one->access, json_object());
    CHECK_STATUS(answer, 200);
}

static void a_mail_server_that_is_away_is_told(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir box = unit_dir_make();
    struct mail_server server = mail_server_start(&box, (const char *const[]){NULL});

    suite_stop(&suite);
    suite = suite_start(
        &(struct suite_options){.no_demo = true, .smtp = server.url + strlen("smtp://")});
    CHECK_ROW("maild.1", "mail transport", "ok", "is ready for mail", "");
    CU_ASSERT_EQUAL(mail_server_count(box.path), 0);
    mail_server_stop(&server);
    CHECK_ROW("maild.1", "mail transport", "fail", "Couldn't connect to server",
              "Start the mail server");
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_healthy_suite_has_no_findings),
    CASE(a_daemon_that_hangs_is_a_row),
    CASE(a_daemon_that_is_not_there_is_a_row),
    CASE(a_gateway_without_a_lease_is_reported),
    CASE(another_version_is_a_warning),
    CASE(the_configuration_is_read_again),
    CASE(key_files_are_looked_at),
    CASE(a_role_with_too_many_rights_is_reported),
    CASE(migrations_are_counted),
    CASE(settings_that_lose_commits_are_reported),
    CASE(connections_run_out),
    CASE(clocks_that_differ_are_reported),
    CASE(a_database_that_refuses_connections_is_reported),
    CASE(a_table_that_is_locked_is_a_row),
    CASE(an_unsealed_audit_trail_is_reported),
    CASE(a_growing_outbox_is_reported),
    CASE(undelivered_mail_is_reported),
    CASE(late_jobs_are_reported),
    CASE(missing_directories_are_reported),
    CASE(old_signing_keys_are_reported),
    CASE(space_for_fewer_than_ten_uploads_is_reported),
    CASE_ALWAYS(no_namespaces_are_told),
    CASE_ALWAYS(a_slow_trial_is_told),
    CASE_ALWAYS(a_mail_server_that_is_away_is_told),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "docd=2", .test_clock = true});
    return unit_run("doctor", cases, ARRAY_SIZE(cases));
}
