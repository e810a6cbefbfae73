/*
 * suite.c - see suite.h.
 */
#include "tests/support/suite.h"

#include <CUnit/CUnit.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/pg.h"
#include "tests/support/prepared.h"
#include "tests/support/programs_hash.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    READY_LIMIT_MS = 60000,
    STOP_LIMIT_MS = 30000,
    BACK_LIMIT_MS = 60000,
    MAIL_MS = 30000,
    HOLD_MS = 15000
};

struct suite {
    struct suite_options options;
    char *dir, *url, *admin_url;
    json_t *info;    /* dev.json as last read */
    json_t *earlier; /* the previous one: threads may hold its texts */
    int64_t ahead;   /* test clock's lead in seconds */
    pid_t pid;
};

static char *text_of(const char *format, ...) PRINTF_LIKE(1, 2);

static char *text_of(const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    return text;
}

static void nap(int ms)
{
    usleep((useconds_t)ms * 1000);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static NORETURN void give_up(const struct suite *self, const char *why)
{
    char *path = text_of("%s/dev.err", self->dir), *log = read_file(path);

    fprintf(stderr, "suite: %s (directory %s)\n%s\n", why, self->dir, log ? log : "");
    if (self->pid > 0)
        kill(self->pid, SIGTERM);
    exit(1);
}

/* Installs a seccomp filter like that of most containers. */
static void forbid(const struct suite_options *options)
{
    static const char *const landlock[] = {"landlock_create_ruleset", "landlock_add_rule",
                                           "landlock_restrict_self"};
    const struct scmp_arg_cmp user = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int rc = 0;

    if (options->no_namespaces)
        rc |= seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, &user) |
              seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 1, &user) |
              seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    for (size_t i = 0; options->no_landlock && i < ARRAY_SIZE(landlock); i++)
        rc |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM),
                               seccomp_syscall_resolve_name(landlock[i]), 0);
    if (rc != 0 || seccomp_load(filter) < 0)
        _exit(125);
    seccomp_release(filter);
}

static NORETURN void run_dev(const struct suite *self, char *program)
{
    char *out = text_of("%s/dev.out", self->dir), *err = text_of("%s/dev.err", self->dir);
    char *argv[30] = {program,   strdup("dev"),    strdup("--dir"),
                      self->dir, strdup("--port"), strdup("0")};
    size_t count = 6;

    if (self->options.instances) {
        argv[count++] = strdup("--instances");
        argv[count++] = strdup(self->options.instances);
    }
    if (self->options.max_upload) {
        argv[count++] = strdup("--max-upload");
        argv[count++] = strdup(self->options.max_upload);
    }
    if (self->options.s3_url) {
        const char *const words[] = {"--s3",        self->options.s3_url,
                                     "--s3-key",    self->options.s3_key,
                                     "--s3-secret", self->options.s3_secret,
                                     "--s3-bucket", self->options.s3_bucket};

        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
            argv[count++] = strdup(words[i]);
    }
    if (self->options.smtp) {
        argv[count++] = strdup("--smtp");
        argv[count++] = strdup(self->options.smtp);
    }
    if (self->options.bot_allow) {
        argv[count++] = strdup("--bot-allow");
        argv[count++] = strdup(self->options.bot_allow);
    }
    if (self->options.database) {
        argv[count++] = strdup("--database");
        argv[count++] = strdup(self->options.database);
    }
    argv[count++] = strdup("--set");
    argv[count++] =
        text_of("botd.apertium_trial=%s,%s", self->options.apertium_trial ? "true" : "false",
                self->options.set ? self->options.set : "");
    if (self->options.test_clock)
        argv[count++] = strdup("--test-clock");
    if (self->options.no_demo)
        argv[count++] = strdup("--no-demo");
    if (self->options.no_namespaces || self->options.no_landlock)
        forbid(&self->options);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!freopen("/dev/null", "r", stdin) || !freopen(out, "w", stdout) ||
        !freopen(err, "a", stderr))
        _exit(126);
    execv(program, argv);
    _exit(127);
}

