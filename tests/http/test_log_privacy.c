/*
 * test_log_privacy.c - no password, token, code, email address, name or content reaches a log,
 * metric, listing, the audit log or process arguments, whatever is requested or fails.
 *
 * All input contains a marker word, and all secrets that the suite returns are kept. The daemons
 * log at level debug, and PostgreSQL logs every statement. Finally all output is searched for them.
 * Expected lines show that the search works.
 */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/clock.h"
#include "common/wire/fields.h"
#include "tests/support/mail_server.h"
#include "tests/support/rows.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define TOKEN_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum {
    KEPT_MAX = 1024,
    REQUESTS_MAX = 8192,
    PARALLEL = 16,
    TAIL = 24, /* the end of a kept text, which must not occur anywhere */
    LONG_MS = 15000,
};

static const char trace[] = "trace-of-the-quiet-test"; /* a trace id, which is logged */

static struct suite *suite;
static struct arena *arena;
static char word[16];  /* the word in all marked texts */
static unsigned marks; /* counts marked texts */
static const char *password;
static struct person *boss; /* admin of the project "quiet" */
static struct person *ana;  /* patient of the demo tenant */

/* Secrets that the suite returned. */
static struct {
    const char *what, *text;
} kept[KEPT_MAX];
static size_t kept_count;

static const char *mark(const char *end)
{
    return arena_printf(arena, "%sn%u%s", word, ++marks, end);
}

static const char *keep(const char *what, const char *text)
{
    if (!UNIT_CHECK(strlen(text) >= 6 && kept_count < KEPT_MAX, "%s is not kept", what))
        return "";
    kept[kept_count].what = what;
    kept[kept_count].text = arena_strdup(arena, text);
    return kept[kept_count++].text;
}

static void keep_tokens(const struct http_answer *answer)
{
    CHECK_STATUS(answer, 200);
    keep("access token", http_text(answer, "accessToken"));
    keep("refresh token", http_text(answer, "refreshToken"));
}

/* Finds the word, or a kept text or its end, or returns NULL. */
static const char *find_mark(const char *text, const char **ret_what)
{
    const char *at = strcasestr(text, word);

    *ret_what = "mark";
    for (size_t i = 0; !at && i < kept_count; i++) {
        size_t length = strlen(kept[i].text);

        at = strstr(text, kept[i].text + (length > TAIL ? length - TAIL : 0));
        *ret_what = kept[i].what;
    }
    return at;
}

static void check_quiet(const char *where, const char *text)
{
    const char *what, *at = find_mark(text, &what), *line = at ? at : "";

    while (line > text && at && line[-1] != '\n')
        line--;
    UNIT_CHECK(!at, "%s has a %s: %.*s", where, what, (int)MIN(strcspn(line, "\n"), (size_t)400),
               line);
}

/* Reads a file with each NUL, as in process arguments, replaced by a newline (caller frees). */
static char *read_all(const char *path)
{
    FILE *file = fopen(path, "re"), *out;
    char *text = NULL;
    size_t size;
    int c;

    out = open_memstream(&text, &size);
    while (file && (c = fgetc(file)) != EOF)
        fputc(c ? c : '\n', out);
    fclose(out);
    if (file)
        fclose(file);
    return text;
}

/* ---- the suite ---- */

static void run_sql(const char *sql)
{
    char *answer = suite_query(suite, sql);

    free(answer);
}

static void everything_is_logged(void)
{
    static const char *const daemons[] = {"settingsd", "authd", "maild", "docd", "botd", "gateway"};
    char *path = arena_printf(arena, "%s/atrium.conf", suite_dir(suite)), *text = read_all(path);
    char *section = strstr(text, "common\n");
    FILE *file = fopen(path, "w");

    CU_ASSERT_TRUE_FATAL(section && file);
    section += strlen("common\n");
    fprintf(file, "%.*s    log_level = \"debug\"\n    log_format = \"json\"\n%s",
            (int)(section - text), text, section);
    fclose(file);
    free(text);
    run_sql("alter system set log_min_duration_statement = 0");
    run_sql("select pg_reload_conf()");
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pid_t pid = suite_pid(suite, daemons[i], "1");

        if (pid == 0)
            continue;
        kill(pid, SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pid));
    }
}

