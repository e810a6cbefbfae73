/*
 * test_settings.c - project settings, tenant code, child projects, policies and clients over HTTP.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

static struct suite *suite;

static const char *const switches[] = {"PATIENT_REGISTRATION_ENABLED",
                                       "PATIENT_INVITATION_ENABLED",
                                       "PATIENT_LOGIN_ENABLED",
                                       "PRACTITIONER_REGISTRATION_ENABLED",
                                       "PRACTITIONER_INVITATION_ENABLED",
                                       "PRACTITIONER_LOGIN_ENABLED",
                                       "CLINICIAN_INVITE_ON_BUSINESS_EMAIL",
                                       "inheritProviders"};

static struct http_answer *put_switch(const char *access, const char *name, json_t *body,
                                      const char *header)
{
    char path[160];

    snprintf(path, sizeof(path), "/v1/project/settings/%s", name);
    return http_call(
        suite_url(suite),
        &(struct http_request){
            .method = "PUT", .path = path, .bearer = access, .body = body, .headers = {header}});
}

static struct http_answer *put_value(const char *access, const char *name, const char *value)
{
    char path[160];

    snprintf(path, sizeof(path), "/v1/project/settings/values/%s", name);
    return http_put(suite_url(suite), path, access, json_pack("{s:s}", "value", value));
}

static struct http_answer *get_settings(const char *access)
{
    return http_get(suite_url(suite), "/v1/project/settings", access);
}

static void the_record_is_complete(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER record = get_settings(admin->access);
    char *etag = http_header(record, "ETag");

    CHECK_STATUS(record, 200);
    CU_ASSERT_STRING_EQUAL(http_text(record, "projectId"), suite_text(suite, "demo.projectId"));
    CU_ASSERT_STRING_EQUAL(http_text(record, "defaultPatientAccessPolicy"),
                           suite_text(suite, "demo.patientAccessPolicy"));
    for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
        char path[96];

        snprintf(path, sizeof(path), "settings.%s", switches[i]);
        CU_ASSERT_TRUE(json_is_false(http_member(record, path)));
    }
    CU_ASSERT_STRING_EQUAL(http_text(record, "settings.DEFAULT_PRACTITIONER_ACCESS_POLICY"),
                           suite_text(suite, "demo.practitionerAccessPolicy"));
    CU_ASSERT_TRUE(etag && etag[0] == '"');
    CU_ASSERT_PTR_NULL(http_member(record, "etag"));
    free(etag);
}

static void roles_that_may_read_and_write(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON admin = person_admin(suite);
    HTTP_ANSWER enable = put_switch(admin->access, "PRACTITIONER_REGISTRATION_ENABLED",
                                    json_pack("{s:b}", "enabled", 1), NULL);
    char *source = fresh_source(), *email = person_address();
    HTTP_ANSWER staff = http_call(
        suite_url(suite), &(struct http_request){.method = "POST",
                                                 .path = "/auth/tenant/Practitioner/register",
                                                 .source = source,
                                                 .body = body_register(email, "demo")});
    const char *plain = http_text(staff, "accessToken");

    CHECK_STATUS(enable, 200);
    CHECK_STATUS(staff, 200);
    HTTP_ANSWER anonymous = get_settings(NULL);
    CHECK_STATUS(anonymous, 401);
    HTTP_ANSWER patients = get_settings(patient->access);
    CHECK_STATUS(patients, 403);
    HTTP_ANSWER practitioners = get_settings(plain);
    CHECK_STATUS(practitioners, 200);
    HTTP_ANSWER patient_writes = put_switch(patient->access, "PATIENT_LOGIN_ENABLED",
                                            json_pack("{s:b}", "enabled", 1), NULL);
    CHECK_STATUS(patient_writes, 403);
    HTTP_ANSWER plain_writes =
        put_switch(plain, "PATIENT_LOGIN_ENABLED", json_pack("{s:b}", "enabled", 1), NULL);
    CHECK_STATUS(plain_writes, 403);
    HTTP_ANSWER plain_value = put_value(plain, "PATIENT_APP_URL", "https://x.example");
    CHECK_STATUS(plain_value, 403);
    HTTP_ANSWER code = http_get(suite_url(suite), "/organizations/code", plain);
    CHECK_STATUS(code, 200);
    CU_ASSERT_STRING_EQUAL(http_text(code, "code"), "demo");
    CU_ASSERT_STRING_EQUAL(http_text(code, "projectId"), suite_text(suite, "demo.projectId"));
    HTTP_ANSWER patient_code = http_get(suite_url(suite), "/organizations/code", patient->access);
    CHECK_STATUS(patient_code, 403);
    free(source);
    free(email);
}

static void every_switch_is_written_and_read(void)
{
    PERSON admin = person_admin(suite);

    for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
        for (int on = 1; on >= 0; on--) {
            char path[96];
            HTTP_ANSWER written =
                put_switch(admin->access, switches[i], json_pack("{s:b}", "enabled", on), NULL);
            HTTP_ANSWER read = get_settings(admin->access);

            if (strcmp(switches[i], "PRACTITIONER_LOGIN_ENABLED") == 0 && !on) {
                HTTP_ANSWER back =
                    put_switch(admin->access, switches[i], json_pack("{s:b}", "enabled", 1), NULL);
                CHECK_STATUS(back, 200);
            }
            snprintf(path, sizeof(path), "settings.%s", switches[i]);
            CHECK_STATUS(written, 200);
            CU_ASSERT_EQUAL(json_is_true(http_member(written, path)), on);
            CU_ASSERT_EQUAL(json_is_true(http_member(read, path)), on);
        }
        /* Leaves the switches as other cases need them: all enabled except two. */
        bool on = i != 3 && i != 6;
        HTTP_ANSWER set =
            put_switch(admin->access, switches[i], json_pack("{s:b}", "enabled", on), NULL);
        CHECK_STATUS(set, 200);
    }
}

