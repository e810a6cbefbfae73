/*
 * test_mail.c - SMTP from a registration to a real mail server (smtp_server.py): format, and
 * delivery exactly once whatever the server does. See tests/integration/test_maild_smtp.c for
 * authentication and TLS, for which `atriumctl dev` has no options.
 */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/mail_server.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"

#define REGISTER "/auth/tenant/Patient/register"

enum {
    ARRIVES_MS = 10000,
    TIMEOUT_MS = 5000, /* smtp_timeout of this suite */
    QUIET_MS = 3000    /* longer than maild's poll of the queue and its first back-off */
};

static struct suite *suite;
static int port; /* port of the mail server, if it runs */

struct post {
    struct unit_dir dir;
    struct mail_server server;
};

static struct post post_open(const char *option, const char *value)
{
    struct post self = {.dir = unit_dir_make()};
    char number[16];
    const char *const extra[] = {"--port", number, option, value, NULL};

    snprintf(number, sizeof(number), "%d", port);
    self.server = mail_server_start(&self.dir, extra);
    return self;
}

static void post_close(struct post *self)
{
    mail_server_stop(&self->server);
    unit_dir_remove(&self->dir);
}
#define POST CLEANUP(post_close) struct post

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;

    if (!file || getdelim(&text, &size, '\0', file) < 0)
        abort();
    fclose(file);
    return text;
}

/* Counts the emails to the address, and returns the latest in *ret if wanted (caller frees). */
static int count_mail(const struct post *self, const char *to, char **ret)
{
    struct dirent **entries = NULL;
    int count = scandir(self->dir.path, &entries, NULL, alphasort), found = 0;
    char line[320];

    snprintf(line, sizeof(line), "\r\nX-Envelope-To: %s\r\n", to);
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        char path[512];

        snprintf(path, sizeof(path), "%s/%s", self->dir.path, entries[i]->d_name);
        if (dot && strcmp(dot, ".eml") == 0) {
            char *text = read_text(path);

            if (strstr(text, line)) {
                found++;
                if (ret) {
                    free(*ret);
                    *ret = TAKE_PTR(text);
                }
            }
            free(text);
        }
        free(entries[i]);
    }
    free(entries);
    return found;
}

static bool wait_mail(const struct post *self, const char *to, int want, int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    while (count_mail(self, to, NULL) < want) {
        if (clock_mono_ms() > deadline)
            return false;
        usleep(20000);
    }
    return true;
}

/* Parses the address's email with an independent program (mail_json.py). */
static struct program *read_mail(const struct post *self, const char *to)
{
    static const char *const reader[] = {"/usr/bin/python3", "tests/support/mail_json.py", NULL};
    char *text = NULL;
    struct program *mail;

    CU_ASSERT_TRUE(wait_mail(self, to, 1, ARRIVES_MS));
    CU_ASSERT_EQUAL(count_mail(self, to, &text), 1);
    mail = program_run(reader, text ? text : "");
    CHECK_EXIT(mail, 0);
    UNIT_CHECK(json_array_size(json_object_get(mail->json, "defects")) == 0, "%s", mail->out);
    free(text);
    return mail;
}

static int header_count(const struct program *mail, const char *name)
{
    json_t *headers = json_object_get(mail->json, "headers"), *header;
    int count = 0;
    size_t i;

    json_array_foreach(headers, i, header) count +=
        strcasecmp(json_string_value(json_array_get(header, 0)), name) == 0;
    return count;
}

static int register_as(const char *email, const char *name, const char *surname, const char *tenant)
{
    json_t *body = body_register(email, tenant);
    char *source = fresh_source();

    json_object_set_new(body, "name", json_string(name));
    json_object_set_new(body, "surname", json_string(surname));
    HTTP_ANSWER answer = http_call(
        suite_url(suite),
        &(struct http_request){.method = "POST", .path = REGISTER, .source = source, .body = body});
    free(source);
    return answer->status;
}

static char *register_somebody(void)
{
    char *email = person_address();

    CU_ASSERT_EQUAL(register_as(email, "Ana", "Prova", "demo"), 200);
    return email;
}

