/*
 * test_maild_smtp.c - both transports: SMTP with a real server (tests/support/smtp_server.py), and
 * files.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "maild/transport.h"
#include "tests/support/certificate.h"
#include "tests/support/mail_server.h"
#include "tests/support/program.h"

enum { SEND_MS = 30000 }; /* upper limit, for busy machines */

static const char mail_text[] = "From: <a@health.example>\r\nSubject: Hi\r\n\r\n"
                                ".a line that begins with a dot\r\nEnd.\r\n";
static const struct mail a_mail = {
    .id = {"0191b2c3-0000-4000-8000-000000000001"},
    .created_at = 1700000000123,
    .from = "no-reply@health.example",
    .to = "ana@example.org",
    .text = mail_text,
};

struct attempt {
    struct maild_config config;
    enum transport_outcome want[3]; /* one per send */
    size_t sends;
    const char *label, *reason; /* reason: part of the last one */
};

static struct transport *make_transport(struct loop *loop, const struct maild_config *config)
{
    struct smtp_server server;
    struct error err;

    error_init(&err, NULL);
    if (UNIT_CHECK(smtp_server_read(config, false, &server, &err) == 0, "%s", err.message))
        return transport_smtp_new(loop, &server, config->deliveries);
    return NULL;
}

static bool open_gate(void *arg)
{
    ++*(int *)arg;
    return true;
}

static void run_attempt(struct loop *loop, void *arg)
{
    const struct attempt *attempt = arg;
    CLEANUP(transport_destroy) struct transport *transport = NULL;
    char reason[TRANSPORT_REASON_MAX] = "";
    int opened = 0;
    const struct transport_gate gate = {open_gate, &opened};

    transport = make_transport(loop, &attempt->config);
    UNIT_REQUIRE(transport, "%s", attempt->label);
    for (size_t i = 0; i < attempt->sends; i++) {
        enum transport_outcome outcome =
            transport->send(transport, &a_mail, clock_mono_ms() + SEND_MS, &gate, reason);

        UNIT_CHECK(outcome == attempt->want[i], "%s: send %zu: %d %s", attempt->label, i, outcome,
                   reason);
    }
    UNIT_CHECK(strstr(reason, attempt->reason), "%s: %s", attempt->label, reason);
}

static bool keep_gate_shut(void *arg UNUSED)
{
    return false;
}

/* The server is ready for the email's text, but the database forbids sending it. This must not
 * count as a failure of the server. */
static void run_denied(struct loop *loop, void *arg)
{
    static const struct transport_gate shut = {keep_gate_shut, NULL};
    const struct maild_config config = {
        .smtp_url = arg, .smtp_starttls = "none", .smtp_timeout = SEND_MS, .deliveries = 1};
    CLEANUP(transport_destroy) struct transport *transport = NULL;
    char reason[TRANSPORT_REASON_MAX] = "";

    transport = make_transport(loop, &config);
    UNIT_REQUIRE(transport, "%s", config.smtp_url);
    CU_ASSERT_EQUAL(transport->send(transport, &a_mail, clock_mono_ms() + SEND_MS, &shut, reason),
                    TRANSPORT_UNREACHED);
    UNIT_CHECK(strstr(reason, "not handed over"), "%s", reason);
    CU_ASSERT_EQUAL(transport->state(transport), BREAKER_CLOSED);
}

static void test_sends_nothing_that_it_may_not(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    static const char *const none[] = {NULL};
    struct mail_server server = mail_server_start(&dir, none);

    unit_on_fiber(run_denied, server.url);
    mail_server_stop(&server);
    CU_ASSERT_EQUAL(mail_server_count(dir.path), 0);
}

/* Runs an attempt with a server with these arguments, and checks what it received first. */
static void against_server(const struct unit_dir *dir, const char *const *extra,
                           struct attempt attempt, const char *received)
{
    struct mail_server server = mail_server_start(dir, extra);
    char path[512];
    const char *text;

    attempt.config.smtp_url = server.url;
    unit_on_fiber(run_attempt, &attempt);
    text = unit_dir_read(dir, "0001.eml");
    UNIT_CHECK(strstr(text, received) && !text[0] == !received[0], "%s: %s", attempt.label, text);
    mail_server_stop(&server);
    snprintf(path, sizeof(path), "%s/0001.eml", dir->path);
    unlink(path);
}

