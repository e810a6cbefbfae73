/*
 * test_locales.c - a project's languages, settings history and emailed tenant code over HTTP.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define HISTORY "/v1/project/settings/history"

enum { MAIL_MS = 10000 };

static struct suite *suite;

static struct http_answer *patch(const char *access, const char *json)
{
    return http_call(suite_url(suite),
                     &(struct http_request){
                         .method = "PATCH", .path = "/locales", .bearer = access, .raw = json});
}

/* Formats the languages as "en de" with the default as "/en" (caller frees). */
static char *spoken(const struct http_answer *answer)
{
    json_t *languages = http_member(answer, "languages");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; i < json_array_size(languages); i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", json_string_value(json_array_get(languages, i)));
    fprintf(out, "/%s", http_text(answer, "defaultLanguage"));
    fclose(out);
    return text;
}

static void check_spoken(const struct http_answer *answer, const char *want, const char *label)
{
    char *text = spoken(answer);

    UNIT_CHECK(answer->status == 200 && strcmp(text, want) == 0, "%s: %d %s", label, answer->status,
               text);
    free(text);
}

static void languages_are_merged(void)
{
    static const struct {
        const char *body, *want;
    } rows[] = {
        {"{}", "en/en"},
        {"{\"languages\":[\"en\",\"de\",\"pt-br\"]}", "en de pt-BR/en"},
        {"{\"defaultLanguage\":\"DE\"}", "en de pt-BR/de"},
        {"{\"languages\":[\"zh-Hant-TW\"],\"defaultLanguage\":\"zh-hant-tw\"}",
         "zh-Hant-TW/zh-Hant-TW"},
        {"{\"other\":1}", "zh-Hant-TW/zh-Hant-TW"},
    };
    PERSON there = person_admin_of_child(suite, "languages");
    HTTP_ANSWER unset = http_get(suite_url(suite), "/locales", there->access);

    check_spoken(unset, "en/en", "unset");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER written = patch(there->access, rows[i].body);
        HTTP_ANSWER read = http_get(suite_url(suite), "/locales", there->access);

        check_spoken(written, rows[i].want, rows[i].body);
        check_spoken(read, rows[i].want, rows[i].body);
    }
}

static void bad_languages_are_refused(void)
{
    static const struct {
        const char *body, *path;
    } rows[] = {
        {"{\"languages\":[]}", "languages"},
        {"{\"languages\":null}", "languages"},
        {"{\"languages\":\"en\"}", "languages"},
        {"{\"languages\":[\"en\",\"e\"]}", "languages.1"},
        {"{\"languages\":[\"en\",\"\"]}", "languages.1"},
        {"{\"languages\":[\"en\",7]}", "languages.1"},
        {"{\"languages\":[\"en_US\",\"en\"]}", "languages.0"},
        {"{\"languages\":[\"en\",\"de\",\"EN\"]}", "languages.2"},
        {"{\"languages\":[\"de\"]}", "defaultLanguage"},
        {"{\"defaultLanguage\":\"fr\"}", "defaultLanguage"},
        {"{\"defaultLanguage\":\"not a tag\"}", "defaultLanguage"},
        {"{\"defaultLanguage\":\"\"}", "defaultLanguage"},
    };
    PERSON there = person_admin_of_child(suite, "tongues");
    char many[101 * 8 + 32], *at = stpcpy(many, "{\"languages\":[\"en\"");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = patch(there->access, rows[i].body);

        CHECK_PROBLEM(answer, rows[i].path);
    }
    for (int i = 0; i < 100; i++)
        at += sprintf(at, ",\"a%c%c\"", 'a' + i / 26, 'a' + i % 26);
    strcpy(at, "]}");
    HTTP_ANSWER answer = patch(there->access, many);
    CHECK_PROBLEM(answer, "languages");
    HTTP_ANSWER after = http_get(suite_url(suite), "/locales", there->access);
    check_spoken(after, "en/en", "nothing was written");
}

static void roles_that_may_read_and_write_locales(void)
{
    static const char without[] = "{\"name\":\"P\",\"resource\":[{\"resourceType\":\"Bot\"},"
                                  "{\"resourceType\":\"Locale\",\"interaction\":[\"search\"]}]}";
    static const char with[] =
        "{\"name\":\"P\",\"resource\":[{\"resourceType\":\"*\",\"readonly\":true}]}";
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    char path[128];

    HTTP_ANSWER read = http_get(suite_url(suite), "/locales", patient->access);
    check_spoken(read, "en de es/en", "the demo tenant");
    HTTP_ANSWER write = patch(patient->access, "{}");
    CHECK_ERROR(write, 403, "Forbidden");
    HTTP_ANSWER nobody = http_get(suite_url(suite), "/locales", NULL);
    CHECK_STATUS(nobody, 401);

    snprintf(path, sizeof(path), "/v1/project/access-policies/%s",
             strchr(suite_text(suite, "demo.patientAccessPolicy"), '/') + 1);
    for (int i = 0; i < 2; i++) {
        struct http_request change = {
            .method = "PUT", .path = path, .bearer = admin->access, .raw = i == 0 ? without : with};
        HTTP_ANSWER changed = http_call(suite_url(suite), &change);
        HTTP_ANSWER now = http_get(suite_url(suite), "/locales", patient->access);

        CHECK_STATUS(changed, 200);
        if (i == 0)
            CHECK_ERROR(now, 403, "Forbidden");
        else
            CHECK_STATUS(now, 200);
    }
}

