/*
 * test_oauth_clients.c - registration of OAuth clients: validation, permissions and secrets.
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/jose.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define CLIENTS "/v1/project/clients"
#define UNKNOWN "/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
#define KEY                                                                                    \
    "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\"," \
    "\"y\":\"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM\""
#define WEB                                                                               \
    "\"name\":\"Web\",\"type\":\"confidential\",\"grantTypes\":[\"authorization_code\"]," \
    "\"redirectUris\":"                                                                   \
    "[\"https://web.example/cb\"]"

static struct suite *suite;
static struct person *admin, *child, *patient;

static struct http_answer *create(const struct person *who, const char *json)
{
    return http_post(suite_url(suite), CLIENTS, who->access, json_loads(json, 0, NULL));
}

static struct http_answer *replace(const struct person *who, const char *id, const char *json)
{
    char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s", id);
    return http_put(suite_url(suite), path, who->access, json_loads(json, 0, NULL));
}

static struct http_answer *get(const struct person *who, const char *id)
{
    char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s", id);
    return http_get(suite_url(suite), path, who ? who->access : NULL);
}

static struct http_answer *secret(const struct person *who, const char *id, json_t *body)
{
    char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s/secret", id);
    return http_post(suite_url(suite), path, who ? who->access : NULL, body);
}

static void the_scene_is_set(void)
{
    suite = suite_start(&(struct suite_options){.test_clock = true});
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "lakeside");
    patient = person_register(suite, NULL);
    UNIT_REQUIRE(admin->access && child->access && patient->access, "three people");
}

/* The request, and its response, as they were before clients had OAuth members. */
static void a_name_alone_is_public_and_has_no_grants(void)
{
    HTTP_ANSWER made = create(admin, "{\"name\":\"Front desk\"}");
    HTTP_ANSWER read = get(admin, http_text(made, "id"));

    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_EQUAL(http_text(made, "name"), "Front desk");
    CU_ASSERT(strlen(http_text(made, "lastUpdated")) == 24);
    CHECK_STATUS(read, 200);
    CU_ASSERT_STRING_EQUAL(http_text(read, "type"), "public");
    CU_ASSERT_STRING_EQUAL(http_text(read, "authMethod"), "none");
    CU_ASSERT_STRING_EQUAL(http_text(read, "dpop"), "optional");
    CU_ASSERT_EQUAL(json_array_size(http_member(read, "grantTypes")), 0);
    CU_ASSERT(json_is_false(http_member(read, "firstParty")));
    CU_ASSERT(json_is_null(http_member(read, "secretCreatedAt")));
}

static void what_is_registered_is_read(void)
{
    HTTP_ANSWER made =
        create(admin, "{\"name\":\"Portal\",\"type\":\"confidential\",\"authMethod\":"
                      "\"client_secret_post\",\"redirectUris\":[\"https://p.example/cb\","
                      "\"http://127.0.0.1/cb\"],\"grantTypes\":[\"authorization_code\","
                      "\"refresh_token\"],\"scopes\":[\"openid\",\"offline_access\"],"
                      "\"audiences\":[\"https://fhir.example/r4\"],\"postLogoutRedirectUris\":"
                      "[\"https://p.example/\"],\"backchannelLogoutUri\":\"https://p.example/bc\","
                      "\"dpop\":\"required\",\"firstParty\":true,\"pkceOptional\":true,"
                      "\"tosVersion\":\"2\",\"patientScopes\":[\"patient/Observation.rs\"],"
                      "\"practitionerScopes\":[\"patient/*.rs\"]}");
    HTTP_ANSWER read = get(admin, http_text(made, "id"));
    HTTP_ANSWER list = http_get(suite_url(suite), CLIENTS, admin->access);
    HTTP_ANSWER less = replace(admin, http_text(made, "id"), "{\"name\":\"Less\"}");

    CHECK_STATUS(made, 200);
    CHECK_STATUS(read, 200);
    CU_ASSERT(json_equal(made->json, read->json));
    CU_ASSERT_STRING_EQUAL(http_text(read, "redirectUris.1"), "http://127.0.0.1/cb");
    CU_ASSERT_STRING_EQUAL(http_text(read, "authMethod"), "client_secret_post");
    CU_ASSERT_STRING_EQUAL(http_text(read, "backchannelLogoutUri"), "https://p.example/bc");
    CU_ASSERT_STRING_EQUAL(http_text(read, "practitionerScopes.0"), "patient/*.rs");
    CU_ASSERT_STRING_EQUAL(http_text(read, "dpop"), "required");
    CU_ASSERT(json_is_true(http_member(read, "firstParty")));
    CU_ASSERT(json_is_true(http_member(read, "pkceOptional")));
    CHECK_STATUS(list, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(list->body, "client_secret_post"));
    CHECK_STATUS(less, 200);
    CU_ASSERT_STRING_EQUAL(http_text(less, "type"), "public");
    CU_ASSERT_EQUAL(json_array_size(http_member(less, "redirectUris")), 0);
}

