/*
 * test_atriumctl.c - the operator's commands against a running suite: what they say, and what they
 * change for those who use it over HTTP.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { DONE, FAILED, USAGE }; /* exit codes */

/* Under a test clock each authd reads the keys anew twice a second: then all know one that another
 * made. */
enum { KEYS_KNOWN_MS = 5000, KEYS_KNOWN_US = 1000000 };

#define PASSWORD "a password of an admin"

static const char all_policy[] = "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}";

static struct suite *suite;

/* ---- helpers ---- */

static void make_project(const char *name, const char *code)
{
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", name, "--code", code);

    CHECK_EXIT(made, DONE);
}

/* A project that patients can register in. */
static void make_open_project(const char *code)
{
    char policy[64];

    make_project("Clinic", code);
    PROGRAM put = ATRIUMCTL(suite, all_policy, "policy", "put", "--project", code, "-", "--json");
    CHECK_EXIT(put, DONE);
    snprintf(policy, sizeof(policy), "AccessPolicy/%s", program_text(put, "id"));
    PROGRAM set =
        ATRIUMCTL(suite, NULL, "project", "set", code, "default-patient-access-policy", policy);
    CHECK_EXIT(set, DONE);
}

static struct program *create_admin(const char *code, const char *email, const char *password)
{
    return ATRIUMCTL(suite, password, "user", "create-admin", "--project", code, "--email", email,
                     "--name", "Olga", "--surname", "Petrova", "--json");
}

/* With a password on standard input, which the command does not read. */
static struct program *create_existing(const char *code, const char *email)
{
    return ATRIUMCTL(suite, "another password\n", "user", "create-admin", "--project", code,
                     "--email", email, "--name", "Olga", "--surname", "Petrova", "--existing",
                     "--json");
}

static struct http_answer *register_in(const char *email, const char *code)
{
    char *source = fresh_source();
    struct http_answer *answer =
        http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                           .path = "/auth/tenant/Patient/register",
                                                           .source = source,
                                                           .body = body_register(email, code)});

    free(source);
    return answer;
}

static int status_of(const char *path, const char *bearer)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), path, bearer);

    return answer->status;
}

/* The element of a list whose member has the value; NULL. */
static json_t *find(const struct program *list, const char *member, const char *value)
{
    json_t *entry;
    size_t i;

    json_array_foreach(list->json, i, entry)
    {
        const char *text = json_string_value(json_object_get(entry, member));

        if (text && strcmp(text, value) == 0)
            return entry;
    }
    return NULL;
}

/* ---- the command line ---- */

