/*
 * test_bot_execution.c - how bots are found, what they receive, how their responses are used and
 * what is recorded. See test_bot_programs.c for programs.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/base/clock.h"
#include "tests/support/bots.h"

static struct bots bots;
static struct suite *suite;
static struct person *admin, *patient;

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
        {"urn:find%7C", 400, "Several bots have this identifier. Use one that is unique."},
        {"twin", 400, "Several bots have this identifier. Use one that is unique."},
    };
    static const char lists[] =
        "[[[\"urn:find\",\"one\"],[null,\"bare\"]], [[\"urn:find\",\"two\"],[\"urn:a\",\"twin\"]],"
        " [[\"urn:lonely\",\"x\"],[\"urn:b\",\"twin\"]], [[\"urn:c\",\"one-of-a-kind\"]],"
        " [[\"urn:d\",\"a|b\"]]]";
    json_t *all = json_loads(lists, 0, NULL), *bot, *pair;
    size_t i, j;

    json_array_foreach(all, i, bot)
    {
        json_t *list = json_array();

        json_array_foreach(bot, j, pair)
        {
            json_array_append_new(list, json_pack("{s:O, s:O}", "system", json_array_get(pair, 0),
                                                  "value", json_array_get(pair, 1)));
        }
        UNUSED HTTP_ANSWER made =
            bots_make(&bots, bots_with(bots_body("x", "program", "echo"), "identifier", list));
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
    HTTP_ANSWER theirs = http_post(suite_url(suite), BOTS_PATH, other->access,
                                   bots_body("theirs", "program", "echo"));
    CHECK_STATUS(theirs, 200);
    HTTP_ANSWER mine = bots_run(&bots, "theirs", NULL);
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

static void an_http_bot_receives_the_whole_request(void)
{
    char target[128];

    snprintf(target, sizeof(target), "%s/echo", bots.url);
    HTTP_ANSWER made = bots_make(&bots, bots_with(bots_body("told", "http", target), "secrets",
                                                  json_pack("{s:s}", "KEY", "s3cr3t")));
    HTTP_ANSWER answer = bots_run(&bots, "told", json_pack("{s:i}", "answer", 42));
    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "got.input.answer")), 42);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.contentType"), "application/json");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.secrets.KEY"), "s3cr3t");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.requester.reference"), patient->profile);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.project.reference"), patient->project);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.project.brandName"),
                           http_text(answer, "got.project.display"));
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.bot.reference") + 4, http_text(made, "id"));
    char *trace = http_header(answer, "X-Request-Id");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.traceId"), trace);
    free(trace);

    /* the signature covers the time and the received bytes */
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

static struct http_answer *run_raw(const char *value, const char *raw)
{
    char path[64];

    snprintf(path, sizeof(path), "/bots?identifier=%s", value);
    return http_call(suite_url(suite),
                     &(struct http_request){
                         .method = "POST", .path = path, .bearer = patient->access, .raw = raw});
}

static const char numbers[] =
    "{\"valueDecimal\":5.40,\"list\":[1.0,-0,-0.0,0.10,1E2,1e+2,1e-7,0e0,1e400,-1E-400,"
    "9223372036854775807,9223372036854775808,-9223372036854775809,18446744073709551616,"
    "123456789012345678901234567890,0.1000000000000000055511151231257827021181583404541015625],"
    "\"text\":\"5.40, \\\"1.0\\\" \\\\u0000\",\"1.50\":{\"n\":7}}";

/* In FHIR R4 the precision of a decimal is part of its value. */
static void check_numbers(const char *value)
{
    HTTP_ANSWER answer = run_raw(value, numbers);
    char *input = strstr(answer->body ? answer->body : "", "\"input\":");

    CHECK_STATUS(answer, 200);
    UNIT_CHECK(input && strncmp(input + strlen("\"input\":"), numbers, strlen(numbers)) == 0,
               "%s: %s", value, answer->body);
}

static void an_http_bot_gets_and_gives_numbers_as_they_are_written(void)
{
    bots_make_http(&bots, "same", "/same");
    check_numbers("same");
}

static void a_program_gets_and_gives_numbers_as_they_are_written(void)
{
    bots_make_program(&bots, "copy", "#!/bin/sh\nexec cat\n", 5000, false);
    check_numbers("copy");
    bots_make_program(&bots, "warm-copy", "#!/bin/sh\nexec cat\n", 5000, true);
    check_numbers("warm-copy");
    PROGRAM run = ATRIUMCTL(suite, numbers, "bot", "run", "--project", "demo", BOTS_SYSTEM "|copy",
                            "--input", "-");
    CHECK_EXIT(run, 0);
    UNIT_CHECK(strstr(run->out, numbers), "%s", run->out);
}