/* Reads dev.json again, because pids change. Keeps the last one if reading fails. */
static void reload(struct suite *self)
{
    char *path = text_of("%s/dev.json", self->dir);
    json_t *info = json_load_file(path, 0, NULL);

    if (info && json_equal(info, self->info)) {
        json_decref(info);
    } else if (info) {
        if (self->info)
            json_array_append_new(self->earlier, self->info);
        self->info = info;
    }
    free(path);
}

static void launch(struct suite *self)
{
    int64_t deadline = clock_mono_ms() + READY_LIMIT_MS;
    char *program = program_path("atriumctl"), *path = text_of("%s/dev.out", self->dir);
    char *line = NULL;

    unlink(path);
    self->pid = fork();
    if (self->pid == 0)
        run_dev(self, program);
    while (!line || !strstr(line, "atrium: ready ") ||
           !strchr(strstr(line, "atrium: ready "), '\n')) {
        if (waitpid(self->pid, NULL, WNOHANG) != 0)
            give_up(self, "atriumctl dev ended before it was ready");
        if (clock_mono_ms() > deadline)
            give_up(self, "no 'atrium: ready' within 60 s");
        nap(20);
        free(line);
        line = read_file(path);
    }
    free(line);
    free(path);
    free(program);
    reload(self);
    free(self->url);
    free(self->admin_url);
    self->url = strdup(suite_text(self, "baseUrl"));
    self->admin_url = strdup(suite_text(self, "adminUrl"));
}

static bool wait_ended(pid_t pid, int timeout_ms, int *ret_status)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    while (waitpid(pid, ret_status, WNOHANG) == 0) {
        if (clock_mono_ms() > deadline)
            return false;
        nap(10);
    }
    return true;
}

static size_t child_pids(struct suite *self, pid_t pids[static 64])
{
    json_t *daemon;
    size_t i, count = 0;

    reload(self);
    json_array_foreach(json_object_get(self->info, "daemons"), i, daemon)
    {
        if (count < 63)
            pids[count++] = (pid_t)json_integer_value(json_object_get(daemon, "pid"));
    }
    pids[count++] =
        (pid_t)json_integer_value(json_object_get(json_object_get(self->info, "postgres"), "pid"));
    return count;
}

