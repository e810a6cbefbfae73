/*
 * test_project_commands.c - operator commands about a project, its settings and templates: output
 * and effect over HTTP.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define PASSWORD "a password of an admin"

static struct suite *suite;

/* Passes a password on standard input, which the command does not read. */
static struct program *create_existing(const char *code, const char *email)
{
    return ATRIUMCTL(suite, "another password\n", "user", "create-admin", "--project", code,
                     "--email", email, "--name", "Olga", "--surname", "Petrova", "--existing",
                     "--json");
}

static char *shown(const char *code, const char *member)
{
    PROGRAM show = ATRIUMCTL(suite, NULL, "project", "show", code, "--json");

    CHECK_EXIT(show, DONE);
    return strdup(program_text(show, member));
}

static void projects_are_made_with_and_without_a_code(void)
{
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", "City Clinic", "--json");
    PROGRAM again = ATRIUMCTL(suite, NULL, "project", "create", "City Clinic", "--json");
    PROGRAM given = ATRIUMCTL(suite, NULL, "project", "create", "X", "--code", "x-42", "--json");
    PROGRAM none = ATRIUMCTL(suite, NULL, "project", "create", "Silent", "--no-code", "--json");
    PROGRAM list = ATRIUMCTL(suite, NULL, "project", "list", "--json");
    const struct program *const all[] = {made, again, given, none, list};

    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        CHECK_EXIT(all[i], DONE);
    CU_ASSERT_STRING_EQUAL(program_text(made, "tenantCode"), "city-clinic");
    CU_ASSERT_STRING_NOT_EQUAL(program_text(again, "tenantCode"), "city-clinic");
    CU_ASSERT_STRING_NOT_EQUAL(program_text(again, "tenantCode"), "");
    CU_ASSERT_STRING_EQUAL(program_text(given, "tenantCode"), "x-42");
    CU_ASSERT_TRUE(json_is_null(json_object_get(none->json, "tenantCode")));
    for (size_t i = 0; i + 1 < ARRAY_SIZE(all); i++)
        CU_ASSERT_PTR_NOT_NULL(
            http_find(list->json, "projectId", program_text(all[i], "projectId")));
    PROGRAM shown = ATRIUMCTL(suite, NULL, "project", "show", "x-42", "--json");
    CHECK_EXIT(shown, DONE);
    CU_ASSERT_STRING_EQUAL(program_text(shown, "projectId"), program_text(given, "projectId"));
    CU_ASSERT_STRING_EQUAL(program_text(shown, "name"), "X");
    PROGRAM table = ATRIUMCTL(suite, NULL, "project", "list");
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "TENANT CODE"));

    PROGRAM taken = ATRIUMCTL(suite, NULL, "project", "create", "Y", "--code", "x-42");
    CHECK_REFUSED(taken, FAILED, "The tenant code is already in use. Choose another one.");
    PROGRAM bad = ATRIUMCTL(suite, NULL, "project", "create", "Y", "--code", "No Code!");
    CHECK_REFUSED(bad, FAILED, "tenantCode");
    PROGRAM both = ATRIUMCTL(suite, NULL, "project", "create", "Y", "--code", "y-1", "--no-code");
    CHECK_REFUSED(both, FAILED, "--code and --no-code exclude each other");
    PROGRAM unknown = ATRIUMCTL(suite, NULL, "project", "show", "nobody");
    CHECK_REFUSED(unknown, FAILED, "Tenant not found.");
}

