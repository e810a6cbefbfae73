/*
 * test_maild_queue.c - from the queue to the mail server, with real PostgreSQL, real SMTP and two
 * instances of maild.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "maild/mail_api.h"
#include "maild/template_api.h"
#include "maild/transport.h"
#include "tests/support/db_kit.h"
#include "tests/support/mail_server.h"
#include "tests/support/pg.h"

enum { CALL_MS = 5000, SEND_MS = 30000, INSTANCES = 2, MANY = 60 };

extern const struct db_migration maild_migrations[];

static struct pg *server;

/* Instances of maild without main(), on one loop and one database. */
struct fixture {
    struct maild instances[INSTANCES];
    struct service_definition definition;
    struct maild_config config;
    struct db_options db_options;
    struct unit_dir dir;
    struct mail_server mail;
    struct uuid project;
    const char *default_language;
    struct request *req;
    struct error err;
    const char *schema;
};

static bool start_instance(struct fixture *self, struct maild *d, struct loop *loop)
{
    struct service *svc = &d->svc;

    svc->definition = &self->definition;
    svc->config = &self->config;
    svc->loop = loop;
    svc->clock = clock_new(NULL);
    svc->metrics = metrics_new();
    svc->arena = arena_new();
    svc->seal = unit_seal_keys(0);
    svc->db = db_new(loop, svc->metrics, &self->db_options);
    d->real = clock_new(NULL);
    if (!UNIT_CHECK(db_kit_prepare(svc->db, &self->err) == 0, "%s %s", self->err.message,
                    self->err.detail))
        return false;
    if (!UNIT_CHECK(smtp_server_read(&self->config, false, &d->smtp, &self->err) == 0, "%s",
                    self->err.message))
        return false;
    d->transport = transport_smtp_new(loop, &d->smtp, self->config.deliveries);
    return UNIT_CHECK(deliver_start(d, &self->err) == 0, "%s", self->err.message);
}

static void stop_instance(struct maild *d)
{
    struct service *svc = &d->svc;

    CU_ASSERT_TRUE(deliver_stop(d));
    transport_destroy(&d->transport);
    clock_destroy(&d->real);
    db_destroy(&svc->db);
    metrics_destroy(&svc->metrics);
    clock_destroy(&svc->clock);
    arena_destroy(&svc->arena);
}

static void configure(struct fixture *self, const char *schema, const char *smtp_url)
{
    *self = (struct fixture){
        .definition = {.name = "maild"}, .schema = schema, .project = uuid_random()};
    self->config = (struct maild_config){.smtp_url = smtp_url,
                                         .smtp_starttls = "none",
                                         .smtp_timeout = SEND_MS,
                                         .mail_max_age = 3600000,
                                         .deliveries = 8,
                                         .from_address = "no-reply@health.example",
                                         .from_name = "",
                                         .installation_name = "Health"};
    self->db_options = (struct db_options){.conninfo = server->conninfo,
                                           .schema = schema,
                                           .program = schema,
                                           .sql = maild_sql,
                                           .migrations = maild_migrations,
                                           .read_connections = 1,
                                           .write_connections = 4,
                                           .statement_timeout_ms = CALL_MS,
                                           .queue_max = 1024};
    error_init(&self->err, NULL);
}

static bool start_instances(struct fixture *self, struct loop *loop)
{
    for (size_t i = 0; i < INSTANCES; i++) {
        if (!start_instance(self, &self->instances[i], loop))
            return false;
    }
    self->req = service_request_new(&self->instances[0].svc, 60000);
    error_init(&self->err, self->req->arena);
    return true;
}

static void make_schema(const char *schema)
{
    char sql[80];

    snprintf(sql, sizeof(sql), "create schema %s", schema);
    pg_exec(server, sql);
}

static bool join(struct fixture *self, struct loop *loop, const char *schema,
                 const char *const *server_arguments)
{
    struct unit_dir dir = unit_dir_make();
    struct mail_server mail = mail_server_start(&dir, server_arguments);

    configure(self, schema, NULL);
    self->dir = dir;
    self->mail = mail;
    self->config.smtp_url = self->mail.url;
    return start_instances(self, loop);
}

static bool setup(struct fixture *self, struct loop *loop, const char *schema,
                  const char *const *server_arguments)
{
    make_schema(schema);
    return join(self, loop, schema, server_arguments);
}

static void teardown(struct fixture *self)
{
    service_request_destroy(&self->req);
    for (size_t i = 0; i < INSTANCES; i++)
        stop_instance(&self->instances[i]);
    mail_server_stop(&self->mail);
    unit_dir_remove(&self->dir);
}

