/*
 * test_bot_execution.c - executing bots: how they are found, what they receive, how their answers
 * are used, and that a hostile one does no harm.
 */
#include <CUnit/CUnit.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/processes.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define BOTS "/v1/project/bots"
#define SYSTEM "urn:bots"

static struct suite *suite;
static struct person *admin, *patient;
static struct program *server;
static char url[64];

/* ---- bots of the test ---- */

/* Puts a script into the operator's directory. */
static void install(const char *name, const char *text)
{
    char *path;
    FILE *file;

    if (asprintf(&path, "%s/%s", suite_text(suite, "botDir"), name) < 0)
        abort();
    file = fopen(path, "w");
    if (!file)
        abort();
    fputs(text, file);
    fclose(file);
    free(path);
}

static json_t *body_bot(const char *value, const char *kind, const char *target)
{
    return json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s}", "identifier", "system", SYSTEM, "value",
                     value, "name", value, "kind", kind,
                     strcmp(kind, "http") == 0 ? "url" : "program", target);
}

static json_t *with(json_t *body, const char *name, json_t *value)
{
    json_object_set_new(body, name, value);
    return body;
}

/* Makes a bot; the answer is the caller's. */
static struct http_answer *make(json_t *body)
{
    struct http_answer *answer = http_post(suite_url(suite), BOTS, admin->access, body);

    CHECK_STATUS(answer, 200);
    return answer;
}

static void make_http(const char *value, const char *path)
{
    char target[128];

    snprintf(target, sizeof(target), "%s%s", url, path);
    UNUSED HTTP_ANSWER made =
        make(with(body_bot(value, "http", target), "timeoutMs", json_integer(800)));
}

/* A program of this text, named like the bot. */
static void make_program(const char *value, const char *text, int64_t timeout_ms, bool warm)
{
    install(value, text);
    UNUSED HTTP_ANSWER made =
        make(with(with(body_bot(value, "program", value), "timeoutMs", json_integer(timeout_ms)),
                  "warm", json_boolean(warm)));
}

static struct http_answer *run(const char *value, json_t *input)
{
    char path[256];

    snprintf(path, sizeof(path), "/bots?identifier=" SYSTEM "%%7C%s", value);
    return http_post(suite_url(suite), path, patient->access, input ? input : json_object());
}

/* ---- finding ---- */

static void bots_are_found_by_token(void)
{
    static const struct {
        const char *query;
        int status;
        const char *message;
    } rows[] = {
        {"urn:find%7Cone", 200, NULL},
        {"one-of-a-kind", 200, NULL},
        {"%7Cbare", 200, NULL},
        {"urn:lonely%7C", 200, NULL},
        {"a%5C%7Cb", 200, NULL},
        {"%7Cone", 404, "Bot not found."},
        {"urn:other%7Cone", 404, "Bot not found."},
        {"nobody", 404, "Bot not found."},
        {"urn:find%7C", 400, "More than one bot has this identifier."},
        {"twin", 400, "More than one bot has this identifier."},
    };
    static const char bots[] =
        "[[[\"urn:find\",\"one\"],[null,\"bare\"]], [[\"urn:find\",\"two\"],[\"urn:a\",\"twin\"]],"
        " [[\"urn:lonely\",\"x\"],[\"urn:b\",\"twin\"]], [[\"urn:c\",\"one-of-a-kind\"]],"
        " [[\"urn:d\",\"a|b\"]]]";
    json_t *all = json_loads(bots, 0, NULL), *bot, *pair;
    size_t i, j;

    json_array_foreach(all, i, bot)
    {
        json_t *list = json_array();

        json_array_foreach(bot, j, pair)
        {
            json_array_append_new(list, json_pack("{s:O, s:O}", "system", json_array_get(pair, 0),
                                                  "value", json_array_get(pair, 1)));
        }
        UNUSED HTTP_ANSWER made = make(with(body_bot("x", "program", "echo"), "identifier", list));
    }
    json_decref(all);
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        char path[256];

        snprintf(path, sizeof(path), "/bots?identifier=%s", rows[row].query);
        HTTP_ANSWER answer = http_post(suite_url(suite), path, patient->access, json_object());
        if (rows[row].message)
            CHECK_ERROR(answer, rows[row].status, rows[row].message);
        else
            CHECK_STATUS(answer, rows[row].status);
    }
}

static void requests_are_checked(void)
{
    static const char *const bad[] = {"", "?identifier=", "?identifier=%7C",
                                      "?identifier=a%7Cb%7Cc"};
    static const char *const not_objects[] = {"[]", "7", "null", "\"text\""};

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        char path[128];

        snprintf(path, sizeof(path), "/bots%s", bad[i]);
        HTTP_ANSWER answer = http_post(suite_url(suite), path, patient->access, json_object());
        CHECK_PROBLEM(answer, "identifier");
    }
    for (size_t i = 0; i < ARRAY_SIZE(not_objects); i++) {
        HTTP_ANSWER answer =
            http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                               .path = "/bots?identifier=nobody",
                                                               .bearer = patient->access,
                                                               .raw = not_objects[i]});
        CHECK_PROBLEM(answer, "input");
    }
    HTTP_ANSWER nobody =
        http_post(suite_url(suite), "/bots?identifier=nobody", NULL, json_object());
    CHECK_STATUS(nobody, 401);
}