/* The admin gets a project of its own, which requests can damage. The password comes from standard
 * input. */
static void people_are_made(void)
{
    const char *email = mark("@boss.example"), *line;

    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", mark(" Clinic"), "--code", "quiet");
    CHECK_EXIT(made, 0);
    line = arena_printf(arena, "%s\n", password);
    PROGRAM admin = ATRIUMCTL(suite, line, "user", "create-admin", "--project", "quiet", "--email",
                              email, "--name", mark("Olga"), "--surname", mark("Petrova"));
    CHECK_EXIT(admin, 0);
    boss = person_sign_in(suite, "Practitioner", email, password, "quiet");
    CU_ASSERT_EQUAL_FATAL(boss->status, 200);
    keep("access token", boss->access);
    keep("refresh token", boss->refresh);
    ana = calloc(1, sizeof(*ana));
    ana->email = strdup(mark("@patients.example"));
    ana->password = strdup(password);
}

enum kind { FITTING, CUT_SHORT, OF_ANOTHER_TYPE, NO_TEXT, KINDS };

static json_t *marked(const struct field_table *table, bool fitting);

static json_t *marked_value(const struct field *field, bool fitting)
{
    if (!fitting)
        return json_pack("{s:s}", mark("key"), mark("value"));
    switch (field->type) {
    case FIELD_TYPE_TEXT:
        return json_string(field->choices ? field->choices[0] : mark("text"));
    case FIELD_TYPE_ENUM:
        return json_string(field->choices[0]);
    case FIELD_TYPE_EMAIL:
        return json_string(mark("@patients.example"));
    case FIELD_TYPE_UUID:
        return json_string(NOBODY);
    case FIELD_TYPE_INT:
        return json_integer(field->min);
    case FIELD_TYPE_BOOL:
    case FIELD_TYPE_TRISTATE:
        return json_true();
    case FIELD_TYPE_TIME:
        return json_string("2026-01-31T09:30:00.000Z");
    case FIELD_TYPE_OBJECT:
        return marked(field->table, fitting);
    case FIELD_TYPE_OBJECTS:
        return json_pack("[o]", marked(field->table, fitting));
    case FIELD_TYPE_TEXTS:
        return json_pack("[s]", mark("item"));
    default:
        return json_pack("{s:s}", mark("key"), mark("value"));
    }
}

static json_t *marked(const struct field_table *table, bool fitting)
{
    const unsigned elsewhere = FIELD_PATH | FIELD_QUERY | FIELD_HEADER | FIELD_INTERNAL;
    json_t *body = json_object();

    for (size_t i = 0; i < table->count; i++) {
        if (!(table->rows[i].flags & elsewhere))
            json_object_set_new(body, table->rows[i].name, marked_value(&table->rows[i], fitting));
    }
    return body;
}

static const char *marked_path(const struct route *route)
{
    const char *text = "", *from = route->path, *brace;

    while ((brace = strchr(from, '{'))) {
        text = arena_printf(arena, "%s%.*s%s", text, (int)(brace - from), from, mark("path"));
        from = strchr(brace, '}') + 1;
    }
    return arena_printf(arena, "%s%s?search=%s&_sort=%s&_count=%s&width=%s", text, from,
                        mark("query"), mark("query"), mark("query"), mark("query"));
}

