/*
 * test_oauth_tokens.c - client authentication, client credentials tokens, introspection, revocation
 * and DPoP.
 */
#include <CUnit/CUnit.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/certificate.h"
#include "tests/support/jose.h"
#include "tests/support/oauth.h"
#include "tests/support/receiver.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define CLIENTS "/v1/project/clients"
#define TOKEN "/t/demo/token"
#define INTROSPECT "/t/demo/introspect"
#define REVOKE "/t/demo/revoke"
#define FORM "application/x-www-form-urlencoded"
#define ASSERTION                                                                             \
    "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer" \
    "&client_assertion="
#define OWN "grant_type=client_credentials"
#define RESOURCE "https://records.example/r4"

enum { AT_ONCE = 64, FORM_MAX = 8192, AUTHDS = 2, ROUNDS_MAX = 16, LEAD_MS = 120000 };

static struct suite *suite;
static struct person *admin;
static char issuer[128], token_url[160];
static char *app, *app_secret;       /* client_secret_basic */
static char *server, *server_secret; /* RESOURCE's server; client_secret_post */
static char *signer;                 /* private_key_jwt */
static struct jose *key;
static int ids;

/* ---- requests ---- */

static struct http_request form_request(const char *path, const char *form, const char *header,
                                        const char *other)
{
    return (struct http_request){.method = "POST",
                                 .path = path,
                                 .raw = form,
                                 .content_type = FORM,
                                 .headers = {header, other}};
}

static struct http_answer *post(const char *path, const char *form, const char *header)
{
    const struct http_request request = form_request(path, form, header, NULL);

    return http_call(suite_url(suite), &request);
}

static char *registered(json_t *body)
{
    HTTP_ANSWER made = http_post(suite_url(suite), CLIENTS, admin->access, body);

    CHECK_STATUS(made, 200);
    return strdup(http_text(made, "id"));
}

static char *token_of(const char *form, const char *header)
{
    HTTP_ANSWER answer = post(TOKEN, form, header);

    CHECK_STATUS(answer, 200);
    return strdup(http_text(answer, "access_token"));
}

static void check_word(const struct http_answer *answer, int status, const char *word)
{
    UNIT_CHECK(answer->status == status && strcmp(http_text(answer, "error"), word) == 0,
               "%d %s instead of %d %s", answer->status, answer->body, status, word);
}

/* The suite has another port after a restart. */
static void read_addresses(void)
{
    snprintf(issuer, sizeof(issuer), "%s/t/demo", suite_text(suite, "publicUrl"));
    snprintf(token_url, sizeof(token_url), "%s/token", issuer);
}

static void the_scene_is_set(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    read_addresses();
    app = registered(json_pack("{s:s, s:s, s:[s], s:[s,s], s:[s]}", "name", "App", "type",
                               "confidential", "grantTypes", "client_credentials", "scopes", "read",
                               "write", "audiences", RESOURCE));
    app_secret = oauth_secret(suite, admin, app);
    server =
        registered(json_pack("{s:s, s:s, s:s, s:[s]}", "name", "Records", "type", "confidential",
                             "authMethod", "client_secret_post", "audiences", RESOURCE));
    server_secret = oauth_secret(suite, admin, server);
    key = jose_new("ES384", "one");
    signer = registered(json_pack("{s:s, s:s, s:s, s:[s], s:[s], s:{s:[o]}}", "name", "Signer",
                                  "type", "confidential", "authMethod", "private_key_jwt",
                                  "grantTypes", "client_credentials", "scopes", "system/*.rs",
                                  "jwks", "keys", jose_jwk(key)));
    UNIT_REQUIRE(*app_secret && *server_secret && *signer, "three clients");
}

/* ---- secrets ---- */

static void a_client_proves_itself_by_its_own_method_alone(void)
{
    char posted[FORM_MAX], both[FORM_MAX], named[FORM_MAX], unknown_id[FORM_MAX];
    const char *header = oauth_basic(app, app_secret);

    snprintf(posted, sizeof(posted), OWN "&client_id=%s&client_secret=%s", app, app_secret);
    snprintf(both, sizeof(both), OWN "&client_secret=%s", app_secret);
    snprintf(named, sizeof(named), OWN "&client_id=%s", app);
    snprintf(unknown_id, sizeof(unknown_id), OWN "&client_id=%s",
             "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");

    HTTP_ANSWER good = post(TOKEN, OWN, header);
    HTTP_ANSWER again = post(TOKEN, named, header);
    HTTP_ANSWER two_ways = post(TOKEN, both, header);
    HTTP_ANSWER other = post(TOKEN, OWN "&client_id=console", header);
    HTTP_ANSWER wrong = post(TOKEN, OWN, oauth_basic(app, server_secret));
    HTTP_ANSWER broken = post(TOKEN, OWN, "Authorization: Basic !");
    HTTP_ANSWER bearer = post(TOKEN, OWN, "Authorization: Bearer x");
    HTTP_ANSWER in_form = post(TOKEN, posted, NULL);
    HTTP_ANSWER without = post(TOKEN, named, NULL);
    HTTP_ANSWER none = post(TOKEN, OWN, NULL);
    HTTP_ANSWER unknown = post(TOKEN, unknown_id, NULL);
    char *challenge = http_header(wrong, "WWW-Authenticate");
    char *cache = http_header(good, "Cache-Control");

    CHECK_STATUS(good, 200);
    CU_ASSERT_STRING_EQUAL(http_text(good, "token_type"), "Bearer");
    CU_ASSERT_STRING_EQUAL(http_text(good, "scope"), "read write");
    CU_ASSERT_EQUAL(json_integer_value(http_member(good, "expires_in")), 3600);
    CU_ASSERT_PTR_NULL(http_member(good, "refresh_token"));
    CU_ASSERT(cache && strcmp(cache, "no-store") == 0);
    CHECK_STATUS(again, 200);
    check_word(two_ways, 400, "invalid_request");
    check_word(other, 401, "invalid_client");
    check_word(wrong, 401, "invalid_client");
    CU_ASSERT(challenge && strncmp(challenge, "Basic", 5) == 0);
    check_word(broken, 401, "invalid_client");
    check_word(bearer, 401, "invalid_client");
    check_word(in_form, 401, "invalid_client");
    check_word(without, 401, "invalid_client");
    check_word(none, 401, "invalid_client");
    check_word(unknown, 401, "invalid_client");
    free(challenge);
    free(cache);
}

