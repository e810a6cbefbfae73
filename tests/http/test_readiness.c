/*
 * test_readiness.c - readiness of each flow of a project: the response agrees with the flow's
 * behavior.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define READINESS "/v1/project/readiness"

static struct suite *suite;
static struct person *admin, *child;

static const json_t *named(const struct http_answer *answer, const char *list, const char *name)
{
    return http_find(http_member(answer, list), "name", name);
}

static bool is_ready(const struct http_answer *answer, const char *flow)
{
    return json_is_true(json_object_get(named(answer, "flows", flow), "ready"));
}

/* Returns 1 if the missing item blocks the flow, 0 if it is listed but does not block it, -1 if it
 * is not listed. */
static int lacks(const struct http_answer *answer, const char *flow, const char *kind,
                 const char *name)
{
    const json_t *list = json_object_get(named(answer, "flows", flow), "lacks");
    size_t i;
    json_t *each;

    json_array_foreach(list, i, each)
    {
        if (strcmp(json_string_value(json_object_get(each, "kind")), kind) == 0 &&
            strcmp(json_string_value(json_object_get(each, "name")), name) == 0)
            return json_is_true(json_object_get(each, "blocks"));
    }
    return -1;
}

/* Checks that only this item blocks the flow, or with kind NULL that the flow is ready. */
static void check_blocked(const struct person *who, const char *flow, const char *kind,
                          const char *name)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), READINESS, who->access);
    size_t i, blocks = 0;
    json_t *each;

    CHECK_STATUS(answer, 200);
    json_array_foreach(json_object_get(named(answer, "flows", flow), "lacks"), i, each) blocks +=
        json_is_true(json_object_get(each, "blocks"));
    UNIT_CHECK(is_ready(answer, flow) == !kind && blocks == (kind ? 1 : 0), "%s: %zu block", flow,
               blocks);
    if (kind)
        UNIT_CHECK(lacks(answer, flow, kind, name) == 1, "%s: not blocked by %s", flow, name);
}

static int invite(const struct person *who, const char *type)
{
    char *email = person_address();
    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/projects/me/members", who->access,
                                 json_pack("{s:s, s:s, s:s, s:s}", "email", email, "firstName",
                                           "Ana", "lastName", "Lima", "type", type));

    free(email);
    return made->status;
}

static void map(const struct person *who, const char *name, const char *language)
{
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/email-templates/%s", name);
    HTTP_ANSWER put = http_put(suite_url(suite), path, who->access,
                               json_pack("{s:s, s:s, s:s*}", "subject", "Hello", "text",
                                         "{{recipientName}}", "language", language));
    CHECK_STATUS(put, 200);
}

static int register_in(const char *tenant)
{
    char *email = person_address();
    HTTP_ANSWER made =
        suite_post_fresh(suite, "/auth/tenant/Patient/register", body_register(email, tenant));

    free(email);
    return made->status;
}

static const char *make_policy(const struct person *who)
{
    static char reference[64];
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/access-policies", who->access,
                  json_pack("{s:s, s:[{s:s, s:[s]}]}", "name", "Few rights", "resource",
                            "resourceType", "Locale", "interaction", "read"));

    CHECK_STATUS(made, 200);
    snprintf(reference, sizeof(reference), "AccessPolicy/%s", http_text(made, "id"));
    return reference;
}

static void only_admins_read_it(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER anonymous = http_get(suite_url(suite), READINESS, NULL);
    HTTP_ANSWER refused = http_get(suite_url(suite), READINESS, patient->access);

    CHECK_STATUS(anonymous, 401);
    CHECK_STATUS(refused, 403);
}