static struct http_request marked_request(const struct route *route, enum kind kind,
                                          const char *bearer)
{
    struct http_request self = {.method = route->method, .bearer = bearer};
    json_t *body = marked(route->input, kind != OF_ANOTHER_TYPE);
    char *text = json_dumps(body, 0), *path = arena_alloc(arena, 256);

    self.source = arena_printf(arena, "127.77.%u.%u", marks / 250 % 250, marks % 250);
    rows_fill_path(route, path);
    self.path = kind == FITTING ? arena_printf(arena, "%s?search=%s&identifier=%s%%7C%s", path,
                                               mark("query"), mark("system"), mark("value"))
                                : marked_path(route);
    if (rows_has_body(route)) {
        self.raw = kind == NO_TEXT
                       ? arena_printf(arena, "{\"%s\":\"\xff\xfe\",\"a\":1,\"a\":\"%s\"}",
                                      mark("key"), mark("value"))
                       : arena_strdup(arena, text);
        self.raw_size = strlen(self.raw) - (kind == CUT_SHORT ? 2 : 0);
    }
    self.headers[0] = arena_printf(arena, "User-Agent: %s", mark("agent"));
    self.headers[1] = arena_printf(arena, "X-Forwarded-For: %s", mark("client"));
    self.headers[2] = arena_printf(arena, "Cookie: session=%s", mark("cookie"));
    self.headers[3] = arena_printf(arena, "If-Match: \"%s\"", mark("tag"));
    self.headers[4] = arena_printf(arena, "Referer: https://%s/", mark(".example"));
    self.headers[5] = arena_printf(arena, "X-Request-Id: %s", mark("@trace.example"));
    free(text);
    json_decref(body);
    return self;
}

/* True when this request would end the session, which later requests need. */
static bool ends_it(const struct route *route, enum kind kind)
{
    return strstr(route->path, "/logout") ||
           (kind == FITTING && strcmp(route->path, "/auth/delete") == 0);
}

static void every_route_is_called(void)
{
    PERSON patient = person_register(suite, mark("@patients.example"));
    const char *const bearers[] = {NULL, keep("access token", patient->access), boss->access,
                                   "no.token.of-ours"};
    struct http_request *requests = calloc(REQUESTS_MAX, sizeof(*requests));
    struct http_answer **answers;
    size_t count = 0;

    for (const struct route *route = test_routes; route->method; route++) {
        for (size_t i = 0; i < ARRAY_SIZE(bearers) * KINDS && count < REQUESTS_MAX; i++) {
            const char *bearer = bearers[i / KINDS];
            enum kind kind = (enum kind)(i % KINDS);

            if (!bearer || !ends_it(route, kind))
                requests[count++] = marked_request(route, kind, bearer);
        }
    }
    CU_ASSERT_TRUE_FATAL(count > 100 && count < REQUESTS_MAX);
    answers = calloc(count, sizeof(*answers));
    http_call_many(suite_url(suite), requests, count, PARALLEL, answers);
    for (size_t i = 0; i < count; i++)
        UNIT_CHECK(answers[i]->status >= 200 && answers[i]->status != 500, "%s %s: %d",
                   requests[i].method, requests[i].path, answers[i]->status);
    http_answers_destroy(answers, count);
    for (size_t i = 1; i <= 2; i++) {
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", bearers[i]);
        CHECK_STATUS(me, 200);
    }
    free(answers);
    free(requests);
}

/* The HTTP parser rejects these bytes before any endpoint. Two requests come from clients that
 * disconnect before authd responds. */
static void malformed_http_is_sent(void)
{
    const char *const rows[] = {
        "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n",
        "%s / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / %s\r\nHost: a\r\n\r\n",
        "GET /%%00%s HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /auth/me HTTP/1.1\r\nHost: a\r\nAuthorization: %s\r\n\r\n",
        "GET /auth/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n",
        "POST /auth/refresh-token HTTP/1.1\r\nHost: a\r\nContent-Length: 3%s\r\n\r\n",
        "POST /auth/refresh-token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n%s",
        "%s\r\n\r\n",
    };
    size_t answered = 0;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *at = strstr(rows[i], "%s");
        const char *text =
            arena_printf(arena, "%.*s%s%s", (int)(at - rows[i]), rows[i], mark("raw"), at + 2);
        char *answer = http_raw(suite_url(suite), text, strlen(text), true, 2000);

        answered += *answer != '\0';
        free(answer);
    }
    CU_ASSERT_TRUE(answered >= ARRAY_SIZE(rows) - 2);
}

/* ---- people ---- */

static struct http_answer *join(const char *email, const char *surname)
{
    json_t *body = json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", email, "password", password,
                             "name", mark("Ana"), "surname", surname, "tenantCode", "demo");

    return suite_post_fresh(suite, "/auth/tenant/Patient/register", body);
}