static void the_secret_before_counts_while_one_is_exchanged(void)
{
    char *next = oauth_secret(suite, admin, app), path[128];
    HTTP_ANSWER before = post(TOKEN, OWN, oauth_basic(app, app_secret));
    HTTP_ANSWER after = post(TOKEN, OWN, oauth_basic(app, next));

    snprintf(path, sizeof(path), CLIENTS "/%s/secret", app);

    HTTP_ANSWER last =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:i}", "previousHours", 0));
    HTTP_ANSWER old = post(TOKEN, OWN, oauth_basic(app, next));

    CHECK_STATUS(before, 200);
    CHECK_STATUS(after, 200);
    CHECK_STATUS(last, 200);
    check_word(old, 401, "invalid_client");
    free(next);
    free(app_secret);
    app_secret = strdup(http_text(last, "secret"));
}

static void wrong_secrets_are_throttled_and_right_ones_pass(void)
{
    int refused = 0, throttled = 0;

    for (int i = 0; i < 14; i++) {
        struct http_request request =
            form_request(TOKEN, OWN, oauth_basic(app, "atcs_wrong"), NULL);

        request.source = "127.9.9.9";

        HTTP_ANSWER wrong = http_call(suite_url(suite), &request);

        refused += wrong->status == 401;
        throttled += wrong->status == 429;
    }
    CU_ASSERT_EQUAL(refused, 10);
    CU_ASSERT_EQUAL(throttled, 4);

    struct http_request request = form_request(TOKEN, OWN, oauth_basic(app, app_secret), NULL);

    request.source = "127.9.9.9";

    HTTP_ANSWER right = http_call(suite_url(suite), &request);

    CHECK_STATUS(right, 200);
}

static void only_registered_scopes_and_resources_are_given(void)
{
    const char *header = oauth_basic(app, app_secret);
    char api[FORM_MAX];

    snprintf(api, sizeof(api), OWN "&resource=%s", suite_text(suite, "publicUrl"));

    HTTP_ANSWER less = post(TOKEN, OWN "&scope=read", header);
    HTTP_ANSWER more = post(TOKEN, OWN "&scope=read+admin", header);
    HTTP_ANSWER person = post(TOKEN, OWN "&scope=openid", header);
    HTTP_ANSWER resource = post(TOKEN, OWN "&resource=https%3A%2F%2Frecords.example%2Fr4", header);
    HTTP_ANSWER foreign = post(TOKEN, OWN "&resource=https%3A%2F%2Fother.example", header);
    HTTP_ANSWER own_api = post(TOKEN, api, header);
    HTTP_ANSWER code = post(TOKEN, "grant_type=authorization_code&code=x", header);
    HTTP_ANSWER password = post(TOKEN, "grant_type=password", header);

    CHECK_STATUS(less, 200);
    CU_ASSERT_STRING_EQUAL(http_text(less, "scope"), "read");
    check_word(more, 400, "invalid_scope");
    check_word(person, 400, "invalid_scope");
    CHECK_STATUS(resource, 200);
    check_word(foreign, 400, "invalid_target");
    check_word(own_api, 400, "invalid_target");
    check_word(code, 400, "unauthorized_client");
    check_word(password, 400, "unsupported_grant_type");
}

static void tokens_of_clients_do_not_open_the_api(void)
{
    char *token = token_of(OWN, oauth_basic(app, app_secret));
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", token);
    HTTP_ANSWER settings = http_get(suite_url(suite), "/v1/project/settings", token);
    HTTP_ANSWER person = http_get(suite_url(suite), "/t/demo/userinfo", token);

    CHECK_STATUS(me, 401);
    CHECK_STATUS(settings, 401);
    CHECK_STATUS(person, 401);
    free(token);
}

/* ---- assertions ---- */