/* Commands alone make an admin who changes a setting and a patient who signs in. */
static void a_new_project_is_ready_for_people(void)
{
    char *email = person_address();

    suite_make_open_project(suite, "ready");
    PROGRAM created = suite_create_admin(suite, "ready", "olga@ready.example", PASSWORD "\n");
    CHECK_EXIT(created, DONE);
    CU_ASSERT_TRUE(json_is_true(json_object_get(created->json, "created")));
    CU_ASSERT_PTR_NULL(strstr(created->out, PASSWORD));
    PERSON admin = person_sign_in(suite, "Practitioner", "olga@ready.example", PASSWORD, "ready");
    CU_ASSERT_EQUAL(admin->status, 200);
    HTTP_ANSWER code = http_get(suite_url(suite), "/organizations/code", admin->access);
    CHECK_STATUS(code, 200);
    CU_ASSERT_STRING_EQUAL(http_text(code, "code"), "ready");
    suite_set_switch(suite, admin->access, "PATIENT_INVITATION_ENABLED", false);
    HTTP_ANSWER patient =
        suite_post_fresh(suite, "/auth/tenant/Patient/register", body_register(email, "ready"));
    CHECK_STATUS(patient, 200);

    /* create-admin does not change an existing account's password, and makes it an admin of another
     * project only with --existing. */
    suite_make_project(suite, "Second", "second");
    PROGRAM refused =
        suite_create_admin(suite, "second", "olga@ready.example", "another password\n");
    CHECK_REFUSED(refused, FAILED, "There is an account with this address.");
    PROGRAM empty = suite_create_admin(suite, "second", "olga@ready.example", "");
    CHECK_REFUSED(empty, FAILED, "There is an account with this address.");
    PROGRAM added = create_existing("second", "olga@ready.example");
    CHECK_EXIT(added, DONE);
    CU_ASSERT_TRUE(json_is_false(json_object_get(added->json, "created")));
    PERSON second = person_sign_in(suite, "Practitioner", "olga@ready.example", PASSWORD, "second");
    CU_ASSERT_EQUAL(second->status, 200);

    PROGRAM absent = create_existing("ready", "nina@ready.example");
    CHECK_REFUSED(absent, FAILED, "Account not found.");
    PROGRAM silent = suite_create_admin(suite, "ready", "nina@ready.example", "");
    CHECK_REFUSED(silent, FAILED, "password");
    PROGRAM unknown = suite_create_admin(suite, "nobody", "nina@ready.example", PASSWORD "\n");
    CHECK_REFUSED(unknown, FAILED, "Tenant not found.");
    PROGRAM address = suite_create_admin(suite, "ready", "not an address", PASSWORD "\n");
    CHECK_REFUSED(address, FAILED, "email");
    free(email);
}

static void a_suspended_project_is_closed_at_once(void)
{
    char *email = person_address(), *other = person_address(), *third = person_address();

    suite_make_open_project(suite, "pause");
    HTTP_ANSWER patient =
        suite_post_fresh(suite, "/auth/tenant/Patient/register", body_register(email, "pause"));
    CHECK_STATUS(patient, 200);
    HTTP_ANSWER leaving =
        suite_post_fresh(suite, "/auth/tenant/Patient/register", body_register(third, "pause"));
    CHECK_STATUS(leaving, 200);
    const char *bearer = http_text(patient, "accessToken");

    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", bearer), 200);
    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "pause", "--json");
    CHECK_EXIT(suspended, DONE);
    CU_ASSERT_TRUE(json_is_true(json_object_get(suspended->json, "suspended")));
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", bearer), 403);
    HTTP_ANSWER start = http_post(suite_url(suite), "/auth/tenant/Patient/login/start", NULL,
                                  body_login_start(email, "correct horse battery staple", "pause"));
    CHECK_ERROR(start, 404, "Tenant not found.");
    HTTP_ANSWER newcomer =
        suite_post_fresh(suite, "/auth/tenant/Patient/register", body_register(other, "pause"));
    CHECK_ERROR(newcomer, 404, "Tenant not found.");
    HTTP_ANSWER left =
        http_post(suite_url(suite), "/auth/logout", http_text(leaving, "accessToken"), NULL);
    CHECK_STATUS(left, 204);
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER held = suite_refresh(suite, http_text(patient, "refreshToken"));
        CHECK_ERROR(held, 403, "The project is suspended.");
    }

    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "pause", "--resume", "--json");
    CHECK_EXIT(resumed, DONE);
    CU_ASSERT_TRUE(json_is_false(json_object_get(resumed->json, "suspended")));
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", bearer), 200);
    PERSON again = person_sign_in(suite, "Patient", email, "correct horse battery staple", "pause");
    CU_ASSERT_EQUAL(again->status, 200);
    HTTP_ANSWER renewed = suite_refresh(suite, http_text(patient, "refreshToken"));
    CHECK_STATUS(renewed, 200);
    HTTP_ANSWER next = suite_refresh(suite, http_text(renewed, "refresh_token"));
    CHECK_STATUS(next, 200);
    PROGRAM unknown = ATRIUMCTL(suite, NULL, "project", "suspend", "nobody");
    CHECK_REFUSED(unknown, FAILED, "Tenant not found.");
    free(email);
    free(other);
    free(third);
}