static void another_projects_bot_is_not_found(void)
{
    PERSON other = person_admin_of_child(suite, "bots-next-door");
    HTTP_ANSWER theirs =
        http_post(suite_url(suite), BOTS, other->access, body_bot("theirs", "program", "echo"));
    CHECK_STATUS(theirs, 200);
    HTTP_ANSWER mine = run("theirs", NULL);
    CHECK_ERROR(mine, 404, "Bot not found.");
    HTTP_ANSWER own =
        http_post(suite_url(suite), "/bots?identifier=theirs", other->access, json_object());
    CHECK_STATUS(own, 200);
}

static void the_policy_decides(void)
{
    static const char rules[] =
        "{\"name\":\"No bots\",\"resource\":[{\"resourceType\":\"Locale\"}]}";
    HTTP_ANSWER policy = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                   json_loads(rules, 0, NULL));
    char *query = NULL;

    if (asprintf(&query,
                 "update auth.membership set policy_id = '%s' where profile_id = '%s' returning id",
                 http_text(policy, "id"), strchr(patient->profile, '/') + 1) < 0)
        abort();
    PERSON other = person_register(suite, NULL);
    free(query);
    if (asprintf(&query,
                 "update auth.membership set policy_id = '%s' where profile_id = '%s' returning id",
                 http_text(policy, "id"), strchr(other->profile, '/') + 1) < 0)
        abort();
    free(suite_query(suite, query));
    free(query);
    HTTP_ANSWER answer =
        http_post(suite_url(suite), "/bots?identifier=echo", other->access, json_object());
    CHECK_ERROR(answer, 403, "Forbidden");
}

/* ---- http bots ---- */

static void an_http_bot_receives_the_whole_request(void)
{
    char target[128];

    snprintf(target, sizeof(target), "%s/echo", url);
    HTTP_ANSWER made = make(
        with(body_bot("told", "http", target), "secrets", json_pack("{s:s}", "KEY", "s3cr3t")));
    HTTP_ANSWER answer = run("told", json_pack("{s:i}", "answer", 42));
    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "got.input.answer")), 42);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.contentType"), "application/json");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.secrets.KEY"), "s3cr3t");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.requester.reference"), patient->profile);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.project.reference"), patient->project);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.bot.reference") + 4, http_text(made, "id"));
    char *trace = http_header(answer, "X-Request-Id");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.traceId"), trace);
    free(trace);

    /* the signature is what the secret makes of the time and the bytes that came */
    const char *signature = http_text(answer, "signature"), *raw = http_text(answer, "raw");
    const char *secret = http_text(made, "signingSecret");
    char when[32], want[80];
    uint8_t mac[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_state state;
    CU_ASSERT_EQUAL_FATAL(sscanf(signature, "t=%20[0-9],v1=%64[0-9a-f]", when, want), 2);
    strcat(when, ".");
    crypto_auth_hmacsha256_init(&state, (const uint8_t *)secret, strlen(secret));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)when, strlen(when));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)raw, strlen(raw));
    crypto_auth_hmacsha256_final(&state, mac);
    char hex[2 * sizeof(mac) + 1];
    sodium_bin2hex(hex, sizeof(hex), mac, sizeof(mac));
    CU_ASSERT_STRING_EQUAL(hex, want);
}

static void bad_answers_are_400(void)
{
    static const struct {
        const char *path, *message;
    } rows[] = {
        {"/fail", "the form is closed"},
        {"/silent", "The bot answered 500."},
        {"/text", "The bot's answer is not JSON."},
        {"/large", "The answer is too large."},
        {"/slow", "There was no answer in time."},
        {"/redirect", "The bot answered 302."},
        {"/cut", "There was no answer."},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        make_http(rows[i].path + 1, rows[i].path);
        HTTP_ANSWER answer = run(rows[i].path + 1, NULL);
        CHECK_ERROR(answer, 400, rows[i].message);
    }
}

/* Only 127.0.0.1 is open in this suite: what resolves to, or redirects to, anything else is not
 * connected to. */
static void inner_addresses_are_closed(void)
{
    static const char *const targets[] = {
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.2/",
        "http://[::1]/",
        "http://[::ffff:7f00:2]/",
        "http://10.0.0.1/",
        "http://0.0.0.0/",
        "http://2130706434/",
        "http://0x7f000002/",
        "http://127.2/",
        "http://0177.0.0.2/",
        "http://0x7f.0.0.2/",
        "http://0/",
        "http://[::]/",
        "http://[::127.0.0.2]/",
        "http://[::ffff:127.0.0.2]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:7f00:2::]/",
        "http://[fe80::1]/",
        /* who the user is says nothing of the host */
        "http://127.0.0.1@127.0.0.2/",
        "http://127.0.0.1:80@169.254.169.254/latest/meta-data",
        "http://public.example@127.0.0.2/",
        "http://127.0.0.2/?@127.0.0.1/",
        "http://127.0.0.2#@127.0.0.1/",
    };

    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        char value[32];

        snprintf(value, sizeof(value), "closed-%zu", i);
        HTTP_ANSWER made = make(body_bot(value, "http", targets[i]));
        HTTP_ANSWER answer = run(value, NULL);
        CHECK_ERROR(answer, 400, "The address is not allowed.");
    }
}