static json_t *claims_for(const char *client, const char *audience, int64_t life_s)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "iss", client, "sub", client, "aud",
                     audience, "iat", (json_int_t)(suite_now(suite)), "exp",
                     (json_int_t)(suite_now(suite) + life_s), "jti", json_sprintf("id-%d", ids++));
}

static char *assertion_form(json_t *claims)
{
    char *assertion = jose_sign(key, NULL, claims), *form = malloc(FORM_MAX);

    snprintf(form, FORM_MAX, "%s%s", OWN ASSERTION, assertion);
    free(assertion);
    return form;
}

static void an_assertion_is_for_this_issuer_and_short(void)
{
    const struct {
        const char *label, *name;
        json_t *value; /* NULL: the claim is removed */
        int status;
    } rows[] = {
        {"as it should be", "iss", json_string(signer), 200},
        {"for the issuer", "aud", json_string(issuer), 200},
        {"a clock that is behind", "exp", json_integer(time(NULL) - 30), 200},
        {"a clock that is ahead", "iat", json_integer(time(NULL) + 30), 200},
        {"for another server", "aud", json_string("https://other.example/token"), 401},
        {"for a list", "aud", json_pack("[s]", token_url), 401},
        {"for nothing", "aud", NULL, 401},
        {"over", "exp", json_integer(time(NULL) - 90), 401},
        {"too long", "exp", json_integer(time(NULL) + 600), 401},
        {"without an end", "exp", NULL, 401},
        {"of the future", "nbf", json_integer(time(NULL) + 120), 401},
        {"without an id", "jti", NULL, 401},
        {"of another client", "sub", json_string(app), 401},
        {"by another client", "iss", json_string(app), 401},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_t *claims = claims_for(signer, token_url, 60);

        json_object_del(claims, rows[i].name);
        if (rows[i].value)
            json_object_set_new(claims, rows[i].name, rows[i].value);

        char *form = assertion_form(claims);
        HTTP_ANSWER answer = post(TOKEN, form, NULL);

        UNIT_CHECK(answer->status == rows[i].status, "%s: %d %s", rows[i].label, answer->status,
                   answer->body);
        if (answer->status == 200)
            CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "expires_in")), 300);
        free(form);
    }
}

static void only_the_registered_key_signs(void)
{
    struct jose *own = key;
    JOSE other = jose_new("ES384", "one");
    JOSE weaker = jose_new("ES256", "one");
    struct jose *const foreign[] = {other, weaker};

    for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
        key = foreign[i];

        char *form = assertion_form(claims_for(signer, token_url, 60));
        HTTP_ANSWER answer = post(TOKEN, form, NULL);

        check_word(answer, 401, "invalid_client");
        free(form);
    }
    key = own;
}

static struct http_answer *post_from(const char *source, const char *form)
{
    struct http_request request = form_request(TOKEN, form, NULL, NULL);

    request.source = source;
    return http_call(suite_url(suite), &request);
}

static void wrong_assertions_are_throttled_and_right_ones_pass(void)
{
    struct jose *own = key;
    JOSE foreign = jose_new("ES384", "one");
    int refused = 0, throttled = 0;

    key = foreign;
    for (int i = 0; i < 14; i++) {
        char *form = assertion_form(claims_for(signer, token_url, 60));
        HTTP_ANSWER wrong = post_from("127.9.9.8", form);

        refused += wrong->status == 401;
        throttled += wrong->status == 429;
        free(form);
    }
    key = own;
    CU_ASSERT_EQUAL(refused, 10);
    CU_ASSERT_EQUAL(throttled, 4);

    char *form = assertion_form(claims_for(signer, token_url, 60));
    HTTP_ANSWER right = post_from("127.9.9.8", form);

    CHECK_STATUS(right, 200);
    free(form);
}

static void an_assertion_is_tried_with_four_keys(void)
{
    enum { KEYS = 6, TRIED = 4 };
    struct jose *own = key, *keys[KEYS];
    json_t *set = json_array();

    for (size_t i = 0; i < KEYS; i++) {
        keys[i] = jose_new("ES256", NULL);
        json_array_append_new(set, jose_jwk(keys[i]));
    }

    char *id =
        registered(json_pack("{s:s, s:s, s:s, s:[s], s:[s], s:{s:o}}", "name", "Many", "type",
                             "confidential", "authMethod", "private_key_jwt", "grantTypes",
                             "client_credentials", "scopes", "system/*.rs", "jwks", "keys", set));

    for (size_t i = 0; i < KEYS; i++) {
        key = keys[i];

        char *form = assertion_form(claims_for(id, token_url, 60));
        HTTP_ANSWER answer = post(TOKEN, form, NULL);

        UNIT_CHECK(answer->status == (i < TRIED ? 200 : 401), "key %zu: %d %s", i, answer->status,
                   answer->body);
        free(form);
        jose_destroy(&keys[i]);
    }
    key = own;
    free(id);
}