static void switches_have_their_effective_values(void)
{
    HTTP_ANSWER before = http_get(suite_url(suite), READINESS, admin->access);
    const json_t *sign_in = named(before, "switches", "PATIENT_LOGIN_ENABLED"), *staff;

    CU_ASSERT_TRUE(json_is_true(json_object_get(sign_in, "enabled")));
    CU_ASSERT_TRUE(json_is_false(json_object_get(sign_in, "written")));
    staff = named(before, "switches", "PRACTITIONER_REGISTRATION_ENABLED");
    CU_ASSERT_TRUE(json_is_false(json_object_get(staff, "enabled")));
    CU_ASSERT_TRUE(json_is_false(json_object_get(staff, "written")));
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    check_blocked(admin, "patient-sign-in", "switch", "PATIENT_LOGIN_ENABLED");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    check_blocked(admin, "patient-sign-in", NULL, NULL);
    HTTP_ANSWER after = http_get(suite_url(suite), READINESS, admin->access);
    CU_ASSERT_TRUE(json_is_true(
        json_object_get(named(after, "switches", "PATIENT_LOGIN_ENABLED"), "written")));
}

static void an_invitation_works_when_nothing_blocks_it(void)
{
    HTTP_ANSWER before = http_get(suite_url(suite), READINESS, child->access);
    const char *policy = make_policy(child);

    CU_ASSERT_FALSE(is_ready(before, "practitioner-invitation"));
    CU_ASSERT_EQUAL(invite(child, "Practitioner"), 422);
    suite_set_value(suite, child->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", policy);
    CU_ASSERT_EQUAL(invite(child, "Practitioner"), 400);
    map(child, "INVITE_TO_PROJECT", NULL);
    check_blocked(child, "practitioner-invitation", "address", "PRACTITIONER_APP_URL");
    CU_ASSERT_EQUAL(invite(child, "Practitioner"), 400);
    suite_set_value(suite, child->access, "PRACTITIONER_APP_URL", "https://staff.example");
    check_blocked(child, "practitioner-invitation", NULL, NULL);
    CU_ASSERT_EQUAL(invite(child, "Practitioner"), 200);
    suite_set_switch(suite, child->access, "PRACTITIONER_INVITATION_ENABLED", false);
    check_blocked(child, "practitioner-invitation", "switch", "PRACTITIONER_INVITATION_ENABLED");
    CU_ASSERT_EQUAL(invite(child, "Practitioner"), 403);
}

static void a_registration_works_when_nothing_blocks_it(void)
{
    suite_set_switch(suite, child->access, "PATIENT_REGISTRATION_ENABLED", true);
    check_blocked(child, "patient-registration", "policy", "defaultPatientAccessPolicy");
    CU_ASSERT_NOT_EQUAL(register_in("readiness-child"), 200);
    HTTP_ANSWER put = http_put(suite_url(suite), "/v1/project/default-patient-access-policy",
                               child->access, json_pack("{s:s}", "value", make_policy(child)));
    CHECK_STATUS(put, 200);
    check_blocked(child, "patient-registration", NULL, NULL);
    CU_ASSERT_EQUAL(register_in("readiness-child"), 200);
    HTTP_ANSWER after = http_get(suite_url(suite), READINESS, child->access);
    /* the welcome is not mapped, but registration works */
    CU_ASSERT_EQUAL(lacks(after, "patient-registration", "template", "PATIENT_WELCOME"), 0);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(
                               named(after, "policies", "defaultPatientAccessPolicy"), "display")),
                           "Few rights");
}

static void speak_german(const struct person *who)
{
    HTTP_ANSWER locales = http_call(
        suite_url(suite),
        &(struct http_request){.method = "PATCH",
                               .path = "/locales",
                               .bearer = who->access,
                               .body = json_pack("{s:[s, s, s], s:s}", "languages", "en", "pt-BR",
                                                 "de", "defaultLanguage", "en")});

    CHECK_STATUS(locales, 200);
}

static void a_language_without_its_mail_is_named(void)
{
    speak_german(child);
    map(child, "PATIENT_INVITE", "en");
    map(child, "PATIENT_INVITE", "pt");
    HTTP_ANSWER answer = http_get(suite_url(suite), READINESS, child->access);
    const json_t *list = json_object_get(named(answer, "flows", "patient-invitation"), "lacks");
    size_t i, count = 0;
    json_t *each;

    json_array_foreach(list, i, each)
    {
        if (strcmp(json_string_value(json_object_get(each, "kind")), "language") == 0) {
            count++;
            CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(each, "language")), "de");
            CU_ASSERT_TRUE(json_is_false(json_object_get(each, "blocks")));
        }
    }
    CU_ASSERT_EQUAL(count, 1);
}