static void a_patient_comes_in(void)
{
    HTTP_ANSWER joined = join(ana->email, mark("Prova"));
    keep_tokens(joined);
    ana->access = strdup(http_text(joined, "accessToken"));
    ana->refresh = strdup(http_text(joined, "refreshToken"));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, ana->email, 1));
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", ana->access);
    CHECK_STATUS(me, 200);
    HTTP_ANSWER again = join(ana->email, mark("Prova"));
    CHECK_ERROR(again, 400, "Registration failed.");
}

/* One registration wins; the others violate a database constraint, which PostgreSQL logs. */
static void registrations_race(void)
{
    struct http_request requests[PARALLEL];
    struct http_answer *answers[PARALLEL];
    const char *email = mark("@patients.example");
    int good = 0;

    for (unsigned i = 0; i < PARALLEL; i++)
        requests[i] = (struct http_request){
            .method = "POST",
            .path = "/auth/tenant/Patient/register",
            .source = arena_printf(arena, "127.78.1.%u", i + 1),
            .body = json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", email, "password", password,
                              "name", mark("Ana"), "surname", mark("Prova"), "tenantCode", "demo")};
    http_call_many(suite_url(suite), requests, PARALLEL, PARALLEL, answers);
    for (int i = 0; i < PARALLEL; i++)
        good += answers[i]->status == 200;
    CU_ASSERT_EQUAL(good, 1);
    http_answers_destroy(answers, PARALLEL);
}

static struct http_answer *step(const char *name, json_t *body)
{
    return suite_post_fresh(suite, arena_printf(arena, "/auth/tenant/Patient/login/%s", name),
                            body);
}

static void sign_ins_succeed_and_fail(void)
{
    HTTP_ANSWER start = step("start", body_login_start(ana->email, password, "demo"));
    const char *code = keep("session code", http_text(start, "sessionCode"));
    HTTP_ANSWER tokens = step("token", body_login_token(code, NULL));
    keep_tokens(tokens);
    HTTP_ANSWER replay = step("token", body_login_token(code, NULL));
    CHECK_STATUS(replay, 400);
    HTTP_ANSWER second = step("start", body_login_start(ana->email, password, "demo"));
    const char *spoilt = keep("session code", http_text(second, "sessionCode"));
    HTTP_ANSWER wrong = step("token", json_pack("{s:s, s:s}", "sessionCode", spoilt, "codeVerifier",
                                                "a-verifier-of-forty-three-characters-or-more"));
    CHECK_STATUS(wrong, 400);
    for (int i = 0; i < 12; i++) {
        HTTP_ANSWER answer =
            suite_post_from(suite, "127.78.2.1", "/auth/tenant/Patient/login/start",
                            body_login_start(ana->email, mark("wrong password"), "demo"));
        CU_ASSERT_EQUAL(answer->status, i < 10 ? 400 : 429);
    }
    HTTP_ANSWER unknown =
        step("start", body_login_start(mark("@patients.example"), password, "demo"));
    CHECK_STATUS(unknown, 400);
}

static void sessions_are_renewed_and_stolen(void)
{
    PERSON thief = person_sign_in(suite, "Patient", ana->email, password, NULL);
    const char *token = keep("refresh token", thief->refresh);

    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER next = http_post(suite_url(suite), "/auth/refresh-token", NULL,
                                     json_pack("{s:s}", "refresh_token", token));
        CHECK_STATUS(next, 200);
        keep("access token", http_text(next, "access_token"));
        token = keep("refresh token", http_text(next, "refresh_token"));
    }
    HTTP_ANSWER stolen = http_post(suite_url(suite), "/auth/refresh-token", NULL,
                                   json_pack("{s:s}", "refresh_token", thief->refresh));
    CHECK_STATUS(stolen, 401);
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", thief->access, NULL);
    CHECK_STATUS(out, 401);
}