/* Whatever kind of redirect it is and wherever it leads, also to where the bot itself may be: it is
 * no answer. */
static void redirects_are_not_followed(void)
{
    static const int statuses[] = {301, 302, 303, 307, 308};
    const char *const targets[] = {"http://169.254.169.254/latest/meta-data",
                                   "http://127.0.0.2/",
                                   "http://[::1]/",
                                   "file:///etc/passwd",
                                   "gopher://127.0.0.1/",
                                   "/echo",
                                   url};

    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        char path[128], value[32], message[64];
        int status = statuses[i % ARRAY_SIZE(statuses)];

        snprintf(value, sizeof(value), "redirect-%zu", i);
        snprintf(path, sizeof(path), "/redirect/%d/%s", status, targets[i]);
        snprintf(message, sizeof(message), "The bot answered %d.", status);
        make_http(value, path);
        HTTP_ANSWER answer = run(value, NULL);
        CHECK_ERROR(answer, 400, message);
    }
}

/* A statement that a lock holds up for longer than the bot's timeout takes none of the bot's
 * time. */
static void waiting_for_the_database_does_not_count_as_execution_time(void)
{
    PGconn *conn = suite_database(suite);
    PGresult *result;

    make_http("locked", "/echo");
    result = PQexec(conn, "begin; lock table bot.bot in access exclusive mode");
    CU_ASSERT_EQUAL(PQresultStatus(result), PGRES_COMMAND_OK);
    PQclear(result);
    CU_ASSERT_EQUAL(PQsendQuery(conn, "select pg_sleep(1.2); commit"), 1);
    HTTP_ANSWER answer = run("locked", NULL);
    CHECK_STATUS(answer, 200);
    UNIT_CHECK(answer->seconds > 0.8, "%.1f s: the lock held nothing up", answer->seconds);
    PQfinish(conn);
}

static void hundreds_at_once(void)
{
    enum { COUNT = 300 };
    static struct http_request requests[COUNT];
    static struct http_answer *answers[COUNT];
    size_t slow = 0;

    make_http("many", "/slow");
    for (size_t i = 0; i < COUNT; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/bots?identifier=many",
                                            .bearer = patient->access,
                                            .raw = "{}"};
    int64_t start = clock_mono_ms();
    http_call_many(suite_url(suite), requests, COUNT, COUNT, answers);
    for (size_t i = 0; i < COUNT; i++)
        slow += answers[i]->status == 400;
    http_answers_destroy(answers, COUNT);
    CU_ASSERT_EQUAL(slow, COUNT);
    /* one after the other they would take four minutes */
    CU_ASSERT_TRUE(clock_mono_ms() - start < 30000);
}

/* ---- program bots ---- */

static void a_program_answers(void)
{
    make_program("cat", "#!/bin/sh\nexec cat\n", 5000, false);
    HTTP_ANSWER answer = run("cat", json_pack("{s:s}", "text", "\xc3\xa4 \"quoted\"\n"));
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "input.text"), "\xc3\xa4 \"quoted\"\n");
    /* any JSON value is an answer */
    make_program("seven", "#!/bin/sh\necho 7\n", 5000, false);
    HTTP_ANSWER seven = run("seven", NULL);
    CHECK_STATUS(seven, 200);
    CU_ASSERT_STRING_EQUAL(seven->body, "7\n");
}

/* An admin who may not read them cannot have them sent to a place of choice either. */
static void secrets_do_not_move(void)
{
    char path[160];

    install("first", "#!/bin/sh\nexec cat\n");
    install("second", "#!/bin/sh\nexec cat\n");
    HTTP_ANSWER made = make(with(body_bot("moved", "program", "first"), "secrets",
                                 json_pack("{s:s}", "TOKEN", "of the first")));
    HTTP_ANSWER before = run("moved", NULL);
    CU_ASSERT_STRING_EQUAL(http_text(before, "secrets.TOKEN"), "of the first");
    snprintf(path, sizeof(path), BOTS "/%s", http_text(made, "id"));
    HTTP_ANSWER same = http_put(suite_url(suite), path, admin->access,
                                with(body_bot("moved", "program", "first"), "warm", json_true()));
    CHECK_STATUS(same, 200);
    HTTP_ANSWER stays = run("moved", NULL);
    CU_ASSERT_STRING_EQUAL(http_text(stays, "secrets.TOKEN"), "of the first");
    HTTP_ANSWER elsewhere =
        http_put(suite_url(suite), path, admin->access, body_bot("moved", "program", "second"));
    CHECK_STATUS(elsewhere, 200);
    HTTP_ANSWER after = run("moved", NULL);
    CHECK_STATUS(after, 200);
    CU_ASSERT_EQUAL(json_object_size(http_member(after, "secrets")), 0);
}

