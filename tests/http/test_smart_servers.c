/*
 * test_smart_servers.c - a project's FHIR servers: registration, and their SMART configuration.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/smart.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define UNKNOWN "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum { LIMIT = 20, FRESH = 900 };

static struct suite *suite;
static struct person *admin, *child, *patient;
static char *server; /* id of the server at SMART_BASE */

static void the_scene_is_set(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "smart-child");
    patient = person_register(suite, NULL);

    HTTP_ANSWER made = smart_server_register(suite, admin, smart_server_body(SMART_BASE));
    HTTP_ANSWER other = smart_server_register(suite, admin, smart_server_body(SMART_OTHER_BASE));

    CHECK_STATUS(made, 200);
    CHECK_STATUS(other, 200);
    server = strdup(http_text(made, "id"));
    UNIT_REQUIRE(*server && patient->access, "a FHIR server and a patient");
}

static void a_server_is_registered_as_it_was_given(void)
{
    HTTP_ANSWER list = http_get(suite_url(suite), SMART_SERVERS, admin->access);

    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "resources")), 2);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.id"), server);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.base"), SMART_BASE);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.patientScopes.1"), "patient/Patient.r");
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.practitionerScopes.0"), "patient/*.rs");
    CU_ASSERT_TRUE(json_is_null(http_member(list, "next")));
}

static void what_is_no_server_is_refused(void)
{
    static const struct {
        const char *member, *value; /* JSON */
        const char *path;
    } rows[] = {
        {"name", "\"\"", "name"},
        {"base", "\"http://records.example/r4\"", "base"},
        {"base", "\"https://records.example/r4?x=1\"", "base"},
        {"base", "\"https://records.example/r4#x\"", "base"},
        {"base", "\"com.example.app:/r4\"", "base"},
        {"patientScopes", "[\"user/*.rs\"]", "patientScopes.0"},
        {"patientScopes", "[\"patient/*.read\"]", "patientScopes.0"},
        {"practitionerScopes", "[\"user/*.rs\",\"system/*.rs\"]", "practitionerScopes.1"},
        {"practitionerScopes", "[\"launch\"]", "practitionerScopes.0"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_t *body = smart_server_body("https://other.example/r4");

        json_object_set_new(body, rows[i].member, json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
        HTTP_ANSWER refused = smart_server_register(suite, admin, body);
        CHECK_STATUS(refused, 422);
        UNIT_CHECK(strstr(refused->body, rows[i].path), "%s: %s", rows[i].value, refused->body);
    }
}

/* First-party clients get tokens for the API in another way. */
static void atriums_own_address_is_no_server(void)
{
    HTTP_ANSWER refused =
        smart_server_register(suite, admin, smart_server_body(suite_text(suite, "publicUrl")));

    CHECK_STATUS(refused, 422);
    CU_ASSERT_PTR_NOT_NULL(strstr(refused->body, "base"));
}

static void a_base_address_stands_once(void)
{
    HTTP_ANSWER again = smart_server_register(suite, admin, smart_server_body(SMART_BASE));
    HTTP_ANSWER other = smart_server_register(suite, admin, smart_server_body(SMART_BASE "/"));
    HTTP_ANSWER moved = http_put(suite_url(suite), smart_server_path(http_text(other, "id")),
                                 admin->access, smart_server_body(SMART_BASE));
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), smart_server_path(http_text(other, "id")), admin->access);
    HTTP_ANSWER twice =
        http_delete(suite_url(suite), smart_server_path(http_text(other, "id")), admin->access);

    CHECK_STATUS(again, 409);
    CHECK_STATUS(other, 200);
    CHECK_STATUS(moved, 409);
    CHECK_STATUS(gone, 204);
    CHECK_STATUS(twice, 404);
}

static void a_project_sees_its_own_servers_alone(void)
{
    HTTP_ANSWER list = http_get(suite_url(suite), SMART_SERVERS, child->access);
    HTTP_ANSWER changed = http_put(suite_url(suite), smart_server_path(server), child->access,
                                   smart_server_body(SMART_BASE));
    HTTP_ANSWER gone = http_delete(suite_url(suite), smart_server_path(server), child->access);
    HTTP_ANSWER same =
        smart_server_register(suite, child, smart_server_body(SMART_BASE)); /* in another project */
    HTTP_ANSWER seen = http_get(suite_url(suite), SMART_SERVERS, patient->access);
    HTTP_ANSWER made =
        smart_server_register(suite, patient, smart_server_body("https://x.example"));

    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "resources")), 0);
    CHECK_STATUS(changed, 404);
    CHECK_STATUS(gone, 404);
    CHECK_STATUS(same, 200);
    CHECK_STATUS(seen, 403);
    CHECK_STATUS(made, 403);
}

