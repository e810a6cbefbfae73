/*
 * test_bots.c - the registry of bots: access, validation, and secrets that are never shown.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define BOTS "/v1/project/bots"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
#define SYSTEM "https://lakeside.example/bots"

static struct suite *suite;
static struct person *admin;

static json_t *body_http(const char *value)
{
    return json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s, s:{s:s}}", "identifier", "system", SYSTEM,
                     "value", value, "name", "Intake", "kind", "http", "url",
                     "https://bots.lakeside.example/intake", "secrets", "API_KEY", "s3cr3t-marker");
}

static json_t *body_program(const char *value)
{
    return json_pack("{s:[{s:s}], s:s, s:s, s:s, s:b, s:i}", "identifier", "value", value, "name",
                     "Echo", "kind", "program", "program", "echo", "warm", 1, "timeoutMs", 500);
}

static json_t *with(json_t *body, const char *name, json_t *value)
{
    json_object_set_new(body, name, value);
    return body;
}

static char *bot_path(const struct http_answer *answer)
{
    char *path;

    if (asprintf(&path, BOTS "/%s", http_text(answer, "id")) < 0)
        abort();
    return path;
}

static size_t listed(const char *access, const char *id)
{
    HTTP_ANSWER list = http_get(suite_url(suite), BOTS, access);
    json_t *bot;
    size_t i, found = 0;

    CHECK_STATUS(list, 200);
    json_array_foreach(http_member(list, "resources"), i, bot)
    {
        found += strcmp(json_string_value(json_object_get(bot, "id")), id) == 0;
    }
    return found;
}

static void an_admin_keeps_bots(void)
{
    HTTP_ANSWER made = http_post(suite_url(suite), BOTS, admin->access, body_http("kept"));
    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_EQUAL(http_text(made, "resourceType"), "Bot");
    CU_ASSERT_STRING_EQUAL(http_text(made, "identifier.0.system"), SYSTEM);
    CU_ASSERT_STRING_EQUAL(http_text(made, "identifier.0.value"), "kept");
    CU_ASSERT_STRING_EQUAL(http_text(made, "url"), "https://bots.lakeside.example/intake");
    CU_ASSERT_STRING_EQUAL(http_text(made, "secretNames.0"), "API_KEY");
    CU_ASSERT_EQUAL(json_integer_value(http_member(made, "timeoutMs")), 10000);
    char *path = bot_path(made);
    HTTP_ANSWER got = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(got, 200);
    CU_ASSERT_TRUE(strlen(http_text(made, "signingSecret")) == 43);
    json_object_del(made->json, "signingSecret");
    CU_ASSERT_TRUE(json_equal(got->json, made->json));
    CU_ASSERT_EQUAL(listed(admin->access, http_text(made, "id")), 1);

    HTTP_ANSWER put = http_put(suite_url(suite), path, admin->access, body_program("other"));
    CHECK_STATUS(put, 200);
    CU_ASSERT_STRING_EQUAL(http_text(put, "program"), "echo");
    CU_ASSERT_STRING_EQUAL(http_text(put, "url"), "");
    CU_ASSERT_TRUE(json_is_true(http_member(put, "warm")));
    /* a new URL does not get the old secrets */
    CU_ASSERT_EQUAL(json_array_size(http_member(put, "secretNames")), 0);
    json_t *secrets = json_pack("{s:s}", "TOKEN", "s3cr3t-marker");
    HTTP_ANSWER given = http_put(suite_url(suite), path, admin->access,
                                 with(body_program("other"), "secrets", secrets));
    CU_ASSERT_STRING_EQUAL(http_text(given, "secretNames.0"), "TOKEN");
    HTTP_ANSWER renamed = http_put(suite_url(suite), path, admin->access,
                                   with(body_program("other"), "name", json_string("Echo 2")));
    CU_ASSERT_STRING_EQUAL(http_text(renamed, "secretNames.0"), "TOKEN");
    HTTP_ANSWER bare = http_put(suite_url(suite), path, admin->access,
                                with(body_program("other"), "secrets", json_object()));
    CU_ASSERT_EQUAL(json_array_size(http_member(bare, "secretNames")), 0);

    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER after = http_get(suite_url(suite), path, admin->access);
    CHECK_ERROR(after, 404, "Bot not found.");
    HTTP_ANSWER again = http_delete(suite_url(suite), path, admin->access);
    CHECK_ERROR(again, 404, "Bot not found.");
    HTTP_ANSWER late = http_put(suite_url(suite), path, admin->access, body_program("late"));
    CHECK_ERROR(late, 404, "Bot not found.");
    free(path);
}

static void numbers_are_no_secrets(void)
{
    static const char *const numbers[] = {"5.40", "18446744073709551616", "1e400"};

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        char body[256];

        snprintf(body, sizeof(body),
                 "{\"identifier\":[{\"value\":\"n\"}],\"name\":\"n\",\"kind\":\"program\","
                 "\"program\":\"echo\",\"secrets\":{\"a\":%s}}",
                 numbers[i]);
        HTTP_ANSWER answer =
            http_call(suite_url(suite),
                      &(struct http_request){
                          .method = "POST", .path = BOTS, .bearer = admin->access, .raw = body});
        CHECK_PROBLEM(answer, "secrets");
    }
}