static void put_template(const char *subject, const char *text, const char *html)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char text_path[128], html_path[128];

    snprintf(text_path, sizeof(text_path), "%s", unit_dir_write(&dir, "text", text));
    snprintf(html_path, sizeof(html_path), "%s", unit_dir_write(&dir, "html", html));
    PROGRAM put = ATRIUMCTL(suite, NULL, "template", "put", "--project", "demo", "PATIENT_WELCOME",
                            "--subject", subject, "--text", text_path, "--html", html_path);
    CHECK_EXIT(put, 0);
}

/* Waits up to 10 s for `want` queue rows in a state, and returns the queue. */
static struct program *queue_of(const char *state, size_t want)
{
    int64_t deadline = clock_mono_ms() + ARRIVES_MS;

    for (;;) {
        struct program *queue = ATRIUMCTL(suite, NULL, "mail", "queue", "--state", state, "--json");

        if (json_array_size(queue->json) == want || clock_mono_ms() > deadline) {
            CHECK_EXIT(queue, 0);
            UNIT_CHECK(json_array_size(queue->json) == want, "%s", queue->out);
            return queue;
        }
        program_destroy(&queue);
        usleep(50000);
    }
}

static void check_queue_is_empty(void)
{
    PROGRAM queue = queue_of("queued", 0);
}

static char *wait_attempts(int want)
{
    int64_t deadline = clock_mono_ms() + 2 * ARRIVES_MS;

    for (;;) {
        PROGRAM queue = queue_of("queued", 1);
        json_t *row = json_array_get(queue->json, 0);

        if (json_integer_value(json_object_get(row, "attempts")) >= want &&
            *program_text(queue, "0.lastError"))
            return strdup(program_text(queue, "0.id"));
        if (clock_mono_ms() > deadline) {
            UNIT_CHECK(false, "no %d attempts: %s", want, queue->out);
            return strdup("");
        }
        usleep(50000);
    }
}

static void the_welcome_mail_has_all_that_a_mail_needs(void)
{
    static const char *const once[] = {"From",       "To",           "Subject",     "Date",
                                       "Message-ID", "MIME-Version", "Content-Type"};
    POST post = post_open(NULL, NULL);
    char *email = person_address(), *text = NULL;

    CU_ASSERT_EQUAL(register_as(email, "Zoë", "Ürün", "demo"), 200);
    PROGRAM mail = read_mail(&post, email);
    for (size_t i = 0; i < ARRAY_SIZE(once); i++)
        UNIT_CHECK(header_count(mail, once[i]) == 1, "%s: %s", once[i], mail->out);
    CU_ASSERT_STRING_EQUAL(program_text(mail, "decoded.subject"), "Welcome to Demo Clinic");
    CU_ASSERT_PTR_NOT_NULL(strstr(program_text(mail, "decoded.from"), "no-reply@"));
    CU_ASSERT_PTR_NOT_NULL(strstr(program_text(mail, "decoded.to"), email));
    CU_ASSERT_EQUAL(program_text(mail, "decoded.message-id")[0], '<');
    CU_ASSERT_PTR_NOT_NULL(strchr(program_text(mail, "decoded.message-id"), '@'));
    CU_ASSERT_STRING_EQUAL(program_text(mail, "decoded.mime-version"), "1.0");
    CU_ASSERT_EQUAL(json_array_size(json_object_get(mail->json, "parts")), 2);
    CU_ASSERT_STRING_EQUAL(program_text(mail, "parts.0.type"), "text/plain");
    CU_ASSERT_STRING_EQUAL(program_text(mail, "parts.1.type"), "text/html");
    for (int i = 0; i < 2; i++) {
        const char *path = i == 0 ? "parts.0.text" : "parts.1.text";

        CU_ASSERT_PTR_NOT_NULL(strstr(program_text(mail, path), "Zoë Ürün"));
        CU_ASSERT_PTR_NOT_NULL(strstr(program_text(mail, path), "https://patient.demo.example"));
    }
    CU_ASSERT_EQUAL(count_mail(&post, email, &text), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "X-Envelope-From: no-reply@"));
    free(text);
    free(email);
}