static void a_project_has_20_servers(void)
{
    struct http_request requests[2 * LIMIT];
    struct http_answer *answers[2 * LIMIT];
    size_t made = 0, refused = 0, read = 0;
    char *next = strdup("");

    for (size_t i = 0; i < 2 * LIMIT; i++) {
        char base[64];

        snprintf(base, sizeof(base), "https://fhir%zu.example/r4", i);
        requests[i] = (struct http_request){.method = "POST",
                                            .path = SMART_SERVERS,
                                            .bearer = child->access,
                                            .body = smart_server_body(base)};
    }
    http_call_many(suite_url(suite), requests, 2 * LIMIT, 8, answers);
    for (size_t i = 0; i < 2 * LIMIT; i++) {
        made += answers[i]->status == 200;
        refused += answers[i]->status == 409;
    }
    http_answers_destroy(answers, 2 * LIMIT);
    UNIT_CHECK(made == LIMIT - 1 && refused == LIMIT + 1, "%zu made, %zu refused", made, refused);
    do {
        char path[512];

        snprintf(path, sizeof(path), SMART_SERVERS "?_count=7%s%s", *next ? "&_cursor=" : "", next);
        HTTP_ANSWER page = http_get(suite_url(suite), path, child->access);
        CHECK_STATUS(page, 200);
        read += json_array_size(http_member(page, "resources"));
        free(next);
        next = strdup(http_text(page, "next"));
    } while (*next && read <= LIMIT);
    CU_ASSERT_EQUAL(read, LIMIT);
    free(next);
    HTTP_ANSWER foreign = http_get(suite_url(suite), SMART_SERVERS "?_cursor=AAAA", child->access);
    CHECK_STATUS(foreign, 422);
}

static void changes_need_a_fresh_proof(void)
{
    suite_advance_clock(suite, FRESH + 1);

    HTTP_ANSWER made =
        smart_server_register(suite, admin, smart_server_body("https://late.example/r4"));
    HTTP_ANSWER changed = http_put(suite_url(suite), smart_server_path(server), admin->access,
                                   smart_server_body(SMART_BASE));
    HTTP_ANSWER gone = http_delete(suite_url(suite), smart_server_path(server), admin->access);

    CHECK_STATUS(made, 401);
    CU_ASSERT_STRING_EQUAL(http_text(made, "code"), "STEP_UP_REQUIRED");
    CHECK_STATUS(changed, 401);
    CHECK_STATUS(gone, 401);
    HTTP_ANSWER unknown = http_delete(suite_url(suite), smart_server_path(UNKNOWN), admin->access);
    HTTP_ANSWER taken = smart_server_register(suite, admin, smart_server_body(SMART_BASE));
    CHECK_STATUS(unknown, 404); /* the proof is checked last */
    CHECK_STATUS(taken, 409);
    person_destroy(&admin);
    admin = person_admin(suite);
    HTTP_ANSWER again = http_put(suite_url(suite), smart_server_path(server), admin->access,
                                 smart_server_body(SMART_BASE));
    CHECK_STATUS(again, 200);
}

static bool lists(const struct http_answer *page, const char *member, const char *word)
{
    json_t *each;
    size_t i;

    json_array_foreach(http_member(page, member), i, each)
    {
        if (strcmp(json_string_value(each), word) == 0)
            return true;
    }
    return false;
}