static void what_is_no_number_is_refused(void)
{
    static const char *const rows[] = {"01",   "-",     "+1",    "1.",      ".5",     "1e",
                                       "1e+",  "0x1",   "1.e5",  "1.50.5",  "NaN",    "Infinity",
                                       "1.5f", "--1.5", "-01.5", "1.5\"\"", "\"\"1.5"};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char body[64];

        snprintf(body, sizeof(body), "{\"exact\":5.40,\n\"a\":%s}", rows[i]);
        HTTP_ANSWER answer = run_raw("same", body);
        CHECK_STATUS(answer, 400);
        UNIT_CHECK(strstr(http_text(answer, "message"), "Invalid JSON: syntax error at line 2"),
                   "%s: %s", rows[i], http_text(answer, "message"));
    }
    HTTP_ANSWER zero = run_raw("same", "{\"a\":5.40,\"b\":\"\\u0000\"}");
    CHECK_STATUS(zero, 400);
    HTTP_ANSWER forged = run_raw("same", "{\"a\":5.40,\"b\":\"\\u00006.50\"}");
    CHECK_STATUS(forged, 400);
}

static void a_byte_order_mark_is_skipped(void)
{
    static const char body[] = "\xef\xbb\xbf{\"a\":5.40}";

    bots_make_http(&bots, "marked", "/marked");
    HTTP_ANSWER answer = run_raw("marked", body);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(answer->body[0], '{');
    UNIT_CHECK(strstr(answer->body, "\"input\":{\"a\":5.40}"), "%s", answer->body);
}

static void a_byte_order_mark_of_a_program_is_skipped(void)
{
    static const char marked[] = "#!/bin/sh\nwhile read -r line; do\n"
                                 "    printf '\\357\\273\\277%s\\n' \"$line\"\ndone\n";
    static const char failing[] =
        "#!/bin/sh\nprintf '\\357\\273\\277{\"message\":\"closed\",\"id\":9223372036854775808}'\n"
        "exit 1\n";

    for (int warm = 0; warm < 2; warm++) {
        const char *value = warm ? "warm-marked" : "cold-marked";

        bots_make_program(&bots, value, marked, 5000, warm);
        HTTP_ANSWER answer = run_raw(value, "{}");
        CHECK_STATUS(answer, 200);
        CU_ASSERT_EQUAL(answer->body[0], '{');
    }
    bots_make_program(&bots, "marked-fault", failing, 5000, false);
    HTTP_ANSWER fault = run_raw("marked-fault", "{}");
    CHECK_ERROR(fault, 400, "closed");
}

static void check_empty(const char *value)
{
    HTTP_ANSWER answer = run_raw(value, "{}");

    CHECK_STATUS(answer, 200);
    UNIT_CHECK(strcmp(answer->body, "{}") == 0, "%s: %s", value, answer->body);
}

static void an_empty_answer_is_an_empty_object(void)
{
    static const char *const paths[] = {"/empty/200", "/empty/202", "/empty/204", "/blank"};

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        char value[32];

        snprintf(value, sizeof(value), "quiet-%zu", i);
        bots_make_http(&bots, value, paths[i]);
        check_empty(value);
    }
}

static void an_empty_answer_of_a_program_is_an_empty_object(void)
{
    static const char once[] = "#!/bin/sh\nexit 0\n";
    static const char warm[] = "#!/bin/sh\nwhile read -r line; do echo; done\n";

    bots_make_program(&bots, "quiet", once, 5000, false);
    check_empty("quiet");
    bots_make_program(&bots, "quiet-warm", warm, 5000, true);
    check_empty("quiet-warm");
    check_empty("quiet-warm");
    PROGRAM run = ATRIUMCTL(suite, NULL, "bot", "run", "--project", "demo", BOTS_SYSTEM "|quiet");
    CHECK_EXIT(run, 0);
    CU_ASSERT_STRING_EQUAL(run->out, "{}\n");
}

static void bad_answers_are_400(void)
{
    static const struct {
        const char *path, *message;
    } rows[] = {
        {"/fail", "the form is closed"},
        {"/silent", "The bot answered 500."},
        {"/text", "The bot's response is not JSON."},
        {"/large", "The response is too large."},
        {"/slow", "There was no response in time."},
        {"/redirect", "The bot answered 302."},
        {"/cut", "There was no response."},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        bots_make_http(&bots, rows[i].path + 1, rows[i].path);
        HTTP_ANSWER answer = bots_run(&bots, rows[i].path + 1, NULL);
        CHECK_ERROR(answer, 400, rows[i].message);
    }
}