/* Counts the history's language changes, each of which must start from the previous result. */
static int check_chain(const struct http_answer *history)
{
    json_t *changes = http_member(history, "resources"), *newer = NULL;
    int count = 0;

    for (size_t i = 0; i < json_array_size(changes); i++) {
        json_t *change = json_array_get(changes, i);

        if (strcmp(json_string_value(json_object_get(change, "name")), "languages") != 0)
            continue;
        count++;
        CU_ASSERT_TRUE(!newer ||
                       json_equal(json_object_get(newer, "old"), json_object_get(change, "new")));
        newer = change;
    }
    return count;
}

static void no_language_is_lost(void)
{
    enum { MANY = 60 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    PERSON there = person_admin_of_child(suite, "racing");
    char bodies[MANY][48], *now;
    int won = 0, standing = 0;

    for (int i = 0; i < MANY; i++) {
        snprintf(bodies[i], sizeof(bodies[i]), "{\"languages\":[\"en\",\"a%c%c\"]}", 'a' + i / 26,
                 'a' + i % 26);
        requests[i] = (struct http_request){
            .method = "PATCH", .path = "/locales", .bearer = there->access, .raw = bodies[i]};
    }
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    HTTP_ANSWER after = http_get(suite_url(suite), "/locales", there->access);
    now = spoken(after);
    for (int i = 0; i < MANY; i++) {
        if (answers[i]->status == 200) {
            char *text = spoken(answers[i]);

            won++;
            standing += strcmp(text, now) == 0;
            free(text);
        } else {
            CHECK_ERROR(answers[i], 409, "The project changed during the write.");
        }
    }
    CU_ASSERT_TRUE(won >= 1);
    CU_ASSERT_EQUAL(standing, 1);
    HTTP_ANSWER history = http_get(suite_url(suite), HISTORY "?_count=1000", there->access);
    CU_ASSERT_EQUAL(check_chain(history), won);
    http_answers_destroy(answers, MANY);
    free(now);
}

static void every_change_is_kept(void)
{
    static const struct {
        const char *path, *body;
    } writes[] = {
        {"/v1/project/settings/PATIENT_LOGIN_ENABLED", "{\"enabled\":false}"},
        {"/v1/project/settings/values/PATIENT_APP_URL", "{\"value\":\"https://a.example\"}"},
        {"/v1/project/settings/values/PATIENT_APP_URL", "{\"value\":\"\"}"},
    };
    PERSON there = person_admin_of_child(suite, "history");

    for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
        HTTP_ANSWER answer = http_call(suite_url(suite), &(struct http_request){
                                                             .method = "PUT",
                                                             .path = writes[i].path,
                                                             .bearer = there->access,
                                                             .raw = writes[i].body,
                                                         });
        CHECK_STATUS(answer, 200);
    }
    HTTP_ANSWER locales = patch(there->access, "{\"languages\":[\"en\",\"de\"]}");
    CHECK_STATUS(locales, 200);

    /* The history is newest first; a new child starts with two settings, which are at its end. */
    HTTP_ANSWER all = http_get(suite_url(suite), HISTORY, there->access);
    CHECK_STATUS(all, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(all, "total")), 6);
    CU_ASSERT_EQUAL(json_array_size(http_member(all, "resources")), 6);
    CU_ASSERT_STRING_EQUAL(http_text(all, "resources.0.name"), "languages");
    CU_ASSERT_STRING_EQUAL(http_text(all, "resources.0.old.0"), "en");
    CU_ASSERT_STRING_EQUAL(http_text(all, "resources.0.new.1"), "de");
    CU_ASSERT_STRING_EQUAL(http_text(all, "resources.1.name"), "PATIENT_APP_URL");
    CU_ASSERT_STRING_EQUAL(http_text(all, "resources.1.old"), "https://a.example");
    CU_ASSERT_TRUE(json_is_null(http_member(all, "resources.1.new")));
    CU_ASSERT_TRUE(json_is_null(http_member(all, "resources.2.old")));
    CU_ASSERT_STRING_EQUAL(http_text(all, "resources.3.name"), "PATIENT_LOGIN_ENABLED");
    CU_ASSERT_TRUE(json_is_false(http_member(all, "resources.3.new")));
    CU_ASSERT_STRING_EQUAL(http_text(all, "resources.3.who.reference"), there->profile);
    CU_ASSERT_TRUE(*http_text(all, "resources.3.who.display") != '\0');
    CU_ASSERT_EQUAL(strlen(http_text(all, "resources.3.when")), strlen("2026-01-31T09:30:00.000Z"));

    HTTP_ANSWER page = http_get(suite_url(suite), HISTORY "?_count=2&_offset=1", there->access);
    CU_ASSERT_EQUAL(json_integer_value(http_member(page, "total")), 6);
    CU_ASSERT_EQUAL(json_array_size(http_member(page, "resources")), 2);
    CU_ASSERT_STRING_EQUAL(http_text(page, "resources.0.old"), "https://a.example");
    HTTP_ANSWER beyond = http_get(suite_url(suite), HISTORY "?_offset=100", there->access);
    CU_ASSERT_EQUAL(json_integer_value(http_member(beyond, "total")), 6);
    CU_ASSERT_EQUAL(json_array_size(http_member(beyond, "resources")), 0);
    HTTP_ANSWER none = http_get(suite_url(suite), HISTORY "?_count=0", there->access);
    CHECK_PROBLEM(none, "_count");
    HTTP_ANSWER many = http_get(suite_url(suite), HISTORY "?_count=1001", there->access);
    CHECK_PROBLEM(many, "_count");
    HTTP_ANSWER negative = http_get(suite_url(suite), HISTORY "?_offset=-1", there->access);
    CHECK_PROBLEM(negative, "_offset");
}