static void the_examples_run(void)
{
    static const char *const files[] = {"echo.sh", "summary.py", "greeting.js"};
    static const struct {
        const char *file;
        bool warm;
        const char *input;
        int status;
        const char *path, *want;
    } rows[] = {
        {"echo.sh", false, "{\"a\":\"b\"}", 200, "input.a", "b"},
        {"echo.sh", true, "{\"a\":\"b\"}", 200, "input.a", "b"},
        {"summary.py", false, "{\"answers\":[1,0,3]}", 200, "risk", "moderate"},
        {"summary.py", false, "{\"answers\":[9]}", 400, "message",
         "answers must be a list of numbers from 0 to 3"},
        {"greeting.js", true, "{\"language\":\"es\"}", 200, "text", "Hola, Ana Prova!"},
        {"greeting.js", true, "{}", 200, "text", "Hello, Ana Prova!"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char command[512];

        snprintf(command, sizeof(command), "botd/examples/%s", files[i]);
        int from = open(command, O_RDONLY);
        char text[8192] = "";
        CU_ASSERT_TRUE_FATAL(from >= 0 && read(from, text, sizeof(text) - 1) > 0);
        close(from);
        install(files[i], text);
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char value[32];

        snprintf(value, sizeof(value), "example-%zu", i);
        HTTP_ANSWER made = make(
            with(body_bot(value, "program", rows[i].file), "warm", json_boolean(rows[i].warm)));
        HTTP_ANSWER answer = run(value, json_loads(rows[i].input, 0, NULL));
        CHECK_STATUS(answer, rows[i].status);
        CU_ASSERT_STRING_EQUAL(http_text(answer, rows[i].path), rows[i].want);
    }
}

/* The process is the same one from call to call, until its file changes. */
static void a_warm_program_is_kept(void)
{
    static const char count[] =
        "#!/bin/sh\nn=0\nwhile read -r line; do n=$((n + 1)); echo \"{\\\"n\\\":$n}\"; done\n";

    make_program("counter", count, 5000, true);
    for (int want = 1; want <= 5; want++) {
        HTTP_ANSWER answer = run("counter", NULL);
        CHECK_STATUS(answer, 200);
        CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "n")), want);
    }
    install("counter", "#!/bin/sh\nwhile read -r line; do echo '{\"new\":true}'; done\n");
    HTTP_ANSWER fresh = run("counter", NULL);
    CU_ASSERT_TRUE(json_is_true(http_member(fresh, "new")));
}

/* So many calls of a bot at once; how many were answered with each status, and how many different
 * `id`s came back. */
struct crowd {
    size_t ok, bad, busy, ids;
};

static struct crowd run_many(const char *path, size_t count)
{
    static struct http_request requests[80];
    static struct http_answer *answers[80];
    struct crowd crowd = {0};

    for (size_t i = 0; i < count; i++)
        requests[i] = (struct http_request){
            .method = "POST", .path = path, .bearer = patient->access, .raw = "{}"};
    http_call_many(suite_url(suite), requests, count, count, answers);
    for (size_t i = 0; i < count; i++) {
        bool new = answers[i]->status == 200;

        for (size_t j = 0; j < i && new; j++)
            new = answers[j]->status != 200 || strcmp(answers[i]->body, answers[j]->body) != 0;
        crowd.ids += new;
        crowd.ok += answers[i]->status == 200;
        crowd.bad += answers[i]->status == 400;
        crowd.busy += answers[i]->status == 503 &&
                      strcmp(http_text(answers[i], "message"), "The bot is busy. Try again.") == 0;
    }
    http_answers_destroy(answers, count);
    return crowd;
}

/* Four processes of a bot may be warm (setting `warm`): who calls it meanwhile waits, though not
 * for ever, and not in a line of any length. */
static void callers_wait_for_a_warm_program(void)
{
    static const char text[] =
        "#!/bin/sh\nid=$(od -An -N8 -tx8 /dev/urandom)\n"
        "while read -r line; do sleep %s; echo \"{\\\"id\\\":\\\"$id\\\"}\"; done\n";
    char program[256];

    /* 64 are in the line at most, the others are refused at once */
    snprintf(program, sizeof(program), text, "0.3");
    make_program("crowded", program, 20000, true);
    struct crowd all = run_many("/bots?identifier=crowded", 80);
    CU_ASSERT_EQUAL(all.ok + all.busy, 80);
    CU_ASSERT_TRUE(all.ok >= 68);
    CU_ASSERT_TRUE(all.busy >= 1);
    CU_ASSERT_EQUAL(all.ids, 4);

    /* the first four answer after 3 s, the next ones are cut short, most never have a turn */
    snprintf(program, sizeof(program), text, "3");
    make_program("patient", program, 4500, true);
    struct crowd some = run_many("/bots?identifier=patient", 80);
    CU_ASSERT_EQUAL(some.ok, 4);
    CU_ASSERT_EQUAL(some.bad + some.busy, 76);
    CU_ASSERT_TRUE(some.busy > some.bad);
    CU_ASSERT_EQUAL((size_t)suite_count(suite,
                                        "select count(*) from bot.execution e join bot.bot b on "
                                        "b.id = e.bot_id where outcome = 'refused' and name = '%s'",
                                        "patient"),
                    some.busy);
}