/* Atrium sends these emails in English if the project has no template. */
static void a_built_in_email_needs_no_template(void)
{
    static const char shows[] = "EMAIL_CHANGE is sent with Atrium's built-in English text "
                                "(atriumctl template put --project readiness-child EMAIL_CHANGE ";

    speak_german(child);
    suite_set_value(suite, child->access, "PATIENT_APP_URL", "https://my.example");
    check_blocked(child, "patient-email-verification", NULL, NULL);
    check_blocked(child, "patient-email-change", NULL, NULL);
    check_blocked(child, "patient-password-reset", "template", "PASSWORD_RESET");
    check_blocked(child, "patient-sign-in-code", "account-policy", "mailCode");
    HTTP_ANSWER answer = http_get(suite_url(suite), READINESS, child->access);
    PROGRAM before = ATRIUMCTL(suite, NULL, "project", "show", "readiness-child");
    CU_ASSERT_TRUE(
        json_is_true(json_object_get(named(answer, "templates", "EMAIL_CHANGE"), "builtin")));
    CU_ASSERT_TRUE(
        json_is_false(json_object_get(named(answer, "templates", "PASSWORD_RESET"), "builtin")));
    CU_ASSERT_EQUAL(lacks(answer, "patient-email-change", "language", "EMAIL_CHANGE"), 0);
    UNIT_CHECK(strstr(before->out, shows), "%s", before->out);
    map(child, "EMAIL_CHANGE", NULL);
    HTTP_ANSWER mapped = http_get(suite_url(suite), READINESS, child->access);
    PROGRAM after = ATRIUMCTL(suite, NULL, "project", "show", "readiness-child");
    CU_ASSERT_EQUAL(lacks(mapped, "patient-email-change", "language", "EMAIL_CHANGE"), -1);
    CU_ASSERT_PTR_NULL(strstr(after->out, shows));
}

static void atriumctl_shows_the_same(void)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), READINESS, child->access);
    CLEANUP(program_destroy)
    struct program *shown = ATRIUMCTL(suite, NULL, "project", "show", "readiness-child", "--json");
    CLEANUP(program_destroy)
    struct program *read = ATRIUMCTL(suite, NULL, "project", "show", "readiness-child");
    json_error_t ignored;
    json_auto_t *json = json_loads(shown->out, 0, &ignored);

    CU_ASSERT_TRUE(json_equal(json_object_get(json, "readiness"), answer->json));
    CU_ASSERT_PTR_NOT_NULL(strstr(
        read->out, "practitioner-invitation does not work: switch PRACTITIONER_INVITATION_"));
}

static void what_is_lacking_is_shown_with_its_command(void)
{
    static const char *const commands[] = {
        "switch PRACTITIONER_REGISTRATION_ENABLED (atriumctl project set bare "
        "PRACTITIONER_REGISTRATION_ENABLED true)",
        "policy defaultPatientAccessPolicy (atriumctl project set bare "
        "default-patient-access-policy AccessPolicy/ID)",
        "address PATIENT_APP_URL (atriumctl project set bare PATIENT_APP_URL URL)",
        "account-policy mailCode (atriumctl project policy bare mailCode true)",
        "template PASSWORD_RESET (atriumctl template put --project bare PASSWORD_RESET --subject "
        "TEXT --text FILE)",
    };
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", "Bare", "--code", "bare");
    PROGRAM shown = ATRIUMCTL(suite, NULL, "project", "show", "bare");

    CHECK_EXIT(made, 0);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        UNIT_CHECK(strstr(shown->out, commands[i]), "%s", commands[i]);
}