static void words_outside_ascii_are_encoded(void)
{
    POST post = post_open(NULL, NULL);
    char *email = person_address(), *text = NULL, name[129] = "", subject[320];

    for (int i = 0; i < 40; i++)
        strcat(name, "é");
    put_template("Grüße, {{recipientName}}", "Hallo {{recipientName}}, schön: ≠ 日本\n",
                 "<p>Hallo {{recipientName}}, schön: ≠ 日本</p>\n");
    CU_ASSERT_EQUAL(register_as(email, name, "Ünal", "demo"), 200);
    PROGRAM mail = read_mail(&post, email);
    snprintf(subject, sizeof(subject), "Grüße, %s Ünal", name);
    CU_ASSERT_STRING_EQUAL(program_text(mail, "decoded.subject"), subject);
    CU_ASSERT_PTR_NOT_NULL(strstr(program_text(mail, "parts.0.text"), "schön: ≠ 日本"));
    CU_ASSERT_PTR_NOT_NULL(strstr(program_text(mail, "parts.1.text"), "schön: ≠ 日本"));
    CU_ASSERT_STRING_EQUAL(program_text(mail, "parts.0.charset"), "utf-8");
    CU_ASSERT_EQUAL(count_mail(&post, email, &text), 1);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        UNIT_CHECK(strcspn(line, "\r") <= 78, "%.200s", line);
    }
    for (const char *c = text; c && *c; c++) {
        if ((unsigned char)*c >= 0x80) {
            CU_FAIL("a byte that is not ASCII");
            break;
        }
    }
    free(text);
    free(email);
}

static void names_cannot_write_html(void)
{
    POST post = post_open(NULL, NULL);
    char *email = person_address();

    CU_ASSERT_EQUAL(register_as(email, "<b>&\"", "<script>'x'</script>", "demo"), 200);
    PROGRAM mail = read_mail(&post, email);
    const char *plain = program_text(mail, "parts.0.text");
    const char *html = program_text(mail, "parts.1.text");

    UNIT_CHECK(strstr(plain, "<b>&\" <script>'x'</script>"), "%s", plain);
    UNIT_CHECK(strstr(html, "&lt;b&gt;&amp;&quot; &lt;script&gt;"), "%s", html);
    UNIT_CHECK(!strstr(html, "<b>") && !strstr(html, "<script"), "%s", html);
    free(email);
}

static void names_cannot_write_headers(void)
{
    static const char *const names[] = {
        "Eve\r\nBcc: spy@evil.example", "Eve\nBcc: spy@evil.example",
        "Eve\rBcc: spy@evil.example",   "Eve\r\n\r\nA body of my own",
        "Eve\r\n.\r\nMAIL FROM:<>",     "=?utf-8?Q?Eve=0D=0ABcc:_spy@evil.example?="};
    POST post = post_open(NULL, NULL);

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *email = person_address();
        int status = register_as(email, names[i], "Prova", "demo");

        UNIT_CHECK(status == 200 || status == 422, "%s: %d", names[i], status);
        if (status == 200) {
            PROGRAM mail = read_mail(&post, email);

            UNIT_CHECK(header_count(mail, "Bcc") == 0, "%s", mail->out);
            UNIT_CHECK(header_count(mail, "Subject") == 1, "%s", mail->out);
            UNIT_CHECK(header_count(mail, "To") == 1, "%s", mail->out);
            UNIT_CHECK(json_array_size(json_object_get(mail->json, "parts")) == 2, "%s", mail->out);
        }
        free(email);
    }
    CU_ASSERT_EQUAL(count_mail(&post, "spy@evil.example", NULL), 0);
    CU_ASSERT_EQUAL(register_as("a@b.example\r\nBcc: spy@evil.example", "Eve", "Prova", "demo"),
                    422);
}

static void a_busy_server_gets_it_later_once(void)
{
    POST post = post_open("--fail", "451:3");
    char *email = register_somebody();

    {
        char *id = wait_attempts(1);
        PROGRAM queue = queue_of("queued", 1);

        CU_ASSERT_STRING_EQUAL(program_text(queue, "0.template"), "PATIENT_WELCOME");
        CU_ASSERT_PTR_NOT_NULL(strstr(program_text(queue, "0.lastError"), "451"));
        CU_ASSERT_PTR_NULL(strstr(queue->out, email));
        free(id);
    }
    CU_ASSERT_EQUAL(count_mail(&post, email, NULL), 0);
    CU_ASSERT_TRUE(wait_mail(&post, email, 1, 2 * ARRIVES_MS));
    check_queue_is_empty();
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(count_mail(&post, email, NULL), 1);
    free(email);
}