static void the_default_policy_opens_and_closes_registration(void)
{
    static const char setting[] = "default-patient-access-policy";
    char *email = person_address();

    suite_make_open_project(suite, "door");
    PROGRAM closed = ATRIUMCTL(suite, NULL, "project", "set", "door", setting, "");
    CHECK_EXIT(closed, DONE);
    HTTP_ANSWER refused =
        suite_post_fresh(suite, "/auth/tenant/Patient/register", body_register(email, "door"));
    CHECK_ERROR(refused, 403, "Registration is not enabled for this project.");
    PROGRAM foreign = ATRIUMCTL(suite, NULL, "project", "set", "door", setting,
                                suite_text(suite, "demo.patientAccessPolicy"));
    CU_ASSERT_EQUAL(foreign->code, FAILED);
    PROGRAM garbage = ATRIUMCTL(suite, NULL, "project", "set", "door", setting, "policy");
    CU_ASSERT_EQUAL(garbage->code, FAILED);
    free(email);
}

static void text_settings_are_written_and_taken_away(void)
{
    static const char url[] = "https://clinic.example/app";
    const struct {
        const char *name, *member;
    } rows[] = {{"PRACTITIONER_APP_URL", "practitionerAppUrl"},
                {"PATIENT_APP_URL", "patientAppUrl"}};
    char policy[64], said[128], *value;

    suite_make_project(suite, "Texts", "texts");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM set = ATRIUMCTL(suite, NULL, "project", "set", "texts", rows[i].name, url);
        CHECK_EXIT(set, DONE);
        snprintf(said, sizeof(said), "%s of texts is now %s.\n", rows[i].name, url);
        CU_ASSERT_STRING_EQUAL(set->out, said);
        value = shown("texts", rows[i].member);
        CU_ASSERT_STRING_EQUAL(value, url);
        free(value);
        PROGRAM wrong = ATRIUMCTL(suite, NULL, "project", "set", "texts", rows[i].name, "clinic");
        CHECK_REFUSED(wrong, FAILED, "value must be an absolute http or https URL");
        PROGRAM unset = ATRIUMCTL(suite, NULL, "project", "set", "texts", rows[i].name, "");
        CHECK_EXIT(unset, DONE);
        value = shown("texts", rows[i].member);
        CU_ASSERT_STRING_EQUAL(value, "");
        free(value);
    }
    PROGRAM put =
        ATRIUMCTL(suite, suite_all_policy, "policy", "put", "--project", "texts", "-", "--json");
    CHECK_EXIT(put, DONE);
    snprintf(policy, sizeof(policy), "AccessPolicy/%s", program_text(put, "id"));
    PROGRAM own = ATRIUMCTL(suite, NULL, "project", "set", "texts",
                            "DEFAULT_PRACTITIONER_ACCESS_POLICY", policy);
    CHECK_EXIT(own, DONE);
    value = shown("texts", "defaultPractitionerPolicy");
    CU_ASSERT_STRING_EQUAL(value, program_text(put, "id"));
    free(value);
    PROGRAM foreign =
        ATRIUMCTL(suite, NULL, "project", "set", "texts", "DEFAULT_PRACTITIONER_ACCESS_POLICY",
                  suite_text(suite, "demo.practitionerAccessPolicy"));
    CHECK_REFUSED(foreign, FAILED, "must name an access policy of this project");
    PROGRAM unknown = ATRIUMCTL(suite, NULL, "project", "set", "nobody", "PATIENT_APP_URL", url);
    CHECK_REFUSED(unknown, FAILED, "not found.");
}