/* What a warm program says too much is not the answer of the next call. */
static void an_answer_goes_to_its_own_call(void)
{
    make_program("chatty",
                 "#!/bin/sh\nwhile read -r line; do printf '{\"a\":1}\\n{\"b\":2}\\n'; done\n",
                 2000, true);
    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER answer = run("chatty", NULL);
        CU_ASSERT_PTR_NULL(http_member(answer, "b"));
    }
    make_program(
        "late",
        "#!/bin/sh\nwhile read -r line; do echo '{\"a\":1}'; sleep 0.2; echo '{\"b\":2}'; done\n",
        2000, true);
    HTTP_ANSWER first = run("late", NULL);
    CHECK_STATUS(first, 200);
    usleep(600 * 1000);
    HTTP_ANSWER second = run("late", NULL);
    CHECK_STATUS(second, 200);
    CU_ASSERT_PTR_NULL(http_member(second, "b"));
}

static void hostile_programs_do_no_harm(void)
{
    static const struct {
        const char *name, *text;
        int status;
        const char *want; /* the message of a 400, or what is in the answer */
    } rows[] = {
        {"loop", "#!/bin/sh\nwhile :; do :; done\n", 400, "There was no answer in time."},
        {"deaf", "#!/bin/sh\nexec <&-\nsleep 60\n", 400, "There was no answer in time."},
        {"stays", "#!/bin/sh\necho '{}'\nexec >&-\nsleep 60\n", 400,
         "There was no answer in time."},
        {"closes", "#!/bin/sh\nexec <&-\necho '{\"ok\":1}'\n", 200, "ok"},
        {"mute", "#!/bin/sh\nexit 0\n", 400, "The bot's answer is not JSON."},
        {"fails", "#!/bin/sh\nexit 3\n", 400, "The bot failed."},
        {"says", "#!/bin/sh\necho '{\"message\":\"no form\"}'\nexit 1\n", 400, "no form"},
        {"floods", "#!/bin/sh\nexec cat /dev/zero\n", 400, "The answer is too large."},
        {"gigabyte",
         "#!/usr/bin/env python3\ntry:\n x = bytearray(1 << 30)\n print('{\"memory\":1}')\n"
         "except MemoryError:\n print('{\"refused\":1}')\n",
         200, "refused"},
        {"forks",
         "#!/usr/bin/env python3\nimport os, time\nn = 0\ntry:\n while n < 1000:\n  if os.fork() "
         "== 0:\n"
         "   time.sleep(60); os._exit(0)\n  n += 1\nexcept OSError:\n pass\n"
         "print('{\"few\":1}' if n < 32 else '{\"many\":1}')\n",
         200, "few"},
        {"etc",
         "#!/bin/sh\nif echo x > /etc/passwd; then echo '{\"wrote\":1}'; else echo "
         "'{\"denied\":1}'; fi 2>/dev/null\n",
         200, "denied"},
        {"network",
         "#!/usr/bin/env python3\nimport socket\ntry:\n socket.create_connection(('127.0.0.1', "
         "80), 1)\n"
         " print('{\"reached\":1}')\nexcept OSError as e:\n print('{\"alone\":1}')\n",
         200, "alone"},
        {"looks",
         "#!/bin/sh\nif ls /home /root /var /run /tmp/* /bot/.. 2>/dev/null | grep -q counter; "
         "then "
         "echo '{\"saw\":1}'; else echo '{\"blind\":1}'; fi\n",
         200, "blind"},
        {"others",
         "#!/bin/sh\nn=$(ls -d /proc/[0-9]* | wc -l)\n[ $n -lt 9 ] && echo '{\"alone\":1}'\n", 200,
         "alone"},
    };
    static const char late[] = "There was no answer in time.";

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        /* idle programs take their time where others want the processor */
        make_program(rows[i].name, rows[i].text, strcmp(rows[i].want, late) == 0 ? 1500 : 20000,
                     false);
        HTTP_ANSWER answer = run(rows[i].name, NULL);
        CHECK_STATUS(answer, rows[i].status);
        if (rows[i].status == 200) {
            CU_ASSERT_PTR_NOT_NULL(http_member(answer, rows[i].want));
            if (!http_member(answer, rows[i].want))
                fprintf(stderr, "%s: %s\n", rows[i].name, answer->body);
        } else {
            CU_ASSERT_STRING_EQUAL(http_text(answer, "message"), rows[i].want);
        }
    }
}

/* The kernel ends what is left of a sandbox right behind its first process, but that may be a
 * moment later. */
static bool all_end(const char *text)
{
    int64_t until = clock_mono_ms() + 5000;

    while (processes_with(text, 0, NULL, 0) > 0 && clock_mono_ms() < until)
        usleep(20 * 1000);
    return processes_with(text, 0, NULL, 0) == 0;
}

/* A program that sleeps, in processes of this test alone, on its own and in children that leave its
 * session. */
static char *sleeper(char marker[static 32])
{
    char *text;

    snprintf(marker, 32, "61.%d", (int)getpid());
    if (asprintf(&text, "#!/bin/sh\nfor i in 1 2 3; do setsid sleep %s & done\nsleep %s\n", marker,
                 marker) < 0)
        abort();
    return text;
}