static void a_refused_mail_is_dead(void)
{
    POST post = post_open("--fail", "550:1");
    char *email = register_somebody();
    PROGRAM dead = queue_of("dead", 1);
    const char *id = program_text(dead, "0.id");

    CU_ASSERT_STRING_EQUAL(program_text(dead, "0.state"), "dead");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(json_array_get(dead->json, 0), "attempts")),
                    1);
    CU_ASSERT_PTR_NOT_NULL(strstr(program_text(dead, "0.lastError"), "550"));
    CU_ASSERT_PTR_NULL(strstr(dead->out, email));
    check_queue_is_empty();

    /* The content of a dead email is erased, so it cannot be sent again. */
    PROGRAM retry = ATRIUMCTL(suite, NULL, "mail", "retry", id);
    CHECK_REFUSED(retry, 1, "dead");
    PROGRAM drop = ATRIUMCTL(suite, NULL, "mail", "drop", id);
    CHECK_EXIT(drop, 0);
    PROGRAM none = queue_of("dead", 0);
    PROGRAM again = ATRIUMCTL(suite, NULL, "mail", "drop", id);
    CHECK_REFUSED(again, 1, "");
    PROGRAM words = ATRIUMCTL(suite, NULL, "mail", "drop", "seven");
    CHECK_REFUSED(words, 1, "ID: must be a uuid");
    CU_ASSERT_EQUAL(count_mail(&post, email, NULL), 0);
    free(email);
}

#define FAILURES "/v1/project/mail-failures"

static struct http_answer *failures(const struct person *who, const char *query)
{
    char path[5000];

    snprintf(path, sizeof(path), FAILURES "%s", query);
    return http_get(suite_url(suite), path, who->access);
}

static int64_t count_failures(const struct person *who)
{
    HTTP_ANSWER list = failures(who, "");

    CHECK_STATUS(list, 200);
    return (int64_t)json_array_size(http_member(list, "resources"));
}

/* Checks the pages of the list. A cursor works only in its own project. */
static void check_pages(const struct person *admin, const struct person *child)
{
    HTTP_ANSWER first = failures(admin, "?_count=1");
    char query[4600];

    CHECK_STATUS(first, 200);
    CU_ASSERT_STRING_EQUAL(http_text(first, "resources.0.state"), "retrying");
    CU_ASSERT_EQUAL(json_array_size(http_member(first, "resources")), 1);
    snprintf(query, sizeof(query), "?_count=1&_cursor=%s", http_text(first, "next"));
    HTTP_ANSWER second = failures(admin, query);
    HTTP_ANSWER foreign = failures(child, query);

    CHECK_STATUS(second, 200);
    CU_ASSERT_STRING_EQUAL(http_text(second, "resources.0.state"), "failed");
    CU_ASSERT_TRUE(json_is_null(http_member(second, "next")));
    CHECK_STATUS(foreign, 422);
}