/* Runs the operator guide's block with only the gateway's URL changed. */
static void the_guides_first_tenant_takes_patients(void)
{
    static const char script[] =
        "program=$0 dir=$1 url=$2; atriumctl() { \"$program\" --dir \"$dir\" \"$@\"; };"
        "eval \"$(awk '/^```/ { inside = 0 } inside || $0 == \"# first tenant\" { inside = 1; "
        "print }' docs/operations.md | sed \"s,http://127.0.0.1:8080,$url,\")\"";
    char *program = program_path("atriumctl");
    const char *const argv[] = {"/bin/bash", "-euo",           "pipefail",       "-c", script,
                                program,     suite_dir(suite), suite_url(suite), NULL};
    PROGRAM run = program_run(argv, NULL);

    CHECK_EXIT(run, 0);
    UNIT_CHECK(strstr(run->out, "{\"nextStep\":\"verify-email\"}"), "%s", run->out);
    free(program);
}

/* Emails link to them, so an invitation works; a business sign-up still needs the settings. */
static void hosted_pages_take_the_place_of_an_address(void)
{
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "");
    check_blocked(admin, "practitioner-invitation", "address", "PRACTITIONER_APP_URL");
    CU_ASSERT_EQUAL(invite(admin, "Practitioner"), 400);
    suite_reconfigure(suite, NULL);
    check_blocked(admin, "practitioner-invitation", NULL, NULL);
    CU_ASSERT_EQUAL(invite(admin, "Practitioner"), 200);
    HTTP_ANSWER answer = http_get(suite_url(suite), READINESS, admin->access);
    CLEANUP(program_destroy)
    struct program *shown = ATRIUMCTL(suite, NULL, "project", "show", "demo");
    CU_ASSERT_EQUAL(lacks(answer, "business-invitation", "address", "PRACTITIONER_APP_URL"), 1);
    CU_ASSERT_PTR_NULL(strstr(shown->out, "practitioner-invitation does not work"));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(shown->out, "business-invitation does not work: address PRACTITIONER_APP_URL"));
}

static void a_suspended_project_has_no_flow(void)
{
    CLEANUP(program_destroy)
    struct program *done = ATRIUMCTL(suite, NULL, "project", "suspend", "readiness-child");
    CLEANUP(program_destroy)
    struct program *shown = ATRIUMCTL(suite, NULL, "project", "show", "readiness-child");

    CU_ASSERT_EQUAL(done->code, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(shown->out, "patient-sign-in does not work: project suspended"));
}

static void without_maild_settings_are_shown_all_the_same(void)
{
    pid_t pid = suite_pid(suite, "maild", "1");

    kill(pid, SIGSTOP);
    HTTP_ANSWER answer = http_get(suite_url(suite), READINESS, admin->access);
    CLEANUP(program_destroy)
    struct program *shown = ATRIUMCTL(suite, NULL, "project", "show", "demo");
    kill(pid, SIGCONT);
    CHECK_STATUS(answer, 503);
    CU_ASSERT_EQUAL(shown->code, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(shown->out, "PATIENT_LOGIN_ENABLED"));
    CU_ASSERT_PTR_NOT_NULL(strstr(shown->out, "maild does not answer"));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
}

static void suite_starts(void)
{
    suite = suite_start(&(struct suite_options){.set = "common.public_url="});
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "readiness-child");
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&child);
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(only_admins_read_it),
    CASE(switches_have_their_effective_values),
    CASE(an_invitation_works_when_nothing_blocks_it),
    CASE(a_registration_works_when_nothing_blocks_it),
    CASE(a_language_without_its_mail_is_named),
    CASE(a_built_in_email_needs_no_template),
    CASE(atriumctl_shows_the_same),
    CASE(what_is_lacking_is_shown_with_its_command),
    CASE(the_guides_first_tenant_takes_patients),
    CASE(hosted_pages_take_the_place_of_an_address),
    CASE(a_suspended_project_has_no_flow),
    CASE(without_maild_settings_are_shown_all_the_same),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("readiness", cases, ARRAY_SIZE(cases));
}