#define NO_TLS                                                            \
    {                                                                     \
        .smtp_starttls = "none", .smtp_timeout = SEND_MS, .deliveries = 1 \
    }

static void test_hands_a_mail_to_a_server(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    static const char *const none[] = {NULL};

    against_server(&dir, none,
                   (struct attempt){NO_TLS, {TRANSPORT_SENT}, 1, "a plain server takes it", ""},
                   "X-Envelope-From: no-reply@health.example\r\nX-Envelope-To: ana@example.org\r\n"
                   "X-Envelope-TLS: no\r\nFrom: <a@health.example>\r\nSubject: Hi\r\n\r\n"
                   ".a line that begins with a dot\r\nEnd.\r\n");
}

static void test_insists_on_tls_and_signs_in(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char cert[128], key[128], password[128], wrong[128];
    const char *const secure[] = {"--tls",  cert,     key,      "--require-tls",
                                  "--auth", "atrium", "sesame", NULL};
    const char *const open[] = {NULL};
    struct maild_config config = {.smtp_starttls = "require",
                                  .smtp_timeout = SEND_MS,
                                  .deliveries = 1,
                                  .smtp_ca_file = cert,
                                  .smtp_user = "atrium",
                                  .smtp_password_file = password};

    certificate_make(&dir);
    snprintf(cert, sizeof(cert), "%s/cert.pem", dir.path);
    snprintf(key, sizeof(key), "%s/key.pem", dir.path);
    snprintf(password, sizeof(password), "%s", unit_dir_write(&dir, "password", "sesame\n"));
    snprintf(wrong, sizeof(wrong), "%s", unit_dir_write(&dir, "wrong", "mellon\n"));
    against_server(&dir, secure,
                   (struct attempt){config, {TRANSPORT_SENT}, 1, "with TLS and a password", ""},
                   "X-Envelope-TLS: yes");
    config.smtp_password_file = wrong;
    against_server(&dir, secure,
                   (struct attempt){config, {TRANSPORT_UNREACHED}, 1, "a wrong password", "smtp"},
                   "");
    config.smtp_password_file = password;
    config.smtp_ca_file = NULL;
    against_server(
        &dir, secure,
        (struct attempt){config, {TRANSPORT_UNREACHED}, 1, "an unknown certificate", "smtp"}, "");
    against_server(&dir, open,
                   (struct attempt){config, {TRANSPORT_UNREACHED}, 1, "TLS required, none", "smtp"},
                   "");
}

enum { TOGETHER = 3, TOGETHER_MS = 2500 };

struct together {
    struct transport *transport;
    const char *url, *dir;
    size_t ended;
};

static void send_one(void *arg)
{
    struct together *self = arg;
    char reason[TRANSPORT_REASON_MAX] = "";
    int opened = 0;
    const struct transport_gate gate = {open_gate, &opened};

    UNIT_CHECK(self->transport->send(self->transport, &a_mail, clock_mono_ms() + SEND_MS, &gate,
                                     reason) == TRANSPORT_SENT,
               "%s", reason);
    self->ended++;
}

/* The first email, which is refused, leaves one idle thread. The server records each email and
 * responds after TOGETHER_MS: all are recorded before that only if none waits for another. */