static void wrong_command_lines_are_refused(void)
{
    static const struct {
        const char *words[8], *complaint;
    } rows[] = {
        {{NULL}, "which command?"},
        {{"fly"}, "fly: unknown command"},
        {{"project"}, "project: unknown command"},
        {{"project", "fly"}, "project fly: unknown command"},
        {{"template"}, "see atriumctl --help; template has: put, list, delete, preview"},
        {{"project", "show"}, "CODE is missing"},
        {{"project", "show", "demo", "more"}, "more: one word too many"},
        {{"project", "list", "--fast"}, "--fast: unknown option"},
        {{"project", "create", "x", "--code"}, "--code: a value must follow"},
        {{"project", "create", "x", "--code", "a-b", "--code=c-d"}, "--code: given twice"},
        {{"project", "set", "demo", "name", "x"},
         "name: no such word here, --help shows those there are"},
        {{"project", "set", "demo", "PATIENT_LOGIN", "true"}, "PATIENT_LOGIN: no such word here"},
        {{"project", "set", "demo", "PATIENT_APP_URL"}, "VALUE is missing"},
        {{"policy", "list"}, "--project is missing"},
        {{"user", "create-admin", "--project", "demo"}, "--email is missing"},
        {{"project", "list", "--config", "x"}, "exclude each other"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM run = suite_command(suite, NULL, rows[i].words);

        CHECK_REFUSED(run, USAGE, rows[i].complaint);
    }
}

static void common_options_stand_anywhere(void)
{
    char *path = program_path("atriumctl");
    const char *dir = suite_dir(suite);
    const char *const rows[][7] = {
        {path, "--dir", dir, "--json", "project", "list", NULL},
        {path, "project", "list", "--json", "--dir", dir, NULL},
        {path, "--json", "project", "list", "--dir", dir, NULL},
        {path, "project", "--dir", dir, "list", "--json", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM run = program_run(rows[i], NULL);

        CHECK_EXIT(run, DONE);
        CU_ASSERT_PTR_NOT_NULL(find(run, "tenantCode", "demo"));
    }
    PROGRAM version = program_run((const char *const[]){path, "--version", NULL}, NULL);
    CHECK_EXIT(version, DONE);
    PROGRAM help = program_run((const char *const[]){path, "--help", NULL}, NULL);
    CHECK_EXIT(help, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(help->out, "explain sign-in"));
    free(path);
}

/* As the health check of a container asks. */
static void one_instance_can_be_addressed(void)
{
    PROGRAM up = ATRIUMCTL(suite, NULL, "status", "authd.1", "--json");
    PROGRAM absent = ATRIUMCTL(suite, NULL, "status", "authd.9");

    CHECK_EXIT(up, 0);
    CU_ASSERT_EQUAL(json_array_size(up->json), 1);
    CU_ASSERT_EQUAL(absent->code, FAILED);
    CU_ASSERT_PTR_NOT_NULL(strstr(absent->err, "authd.9 does not answer"));
}

/* -h, `help` and `help COMMAND` are --help; a typo is answered with what is near. */
static void help_and_similar_commands_are_shown(void)
{
    static const struct {
        const char *words[4];
        int code;
        const char *says;
    } rows[] = {
        {{"-h"}, DONE, "explain sign-in"},
        {{"help"}, DONE, "explain sign-in"},
        {{"help", "project"}, DONE, "project suspend"},
        {{"help", "project", "create"}, DONE, "--strict"},
        {{"project", "create", "-h"}, DONE, "--strict"},
        {{"proejct", "list"}, USAGE, "did you mean \"project list\"?"},
        {{"stauts"}, USAGE, "did you mean \"status\"?"},
        {{"doctro", "--json"}, USAGE, "did you mean \"doctor\"?"},
        {{"something", "else"}, USAGE, "unknown command; see"},
    };
    char *path = program_path("atriumctl");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *argv[6] = {path};

        memcpy(argv + 1, rows[i].words, sizeof(rows[i].words));
        PROGRAM run = program_run(argv, NULL);
        CHECK_EXIT(run, rows[i].code);
        UNIT_CHECK(strstr(rows[i].code == DONE ? run->out : run->err, rows[i].says) != NULL,
                   "%s: %s%s", rows[i].says, run->out, run->err);
    }
    free(path);
}

/* The shell asks the suite that the line names for the codes of its projects. */
static void tenant_codes_are_completed(void)
{
    static const char script[] = "PATH=$0:$PATH; . <(atriumctl completion bash); "
                                 "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                                 "_atriumctl; echo \"${COMPREPLY[@]}\"";
    char *path = program_path("atriumctl");
    const char *dir = suite_dir(suite);

    *strrchr(path, '/') = '\0';
    const char *const rows[][12] = {
        {"/bin/bash", "-c", script, path, "atriumctl", "--dir", dir, "project", "show", "de", NULL},
        {"/bin/bash", "-c", script, path, "atriumctl", "--dir", dir, "policy", "list", "--project",
         "d", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM bash = program_run(rows[i], NULL);

        UNIT_CHECK(strcmp(bash->out, "demo\n") == 0, "%s%s", bash->out, bash->err);
    }
    free(path);
}

/* In a directory that was empty or missing; one that had something in it is left alone. */
static void a_failed_first_start_leaves_nothing(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char *path = program_path("atriumctl"), suite_path[160], port[8], kept[200];
    const char *const argv[] = {path, "dev", "--dir", suite_path, "--port", port, NULL};
    FILE *file;

    snprintf(suite_path, sizeof(suite_path), "%s/suite", dir.path);
    snprintf(port, sizeof(port), "%s", strrchr(suite_url(suite), ':') + 1); /* which is taken */
    PROGRAM absent = program_run(argv, NULL);
    CHECK_EXIT(absent, FAILED);
    CU_ASSERT_NOT_EQUAL(access(suite_path, F_OK), 0);
    mkdir(suite_path, 0700);
    PROGRAM empty = program_run(argv, NULL);
    CHECK_EXIT(empty, FAILED);
    CU_ASSERT_EQUAL(rmdir(suite_path), 0); /* there as before, and empty */
    mkdir(suite_path, 0700);
    snprintf(kept, sizeof(kept), "%s/mine", suite_path);
    file = fopen(kept, "we");
    fclose(file);
    PROGRAM full = program_run(argv, NULL);
    CHECK_EXIT(full, FAILED);
    CU_ASSERT_EQUAL(access(kept, F_OK), 0);
    free(path);
}

static void an_absent_suite_is_named(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char *path = program_path("atriumctl"), text[160];
    const char *const keys[] = {path, "--dir", dir.path, "keys", "list", NULL};
    const char *const status[] = {path, "--dir", dir.path, "status", NULL};

    PROGRAM nowhere = program_run(keys, NULL);
    CHECK_REFUSED(nowhere, FAILED, "atrium.conf cannot be read; name a suite with --dir");
    snprintf(text, sizeof(text), "common\n    run_dir = \"%s\"\n", dir.path);
    unit_dir_write(&dir, "atrium.conf", text);
    PROGRAM silent = program_run(keys, NULL);
    CHECK_REFUSED(silent, FAILED, "is the suite running?");
    PROGRAM down = program_run(status, NULL);
    CU_ASSERT_EQUAL(down->code, FAILED);
    CU_ASSERT_PTR_NOT_NULL(strstr(down->err, "is the suite running?"));
    unit_dir_write(&dir, "atrium.conf", "common\n    run_dri = \"/x\"\n");
    PROGRAM wrong = program_run(keys, NULL);
    CHECK_REFUSED(wrong, FAILED, "atrium.conf:2: ");
    free(path);
}

/* ---- projects ---- */

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
        CU_ASSERT_PTR_NOT_NULL(find(list, "projectId", program_text(all[i], "projectId")));
    PROGRAM shown = ATRIUMCTL(suite, NULL, "project", "show", "x-42", "--json");
    CHECK_EXIT(shown, DONE);
    CU_ASSERT_STRING_EQUAL(program_text(shown, "projectId"), program_text(given, "projectId"));
    CU_ASSERT_STRING_EQUAL(program_text(shown, "name"), "X");
    PROGRAM table = ATRIUMCTL(suite, NULL, "project", "list");
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "TENANT CODE"));

    PROGRAM taken = ATRIUMCTL(suite, NULL, "project", "create", "Y", "--code", "x-42");
    CHECK_REFUSED(taken, FAILED, "The tenant code is taken.");
    PROGRAM bad = ATRIUMCTL(suite, NULL, "project", "create", "Y", "--code", "No Code!");
    CHECK_REFUSED(bad, FAILED, "tenantCode");
    PROGRAM both = ATRIUMCTL(suite, NULL, "project", "create", "Y", "--code", "y-1", "--no-code");
    CHECK_REFUSED(both, FAILED, "--code and --no-code exclude each other");
    PROGRAM unknown = ATRIUMCTL(suite, NULL, "project", "show", "nobody");
    CHECK_REFUSED(unknown, FAILED, "Tenant not found.");
}

