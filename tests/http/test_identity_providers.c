/*
 * test_identity_providers.c - a project's identity providers: what their admins can set, what
 * projects below inherit, and what is never shown.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define PROVIDERS "/v1/project/identity-providers"
#define SECRET "a-secret-nobody-is-shown"
#define DIRECTORY "7b5e7a3c-52f4-4b6c-9a53-1d0a6f0c2e11"
#define ENTRA "https://login.microsoftonline.com/"
#define PERSONAL "9188040d-6c67-4c5b-b112-36a304b66dad"

enum { FRESH = 900, LIMIT = 10 };

static struct suite *suite;
static struct person *admin, *child, *grandchild, *foreign;

/* Returns a provider's body, with further members of this JSON object. */
static json_t *body(const char *more)
{
    json_t *made =
        json_pack("{s:s, s:s, s:s, s:s, s:[s]}", "name", "Staff", "preset", "oidc", "issuer",
                  "https://login.clinic.example", "clientId", "atrium", "roles", "practitioners");
    json_t *changes = json_loads(more, 0, NULL);

    UNIT_CHECK(changes != NULL, "%s", more);
    json_object_update(made, changes);
    json_decref(changes);
    return made;
}

static struct http_answer *create(const struct person *who, const char *more)
{
    return http_post(suite_url(suite), PROVIDERS, who->access, body(more));
}

static struct http_answer *call_one(const struct person *who, const char *method, const char *id,
                                    json_t *json, const char *header)
{
    char path[128];

    snprintf(path, sizeof(path), PROVIDERS "/%s", id);
    return http_call(suite_url(suite), &(struct http_request){.method = method,
                                                              .path = path,
                                                              .bearer = who->access,
                                                              .body = json,
                                                              .headers = {header}});
}

static struct http_answer *replace(const char *id, const char *more)
{
    return call_one(admin, "PUT", id, body(more), NULL);
}

static void delete_all(const struct person *who)
{
    HTTP_ANSWER list = http_get(suite_url(suite), PROVIDERS, who->access);
    json_t *row;
    size_t i;

    json_array_foreach(http_member(list, "resources"), i, row)
    {
        HTTP_ANSWER done =
            call_one(who, "DELETE", json_string_value(json_object_get(row, "id")), NULL, NULL);
        CHECK_STATUS(done, 204);
    }
}

/* Reports if the answer names this member as the problem. */
static bool has_problem(const struct http_answer *answer, const char *path)
{
    json_t *problem = json_array_get(http_member(answer, "message"), 0);
    const char *found = json_string_value(json_object_get(problem, "path"));

    return answer->status == 422 && found && strcmp(found, path) == 0;
}

static void check_list(const struct http_answer *answer, const char *member, const char *want)
{
    char *text = json_dumps(http_member(answer, member), JSON_ENCODE_ANY | JSON_COMPACT);

    UNIT_CHECK(text && strcmp(text, want) == 0, "%s: %s, not %s", member, text ? text : "", want);
    free(text);
}

static void a_provider_has_defaults(void)
{
    char want[256];

    HTTP_ANSWER made = create(admin, "{}");
    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_EQUAL(http_text(made, "authMethod"), "client_secret_basic");
    CU_ASSERT_STRING_EQUAL(http_text(made, "scopes"), "openid email profile");
    CU_ASSERT_STRING_EQUAL(http_text(made, "provisioning"), "none");
    CU_ASSERT_STRING_EQUAL(http_text(made, "state"), "draft");
    CU_ASSERT_TRUE(json_is_false(http_member(made, "hasSecret")));
    CU_ASSERT_TRUE(json_is_null(http_member(made, "requiredAcr")));
    CU_ASSERT_TRUE(json_is_null(http_member(made, "testedAt")));
    check_list(made, "domains", "[]");
    check_list(made, "enforced", "[]");
    snprintf(want, sizeof(want), "%s/t/demo/idp/%s/callback", suite_text(suite, "publicUrl"),
             http_text(made, "id"));
    CU_ASSERT_STRING_EQUAL(http_text(made, "redirectUri"), want);
    HTTP_ANSWER read = call_one(admin, "GET", http_text(made, "id"), NULL, NULL);
    CHECK_STATUS(read, 200);
    CU_ASSERT_STRING_EQUAL(read->body, made->body);
    delete_all(admin);
    HTTP_ANSWER gone = call_one(admin, "GET", http_text(made, "id"), NULL, NULL);
    CHECK_ERROR(gone, 404, "Identity provider not found.");
    HTTP_ANSWER twice = call_one(admin, "DELETE", http_text(made, "id"), NULL, NULL);
    CHECK_STATUS(twice, 404);
}