static void run_together(struct loop *loop, void *arg)
{
    struct together *self = arg;
    const struct maild_config config = {.smtp_url = self->url,
                                        .smtp_starttls = "none",
                                        .smtp_timeout = SEND_MS,
                                        .deliveries = TOGETHER};
    CLEANUP(transport_destroy) struct transport *transport = make_transport(loop, &config);
    int64_t until_ms;
    char reason[TRANSPORT_REASON_MAX] = "";
    int opened = 0;
    const struct transport_gate gate = {open_gate, &opened};
    struct error err;

    error_init(&err, NULL);
    UNIT_REQUIRE(transport, "%s", self->url);
    self->transport = transport;
    CU_ASSERT_EQUAL(transport->send(transport, &a_mail, clock_mono_ms() + SEND_MS, &gate, reason),
                    TRANSPORT_RETRY);
    CU_ASSERT_EQUAL(fiber_sleep_until(loop, clock_mono_ms() + 100, &err), 0);
    for (int i = 0; i < TOGETHER; i++)
        UNIT_REQUIRE(fiber_start(loop, send_one, self, &err) == 0, "%s", err.message);
    until_ms = clock_mono_ms() + SEND_MS;
    while (mail_server_count(self->dir) < TOGETHER && self->ended == 0 &&
           clock_mono_ms() < until_ms)
        CU_ASSERT_EQUAL(fiber_sleep_until(loop, clock_mono_ms() + 10, &err), 0);
    UNIT_CHECK(mail_server_count(self->dir) == TOGETHER && self->ended == 0,
               "%zu mails are there when %zu are answered", mail_server_count(self->dir),
               self->ended);
    while (self->ended < TOGETHER)
        CU_ASSERT_EQUAL(fiber_sleep_until(loop, clock_mono_ms() + 10, &err), 0);
}

static void test_mails_that_come_together_do_not_wait_for_one_thread(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const struct sched_param usual = {.sched_priority = 0};
    cpu_set_t before, one;
    char hold[32];
    const char *const slow[] = {"--fail", "451:1", "--hold", hold, NULL};
    struct mail_server server;
    struct together together = {.dir = dir.path};

    snprintf(hold, sizeof(hold), "%.1f:%d", TOGETHER_MS / 1000.0, TOGETHER);
    server = mail_server_start(&dir, slow);
    together.url = server.url;
    /* Runs on one processor where no woken thread preempts, so that none wakes between two queued
     * emails. */
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    CU_ASSERT_EQUAL(sched_getaffinity(0, sizeof(before), &before), 0);
    CU_ASSERT_EQUAL(sched_setaffinity(0, sizeof(one), &one), 0);
    CU_ASSERT_EQUAL(sched_setscheduler(0, SCHED_BATCH, &usual), 0);
    unit_on_fiber(run_together, &together);
    CU_ASSERT_EQUAL(sched_setscheduler(0, SCHED_OTHER, &usual), 0);
    CU_ASSERT_EQUAL(sched_setaffinity(0, sizeof(before), &before), 0);
    mail_server_stop(&server);
}

struct change {
    struct maild_config wrong, right;
};

static void run_change(struct loop *loop, void *arg)
{
    const struct change *self = arg;
    CLEANUP(transport_destroy) struct transport *transport = make_transport(loop, &self->wrong);
    char reason[TRANSPORT_REASON_MAX] = "";
    struct smtp_server server;
    int opened = 0;
    const struct transport_gate gate = {open_gate, &opened};
    struct error err;

    error_init(&err, NULL);
    UNIT_REQUIRE(transport, "%s", self->wrong.smtp_url);
    CU_ASSERT_EQUAL(transport->send(transport, &a_mail, clock_mono_ms() + SEND_MS, &gate, reason),
                    TRANSPORT_UNREACHED);
    CU_ASSERT_EQUAL(transport->state(transport), BREAKER_OPEN);
    UNIT_REQUIRE(smtp_server_read(&self->right, false, &server, &err) == 0, "%s", err.message);
    transport->use_server(transport, &server);
    CU_ASSERT_EQUAL(transport->state(transport), BREAKER_CLOSED);
    CU_ASSERT_TRUE(transport->is_back(transport));
    CU_ASSERT_EQUAL(transport->send(transport, &a_mail, clock_mono_ms() + SEND_MS, &gate, reason),
                    TRANSPORT_SENT);
    /* Setting the same server again restarts nothing. */
    transport->use_server(transport, &server);
    CU_ASSERT_FALSE(transport->is_back(transport));
    secret_wipe(&server.password);
}