static void an_identifier_is_of_one_bot(void)
{
    static const char twice[] = "[{\"value\":\"mine\"},{\"value\":\"mine\"}]";
    HTTP_ANSWER first =
        http_post(suite_url(suite), BOTS, admin->access,
                  with(body_http("mine"), "identifier", json_loads(twice, 0, NULL)));
    CHECK_STATUS(first, 200);
    HTTP_ANSWER second =
        http_post(suite_url(suite), BOTS, admin->access,
                  with(body_program("mine"), "identifier", json_loads(twice, 0, NULL)));
    CHECK_ERROR(second, 409, "Another bot has one of these identifiers.");
    HTTP_ANSWER other = http_post(suite_url(suite), BOTS, admin->access, body_program("yours"));
    CHECK_STATUS(other, 200);
    char *path = bot_path(other);
    HTTP_ANSWER taken = http_put(suite_url(suite), path, admin->access, body_program("mine"));
    CHECK_ERROR(taken, 409, "Another bot has one of these identifiers.");
    HTTP_ANSWER same = http_put(suite_url(suite), path, admin->access, body_program("yours"));
    CHECK_STATUS(same, 200);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from bot.bot_identifier where value in "
                                       "('mine', 'yours')"),
                    2);
    free(path);
}

static void wrong_bots_are_refused(void)
{
    static const struct {
        const char *name, *value, *problem; /* value: JSON, NULL: no member */
    } rows[] = {
        {"identifier", "[]", "identifier"},
        {"identifier", "[{\"system\":\"a\"}]", "identifier.0.value"},
        {"identifier", NULL, "identifier"},
        {"name", "\"\"", "name"},
        {"kind", "\"lambda\"", "kind"},
        {"kind", "\"program\"", "program"},
        {"url", NULL, "url"},
        {"url", "\"ftp://bots.example\"", "url"},
        {"url", "\"bots.example\"", "url"},
        {"program", "\"echo\"", "program"},
        {"warm", "true", "warm"},
        {"timeoutMs", "99", "timeoutMs"},
        {"timeoutMs", "30001", "timeoutMs"},
        {"secrets", "{\"a\":1}", "secrets"},
        {"secrets", "[]", "secrets"},
    };
    static const char *const programs[] = {"../echo", "/bin/sh", ".hidden", "a b", "a/b", "."};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_t *body = body_http("wrong");

        if (rows[i].value)
            with(body, rows[i].name, json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
        else
            json_object_del(body, rows[i].name);
        HTTP_ANSWER answer = http_post(suite_url(suite), BOTS, admin->access, body);
        CHECK_PROBLEM(answer, rows[i].problem);
    }
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        HTTP_ANSWER answer =
            http_post(suite_url(suite), BOTS, admin->access,
                      with(body_program("wrong"), "program", json_string(programs[i])));
        CHECK_PROBLEM(answer, "program");
    }
}

static void bots_are_the_projects_own(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_admin_of_child(suite, "bots-elsewhere");
    HTTP_ANSWER made = http_post(suite_url(suite), BOTS, admin->access, body_program("own"));
    char *path = bot_path(made);

    HTTP_ANSWER strange = http_get(suite_url(suite), path, other->access);
    CHECK_ERROR(strange, 404, "Bot not found.");
    HTTP_ANSWER put = http_put(suite_url(suite), path, other->access, body_program("theirs"));
    CHECK_ERROR(put, 404, "Bot not found.");
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, other->access);
    CHECK_ERROR(gone, 404, "Bot not found.");
    CU_ASSERT_EQUAL(listed(other->access, http_text(made, "id")), 0);
    HTTP_ANSWER list = http_get(suite_url(suite), BOTS, patient->access);
    CHECK_ERROR(list, 403, "Forbidden");
    HTTP_ANSWER nobody = http_get(suite_url(suite), BOTS "/" NOBODY, admin->access);
    CHECK_ERROR(nobody, 404, "Bot not found.");
    free(path);
}

static void secrets_are_never_shown(void)
{
    HTTP_ANSWER made = http_post(suite_url(suite), BOTS, admin->access, body_http("secret"));
    HTTP_ANSWER list = http_get(suite_url(suite), BOTS, admin->access);
    char *rows =
        suite_query(suite, "select string_agg(b::text || encode(b.secrets_sealed, 'escape'), '') "
                           "from bot.bot b");

    CHECK_STATUS(made, 200);
    CU_ASSERT_PTR_NULL(strstr(made->body, "s3cr3t-marker"));
    CU_ASSERT_PTR_NULL(strstr(list->body, "s3cr3t-marker"));
    CU_ASSERT_PTR_NULL(strstr(rows, "s3cr3t-marker"));
    CU_ASSERT_PTR_NOT_NULL(strstr(rows, "API_KEY"));
    free(rows);
}

static void acknowledged_bots_survive(void)
{
    HTTP_ANSWER made = http_post(suite_url(suite), BOTS, admin->access, body_program("survivor"));
    pid_t old = suite_pid(suite, "botd", "1");

    suite_signal(suite, "botd", "1", SIGKILL);
    CHECK_STATUS(made, 200);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "botd", "1", old));
    CU_ASSERT_EQUAL(listed(admin->access, http_text(made, "id")), 1);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(an_admin_keeps_bots),       CASE(wrong_bots_are_refused),
    CASE(numbers_are_no_secrets),    CASE(an_identifier_is_of_one_bot),
    CASE(bots_are_the_projects_own), CASE(secrets_are_never_shown),
    CASE(acknowledged_bots_survive), CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){0});
    admin = person_admin(suite);
    return unit_run("bots", cases, ARRAY_SIZE(cases));
}