static void bad_writes_are_refused(void)
{
    PERSON admin = person_admin(suite);
    static const char setting_not_found[] = "Setting not found.";

    HTTP_ANSWER unknown =
        put_switch(admin->access, "NO_SUCH_SETTING", json_pack("{s:b}", "enabled", 1), NULL);
    CHECK_ERROR(unknown, 404, setting_not_found);
    HTTP_ANSWER kind =
        put_switch(admin->access, "PATIENT_APP_URL", json_pack("{s:b}", "enabled", 1), NULL);
    CHECK_ERROR(kind, 404, setting_not_found);
    HTTP_ANSWER other_kind = put_value(admin->access, "PATIENT_LOGIN_ENABLED", "true");
    CHECK_ERROR(other_kind, 404, setting_not_found);
    HTTP_ANSWER missing = put_switch(admin->access, "PATIENT_LOGIN_ENABLED", json_object(), NULL);
    CHECK_PROBLEM(missing, "enabled");
    HTTP_ANSWER type = put_switch(admin->access, "PATIENT_LOGIN_ENABLED",
                                  json_pack("{s:s}", "enabled", "true"), NULL);
    CHECK_PROBLEM(type, "enabled");

    static const char *const bad_policies[] = {"x", "AccessPolicy/", "AccessPolicy/not-a-uuid",
                                               "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                                               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"};
    for (size_t i = 0; i < ARRAY_SIZE(bad_policies); i++) {
        HTTP_ANSWER answer =
            put_value(admin->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", bad_policies[i]);
        CHECK_PROBLEM(answer, "value");
        CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "INVALID_SETTING_VALUE");
    }
    static const char *const bad_urls[] = {
        "x",       "/relative",           "ftp://x.example",
        "http://", "javascript:alert(1)", "https:// space.example"};
    for (size_t i = 0; i < ARRAY_SIZE(bad_urls); i++) {
        HTTP_ANSWER answer = put_value(admin->access, "PATIENT_APP_URL", bad_urls[i]);
        CHECK_PROBLEM(answer, "value");
        CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "INVALID_SETTING_VALUE");
    }
    HTTP_ANSWER cleared = put_value(admin->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", "");
    CHECK_STATUS(cleared, 200);
    CU_ASSERT_TRUE(
        json_is_null(http_member(cleared, "settings.DEFAULT_PRACTITIONER_ACCESS_POLICY")));
    HTTP_ANSWER early = put_switch(admin->access, "PRACTITIONER_REGISTRATION_ENABLED",
                                   json_pack("{s:b}", "enabled", 1), NULL);
    CHECK_STATUS(early, 422);
    CU_ASSERT_STRING_EQUAL(http_text(early, "code"), "INVALID_SETTING_VALUE");
    HTTP_ANSWER again = put_value(admin->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY",
                                  suite_text(suite, "demo.practitionerAccessPolicy"));
    CHECK_STATUS(again, 200);
}