/* From nothing to an admin who changes a setting and a patient who signs in, by commands only. */
static void a_new_project_is_ready_for_people(void)
{
    char *email = person_address();

    make_open_project("ready");
    PROGRAM created = create_admin("ready", "olga@ready.example", PASSWORD "\n");
    CHECK_EXIT(created, DONE);
    CU_ASSERT_TRUE(json_is_true(json_object_get(created->json, "created")));
    CU_ASSERT_PTR_NULL(strstr(created->out, PASSWORD));
    PERSON admin = person_sign_in(suite, "Practitioner", "olga@ready.example", PASSWORD, "ready");
    CU_ASSERT_EQUAL(admin->status, 200);
    HTTP_ANSWER code = http_get(suite_url(suite), "/organizations/code", admin->access);
    CHECK_STATUS(code, 200);
    CU_ASSERT_STRING_EQUAL(http_text(code, "code"), "ready");
    suite_set_switch(suite, admin->access, "PATIENT_INVITATION_ENABLED", false);
    HTTP_ANSWER patient = register_in(email, "ready");
    CHECK_STATUS(patient, 200);

    /* An account that is there keeps its password, and may be an admin of more projects: on purpose
     * only. */
    make_project("Second", "second");
    PROGRAM refused = create_admin("second", "olga@ready.example", "another password\n");
    CHECK_REFUSED(refused, FAILED, "There is an account with this address.");
    PROGRAM empty = create_admin("second", "olga@ready.example", "");
    CHECK_REFUSED(empty, FAILED, "There is an account with this address.");
    PROGRAM added = create_existing("second", "olga@ready.example");
    CHECK_EXIT(added, DONE);
    CU_ASSERT_TRUE(json_is_false(json_object_get(added->json, "created")));
    PERSON second = person_sign_in(suite, "Practitioner", "olga@ready.example", PASSWORD, "second");
    CU_ASSERT_EQUAL(second->status, 200);

    PROGRAM absent = create_existing("ready", "nina@ready.example");
    CHECK_REFUSED(absent, FAILED, "Account not found.");
    PROGRAM silent = create_admin("ready", "nina@ready.example", "");
    CHECK_REFUSED(silent, FAILED, "password");
    PROGRAM unknown = create_admin("nobody", "nina@ready.example", PASSWORD "\n");
    CHECK_REFUSED(unknown, FAILED, "Tenant not found.");
    PROGRAM address = create_admin("ready", "not an address", PASSWORD "\n");
    CHECK_REFUSED(address, FAILED, "email");
    free(email);
}

static struct http_answer *refresh_with(const char *token)
{
    return http_post(suite_url(suite), "/auth/refresh-token", NULL,
                     json_pack("{s:s}", "refresh_token", token));
}

static void a_suspended_project_is_closed_at_once(void)
{
    char *email = person_address(), *other = person_address(), *third = person_address();

    make_open_project("pause");
    HTTP_ANSWER patient = register_in(email, "pause");
    CHECK_STATUS(patient, 200);
    HTTP_ANSWER leaving = register_in(third, "pause");
    CHECK_STATUS(leaving, 200);
    const char *bearer = http_text(patient, "accessToken");

    CU_ASSERT_EQUAL(status_of("/auth/me", bearer), 200);
    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "pause", "--json");
    CHECK_EXIT(suspended, DONE);
    CU_ASSERT_TRUE(json_is_true(json_object_get(suspended->json, "suspended")));
    CU_ASSERT_EQUAL(status_of("/auth/me", bearer), 403);
    HTTP_ANSWER start = http_post(suite_url(suite), "/auth/tenant/Patient/login/start", NULL,
                                  body_login_start(email, "correct horse battery staple", "pause"));
    CHECK_ERROR(start, 404, "Tenant not found.");
    HTTP_ANSWER newcomer = register_in(other, "pause");
    CHECK_ERROR(newcomer, 404, "Tenant not found.");
    HTTP_ANSWER left =
        http_post(suite_url(suite), "/auth/logout", http_text(leaving, "accessToken"), NULL);
    CHECK_STATUS(left, 204);
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER held = refresh_with(http_text(patient, "refreshToken"));
        CHECK_ERROR(held, 403, "The project is suspended.");
    }

    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "pause", "--resume", "--json");
    CHECK_EXIT(resumed, DONE);
    CU_ASSERT_TRUE(json_is_false(json_object_get(resumed->json, "suspended")));
    CU_ASSERT_EQUAL(status_of("/auth/me", bearer), 200);
    PERSON again = person_sign_in(suite, "Patient", email, "correct horse battery staple", "pause");
    CU_ASSERT_EQUAL(again->status, 200);
    HTTP_ANSWER renewed = refresh_with(http_text(patient, "refreshToken"));
    CHECK_STATUS(renewed, 200);
    HTTP_ANSWER next = refresh_with(http_text(renewed, "refresh_token"));
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

    make_open_project("door");
    PROGRAM closed = ATRIUMCTL(suite, NULL, "project", "set", "door", setting, "");
    CHECK_EXIT(closed, DONE);
    HTTP_ANSWER refused = register_in(email, "door");
    CHECK_ERROR(refused, 403, "Registration is not enabled for this project.");
    PROGRAM foreign = ATRIUMCTL(suite, NULL, "project", "set", "door", setting,
                                suite_text(suite, "demo.patientAccessPolicy"));
    CU_ASSERT_EQUAL(foreign->code, FAILED);
    PROGRAM garbage = ATRIUMCTL(suite, NULL, "project", "set", "door", setting, "policy");
    CU_ASSERT_EQUAL(garbage->code, FAILED);
    free(email);
}

static char *shown(const char *code, const char *member)
{
    PROGRAM show = ATRIUMCTL(suite, NULL, "project", "show", code, "--json");

    CHECK_EXIT(show, DONE);
    return strdup(program_text(show, member));
}

