/*
 * test_dev.c - `atriumctl dev`: dev.json, exit codes and start times for scripts, where it can run,
 * and that it leaves nothing after any end. Also the daemons' command lines and configuration
 * errors.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/mail_server.h"
#include "tests/support/pg.h"
#include "tests/support/prepared.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    READY_MS = 60000,
    STOP_MS = 30000,
    INTERRUPT_MS = 2000, /* 1 s, plus time for parallel tests */
    GONE_MS = 5000,
    STALE_MS = 1000,
    LATER_START_MS = 8000, /* 2 s, plus time for parallel tests */
    PROCESSES_MAX = 64,
};

static const char *const daemons[] = {"gateway", "authd", "settingsd", "maild", "docd", "botd"};

/* ---- a case's own suite ---- */

struct dev {
    struct program *program;
    char dir[512];
    json_t *info; /* dev.json, when it is ready */
};

static void dev_read_info(struct dev *self)
{
    char path[600];

    snprintf(path, sizeof(path), "%s/dev.json", self->dir);
    json_decref(self->info);
    self->info = json_load_file(path, 0, NULL);
    if (!self->info) /* lets the case continue and fail in its assertions */
        self->info = json_object();
}

/* Runs `atriumctl dev --dir DIR --port 0 words...` until it is ready, without translation. */
static struct dev dev_start(const char *dir, const char *const *words)
{
    char *path = program_path("atriumctl");
    const char *argv[16] = {path, "dev", "--dir", dir, "--port", "0"};
    struct dev self = {0};
    bool set = false;
    size_t count = 6;

    for (; words && *words && count < ARRAY_SIZE(argv) - 3; words++) {
        argv[count++] = *words;
        set = set || strcmp(*words, "--set") == 0;
    }
    if (!set) {
        argv[count++] = "--set";
        argv[count] = "botd.apertium_trial=false";
    }
    snprintf(self.dir, sizeof(self.dir), "%s", dir);
    self.program = program_start(argv, NULL);
    bool ready = program_wait_output(self.program, "atrium: ready ", READY_MS);
    UNIT_CHECK(ready, "%s", self.program->err);
    dev_read_info(&self);
    free(path);
    return self;
}

/* Ends it with a signal and returns its exit code, or -1 if it does not end. */
static int dev_stop(struct dev *self, int signo)
{
    if (self->program->pid > 0)
        kill(self->program->pid, signo);
    program_wait_end(self->program, STOP_MS);
    return self->program->code;
}

static void dev_close(struct dev *self)
{
    if (self->program && self->program->pid > 0)
        dev_stop(self, SIGTERM);
    program_destroy(&self->program);
    json_decref(self->info);
}
#define DEV CLEANUP(dev_close) struct dev

/* Like dev_start(), in a directory that a suite has used, which takes a fifth of the time. */
static struct dev dev_start_used(const char *dir, const char *const *words)
{
    suite_fill(dir, words && strcmp(words[0], "--no-demo") == 0);
    return dev_start(dir, words);
}

static const char *dev_text(const struct dev *self, const char *name)
{
    const char *text = json_string_value(json_object_get(self->info, name));

    return text ? text : "";
}

static pid_t dev_pid(struct dev *self, const char *name)
{
    json_t *daemon;

    dev_read_info(self);
    daemon = http_find(json_object_get(self->info, "daemons"), "name", name);
    return daemon ? (pid_t)json_integer_value(json_object_get(daemon, "pid")) : -1;
}

static bool is_running(pid_t pid)
{
    char path[64], state = '\0';
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state != 'Z';
}

static size_t descendants(pid_t root, pid_t pids[static PROCESSES_MAX])
{
    size_t count = 0;

    pids[count++] = root;
    for (size_t i = 0; i < count; i++) {
        char path[96];
        FILE *file;
        int child;

        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pids[i], (int)pids[i]);
        file = fopen(path, "re");
        while (file && count < PROCESSES_MAX && fscanf(file, "%d", &child) == 1)
            pids[count++] = child;
        if (file)
            fclose(file);
    }
    return count;
}

static void check_all_gone(const pid_t *pids, size_t count)
{
    int64_t deadline = clock_mono_ms() + GONE_MS;

    for (size_t i = 0; i < count; i++) {
        while (is_running(pids[i]) && clock_mono_ms() < deadline)
            usleep(10000);
        UNIT_CHECK(!is_running(pids[i]), "process %d still runs", (int)pids[i]);
    }
}

static void socket_dir(const struct dev *self, char path[static 256])
{
    snprintf(path, 256, "%s", dev_text(self, "busDir"));
    if (strrchr(path, '/'))
        *strrchr(path, '/') = '\0';
}