static void an_assertion_counts_once(void)
{
    char *form = assertion_form(claims_for(signer, token_url, 60));
    struct http_request requests[AT_ONCE];
    struct http_answer *answers[AT_ONCE];
    size_t good = 0, refused = 0;

    for (size_t i = 0; i < AT_ONCE; i++)
        requests[i] = form_request(TOKEN, form, NULL, NULL);
    http_call_many(suite_url(suite), requests, AT_ONCE, AT_ONCE, answers);
    for (size_t i = 0; i < AT_ONCE; i++) {
        good += answers[i]->status == 200;
        refused += answers[i]->status == 401;
    }
    UNIT_CHECK(good == 1 && refused == AT_ONCE - 1, "%zu good, %zu refused", good, refused);
    http_answers_destroy(answers, AT_ONCE);
    free(form);
}

/* ---- fetched keys ---- */

static bool was_connected(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    return poll(&wait, 1, 0) > 0;
}

/* Registers a client with a jwksUri at this port of 127.0.0.1. */
static char *registered_inner(int port, const char *name)
{
    return registered(json_pack("{s:s, s:s, s:s, s:[s], s:o}", "name", "Inner", "type",
                                "confidential", "authMethod", "private_key_jwt", "grantTypes",
                                "client_credentials", "jwksUri",
                                json_sprintf("https://127.0.0.1:%d/%s", port, name)));
}

/* No keys are fetched from names of, or leading to, internal networks unless the operator opened
 * the network. */
static void inner_addresses_are_not_asked_for_keys(void)
{
    int port, fd = unit_listen(8, &port);
    char *inner = registered_inner(port, "keys");
    char *form = assertion_form(claims_for(inner, token_url, 200));
    HTTP_ANSWER refused = post(TOKEN, form, NULL);

    check_word(refused, 401, "invalid_client");
    UNIT_CHECK(!was_connected(fd), "127.0.0.1 was asked");
    suite_reconfigure(suite, "authd.allow_networks=127.0.0.0/8");
    read_addresses();
    free(form);
    form = assertion_form(claims_for(inner, token_url, 200));

    HTTP_ANSWER opened = post(TOKEN, form, NULL); /* the opened port speaks no TLS */

    check_word(opened, 401, "invalid_client");
    UNIT_CHECK(was_connected(fd), "127.0.0.1 was not asked though it is open");
    close(fd);
    free(form);
    free(inner);
}

/* Serves a key set under a name, and consumes it. cache: Cache-Control, NULL: none. */
static void serve_set(const struct receiver *host, const char *name, const char *mode,
                      const char *cache, json_t *set)
{
    char *text = json_dumps(set, JSON_COMPACT);
    HTTP_ANSWER served = receiver_command(host, "PUT", name,
                                          json_pack("{s:s, s:s, s:s}", "mode", mode, "body", text,
                                                    "cache", cache ? cache : ""));

    CHECK_STATUS(served, 200);
    free(text);
    json_decref(set);
}

static void serve_keys(const struct receiver *host, const char *name, const char *mode,
                       const char *cache)
{
    serve_set(host, name, mode, cache, json_pack("{s:[o]}", "keys", jose_jwk(key)));
}

static int count_taken(const char *client)
{
    int taken = 0;

    for (int i = 0; i < 8; i++) {
        char *form = assertion_form(claims_for(client, token_url, 200));
        HTTP_ANSWER answer = post(TOKEN, form, NULL);

        taken += answer->status == 200;
        free(form);
    }
    return taken;
}

/* Posts assertions, all of which are accepted, until the host has had this many requests: one more
 * from each authd. */
static void take_until_asked(const struct receiver *host, const char *name, const char *client,
                             long want)
{
    for (int i = 0; i < ROUNDS_MAX && receiver_count(host, name, "requests") < want; i++)
        CU_ASSERT_EQUAL(count_taken(client), 8);
    UNIT_CHECK(receiver_count(host, name, "requests") == want, "%s: %ld requests", name,
               receiver_count(host, name, "requests"));
}

static void start_key_host(struct receiver *host, struct unit_dir *ret_dir)
{
    char set[200];

    *ret_dir = unit_dir_make();
    certificate_make(ret_dir);
    receiver_start(host,
                   (const char *const[]){"/usr/bin/env", "node", "tests/openid/logout_receiver.cjs",
                                         ret_dir->path, NULL});
    snprintf(set, sizeof(set), "authd.allow_networks=127.0.0.0/8,authd.client_ca_file=%s/cert.pem",
             ret_dir->path);
    suite_reconfigure(suite, set);
    read_addresses();
}

static void stop_key_host(struct receiver *host, struct unit_dir *dir)
{
    receiver_stop(host);
    unit_dir_remove(dir);
}

/* Each authd fetches once in five minutes, so a host's failure goes unnoticed. An unknown key id
 * causes at most one fetch a minute. */
static void keys_are_fetched_once_and_kept(void)
{
    struct unit_dir dir;
    struct receiver host = {.port = 0};
    struct jose *own = key;
    JOSE next = jose_new("ES384", "two");
    char *client;

    if (!receiver_has_node()) {
        unit_leave_out("node is not installed");
        return;
    }
    start_key_host(&host, &dir);
    serve_keys(&host, "keys", "ok", NULL);
    client = registered_inner(host.port, "keys");
    take_until_asked(&host, "keys", client, AUTHDS);
    serve_keys(&host, "keys", "fail", NULL);
    CU_ASSERT_EQUAL(count_taken(client), 8);
    key = next;
    serve_keys(&host, "keys", "ok", NULL);
    CU_ASSERT_EQUAL(count_taken(client),
                    0); /* the new key is published, but not fetched within the minute */
    key = own;
    CU_ASSERT_EQUAL(receiver_count(&host, "keys", "requests"), AUTHDS);
    stop_key_host(&host, &dir);
    free(client);
}