/* What a project needs before it has an admin who could write it over HTTP. */
static void text_settings_are_written_and_taken_away(void)
{
    static const char url[] = "https://clinic.example/app";
    const struct {
        const char *name, *member;
    } rows[] = {{"PRACTITIONER_APP_URL", "practitionerAppUrl"},
                {"PATIENT_APP_URL", "patientAppUrl"}};
    char policy[64], *value;

    make_project("Texts", "texts");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM set = ATRIUMCTL(suite, NULL, "project", "set", "texts", rows[i].name, url);
        CHECK_EXIT(set, DONE);
        UNIT_CHECK(strstr(set->out, rows[i].name) && strstr(set->out, url), "%s", set->out);
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
        ATRIUMCTL(suite, all_policy, "policy", "put", "--project", "texts", "-", "--json");
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
                {"CLINICIAN_INVITE_ON_BUSINESS_EMAIL", "inviteOnBusinessEmail"}};
    const char *const values[] = {"false", "true"};

    make_project("Switches", "switches");
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
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "PATIENT_LOGIN_ENABLED of switches is false now."));
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "\nPATIENT_LOGIN_ENABLED "));
    PROGRAM wrong =
        ATRIUMCTL(suite, NULL, "project", "set", "switches", "PATIENT_LOGIN_ENABLED", "on");
    CHECK_REFUSED(wrong, FAILED, "PATIENT_LOGIN_ENABLED: must be true or false");
    PROGRAM early = ATRIUMCTL(suite, NULL, "project", "set", "switches",
                              "PRACTITIONER_REGISTRATION_ENABLED", "true");
    CHECK_REFUSED(early, FAILED, "needs DEFAULT_PRACTITIONER_ACCESS_POLICY first");
}

/* A project without a code is named by its id; its admin signs in without naming it, and is told
 * so. Clients may not name it that way. */
static void a_project_without_a_code_is_shown_as_such(void)
{
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", "Quiet", "--no-code", "--json");
    CHECK_EXIT(made, DONE);
    const char *id = program_text(made, "projectId");
    PROGRAM created = create_admin(id, "olga@quiet.example", PASSWORD "\n");
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

/* ---- admins who choose their password ---- */

#define INVITATION "https://clinic.example/app/invitation"

static struct program *mail_admin(const char *code, const char *email)
{
    return ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", code, "--email", email,
                     "--name", "Eve", "--surname", "Admin", "--mail", "--json");
}

static void map_invitation(const char *code)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *file =
        unit_dir_write(&dir, "text", "{{inviterName}}, {{recipientName}}, {{invitationUrl}}\n");
    PROGRAM put = ATRIUMCTL(suite, NULL, "template", "put", "--project", code, "INVITE_TO_PROJECT",
                            "--subject", "Join us", "--text", file);

    CHECK_EXIT(put, DONE);
}

static void set_app(const char *code)
{
    PROGRAM set = ATRIUMCTL(suite, NULL, "project", "set", code, "PRACTITIONER_APP_URL",
                            "https://clinic.example/app");

    CHECK_EXIT(set, DONE);
}

static int accept_by(struct mail_link link, const char *password)
{
    HTTP_ANSWER answer = suite_post_fresh(suite, "/auth/set-password",
                                          json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                    link.secret, "password", password));

    return answer->status;
}

/* Signs in, and 200 when what only admins may see is shown. */
static int administers(const char *email, const char *password, const char *code)
{
    PERSON person = person_sign_in(suite, "Practitioner", email, password, code);

    CU_ASSERT_EQUAL(person->status, 200);
    return person->access ? status_of("/v1/project/settings/history", person->access) : 0;
}

/* How many audit rows say that the operator did this to an invitation, found as one would ask
 * who made an admin. */
static long audited(const char *action, const char *id)
{
    return suite_count(suite,
                       "select count(*) from auth.audit where entity = 'Invitation/%s' and "
                       "event->>'action' = '%s' and event->>'outcome' = 'success' and "
                       "event->>'detail' = 'admin' and event->'agent'->>'service' = 'ctl'",
                       id, action);
}

static long invited(const char *email)
{
    return suite_count(suite, "select count(*) from auth.invitation where email = '%s'", email);
}

/* The first admin of a project, whose password no operator has known. */
static void an_admin_is_invited_and_chooses_a_password(void)
{
    char *email = person_address(), *mail;

    make_project("Mailing Clinic", "mailing");
    PROGRAM unmapped = mail_admin("mailing", email);
    CHECK_REFUSED(unmapped, FAILED,
                  "The invitation email is not configured. See `atriumctl template put --project "
                  "mailing INVITE_TO_PROJECT`.");
    map_invitation("mailing");
    CU_ASSERT_EQUAL(invited(email), 0); /* without an application: test_page_links */
    set_app("mailing");
    PROGRAM sent = mail_admin("mailing", email);
    CHECK_EXIT(sent, DONE);
    CU_ASSERT_TRUE(json_is_true(json_object_get(sent->json, "invited")));
    CU_ASSERT_TRUE(json_is_false(json_object_get(sent->json, "created")));
    CU_ASSERT_PTR_NULL(json_object_get(sent->json, "account"));
    const char *id = program_text(sent, "membership");
    CU_ASSERT_EQUAL(audited("invitation.create", id), 1);

    struct mail_link link = suite_mail_link(suite, email, INVITATION);
    CU_ASSERT_STRING_EQUAL(link.id, id);
    mail = suite_mail(suite, email, 0);
    UNIT_CHECK(mail && strstr(mail, "Mailing Clinic, Eve Admin, https://"), "%s", mail);
    CU_ASSERT_EQUAL(accept_by(link, PASSWORD), 204);
    CU_ASSERT_EQUAL(administers(email, PASSWORD, "mailing"), 200);
    CU_ASSERT_EQUAL(accept_by(link, "another password"), 400);
    free(mail);
    free(email);
}

/* As if they had come one after the other: one invitation, which both have sent. */
static void two_invitations_at_the_same_moment_are_one(void)
{
    char *path = program_path("atriumctl");

    for (int round = 0; round < 5; round++) {
        char *email = person_address(), sql[300];
        const char *const argv[] = {
            path,      "--dir", suite_dir(suite), "user", "create-admin", "--project", "mailing",
            "--email", email,   "--name",         "Eve",  "--surname",    "Admin",     "--mail",
            "--json",  NULL};
        PROGRAM one = program_start(argv, NULL);
        PROGRAM two = program_start(argv, NULL);

        CU_ASSERT_TRUE(program_wait_end(one, 30000) && program_wait_end(two, 30000));
        CHECK_EXIT(one, DONE);
        CHECK_EXIT(two, DONE);
        CU_ASSERT_STRING_EQUAL(program_text(one, "membership"), program_text(two, "membership"));
        CU_ASSERT_EQUAL(invited(email), 1);
        snprintf(sql, sizeof(sql), "select id from auth.invitation where email = '%s'", email);
        char *id = suite_query(suite, sql);
        CU_ASSERT_EQUAL(audited("invitation.create", id), 1);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
        free(id);
        free(email);
    }
    free(path);
}