static void a_second_factor_comes_and_goes(void)
{
    uint8_t bytes[TOTP_SECRET];
    char code[7];
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", ana->access);
    const char *url = http_text(status, "otpauthUrl");
    json_t *recovery;

    totp_read(url, bytes);
    keep("secret of a factor", arena_strndup(arena, strstr(url, "?secret=") + 8, 32));
    HTTP_ANSWER on = http_post(suite_url(suite), "/auth/mfa/enroll", ana->access,
                               json_pack("{s:s}", "token", totp_code(bytes, time(NULL), code)));
    CHECK_STATUS(on, 200);
    recovery = http_member(on, "recoveryCodes");
    for (size_t i = 0; i < json_array_size(recovery); i++)
        keep("recovery code", json_string_value(json_array_get(recovery, i)));
    HTTP_ANSWER start = step("start", body_login_start(ana->email, password, "demo"));
    HTTP_ANSWER bad = step("mfa", json_pack("{s:s, s:s}", "loginId", http_text(start, "loginId"),
                                            "mfaToken", "0a1b2c3d4e"));
    CHECK_STATUS(bad, 400);
    HTTP_ANSWER mfa = step("mfa", json_pack("{s:s, s:O}", "loginId", http_text(start, "loginId"),
                                            "mfaToken", json_array_get(recovery, 0)));
    const char *session = keep("session code", http_text(mfa, "sessionCode"));
    HTTP_ANSWER tokens = step("token", body_login_token(session, NULL));
    keep_tokens(tokens);
    HTTP_ANSWER off = http_post(suite_url(suite), "/auth/mfa/disable", ana->access,
                                json_pack("{s:O}", "token", json_array_get(recovery, 1)));
    CHECK_STATUS(off, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, ana->email, 3));
}

static void passwords_are_changed_and_forgotten(void)
{
    const char *next = mark(" new password");
    size_t mails = suite_mail_count(suite, ana->email);
    HTTP_ANSWER wrong =
        http_post(suite_url(suite), "/auth/change-password", ana->access,
                  json_pack("{s:s, s:s}", "oldPassword", mark("old"), "newPassword", next));
    CHECK_STATUS(wrong, 400);
    HTTP_ANSWER changed =
        http_post(suite_url(suite), "/auth/change-password", ana->access,
                  json_pack("{s:s, s:s}", "oldPassword", password, "newPassword", next));
    CHECK_STATUS(changed, 204);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, ana->email, mails + 1));
    HTTP_ANSWER reset =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", ana->email, "tenantCode", "demo"));
    CHECK_STATUS(reset, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, ana->email, mails + 2));
    struct mail_link link = suite_mail_link(suite, ana->email, "/set-password");
    keep("secret of a link", link.secret);
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER set = suite_post_fresh(suite, "/auth/set-password",
                                           json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                     link.secret, "password", password));
        CHECK_STATUS(set, i == 0 ? 204 : 400);
    }
    PERSON in = person_sign_in(suite, "Patient", ana->email, password, NULL);
    CU_ASSERT_EQUAL_FATAL(in->status, 200);
    keep("access token", in->access);
    free(ana->access);
    ana->access = TAKE_PTR(in->access);
}

static void admins_write(void)
{
    const char *code = mark("taken"), *invitee = mark("@doctors.example");

    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER child =
            http_post(suite_url(suite), "/v1/slim/project/child", boss->access,
                      json_pack("{s:s, s:s}", "name", mark(" Ward"), "tenantCode", code));
        CHECK_STATUS(child, i == 0 ? 200 : 409);
    }
    HTTP_ANSWER own = http_post(suite_url(suite), "/organizations/code/email", boss->access,
                                json_pack("{s:s}", "email", mark("@patients.example")));
    CHECK_STATUS(own, 200);
    PERSON admin = person_admin(suite);
    HTTP_ANSWER told = http_post(suite_url(suite), "/organizations/code/email", admin->access,
                                 json_pack("{s:s}", "email", mark("@patients.example")));
    CHECK_STATUS(told, 200);
    HTTP_ANSWER invited = http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                                    json_pack("{s:s, s:s, s:s}", "email", invitee, "firstName",
                                              mark("Rui"), "lastName", mark("Costa")));
    CHECK_STATUS(invited, 200);
    CU_ASSERT_TRUE_FATAL(suite_mails_arrive(suite, invitee, 1));
    keep("secret of a link", suite_mail_link(suite, invitee, "/invitation").secret);
    HTTP_ANSWER members = http_get(suite_url(suite), "/v1/projects/me/members", admin->access);
    CHECK_STATUS(members, 200);
}