/* Beside the valid key, the set has a key with exponent 1, with which anyone could sign, an
 * encryption key, and a duplicate key id. The valid key is used. */
static void broken_keys_of_a_set_are_skipped_and_logged(void)
{
    struct unit_dir dir;
    struct receiver host = {.port = 0};
    JOSE other = jose_new("RS256", "one");
    JOSE sealing = jose_new("ES256", "three");
    json_t *broken = jose_jwk(other), *enc = jose_jwk(sealing), *copy = jose_jwk(key);
    char *client, command[300];

    if (!receiver_has_node()) {
        unit_leave_out("node is not installed");
        return;
    }
    json_object_set_new(broken, "e", json_string("AQ"));
    json_object_set_new(enc, "use", json_string("enc"));
    start_key_host(&host, &dir);
    serve_set(&host, "broken", "ok", NULL,
              json_pack("{s:[o,o,o,o]}", "keys", broken, enc, jose_jwk(key), copy));
    client = registered_inner(host.port, "broken");
    CU_ASSERT_EQUAL(count_taken(client), 8);
    for (int i = 0; i < 3; i++) {
        static const char *const faults[] = {"e must be odd", "use must be sig", "kid must differ"};

        snprintf(command, sizeof(command),
                 "grep -q 'a key was skipped.*/broken.*%s' %s/log/authd.*", faults[i],
                 suite_dir(suite));
        UNIT_CHECK(system(command) == 0, "%s", faults[i]);
    }
    stop_key_host(&host, &dir);
    free(client);
}

struct kept_set {
    const char *name, *cache;
    int64_t fresh_s; /* for so long no authd fetches again */
    char *client;
};

/* Measures times from the moment when authd fetched, because the test clock continues while a busy
 * machine responds. */
static void check_set(const struct receiver *host, const struct kept_set *set)
{
    int64_t before = suite_now_ms(suite), after;

    take_until_asked(host, set->name, set->client, AUTHDS);
    after = suite_now_ms(suite);
    suite_go_before(suite, before + set->fresh_s * 1000, LEAD_MS);
    CU_ASSERT_EQUAL(count_taken(set->client), 8);
    UNIT_CHECK(receiver_count(host, set->name, "requests") == AUTHDS,
               "%s, %d s before its end: %ld requests", set->cache, LEAD_MS / 1000,
               receiver_count(host, set->name, "requests"));
    suite_go_past(suite, after + set->fresh_s * 1000);
    take_until_asked(host, set->name, set->client, 2 * AUTHDS);
}

/* max-age applies between five minutes and a day (RFC 9111, section 5.2.2.1); an unknown key id
 * causes an earlier fetch. Last case, because it moves the test clock. */
static void a_key_set_is_kept_as_long_as_its_host_says(void)
{
    struct kept_set sets[] = {
        {"longer", "public, max-age=900, must-revalidate", 900, NULL},
        {"least", "max-age=60", 300, NULL},
        {"stored", "public, No-Store", 300, NULL},
        {"shorter", "max-age=7200,max-age=\"600\"", 600, NULL},
        {"silent", "", 300, NULL},
        {"other", "public, x-max-age=1, s-maxage=5", 300, NULL},
        {"most", "Max-Age=99999999999999999999", 86400, NULL},
    };
    struct unit_dir dir;
    struct receiver host = {.port = 0};
    struct jose *own = key;
    JOSE next = jose_new("ES384", "two");

    if (!receiver_has_node()) {
        unit_leave_out("node is not installed");
        return;
    }
    start_key_host(&host, &dir);
    for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
        serve_keys(&host, sets[i].name, "ok", sets[i].cache);
        sets[i].client = registered_inner(host.port, sets[i].name);
    }
    check_set(&host, &sets[0]);
    key = next;
    serve_keys(&host, sets[0].name, "ok", sets[0].cache);
    suite_advance_clock(suite, 120); /* within max-age, and after the minute */
    CU_ASSERT_EQUAL(count_taken(sets[0].client), 8);
    key = own;
    for (size_t i = 1; i < ARRAY_SIZE(sets); i++)
        check_set(&host, &sets[i]);
    for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
        free(sets[i].client);
    stop_key_host(&host, &dir);
}

/* ---- introspection and revocation ---- */

static struct http_answer *ask(const char *path, const char *token, const char *header,
                               const char *accept)
{
    char form[FORM_MAX];

    snprintf(form, sizeof(form), "token=%s", token);

    const struct http_request request = form_request(path, form, header, accept);

    return http_call(suite_url(suite), &request);
}

static struct http_answer *ask_as_server(const char *token)
{
    char form[FORM_MAX];

    snprintf(form, sizeof(form), "token=%s&client_id=%s&client_secret=%s", token, server,
             server_secret);
    return post(INTROSPECT, form, NULL);
}