static void test_another_password_while_it_runs(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char cert[128], key[128], password[128], wrong[128];
    const char *const secure[] = {"--tls",  cert,     key,      "--require-tls",
                                  "--auth", "atrium", "sesame", NULL};
    struct mail_server server;
    struct change change;

    certificate_make(&dir);
    snprintf(cert, sizeof(cert), "%s/cert.pem", dir.path);
    snprintf(key, sizeof(key), "%s/key.pem", dir.path);
    snprintf(password, sizeof(password), "%s", unit_dir_write(&dir, "password", "sesame\n"));
    snprintf(wrong, sizeof(wrong), "%s", unit_dir_write(&dir, "wrong", "mellon\n"));
    server = mail_server_start(&dir, secure);
    change.wrong = (struct maild_config){.smtp_url = server.url,
                                         .smtp_starttls = "require",
                                         .deliveries = 1,
                                         .smtp_ca_file = cert,
                                         .smtp_user = "atrium",
                                         .smtp_password_file = wrong};
    change.right = change.wrong;
    change.right.smtp_password_file = password;
    unit_on_fiber(run_change, &change);
    mail_server_stop(&server);
    CU_ASSERT_EQUAL(mail_server_count(dir.path), 1);
}

struct asking {
    struct maild_config config;
    const char *label, *state, *seen, *mend; /* mend NULL: the advice of check.c's row */
};

static void run_asking(struct loop *loop, void *arg)
{
    const struct asking *want = arg;
    CLEANUP(transport_destroy) struct transport *transport = NULL;
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct request req = {.arena = arena, .deadline_mono_ms = clock_mono_ms() + SEND_MS};
    struct finding found = {.check = "mail transport"};
    struct error err;

    error_init(&err, arena);
    transport = make_transport(loop, &want->config);
    UNIT_REQUIRE(transport, "%s", want->label);
    UNIT_REQUIRE(transport->check(transport, &req, &found, &err) == 0, "%s: %s", want->label,
                 err.message);
    UNIT_CHECK(strcmp(found.state, want->state) == 0 && strstr(found.seen, want->seen), "%s: %s %s",
               want->label, found.state, found.seen);
    UNIT_CHECK(want->mend ? found.mend && strstr(found.mend, want->mend) : !found.mend, "%s: %s",
               want->label, found.mend ? found.mend : "no advice");
    UNIT_CHECK(!strstr(found.seen, "sesame"), "%s: %s", want->label, found.seen);
}

static void ask_server(const struct unit_dir *dir, const char *const *extra, struct asking want)
{
    struct mail_server server = mail_server_start(dir, extra);

    want.config.smtp_url = server.url;
    unit_on_fiber(run_asking, &want);
    mail_server_stop(&server);
    UNIT_CHECK(mail_server_count(dir->path) == 0, "%s", want.label);
}

static void test_reports_missing_extensions_of_a_server(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char cert[128], key[128], password[128], wrong[128];
    const char *const secure[] = {"--tls",  cert,     key,      "--require-tls",
                                  "--auth", "atrium", "sesame", NULL};
    const char *const open[] = {NULL};
    struct maild_config config = {.smtp_starttls = "require",
                                  .smtp_timeout = SEND_MS,
                                  .deliveries = 1,
                                  .smtp_ca_file = cert,
                                  .smtp_user = "atrium",
                                  .smtp_password_file = password};
    struct maild_config plain = NO_TLS;

    certificate_make(&dir);
    snprintf(cert, sizeof(cert), "%s/cert.pem", dir.path);
    snprintf(key, sizeof(key), "%s/key.pem", dir.path);
    snprintf(password, sizeof(password), "%s", unit_dir_write(&dir, "password", "sesame\n"));
    snprintf(wrong, sizeof(wrong), "%s", unit_dir_write(&dir, "wrong", "mellon\n"));

    ask_server(&dir, secure, (struct asking){config, "all of it", "ok", "is ready for mail", NULL});
    ask_server(&dir, open, (struct asking){plain, "no TLS", "ok", "is ready for mail", NULL});
    plain.smtp_starttls = "require";
    ask_server(&dir, open,
               (struct asking){plain, "TLS required, none", "fail", "SSL", "offers no STARTTLS"});
    config.smtp_password_file = wrong;
    ask_server(&dir, secure,
               (struct asking){config, "a wrong password", "fail", "535", "smtp_password_file"});
    config.smtp_password_file = password;
    config.smtp_ca_file = NULL;
    ask_server(&dir, secure,
               (struct asking){config, "an unknown certificate", "fail", "certificate",
                               "smtp_ca_file"});
}