static bool exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

/* ---- output ---- */

static void dev_json_has_all_that_scripts_need(void)
{
    static const char *const texts[] = {"baseUrl",   "adminUrl", "mailDir",
                                        "clockFile", "busDir",   "botDir"};
    static const char *const demo_texts[] = {"projectId",
                                             "tenantCode",
                                             "adminEmail",
                                             "adminPassword",
                                             "clientId",
                                             "patientAccessPolicy",
                                             "practitionerAccessPolicy"};
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    DEV dev = dev_start(dir.path, (const char *const[]){"--test-clock", NULL});
    json_t *demo = json_object_get(dev.info, "demo"), *daemon;
    json_t *postgres = json_object_get(dev.info, "postgres");
    char path[600], line[160];
    struct stat status = {0};
    PGconn *connection;
    size_t i;

    for (i = 0; i < ARRAY_SIZE(texts); i++)
        UNIT_CHECK(*dev_text(&dev, texts[i]), "%s", texts[i]);
    for (i = 0; i < ARRAY_SIZE(demo_texts); i++)
        UNIT_CHECK(json_string_value(json_object_get(demo, demo_texts[i])), "%s", demo_texts[i]);
    CU_ASSERT_EQUAL(strncmp(json_string_value(json_object_get(demo, "patientAccessPolicy")),
                            "AccessPolicy/", 13),
                    0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(dev.info, "pid")), dev.program->pid);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(dev.info, "daemons")), ARRAY_SIZE(daemons));
    json_array_foreach(json_object_get(dev.info, "daemons"), i, daemon)
    {
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(daemon, "instance")), "1");
        CU_ASSERT_TRUE(is_running((pid_t)json_integer_value(json_object_get(daemon, "pid"))));
    }
    CU_ASSERT_TRUE(is_running((pid_t)json_integer_value(json_object_get(postgres, "pid"))));
    connection = PQconnectdb(json_string_value(json_object_get(postgres, "conninfo")));
    CU_ASSERT_EQUAL(PQstatus(connection), CONNECTION_OK);
    CU_ASSERT_STRING_EQUAL(PQparameterStatus(connection, "is_superuser"), "on");
    PQfinish(connection);

    snprintf(path, sizeof(path), "%s/dev.json", dir.path);
    CU_ASSERT_EQUAL(stat(path, &status), 0);
    CU_ASSERT_EQUAL(status.st_mode & 07777, 0600);
    snprintf(line, sizeof(line), "atrium: ready %s\n", dev_text(&dev, "baseUrl"));
    CU_ASSERT_EQUAL(strncmp(dev.program->out, line, strlen(line)), 0);
    CU_ASSERT_TRUE(strlen(dev_text(&dev, "busDir")) < 60); /* socket paths have at most 107 bytes */
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
}

static bool kill_maild(struct dev *dev)
{
    int64_t killed = clock_mono_ms();
    pid_t old = dev_pid(dev, "maild"), now = old;
    bool seen_down = false;

    kill(old, SIGKILL);
    while ((now == old || now == 0) && clock_mono_ms() < killed + GONE_MS) {
        usleep(2000);
        now = dev_pid(dev, "maild");
        seen_down = seen_down || now == 0;
        if (now == old && clock_mono_ms() > killed + STALE_MS) {
            CU_FAIL("the pid of a dead daemon is still there");
            break;
        }
    }
    UNIT_CHECK(now > 0 && now != old && is_running(now), "%d after %d", (int)now, (int)old);
    return seen_down;
}

static void pids_are_never_stale(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    DEV dev = dev_start_used(dir.path, (const char *const[]){"--no-demo", NULL});
    bool seen_down = false;

    for (int i = 0; i < 5 && !seen_down; i++) /* the first restart is immediate, later ones wait */
        seen_down = kill_maild(&dev);
    CU_ASSERT_TRUE(seen_down);
    dev_stop(&dev, SIGTERM);
    CU_ASSERT_EQUAL(dev_pid(&dev, "maild"), 0);
}

static void no_demo_makes_no_project(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    DEV dev = dev_start_used(dir.path, (const char *const[]){"--no-demo", NULL});
    char *path = program_path("atriumctl");
    PROGRAM list = program_run(
        (const char *const[]){path, "project", "list", "--json", "--dir", dir.path, NULL}, NULL);

    CHECK_EXIT(list, 0);
    CU_ASSERT_TRUE(json_is_array(list->json) && json_array_size(list->json) == 0);
    CU_ASSERT_TRUE(json_is_null(json_object_get(dev.info, "demo")));
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
    free(path);
}