static void a_token_is_shown_to_its_client_and_its_resource_alone(void)
{
    char *header = strdup(oauth_basic(app, app_secret));
    char *own = token_of(OWN "&scope=read", header);
    char *bound = token_of(OWN "&resource=https%3A%2F%2Frecords.example%2Fr4", header);
    HTTP_ANSWER mine = ask(INTROSPECT, own, header, NULL);
    HTTP_ANSWER not_its = ask_as_server(own);
    HTTP_ANSWER its = ask_as_server(bound);
    HTTP_ANSWER garbage = ask(INTROSPECT, "x.y.z", header, NULL);
    HTTP_ANSWER person = ask(INTROSPECT, admin->access, header, NULL);
    HTTP_ANSWER nothing = post(INTROSPECT, "token_type_hint=x", header);
    HTTP_ANSWER without = ask(INTROSPECT, own, NULL, NULL);
    HTTP_ANSWER public = post(INTROSPECT, "token=x&client_id=console", NULL);
    HTTP_ANSWER signed_answer =
        ask(INTROSPECT, own, header, "Accept: application/token-introspection+jwt");

    CHECK_STATUS(mine, 200);
    CU_ASSERT(json_is_true(http_member(mine, "active")));
    CU_ASSERT_STRING_EQUAL(http_text(mine, "client_id"), app);
    CU_ASSERT_STRING_EQUAL(http_text(mine, "scope"), "read");
    CU_ASSERT_STRING_EQUAL(http_text(mine, "iss"), issuer);
    CU_ASSERT_STRING_EQUAL(not_its->body, "{\"active\":false}");
    CU_ASSERT(json_is_true(http_member(its, "active")));
    CU_ASSERT_STRING_EQUAL(http_text(its, "aud"), RESOURCE);
    CU_ASSERT_STRING_EQUAL(garbage->body, "{\"active\":false}");
    CU_ASSERT_STRING_EQUAL(person->body, "{\"active\":false}");
    check_word(nothing, 400, "invalid_request");
    check_word(without, 401, "invalid_client");
    check_word(public, 401, "invalid_client");
    CHECK_STATUS(signed_answer, 200);
    CU_ASSERT(strncmp(signed_answer->body, "eyJ", 3) == 0);
    free(own);
    free(bound);
    free(header);
}

static void a_persons_tokens_are_active_while_the_grant_is(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char *web = oauth_register(
        suite, admin, "{\"type\":\"confidential\",\"authMethod\":\"client_secret_basic\"}");
    char *secret = oauth_secret(suite, admin, web), *header = strdup(oauth_basic(web, secret)),
         form[FORM_MAX];
    char *foreign = strdup(oauth_basic(app, app_secret));
    char *code = oauth_code(browser, patient, web, OAUTH_USUAL);

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&code=%s&redirect_uri=" OAUTH_REDIRECT
             "&code_verifier=" OAUTH_VERIFIER,
             code);
    HTTP_ANSWER tokens = post(TOKEN, form, header);
    CHECK_STATUS(tokens, 200);
    const char *access = http_text(tokens, "access_token");
    const char *refresh = http_text(tokens, "refresh_token");
    HTTP_ANSWER of_access = ask(INTROSPECT, access, header, NULL);
    HTTP_ANSWER of_refresh = ask(INTROSPECT, refresh, header, NULL);
    HTTP_ANSWER not_its = ask(INTROSPECT, access, foreign, NULL);
    CU_ASSERT(json_is_true(http_member(of_access, "active")));
    CU_ASSERT(json_is_true(http_member(of_refresh, "active")));
    CU_ASSERT_STRING_EQUAL(http_text(of_access, "sub"), http_text(of_refresh, "sub"));
    CU_ASSERT_STRING_EQUAL(http_text(of_access, "scope"), "openid profile email");
    CU_ASSERT_STRING_EQUAL(http_text(of_access, "username"), patient->email);
    CU_ASSERT_STRING_EQUAL(http_text(of_refresh, "username"), patient->email);
    CU_ASSERT_STRING_EQUAL(not_its->body, "{\"active\":false}");
    HTTP_ANSWER ended = http_delete(suite_url(suite), "/auth/session/all", patient->access);
    CU_ASSERT(ended->status == 200 || ended->status == 204);
    for (int i = 0; i < 4; i++) { /* reaches every instance */
        HTTP_ANSWER access_gone = ask(INTROSPECT, access, header, NULL);
        HTTP_ANSWER refresh_gone = ask(INTROSPECT, refresh, header, NULL);

        CU_ASSERT_STRING_EQUAL(access_gone->body, "{\"active\":false}");
        CU_ASSERT_STRING_EQUAL(refresh_gone->body, "{\"active\":false}");
    }
    free(code);
    free(foreign);
    free(header);
    free(secret);
    free(web);
}

/* RFC 7662, section 2.2: the email address if its scope was granted, as at userinfo, otherwise the
 * profile. A client's own token has none. */