static void remove_tree(const char *dir)
{
    pid_t pid = fork();

    if (pid == 0) {
        execlp("rm", "rm", "-rf", dir, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

/* Programs with sanitizers log their reports; each fails the test and is shown. */
static void check_reports(const char *path)
{
    static const char *const signs[] = {"ERROR: AddressSanitizer", "LeakSanitizer",
                                        "runtime error: "};
    char *text = read_file(path);

    for (size_t i = 0; text && i < ARRAY_SIZE(signs); i++) {
        const char *at = strstr(text, signs[i]);

        if (at)
            fprintf(stderr, "%s: %.4000s\n", path, at);
        CU_ASSERT_PTR_NULL(at);
    }
    free(text);
}

static void check_all_reports(const struct suite *self)
{
    char *dir = text_of("%s/log", self->dir), *path = text_of("%s/dev.err", self->dir);
    struct dirent **entries = NULL;
    int count = scandir(dir, &entries, NULL, NULL);

    check_reports(path);
    free(path);
    CU_ASSERT_TRUE(count > 2); /* "." and ".." */
    for (int i = 0; i < count; i++) {
        path = text_of("%s/%s", dir, entries[i]->d_name);
        check_reports(path);
        free(path);
        free(entries[i]);
    }
    free(entries);
    free(dir);
}

/* Removes files that each start writes, so that a copy's logs are its own. */
static void remove_traces(const char *dir)
{
    static const char *const names[] = {"log",      "lock",        "dev.out", "dev.err",
                                        "dev.json", "atrium.conf", "clock"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *path = text_of("%s/%s", dir, names[i]);

        remove_tree(path);
        free(path);
    }
}

static void prepare(const char *dir, void *arg)
{
    struct suite self = {.options = {.no_demo = *(const bool *)arg}, .dir = strdup(dir)};
    char *data = text_of("%s/pg", dir);
    int status = -1;

    launch(&self);
    kill(self.pid, SIGTERM);
    if (!wait_ended(self.pid, STOP_LIMIT_MS, &status) || status != 0)
        give_up(&self, "the prepared suite did not stop");
    pg_trim(data);
    remove_traces(dir);
    json_decref(self.info);
    free(data);
    free(self.dir);
    free(self.url);
    free(self.admin_url);
}

void suite_fill(const char *dir, bool no_demo)
{
    char *hash, *name;

    if (!prepared_parent())
        return;
    hash = programs_hash();
    name = text_of("%s-%s", no_demo ? "bare" : "demo", hash);
    prepared_copy(name, dir, prepare, &no_demo);
    free(name);
    free(hash);
}

struct suite *suite_start(const struct suite_options *options)
{
    const char *parent = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    struct suite *self = calloc(1, sizeof(*self));

    if (options)
        self->options = *options;
    self->dir = text_of("%s/atrium-http-XXXXXX", prepared_parent() ? prepared_parent() : parent);
    if (!mkdtemp(self->dir))
        give_up(self, "no temporary directory");
    /* The prepared suite fits any settings, except those of the database and the store. */
    if (!self->options.first_start && !self->options.database && !self->options.s3_url)
        suite_fill(self->dir, self->options.no_demo);
    launch(self);
    return self;
}

/* The main thread keeps its connection, because a new one costs as much as a hundred queries. A
 * fork()ed child must not use its parent's. */
static struct {
    const struct suite *suite;
    pid_t pid;
    PGconn *conn;
} kept;

static void kept_close(void)
{
    if (kept.pid == getpid())
        PQfinish(kept.conn);
    kept.conn = NULL;
}

void suite_stop(struct suite **self_p)
{
    struct suite *self = *self_p;
    pid_t pids[64];
    size_t count;
    int status = 0;

    if (!self)
        return;
    kept_close();
    count = child_pids(self, pids);
    kill(self->pid, SIGTERM);
    if (!wait_ended(self->pid, STOP_LIMIT_MS, &status)) {
        kill(self->pid, SIGKILL);
        waitpid(self->pid, &status, 0);
        fprintf(stderr, "suite: did not end within 30 s of SIGTERM\n");
    }
    CU_ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (size_t i = 0; i < count; i++)
        CU_ASSERT_TRUE(pids[i] <= 0 || kill(pids[i], 0) < 0);
    check_all_reports(self);
    remove_tree(self->dir);
    json_decref(self->info);
    json_decref(self->earlier);
    free(self->dir);
    free(self->url);
    free(self->admin_url);
    free(self);
    *self_p = NULL;
}

void suite_halt(struct suite *self)
{
    pid_t pids[64];
    size_t count = child_pids(self, pids);

    kill(self->pid, SIGKILL);
    waitpid(self->pid, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        if (pids[i] > 0)
            kill(pids[i], SIGKILL);
    }
    for (size_t i = 0; i < count; i++) {
        int64_t deadline = clock_mono_ms() + 5000;

        while (pids[i] > 0 && kill(pids[i], 0) == 0 && clock_mono_ms() < deadline)
            nap(5);
    }
}

void suite_restart(struct suite *self)
{
    launch(self);
}

void suite_reconfigure(struct suite *self, const char *set)
{
    suite_halt(self);
    self->options.set = set;
    suite_restart(self);
}

const char *suite_url(const struct suite *self)
{
    return self->url;
}

void suite_go_through(struct suite *self, const char *url)
{
    free(self->url);
    self->url = strdup(url);
}

const char *suite_admin_url(const struct suite *self)
{
    return self->admin_url;
}

long long suite_metric(struct suite *self, const char *name, const char *service)
{
    HTTP_ANSWER answer = http_get(suite_admin_url(self), "/metrics", NULL);
    char sample[128];
    const char *at;

    snprintf(sample, sizeof(sample), "\n%s{service=\"%s\"", name, service);
    at = strstr(answer->body, sample);
    at = at ? strchr(at, '}') : NULL;
    return at ? strtoll(at + 1, NULL, 10) : -1;
}

const char *suite_dir(const struct suite *self)
{
    return self->dir;
}

const char *suite_text(struct suite *self, const char *path)
{
    json_t *at = self->info;
    char *copy = strdup(path), *rest = NULL;

    for (char *part = strtok_r(copy, ".", &rest); part; part = strtok_r(NULL, ".", &rest))
        at = json_object_get(at, part);
    free(copy);
    return json_string_value(at) ? json_string_value(at) : "";
}

pid_t suite_pid(struct suite *self, const char *name, const char *instance)
{
    json_t *daemon;
    size_t i;

    reload(self);
    if (strcmp(name, "postgres") == 0)
        return (pid_t)json_integer_value(
            json_object_get(json_object_get(self->info, "postgres"), "pid"));
    json_array_foreach(json_object_get(self->info, "daemons"), i, daemon)
    {
        if (strcmp(json_string_value(json_object_get(daemon, "name")), name) == 0 &&
            strcmp(json_string_value(json_object_get(daemon, "instance")), instance) == 0)
            return (pid_t)json_integer_value(json_object_get(daemon, "pid"));
    }
    return 0;
}

void suite_signal(struct suite *self, const char *name, const char *instance, int signo)
{
    pid_t pid = suite_pid(self, name, instance);

    CU_ASSERT_TRUE_FATAL(pid > 0);
    kill(pid, signo);
}

pid_t suite_supervisor(const struct suite *self)
{
    return self->pid;
}

pid_t suite_kill_both_later(struct suite *self, const char *name, int ms)
{
    pid_t first = suite_pid(self, name, "1"), second = suite_pid(self, name, "2");
    pid_t pid = fork();

    if (pid == 0) {
        usleep((useconds_t)ms * 1000);
        kill(first, SIGKILL);
        kill(second, SIGKILL);
        _exit(0);
    }
    return pid;
}

pid_t suite_hold_until(struct suite *self, const char *sql, const char *daemon, long want)
{
    int ready[2];
    char byte = 0;
    pid_t pid;

    if (pipe(ready) < 0)
        abort();
    pid = fork();
    if (pid == 0) {
        PGconn *connection = suite_lock_rows(self, sql);

        if (write(ready[1], &byte, 1) == 1 && want > 0)
            (void)!suite_comes_to(self, 1, HOLD_MS,
                                  "select (count(*) >= %ld)::int from pg_stat_activity where "
                                  "wait_event_type = 'Lock' and application_name like "
                                  "'atrium-%s.%%'",
                                  want, daemon);
        sleep(1);
        PQfinish(connection);
        _exit(0);
    }
    if (read(ready[0], &byte, 1) != 1)
        abort();
    close(ready[0]);
    close(ready[1]);
    return pid;
}

pid_t suite_hold(struct suite *self, const char *sql)
{
    return suite_hold_until(self, sql, NULL, 0);
}

pid_t suite_hold_sign_ins(struct suite *self)
{
    /* an older date, because authd would not write the address again within a minute */
    return suite_hold(self, "update auth.known_address set until = until - 3600000; commit; begin; "
                            "select 1 from auth.known_address for update");
}

PGconn *suite_lock_rows(struct suite *self, const char *sql)
{
    PGconn *holder = suite_database(self);

    PQclear(PQexec(holder, "begin"));
    PQclear(PQexec(holder, sql));
    return holder;
}

PGconn *suite_lock(struct suite *self, const char *table)
{
    char sql[128];

    snprintf(sql, sizeof(sql), "lock table %s in access exclusive mode", table);
    return suite_lock_rows(self, sql);
}

void suite_unlock(PGconn *holder)
{
    PQclear(PQexec(holder, "commit"));
    PQfinish(holder);
}

bool suite_wait_ready(struct suite *self, int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    for (;;) {
        HTTP_ANSWER answer = http_get(self->admin_url, "/readyz", NULL);

        if (answer->status == 200)
            return true;
        if (clock_mono_ms() > deadline)
            return false;
        nap(20);
    }
}

/* Checks this instance, because /readyz needs only one of each service. */
static bool is_connected(const struct suite *self, const char *name, const char *instance)
{
    HTTP_ANSWER metrics = http_get(self->admin_url, "/metrics", NULL);
    char *label = text_of("service=\"%s\",instance=\"%s\"", name, instance);
    bool found = metrics->status == 200 && strstr(metrics->body, label);

    free(label);
    return found;
}

bool suite_wait_new_pid(struct suite *self, const char *name, const char *instance, pid_t old)
{
    int64_t deadline = clock_mono_ms() + BACK_LIMIT_MS;

    for (;;) {
        pid_t now = suite_pid(self, name, instance);

        if (now > 0 && now != old && is_connected(self, name, instance))
            return suite_wait_ready(self, BACK_LIMIT_MS);
        if (clock_mono_ms() > deadline)
            return false;
        nap(20);
    }
}

void suite_set_clock(struct suite *self, int64_t seconds)
{
    const char *path = suite_text(self, "clockFile");
    char *temporary = text_of("%s.new", path);
    FILE *file = fopen(temporary, "w");

    fprintf(file, "%lld\n", (long long)seconds);
    fclose(file);
    CU_ASSERT_EQUAL(rename(temporary, path), 0);
    free(temporary);
    self->ahead = seconds;
    nap(150);
}

void suite_advance_clock(struct suite *self, int64_t seconds)
{
    suite_set_clock(self, self->ahead + seconds);
}

int64_t suite_clock_ahead(const struct suite *self)
{
    return self->ahead;
}

int64_t suite_now(const struct suite *self)
{
    return time(NULL) + self->ahead;
}

int64_t suite_now_ms(const struct suite *self)
{
    return clock_real_ms() + suite_clock_ahead(self) * 1000;
}

void suite_go_past(struct suite *self, int64_t ms)
{
    suite_set_clock(self, (ms - clock_real_ms()) / 1000 + 1);
}

void suite_go_before(struct suite *self, int64_t ms, int64_t lead)
{
    suite_set_clock(self, (ms - lead - clock_real_ms()) / 1000);
}

PGconn *suite_database(struct suite *self)
{
    reload(self);
    return PQconnectdb(suite_text(self, "postgres.conninfo"));
}

/* A server sends nothing unasked except its end. */
static bool has_ended(const PGconn *connection)
{
    struct pollfd fd = {.fd = PQsocket(connection), .events = POLLIN};

    return poll(&fd, 1, 0) != 0;
}

static PGconn *connection_for_query(struct suite *self)
{
    if (gettid() != getpid())
        return suite_database(self);
    if (kept.suite == self && kept.pid == getpid() && kept.conn && !has_ended(kept.conn))
        return kept.conn;
    kept_close();
    kept.suite = self;
    kept.pid = getpid();
    kept.conn = suite_database(self);
    return kept.conn;
}

/* Resets the session before each query. */
static void end_query(PGconn *connection, const char *sql)
{
    if (connection != kept.conn)
        PQfinish(connection);
    else if (PQtransactionStatus(connection) != PQTRANS_IDLE || strncmp(sql, "set ", 4) == 0)
        kept_close();
}

char *suite_query(struct suite *self, const char *sql)
{
    PGconn *connection = connection_for_query(self);
    PGresult *result = PQexec(connection, sql);
    char *text = NULL;

    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0 &&
        !PQgetisnull(result, 0, 0))
        text = strdup(PQgetvalue(result, 0, 0));
    else if (PQresultStatus(result) != PGRES_TUPLES_OK &&
             PQresultStatus(result) != PGRES_COMMAND_OK)
        fprintf(stderr, "suite: %s\n", PQerrorMessage(connection));
    PQclear(result);
    end_query(connection, sql);
    return text ? text : strdup("");
}

static long count_by(struct suite *self, const char *format, va_list args) PRINTF_LIKE(2, 0);
static long count_by(struct suite *self, const char *format, va_list args)
{
    char *sql = NULL, *answer;
    long value;

    if (vasprintf(&sql, format, args) < 0)
        abort();
    answer = suite_query(self, sql);
    value = strtol(answer, NULL, 10);
    free(answer);
    free(sql);
    return value;
}

long suite_count(struct suite *self, const char *format, ...)
{
    va_list args;
    long value;

    va_start(args, format);
    value = count_by(self, format, args);
    va_end(args);
    return value;
}

bool suite_comes_to(struct suite *self, long want, int timeout_ms, const char *format, ...)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;
    long value;

    for (;;) {
        va_list args;

        va_start(args, format);
        value = count_by(self, format, args);
        va_end(args);
        if (value == want || clock_mono_ms() > deadline)
            return value == want;
        nap(20);
    }
}

bool suite_waits_for_rows(struct suite *self, const char *daemon, long want)
{
    return suite_comes_to(self, want, BACK_LIMIT_MS,
                          "select count(*) from pg_stat_activity where wait_event_type = 'Lock' "
                          "and application_name like 'atrium-%s.%%'",
                          daemon);
}

static int by_name_descending(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*b)->d_name, (*a)->d_name);
}