/* The rest of a script, for example. */
static void standard_input_is_left_alone(void)
{
    char *email = person_address(), *atriumctl = program_path("atriumctl");
    const char *const argv[] = {"/bin/sh",
                                "-c",
                                "\"$@\" >&2 && cat",
                                "sh",
                                atriumctl,
                                "--dir",
                                suite_dir(suite),
                                "user",
                                "create-admin",
                                "--project",
                                "mailing",
                                "--email",
                                email,
                                "--name",
                                "Eve",
                                "--surname",
                                "Admin",
                                "--mail",
                                NULL};
    PROGRAM run = program_run(argv, "a line of a script\n");

    CHECK_EXIT(run, DONE);
    CU_ASSERT_STRING_EQUAL(run->out, "a line of a script\n");
    UNIT_CHECK(strstr(run->err, "An invitation is on its way"), "%s", run->err);
    free(atriumctl);
    free(email);
}

static void a_second_invitation_ends_the_first(void)
{
    char *email = person_address();

    PROGRAM first = mail_admin("mailing", email);
    CHECK_EXIT(first, DONE);
    struct mail_link old = suite_mail_link(suite, email, INVITATION);
    PROGRAM second = mail_admin("mailing", email);
    CHECK_EXIT(second, DONE);
    CU_ASSERT_STRING_EQUAL(program_text(second, "membership"), old.id);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    struct mail_link link = suite_mail_link(suite, email, INVITATION);
    CU_ASSERT_EQUAL(accept_by(old, PASSWORD), 400);
    CU_ASSERT_EQUAL(accept_by(link, PASSWORD), 204);
    CU_ASSERT_EQUAL(administers(email, PASSWORD, "mailing"), 200);
    CU_ASSERT_EQUAL(audited("invitation.create", old.id), 1);
    CU_ASSERT_EQUAL(audited("invitation.renew", old.id), 1);
    free(email);
}

/* A person who has an account is invited like any other, and accepts with it: no operator
 * decides for its owner. */
static void an_account_that_is_there_is_invited(void)
{
    char *email = person_address();

    make_project("Here", "here");
    make_project("There", "there");
    map_invitation("there");
    set_app("there");
    PROGRAM made = create_admin("here", email, PASSWORD "\n");
    CHECK_EXIT(made, DONE);
    PROGRAM both = ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "there", "--email",
                             email, "--name", "Eve", "--surname", "Admin", "--mail", "--existing");
    CHECK_REFUSED(both, FAILED, "--mail and --existing exclude each other");
    PROGRAM sent = mail_admin("there", email);
    CHECK_EXIT(sent, DONE);
    CU_ASSERT_TRUE(json_is_true(json_object_get(sent->json, "invited")));
    CU_ASSERT_PTR_NULL(json_object_get(sent->json, "account"));
    struct mail_link link = suite_mail_link(suite, email, INVITATION);
    CU_ASSERT_EQUAL(accept_by(link, "another password"), 409);
    PERSON eve = person_sign_in(suite, "Practitioner", email, PASSWORD, "here");
    HTTP_ANSWER accepted = http_post(suite_url(suite), "/auth/invitation/accept", eve->access,
                                     json_pack("{s:s, s:s}", "id", link.id, "secret", link.secret));
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_EQUAL(administers(email, PASSWORD, "there"), 200);
    PROGRAM again = mail_admin("there", email);
    CHECK_REFUSED(again, FAILED, "This person is an admin of the project already.");
    CU_ASSERT_EQUAL(invited(email), 0);
    free(email);
}

/* An invitation of a member becomes one of an admin, also while the project's admins may not
 * invite. */
static void a_pending_invitation_becomes_one_of_an_admin(void)
{
    PERSON admin = person_admin(suite);
    char *email = person_address();

    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                                 json_pack("{s:s, s:s, s:s}", "email", email, "firstName", "Rui",
                                           "lastName", "Costa"));
    CHECK_STATUS(made, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(made, "admin")));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    suite_set_switch(suite, admin->access, "PRACTITIONER_INVITATION_ENABLED", false);
    PROGRAM again = mail_admin("demo", email);
    suite_set_switch(suite, admin->access, "PRACTITIONER_INVITATION_ENABLED", true);
    CHECK_EXIT(again, DONE);
    CU_ASSERT_STRING_EQUAL(program_text(again, "membership"), http_text(made, "id"));
    CU_ASSERT_STRING_EQUAL(program_text(again, "profile"), http_text(made, "profileId"));
    CU_ASSERT_EQUAL(audited("invitation.renew", http_text(made, "id")), 1);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    struct mail_link link =
        suite_mail_link(suite, email, "https://practitioner.demo.example/invitation");
    CU_ASSERT_EQUAL(accept_by(link, PASSWORD), 204);
    CU_ASSERT_EQUAL(administers(email, PASSWORD, "demo"), 200);
    free(email);
}

/* ---- policies, clients, templates ---- */