static void no_program_outlives_its_execution(void)
{
    char marker[32], *text = sleeper(marker);
    struct http_answer *answers[1];
    struct http_request request = {.method = "POST",
                                   .path = "/bots?identifier=orphans",
                                   .bearer = patient->access,
                                   .raw = "{}"};
    pid_t watcher;
    int status = 0;

    make_program("orphans", text, 4000, false);
    watcher = fork();
    if (watcher == 0) {
        size_t most = 0;

        for (int i = 0; i < 39 && most < 4; i++, usleep(100 * 1000))
            most = MAX(most, processes_with(marker, 0, NULL, 0));
        _exit((int)most);
    }
    http_call_many(suite_url(suite), &request, 1, 1, answers);
    CHECK_ERROR(answers[0], 400, "There was no answer in time.");
    http_answers_destroy(answers, 1);
    waitpid(watcher, &status, 0);
    CU_ASSERT_TRUE(WEXITSTATUS(status) >= 4); /* they were there */
    CU_ASSERT_TRUE(all_end(marker));
    free(text);
}

static void a_missing_program_is_reported(void)
{
    HTTP_ANSWER made = make(body_bot("gone", "program", "no-such-file"));
    HTTP_ANSWER answer = run("gone", NULL);
    CHECK_ERROR(answer, 400, "The bot's program is not installed.");
    /* a link that leads out of the directory is none either */
    char *path;
    if (asprintf(&path, "%s/link", suite_text(suite, "botDir")) < 0)
        abort();
    CU_ASSERT_EQUAL(symlink("/bin/cat", path), 0);
    free(path);
    HTTP_ANSWER linked = make(body_bot("link", "program", "link"));
    HTTP_ANSWER refused = run("link", NULL);
    CHECK_ERROR(refused, 400, "The bot's program is not installed.");
}

/* ---- what is remembered ---- */

static void executions_are_remembered(void)
{
    make_program("history",
                 "#!/bin/sh\nread -r line\ncase $line in *good*) echo 1;; *) exit 1;; esac\n", 5000,
                 false);
    HTTP_ANSWER good = run("history", json_pack("{s:s}", "x", "good"));
    CHECK_STATUS(good, 200);
    HTTP_ANSWER bad = run("history", json_pack("{s:s}", "x", "bad-marker"));
    CHECK_STATUS(bad, 400);
    char *id = suite_query(suite, "select id from bot.bot where name = 'history'"), path[128];

    snprintf(path, sizeof(path), BOTS "/%s/executions", id);
    HTTP_ANSWER list = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "total")), 2);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.outcome"), "failure");
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.1.outcome"), "success");
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.1.profile"), patient->profile);
    snprintf(path, sizeof(path), BOTS "/%s/executions?_count=1&_offset=1", id);
    HTTP_ANSWER second = http_get(suite_url(suite), path, admin->access);
    CU_ASSERT_STRING_EQUAL(http_text(second, "resources.0.outcome"), "success");
    HTTP_ANSWER nobody = http_get(
        suite_url(suite), BOTS "/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b/executions", admin->access);
    CHECK_ERROR(nobody, 404, "Bot not found.");
    free(id);

    char *kept = suite_query(suite, "select string_agg(e::text, '') from bot.execution e");
    CU_ASSERT_PTR_NULL(strstr(kept, "marker"));
    free(kept);
    char *audited =
        suite_query(suite,
                    "select count(*) from bot.audit where event->>'action' = 'bot.execute' "
                    "and entity = (select 'Bot/' || id from bot.bot where name = 'history')");
    CU_ASSERT_STRING_EQUAL(audited, "2");
    free(audited);
}

static const char *const failures_path = "/v1/project/bot-failures";

/* The row of a bot among those that failed; NULL: it is not there. */
static json_t *failure_of(const struct http_answer *list, const char *name)
{
    return http_find(http_member(list, "resources"), "name", name);
}

static void bots_that_failed_within_a_day_are_listed(void)
{
    make_http("grumpy", "/fail");
    make_http("sleepy", "/slow");
    make_http("happy", "/echo");
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER bad = run("grumpy", NULL);
        CHECK_STATUS(bad, 400);
    }
    HTTP_ANSWER slow = run("sleepy", NULL);
    CHECK_STATUS(slow, 400);
    HTTP_ANSWER good = run("happy", NULL);
    CHECK_STATUS(good, 200);
    HTTP_ANSWER list = http_get(suite_url(suite), failures_path, admin->access);
    json_t *grumpy = failure_of(list, "grumpy"), *sleepy = failure_of(list, "sleepy");

    CHECK_STATUS(list, 200);
    UNIT_REQUIRE(grumpy && sleepy, "both");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(grumpy, "failures")), 2);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(grumpy, "lastOutcome")), "failure");
    CU_ASSERT_TRUE(json_is_string(json_object_get(grumpy, "lastFailureAt")));
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(sleepy, "failures")), 1);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(sleepy, "lastOutcome")), "timeout");
    CU_ASSERT_PTR_EQUAL(json_array_get(http_member(list, "resources"), 0), sleepy);
    CU_ASSERT_PTR_NULL(failure_of(list, "happy"));

    free(suite_query(suite, "update bot.execution set started_at = started_at - 86400000 "
                            "where bot_id = (select id from bot.bot where name = 'grumpy') "
                            "returning id"));
    HTTP_ANSWER later = http_get(suite_url(suite), failures_path, admin->access);
    CU_ASSERT_PTR_NULL(failure_of(later, "grumpy"));
    CU_ASSERT_PTR_NOT_NULL(failure_of(later, "sleepy"));
}