static void a_username_shows_no_more_than_was_granted(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char *web = oauth_register(
        suite, admin, "{\"type\":\"confidential\",\"authMethod\":\"client_secret_basic\"}");
    char *secret = oauth_secret(suite, admin, web), *header = strdup(oauth_basic(web, secret));
    char *own_header = strdup(oauth_basic(app, app_secret)), form[FORM_MAX];
    char *own = token_of(OWN, own_header);
    char *code = oauth_code(browser, person, web,
                            "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
                            "&scope=openid+profile" OAUTH_PKCE);
    char *full = oauth_code(browser, person, web, OAUTH_USUAL);

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&code=%s&redirect_uri=" OAUTH_REDIRECT
             "&code_verifier=" OAUTH_VERIFIER,
             code);
    HTTP_ANSWER tokens = post(TOKEN, form, header);
    snprintf(form, sizeof(form),
             "grant_type=authorization_code&code=%s&redirect_uri=" OAUTH_REDIRECT
             "&code_verifier=" OAUTH_VERIFIER,
             full);
    HTTP_ANSWER all = post(TOKEN, form, header);
    snprintf(form, sizeof(form), "grant_type=refresh_token&scope=openid&refresh_token=%s",
             http_text(all, "refresh_token"));
    HTTP_ANSWER less = post(TOKEN, form, header);
    HTTP_ANSWER shown = ask(INTROSPECT, http_text(tokens, "access_token"), header, NULL);
    HTTP_ANSWER narrowed = ask(INTROSPECT, http_text(less, "access_token"), header, NULL);
    HTTP_ANSWER of_client = ask(INTROSPECT, own, own_header, NULL);

    CU_ASSERT_STRING_EQUAL(http_text(shown, "username"), person->profile);
    CU_ASSERT_STRING_EQUAL(http_text(narrowed, "username"), person->profile);
    CU_ASSERT(json_is_true(http_member(of_client, "active")));
    CU_ASSERT_PTR_NULL(http_member(of_client, "username"));
    free(full);
    free(code);
    free(own);
    free(own_header);
    free(header);
    free(secret);
    free(web);
}

/* Checks that the response is an empty JSON object, which a client that parses it can read. */
static void check_nothing_said(const struct http_answer *answer)
{
    char *type = http_header(answer, "Content-Type");

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(answer->body, "{}");
    UNIT_CHECK(type && strcmp(type, "application/json") == 0, "%s", type ? type : "no type");
    free(type);
}

static void a_client_takes_back_its_own_tokens_alone(void)
{
    char *header = strdup(oauth_basic(app, app_secret)), form[FORM_MAX];
    char *token = token_of(OWN, header);

    snprintf(form, sizeof(form), "token=%s&client_id=%s&client_secret=%s", token, server,
             server_secret);

    HTTP_ANSWER foreign = post(REVOKE, form, NULL);
    HTTP_ANSWER still = ask(INTROSPECT, token, header, NULL);
    HTTP_ANSWER revoked = ask(REVOKE, token, header, NULL);
    HTTP_ANSWER again = ask(REVOKE, token, header, NULL);
    HTTP_ANSWER garbage = ask(REVOKE, "x", header, NULL);
    HTTP_ANSWER without = ask(REVOKE, token, NULL, NULL);

    check_word(foreign, 400, "invalid_grant");
    CU_ASSERT(json_is_true(http_member(still, "active")));
    check_nothing_said(revoked);
    check_nothing_said(again);
    check_nothing_said(garbage);
    check_word(without, 401, "invalid_client");
    for (int i = 0; i < 4; i++) { /* reaches every instance */
        HTTP_ANSWER gone = ask(INTROSPECT, token, header, NULL);

        CU_ASSERT_STRING_EQUAL(gone->body, "{\"active\":false}");
    }
    free(token);
    free(header);
}

/* ---- DPoP proofs ---- */

static char *proof_header(const struct jose *of, const char *method, const char *url,
                          const char *nonce, int64_t made)
{
    return oauth_proof(
        of, &(struct oauth_proof){.method = method, .url = url, .nonce = nonce, .made = made});
}

static struct http_answer *post_proven(const char *proof)
{
    const struct http_request request =
        form_request(TOKEN, OWN, oauth_basic(app, app_secret), proof);

    return http_call(suite_url(suite), &request);
}

static char *fresh_nonce(const struct jose *of)
{
    char *proof = proof_header(of, "POST", token_url, NULL, time(NULL));
    HTTP_ANSWER answer = post_proven(proof);

    check_word(answer, 400, "use_dpop_nonce");
    free(proof);
    return http_header(answer, "DPoP-Nonce");
}