/* A business sign-up: two links in one email, one accepted, the other then refused. */
static void a_clinician_is_invited(void)
{
    static const char back[] = "/continue-as-patient?token=";
    const char *email = mark("@ward.lakeside.example"), *at;
    char *mail;
    PERSON admin = person_admin(suite);

    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", true);
    HTTP_ANSWER joined = join(email, mark("Clinician"));
    CU_ASSERT_STRING_EQUAL(http_text(joined, "nextStep"), "clinician-invite");
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", false);
    CU_ASSERT_TRUE_FATAL(suite_mails_arrive(suite, email, 1));
    struct mail_link link = suite_mail_link(suite, email, "/invitation");
    keep("secret of a link", link.secret);
    mail = suite_mail(suite, email, 1000);
    at = mail ? strstr(mail, back) : NULL;
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    at += strlen(back);
    keep("continueAsPatientToken", arena_strndup(arena, at, strspn(at, TOKEN_CHARACTERS)));
    free(mail);
    HTTP_ANSWER set = suite_post_fresh(suite, "/auth/set-password",
                                       json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                 link.secret, "password", password));
    CHECK_STATUS(set, 204);
    HTTP_ANSWER late = suite_post_fresh(
        suite, "/auth/tenant/Patient/register",
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "email", email, "password", password, "name",
                  mark("Ana"), "surname", mark("Prova"), "tenantCode", "demo",
                  "continueAsPatientToken", kept[kept_count - 1].text));
    CU_ASSERT_TRUE(late->status == 200 || late->status == 400);
}

static void the_database_refuses(void)
{
    const char *surname = arena_printf(arena, "%s%0*d", mark("Long"), 90, 0);

    run_sql("alter table auth.account add constraint surname_is_short "
            "check (length(surname) < 80) not valid");
    HTTP_ANSWER refused = join(mark("@patients.example"), surname);
    CHECK_STATUS(refused, 400);
    run_sql("alter table auth.account drop constraint surname_is_short");
    run_sql("alter table auth.throttle rename to elsewhere");
    HTTP_ANSWER broken = http_call(
        suite_url(suite),
        &(struct http_request){.method = "POST",
                               .path = "/auth/tenant/Patient/login/start",
                               .headers = {arena_printf(arena, "X-Request-Id: %s", trace)},
                               .body = body_login_start(ana->email, password, "demo")});
    CHECK_STATUS(broken, 500);
    run_sql("alter table auth.elsewhere rename to throttle");
}

/* Sends sign-ins and registrations with any outcome, and keeps returned tokens. */
static void bustle(unsigned round)
{
    enum { MANY = 64 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];

    for (unsigned i = 0; i < MANY; i++) {
        bool sign_in = i % 4 != 0;

        requests[i] = (struct http_request){
            .method = "POST",
            .path = sign_in ? "/auth/tenant/Patient/login/start" : "/auth/tenant/Patient/register",
            .source = arena_printf(arena, "127.79.%u.%u", round, i + 1),
            .body = sign_in ? body_login_start(ana->email, password, "demo")
                            : body_register(mark("@patients.example"), "demo")};
    }
    http_call_many(suite_url(suite), requests, MANY, PARALLEL, answers);
    for (int i = 0; i < MANY; i++) {
        if (answers[i]->status == 200)
            keep("token", http_text(answers[i], i % 4 ? "sessionCode" : "refreshToken"));
    }
    http_answers_destroy(answers, MANY);
}

static void *trouble(void *arg)
{
    const char *const *statements = arg;

    for (; *statements; statements++) {
        usleep(100000);
        run_sql(*statements);
    }
    return NULL;
}

static void during_bustle(unsigned round, const char *const *statements)
{
    pthread_t thread;

    pthread_create(&thread, NULL, trouble, (void *)(uintptr_t)statements);
    bustle(round);
    pthread_join(thread, NULL);
    CU_ASSERT_TRUE(suite_wait_ready(suite, LONG_MS));
}