static void foreign_policies_are_refused(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER child =
        http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                  json_pack("{s:s, s:s}", "name", "Other", "tenantCode", "other-tenant"));
    PERSON there =
        person_sign_in(suite, "Practitioner", admin->email, admin->password, "other-tenant");
    HTTP_ANSWER policy =
        http_post(suite_url(suite), "/v1/project/access-policies", there->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", "Theirs", "resource", "resourceType", "*"));
    char reference[64];

    CHECK_STATUS(child, 200);
    CHECK_STATUS(policy, 200);
    snprintf(reference, sizeof(reference), "AccessPolicy/%s", http_text(policy, "id"));
    HTTP_ANSWER foreign = put_value(admin->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", reference);
    CHECK_PROBLEM(foreign, "value");
    HTTP_ANSWER own = put_value(there->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", reference);
    CHECK_STATUS(own, 200);

    /* One tenant's admin sees nothing of the other. */
    char path[128];
    snprintf(path, sizeof(path), "/v1/project/access-policies/%s", http_text(policy, "id"));
    HTTP_ANSWER hidden = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(hidden, 404);
    HTTP_ANSWER theirs = get_settings(there->access);
    CU_ASSERT_STRING_EQUAL(http_text(theirs, "projectId"), http_text(child, "projectId"));
}

static void child_projects_start_closed(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER child = http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                                  json_pack("{s:s}", "name", "Côte d'Azur Clinic"));
    CHECK_STATUS(child, 200);
    const char *code = http_text(child, "tenantCode");
    CU_ASSERT_TRUE(strlen(code) >= 3);
    CU_ASSERT_EQUAL(strspn(code, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(code));
    CU_ASSERT_STRING_EQUAL(http_text(child, "name"), "Côte d'Azur Clinic");

    PERSON there = person_sign_in(suite, "Practitioner", admin->email, admin->password, code);
    CU_ASSERT_EQUAL(there->status, 200);
    HTTP_ANSWER record = get_settings(there->access);
    CU_ASSERT_TRUE(json_is_false(http_member(record, "settings.PATIENT_REGISTRATION_ENABLED")));
    CU_ASSERT_TRUE(json_is_null(http_member(record, "defaultPatientAccessPolicy")));
    char *source = fresh_source(), *email = person_address();
    HTTP_ANSWER refused =
        http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                           .path = "/auth/tenant/Patient/register",
                                                           .source = source,
                                                           .body = body_register(email, code)});
    CHECK_ERROR(refused, 403, "Registration is not enabled for this project.");
    HTTP_ANSWER taken = http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                                  json_pack("{s:s, s:s}", "name", "Twin", "tenantCode", "demo"));
    CHECK_STATUS(taken, 409);
    HTTP_ANSWER malformed = http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                                      json_pack("{s:s, s:s}", "name", "", "tenantCode", "A b"));
    CHECK_PROBLEM(malformed, "name");
    CHECK_PROBLEM(malformed, "tenantCode");
    free(source);
    free(email);
}

static void a_stale_etag_loses(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER record = get_settings(admin->access);
    char *etag = http_header(record, "ETag"), header[128];

    snprintf(header, sizeof(header), "If-Match: %s", etag);
    HTTP_ANSWER first = put_switch(admin->access, "PATIENT_INVITATION_ENABLED",
                                   json_pack("{s:b}", "enabled", 1), header);
    CHECK_STATUS(first, 200);
    HTTP_ANSWER second = put_switch(admin->access, "PATIENT_INVITATION_ENABLED",
                                    json_pack("{s:b}", "enabled", 0), header);
    CHECK_ERROR(second, 409, "The project changed during the write.");
    HTTP_ANSWER after = get_settings(admin->access);
    CU_ASSERT_TRUE(json_is_true(http_member(after, "settings.PATIENT_INVITATION_ENABLED")));
    free(etag);
}

/* Two hundred concurrent updates: each success is one version and one history row, each loser a
 * 409. */