static void roles_and_domains_are_stored_once(void)
{
    PROGRAM vouched = ATRIUMCTL(suite, NULL, "domain", "verify", "--project", "demo", "b.example");
    PROGRAM second = ATRIUMCTL(suite, NULL, "domain", "verify", "--project", "demo", "a.example");

    CHECK_EXIT(vouched, 0);
    CHECK_EXIT(second, 0);
    HTTP_ANSWER made =
        create(admin,
               "{\"roles\":[\"patients\",\"practitioners\"],"
               "\"domains\":[\"B.Example\",\"a.example\"],\"provisioning\":\"both\","
               "\"trustedForMfa\":true,\"requiredAcr\":\"mfa\",\"scopes\":\"email openid\"}");
    CHECK_STATUS(made, 200);
    check_list(made, "roles", "[\"practitioners\",\"patients\"]");
    check_list(made, "domains", "[\"a.example\",\"b.example\"]");
    CU_ASSERT_STRING_EQUAL(http_text(made, "scopes"), "email openid");
    CU_ASSERT_STRING_EQUAL(http_text(made, "requiredAcr"), "mfa");
    delete_all(admin);
}

static void wrong_members_are_refused(void)
{
    static const struct {
        const char *more, *path;
    } rows[] = {
        {"{\"issuer\":\"http://login.clinic.example\"}", "issuer"},
        {"{\"issuer\":\"https://login.clinic.example?tenant=1\"}", "issuer"},
        {"{\"issuer\":\"https://login.clinic.example#x\"}", "issuer"},
        {"{\"issuer\":\"https://user@login.clinic.example\"}", "issuer"},
        {"{\"issuer\":null}", "issuer"},
        {"{\"preset\":\"google\"}", "issuer"},
        {"{\"preset\":\"entra\"}", "issuer"},
        {"{\"preset\":\"entra\",\"issuer\":\"" ENTRA "common/v2.0\"}", "issuer"},
        {"{\"preset\":\"entra\",\"issuer\":\"" ENTRA "organizations/v2.0\"}", "issuer"},
        {"{\"preset\":\"entra\",\"issuer\":\"" ENTRA "consumers/v2.0\"}", "issuer"},
        {"{\"preset\":\"entra\",\"issuer\":\"" ENTRA PERSONAL "/v2.0\"}", "issuer"},
        {"{\"preset\":\"entra\",\"issuer\":\"" ENTRA DIRECTORY "/v1.0\"}", "issuer"},
        {"{\"preset\":\"entra\",\"issuer\":\"" ENTRA DIRECTORY "\"}", "issuer"},
        {"{\"preset\":\"saml\"}", "preset"},
        {"{\"name\":\"\"}", "name"},
        {"{\"clientId\":\"\\u00e9\"}", "clientId"},
        {"{\"clientSecret\":\"\"}", "clientSecret"},
        {"{\"state\":\"active\"}", "clientSecret"},
        {"{\"authMethod\":\"private_key_jwt\"}", "authMethod"},
        {"{\"scopes\":\"email profile\"}", "scopes"},
        {"{\"scopes\":\"openid2 profile\"}", "scopes"},
        {"{\"scopes\":\"openid \\\"x\\\"\"}", "scopes"},
        {"{\"requiredAcr\":\"\"}", "requiredAcr"},
        {"{\"roles\":[]}", "roles"},
        {"{\"roles\":[\"admins\"]}", "roles.0"},
        {"{\"domains\":[\"never.example\"]}", "domains"},
        {"{\"domains\":[\"not a domain\"]}", "domains"},
        {"{\"provisioning\":\"admins\"}", "provisioning"},
        {"{\"state\":\"on\"}", "state"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER refused = create(admin, rows[i].more);

        UNIT_CHECK(has_problem(refused, rows[i].path), "%s: %d %s", rows[i].more, refused->status,
                   refused->body);
    }
    HTTP_ANSWER enforced = create(admin, "{\"enforced\":[\"practitioners\"]}");
    CHECK_ERROR(enforced, 409,
                "A provider can be enforced only within 24 hours of a successful test.");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.identity_provider"), 0);
}

static void presets_fill_in_the_issuer(void)
{
    HTTP_ANSWER google = create(admin, "{\"preset\":\"google\",\"issuer\":null}");
    CHECK_STATUS(google, 200);
    CU_ASSERT_STRING_EQUAL(http_text(google, "issuer"), "https://accounts.google.com");
    HTTP_ANSWER entra =
        create(admin, "{\"preset\":\"entra\",\"issuer\":\"" ENTRA DIRECTORY "/v2.0\"}");
    CHECK_STATUS(entra, 200);
    CU_ASSERT_STRING_EQUAL(http_text(entra, "issuer"), ENTRA DIRECTORY "/v2.0");
    delete_all(admin);
}

/* The secret is neither in an answer nor in clear in the database, and never goes to another
 * issuer. */
static void the_secret_is_written_only(void)
{
    static const char *const moves[] = {"{\"issuer\":\"https://evil.example\"}",
                                        "{\"clientId\":\"other\"}",
                                        "{\"preset\":\"entra\",\"issuer\":\"" ENTRA DIRECTORY
                                        "/v2.0\"}"};
    char id[40];

    HTTP_ANSWER made = create(admin, "{\"state\":\"active\",\"clientSecret\":\"" SECRET "\"}");
    CHECK_STATUS(made, 200);
    snprintf(id, sizeof(id), "%s", http_text(made, "id"));
    CU_ASSERT_TRUE(json_is_true(http_member(made, "hasSecret")));
    HTTP_ANSWER kept = replace(id, "{\"state\":\"active\",\"name\":\"Everyone\"}");
    CHECK_STATUS(kept, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(kept, "hasSecret")));
    HTTP_ANSWER list = http_get(suite_url(suite), PROVIDERS, admin->access);
    HTTP_ANSWER read = call_one(admin, "GET", id, NULL, NULL);
    UNIT_CHECK(!strstr(made->body, SECRET) && !strstr(kept->body, SECRET) &&
                   !strstr(list->body, SECRET) && !strstr(read->body, SECRET),
               "%s", "the secret is shown");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.identity_provider where "
                                       "position('" SECRET "'::bytea in secret_sealed) = 0"),
                    1);
    for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
        HTTP_ANSWER moved = replace(id, moves[i]);

        UNIT_CHECK(has_problem(moved, "clientSecret"), "%s: %d %s", moves[i], moved->status,
                   moved->body);
    }
    HTTP_ANSWER sent =
        replace(id, "{\"issuer\":\"https://new.example\",\"clientSecret\":\"" SECRET "2\"}");
    CHECK_STATUS(sent, 200);
    delete_all(admin);
}