static bool map_template(struct fixture *self, const char *language, const char *subject)
{
    struct template_put_in in = {
        self->project, "PATIENT_WELCOME",          language,
        subject,       "<p>{{recipientName}}</p>", "Hello {{recipientName}}"};
    struct template_record out;

    return UNIT_CHECK(template_put(&self->instances[0], self->req, &in, &out, &self->err) == 0,
                      "%s", self->err.message);
}

static bool enqueue(struct fixture *self, size_t instance, struct uuid id, const char *language)
{
    struct mail_enqueue_in in = {.id = id,
                                 .projectId = self->project,
                                 .template = "PATIENT_WELCOME",
                                 .language = language,
                                 .to = "ana@example.org",
                                 .variables = "{\"recipientName\":\"A<na\"}",
                                 .defaultLanguage = self->default_language};
    struct mail_enqueue_out out = {0};

    UNIT_CHECK(mail_enqueue(&self->instances[instance], self->req, &in, &out, &self->err) == 0,
               "%s", self->err.message);
    return out.queued;
}

static long ask(struct fixture *self, const char *sql)
{
    return pg_exec(server,
                   arena_printf(self->req->arena, "set search_path to %s; %s", self->schema, sql));
}

/* Waits up to `ms` until this many messages are in that state. Returns the time, or -1. */
static int64_t wait_for(struct fixture *self, const char *state, long count, int64_t ms)
{
    int64_t begin = clock_mono_ms();
    const char *sql =
        arena_printf(self->req->arena, "select count(*) from message where state = '%s'", state);

    while (clock_mono_ms() < begin + ms) {
        if (ask(self, sql) == count)
            return clock_mono_ms() - begin;
        if (fiber_sleep_until(self->instances[0].svc.loop, clock_mono_ms() + 20, &self->err) < 0)
            return -1;
    }
    return -1;
}

static const char *const no_arguments[] = {NULL};

static void sends_a_mapped_template_once(struct loop *loop, void *arg UNUSED)
{
    struct uuid id = uuid_random();
    struct fixture self;
    const char *text;
    int64_t took;

    if (!setup(&self, loop, "once", no_arguments))
        return;
    UNIT_CHECK(!enqueue(&self, 0, uuid_random(), NULL), "not mapped: dropped");
    map_template(&self, NULL, "Welcome");
    UNIT_CHECK(enqueue(&self, 0, id, NULL), "mapped: queued");
    UNIT_CHECK(!enqueue(&self, 1, id, NULL), "the same again: known");
    took = wait_for(&self, "sent", 1, 3000);
    UNIT_CHECK(took >= 0 && took < 1500, "sent after %lld ms", (long long)took);
    UNIT_CHECK(!enqueue(&self, 1, id, NULL), "the same after it was sent: known");
    CU_ASSERT_EQUAL(mail_server_count(self.dir.path), 1);
    text = unit_dir_read(&self.dir, "0001.eml");
    UNIT_CHECK(strstr(text, "Subject: Welcome\r\n") && strstr(text, "Hello A<na\r\n") &&
                   strstr(text, "<p>A&lt;na</p>\r\n"),
               "%s", text);
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from message where sealed is not null"), 0);
    teardown(&self);
}

/* Queues an email with the installation's template. project: NULL for none. */
static bool enqueue_builtin(struct fixture *self, const struct uuid *project, bool builtin,
                            const char *template, const char *variables)
{
    struct mail_enqueue_in in = {.id = uuid_random(),
                                 .builtin = builtin,
                                 .template = template,
                                 .to = "ana@example.org",
                                 .variables = variables};
    struct mail_enqueue_out out = {0};

    if (project)
        in.projectId = *project;
    UNIT_CHECK(mail_enqueue(&self->instances[0], self->req, &in, &out, &self->err) == 0, "%s",
               self->err.message);
    return out.queued;
}