static void no_update_is_lost(void)
{
    enum { MANY = 200 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    PERSON admin = person_admin(suite);
    char values[MANY][64],
        *before = suite_query(suite, "select count(*) from settings.setting_history"), *after;
    int won = 0, last_seen = 0;

    for (int i = 0; i < MANY; i++) {
        snprintf(values[i], sizeof(values[i]), "https://app-%d.example", i);
        requests[i] = (struct http_request){.method = "PUT",
                                            .path = "/v1/project/settings/values/PATIENT_APP_URL",
                                            .bearer = admin->access,
                                            .body = json_pack("{s:s}", "value", values[i])};
    }
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    HTTP_ANSWER record = get_settings(admin->access);
    for (int i = 0; i < MANY; i++) {
        if (answers[i]->status == 200) {
            won++;
            last_seen += strcmp(http_text(record, "settings.PATIENT_APP_URL"), values[i]) == 0;
            CU_ASSERT_STRING_EQUAL(http_text(answers[i], "settings.PATIENT_APP_URL"), values[i]);
        } else {
            CHECK_ERROR(answers[i], 409, "The project changed during the write.");
        }
    }
    after = suite_query(suite, "select count(*) from settings.setting_history");
    CU_ASSERT_TRUE(won >= 1);
    CU_ASSERT_EQUAL(last_seen, 1);
    CU_ASSERT_EQUAL(strtol(after, NULL, 10) - strtol(before, NULL, 10), won);
    http_answers_destroy(answers, MANY);
    free(before);
    free(after);
}

static void policies_are_validated(void)
{
    static const struct {
        const char *json, *path; /* path NULL: accepted */
    } rows[] = {
        {"{\"name\":\"a\",\"resource\":[{\"resourceType\":\"DocumentReference\",\"interaction\":"
         "[\"read\",\"search\"],\"criteria\":\"DocumentReference?author=%profile\"}]}",
         NULL},
        {"{\"name\":\"a\",\"resource\":[{\"resourceType\":\"*\",\"readonly\":true}],"
         "\"ipAccessRule\":[{\"ip\":\"10.0.0.0/8\",\"action\":\"allow\"}]}",
         NULL},
        {"{\"resource\":[]}", "name"},
        {"{\"name\":\"a\"}", "resource"},
        {"{\"name\":\"a\",\"resource\":{}}", "resource"},
        {"{\"name\":\"a\",\"resource\":[{\"resourceType\":\"Patient\"}]}",
         "resource.0.resourceType"},
        {"{\"name\":\"a\",\"resource\":[{\"resourceType\":\"Bot\",\"interaction\":[\"fly\"]}]}",
         "resource.0.interaction.0"},
        {"{\"name\":\"a\",\"resource\":[{\"resourceType\":\"DocumentReference\",\"criteria\":"
         "\"DocumentReference?x=y\"}]}",
         "resource.0.criteria"},
        {"{\"name\":\"a\",\"resource\":[{\"resourceType\":\"Bot\",\"readonly\":\"yes\"}]}",
         "resource.0.readonly"},
        {"{\"name\":\"a\",\"resource\":[],\"ipAccessRule\":[{\"ip\":\"10.0.0.0/64\",\"action\":"
         "\"allow\"}]}",
         "ipAccessRule.0.ip"},
        {"{\"name\":\"a\",\"resource\":[],\"ipAccessRule\":[{\"ip\":\"::1\",\"action\":\"maybe\"}]"
         "}",
         "ipAccessRule.0.action"},
    };
    PERSON admin = person_admin(suite);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = http_call(suite_url(suite),
                                       &(struct http_request){.method = "POST",
                                                              .path = "/v1/project/access-policies",
                                                              .bearer = admin->access,
                                                              .raw = rows[i].json});
        if (rows[i].path)
            CHECK_PROBLEM(answer, rows[i].path);
        else
            CHECK_STATUS(answer, 200);
    }
}