static void connections_are_lost(void)
{
    static const char terminate[] = "select count(pg_terminate_backend(pid)) from pg_stat_activity "
                                    "where application_name like 'atrium-%'";
    static const char cancel[] = "select count(pg_cancel_backend(pid)) from pg_stat_activity "
                                 "where application_name like 'atrium-%'";
    static const char *const statements[] = {terminate, cancel, terminate, cancel, terminate, NULL};

    during_bustle(1, statements);
}

static void the_database_stalls(void)
{
    static const char *const statements[] = {
        "do $$ begin lock table auth.login in access exclusive mode; perform pg_sleep(6); end $$",
        NULL};

    during_bustle(2, statements);
}

/* Killing a backend during a statement ends all others, and PostgreSQL logs the statement. */
static void a_backend_is_killed(void)
{
    char *pid = suite_query(suite, "select pid from pg_stat_activity "
                                   "where application_name like 'atrium-authd%' limit 1");

    kill((pid_t)atoi(pid), SIGKILL);
    free(pid);
    bustle(3);
    CU_ASSERT_TRUE(suite_wait_ready(suite, LONG_MS));
    suite_signal(suite, "postgres", "", SIGQUIT);
    bustle(4);
    CU_ASSERT_TRUE(suite_wait_ready(suite, LONG_MS));
}

static void daemons_are_killed(void)
{
    static const char *const daemons[] = {"authd", "settingsd", "maild", "gateway"};

    for (unsigned i = 0; i < ARRAY_SIZE(daemons); i++) {
        pid_t pid = suite_pid(suite, daemons[i], "1");

        kill(pid, SIGKILL);
        bustle(5 + i);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pid));
    }
}

/* ---- search of the output ---- */

static void check_file(const char *path)
{
    char *text = read_all(path);

    check_quiet(path, text);
    free(text);
}

static const char *log_path(const char *name)
{
    return arena_printf(arena, "%s/log/%s", suite_dir(suite), name);
}

static void no_log_contains_a_secret(void)
{
    struct dirent **entries = NULL;
    int count = scandir(log_path(""), &entries, NULL, NULL), files = 0;

    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            check_file(log_path(entries[i]->d_name));
            files++;
        }
        free(entries[i]);
    }
    free(entries);
    CU_ASSERT_TRUE(files >= 5); /* four daemons and PostgreSQL */
    check_file(arena_printf(arena, "%s/dev.out", suite_dir(suite)));
    check_file(arena_printf(arena, "%s/dev.err", suite_dir(suite)));
}

static void no_listing_contains_a_secret(void)
{
    static const char *const schemas[] = {"auth", "settings", "mail", "doc", "bot"};
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    HTTP_ANSWER ready = http_get(suite_admin_url(suite), "/readyz", NULL);
    PROGRAM queue = ATRIUMCTL(suite, NULL, "mail", "queue", "--json");
    PROGRAM dead = ATRIUMCTL(suite, NULL, "mail", "queue", "--state", "dead");
    PROGRAM status = ATRIUMCTL(suite, NULL, "status");

    CHECK_STATUS(metrics, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(metrics->body, "atrium_auth_sign_in_total"));
    check_quiet("/metrics", metrics->body);
    check_quiet("/readyz", ready->body);
    CHECK_EXIT(queue, 0);
    check_quiet("mail queue", queue->out);
    CHECK_EXIT(dead, 0);
    check_quiet("mail queue", dead->out);
    check_quiet("status", status->out);
    for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
        char *trail = suite_query(
            suite,
            arena_printf(arena, "select string_agg(a::text, chr(10)) from %s.audit a", schemas[i]));

        UNIT_CHECK(i > 2 || strstr(trail, "outcome"), "%s: %s", schemas[i], trail);
        check_quiet("the audit trail", trail);
        free(trail);
    }
}

static void no_process_has_a_secret_in_its_arguments(void)
{
    struct dirent **entries = NULL;
    int count = scandir("/proc", &entries, NULL, NULL);
    bool found = false;

    for (int i = 0; i < count; i++) {
        if (strspn(entries[i]->d_name, "0123456789") > 0) {
            const char *path = arena_printf(arena, "/proc/%s/cmdline", entries[i]->d_name);
            char *text = read_all(path);

            found = found || strstr(text, "atrium-authd");
            check_quiet(path, text);
            free(text);
        }
        free(entries[i]);
    }
    free(entries);
    CU_ASSERT_TRUE(found);
}