/* This suite opens only 127.0.0.1. No other resolved or redirected address is connected to. */
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
        /* user information is not the host */
        "http://127.0.0.1@127.0.0.2/",
        "http://127.0.0.1:80@169.254.169.254/latest/meta-data",
        "http://public.example@127.0.0.2/",
        "http://127.0.0.2/?@127.0.0.1/",
        "http://127.0.0.2#@127.0.0.1/",
    };
    size_t reached = 0;

    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        char value[32];

        snprintf(value, sizeof(value), "closed-%zu", i);
        HTTP_ANSWER made = http_post(suite_url(bots.suite), BOTS_PATH, bots.admin->access,
                                     bots_body(value, "http", targets[i]));
        if (made->status == 422)
            continue; /* no host in RFC 3986, section 3.2.2, though some parsers accept it */
        CHECK_STATUS(made, 200);
        reached++;
        HTTP_ANSWER answer = bots_run(&bots, value, NULL);
        CHECK_ERROR(answer, 400, "The address is not allowed.");
    }
    CU_ASSERT_TRUE(reached >= 12);
}

static void redirects_are_not_followed(void)
{
    static const int statuses[] = {301, 302, 303, 307, 308};
    const char *const targets[] = {"http://169.254.169.254/latest/meta-data",
                                   "http://127.0.0.2/",
                                   "http://[::1]/",
                                   "file:///etc/passwd",
                                   "gopher://127.0.0.1/",
                                   "/echo",
                                   bots.url};

    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        char path[128], value[32], message[64];
        int status = statuses[i % ARRAY_SIZE(statuses)];

        snprintf(value, sizeof(value), "redirect-%zu", i);
        snprintf(path, sizeof(path), "/redirect/%d/%s", status, targets[i]);
        snprintf(message, sizeof(message), "The bot answered %d.", status);
        bots_make_http(&bots, value, path);
        HTTP_ANSWER answer = bots_run(&bots, value, NULL);
        CHECK_ERROR(answer, 400, message);
    }
}

/* A lock delays a statement for longer than the bot's timeout. The bot still gets its full time. */
static void waiting_for_the_database_does_not_count_as_execution_time(void)
{
    PGconn *conn = suite_database(suite);
    PGresult *result;

    bots_make_http(&bots, "locked", "/echo");
    result = PQexec(conn, "begin; lock table bot.bot in access exclusive mode");
    CU_ASSERT_EQUAL(PQresultStatus(result), PGRES_COMMAND_OK);
    PQclear(result);
    CU_ASSERT_EQUAL(PQsendQuery(conn, "select pg_sleep(1.2); commit"), 1);
    HTTP_ANSWER answer = bots_run(&bots, "locked", NULL);
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

    bots_make_http(&bots, "many", "/slow");
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
    /* one after the other would take four minutes */
    CU_ASSERT_TRUE(clock_mono_ms() - start < 30000);
}

static void executions_are_remembered(void)
{
    bots_make_program(&bots, "history",
                      "#!/bin/sh\nread -r line\ncase $line in *good*) echo 1;; *) exit 1;; esac\n",
                      5000, false);
    HTTP_ANSWER good = bots_run(&bots, "history", json_pack("{s:s}", "x", "good"));
    CHECK_STATUS(good, 200);
    HTTP_ANSWER bad = bots_run(&bots, "history", json_pack("{s:s}", "x", "bad-marker"));
    CHECK_STATUS(bad, 400);
    char *id = suite_query(suite, "select id from bot.bot where name = 'history'"), path[128];

    snprintf(path, sizeof(path), BOTS_PATH "/%s/executions", id);
    HTTP_ANSWER list = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "total")), 2);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.outcome"), "failure");
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.1.outcome"), "success");
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.1.profile"), patient->profile);
    snprintf(path, sizeof(path), BOTS_PATH "/%s/executions?_count=1&_offset=1", id);
    HTTP_ANSWER second = http_get(suite_url(suite), path, admin->access);
    CU_ASSERT_STRING_EQUAL(http_text(second, "resources.0.outcome"), "success");
    HTTP_ANSWER nobody =
        http_get(suite_url(suite), BOTS_PATH "/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b/executions",
                 admin->access);
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

/* Returns the bot's row among the failed ones, or NULL. */
static json_t *failure_of(const struct http_answer *list, const char *name)
{
    return http_find(http_member(list, "resources"), "name", name);
}

static void bots_that_failed_within_a_day_are_listed(void)
{
    bots_make_http(&bots, "grumpy", "/fail");
    bots_make_http(&bots, "sleepy", "/slow");
    bots_make_http(&bots, "happy", "/echo");
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER bad = bots_run(&bots, "grumpy", NULL);
        CHECK_STATUS(bad, 400);
    }
    HTTP_ANSWER slow = bots_run(&bots, "sleepy", NULL);
    CHECK_STATUS(slow, 400);
    HTTP_ANSWER good = bots_run(&bots, "happy", NULL);
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