static void policies_and_clients_are_managed(void)
{
    PERSON admin = person_admin(suite);
    json_t *body =
        json_pack("{s:s, s:[{s:s}]}", "name", "One", "resource", "resourceType", "Content");
    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                 json_incref(body));
    char path[128];

    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_EQUAL(http_text(made, "resourceType"), "AccessPolicy");
    snprintf(path, sizeof(path), "/v1/project/access-policies/%s", http_text(made, "id"));
    json_object_set_new(body, "name", json_string("Two"));
    HTTP_ANSWER replaced = http_put(suite_url(suite), path, admin->access, body);
    CHECK_STATUS(replaced, 200);
    HTTP_ANSWER read = http_get(suite_url(suite), path, admin->access);
    CU_ASSERT_STRING_EQUAL(http_text(read, "name"), "Two");
    HTTP_ANSWER list = http_get(suite_url(suite), "/v1/project/access-policies", admin->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_TRUE(json_array_size(http_member(list, "resources")) >= 3);
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER absent = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(absent, 404);
    snprintf(path, sizeof(path), "/v1/project/access-policies/%s",
             strchr(suite_text(suite, "demo.patientAccessPolicy"), '/') + 1);
    HTTP_ANSWER in_use = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(in_use, 409);

    HTTP_ANSWER client = http_post(suite_url(suite), "/v1/project/clients", admin->access,
                                   json_pack("{s:s}", "name", "Portal"));
    CHECK_STATUS(client, 200);
    HTTP_ANSWER clients = http_get(suite_url(suite), "/v1/project/clients", admin->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(clients, "resources")), 2);
    snprintf(path, sizeof(path), "/v1/project/clients/%s", http_text(client, "id"));
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(removed, 204);
    HTTP_ANSWER twice = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(twice, 404);
}

static void a_changed_policy_shows_on_the_next_request(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    char path[128];
    HTTP_ANSWER before = http_get(suite_url(suite), "/auth/me", patient->access);

    CHECK_STATUS(before, 200);
    snprintf(path, sizeof(path), "/v1/project/access-policies/%s",
             strchr(suite_text(suite, "demo.patientAccessPolicy"), '/') + 1);
    for (int i = 0; i < 10; i++) {
        char name[32];

        snprintf(name, sizeof(name), "Patients %d", i);
        HTTP_ANSWER changed =
            http_put(suite_url(suite), path, admin->access,
                     json_pack("{s:s, s:[{s:s}]}", "name", name, "resource", "resourceType", "*"));
        CHECK_STATUS(changed, 200);
        HTTP_ANSWER now = http_get(suite_url(suite), "/auth/me", patient->access);
        CU_ASSERT_STRING_EQUAL(http_text(now, "accessPolicy.name"), name);
    }
}

static const char account_policy[] = "/v1/project/account-policy";

/* Consumes the body. */
static struct http_answer *put_account_policy(const char *access, json_t *body, const char *header)
{
    return http_call(suite_url(suite), &(struct http_request){.method = "PUT",
                                                              .path = account_policy,
                                                              .bearer = access,
                                                              .body = body,
                                                              .headers = {header}});
}

static void account_policy_starts_with_every_protection_off(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER policy = http_get(suite_url(suite), account_policy, admin->access);
    char *etag = http_header(policy, "ETag");

    CHECK_STATUS(policy, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(policy, "passwordMinLength")), 1);
    CU_ASSERT_EQUAL(json_integer_value(http_member(policy, "passwordMinLengthWithMfa")), 1);
    CU_ASSERT_TRUE(json_is_false(http_member(policy, "refuseCommonPasswords")));
    CU_ASSERT_STRING_EQUAL(http_text(policy, "onSignIn"), "ignore");
    CU_ASSERT_TRUE(json_is_false(http_member(policy, "requireVerifiedEmail")));
    CU_ASSERT_STRING_EQUAL(http_text(policy, "requireMfa"), "none");
    CU_ASSERT_EQUAL(json_integer_value(http_member(policy, "documentsPerAccount")), 10000);
    CU_ASSERT_EQUAL(json_integer_value(http_member(policy, "bytesPerAccount")), 10LL << 30);
    CU_ASSERT_TRUE(json_is_null(http_member(policy, "bytesPerProject")));
    CU_ASSERT_TRUE(etag && etag[0] == '"');
    CU_ASSERT_PTR_NULL(http_member(policy, "etag"));
    HTTP_ANSWER patients = http_get(suite_url(suite), account_policy, patient->access);
    CHECK_STATUS(patients, 403);
    HTTP_ANSWER writes =
        put_account_policy(patient->access, json_pack("{s:s}", "requireMfa", "none"), NULL);
    CHECK_STATUS(writes, 403);
    free(etag);
}