static void switches_are_written(void)
{
    const struct {
        const char *name, *member;
    } rows[] = {{"PATIENT_REGISTRATION_ENABLED", "patientRegistration"},
                {"PATIENT_INVITATION_ENABLED", "patientInvitation"},
                {"PATIENT_LOGIN_ENABLED", "patientLogin"},
                {"PRACTITIONER_INVITATION_ENABLED", "practitionerInvitation"},
                {"PRACTITIONER_LOGIN_ENABLED", "practitionerLogin"},
                {"CLINICIAN_INVITE_ON_BUSINESS_EMAIL", "inviteOnBusinessEmail"},
                {"inheritProviders", "inheritProviders"}};
    const char *const values[] = {"false", "true"};

    suite_make_project(suite, "Switches", "switches");
    for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(values); i++) {
        const char *name = rows[i / 2].name, *value = values[i % 2];
        PROGRAM set = ATRIUMCTL(suite, NULL, "project", "set", "switches", name, value, "--json");
        PROGRAM show = ATRIUMCTL(suite, NULL, "project", "show", "switches", "--json");

        CHECK_EXIT(set, DONE);
        CHECK_EXIT(show, DONE);
        UNIT_CHECK(json_is_true(json_object_get(show->json, rows[i / 2].member)) == (i % 2 == 1),
                   "%s %s: %s", name, value, show->out);
        UNIT_CHECK(json_is_true(json_object_get(show->json, name)) == (i % 2 == 1), "%s %s: %s",
                   name, value, show->out);
        CU_ASSERT_STRING_EQUAL(set->out, show->out);
    }
    PROGRAM table =
        ATRIUMCTL(suite, NULL, "project", "set", "switches", "PATIENT_LOGIN_ENABLED", "false");
    CHECK_EXIT(table, DONE);
    CU_ASSERT_STRING_EQUAL(table->out, "PATIENT_LOGIN_ENABLED of switches is now false.\n");
    PROGRAM wrong =
        ATRIUMCTL(suite, NULL, "project", "set", "switches", "PATIENT_LOGIN_ENABLED", "on");
    CHECK_REFUSED(wrong, FAILED, "PATIENT_LOGIN_ENABLED: must be true or false");
    PROGRAM early = ATRIUMCTL(suite, NULL, "project", "set", "switches",
                              "PRACTITIONER_REGISTRATION_ENABLED", "true");
    CHECK_REFUSED(early, FAILED, "needs DEFAULT_PRACTITIONER_ACCESS_POLICY first");
}

/* Commands name such a project by its id. Its admin signs in without a tenant and gets an empty
 * code; a sign-in with the id as tenant is refused. */