static void policies_are_made_and_replaced(void)
{
    static const char replaced[] =
        "{\"name\":\"Readers\",\"resource\":[{\"resourceType\":\"Content\",\"readonly\":true}]}";
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *file = unit_dir_write(&dir, "policy.json", all_policy);

    make_project("Rules", "rules");
    PROGRAM put = ATRIUMCTL(suite, NULL, "policy", "put", "--project", "rules", file, "--json");
    CHECK_EXIT(put, DONE);
    const char *id = program_text(put, "id");
    PROGRAM list = ATRIUMCTL(suite, NULL, "policy", "list", "--project", "rules", "--json");
    CHECK_EXIT(list, DONE);
    CU_ASSERT_EQUAL(json_array_size(list->json), 1);
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.name"), "All");
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.resource.0.resourceType"), "*");
    PROGRAM again = ATRIUMCTL(suite, replaced, "policy", "put", "--project", "rules", "--id", id,
                              "-", "--json");
    CHECK_EXIT(again, DONE);
    CU_ASSERT_STRING_EQUAL(program_text(again, "id"), id);
    PROGRAM after = ATRIUMCTL(suite, NULL, "policy", "list", "--project", "rules", "--json");
    CU_ASSERT_EQUAL(json_array_size(after->json), 1);
    CU_ASSERT_STRING_EQUAL(program_text(after, "0.name"), "Readers");

    PROGRAM broken = ATRIUMCTL(suite, "{\"name\":", "policy", "put", "--project", "rules", "-");
    CU_ASSERT_EQUAL(broken->code, FAILED);
    PROGRAM wrong = ATRIUMCTL(suite, "{\"name\":\"X\",\"resource\":[{\"resourceType\":\"Moon\"}]}",
                              "policy", "put", "--project", "rules", "-");
    CHECK_REFUSED(wrong, FAILED, "resourceType");
    PROGRAM absent = ATRIUMCTL(suite, NULL, "policy", "put", "--project", "rules", "/no/file");
    CHECK_REFUSED(absent, FAILED, "/no/file: No such file or directory");
    PROGRAM id_words =
        ATRIUMCTL(suite, all_policy, "policy", "put", "--project", "rules", "--id", "seven", "-");
    CHECK_REFUSED(id_words, FAILED, "--id: must be a uuid");
    PROGRAM stranger = ATRIUMCTL(suite, all_policy, "policy", "put", "--project", "rules", "--id",
                                 "00000000-0000-4000-8000-000000000000", "-");
    CHECK_REFUSED(stranger, FAILED, "not found");
}

/* The suite has these roles already: what operators run may be run again. */
static void the_printed_database_is_what_the_suite_has(void)
{
    PROGRAM printed = ATRIUMCTL(suite, NULL, "database", "sql");
    PROGRAM run =
        program_run((const char *const[]){"/usr/bin/psql", "-X", "-q", "-v", "ON_ERROR_STOP=1",
                                          suite_text(suite, "postgres.conninfo"), NULL},
                    printed->out);

    CHECK_EXIT(printed, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(printed->out, "create role \"atrium-authd\" login"));
    CHECK_EXIT(run, DONE);
    CU_ASSERT_STRING_EQUAL(run->out, "");
}

static void clients_are_made_and_listed(void)
{
    make_project("Apps", "apps");
    PROGRAM made =
        ATRIUMCTL(suite, NULL, "client", "create", "--project", "apps", "Front desk", "--json");
    CHECK_EXIT(made, DONE);
    PROGRAM list = ATRIUMCTL(suite, NULL, "client", "list", "--project", "apps", "--json");
    CHECK_EXIT(list, DONE);
    CU_ASSERT_EQUAL(json_array_size(list->json), 1);
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.id"), program_text(made, "id"));
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.name"), "Front desk");
    PROGRAM unknown = ATRIUMCTL(suite, NULL, "client", "list", "--project", "nobody");
    CHECK_REFUSED(unknown, FAILED, "Tenant not found.");
}

static void only_mapped_templates_are_mailed(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *file = unit_dir_write(&dir, "text", "Hi {{recipientName}}, {{projectName}}\n");
    char *before = person_address(), *after = person_address(), *mail;

    make_open_project("letters");
    HTTP_ANSWER silent = register_in(before, "letters");
    CHECK_STATUS(silent, 200);
    PROGRAM put = ATRIUMCTL(suite, NULL, "template", "put", "--project", "letters",
                            "PATIENT_WELCOME", "--subject", "Hello", "--text", file, "--json");
    CHECK_EXIT(put, DONE);
    PROGRAM list = ATRIUMCTL(suite, NULL, "template", "list", "--project", "letters", "--json");
    CHECK_EXIT(list, DONE);
    CU_ASSERT_EQUAL(json_array_size(list->json), 1);
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.subject"), "Hello");
    HTTP_ANSWER welcome = register_in(after, "letters");
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

/* ---- keys and sessions ---- */

/* The kid in a token's header, as base64url: what differs between the tokens of two keys. */
static char *header_of(const char *token)
{
    return strndup(token, strcspn(token, "."));
}

/* Those of the list that sign for the API; the issuers below /t/ publish the others. */
static size_t count_api_keys(const json_t *keys)
{
    size_t i, count = 0;
    json_t *key;

    json_array_foreach(keys, i, key) count += !json_object_get(key, "use");
    return count;
}

static void rotated_keys_sign_old_tokens_last(void)
{
    PERSON before = person_register(suite, NULL);
    PROGRAM listed = ATRIUMCTL(suite, NULL, "keys", "list", "--json");
    CHECK_EXIT(listed, DONE);
    size_t count = json_array_size(listed->json) + 1;
    PROGRAM rotated = ATRIUMCTL(suite, NULL, "keys", "rotate", "--json");
    CHECK_EXIT(rotated, DONE);
    CU_ASSERT_EQUAL(json_array_size(rotated->json), count);
    CU_ASSERT_PTR_NULL(strstr(rotated->out, "PRIVATE"));
    HTTP_ANSWER jwks = http_get(suite_url(suite), "/.well-known/jwks.json", NULL);
    CHECK_STATUS(jwks, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(jwks, "keys")), count_api_keys(rotated->json));
    json_t *key;
    size_t i;
    json_array_foreach(rotated->json, i, key)
    {
        const char *kid = json_string_value(json_object_get(key, "kid"));

        UNIT_CHECK(kid && !strstr(jwks->body, kid) == !!json_object_get(key, "use"), "%s",
                   jwks->body);
    }

    /* The new key signs once every gateway can know it, ten seconds later. */
    char *old = header_of(before->access);
    PERSON meanwhile = person_register(suite, NULL);
    char *still = header_of(meanwhile->access);
    CU_ASSERT_STRING_EQUAL(old, still);
    suite_set_clock(suite, 12);
    PERSON after = person_register(suite, NULL);
    /* The instance that did not rotate reads the keys twice a second, when the machine lets it. */
    for (int64_t limit = clock_mono_ms() + KEYS_KNOWN_MS;
         strncmp(after->access, old, strlen(old)) == 0 && clock_mono_ms() < limit;) {
        person_destroy(&after);
        after = person_register(suite, NULL);
    }
    char *new = header_of(after->access);
    CU_ASSERT_STRING_NOT_EQUAL(old, new);
    usleep(KEYS_KNOWN_US); /* by now the other one too: each gets some of these */
    for (int round = 0; round < 4; round++) {
        PERSON more = person_register(suite, NULL);
        CU_ASSERT_EQUAL(strncmp(more->access, new, strlen(new)), 0);
    }
    CU_ASSERT_EQUAL(status_of("/auth/me", after->access), 200);
    CU_ASSERT_EQUAL(status_of("/auth/me", before->access), 200);
    suite_set_clock(suite, 0);
    free(old);
    free(still);
    free(new);
}