static void account_policy_is_merged_and_kept_in_the_history(void)
{
    PERSON admin = person_admin_of_child(suite, "account-policy");
    HTTP_ANSWER first = put_account_policy(
        admin->access, json_pack("{s:i, s:i}", "passwordMinLength", 12, "bytesPerProject", 1000),
        NULL);
    HTTP_ANSWER second =
        put_account_policy(admin->access,
                           json_pack("{s:b, s:n}", "requireVerifiedEmail", true, "bytesPerAccount"),
                           NULL);
    char *etag = http_header(second, "ETag"), header[64];

    CHECK_STATUS(first, 200);
    CHECK_STATUS(second, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(second, "passwordMinLength")), 12);
    CU_ASSERT_EQUAL(json_integer_value(http_member(second, "bytesPerProject")), 1000);
    CU_ASSERT_TRUE(json_is_null(http_member(second, "bytesPerAccount")));
    CU_ASSERT_TRUE(json_is_true(http_member(second, "requireVerifiedEmail")));

    /* Writing the same value leaves no history row. */
    HTTP_ANSWER same =
        put_account_policy(admin->access, json_pack("{s:i}", "passwordMinLength", 12), NULL);
    CHECK_STATUS(same, 200);
    HTTP_ANSWER unlimited =
        put_account_policy(admin->access, json_pack("{s:n}", "bytesPerProject"), NULL);
    CU_ASSERT_TRUE(json_is_null(http_member(unlimited, "bytesPerProject")));
    snprintf(header, sizeof(header), "If-Match: %s", etag);
    HTTP_ANSWER stale =
        put_account_policy(admin->access, json_pack("{s:i}", "passwordMinLength", 13), header);
    CHECK_ERROR(stale, 409, "The project changed during the write.");

    HTTP_ANSWER history = http_get(suite_url(suite), "/v1/project/settings/history", admin->access);
    CU_ASSERT_STRING_EQUAL(http_text(history, "resources.0.name"), "accountPolicy.bytesPerProject");
    CU_ASSERT_EQUAL(json_integer_value(http_member(history, "resources.0.old")), 1000);
    CU_ASSERT_EQUAL(json_integer_value(http_member(history, "resources.0.new")), 0);
    CU_ASSERT_STRING_EQUAL(http_text(history, "resources.1.name"), "accountPolicy.bytesPerAccount");
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from settings.audit where project_id = '%s' and "
                                "event->>'action' = 'account-policy.write'",
                                strchr(admin->project, '/') + 1),
                    4);
    free(etag);
}

static void account_policy_out_of_range_is_refused(void)
{
    static const struct {
        const char *json, *path;
    } rows[] = {
        {"{\"passwordMinLength\":0}", "passwordMinLength"},
        {"{\"passwordMinLength\":65}", "passwordMinLength"},
        {"{\"passwordMinLength\":null}", "passwordMinLength"},
        {"{\"passwordMinLengthWithMfa\":-1}", "passwordMinLengthWithMfa"},
        {"{\"refuseCommonPasswords\":\"yes\"}", "refuseCommonPasswords"},
        {"{\"onSignIn\":\"refuse\"}", "onSignIn"},
        {"{\"onSignIn\":true}", "onSignIn"},
        {"{\"requireMfa\":\"nobody\"}", "requireMfa"},
        {"{\"documentsPerAccount\":-1}", "documentsPerAccount"},
        {"{\"bytesPerProject\":1.5}", "bytesPerProject"},
    };
    PERSON admin = person_admin(suite);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer =
            http_call(suite_url(suite), &(struct http_request){.method = "PUT",
                                                               .path = account_policy,
                                                               .bearer = admin->access,
                                                               .raw = rows[i].json});
        CHECK_PROBLEM(answer, rows[i].path);
    }
}

static void a_setting_written_again_is_no_change(void)
{
    static const char count[] = "select count(*) from settings.setting_history";
    PERSON admin = person_admin_of_child(suite, "written-again");
    HTTP_ANSWER first = put_value(admin->access, "PATIENT_APP_URL", "https://same.example");
    long before = suite_count(suite, count);
    HTTP_ANSWER second = put_value(admin->access, "PATIENT_APP_URL", "https://same.example");
    HTTP_ANSWER closed = put_switch(admin->access, "PATIENT_REGISTRATION_ENABLED",
                                    json_pack("{s:b}", "enabled", 0), NULL);

    CHECK_STATUS(first, 200);
    CHECK_STATUS(second, 200);
    CHECK_STATUS(closed, 200);
    CU_ASSERT_STRING_EQUAL(http_text(second, "settings.PATIENT_APP_URL"), "https://same.example");
    CU_ASSERT_EQUAL(suite_count(suite, count), before);
    /* Setting a value explicitly is a change, even if it equals the default. */
    HTTP_ANSWER set =
        put_switch(admin->access, "PATIENT_LOGIN_ENABLED", json_pack("{s:b}", "enabled", 1), NULL);
    CHECK_STATUS(set, 200);
    CU_ASSERT_EQUAL(suite_count(suite, count), before + 1);
    HTTP_ANSWER cleared = put_value(admin->access, "PRACTITIONER_APP_URL", "");
    CHECK_STATUS(cleared, 200);
    CU_ASSERT_EQUAL(suite_count(suite, count), before + 1);
}