static void a_proof_is_for_this_request_with_our_nonce(void)
{
    JOSE mine = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine), altered[128] = "";
    const struct {
        const char *label, *method, *url, *nonce;
        int64_t made;
        const char *word; /* NULL: valid */
    } rows[] = {
        {"as it should be", "POST", token_url, nonce, time(NULL), NULL},
        {"another method", "GET", token_url, nonce, time(NULL), "invalid_dpop_proof"},
        {"another address", "POST", issuer, nonce, time(NULL), "invalid_dpop_proof"},
        {"of another clock", "POST", token_url, nonce, time(NULL) - 90, NULL},
        {"of no time", "POST", token_url, nonce, -1, "invalid_dpop_proof"},
        {"a nonce of its own", "POST", token_url, "AAAA", time(NULL), "use_dpop_nonce"},
        {"an altered nonce", "POST", token_url, altered, time(NULL), "use_dpop_nonce"},
    };

    UNIT_REQUIRE(nonce, "a nonce");
    snprintf(altered, sizeof(altered), "%s", nonce);
    altered[20] = altered[20] == 'A' ? 'B' : 'A';
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *proof = proof_header(mine, rows[i].method, rows[i].url, rows[i].nonce, rows[i].made);
        HTTP_ANSWER answer = post_proven(proof);

        if (rows[i].word)
            check_word(answer, 400, rows[i].word);
        else
            UNIT_CHECK(strcmp(http_text(answer, "token_type"), "DPoP") == 0, "%s: %s",
                       rows[i].label, answer->body);
        free(proof);
    }
    free(nonce);
}

static void a_client_that_must_prove_a_key_gets_no_bearer(void)
{
    char *bound = registered(json_pack("{s:s, s:s, s:[s], s:[s], s:s}", "name", "Bound", "type",
                                       "confidential", "grantTypes", "client_credentials", "scopes",
                                       "read", "dpop", "required"));
    char *secret = oauth_secret(suite, admin, bound), *header = strdup(oauth_basic(bound, secret));
    JOSE mine = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine);
    char *proof = proof_header(mine, "POST", token_url, nonce, time(NULL));
    const struct http_request proven = form_request(TOKEN, OWN, header, proof);
    HTTP_ANSWER without = post(TOKEN, OWN, header);
    HTTP_ANSWER with = http_call(suite_url(suite), &proven);

    check_word(without, 400, "invalid_dpop_proof");
    CU_ASSERT_PTR_NULL(http_member(without, "access_token"));
    CHECK_STATUS(with, 200);
    CU_ASSERT_STRING_EQUAL(http_text(with, "token_type"), "DPoP");
    free(proof);
    free(nonce);
    free(header);
    free(secret);
    free(bound);
}

static void a_bound_token_names_its_key(void)
{
    JOSE mine = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine);
    char *proof = proof_header(mine, "POST", token_url, nonce, time(NULL));
    HTTP_ANSWER answer = post_proven(proof);
    HTTP_ANSWER shown =
        ask(INTROSPECT, http_text(answer, "access_token"), oauth_basic(app, app_secret), NULL);

    CU_ASSERT_STRING_EQUAL(http_text(shown, "token_type"), "DPoP");
    CU_ASSERT_EQUAL(strlen(http_text(shown, "cnf.jkt")), 43);
    free(nonce);
    free(proof);
}

static void a_proof_counts_once(void)
{
    JOSE mine = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine);
    char *proof = proof_header(mine, "POST", token_url, nonce, time(NULL));
    char *header = strdup(oauth_basic(app, app_secret));
    struct http_request requests[AT_ONCE];
    struct http_answer *answers[AT_ONCE];
    size_t good = 0, refused = 0;

    for (size_t i = 0; i < AT_ONCE; i++)
        requests[i] = form_request(TOKEN, OWN, header, proof);
    http_call_many(suite_url(suite), requests, AT_ONCE, AT_ONCE, answers);
    for (size_t i = 0; i < AT_ONCE; i++) {
        good += answers[i]->status == 200;
        refused += answers[i]->status == 400;
    }
    UNIT_CHECK(good == 1 && refused == AT_ONCE - 1, "%zu good, %zu refused", good, refused);
    http_answers_destroy(answers, AT_ONCE);
    free(header);
    free(proof);
    free(nonce);
}

static void the_scene_is_left(void)
{
    jose_destroy(&key);
    free(app);
    free(app_secret);
    free(server);
    free(server_secret);
    free(signer);
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_client_proves_itself_by_its_own_method_alone),
    CASE(the_secret_before_counts_while_one_is_exchanged),
    CASE(wrong_secrets_are_throttled_and_right_ones_pass),
    CASE(only_registered_scopes_and_resources_are_given),
    CASE(tokens_of_clients_do_not_open_the_api),
    CASE(an_assertion_is_for_this_issuer_and_short),
    CASE(only_the_registered_key_signs),
    CASE(wrong_assertions_are_throttled_and_right_ones_pass),
    CASE(an_assertion_is_tried_with_four_keys),
    CASE(an_assertion_counts_once),
    CASE(a_token_is_shown_to_its_client_and_its_resource_alone),
    CASE(a_persons_tokens_are_active_while_the_grant_is),
    CASE(a_username_shows_no_more_than_was_granted),
    CASE(a_client_takes_back_its_own_tokens_alone),
    CASE(a_proof_is_for_this_request_with_our_nonce),
    CASE(a_client_that_must_prove_a_key_gets_no_bearer),
    CASE(a_bound_token_names_its_key),
    CASE(a_proof_counts_once),
    CASE(inner_addresses_are_not_asked_for_keys),
    CASE(keys_are_fetched_once_and_kept),
    CASE(broken_keys_of_a_set_are_skipped_and_logged),
    CASE(a_key_set_is_kept_as_long_as_its_host_says),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("OAuth tokens of clients", cases, ARRAY_SIZE(cases));
}