static void what_does_not_fit_is_refused_with_its_path(void)
{
    static const struct {
        const char *body, *path;
    } rows[] = {
        {"{}", "name"},
        {"{\"name\":\"X\",\"type\":\"secret\"}", "type"},
        {"{\"name\":\"X\",\"redirectUris\":[\"https://a.example/\",\"http://a.example/\"]}",
         "redirectUris.1"},
        {"{\"name\":\"X\",\"redirectUris\":[\"https://a.example/#x\"]}", "redirectUris.0"},
        {"{\"name\":\"X\",\"postLogoutRedirectUris\":[\"javascript:1\"]}",
         "postLogoutRedirectUris.0"},
        {"{\"name\":\"X\",\"backchannelLogoutUri\":\"http://127.0.0.1/\"}", "backchannelLogoutUri"},
        {"{\"name\":\"X\",\"grantTypes\":[\"password\"]}", "grantTypes.0"},
        {"{\"name\":\"X\",\"grantTypes\":[\"authorization_code\"]}", "redirectUris"},
        {"{\"name\":\"X\",\"grantTypes\":[\"client_credentials\"]}", "grantTypes"},
        {"{\"name\":\"X\",\"grantTypes\":[\"refresh_token\"]}", "grantTypes"},
        {"{\"name\":\"X\",\"scopes\":[\"a b\"]}", "scopes.0"},
        {"{\"name\":\"X\",\"audiences\":[\"/fhir\"]}", "audiences.0"},
        {"{\"name\":\"X\",\"authMethod\":\"client_secret_basic\"}", "authMethod"},
        {"{\"name\":\"X\",\"type\":\"confidential\",\"authMethod\":\"none\"}", "authMethod"},
        {"{\"name\":\"X\",\"pkceOptional\":true}", "pkceOptional"},
        {"{" WEB ",\"jwksUri\":\"https://web.example/jwks\"}", "jwksUri"},
        {"{" WEB ",\"authMethod\":\"private_key_jwt\"}", "jwks"},
        {"{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwksUri\":\"http://web.example/\"}",
         "jwksUri"},
        {"{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwksUri\":\"https://web.example/\","
         "\"jwks\":{\"keys\":[" KEY "}]}}",
         "jwksUri"},
        {"{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwks\":{\"keys\":[]}}", "jwks.keys"},
        {"{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwks\":{\"keys\":[" KEY ",\"d\":\"AA\"}]}}",
         "jwks.keys.0"},
        {"{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwks\":{\"keys\":[" KEY
         "},{\"kty\":\"oct\",\"k\":\"AA\"}]}}",
         "jwks.keys.1"},
        {"{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwks\":{\"keys\":[{\"kty\":\"RSA\","
         "\"n\":\"AQAB\",\"e\":\"AQAB\"}]}}",
         "jwks.keys.0"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = create(admin, rows[i].body);

        UNIT_CHECK(CHECK_PROBLEM(made, rows[i].path), "%s", rows[i].body);
    }
}

/* A body, with the URL for each "@", and the member for which it is refused. */
static const struct {
    const char *method, *path, *body, *problem;
} addresses[] = {
    {"POST", CLIENTS,
     "{\"name\":\"X\",\"grantTypes\":[\"authorization_code\"],\"redirectUris\":[\"@\"]}",
     "redirectUris.0"},
    {"POST", CLIENTS, "{\"name\":\"X\",\"postLogoutRedirectUris\":[\"@\"]}",
     "postLogoutRedirectUris.0"},
    {"POST", CLIENTS, "{\"name\":\"X\",\"backchannelLogoutUri\":\"@\"}", "backchannelLogoutUri"},
    {"POST", CLIENTS, "{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwksUri\":\"@\"}", "jwksUri"},
    {"PUT", "/v1/project/settings/values/PATIENT_APP_URL", "{\"value\":\"@\"}", "value"},
    {"PUT", "/v1/project/settings/values/PRACTITIONER_APP_URL", "{\"value\":\"@\"}", "value"},
    {"PUT", "/v1/project/branding", "{\"imprintUrl\":\"@\"}", "imprintUrl"},
    {"PUT", "/v1/project/branding", "{\"privacyUrl\":\"@\"}", "privacyUrl"},
    {"POST", "/v1/project/resources", "{\"name\":\"X\",\"base\":\"@\"}", "base"},
    {"POST", "/v1/project/webhooks", "{\"url\":\"@\",\"events\":[\"account.created\"]}", "url"},
    {"POST", "/v1/project/bots",
     "{\"identifier\":[{\"system\":\"a\",\"value\":\"@\"}],\"name\":\"X\",\"kind\":\"http\","
     "\"url\":\"@\"}",
     "url"},
};

static struct http_answer *write_address(size_t row, const char *address)
{
    char body[1024] = "";

    for (const char *at = addresses[row].body; *at; at++) {
        size_t length = strlen(body);

        snprintf(body + length, sizeof(body) - length, "%.*s", *at == '@' ? 512 : 1,
                 *at == '@' ? address : at);
    }
    return strcmp(addresses[row].method, "PUT") == 0
               ? http_put(suite_url(suite), addresses[row].path, admin->access,
                          json_loads(body, 0, NULL))
               : http_post(suite_url(suite), addresses[row].path, admin->access,
                           json_loads(body, 0, NULL));
}

static void every_address_has_a_host(void)
{
    static const char *const none[] = {
        "https://*",
        "https://[evil]/cb",
        "https://a..b.example/",
        "https://a.example/%zz",
        "https://192.0.2.999/",
        "https://a.example:0/",
        "https://a.example:/",
    };
    static const char *const fine[] = {"HTTPS://Portal.Example:443", "https://[2001:db8::1]:8443/a",
                                       "https://portal.example/%7E"};

    for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
        for (size_t j = 0; j < ARRAY_SIZE(none); j++) {
            HTTP_ANSWER refused = write_address(i, none[j]);

            UNIT_CHECK(CHECK_PROBLEM(refused, addresses[i].problem), "%s %s: %s", addresses[i].path,
                       addresses[i].problem, none[j]);
        }
        for (size_t j = 0; j < ARRAY_SIZE(fine); j++) {
            HTTP_ANSWER written = write_address(i, fine[j]);

            UNIT_CHECK(written->status == 200, "%s %s: %s: %d", addresses[i].path,
                       addresses[i].problem, fine[j], written->status);
        }
    }
}