static void suspending_closes_all_projects_below(void)
{
    PERSON admin = person_admin_of_child(suite, "suspend-parent");
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                  json_pack("{s:s, s:s}", "name", "Below", "tenantCode", "suspend-below"));

    CHECK_STATUS(made, 200);
    PERSON below =
        person_sign_in(suite, "Practitioner", admin->email, admin->password, "suspend-below");
    CU_ASSERT_TRUE(suite_everywhere(suite, below->access, 200));
    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "suspend-parent");
    CHECK_EXIT(suspended, 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, below->access, 403));
    HTTP_ANSWER patient = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                           body_login_start("x@example.org", "x", "suspend-below"));
    CHECK_ERROR(patient, 404, "Tenant not found.");
    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "suspend-parent", "--resume");
    CHECK_EXIT(resumed, 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, below->access, 200));
}

/* A membership without a policy opens only the routes of the own account. */
static void mailing_the_code_needs_a_policy(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER enable = put_switch(admin->access, "PRACTITIONER_REGISTRATION_ENABLED",
                                    json_pack("{s:b}", "enabled", 1), NULL);
    char *email = person_address(), *query;
    HTTP_ANSWER staff =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/register", body_register(email, "demo"));

    CHECK_STATUS(enable, 200);
    CHECK_STATUS(staff, 200);
    query = suite_query(
        suite, "with m as (update auth.membership set policy_id = null where account_id = (select "
               "account_id from auth.session order by created_at desc limit 1) returning 1) select "
               "count(*) from m");
    CU_ASSERT_STRING_EQUAL(query, "1");
    free(query);
    HTTP_ANSWER refused =
        http_post(suite_url(suite), "/organizations/code/email", http_text(staff, "accessToken"),
                  json_pack("{s:s}", "email", email));
    CHECK_ERROR(refused, 403, "Forbidden");
    HTTP_ANSWER mailed = http_post(suite_url(suite), "/organizations/code/email", admin->access,
                                   json_pack("{s:s}", "email", email));
    CHECK_STATUS(mailed, 200);
    free(email);
}

/* Attack: one admin took 60 tenant codes. Last case, because this admin can make no more children
 * for an hour. */
static void an_admin_makes_thirty_children_an_hour(void)
{
    PERSON admin = person_admin(suite);
    int made = 0;

    for (int i = 0; i < 31; i++) {
        HTTP_ANSWER child = http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                                      json_pack("{s:s}", "name", "Another"));

        if (child->status == 200) {
            made++;
            continue;
        }
        CHECK_STATUS(child, 429);
        CU_ASSERT_TRUE(http_retry_after(child) > 0 && http_retry_after(child) <= 3600);
    }
    CU_ASSERT_TRUE(made > 10 && made < 30);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from settings.project where created_by is not null"),
        30);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_record_is_complete),
    CASE(roles_that_may_read_and_write),
    CASE(every_switch_is_written_and_read),
    CASE(bad_writes_are_refused),
    CASE(foreign_policies_are_refused),
    CASE(child_projects_start_closed),
    CASE(a_stale_etag_loses),
    CASE(no_update_is_lost),
    CASE(policies_are_validated),
    CASE(policies_and_clients_are_managed),
    CASE(a_changed_policy_shows_on_the_next_request),
    CASE(account_policy_starts_with_every_protection_off),
    CASE(account_policy_is_merged_and_kept_in_the_history),
    CASE(account_policy_out_of_range_is_refused),
    CASE(a_setting_written_again_is_no_change),
    CASE(suspending_closes_all_projects_below),
    CASE(mailing_the_code_needs_a_policy),
    CASE(an_admin_makes_thirty_children_an_hour),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "settingsd=2,gateway=2"});
    return unit_run("settings", cases, ARRAY_SIZE(cases));
}