static void conformance_configuration_is_complete(void)
{
    static const char *const endpoints[] = {"jwks_uri", "authorization_endpoint", "token_endpoint",
                                            "introspection_endpoint", "revocation_endpoint"};
    static const struct {
        const char *member, *word;
    } words[] = {
        {"grant_types_supported", "authorization_code"},
        {"grant_types_supported", "client_credentials"},
        {"code_challenge_methods_supported", "S256"},
        {"token_endpoint_auth_methods_supported", "private_key_jwt"},
        {"token_endpoint_auth_signing_alg_values_supported", "RS384"},
        {"token_endpoint_auth_signing_alg_values_supported", "ES384"},
        {"scopes_supported", "openid"},
        {"scopes_supported", "fhirUser"},
        {"scopes_supported", "patient/Observation.rs"},
        {"scopes_supported", "user/Observation.cruds"},
        {"scopes_supported", "launch"},
        {"scopes_supported", "launch/patient"},
        {"capabilities", "launch-ehr"},
        {"capabilities", "launch-standalone"},
        {"capabilities", "context-ehr-patient"},
        {"capabilities", "context-standalone-patient"},
        {"capabilities", "permission-patient"},
        {"capabilities", "permission-user"},
        {"capabilities", "authorize-post"},
        {"capabilities", "client-public"},
        {"capabilities", "client-confidential-symmetric"},
        {"capabilities", "client-confidential-asymmetric"},
        {"capabilities", "sso-openid-connect"},
        {"capabilities", "permission-offline"},
        {"capabilities", "permission-v1"},
        {"capabilities", "permission-v2"},
    };
    HTTP_ANSWER page = smart_configuration(suite, "demo", server);
    char own[128], *shared = http_header(page, "Access-Control-Allow-Origin");

    snprintf(own, sizeof(own), "%s/t/demo", suite_text(suite, "publicUrl"));
    CHECK_STATUS(page, 200);
    CU_ASSERT_STRING_EQUAL(http_text(page, "issuer"), own);
    CU_ASSERT(shared && strcmp(shared, "*") == 0);
    for (size_t i = 0; i < ARRAY_SIZE(endpoints); i++)
        UNIT_CHECK(strncmp(http_text(page, endpoints[i]), own, strlen(own)) == 0, "%s",
                   endpoints[i]);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        UNIT_CHECK(lists(page, words[i].member, words[i].word), "%s %s", words[i].member,
                   words[i].word);
    UNIT_CHECK(!lists(page, "code_challenge_methods_supported", "plain"), "plain");
    free(shared);
}

static void a_configuration_is_of_this_tenants_server(void)
{
    HTTP_ANSWER unknown = smart_configuration(suite, "demo", SMART_NO_ID);
    HTTP_ANSWER elsewhere = smart_configuration(suite, "smart-child", server);
    HTTP_ANSWER nowhere = smart_configuration(suite, "nowhere", server);
    HTTP_ANSWER malformed = smart_configuration(suite, "demo", "x");

    CHECK_STATUS(unknown, 404);
    CHECK_STATUS(elsewhere, 404);
    CHECK_STATUS(nowhere, 404);
    UNIT_CHECK(malformed->status == 400 || malformed->status == 404, "%d", malformed->status);
}

/* Each gateway is asked before and after the authd stop. */
static void a_configuration_is_answered_while_no_authd_is(void)
{
    pid_t pids[2] = {suite_pid(suite, "authd", "1"), suite_pid(suite, "authd", "2")};
    int good = 0;

    for (int i = 0; i < 24; i++) {
        HTTP_ANSWER warm = smart_configuration(suite, "demo", server);

        CHECK_STATUS(warm, 200);
    }
    kill(pids[0], SIGSTOP);
    kill(pids[1], SIGSTOP);
    for (int i = 0; i < 24; i++) {
        HTTP_ANSWER page = smart_configuration(suite, "demo", server);

        good += page->status == 200;
    }
    kill(pids[0], SIGCONT);
    kill(pids[1], SIGCONT);
    CU_ASSERT_EQUAL(good, 24);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 20000));
}

static void the_scene_is_left(void)
{
    free(server);
    person_destroy(&patient);
    person_destroy(&admin);
    person_destroy(&child);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_server_is_registered_as_it_was_given),
    CASE(what_is_no_server_is_refused),
    CASE(atriums_own_address_is_no_server),
    CASE(a_base_address_stands_once),
    CASE(a_project_sees_its_own_servers_alone),
    CASE(a_project_has_20_servers),
    CASE(conformance_configuration_is_complete),
    CASE(a_configuration_is_of_this_tenants_server),
    CASE(a_configuration_is_answered_while_no_authd_is),
    CASE(changes_need_a_fresh_proof),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("smart servers", cases, ARRAY_SIZE(cases));
}