static void an_application_is_at_no_public_suffix(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
        HTTP_ANSWER answer = write_address(i, "https://co.uk/");

        if (strcmp(addresses[i].path, "/v1/project/bots") != 0)
            UNIT_CHECK(CHECK_PROBLEM(answer, addresses[i].problem), "%s", addresses[i].path);
    }
}

/* URIs registered before hosts were checked stay readable and are compared byte by byte. */
static void addresses_that_are_stored_go_on(void)
{
    HTTP_ANSWER made = create(admin, "{" WEB "}");
    char sql[512];
    char *stored;

    CHECK_STATUS(made, 200);
    snprintf(sql, sizeof(sql),
             "update settings.client set oauth = jsonb_set(jsonb_set(oauth, '{redirectUris}', "
             "'[\"https://*/cb\"]'), '{backchannelLogoutUri}', '\"https://a..b.example/\"') "
             "where id = '%s' returning 1",
             http_text(made, "id"));
    stored = suite_query(suite, sql);
    CU_ASSERT_STRING_EQUAL(stored, "1");
    free(stored);

    HTTP_ANSWER read = get(admin, http_text(made, "id"));
    CHECK_STATUS(read, 200);
    CU_ASSERT_STRING_EQUAL(http_text(read, "redirectUris.0"), "https://*/cb");
    CU_ASSERT_STRING_EQUAL(http_text(read, "backchannelLogoutUri"), "https://a..b.example/");
    CU_ASSERT_STRING_EQUAL(http_text(read, "grantTypes.0"), "authorization_code");
}