static void the_operator_ends_sessions(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON second = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    PERSON other = person_register(suite, NULL);

    PROGRAM list = ATRIUMCTL(suite, NULL, "session", "list", "--email", patient->email, "--json");
    CHECK_EXIT(list, DONE);
    CU_ASSERT_EQUAL(json_array_size(list->json), 2);
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.authMethod"), "password");
    PROGRAM elsewhere = ATRIUMCTL(suite, NULL, "session", "revoke", "--email", patient->email,
                                  "--project", "nobody");
    CHECK_REFUSED(elsewhere, FAILED, "Tenant not found.");
    CU_ASSERT_EQUAL(status_of("/auth/me", patient->access), 200);
    PROGRAM unknown =
        ATRIUMCTL(suite, NULL, "session", "revoke", "--email", "nobody@patients.example");
    CHECK_REFUSED(unknown, FAILED, "Account not found.");
    PROGRAM revoked =
        ATRIUMCTL(suite, NULL, "session", "revoke", "--email", patient->email, "--json");
    CHECK_EXIT(revoked, DONE);
    CU_ASSERT_EQUAL(json_array_size(revoked->json), 0);
    CU_ASSERT_EQUAL(status_of("/auth/me", patient->access), 401);
    CU_ASSERT_EQUAL(status_of("/auth/me", second->access), 401);
    HTTP_ANSWER refresh = refresh_with(patient->refresh);
    CHECK_STATUS(refresh, 401);
    CU_ASSERT_EQUAL(status_of("/auth/me", other->access), 200);
    PERSON again = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    CU_ASSERT_EQUAL(again->status, 200);
    PROGRAM stranger = ATRIUMCTL(suite, NULL, "session", "list", "--email", "no@body.example");
    CHECK_EXIT(stranger, DONE);
}

/* ---- status and explain ---- */

static void status_shows_every_instance(void)
{
    static const char *const daemons[][2] = {{"gateway", "1"},   {"authd", "1"}, {"authd", "2"},
                                             {"settingsd", "1"}, {"maild", "1"}, {"docd", "1"},
                                             {"botd", "1"}};
    PROGRAM status = ATRIUMCTL(suite, NULL, "status", "--json");
    json_t *row;
    size_t i;

    CHECK_EXIT(status, DONE);
    CU_ASSERT_EQUAL(json_array_size(status->json), ARRAY_SIZE(daemons));
    json_array_foreach(status->json, i, row)
    {
        const char *service = json_string_value(json_object_get(row, "service"));
        const char *instance = json_string_value(json_object_get(row, "instance"));
        bool known = false;

        for (size_t d = 0; d < ARRAY_SIZE(daemons); d++)
            known = known ||
                    (strcmp(service, daemons[d][0]) == 0 && strcmp(instance, daemons[d][1]) == 0);
        UNIT_CHECK(known, "%s %s", service, instance);
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(row, "pid")),
                        suite_pid(suite, service, instance));
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(row, "state")), "up");
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(row, "version")), ATRIUM_VERSION);
        CU_ASSERT_TRUE(*json_string_value(json_object_get(row, "upTime")) != '\0');
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(row, "inFlight")), 0);
        CU_ASSERT_TRUE(json_integer_value(json_object_get(row, "latencyUs")) > 0);
        CU_ASSERT_TRUE(json_is_true(json_object_get(row, "database")));
    }
}

static void status_shows_instances_that_do_not_answer(void)
{
    pid_t pid = suite_pid(suite, "maild", "1");

    kill(pid, SIGSTOP);
    PROGRAM status = ATRIUMCTL(suite, NULL, "status", "--json");
    kill(pid, SIGCONT);
    CU_ASSERT_EQUAL(status->code, FAILED);
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_object_get(find(status, "service", "maild"), "state")), "down");
    CU_ASSERT_PTR_NOT_NULL(strstr(status->err, "1 of 7 instances do not answer"));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 10000));
}

/* Checks which of the steps fails first; "" for none. */
static void check_explained(const char *code, const char *email, const char *role, const char *want)
{
    PROGRAM run = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", code, "--email", email,
                            "--role", role, "--json");
    json_t *step;
    const char *failed = "";
    size_t i;

    CHECK_EXIT(run, *want ? FAILED : DONE);
    json_array_foreach(json_object_get(run->json, "steps"), i, step)
    {
        const char *outcome = json_string_value(json_object_get(step, "outcome"));

        if (strcmp(outcome, "fail") == 0) {
            CU_ASSERT_STRING_EQUAL(failed, "");
            failed = json_string_value(json_object_get(step, "check"));
            CU_ASSERT_PTR_NOT_NULL(json_string_value(json_object_get(step, "hint")));
        }
    }
    UNIT_CHECK(strcmp(failed, want) == 0, "want %s: %s", want, run->out);
    CU_ASSERT_EQUAL(json_is_true(json_object_get(run->json, "wouldSucceed")), *want == '\0');
}