/* A test counts for what it tested. */
static void a_change_needs_a_new_test(void)
{
    char id[40];

    HTTP_ANSWER made = create(admin, "{}");
    CHECK_STATUS(made, 200);
    snprintf(id, sizeof(id), "%s", http_text(made, "id"));
    free(suite_query(suite, "update auth.identity_provider set tested_at = 1 returning 1"));
    HTTP_ANSWER renamed = replace(id, "{\"name\":\"Renamed\"}");
    CU_ASSERT_TRUE(json_is_string(http_member(renamed, "testedAt")));
    HTTP_ANSWER changed = replace(id, "{\"requiredAcr\":\"mfa\"}");
    CU_ASSERT_TRUE(json_is_null(http_member(changed, "testedAt")));
    delete_all(admin);
}

static void domains_are_those_of_the_project(void)
{
    PROGRAM above = ATRIUMCTL(suite, NULL, "domain", "verify", "--project", "demo", "up.example");

    CHECK_EXIT(above, 0);
    HTTP_ANSWER own = create(admin, "{\"domains\":[\"up.example\"]}");
    CHECK_STATUS(own, 200);
    HTTP_ANSWER below = create(child, "{\"domains\":[\"up.example\"]}");
    UNIT_CHECK(has_problem(below, "domains"), "%d %s", below->status, below->body);
    PROGRAM moved =
        ATRIUMCTL(suite, NULL, "domain", "verify", "--project", "idp-child", "up.example");
    CHECK_EXIT(moved, 0);
    HTTP_ANSWER lost = replace(http_text(own, "id"), "{\"domains\":[\"up.example\"]}");
    UNIT_CHECK(has_problem(lost, "domains"), "%d %s", lost->status, lost->body);
    HTTP_ANSWER taken = create(child, "{\"domains\":[\"up.example\"]}");
    CHECK_STATUS(taken, 200);
    delete_all(child);
    delete_all(admin);
}