static void test_distinguishes_temporary_from_permanent_failures(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    static const struct {
        const char *fail;
        struct attempt attempt;
        const char *received;
    } rows[] = {
        {"451:2",
         {NO_TLS, {TRANSPORT_RETRY, TRANSPORT_RETRY, TRANSPORT_SENT}, 3, "busy twice", ""},
         "X-Envelope-From"},
        {"451:1:RCPT", {NO_TLS, {TRANSPORT_RETRY}, 1, "recipient not now", "451"}, ""},
        {"550:1", {NO_TLS, {TRANSPORT_REFUSED}, 1, "text refused", "550"}, ""},
        {"550:1:RCPT", {NO_TLS, {TRANSPORT_REFUSED}, 1, "recipient refused", "550"}, ""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *const extra[] = {"--fail", rows[i].fail, NULL};

        against_server(&dir, extra, rows[i].attempt, rows[i].received);
    }
}

static void test_retries_when_no_server_listens(void)
{
    struct attempt attempt = {NO_TLS, {TRANSPORT_UNREACHED}, 1, "nobody listens", "smtp"};
    char url[64];

    snprintf(url, sizeof(url), "smtp://127.0.0.1:%d", unit_free_port());
    attempt.config.smtp_url = url;
    unit_on_fiber(run_attempt, &attempt);
}

static void test_refuses_a_configuration_that_means_nothing(void)
{
    static const struct {
        struct maild_config config;
        const char *what;
    } rows[] = {
        {{.smtp_url = NULL, .smtp_starttls = "none"}, "smtp_url"},
        {{.smtp_url = "http://localhost", .smtp_starttls = "none"}, "smtp_url"},
        {{.smtp_url = "smtp://localhost", .smtp_starttls = "maybe"}, "smtp_starttls"},
        {{.smtp_url = "smtp://localhost",
          .smtp_starttls = "none",
          .smtp_user = "atrium",
          .smtp_password_file = "/nonexistent/file"},
         "/nonexistent/file"},
        {{.smtp_url = "smtp://localhost", .smtp_starttls = "none", .smtp_user = "atrium"},
         "go together"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct smtp_server server;
        struct error err;

        error_init(&err, NULL);
        UNIT_CHECK(smtp_server_read(&rows[i].config, false, &server, &err) < 0, "%s", rows[i].what);
        UNIT_CHECK(strstr(err.message, rows[i].what), "%s", err.message);
    }
}

static void run_file(struct loop *loop, void *arg)
{
    const struct unit_dir *dir = arg;
    struct unit_dir mails;
    struct offload *offload = offload_new(loop, 2, 8);
    CLEANUP(transport_destroy) struct transport *transport = NULL;
    char reason[TRANSPORT_REASON_MAX] = "";
    struct error err;

    error_init(&err, NULL);
    snprintf(mails.path, sizeof(mails.path), "%.60s/m", dir->path);
    transport = transport_file_new(offload, mails.path, &err);
    UNIT_REQUIRE(transport, "%s", err.message);
    for (int i = 0; i < 2; i++)
        UNIT_CHECK(transport->send(transport, &a_mail, clock_mono_ms() + SEND_MS, NULL, reason) ==
                       TRANSPORT_SENT,
                   "%s", reason);
    UNIT_CHECK(mail_server_count(mails.path) == 1, "%zu files", mail_server_count(mails.path));
    UNIT_CHECK(
        strcmp(unit_dir_read(&mails, "1700000000123-0191b2c3-0000-4000-8000-000000000001.eml"),
               mail_text) == 0,
        "the file holds the mail");
    offload_destroy(&offload);
}

static void test_writes_the_same_mail_to_the_same_file(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();

    unit_on_fiber(run_file, &dir);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_hands_a_mail_to_a_server),
        CASE(test_insists_on_tls_and_signs_in),
        CASE(test_mails_that_come_together_do_not_wait_for_one_thread),
        CASE(test_another_password_while_it_runs),
        CASE(test_distinguishes_temporary_from_permanent_failures),
        CASE(test_sends_nothing_that_it_may_not),
        CASE(test_reports_missing_extensions_of_a_server),
        CASE(test_retries_when_no_server_listens),
        CASE(test_refuses_a_configuration_that_means_nothing),
        CASE(test_writes_the_same_mail_to_the_same_file),
    };

    return unit_run("maild transports", cases, ARRAY_SIZE(cases));
}