static void the_installation_has_mails_of_its_own(struct loop *loop, void *arg UNUSED)
{
    static const char link[] = "{\"projectName\":\"X\",\"verifyUrl\":\"https://own.example/v\"}";
    static const struct {
        const char *label, *file, *want;
    } rows[] = {
        {"without a project", "0001.eml", "https://own.example/v"},
        {"the link in HTML", "0001.eml", "<a href=\"https://own.example/v\">"},
        {"without a link", "0002.eml", "ask an administrator of Health"},
        {"where the project maps none", "0003.eml", "Subject: Verify your email address for X"},
    };
    struct fixture self;

    if (!setup(&self, loop, "installation", no_arguments))
        return;
    CU_ASSERT_FALSE(enqueue_builtin(&self, NULL, false, "PATIENT_WELCOME", "{}"));
    CU_ASSERT_FALSE(enqueue_builtin(&self, &self.project, false, "EMAIL_VERIFICATION", "{}"));
    CU_ASSERT_FALSE(enqueue_builtin(&self, &self.project, true, "PATIENT_WELCOME", "{}"));
    CU_ASSERT_FALSE(enqueue_builtin(&self, &self.project, true, "PASSWORD_RESET", "{}"));
    CU_ASSERT_TRUE(enqueue_builtin(&self, NULL, false, "EMAIL_VERIFICATION", link));
    CU_ASSERT_TRUE(wait_for(&self, "sent", 1, 3000) >= 0);
    CU_ASSERT_TRUE(enqueue_builtin(&self, NULL, false, "EMAIL_VERIFICATION", "{}"));
    CU_ASSERT_TRUE(wait_for(&self, "sent", 2, 3000) >= 0);
    CU_ASSERT_TRUE(enqueue_builtin(&self, &self.project, true, "EMAIL_VERIFICATION", link));
    CU_ASSERT_TRUE(wait_for(&self, "sent", 3, 3000) >= 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *text = unit_dir_read(&self.dir, rows[i].file);

        UNIT_CHECK(strstr(text, rows[i].want) != NULL, "%s: %s", rows[i].label, text);
    }
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from audit where project_id is null"), 3);
    teardown(&self);
}

static void shares_the_work_between_instances_each_mail_once(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;

    if (!setup(&self, loop, "shared", no_arguments))
        return;
    map_template(&self, NULL, "Welcome");
    for (size_t i = 0; i < MANY; i++)
        enqueue(&self, i % INSTANCES, uuid_random(), NULL);
    UNIT_CHECK(wait_for(&self, "sent", MANY, 15000) >= 0, "all are sent");
    CU_ASSERT_EQUAL(mail_server_count(self.dir.path), MANY);
    CU_ASSERT_EQUAL(ask(&self, "select sum(attempts) from message"), MANY);
    teardown(&self);
}

static void picks_the_nearest_language(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *language, *fallback, *want;
    } rows[] = {
        {"pt-BR", NULL, "pt-BR"}, {"pt-pt", "de", "pt"}, {"fr", NULL, "all"}, {NULL, NULL, "all"},
        {"fr", "pt-br", "pt-BR"}, {NULL, "pt-AO", "pt"}, {NULL, "ja", "all"},
    };
    struct fixture self;

    if (!setup(&self, loop, "languages", no_arguments))
        return;
    map_template(&self, "pt-br", "pt-BR");
    map_template(&self, "PT", "pt");
    map_template(&self, "", "all");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char file[16], subject[64];

        self.default_language = rows[i].fallback;
        enqueue(&self, 0, uuid_random(), rows[i].language);
        UNIT_CHECK(wait_for(&self, "sent", (long)i + 1, 3000) >= 0, "%zu sent", i);
        snprintf(file, sizeof(file), "%04zu.eml", i + 1);
        snprintf(subject, sizeof(subject), "\nSubject: %s\r\n", rows[i].want);
        UNIT_CHECK(strstr(unit_dir_read(&self.dir, file), subject) != NULL, "%s", rows[i].language);
    }
    teardown(&self);
}

static void tries_again_gives_up_erases(struct loop *loop, void *arg UNUSED)
{
    static const char *const busy[] = {"--fail", "451:1", "--fail", "550:1", NULL};
    struct mail_queue_in dead = {"dead", 10};
    struct mail_queue_out queue = {0};
    struct nothing nothing;
    struct fixture self;

    if (!setup(&self, loop, "refused", busy))
        return;
    unit_expect_log(1); /* failed */
    map_template(&self, NULL, "Welcome");
    enqueue(&self, 0, uuid_random(), NULL);
    UNIT_CHECK(wait_for(&self, "dead", 1, 6000) >= 900, "again after a second, then never");
    CU_ASSERT_EQUAL(ask(&self, "select attempts from message"), 2);
    CU_ASSERT_EQUAL(ask(&self, "select count(*) from message where sealed is not null"), 0);
    CU_ASSERT_EQUAL(mail_queue(&self.instances[0], self.req, &dead, &queue, &self.err), 0);
    CU_ASSERT_EQUAL(queue.total, 1);

    const struct mail_queue_row *row = queue.messages.items;
    struct mail_id_in id = {row->id};

    CU_ASSERT_STRING_EQUAL(row->lastError, "smtp: answered 550");
    CU_ASSERT_TRUE(mail_retry(&self.instances[0], self.req, &id, &nothing, &self.err) < 0);
    CU_ASSERT_EQUAL(self.err.code, ERR_CONFLICT);
    CU_ASSERT_EQUAL(mail_drop(&self.instances[0], self.req, &id, &nothing, &self.err), 0);
    CU_ASSERT_TRUE(mail_drop(&self.instances[0], self.req, &id, &nothing, &self.err) < 0);
    CU_ASSERT_EQUAL(mail_server_count(self.dir.path), 0);
    teardown(&self);
}