static void a_server_that_runs_already_is_used(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    CLEANUP(pg_destroy) struct pg *pg = pg_new();
    char server[96];

    snprintf(server, sizeof(server), "host=%s", pg->dir.path);
    DEV dev = dev_start(dir.path, (const char *const[]){"--no-demo", "--database", server, NULL});
    CU_ASSERT_EQUAL(
        json_integer_value(json_object_get(json_object_get(dev.info, "postgres"), "pid")), 0);
    CU_ASSERT_EQUAL(pg_exec(pg, "select count(distinct usename) from pg_stat_activity where "
                                "usename like 'atrium-%' and datname = 'atrium'"),
                    5);
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
    CU_ASSERT_EQUAL(pg_exec(pg, "select 1"), 1);
}

/* ---- stops and starts ---- */

static int sign_in(const struct dev *dev, const char *email)
{
    HTTP_ANSWER start =
        http_post(dev_text(dev, "baseUrl"), "/auth/tenant/Patient/login/start", NULL,
                  body_login_start(email, "correct horse battery staple", "demo"));

    return start->status;
}

static void it_starts_again_with_its_data_and_leaves_nothing(void)
{
    static const int signals[] = {SIGINT, SIGKILL, SIGTERM};
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    char *email = person_address(), password[64] = "";

    suite_fill(dir.path, false);
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
        int64_t before = clock_mono_ms();
        DEV dev = dev_start(dir.path, NULL);
        int64_t took = clock_mono_ms() - before;
        pid_t pids[PROCESSES_MAX];
        char sockets[256];
        size_t count;

        UNIT_CHECK(i == 0 || took < LATER_START_MS, "start %zu took %lld ms", i, (long long)took);
        if (i == 0) {
            HTTP_ANSWER registered =
                http_post(dev_text(&dev, "baseUrl"), "/auth/tenant/Patient/register", NULL,
                          body_register(email, "demo"));
            CHECK_STATUS(registered, 200);
        }
        const char *now =
            json_string_value(json_object_get(json_object_get(dev.info, "demo"), "adminPassword"));
        if (*password)
            CU_ASSERT_STRING_EQUAL(password, now ? now : "");
        snprintf(password, sizeof(password), "%s", now ? now : "");
        CU_ASSERT_EQUAL(sign_in(&dev, email), 200);
        socket_dir(&dev, sockets);
        CU_ASSERT_TRUE(exists(sockets));
        count = descendants(dev.program->pid, pids);
        CU_ASSERT_TRUE(count > 6); /* atriumctl, four daemons, PostgreSQL and its processes */
        CU_ASSERT_EQUAL(dev_stop(&dev, signals[i]), signals[i] == SIGKILL ? 128 + SIGKILL : 0);
        check_all_gone(pids, count);
        if (signals[i] != SIGKILL) /* after SIGKILL the next start removes the sockets */
            UNIT_CHECK(!exists(sockets), "%s is left", sockets);
    }
    free(email);
}

static pid_t wait_descendant(pid_t root, const char *name)
{
    int64_t deadline = clock_mono_ms() + GONE_MS;
    pid_t pids[PROCESSES_MAX];

    while (clock_mono_ms() < deadline) {
        size_t count = descendants(root, pids);

        for (size_t i = 0; i < count; i++) {
            char path[64], found[64] = "";
            FILE *file;

            snprintf(path, sizeof(path), "/proc/%d/comm", (int)pids[i]);
            file = fopen(path, "re");
            if (file && fscanf(file, "%63s", found) == 1 && strcmp(found, name) == 0) {
                fclose(file);
                return pids[i];
            }
            if (file)
                fclose(file);
        }
        usleep(1000);
    }
    return 0;
}

/* Starts a suite and stops it with Ctrl-C during its initdb, which is frozen so that it does not
 * end by itself. */
static void interrupt_initdb(const char *dir)
{
    char *path = program_path("atriumctl");
    PROGRAM dev =
        program_start((const char *const[]){path, "dev", "--dir", dir, "--port", "0", NULL}, NULL);
    pid_t initdb = wait_descendant(dev->pid, "initdb"), pids[PROCESSES_MAX];
    int64_t before;
    size_t count;

    free(path);
    UNIT_REQUIRE(initdb > 0 && dev->pid > 0, "no initdb runs: %s", dev->err);
    kill(initdb, SIGSTOP);
    count = descendants(dev->pid, pids);
    before = clock_mono_ms();
    kill(dev->pid, SIGINT);
    program_wait_end(dev, INTERRUPT_MS);
    UNIT_CHECK(dev->code == 0, "exit code %d after %lld ms", dev->code,
               (long long)(clock_mono_ms() - before));
    CU_ASSERT_STRING_EQUAL(dev->err, "");
    check_all_gone(pids, count);
    for (size_t i = 0; i < count; i++) {
        if (is_running(pids[i]))
            kill(pids[i], SIGKILL);
    }
}