static struct http_answer *create_with_keys(json_t *keys)
{
    json_t *body = json_loads("{" WEB ",\"authMethod\":\"private_key_jwt\"}", 0, NULL);

    json_object_set_new(body, "jwks", json_pack("{s:o}", "keys", keys));
    return http_post(suite_url(suite), CLIENTS, admin->access, body);
}

static json_t *key_with(const struct jose *key, const char *members)
{
    json_t *jwk = jose_jwk(key), *others = json_loads(members, 0, NULL);

    json_object_update(jwk, others);
    json_decref(others);
    return jwk;
}

/* Checks each key of a registration, for example its exponent: with 1 the signature equals the
 * signed data, so anyone could pose as the client. */
static void each_key_is_built_and_its_fault_named(void)
{
    static const struct {
        const char *members, *reason; /* reason NULL: accepted */
    } rows[] = {
        {"{}", NULL},
        {"{\"use\":\"sig\",\"key_ops\":[\"verify\"]}", NULL},
        {"{\"e\":\"AA\"}", "e must be odd, 3 at least and less than 2^32"},
        {"{\"e\":\"AQ\"}", "e must be odd, 3 at least and less than 2^32"},
        {"{\"e\":\"Ag\"}", "e must be odd, 3 at least and less than 2^32"},
        {"{\"e\":\"AQAAAAE\"}", "e must be odd, 3 at least and less than 2^32"},
        {"{\"alg\":\"none\"}", "alg must be RS256, RS384 or PS256"},
        {"{\"use\":\"enc\"}", "use must be sig"},
        {"{\"key_ops\":[\"encrypt\"]}", "key_ops must have verify"},
        {"{\"kty\":\"EC\",\"crv\":\"P-256\",\"alg\":\"ES256\",\"x\":"
         "\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\","
         "\"y\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\"}",
         "x and y must be a point of the curve"},
    };
    JOSE good = jose_new("ES256", "one");
    JOSE rsa = jose_new("RS256", "two");
    JOSE same = jose_new("ES384", "one");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made =
            create_with_keys(json_pack("[o,o]", jose_jwk(good), key_with(rsa, rows[i].members)));

        if (rows[i].reason)
            UNIT_CHECK(CHECK_PROBLEM(made, "jwks.keys.1") && strstr(made->body, rows[i].reason),
                       "%s: %s", rows[i].members, made->body);
        else
            CHECK_STATUS(made, 200);
    }

    HTTP_ANSWER twice =
        create_with_keys(json_pack("[o,o,o]", jose_jwk(good), jose_jwk(rsa), jose_jwk(same)));

    CHECK_PROBLEM(twice, "jwks.keys.2");
    CU_ASSERT_PTR_NOT_NULL(strstr(twice->body, "kid must differ"));

    HTTP_ANSWER both = create_with_keys(
        json_pack("[o,o]", key_with(rsa, "{\"e\":\"AQ\"}"), key_with(good, "{\"use\":\"enc\"}")));

    CHECK_PROBLEM(both, "jwks.keys.0");
    CHECK_PROBLEM(both, "jwks.keys.1");
}