static void a_project_without_a_code_is_shown_as_such(void)
{
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", "Quiet", "--no-code", "--json");
    CHECK_EXIT(made, DONE);
    const char *id = program_text(made, "projectId");
    PROGRAM created = suite_create_admin(suite, id, "olga@quiet.example", PASSWORD "\n");
    CHECK_EXIT(created, DONE);
    PROGRAM shown = ATRIUMCTL(suite, NULL, "project", "show", id, "--json");
    CHECK_EXIT(shown, DONE);
    CU_ASSERT_STRING_EQUAL(program_text(shown, "name"), "Quiet");

    HTTP_ANSWER start = http_post(suite_url(suite), "/auth/tenant/Practitioner/login/start", NULL,
                                  body_login_start("olga@quiet.example", PASSWORD, NULL));
    CHECK_STATUS(start, 200);
    CU_ASSERT_TRUE(json_is_string(http_member(start, "tenants.0.tenantCode")));
    CU_ASSERT_STRING_EQUAL(http_text(start, "tenants.0.tenantCode"), "");
    HTTP_ANSWER token = http_post(suite_url(suite), "/auth/tenant/Practitioner/login/token", NULL,
                                  body_login_token(http_text(start, "sessionCode"), NULL));
    CHECK_STATUS(token, 200);
    HTTP_ANSWER profile = http_get(suite_url(suite), "/auth/me", http_text(token, "accessToken"));
    CHECK_STATUS(profile, 200);
    CU_ASSERT_STRING_EQUAL(http_text(profile, "accessPolicy.resourceType"), "AccessPolicy");
    CU_ASSERT_PTR_NULL(http_member(profile, "accessPolicy.id"));
    CU_ASSERT_TRUE(json_is_array(http_member(profile, "accessPolicy.resource")));
    HTTP_ANSWER code =
        http_get(suite_url(suite), "/organizations/code", http_text(token, "accessToken"));
    CHECK_ERROR(code, 400, "The project has no tenant code.");
    PERSON by_id = person_sign_in(suite, "Practitioner", "olga@quiet.example", PASSWORD, id);
    CU_ASSERT_EQUAL(by_id->status, 404);
}

static void only_mapped_templates_are_mailed(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *file = unit_dir_write(&dir, "text", "Hi {{recipientName}}, {{projectName}}\n");
    char *before = person_address(), *after = person_address(), *mail;

    suite_make_open_project(suite, "letters");
    HTTP_ANSWER silent =
        suite_post_fresh(suite, "/auth/tenant/Patient/register", body_register(before, "letters"));
    CHECK_STATUS(silent, 200);
    PROGRAM put = ATRIUMCTL(suite, NULL, "template", "put", "--project", "letters",
                            "PATIENT_WELCOME", "--subject", "Hello", "--text", file, "--json");
    CHECK_EXIT(put, DONE);
    PROGRAM list = ATRIUMCTL(suite, NULL, "template", "list", "--project", "letters", "--json");
    CHECK_EXIT(list, DONE);
    CU_ASSERT_EQUAL(json_array_size(list->json), 1);
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.subject"), "Hello");
    HTTP_ANSWER welcome =
        suite_post_fresh(suite, "/auth/tenant/Patient/register", body_register(after, "letters"));
    CHECK_STATUS(welcome, 200);
    mail = suite_mail(suite, after, 5000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mail);
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "Hi Ana Prova, Clinic"));
    CU_ASSERT_EQUAL(suite_mail_count(suite, before), 0);

    PROGRAM name = ATRIUMCTL(suite, NULL, "template", "put", "--project", "letters", "GOOD_NIGHT",
                             "--subject", "Hello", "--text", file);
    CHECK_REFUSED(name, FAILED, "Template not found.");
    PROGRAM parts = ATRIUMCTL(suite, NULL, "template", "put", "--project", "letters",
                              "PATIENT_WELCOME", "--subject", "Hello");
    CHECK_REFUSED(parts, FAILED, "--text or --html is missing");
    PROGRAM variable = ATRIUMCTL(suite, NULL, "template", "put", "--project", "letters",
                                 "PATIENT_WELCOME", "--subject", "{{resetUrl}}", "--text", file);
    CHECK_REFUSED(variable, FAILED, "{{resetUrl}}");
    free(mail);
    free(before);
    free(after);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(projects_are_made_with_and_without_a_code),
    CASE(a_new_project_is_ready_for_people),
    CASE(a_suspended_project_is_closed_at_once),
    CASE(the_default_policy_opens_and_closes_registration),
    CASE(text_settings_are_written_and_taken_away),
    CASE(switches_are_written),
    CASE(a_project_without_a_code_is_shown_as_such),
    CASE(only_mapped_templates_are_mailed),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2", .test_clock = true});
    return unit_run("project commands", cases, ARRAY_SIZE(cases));
}