static void ctrl_c_during_initdb_stops_at_once_and_leaves_nothing(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir(), used = prepared_unit_dir();
    char path[600];

    snprintf(path, sizeof(path), "%s/var", dir.path);
    interrupt_initdb(path);
    UNIT_CHECK(!exists(path), "%s is left", path);

    /* Existing files in the directory stay, and no half-made cluster is left beside them. */
    snprintf(path, sizeof(path), "%s", unit_dir_write(&used, "notes", "mine\n"));
    interrupt_initdb(used.path);
    CU_ASSERT_TRUE(exists(path));
    snprintf(path, sizeof(path), "%s/pg.new", used.path);
    UNIT_CHECK(!exists(path), "%s is left", path);
    snprintf(path, sizeof(path), "%s/pg", used.path);
    UNIT_CHECK(!exists(path), "%s is left", path);
    DEV dev = dev_start(used.path, (const char *const[]){"--no-demo", NULL});
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
}

static json_t *demo_member(const struct dev *self, const char *name)
{
    return json_object_get(json_object_get(self->info, "demo"), name);
}

static int sign_in_admin(const struct dev *dev, const char *email, const char *password)
{
    HTTP_ANSWER start = http_post(dev_text(dev, "baseUrl"), "/auth/tenant/Practitioner/login/start",
                                  NULL, body_login_start(email, password, "demo"));

    return start->status;
}

/* Checks the printed alternatives to the password: the email, and the command for another admin. */
static void check_ways_out(const struct dev *dev)
{
    const char *mails = dev_text(dev, "mailDir");
    char *email = person_address();
    size_t before = mail_server_count(mails);
    int64_t deadline = clock_mono_ms() + GONE_MS;
    char *path = program_path("atriumctl");
    HTTP_ANSWER page = http_get(dev_text(dev, "baseUrl"), "/t/demo/reset-password", NULL);
    HTTP_ANSWER mailed =
        http_post(dev_text(dev, "baseUrl"), "/auth/reset-password", NULL,
                  json_pack("{s:s, s:s}", "email", "admin@demo.example", "tenantCode", "demo"));
    PROGRAM other = program_run(
        (const char *const[]){path, "--dir", dev->dir, "user", "create-admin", "--project", "demo",
                              "--email", email, "--name", "Eve", "--surname", "Admin", NULL},
        "a long enough password\n");

    UNIT_CHECK(strstr(dev->program->out, "/t/demo/reset-password\n") &&
                   strstr(dev->program->out, " user create-admin --project demo "),
               "%s", dev->program->out);
    CHECK_STATUS(page, 200);
    CHECK_STATUS(mailed, 200);
    while (mail_server_count(mails) == before && clock_mono_ms() < deadline)
        usleep(10000);
    CU_ASSERT_TRUE(mail_server_count(mails) > before);
    CHECK_EXIT(other, 0);
    CU_ASSERT_EQUAL(sign_in_admin(dev, email, "a long enough password"), 200);
    free(path);
    free(email);
}

/* Starts a suite whose demo file is missing or from another suite. Expects a note that the password
 * is not known, the same tenant as in `first`, and no change. */
static void check_unknown_password(const char *dir, json_t *first, const char *password)
{
    static const char *const names[] = {"projectId", "clientId", "patientAccessPolicy",
                                        "practitionerAccessPolicy", "adminEmail"};
    DEV dev = dev_start(dir, NULL);
    char *path = program_path("atriumctl");
    PROGRAM show = program_run(
        (const char *const[]){path, "--dir", dir, "--json", "project", "show", "demo", NULL}, NULL);

    free(path);
    CU_ASSERT_TRUE(json_is_null(demo_member(&dev, "adminPassword")));
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        UNIT_CHECK(json_equal(demo_member(&dev, names[i]), json_object_get(first, names[i])), "%s",
                   names[i]);
    UNIT_CHECK(strstr(dev.program->out, "   password unknown: "), "%s", dev.program->out);
    UNIT_CHECK(strstr(show->out, "https://changed.example"), "%s", show->out);
    CU_ASSERT_EQUAL(sign_in_admin(&dev, "admin@demo.example", password), 200);
    check_ways_out(&dev);
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
}