/* A key that an older release accepted is returned unchanged, and so are the other members. */
static void a_registration_with_a_broken_key_is_still_read(void)
{
    JOSE rsa = jose_new("RS256", "two");
    HTTP_ANSWER made = create_with_keys(json_pack("[o]", jose_jwk(rsa)));
    char sql[300];

    CHECK_STATUS(made, 200);
    snprintf(sql, sizeof(sql),
             "update settings.client set oauth = jsonb_set(oauth, '{jwks,keys,0,e}', '\"AQ\"') "
             "where id = '%s' returning id",
             http_text(made, "id"));
    free(suite_query(suite, sql));

    HTTP_ANSWER read = get(admin, http_text(made, "id"));

    CU_ASSERT_STRING_EQUAL(http_text(read, "authMethod"), "private_key_jwt");
    CU_ASSERT_STRING_EQUAL(http_text(read, "type"), "confidential");
}

static void a_secret_is_shown_once_and_kept_as_a_hash(void)
{
    HTTP_ANSWER made = create(admin, "{" WEB "}");
    const char *id = http_text(made, "id");
    HTTP_ANSWER first = secret(admin, id, json_object());
    HTTP_ANSWER second = secret(admin, id, json_object());
    HTTP_ANSWER read = get(admin, id);
    HTTP_ANSWER kept = replace(admin, id, "{" WEB ",\"scopes\":[\"openid\"]}");
    HTTP_ANSWER at_once = secret(admin, id, json_pack("{s:i}", "previousHours", 0));
    HTTP_ANSWER none = replace(admin, id, "{\"name\":\"Public\"}");
    HTTP_ANSWER refused = secret(admin, id, json_object());

    CHECK_STATUS(made, 200);
    CU_ASSERT_PTR_NULL(http_member(made, "secret"));
    CHECK_STATUS(first, 200);
    CU_ASSERT(strncmp(http_text(first, "secret"), "atcs_", 5) == 0 &&
              strlen(http_text(first, "secret")) == 5 + 43); /* 256 random bits */
    CU_ASSERT(json_is_null(http_member(first, "previousSecretUntil")));
    CHECK_STATUS(second, 200);
    CU_ASSERT_STRING_NOT_EQUAL(http_text(first, "secret"), http_text(second, "secret"));
    CU_ASSERT(json_is_string(http_member(second, "previousSecretUntil")));
    CHECK_STATUS(read, 200);
    CU_ASSERT(!strstr(read->body, "atcs_") && json_is_string(http_member(read, "secretCreatedAt")));
    CHECK_STATUS(kept, 200);
    CU_ASSERT(json_is_string(http_member(kept, "secretCreatedAt")));
    CHECK_STATUS(at_once, 200);
    CU_ASSERT(json_is_null(http_member(at_once, "previousSecretUntil")));
    CHECK_STATUS(none, 200);
    CU_ASSERT(json_is_null(http_member(none, "secretCreatedAt")));
    CHECK_ERROR(refused, 409, "The application doesn't authenticate with a secret.");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.client c "
                                       "where position('atcs_' in c::text) > 0"),
                    0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from settings.audit "
                                "where position('%s' in event::text) > 0",
                                http_text(first, "secret")),
                    0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from settings.audit "
                                "where event->>'action' = 'client.secret' and "
                                "position('%s' in entity || event::text) > 0",
                                id),
                    3);
}