static void failing_bots_are_shown_to_admins_of_their_project_alone(void)
{
    PERSON other = person_admin_of_child(suite, "bots-that-work");
    HTTP_ANSWER theirs = http_get(suite_url(suite), failures_path, other->access);
    HTTP_ANSWER read = http_get(suite_url(suite), failures_path, patient->access);
    HTTP_ANSWER without = http_get(suite_url(suite), failures_path, NULL);

    CHECK_STATUS(theirs, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(theirs, "resources")), 0);
    CHECK_STATUS(read, 403);
    CHECK_STATUS(without, 401);
}

/* Recording an execution waits for no row that another transaction may have locked. */
static void executions_wait_for_no_row_lock(void)
{
    int64_t start;
    pid_t holder;

    make_program("held", "#!/bin/sh\nexec cat\n", 5000, true);
    HTTP_ANSWER first = run("held", NULL);
    CHECK_STATUS(first, 200);
    holder = suite_hold(suite, "select from bot.bot where name = 'held' for update");
    start = clock_mono_ms();
    HTTP_ANSWER second = run("held", NULL);
    CHECK_STATUS(second, 200);
    CU_ASSERT_TRUE(clock_mono_ms() - start < 500);
    waitpid(holder, NULL, 0);
}

static void deleting_a_bot_deletes_its_executions(void)
{
    static const char count[] =
        "select count(*) from bot.execution where bot_id = '%s' or bot_id not in (select id from "
        "bot.bot)";
    HTTP_ANSWER made = make(body_bot("short-lived", "program", "cat"));
    HTTP_ANSWER ran = run("short-lived", NULL);
    CHECK_STATUS(ran, 200);
    CU_ASSERT_EQUAL(suite_count(suite, count, http_text(made, "id")), 1);
    char path[128];
    snprintf(path, sizeof(path), BOTS "/%s", http_text(made, "id"));
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(gone, 204);
    CU_ASSERT_EQUAL(suite_count(suite, count, http_text(made, "id")), 0);
}

/* ---- operators ---- */

static void the_operator_keeps_and_runs_bots(void)
{
    static const char bot[] = "{\"identifier\":[{\"system\":\"urn:ops\",\"value\":\"nightly\"}],"
                              "\"name\":\"Nightly\",\"kind\":\"program\",\"program\":\"echo\"}";
    PROGRAM put = ATRIUMCTL(suite, bot, "bot", "put", "--project", "demo", "-", "--json");
    CHECK_EXIT(put, 0);
    PROGRAM again = ATRIUMCTL(suite, bot, "bot", "put", "--project", "demo", "-", "--json");
    CHECK_EXIT(again, 0);
    CU_ASSERT_STRING_EQUAL(program_text(again, "id"), program_text(put, "id"));
    PROGRAM list = ATRIUMCTL(suite, NULL, "bot", "list", "--project", "demo", "--json");
    CHECK_EXIT(list, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(list->out, "\"Nightly\""));
    PROGRAM ran = ATRIUMCTL(suite, "{\"a\":\"b\"}", "bot", "run", "--project", "demo",
                            "urn:ops|nightly", "--input", "-");
    CHECK_EXIT(ran, 0);
    CU_ASSERT_STRING_EQUAL(program_text(ran, "input.a"), "b");
    CU_ASSERT_STRING_EQUAL(program_text(ran, "requester.reference"), "Operator");
    PROGRAM nobody = ATRIUMCTL(suite, NULL, "bot", "run", "--project", "demo", "nobody");
    CHECK_REFUSED(nobody, 1, "Bot not found.");
    PROGRAM wrong = ATRIUMCTL(suite, "{\"name\":\"x\"}", "bot", "put", "--project", "demo", "-");
    CHECK_REFUSED(wrong, 1, "identifier");
    PROGRAM text =
        ATRIUMCTL(suite, "hello", "bot", "run", "--project", "demo", "nobody", "--input", "-");
    CHECK_REFUSED(text, 1, "must be a JSON object");
}

/* What `atriumctl dev` has made is there to be called. */
/* A bot has secrets and shows what its caller sends: the length of its answer, compressed, would
 * tell of them. */
static void the_demo_has_a_bot(void)
{
    char long_text[2001];

    memset(long_text, 'a', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    HTTP_ANSWER answer =
        http_post(suite_url(suite), "/bots?identifier=https://atrium.example/bots%7Cecho",
                  patient->access, json_pack("{s:s, s:s}", "hello", "bot", "long", long_text));
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "input.hello"), "bot");
    char *vary = http_header(answer, "Vary");
    CU_ASSERT_PTR_NULL(vary);
    free(vary);
}