static void a_lost_password_of_the_demo_is_said_to_be_unknown(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    char *path = program_path("atriumctl"), file[600], password[64];
    DEV dev = dev_start_used(dir.path, NULL);
    json_auto_t *first = json_deep_copy(json_object_get(dev.info, "demo"));
    const char *known;
    PROGRAM set =
        program_run((const char *const[]){path, "--dir", dir.path, "project", "set", "demo",
                                          "PATIENT_APP_URL", "https://changed.example", NULL},
                    NULL);

    free(path);
    CHECK_EXIT(set, 0);
    known = json_string_value(json_object_get(first, "adminPassword"));
    snprintf(password, sizeof(password), "%s", known ? known : "");
    CU_ASSERT_EQUAL(sign_in_admin(&dev, "admin@demo.example", password), 200);
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);

    snprintf(file, sizeof(file), "%s/demo.json", dir.path);
    CU_ASSERT_EQUAL(unlink(file), 0);
    check_unknown_password(dir.path, first, password);
    check_unknown_password(dir.path, first, password);
    unit_dir_write(&dir, "demo.json",
                   "{\"projectId\": \"0199a0c0-0000-7000-8000-000000000000\","
                   " \"adminPassword\": \"of another suite\"}");
    check_unknown_password(dir.path, first, password);
}

static void a_second_suite_in_the_same_place_is_refused(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    DEV dev = dev_start_used(dir.path, (const char *const[]){"--no-demo", NULL});
    char *path = program_path("atriumctl"), complaint[128], port[16];
    const char *colon = strrchr(dev_text(&dev, "baseUrl"), ':');
    CLEANUP(unit_dir_remove) struct unit_dir other = prepared_unit_dir();

    snprintf(port, sizeof(port), "%s", colon ? colon + 1 : "1");
    PROGRAM second = program_run(
        (const char *const[]){path, "dev", "--dir", dir.path, "--port", "0", NULL}, NULL);
    snprintf(complaint, sizeof(complaint), "a suite already runs in %s", dir.path);
    CHECK_REFUSED(second, 1, complaint);
    CU_ASSERT_TRUE(dev_pid(&dev, "gateway") > 0);
    HTTP_ANSWER health = http_get(dev_text(&dev, "baseUrl"), "/partner/health-check", NULL);
    CHECK_STATUS(health, 200);

    PROGRAM taken = program_run(
        (const char *const[]){path, "dev", "--dir", other.path, "--port", port, NULL}, NULL);
    snprintf(complaint, sizeof(complaint),
             "port %s of 127.0.0.1: Address already in use; choose another with --port N", port);
    CHECK_REFUSED(taken, 1, complaint);
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
    free(path);
}

static void wrong_options_are_refused(void)
{
    static const struct {
        const char *option, *value, *complaint;
    } rows[] = {
        {"--port", "many", "--port: must be a whole number"},
        {"--port", "70000", "--port: must be a whole number"},
        {"--instances", "cook=2", "there is no daemon \"cook\""},
        {"--instances", "authd=0", "--instances: must be a whole number"},
        {"--instances", "authd", "authd=N"},
        {"--smtp", "nowhere", "--smtp: HOST:PORT"},
        {"--set", "botd.warm", "--set: must be SECTION.KEY=VALUE"},
        {"--set", "botd.=2", "--set: must be SECTION.KEY=VALUE"},
        {"--set", "warm=2,botd.warm=2", "--set: must be SECTION.KEY=VALUE"},
        {"--set", "cook.oven=on", "there is no daemon \"cook\""},
        {"--set", "botd.bot_dir=a\"b", "--set: quotes"},
        {"--s3-secret", "abc", "--s3 URL --s3-key K --s3-secret-file FILE --s3-bucket B"},
        {"--s3-secret-file", "/nowhere/s3", "/nowhere/s3: No such file or directory"},
    };
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    char *path = program_path("atriumctl");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM run = program_run((const char *const[]){path, "dev", "--dir", dir.path,
                                                        rows[i].option, rows[i].value, NULL},
                                  NULL);

        CHECK_REFUSED(run, 1, rows[i].complaint);
    }
    PROGRAM nowhere = program_run(
        (const char *const[]){path, "dev", "--dir", "/proc/nowhere", "--port", "0", NULL}, NULL);
    CHECK_REFUSED(nowhere, 1, "/proc/nowhere: ");
    free(path);
}