static void admins_see_which_mails_failed_and_not_to_whom(void)
{
    PERSON admin = person_admin(suite);
    PERSON child = person_admin_of_child(suite, "lakeside");
    char *dead, *waiting;

    CU_ASSERT_EQUAL(count_failures(admin), 0);
    {
        POST post = post_open("--fail", "550:1");
        dead = register_somebody();
        PROGRAM queue = queue_of("dead", 1);
        HTTP_ANSWER list = failures(admin, "");

        CHECK_STATUS(list, 200);
        CU_ASSERT_EQUAL(json_array_size(http_member(list, "resources")), 1);
        CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.id"), program_text(queue, "0.id"));
        CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.template"), "PATIENT_WELCOME");
        CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.state"), "failed");
        CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.error"), "smtp: answered 550");
        CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.0.attempts")), 1);
        CU_ASSERT_TRUE(json_is_string(http_member(list, "resources.0.createdAt")));
        CU_ASSERT_TRUE(json_is_string(http_member(list, "resources.0.triedAt")));
        CU_ASSERT_TRUE(json_is_null(http_member(list, "resources.0.nextAt")));
        CU_ASSERT_PTR_NULL(strstr(list->body, dead));
        CU_ASSERT_EQUAL(count_mail(&post, dead, NULL), 0);
    }
    {
        POST post = post_open("--fail", "451:3");
        waiting = register_somebody();
        char *id = wait_attempts(1);
        HTTP_ANSWER list = failures(admin, "");

        CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.id"), id);
        CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.state"), "retrying");
        CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.error"), "smtp: answered 451");
        CU_ASSERT_PTR_NULL(strstr(list->body, waiting));
        check_pages(admin, child);
        CU_ASSERT_EQUAL(count_failures(child), 0);
        CU_ASSERT_TRUE(wait_mail(&post, waiting, 1, 2 * ARRIVES_MS));
        check_queue_is_empty();
        free(id);
    }
    CU_ASSERT_EQUAL(count_failures(admin), 1); /* the email that a retry delivered has not failed */
    PROGRAM queue = queue_of("dead", 1);
    PROGRAM drop = ATRIUMCTL(suite, NULL, "mail", "drop", program_text(queue, "0.id"));
    CHECK_EXIT(drop, 0);
    CU_ASSERT_EQUAL(count_failures(admin), 0);
    free(waiting);
    free(dead);
}

static void failed_mails_are_shown_to_admins_alone(void)
{
    POST post = post_open(NULL, NULL);
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER read = failures(patient, "");
    HTTP_ANSWER without = http_get(suite_url(suite), FAILURES, NULL);

    CHECK_STATUS(read, 403);
    CHECK_STATUS(without, 401);
    CU_ASSERT_TRUE(wait_mail(&post, patient->email, 1, ARRIVES_MS));
}

static void an_absent_server_gets_it_when_it_comes(void)
{
    char *email = register_somebody(), *id = wait_attempts(2);
    POST post = post_open(NULL, NULL);

    CU_ASSERT_TRUE(wait_mail(&post, email, 1, ARRIVES_MS));
    check_queue_is_empty();
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(count_mail(&post, email, NULL), 1);
    free(id);
    free(email);
}

static void the_operator_sends_it_now(void)
{
    char *email = register_somebody(), *id = wait_attempts(4);
    POST post = post_open(NULL, NULL);
    PROGRAM retry = ATRIUMCTL(suite, NULL, "mail", "retry", id);

    CHECK_EXIT(retry, 0);
    CU_ASSERT_TRUE(wait_mail(&post, email, 1, 2500));
    check_queue_is_empty();
    free(id);
    free(email);
}

static void a_dropped_mail_never_comes(void)
{
    char *email = register_somebody(), *id = wait_attempts(2);
    PROGRAM drop = ATRIUMCTL(suite, NULL, "mail", "drop", id);
    POST post = post_open(NULL, NULL);
    char *other = register_somebody();

    CHECK_EXIT(drop, 0);
    CU_ASSERT_TRUE(wait_mail(&post, other, 1, ARRIVES_MS));
    check_queue_is_empty();
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(count_mail(&post, email, NULL), 0);
    free(other);
    free(id);
    free(email);
}

static void no_template_no_mail(void)
{
    static const char policy[] = "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}";
    POST post = post_open(NULL, NULL);
    char *email = person_address(), value[64], *left;

    PROGRAM project = ATRIUMCTL(suite, NULL, "project", "create", "Bare", "--code", "bare");
    CHECK_EXIT(project, 0);
    PROGRAM put = ATRIUMCTL(suite, policy, "policy", "put", "--project", "bare", "-", "--json");
    CHECK_EXIT(put, 0);
    snprintf(value, sizeof(value), "AccessPolicy/%s", program_text(put, "id"));
    PROGRAM set =
        ATRIUMCTL(suite, NULL, "project", "set", "bare", "default-patient-access-policy", value);
    CHECK_EXIT(set, 0);
    CU_ASSERT_EQUAL(register_as(email, "Ana", "Prova", "bare"), 200);
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(count_mail(&post, email, NULL), 0);
    check_queue_is_empty();
    PROGRAM dead = queue_of("dead", 0);
    left = suite_query(suite, "select count(*) from auth.outbox");
    CU_ASSERT_STRING_EQUAL(left, "0");
    free(left);
    free(email);
}