static void a_project_has_ten_at_most(void)
{
    for (int i = 0; i < LIMIT; i++) {
        HTTP_ANSWER made = create(admin, "{}");
        CHECK_STATUS(made, 200);
    }
    HTTP_ANSWER more = create(admin, "{}");
    CHECK_ERROR(more, 409, "The project has 10 identity providers already.");
    HTTP_ANSWER other = create(child, "{}");
    CHECK_STATUS(other, 200);
    delete_all(child);
    delete_all(admin);
}

static void others_cannot_reach_a_provider(void)
{
    const struct person *const others[] = {child, foreign};

    HTTP_ANSWER made = create(admin, "{}");
    CHECK_STATUS(made, 200);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        HTTP_ANSWER read = call_one(others[i], "GET", http_text(made, "id"), NULL, NULL);
        HTTP_ANSWER put = call_one(others[i], "PUT", http_text(made, "id"), body("{}"), NULL);
        HTTP_ANSWER gone = call_one(others[i], "DELETE", http_text(made, "id"), NULL, NULL);

        CHECK_STATUS(read, 404);
        CHECK_STATUS(put, 404);
        CHECK_STATUS(gone, 404);
    }
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER list = http_get(suite_url(suite), PROVIDERS, patient->access);
    CHECK_STATUS(list, 403);
    HTTP_ANSWER anonymous = http_get(suite_url(suite), PROVIDERS, NULL);
    CHECK_STATUS(anonymous, 401);
    delete_all(admin);
}

/* Waits until the inherited providers are these, by their names. */
static void check_inherited(const struct person *who, const char *want)
{
    char found[256];

    for (int i = 0; i < 50; i++) {
        HTTP_ANSWER list = http_get(suite_url(suite), PROVIDERS, who->access);
        json_t *row;
        size_t at;

        found[0] = '\0';
        json_array_foreach(http_member(list, "inherited"), at, row)
        {
            snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s,",
                     json_string_value(json_object_get(row, "name")));
        }
        if (strcmp(found, want) == 0)
            return;
        usleep(100000);
    }
    UNIT_CHECK(false, "%s inherited, not %s", found, want);
}

static void projects_below_inherit_what_is_active(void)
{
#define ACTIVE "\"state\":\"active\",\"clientSecret\":\"" SECRET "\""
    HTTP_ANSWER draft = create(admin, "{\"name\":\"Draft\"}");
    HTTP_ANSWER off =
        create(admin, "{\"name\":\"Off\",\"state\":\"disabled\",\"clientSecret\":\"x\"}");
    HTTP_ANSWER top = create(admin, "{\"name\":\"Top\"," ACTIVE "}");
    HTTP_ANSWER middle = create(child, "{\"name\":\"Middle\"," ACTIVE "}");
    HTTP_ANSWER own = create(grandchild, "{\"name\":\"Own\"," ACTIVE "}");

    CHECK_STATUS(draft, 200);
    CHECK_STATUS(off, 200);
    CHECK_STATUS(top, 200);
    CHECK_STATUS(middle, 200);
    CHECK_STATUS(own, 200);
    check_inherited(admin, "");
    check_inherited(foreign, "");
    check_inherited(child, "Top,");
    check_inherited(grandchild, "Middle,Top,");
    /* The switch of a project cuts off what is above it, also for the projects below. */
    suite_set_switch(suite, child->access, "inheritProviders", false);
    check_inherited(child, "");
    check_inherited(grandchild, "Middle,");
    suite_set_switch(suite, child->access, "inheritProviders", true);
    check_inherited(grandchild, "Middle,Top,");
    suite_set_switch(suite, admin->access, "inheritProviders", false); /* nothing is above it */
    check_inherited(grandchild, "Middle,Top,");
    delete_all(grandchild);
    delete_all(child);
    delete_all(admin);
    check_inherited(grandchild, "");
}