static void a_daemon_that_does_not_start_is_named(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir(), used = prepared_unit_dir();
    char *path = program_path("atriumctl"), log[128];

    PROGRAM fresh =
        program_run((const char *const[]){path, "dev", "--dir", dir.path, "--port", "0",
                                          "--no-demo", "--set", "docd.max_upload=much", NULL},
                    NULL);
    CU_ASSERT_EQUAL(fresh->code, 1);
    UNIT_CHECK(strstr(fresh->err, "docd does not start, the end of its log is above"), "%s",
               fresh->err);
    CU_ASSERT_PTR_NOT_NULL(strstr(fresh->err, "max_upload"));
    suite_fill(used.path, true);
    unit_dir_write(&used, "notes", "mine\n");
    PROGRAM next =
        program_run((const char *const[]){path, "dev", "--dir", used.path, "--port", "0",
                                          "--no-demo", "--set", "docd.max_upload=much", NULL},
                    NULL);
    snprintf(log, sizeof(log), "docd does not start, see %s/log/docd.1.log", used.path);
    CHECK_REFUSED(next, 1, log);
    CU_ASSERT_TRUE(exists(strchr(log, '/')));
    free(path);
}

/* True when the process's command line, which all users can read, contains the text. */
static bool has_word(pid_t pid, const char *text)
{
    char path[64], bytes[4096] = "";
    size_t size = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
    file = fopen(path, "re");
    if (file) {
        size = fread(bytes, 1, sizeof(bytes), file);
        fclose(file);
    }
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

/* Starts a suite with S3 options for a server that does not run, and waits for the secret's file.
 * Returns the file's text, which the caller frees. */
static char *start_with_s3(const char *dir, const char *option, const char *value,
                           struct program **ret)
{
    char *path = program_path("atriumctl"), *file = NULL, *text = NULL;
    int64_t deadline = clock_mono_ms() + READY_MS;

    CU_ASSERT_TRUE_FATAL(asprintf(&file, "%s/keys/s3", dir) > 0);
    *ret = program_start((const char *const[]){path, "dev", "--dir", dir, "--port", "0", "--s3",
                                               "http://127.0.0.1:1", "--s3-key", "key",
                                               "--s3-bucket", "bucket", option, value, NULL},
                         NULL);
    while (!exists(file) && clock_mono_ms() < deadline && !program_wait_end(*ret, 10))
        continue;
    text = exists(file) ? unit_read_file(file) : strdup("");
    free(file);
    free(path);
    return text;
}

static void the_secret_of_s3_is_read_from_a_file(void)
{
    static const char *const options[] = {"--s3-secret-file", "--s3-secret"};
    static const char secret[] = "n0t/f0r+all=eyes";
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir(), files = prepared_unit_dir();
    char file[128], var[600], *path = program_path("atriumctl");

    snprintf(file, sizeof(file), "%s", unit_dir_write(&files, "s3", "n0t/f0r+all=eyes\n"));
    for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
        PROGRAM dev = NULL;
        char *stored;

        snprintf(var, sizeof(var), "%s/%zu", dir.path, i);
        stored = start_with_s3(var, options[i], i == 0 ? file : secret, &dev);
        CU_ASSERT_STRING_EQUAL(stored, "n0t/f0r+all=eyes\n");
        UNIT_CHECK(has_word(dev->pid, options[i]), "%s", dev->err);
        CU_ASSERT_EQUAL(has_word(dev->pid, secret), i == 1);
        if (dev->pid > 0)
            kill(dev->pid, SIGTERM);
        program_wait_end(dev, STOP_MS);
        CU_ASSERT_EQUAL(dev->code, 0);
        free(stored);
    }

    /* a file that others can read is rejected */
    CU_ASSERT_EQUAL(chmod(file, 0644), 0);
    PROGRAM open = program_run((const char *const[]){path, "dev", "--dir", dir.path, "--s3",
                                                     "http://h", "--s3-key", "k", "--s3-bucket",
                                                     "b", "--s3-secret-file", file, NULL},
                               NULL);
    CHECK_REFUSED(open, 1, file);
    PROGRAM both = program_run((const char *const[]){path, "dev", "--dir", dir.path, "--s3-secret",
                                                     "s", "--s3-secret-file", file, NULL},
                               NULL);
    CHECK_REFUSED(both, 1, "--s3-secret and --s3-secret-file exclude each other");
    free(path);
}

/* ---- directories ---- */

static void it_lives_below_a_long_and_private_path(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    char path[256];
    int length = snprintf(path, sizeof(path), "%s/a private clone of it ", dir.path);

    memset(path + length, 'x', (size_t)(150 - length));
    path[150] = '\0';
    CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
    snprintf(path + 150, sizeof(path) - 150, "/var");
    DEV dev = dev_start(path, NULL);
    HTTP_ANSWER health = http_get(dev_text(&dev, "baseUrl"), "/partner/health-check", NULL);
    CHECK_STATUS(health, 200);
    HTTP_ANSWER registered = http_post(dev_text(&dev, "baseUrl"), "/auth/tenant/Patient/register",
                                       NULL, body_register("ana@patients.example", "demo"));
    CHECK_STATUS(registered, 200);
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
}