static struct http_answer *mail_code(const char *access, const char *email)
{
    return http_post(suite_url(suite), "/organizations/code/email", access,
                     json_pack("{s:s}", "email", email));
}

static void the_code_is_mailed(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER answer = mail_code(admin->access, " Ana.Code@Example.ORG ");
    char *mail = suite_mail(suite, "ana.code@example.org", MAIL_MS);

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "email"), "ana.code@example.org");
    CU_ASSERT_EQUAL(json_object_size(answer->json), 1);
    CU_ASSERT_TRUE(mail && strstr(mail, suite_text(suite, "demo.tenantCode")));
    free(mail);
    HTTP_ANSWER bad = mail_code(admin->access, "nobody");
    CHECK_PROBLEM(bad, "email");
}

static void an_unmapped_code_is_not_mailed(void)
{
    PERSON there = person_admin_of_child(suite, "silent");
    HTTP_ANSWER answer = mail_code(there->access, "silent@example.org");

    CHECK_STATUS(answer, 200);
    free(suite_query(suite, "delete from settings.tenant_code where code = 'silent'"));
    HTTP_ANSWER none = mail_code(there->access, "silent@example.org");
    CHECK_ERROR(none, 400, "The project has no tenant code.");
    char *mail = suite_mail(suite, "silent@example.org", 2000);
    CU_ASSERT_PTR_NULL(mail);
    free(mail);
}

/* Emails the code `count` times concurrently, to one mailbox or, with NULL, to one each. Returns
 * the number accepted. */
static int mail_many(const char *access, const char *mailbox, size_t count)
{
    enum { MOST = 64 };
    struct http_request requests[MOST];
    struct http_answer *answers[MOST];
    char email[64];
    int taken = 0;

    for (size_t i = 0; i < count; i++) {
        snprintf(email, sizeof(email), "many%zu@example.org", i);
        requests[i] =
            (struct http_request){.method = "POST",
                                  .path = "/organizations/code/email",
                                  .bearer = access,
                                  .body = json_pack("{s:s}", "email", mailbox ? mailbox : email)};
    }
    http_call_many(suite_url(suite), requests, count, 16, answers);
    for (size_t i = 0; i < count; i++) {
        taken += answers[i]->status == 200;
        if (answers[i]->status != 200)
            CHECK_ERROR(answers[i], 429, "Too many requests. Try again later.");
    }
    http_answers_destroy(answers, count);
    return taken;
}

/* Per fifteen minutes, five for a mailbox and thirty for a member, across all instances. */
static void code_mails_are_limited(void)
{
    PERSON busy = person_admin_of_child(suite, "busy");
    PERSON other = person_admin_of_child(suite, "other");

    CU_ASSERT_EQUAL(mail_many(busy->access, "full@example.org", 20), 5);
    HTTP_ANSWER full = mail_code(other->access, "FULL@example.org");
    CHECK_STATUS(full, 429);
    CU_ASSERT_TRUE(http_retry_after(full) > 800 && http_retry_after(full) <= 900);
    /* requests refused for the mailbox count for the sender, so only ten of thirty remain */
    CU_ASSERT_EQUAL(mail_many(busy->access, NULL, 40), 10);
    HTTP_ANSWER free_one = mail_code(other->access, "many39@example.org");
    CHECK_STATUS(free_one, 200);
    suite_set_clock(suite, 15 * 60 + 1);
    HTTP_ANSWER later = mail_code(busy->access, "full@example.org");
    CHECK_STATUS(later, 200);
    suite_set_clock(suite, 0);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(languages_are_merged),
    CASE(bad_languages_are_refused),
    CASE(roles_that_may_read_and_write_locales),
    CASE(no_language_is_lost),
    CASE(every_change_is_kept),
    CASE(the_code_is_mailed),
    CASE(an_unmapped_code_is_not_mailed),
    CASE(code_mails_are_limited),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.instances = "settingsd=2,authd=2,gateway=2", .test_clock = true});
    return unit_run("locales", cases, ARRAY_SIZE(cases));
}