static void executions_wait_for_no_row_lock(void)
{
    PGconn *holder;

    bots_make_program(&bots, "held", "#!/bin/sh\nexec cat\n", 5000, true);
    HTTP_ANSWER first = bots_run(&bots, "held", NULL);
    CHECK_STATUS(first, 200);
    holder = suite_lock_rows(suite, "select from bot.bot where name = 'held' for update");
    HTTP_ANSWER second = bots_run(&bots, "held", NULL);
    CHECK_STATUS(second, 200);
    suite_unlock(holder);
}

static void deleting_a_bot_deletes_its_executions(void)
{
    static const char count[] =
        "select count(*) from bot.execution where bot_id = '%s' or bot_id not in (select id from "
        "bot.bot)";
    bots_install(&bots, "cat", "#!/bin/sh\nexec cat\n");
    HTTP_ANSWER made = bots_make(&bots, bots_body("short-lived", "program", "cat"));
    HTTP_ANSWER ran = bots_run(&bots, "short-lived", NULL);
    CHECK_STATUS(ran, 200);
    CU_ASSERT_EQUAL(suite_count(suite, count, http_text(made, "id")), 1);
    char path[128];
    snprintf(path, sizeof(path), BOTS_PATH "/%s", http_text(made, "id"));
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(gone, 204);
    CU_ASSERT_EQUAL(suite_count(suite, count, http_text(made, "id")), 0);
}

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

static void two_puts_at_once_leave_one_bot(void)
{
    static const char bot[] = "{\"identifier\":[{\"system\":\"urn:ops\",\"value\":\"race\"}],"
                              "\"name\":\"Race\",\"kind\":\"program\",\"program\":\"echo\"}";
    char file[512];
    FILE *out;

    snprintf(file, sizeof(file), "%s/race.json", suite_dir(suite));
    out = fopen(file, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    fputs(bot, out);
    fclose(out);
    const char *const words[] = {"bot", "put", "--project", "demo", file, NULL};
    suite_command_race(suite, "botd",
                       "select pg_advisory_xact_lock(hashtextextended('bots ' || id, 0)) "
                       "from settings.project",
                       words, words);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from bot.bot where name = 'Race'"), 1);
    PROGRAM ran = ATRIUMCTL(suite, NULL, "bot", "run", "--project", "demo", "urn:ops|race");
    CHECK_EXIT(ran, 0);
}

/* The demo's bot has secrets and echoes its input, so its response must not be compressed: the
 * length would leak the secrets. */
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

static void suite_shuts_down_cleanly(void)
{
    bots_stop(&bots);
}

static const struct bots_case cases[] = {
    {CASE(bots_are_found_by_token), true},
    {CASE(requests_are_checked), true},
    {CASE(another_projects_bot_is_not_found), false},
    {CASE(the_policy_decides), true},
    {CASE(an_http_bot_receives_the_whole_request), false},
    {CASE(an_http_bot_gets_and_gives_numbers_as_they_are_written), false},
    {CASE(a_program_gets_and_gives_numbers_as_they_are_written), true},
    {CASE(what_is_no_number_is_refused), false},
    {CASE(a_byte_order_mark_is_skipped), false},
    {CASE(a_byte_order_mark_of_a_program_is_skipped), true},
    {CASE(an_empty_answer_is_an_empty_object), false},
    {CASE(an_empty_answer_of_a_program_is_an_empty_object), true},
    {CASE(bad_answers_are_400), false},
    {CASE(inner_addresses_are_closed), false},
    {CASE(redirects_are_not_followed), false},
    {CASE(hundreds_at_once), false},
    {CASE(waiting_for_the_database_does_not_count_as_execution_time), false},
    {CASE(executions_are_remembered), true},
    {CASE(bots_that_failed_within_a_day_are_listed), false},
    {CASE(failing_bots_are_shown_to_admins_of_their_project_alone), false},
    {CASE(executions_wait_for_no_row_lock), true},
    {CASE(deleting_a_bot_deletes_its_executions), true},
    {CASE(the_operator_keeps_and_runs_bots), true},
    {CASE(two_puts_at_once_leave_one_bot), true},
    {CASE(the_demo_has_a_bot), true},
};

static const struct unit_case last_cases[] = {
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    if (!bots_start(&bots))
        return 1;
    suite = bots.suite;
    admin = bots.admin;
    patient = bots.patient;

    int rc = bots_run_cases("executing bots", cases, ARRAY_SIZE(cases));

    return rc | unit_run("executing bots: the end", last_cases, ARRAY_SIZE(last_cases));
}