/* libpq's variables of the shell are for other servers. */
static void the_shells_database_is_not_used(void)
{
    static const char *const names[] = {"PGSERVICE", "PGHOSTADDR", "PGREQUIREPEER"};
    static const char *const values[] = {"no-such-service", "127.0.0.1", "no-such-user"};
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        setenv(names[i], values[i], 1);
    DEV dev = dev_start_used(dir.path, (const char *const[]){"--no-demo", NULL});
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        unsetenv(names[i]);
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
}

/* ---- the daemons' own command lines ---- */

static struct program *run_daemon(const char *name, const char *const *words)
{
    char program[32], *path;
    const char *argv[12] = {NULL};
    struct program *run;

    snprintf(program, sizeof(program), "atrium-%s", name);
    path = program_path(program);
    argv[0] = path;
    for (size_t i = 1; *words && i < ARRAY_SIZE(argv) - 1; i++)
        argv[i] = *words++;
    run = program_run(argv, NULL);
    free(path);
    return run;
}
#define DAEMON(name, ...) run_daemon((name), (const char *const[]){__VA_ARGS__, NULL})

static void settings_are_set(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    char file[600];
    DEV dev =
        dev_start_used(dir.path, (const char *const[]){"--no-demo", "--set",
                                                       "botd.warm=3,maild.deliveries=2", NULL});

    snprintf(file, sizeof(file), "%s/atrium.conf", dir.path);
    PROGRAM bots = DAEMON("botd", "--config", file, "--print-config");
    CHECK_EXIT(bots, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(bots->out, "warm = \"3\""));
    PROGRAM mails = DAEMON("maild", "--config", file, "--print-config");
    CU_ASSERT_PTR_NOT_NULL(strstr(mails->out, "deliveries = \"2\""));
    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
}

static void daemons_check_and_print_their_configuration(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = prepared_unit_dir();
    const char *file;
    char printed[160];
    DEV dev = dev_start_used(dir.path, (const char *const[]){"--no-demo", NULL});

    CU_ASSERT_EQUAL(dev_stop(&dev, SIGTERM), 0);
    snprintf(printed, sizeof(printed), "%s/atrium.conf", dir.path);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        PROGRAM check = DAEMON(daemons[i], "--config", printed, "--check-config");
        PROGRAM print = DAEMON(daemons[i], "--config", printed, "--print-config");
        CLEANUP(unit_dir_remove) struct unit_dir copy = prepared_unit_dir();

        CHECK_EXIT(check, 0);
        CHECK_EXIT(print, 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(print->out, daemons[i]));
        /* The printed configuration is valid and prints the same again. */
        file = unit_dir_write(&copy, "printed.conf", print->out);
        PROGRAM again = DAEMON(daemons[i], "--config", file, "--print-config");
        CHECK_EXIT(again, 0);
        CU_ASSERT_STRING_EQUAL(again->out, print->out);
    }
}

static void a_wrong_configuration_is_refused_by_line(void)
{
    static const struct {
        const char *text, *complaint;
    } rows[] = {
        {"common\n    run_dri = \"/x\"\n", ":2: section \\\"common\\\" has no key \\\"run_dri\\\""},
        {"common\n    run_dir = \"/x\"\n    run_dir = \"/y\"\n", ":3: "},
        {"common\n    log_level = \"loud\"\n", ":2: "},
        {"common\n    development = \"perhaps\"\n", ":2: "},
        {"    run_dir = \"/x\"\n", ":1: "},
        {"common\n    run_dir = \"/x\n", ":2: "},
        {"common\n    run_dir = \"/x\" y\n", ":2: "},
        {"common\n    run_dir \"/x\"\n", ":2: "},
    };
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();

    for (size_t d = 0; d < ARRAY_SIZE(daemons); d++) {
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            const char *file = unit_dir_write(&dir, "wrong.conf", rows[i].text);
            char complaint[256];
            PROGRAM check = DAEMON(daemons[d], "--config", file, "--check-config");
            PROGRAM start = DAEMON(daemons[d], "--config", file);

            snprintf(complaint, sizeof(complaint), "%s%s", file, rows[i].complaint);
            CHECK_REFUSED(check, 1, complaint);
            CHECK_REFUSED(start, 1, complaint);
        }
        PROGRAM absent = DAEMON(daemons[d], "--config", "/no/such.conf");
        CHECK_REFUSED(absent, 1, "/no/such.conf: No such file or directory");
    }
}