static void numbers_in_a_key_set_are_kept(void)
{
    static const char body[] = "{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwks\":{\"issued\":"
                               "5.40,\"keys\":[" KEY ",\"size\":-0.0}]}}";
    static const char too_large[] =
        "{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwks\":{\"issued\":"
        "1e200000,\"keys\":[" KEY "}]}}";
    HTTP_ANSWER made = http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                                          .path = CLIENTS,
                                                                          .bearer = admin->access,
                                                                          .raw = body});
    HTTP_ANSWER read = get(admin, http_text(made, "id"));
    HTTP_ANSWER refused =
        http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                           .path = CLIENTS,
                                                           .bearer = admin->access,
                                                           .raw = too_large});
    PROGRAM shown = ATRIUMCTL(suite, NULL, "client", "show", http_text(made, "id"), "--project",
                              "demo", "--json");

    CHECK_STATUS(made, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(made->body, "\"issued\":5.40}"));
    CHECK_STATUS(read, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(read->body, "\"issued\":5.40}"));
    CU_ASSERT_STRING_EQUAL(http_text(read, "type"), "confidential");
    CU_ASSERT_EQUAL(refused->status / 100, 4);
    CHECK_EXIT(shown, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(shown->out, "\"issued\": 5.40\n"));
}

static void secrets_and_keys_need_a_fresh_proof(void)
{
    static const char keyed[] =
        "{" WEB ",\"authMethod\":\"private_key_jwt\",\"jwks\":{\"keys\":[" KEY "}]}}";
    HTTP_ANSWER made = create(admin, "{" WEB "}");
    HTTP_ANSWER fresh = create(admin, keyed);
    const char *id = http_text(made, "id");

    suite_advance_clock(suite, 16 * 60);

    HTTP_ANSWER unknown = secret(admin, &UNKNOWN[1], json_object());
    HTTP_ANSWER exchanged = secret(admin, id, json_object());
    HTTP_ANSWER key = create(admin, keyed);
    HTTP_ANSWER changed = replace(admin, id, keyed);
    HTTP_ANSWER plain = replace(admin, id, "{" WEB "}");
    char *challenge = http_header(exchanged, "WWW-Authenticate");

    CHECK_STATUS(fresh, 200);
    CHECK_ERROR(unknown, 404, "Client not found.");
    CHECK_STATUS(exchanged, 401);
    CU_ASSERT_STRING_EQUAL(http_text(exchanged, "code"), "STEP_UP_REQUIRED");
    CU_ASSERT(challenge && strstr(challenge, "max_age=\"900\""));
    CHECK_STATUS(key, 401);
    CHECK_STATUS(changed, 401);
    CHECK_STATUS(plain, 200);
    free(challenge);
}

/* A first-party client gets codes without consent, for the API too. */
static void a_first_party_needs_a_fresh_proof(void)
{
    static const char own[] = "{" WEB ",\"firstParty\":true}";
    static const char elsewhere[] =
        "{\"name\":\"Web\",\"grantTypes\":[\"authorization_code\"],\"firstParty\":true,"
        "\"redirectUris\":[\"https://elsewhere.example/cb\"]}";

    suite_advance_clock(suite, 16 * 60);

    HTTP_ANSWER refused = create(admin, own);
    HTTP_ANSWER theirs = create(admin, "{" WEB "}");
    const char *id = http_text(theirs, "id");
    HTTP_ANSWER grown = replace(admin, id, own);

    CHECK_STATUS(refused, 401);
    CU_ASSERT_STRING_EQUAL(http_text(refused, "code"), "STEP_UP_REQUIRED");
    CHECK_STATUS(theirs, 200);
    CHECK_STATUS(grown, 401);

    HTTP_ANSWER proof = http_post(suite_url(suite), "/auth/step-up", admin->access,
                                  json_pack("{s:s}", "password", admin->password));
    CHECK_STATUS(proof, 204);
    grown = (http_answer_destroy(&grown), replace(admin, id, own));
    CHECK_STATUS(grown, 200);
    suite_advance_clock(suite, 16 * 60);

    HTTP_ANSWER same = replace(admin, id, own);
    HTTP_ANSWER led = replace(admin, id, elsewhere);
    HTTP_ANSWER given_up = replace(admin, id, "{" WEB ",\"firstParty\":false}");

    CHECK_STATUS(same, 200);
    CHECK_STATUS(led, 401);
    CHECK_STATUS(given_up, 200);
}

/* A thread that writes an unchanged registration, which needs no proof. */
struct writing {
    const struct person *who;
    const char *id, *json;
    int status;
};