static void changes_leave_audit_rows(void)
{
    static const char rows[] = "select count(*) from auth.audit where event::text like '%%%s%%' "
                               "and entity = 'IdentityProvider/%s'";

    HTTP_ANSWER made = create(admin, "{}");
    HTTP_ANSWER put = replace(http_text(made, "id"), "{\"name\":\"Other\"}");
    HTTP_ANSWER refused = replace(http_text(made, "id"), "{\"preset\":\"google\"}");
    CHECK_STATUS(put, 200);
    CHECK_STATUS(refused, 422);
    delete_all(admin);
    CU_ASSERT_EQUAL(suite_count(suite, rows, "provider.write", http_text(made, "id")), 2);
    CU_ASSERT_EQUAL(suite_count(suite, rows, "provider.delete", http_text(made, "id")), 1);
}

static void doctor_counts_active_providers(void)
{
    HTTP_ANSWER made = create(admin, "{" ACTIVE "}");
    CHECK_STATUS(made, 200);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    UNIT_CHECK(strstr(doctor->out, "1 are active") != NULL, "%s", doctor->out);
    delete_all(admin);
}

static void changes_need_a_fresh_proof(void)
{
    HTTP_ANSWER made = create(admin, "{}");
    CHECK_STATUS(made, 200);
    suite_advance_clock(suite, FRESH + 1);
    HTTP_ANSWER more = create(admin, "{}");
    HTTP_ANSWER put = replace(http_text(made, "id"), "{}");
    HTTP_ANSWER gone = call_one(admin, "DELETE", http_text(made, "id"), NULL, NULL);
    HTTP_ANSWER read = call_one(admin, "GET", http_text(made, "id"), NULL, NULL);
    CHECK_STATUS(more, 401);
    CHECK_STATUS(put, 401);
    CHECK_STATUS(gone, 401);
    CU_ASSERT_STRING_EQUAL(http_text(put, "code"), "STEP_UP_REQUIRED");
    CHECK_STATUS(read, 200);
    CU_ASSERT_STRING_EQUAL(read->body, made->body);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.identity_provider"), 1);
}

static void suite_starts(void)
{
    static const char email[] = "olga@elsewhere.example",
                      password[] = "correct horse battery staple";

    suite = suite_start(&(struct suite_options){.test_clock = true});
    suite_advance_clock(suite, 0);
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "idp-child");
    HTTP_ANSWER below =
        http_post(suite_url(suite), "/v1/slim/project/child", child->access,
                  json_pack("{s:s, s:s}", "name", "Ward", "tenantCode", "idp-ward"));
    CHECK_STATUS(below, 200);
    grandchild = person_sign_in(suite, "Practitioner", admin->email, admin->password, "idp-ward");
    suite_make_open_project(suite, "elsewhere");
    PROGRAM made = suite_create_admin(suite, "elsewhere", email, password);
    CHECK_EXIT(made, 0);
    foreign = person_sign_in(suite, "Practitioner", email, password, "elsewhere");
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&foreign);
    person_destroy(&grandchild);
    person_destroy(&child);
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(a_provider_has_defaults),
    CASE(roles_and_domains_are_stored_once),
    CASE(wrong_members_are_refused),
    CASE(presets_fill_in_the_issuer),
    CASE(the_secret_is_written_only),
    CASE(a_change_needs_a_new_test),
    CASE(domains_are_those_of_the_project),
    CASE(a_project_has_ten_at_most),
    CASE(others_cannot_reach_a_provider),
    CASE(projects_below_inherit_what_is_active),
    CASE(changes_leave_audit_rows),
    CASE(doctor_counts_active_providers),
    CASE(changes_need_a_fresh_proof),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("identity providers", cases, ARRAY_SIZE(cases));
}