/* Wrong passwords from so many addresses that only those known to the account are let in. */
static void throttle(const char *email)
{
    enum { FAILURES = 100 };
    struct http_request requests[FAILURES];
    struct http_answer *answers[FAILURES];
    char *sources[FAILURES];

    for (int i = 0; i < FAILURES; i++) {
        sources[i] = fresh_source();
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/login/start",
                                            .source = sources[i],
                                            .body = body_login_start(email, "wrong", "demo")};
    }
    http_call_many(suite_url(suite), requests, FAILURES, 8, answers);
    for (int i = 0; i < FAILURES; i++) {
        CHECK_ERROR(answers[i], 400, "Username or password is incorrect.");
        free(sources[i]);
    }
    http_answers_destroy(answers, FAILURES);
}

static void explain_names_the_first_check_that_fails(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    const char *email = patient->email, *boss = suite_text(suite, "demo.adminEmail");

    check_explained("demo", email, "Patient", "");
    check_explained("demo", boss, "Practitioner", "");
    check_explained("nobody", email, "Patient", "tenant");
    check_explained("demo", "no@body.example", "Patient", "account");
    check_explained("demo", boss, "Patient", "account");
    make_project("Elsewhere", "elsewhere");
    check_explained("elsewhere", boss, "Practitioner", "membership");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    check_explained("demo", email, "Patient", "PATIENT_LOGIN_ENABLED");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", false);
    check_explained("demo", boss, "Practitioner", "PRACTITIONER_LOGIN_ENABLED");
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", true);
    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "elsewhere");
    CHECK_EXIT(suspended, DONE);
    check_explained("elsewhere", boss, "Practitioner", "not suspended");
    throttle(email);
    check_explained("demo", email, "Patient", "throttle");

    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                                 json_pack("{s:s, s:s, s:s}", "email", "in@vited.example",
                                           "firstName", "Rui", "lastName", "Costa"));
    CHECK_STATUS(made, 200);
    check_explained("demo", "in@vited.example", "Practitioner", "account");
    check_explained("demo", "in@vited.example", "Patient", "account");
    PROGRAM invited = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                                "in@vited.example", "--role", "Practitioner");
    CU_ASSERT_PTR_NOT_NULL(strstr(invited->out, "the invitation is not accepted yet"));

    PROGRAM said = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                             "no@body.example");
    CHECK_EXIT(said, FAILED);
    CU_ASSERT_PTR_NOT_NULL(strstr(said->out, "The first check that fails: account"));
    PROGRAM role = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                             email, "--role", "Nurse");
    CHECK_REFUSED(role, USAGE, "--role: must be Patient|Practitioner");
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

/* ---- how far long commands are ---- */

/* `atriumctl --dir ... words...` with a terminal of 100 columns as stderr. */
static struct program *on_terminal(const char *const *words)
{
    char *path = program_path("atriumctl");
    const char *argv[16] = {path, "--dir", suite_dir(suite)};
    struct program *self;

    for (size_t i = 3; *words; i++)
        argv[i] = *words++;
    self = program_run_terminal(argv,
                                "[{\"type\":\"t\",\"key\":\"k\",\"language\":\"en\","
                                "\"title\":\"T\"}]",
                                100);
    free(path);
    return self;
}

static void long_commands_show_their_progress(void)
{
    static const struct {
        const char *words[8], *want; /* NULL: nothing is said */
    } rows[] = {
        {{"content", "import", "--project", "demo", "-"}, "import 100% [####"},
        {{"content", "import", "--project", "demo", "-", "--json"}, NULL},
        {{"audit", "verify"}, "audit of authd 100% [####"},
        {{"audit", "verify", "--json"}, NULL},
        {{"audit", "export", "--project", "demo"}, "audit of authd 100% [####"},
        {{"audit", "export", "--project", "demo", "--json"}, NULL},
        {{"project", "list"}, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM run = on_terminal(rows[i].words);

        CHECK_EXIT(run, DONE);
        UNIT_CHECK(rows[i].want ? strstr(run->err, rows[i].want) != NULL : *run->err == '\0',
                   "%s %s: %s", rows[i].words[0], rows[i].words[1], run->err);
        UNIT_CHECK(!strchr(run->out, '\r'), "%s", run->out);
    }
}

static const struct unit_case cases[] = {
    CASE(wrong_command_lines_are_refused),
    CASE(common_options_stand_anywhere),
    CASE(an_absent_suite_is_named),
    CASE(one_instance_can_be_addressed),
    CASE(help_and_similar_commands_are_shown),
    CASE(tenant_codes_are_completed),
    CASE(a_failed_first_start_leaves_nothing),
    CASE(projects_are_made_with_and_without_a_code),
    CASE(a_new_project_is_ready_for_people),
    CASE(a_suspended_project_is_closed_at_once),
    CASE(the_default_policy_opens_and_closes_registration),
    CASE(text_settings_are_written_and_taken_away),
    CASE(switches_are_written),
    CASE(a_project_without_a_code_is_shown_as_such),
    CASE(an_admin_is_invited_and_chooses_a_password),
    CASE(two_invitations_at_the_same_moment_are_one),
    CASE(standard_input_is_left_alone),
    CASE(a_second_invitation_ends_the_first),
    CASE(an_account_that_is_there_is_invited),
    CASE(a_pending_invitation_becomes_one_of_an_admin),
    CASE(policies_are_made_and_replaced),
    CASE(the_printed_database_is_what_the_suite_has),
    CASE(clients_are_made_and_listed),
    CASE(only_mapped_templates_are_mailed),
    CASE(rotated_keys_sign_old_tokens_last),
    CASE(the_operator_ends_sessions),
    CASE(status_shows_every_instance),
    CASE(status_shows_instances_that_do_not_answer),
    CASE(explain_names_the_first_check_that_fails),
    CASE(long_commands_show_their_progress),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2", .test_clock = true});
    return unit_run("atriumctl", cases, ARRAY_SIZE(cases));
}