static void *write_again(void *arg)
{
    struct writing *self = arg;
    HTTP_ANSWER answer = replace(self->who, self->id, self->json);

    self->status = answer->status;
    return NULL;
}

/* A write needs fresh proof unless it leaves the current state unchanged. This write would be
 * unchanged, but the state changes while it waits. */
static void what_changes_meanwhile_is_not_put_back_without_a_proof(void)
{
    static const char own[] = "{" WEB ",\"firstParty\":true}";
    PERSON anew = person_admin(suite); /* `admin` has no fresh proof any more */
    HTTP_ANSWER made = create(anew, own);
    struct writing writing = {.who = anew, .id = http_text(made, "id"), .json = own};
    PGconn *holder = PQconnectdb(suite_text(suite, "postgres.conninfo"));
    pthread_t thread;
    char sql[256];

    CHECK_STATUS(made, 200);
    suite_advance_clock(suite, 16 * 60);
    snprintf(sql, sizeof(sql),
             "begin; update settings.client set oauth = oauth || '{\"firstParty\": false}' "
             "where id = '%s'",
             writing.id);
    PQclear(PQexec(holder, sql));
    pthread_create(&thread, NULL, write_again, &writing);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 5000,
                                  "select count(*) from pg_stat_activity where wait_event_type = "
                                  "'Lock' and usename = 'atrium-settingsd'"));
    PQclear(PQexec(holder, "commit"));
    pthread_join(thread, NULL);
    PQfinish(holder);
    CU_ASSERT_EQUAL(writing.status, 409);
    HTTP_ANSWER now = get(anew, writing.id);
    CU_ASSERT_TRUE(json_is_false(http_member(now, "firstParty")));
}

static void only_admins_of_the_project_reach_them(void)
{
    HTTP_ANSWER made = create(child, "{" WEB "}");
    const char *id = http_text(made, "id");
    HTTP_ANSWER without = get(NULL, id);
    HTTP_ANSWER no_secret = secret(NULL, id, json_object());
    HTTP_ANSWER read = get(patient, id);
    HTTP_ANSWER exchanged = secret(patient, id, json_object());
    HTTP_ANSWER written = replace(patient, id, "{" WEB "}");
    HTTP_ANSWER foreign = get(admin, id);
    HTTP_ANSWER foreign_write = replace(admin, id, "{" WEB "}");
    HTTP_ANSWER foreign_secret = secret(admin, id, json_object());
    HTTP_ANSWER own = get(child, id);

    CHECK_STATUS(made, 200);
    CHECK_STATUS(without, 401);
    CHECK_STATUS(no_secret, 401);
    CHECK_STATUS(read, 403);
    CHECK_STATUS(exchanged, 403);
    CHECK_STATUS(written, 403);
    CHECK_ERROR(foreign, 404, "Client not found.");
    CHECK_ERROR(foreign_write, 404, "Client not found.");
    CHECK_ERROR(foreign_secret, 404, "Client not found.");
    CHECK_STATUS(own, 200);
}

static void the_scene_is_left(void)
{
    person_destroy(&patient);
    person_destroy(&child);
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_name_alone_is_public_and_has_no_grants),
    CASE(what_is_registered_is_read),
    CASE(what_does_not_fit_is_refused_with_its_path),
    CASE(every_address_has_a_host),
    CASE(an_application_is_at_no_public_suffix),
    CASE(addresses_that_are_stored_go_on),
    CASE(each_key_is_built_and_its_fault_named),
    CASE(a_registration_with_a_broken_key_is_still_read),
    CASE(a_secret_is_shown_once_and_kept_as_a_hash),
    CASE(only_admins_of_the_project_reach_them),
    CASE(numbers_in_a_key_set_are_kept),
    CASE(secrets_and_keys_need_a_fresh_proof),
    CASE(a_first_party_needs_a_fresh_proof),
    CASE(what_changes_meanwhile_is_not_put_back_without_a_proof),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("OAuth clients", cases, ARRAY_SIZE(cases));
}