static void two_maild_send_each_mail_once(void)
{
    enum { MANY = 40 };
    POST post = post_open(NULL, NULL);
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *emails[MANY], *sources[MANY];

    for (int i = 0; i < MANY; i++) {
        emails[i] = person_address();
        sources[i] = fresh_source();
        requests[i] = (struct http_request){.method = "POST",
                                            .path = REGISTER,
                                            .source = sources[i],
                                            .body = body_register(emails[i], "demo")};
    }
    http_call_many(suite_url(suite), requests, MANY, 8, answers);
    for (int i = 0; i < MANY; i++) {
        CHECK_STATUS(answers[i], 200);
        CU_ASSERT_TRUE(wait_mail(&post, emails[i], 1, ARRIVES_MS));
    }
    check_queue_is_empty();
    usleep(QUIET_MS * 1000);
    for (int i = 0; i < MANY; i++) {
        UNIT_CHECK(count_mail(&post, emails[i], NULL) == 1, "%s", emails[i]);
        free(emails[i]);
        free(sources[i]);
    }
    http_answers_destroy(answers, MANY);
}

static char *message_id(const char *mail)
{
    const char *line = strstr(mail, "\r\nMessage-ID:");

    return line ? strndup(line + 2, strcspn(line + 2, "\r")) : strdup("");
}

/* The only case of a duplicate: the server has the email, but its 250 is lost. Both copies are
 * identical to any reader, and the second waits while the server may still process the first. */
static void a_death_before_the_250_repeats_the_same_mail(void)
{
    static const char *const instances[] = {"1", "2"};
    POST post = post_open("--hold", "30:1");
    char *email = register_somebody(), *first = NULL, *second = NULL, *ids[2];
    pid_t pids[2];

    CU_ASSERT_TRUE(wait_mail(&post, email, 1, ARRIVES_MS));
    CU_ASSERT_EQUAL(count_mail(&post, email, &first), 1);
    for (int i = 0; i < 2; i++) {
        pids[i] = suite_pid(suite, "maild", instances[i]);
        kill(pids[i], SIGKILL);
    }
    for (int i = 0; i < 2; i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", instances[i], pids[i]));
    CU_ASSERT_FALSE(wait_mail(&post, email, 2, TIMEOUT_MS));
    CU_ASSERT_TRUE(wait_mail(&post, email, 2, 2 * ARRIVES_MS));
    check_queue_is_empty();
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(count_mail(&post, email, &second), 2);
    ids[0] = message_id(first ? first : "");
    ids[1] = message_id(second ? second : "");
    CU_ASSERT_TRUE(*ids[0] != '\0');
    CU_ASSERT_STRING_EQUAL(ids[0], ids[1]);
    for (int i = 0; i < 2; i++)
        free(ids[i]);
    free(first);
    free(second);
    free(email);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_welcome_mail_has_all_that_a_mail_needs),
    CASE(words_outside_ascii_are_encoded),
    CASE(names_cannot_write_html),
    CASE(names_cannot_write_headers),
    CASE(a_busy_server_gets_it_later_once),
    CASE(a_refused_mail_is_dead),
    CASE(admins_see_which_mails_failed_and_not_to_whom),
    CASE(failed_mails_are_shown_to_admins_alone),
    CASE(an_absent_server_gets_it_when_it_comes),
    CASE(the_operator_sends_it_now),
    CASE(a_dropped_mail_never_comes),
    CASE(no_template_no_mail),
    CASE(two_maild_send_each_mail_once),
    CASE(a_death_before_the_250_repeats_the_same_mail),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    char smtp[32];

    port = unit_free_port();
    snprintf(smtp, sizeof(smtp), "127.0.0.1:%d", port);
    suite = suite_start(&(struct suite_options){
        .instances = "maild=2", .smtp = smtp, .set = "maild.smtp_timeout=5s"});
    return unit_run("mail", cases, ARRAY_SIZE(cases));
}