static void test_test_clock_is_refused_outside_dev(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char clock[128], config[128], text[512];

    snprintf(clock, sizeof(clock), "%s", unit_dir_write(&dir, "clock", "0\n"));
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        int size = snprintf(text, sizeof(text), "common\n    run_dir = \"%s\"\n%s\n", dir.path,
                            daemons[i]);

        if (strcmp(daemons[i], "gateway") != 0)
            snprintf(text + size, sizeof(text) - (size_t)size,
                     "    database = \"host=/nowhere\"\n    seal_key = \"/nowhere\"\n");
        snprintf(config, sizeof(config), "%s", unit_dir_write(&dir, "atrium.conf", text));
        PROGRAM run = DAEMON(daemons[i], "--config", config, "--test-clock", clock);
        CHECK_REFUSED(run, 1, "--test-clock is for development suites only.");
    }
}

static char *copy_program(const struct unit_dir *dir, const char *name)
{
    char *path = program_path(name), *copy = NULL;
    PROGRAM run = program_run((const char *const[]){"/bin/cp", path, dir->path, NULL}, NULL);

    CU_ASSERT_EQUAL_FATAL(run->code, 0);
    free(path);
    CU_ASSERT_TRUE_FATAL(asprintf(&copy, "%s/%s", dir->path, name) > 0);
    return copy;
}

static void atriumctl_says_when_atrium_dev_is_not_installed(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char *path = copy_program(&dir, "atriumctl");
    PROGRAM dev = program_run((const char *const[]){path, "dev", "--port", "0", NULL}, NULL);
    PROGRAM help = program_run((const char *const[]){path, "dev", "--help", NULL}, NULL);
    PROGRAM wrong = program_run((const char *const[]){path, "dev", "--prot", "0", NULL}, NULL);

    CHECK_REFUSED(dev, 1, "/atrium-dev is not installed");
    CU_ASSERT_EQUAL(help->code, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(help->out, "--test-clock"));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(help->out, "list of processes")); /* because --s3-secret is visible there */
    CHECK_REFUSED(wrong, 2, "--prot: unknown option");
    free(path);
}

static void atrium_dev_runs_by_itself(void)
{
    char *path = program_path("atrium-dev");
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    PROGRAM help = program_run((const char *const[]){path, "--help", NULL}, NULL);
    PROGRAM version = program_run((const char *const[]){path, "--version", NULL}, NULL);
    PROGRAM wrong = program_run((const char *const[]){path, "--prot", "0", NULL}, NULL);
    PROGRAM daemon = program_run(
        (const char *const[]){path, "--dir", dir.path, "--instances", "nosuchd=2", NULL}, NULL);

    CU_ASSERT_EQUAL(help->code, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(help->out, "usage: atrium-dev [--dir DIR] [--port N]"));
    CU_ASSERT_PTR_NOT_NULL(strstr(help->out, "list of processes"));
    CU_ASSERT_EQUAL(version->code, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(version->out, "atrium-dev "));
    CHECK_REFUSED(wrong, 2, "atrium-dev: --prot: unknown option");
    CHECK_REFUSED(daemon, 1, "atrium-dev: --instances: there is no daemon \"nosuchd\"");
    free(path);
}

static const struct unit_case cases[] = {
    CASE(atriumctl_says_when_atrium_dev_is_not_installed),
    CASE(atrium_dev_runs_by_itself),
    CASE(dev_json_has_all_that_scripts_need),
    CASE(pids_are_never_stale),
    CASE(no_demo_makes_no_project),
    CASE(a_server_that_runs_already_is_used),
    CASE(it_starts_again_with_its_data_and_leaves_nothing),
    CASE(ctrl_c_during_initdb_stops_at_once_and_leaves_nothing),
    CASE(a_lost_password_of_the_demo_is_said_to_be_unknown),
    CASE(a_second_suite_in_the_same_place_is_refused),
    CASE(wrong_options_are_refused),
    CASE(a_daemon_that_does_not_start_is_named),
    CASE(the_secret_of_s3_is_read_from_a_file),
    CASE(it_lives_below_a_long_and_private_path),
    CASE(the_shells_database_is_not_used),
    CASE(settings_are_set),
    CASE(daemons_check_and_print_their_configuration),
    CASE(a_wrong_configuration_is_refused_by_line),
    CASE(test_test_clock_is_refused_outside_dev),
};

int main(void)
{
    return unit_run("atriumctl dev", cases, ARRAY_SIZE(cases));
}