static void check_has(const char *name, const char *text)
{
    char *log = read_all(log_path(name));

    UNIT_CHECK(strstr(log, text) != NULL, "%s has no \"%s\"", name, text);
    free(log);
}

static void expected_lines_are_logged(void)
{
    const char *what;

    check_has("gateway.1.log", trace);
    check_has("authd.1.log", trace);
    check_has("postgresql.log", "execute account_register: ");
    check_has("postgresql.log", "violates unique constraint \"account_patient\"");
    check_has("postgresql.log", "violates check constraint \"surname_is_short\"");
    check_has("postgresql.log", "canceling statement due to lock timeout");
    CU_ASSERT_PTR_NOT_NULL(find_mark(arena_printf(arena, "a %s b", mark("planted")), &what));
    CU_ASSERT_PTR_NOT_NULL(find_mark(arena_printf(arena, "a\n%s", ana->refresh), &what));
    CU_ASSERT_PTR_NULL(find_mark(trace, &what));
}

/* ---- a mail server that names refused recipients ---- */

static void mail_is_refused(void)
{
    static const char *const extra[] = {"--fail", "451:1:RCPT", "--fail", "550:1:RCPT",
                                        "--fail", "554:1:DATA", NULL};
    struct unit_dir dir = unit_dir_make();
    struct mail_server server = mail_server_start(&dir, extra);
    char *dead = NULL;

    suite = suite_start(&(struct suite_options){.smtp = server.url + strlen("smtp://")});
    everything_is_logged();
    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER joined = join(mark("@patients.example"), mark("Prova"));
        CHECK_STATUS(joined, 200);
    }
    for (int64_t end = clock_mono_ms() + LONG_MS; clock_mono_ms() < end; usleep(50000)) {
        free(dead);
        dead = suite_query(suite, "select count(*) filter (where state = 'dead') || ' ' || "
                                  "count(*) filter (where state = 'sent') from mail.message");
        if (strcmp(dead, "2 1") == 0)
            break;
    }
    CU_ASSERT_STRING_EQUAL(dead, "2 1");
    PROGRAM queue = ATRIUMCTL(suite, NULL, "mail", "queue", "--state", "dead", "--json");
    CHECK_EXIT(queue, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(queue->out, "PATIENT_WELCOME"));
    check_quiet("mail queue", queue->out);
    check_has("maild.1.log", "smtp: answered 550");
    no_log_contains_a_secret();
    mail_server_stop(&server);
    unit_dir_remove(&dir);
    free(dead);
    suite_stop(&suite);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&boss);
    person_destroy(&ana);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(everything_is_logged),
    CASE(people_are_made),
    CASE(a_patient_comes_in),
    CASE(sign_ins_succeed_and_fail),
    CASE(sessions_are_renewed_and_stolen),
    CASE(a_second_factor_comes_and_goes),
    CASE(passwords_are_changed_and_forgotten),
    CASE(a_clinician_is_invited),
    CASE(admins_write),
    CASE(registrations_race),
    CASE(every_route_is_called),
    CASE(malformed_http_is_sent),
    CASE(the_database_refuses),
    CASE(connections_are_lost),
    CASE(the_database_stalls),
    CASE(a_backend_is_killed),
    CASE(daemons_are_killed),
    CASE(no_process_has_a_secret_in_its_arguments),
    CASE(no_log_contains_a_secret),
    CASE(no_listing_contains_a_secret),
    CASE(expected_lines_are_logged),
    CASE_ALWAYS(suite_shuts_down_cleanly),
    CASE_ALWAYS(mail_is_refused),
};

int main(void)
{
    int failed;

    arena = arena_new();
    snprintf(word, sizeof(word), "zq%08lx",
             (unsigned long)clock_mono_ms() * 2654435761u & 0xffffffff);
    password = mark(" horse battery");
    suite = suite_start(&(struct suite_options){.instances = NULL});
    failed = unit_run("quiet logs", cases, ARRAY_SIZE(cases));
    arena_destroy(&arena);
    return failed;
}