/* ---- faults ---- */

/* A killed botd takes its bots along, answers again within moments, and is not asked twice for one
 * call. */
static void a_killed_botd_leaves_nothing(void)
{
    pid_t old = suite_pid(suite, "botd", "1");
    struct http_answer *answers[1];
    char marker[32], *text = sleeper(marker);

    make_program("killed", text, 5000, false);
    struct http_request request = {.method = "POST",
                                   .path = "/bots?identifier=killed",
                                   .bearer = patient->access,
                                   .raw = "{}"};
    pid_t killer = fork();
    if (killer == 0) {
        usleep(700 * 1000);
        kill(old, SIGKILL);
        _exit(0);
    }
    http_call_many(suite_url(suite), &request, 1, 1, answers);
    CU_ASSERT_EQUAL(answers[0]->status, 503);
    http_answers_destroy(answers, 1);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "botd", "1", old));
    waitpid(killer, NULL, 0);
    CU_ASSERT_TRUE(all_end(marker));
    HTTP_ANSWER again = run("cat", NULL);
    CHECK_STATUS(again, 200);
    free(text);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
    program_destroy(&server);
}

/* ---- by the kernel's own means ---- */

/* Empties the registry too, so that the names are free. */
static void namespaces_are_given_up(void)
{
    suite_reconfigure(suite, "botd.sandbox=kernel");
    char *none = suite_query(suite, "truncate bot.bot cascade");
    free(none);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    CU_ASSERT_PTR_NOT_NULL(strstr(doctor->out, "programs are confined by landlock"));
    PROGRAM status = ATRIUMCTL(suite, NULL, "status", "--json");
    CU_ASSERT_PTR_NOT_NULL(strstr(status->out, "\"sandbox\": \"landlock\""));
}

static const struct test {
    struct unit_case run;
    bool program; /* needs something that confines programs */
} cases[] = {
    {CASE(bots_are_found_by_token), true},
    {CASE(requests_are_checked), true},
    {CASE(another_projects_bot_is_not_found), false},
    {CASE(the_policy_decides), true},
    {CASE(an_http_bot_receives_the_whole_request), false},
    {CASE(bad_answers_are_400), false},
    {CASE(inner_addresses_are_closed), false},
    {CASE(redirects_are_not_followed), false},
    {CASE(hundreds_at_once), false},
    {CASE(waiting_for_the_database_does_not_count_as_execution_time), false},
    {CASE(a_program_answers), true},
    {CASE(secrets_do_not_move), true},
    {CASE(the_examples_run), true},
    {CASE(a_warm_program_is_kept), true},
    {CASE(callers_wait_for_a_warm_program), true},
    {CASE(an_answer_goes_to_its_own_call), true},
    {CASE(hostile_programs_do_no_harm), true},
    {CASE(no_program_outlives_its_execution), true},
    {CASE(a_missing_program_is_reported), true},
    {CASE(executions_are_remembered), true},
    {CASE(bots_that_failed_within_a_day_are_listed), false},
    {CASE(failing_bots_are_shown_to_admins_of_their_project_alone), false},
    {CASE(executions_wait_for_no_row_lock), true},
    {CASE(deleting_a_bot_deletes_its_executions), true},
    {CASE(the_operator_keeps_and_runs_bots), true},
    {CASE(the_demo_has_a_bot), true},
    {CASE(a_killed_botd_leaves_nothing), true},
};

static const struct unit_case kernel_cases[] = {
    CASE(namespaces_are_given_up),
    CASE(a_program_answers),
    CASE(the_examples_run),
    CASE(a_warm_program_is_kept),
    CASE(hostile_programs_do_no_harm),
    CASE(no_program_outlives_its_execution),
    CASE(a_killed_botd_leaves_nothing),
};

static const struct unit_case last_cases[] = {
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

static void leave_out(void)
{
    unit_leave_out("nothing confines programs here");
}

static int run_all(void)
{
    struct unit_case all[ARRAY_SIZE(cases)];
    bool any = processes_confined(CONFINE_BUBBLEWRAP) ||
               processes_confined(CONFINE_BUBBLEWRAP_BARE) || processes_confined(CONFINE_KERNEL);
    int rc;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        all[i] = cases[i].run;
        if (cases[i].program && !any)
            all[i].fn = leave_out;
    }
    rc = unit_run("executing bots", all, ARRAY_SIZE(all));
    if (processes_confined(CONFINE_KERNEL))
        rc |= unit_run("executing bots by Landlock", kernel_cases, ARRAY_SIZE(kernel_cases));
    else
        rc |= unit_leave_out_suite("executing bots by Landlock", "the kernel refuses Landlock");
    return rc | unit_run("executing bots: the end", last_cases, ARRAY_SIZE(last_cases));
}

int main(void)
{
    static const char *const argv[] = {"/usr/bin/python3", "tests/support/bot_server.py", NULL};
    int port = 0;

    server = program_start(argv, NULL);
    if (!program_wait_output(server, "\n", 10000) || sscanf(server->out, "port %d", &port) != 1)
        return 1;
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    suite = suite_start(&(struct suite_options){.bot_allow = "127.0.0.1/32"});
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    return run_all();
}