static const char victims_schema[] = "taken_up";

static void victim(struct loop *loop, void *arg)
{
    struct fixture self;

    configure(&self, victims_schema, arg);
    if (!start_instances(&self, loop) || !map_template(&self, NULL, "Welcome"))
        return;
    enqueue(&self, 0, uuid_random(), NULL);
    (void)!fiber_sleep_until(loop, clock_mono_ms() + SEND_MS, &self.err);
}

static const char *victims_url;

static void test_is_killed(void)
{
    unit_on_fiber(victim, (void *)(uintptr_t)victims_url);
}

static int victim_main(const char *conninfo, const char *url)
{
    static const struct unit_case cases[] = {CASE(test_is_killed)};
    static struct pg remote;

    snprintf(remote.conninfo, sizeof(remote.conninfo), "%s", conninfo);
    server = &remote;
    victims_url = url;
    return unit_run("victim", cases, ARRAY_SIZE(cases));
}

/* Makes a socket that accepts and stays silent; *ret_url is its URL. */
static int silent_server(char url[static 64])
{
    int port, fd = unit_listen(8, &port);

    snprintf(url, 64, "smtp://127.0.0.1:%d", port);
    return fd;
}

static pid_t victim_start(const char *url)
{
    pid_t pid = fork();

    if (pid == 0) {
        const char *arguments[] = {"victim", "--victim", server->conninfo, url, NULL};

        int null = open("/dev/null", O_WRONLY);

        dup2(null, 1);
        dup2(null, 2);
        execv("/proc/self/exe", (char **)(uintptr_t)arguments);
        _exit(127);
    }
    return pid;
}

/* Waits up to 10 seconds, because another process does the work. */
static void wait_until(const char *sql, long count)
{
    for (int i = 0; i < 500 && pg_exec(server, sql) != count; i++)
        usleep(20000);
    CU_ASSERT_EQUAL(pg_exec(server, sql), count);
}

static void takes_up_the_work_of_an_instance_that_died(struct loop *loop, void *arg UNUSED)
{
    static const char claimed[] =
        "select count(*) from taken_up.message where lease is not null and attempts = 1";
    static const char made[] = "select count(*) from pg_tables where schemaname = 'taken_up' and "
                               "tablename = 'message'";
    char url[64];
    int silent = silent_server(url);
    struct fixture self;
    pid_t pid;
    int64_t took;

    make_schema(victims_schema);
    pid = victim_start(url);
    wait_until(made, 1);
    wait_until(claimed, 1);
    if (!join(&self, loop, victims_schema, no_arguments))
        return;
    UNIT_CHECK(wait_for(&self, "sent", 1, 4500) < 0, "a living instance keeps what it claimed");
    CU_ASSERT_EQUAL(pg_exec(server, claimed), 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    took = wait_for(&self, "sent", 1, 8000);
    UNIT_CHECK(took >= 0 && took < 5000, "taken up after %lld ms", (long long)took);
    CU_ASSERT_EQUAL(mail_server_count(self.dir.path), 1);
    CU_ASSERT_EQUAL(ask(&self, "select attempts from message"), 2);
    teardown(&self);
    close(silent);
}

#define ON_FIBER(fn)             \
    static void test_##fn(void)  \
    {                            \
        unit_on_fiber(fn, NULL); \
    }
ON_FIBER(sends_a_mapped_template_once)
ON_FIBER(the_installation_has_mails_of_its_own)
ON_FIBER(shares_the_work_between_instances_each_mail_once)
ON_FIBER(picks_the_nearest_language)
ON_FIBER(tries_again_gives_up_erases)
ON_FIBER(takes_up_the_work_of_an_instance_that_died)

int main(int argc, char **argv)
{
    static const struct unit_case cases[] = {
        CASE(test_sends_a_mapped_template_once),
        CASE(test_the_installation_has_mails_of_its_own),
        CASE(test_shares_the_work_between_instances_each_mail_once),
        CASE(test_picks_the_nearest_language),
        CASE(test_tries_again_gives_up_erases),
        CASE(test_takes_up_the_work_of_an_instance_that_died),
    };
    int exit_code;

    if (argc == 4 && strcmp(argv[1], "--victim") == 0)
        return victim_main(argv[2], argv[3]);
    server = pg_new();
    exit_code = unit_run("maild queue", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return exit_code;
}