static int is_mail(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && strcmp(dot, ".eml") == 0;
}

static bool mail_is_to(const char *text, const char *to)
{
    const char *line = strncmp(text, "To:", 3) == 0 ? text : strstr(text, "\nTo:");
    const char *end = line ? strchr(line + 1, '\n') : NULL;
    char *header = end ? strndup(line, (size_t)(end - line)) : NULL;
    bool holds = header && strstr(header, to);

    free(header);
    return holds;
}

/* Counts the emails to `to` that contain the text (NULL: any), with the newest in *ret if
 * wanted. */
static size_t scan_mail(struct suite *self, const char *to, const char *content, char **ret)
{
    const char *dir = suite_text(self, "mailDir");
    struct dirent **entries = NULL;
    int count = scandir(dir, &entries, is_mail, by_name_descending);
    size_t found = 0;

    for (int i = 0; i < count; i++) {
        char *path = text_of("%s/%s", dir, entries[i]->d_name), *text = read_file(path);

        if (text && (!to || mail_is_to(text, to)) && (!content || strstr(text, content)) &&
            found++ == 0 && ret)
            *ret = TAKE_PTR(text);
        free(text);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return found;
}

size_t suite_mail_count(struct suite *self, const char *to)
{
    return scan_mail(self, to, NULL, NULL);
}

bool suite_mails_arrive(struct suite *self, const char *to, size_t want)
{
    int64_t deadline = clock_mono_ms() + MAIL_MS;

    while (suite_mail_count(self, to) < want && clock_mono_ms() < deadline)
        nap(20);
    return suite_mail_count(self, to) == want;
}

/* One snapshot suffices, because a row leaves an outbox after maild has it. */
bool suite_comes_to_rest(struct suite *self, int timeout_ms)
{
    return suite_comes_to(self, 0, timeout_ms,
                          "select (select count(*) from auth.outbox) + "
                          "(select count(*) from settings.outbox) + "
                          "(select count(*) from mail.message where state = 'queued')");
}

char *suite_mail(struct suite *self, const char *to, int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;
    char *text = NULL;

    (void)suite_comes_to_rest(self, timeout_ms);
    while (scan_mail(self, to, NULL, &text) == 0 && clock_mono_ms() < deadline)
        nap(20);
    return text;
}

void suite_mails_settle(struct suite *self)
{
    CU_ASSERT_TRUE(suite_comes_to_rest(self, MAIL_MS));
}

const char *suite_mail_code(struct suite *self, const char *to)
{
    static char code[7];
    char *mail;

    suite_mails_settle(self);
    mail = suite_mail(self, to, 1000);
    code[0] = '\0';
    for (const char *at = mail; at && *at; at++) {
        size_t digits = strspn(at, "0123456789");

        if (digits == 6 && (at == mail || isspace((unsigned char)at[-1])) &&
            (at[6] == '.' || isspace((unsigned char)at[6])))
            snprintf(code, sizeof(code), "%.6s", at);
        at += digits > 0 ? digits - 1 : 0;
    }
    free(mail);
    return code;
}

struct mail_link suite_mail_link(struct suite *self, const char *to, const char *page)
{
    int64_t deadline = clock_mono_ms() + MAIL_MS;
    char *mail = NULL, *want = text_of("%s?id=", page);
    struct mail_link link = {"", ""};
    const char *at;

    while (scan_mail(self, to, want, &mail) == 0 && clock_mono_ms() < deadline)
        nap(20);
    at = mail ? strstr(mail, want) : NULL;
    if (!at || sscanf(at + strlen(want), "%36[0-9a-f-]&secret=%127[A-Za-z0-9_-]", link.id,
                      link.secret) != 2)
        UNIT_CHECK(false, "no email to %s with a link to %s", to, want);
    CU_ASSERT_TRUE(strlen(link.secret) >= 43);
    free(want);
    free(mail);
    return link;
}
