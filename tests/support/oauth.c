/*
 * oauth.c - see oauth.h.
 */
#include "tests/support/oauth.h"

#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/domain/jwk.h"
#include "common/domain/jwt.h"
#include "tests/support/unit.h"

static char *join(const char *one, const char *other, const char *third)
{
    char *text;

    if (asprintf(&text, "%s%s%s", one, other, third) < 0)
        abort();
    return text;
}

void oauth_scene_set(struct suite **ret, struct person **ret_admin, struct person **ret_patient,
                     char **ret_client, const char *more)
{
    *ret =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    *ret_admin = person_admin(*ret);
    *ret_patient = browser_person(*ret);
    *ret_client = oauth_register(*ret, *ret_admin, more);
    UNIT_REQUIRE(**ret_client != '\0', "a client");
}

void oauth_scene_leave(struct suite **self_p, struct person **admin_p, struct person **patient_p,
                       char **client_p)
{
    free(*client_p);
    *client_p = NULL;
    person_destroy(admin_p);
    person_destroy(patient_p);
    suite_stop(self_p);
}

char *oauth_issuer(struct suite *suite)
{
    char *url;

    if (asprintf(&url, "%s/t/demo", suite_text(suite, "publicUrl")) < 0)
        abort();
    return url;
}

char *oauth_register(struct suite *suite, const struct person *admin, const char *more)
{
    json_t *body =
        json_loads("{\"name\":\"Diary\",\"type\":\"public\",\"redirectUris\":[\"" OAUTH_REDIRECT
                   "\"],"
                   "\"grantTypes\":[\"authorization_code\",\"refresh_token\"],\"firstParty\":true,"
                   "\"scopes\":[\"openid\",\"profile\",\"email\",\"fhirUser\",\"offline_access\"]}",
                   0, NULL);
    json_t *others = json_loads(more ? more : "{}", 0, NULL);

    json_object_update(body, others);
    json_decref(others);
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/clients", admin->access, json_incref(body));
    if (strcmp(http_text(made, "code"), "STEP_UP_REQUIRED") == 0) {
        HTTP_ANSWER proof = http_post(suite_url(suite), "/auth/step-up", admin->access,
                                      json_pack("{s:s}", "password", admin->password));

        CHECK_STATUS(proof, 204);
        http_answer_destroy(&made);
        made = http_post(suite_url(suite), "/v1/project/clients", admin->access, json_incref(body));
    }
    json_decref(body);
    CHECK_STATUS(made, 200);
    return strdup(http_text(made, "id"));
}

char *oauth_secret(struct suite *suite, const struct person *admin, const char *client)
{
    char *path = join("/v1/project/clients/", client, "/secret");
    HTTP_ANSWER made = http_post(suite_url(suite), path, admin->access, json_object());

    CHECK_STATUS(made, 200);
    free(path);
    return strdup(http_text(made, "secret"));
}

const char *oauth_basic(const char *client, const char *secret)
{
    static char header[512];
    char pair[256], text[400];

    snprintf(pair, sizeof(pair), "%s:%s", client, secret);
    sodium_bin2base64(text, sizeof(text), (const uint8_t *)pair, strlen(pair),
                      sodium_base64_VARIANT_ORIGINAL);
    snprintf(header, sizeof(header), "Authorization: Basic %s", text);
    return header;
}

int oauth_ask(struct browser *browser, const char *client, const char *behind)
{
    char *path = join("/t/demo/authorize?client_id=", client, behind);
    int status = browser_get(browser, path);

    free(path);
    return status;
}

int oauth_follow(struct browser *browser)
{
    for (int i = 0; i < 8 && browser->page->status == 303; i++) {
        char *location = http_header(browser->page, "Location");
        bool here = location && location[0] == '/';

        free(location);
        if (!here)
            break;
        browser_follow(browser);
    }
    return browser->page->status;
}

static int send_form(struct browser *browser, const char *page, const char *fields)
{
    char *next = browser_value(browser, "next"), *form = join(fields, "&next=", next);

    browser_post(browser, page, form);
    free(form);
    free(next);
    return oauth_follow(browser);
}

int oauth_sign_in(struct browser *browser, const char *email, const char *password)
{
    char fields[512];

    snprintf(fields, sizeof(fields), "email=%s&password=%s", email, password);
    return send_form(browser, "sign-in", fields);
}

int oauth_consent(struct browser *browser, const char *button)
{
    char fields[64];

    snprintf(fields, sizeof(fields), "do=%s", button);
    return send_form(browser, "consent", fields);
}

static int hex(char c)
{
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

static char *decoded(const char *text, size_t size)
{
    char *out = strndup(text, size), *to = out;

    for (const char *at = out; *at; at++) {
        if (*at == '%' && at[1] && at[2]) {
            *to++ = (char)(hex(at[1]) * 16 + hex(at[2]));
            at += 2;
        } else {
            *to++ = *at == '+' ? ' ' : *at;
        }
    }
    *to = '\0';
    return out;
}

void oauth_check_asked(struct browser *browser, const char *client, const char *behind, bool again)
{
    char *code;

    oauth_ask(browser, client, behind);
    code = oauth_parameter(browser, "code");
    UNIT_CHECK((*code == '\0') == again, "%s: %s", behind, code);
    free(code);
}

char *oauth_parameter(const struct browser *browser, const char *name)
{
    char *location = http_header(browser->page, "Location"), *found = NULL;
    size_t length = strlen(name);

    for (const char *at = location ? strchr(location, '?') : NULL; at && !found;
         at = strchr(at + 1, '&'))
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '=')
            found = decoded(at + 2 + length, strcspn(at + 2 + length, "&"));
    free(location);
    return found ? found : strdup("");
}

struct http_answer *oauth_post(struct suite *suite, const char *endpoint, const char *form)
{
    return oauth_post_with(suite, endpoint, form, NULL);
}

struct http_answer *oauth_post_with(struct suite *suite, const char *endpoint, const char *form,
                                    const char *header)
{
    char *path = join("/t/demo/", endpoint, ""), *source = fresh_source();
    struct http_answer *answer =
        http_call(suite_url(suite),
                  &(struct http_request){.method = "POST",
                                         .path = path,
                                         .raw = form,
                                         .content_type = "application/x-www-form-urlencoded",
                                         .headers = {header},
                                         .source = source});

    free(path);
    free(source);
    return answer;
}

const char *oauth_redeeming(const char *client, const char *code)
{
    static char form[1024];

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&client_id=%s&code=%s&redirect_uri=" OAUTH_REDIRECT
             "&code_verifier=" OAUTH_VERIFIER,
             client, code);
    return form;
}

struct http_answer *oauth_exchange(struct suite *suite, const char *client, const char *code)
{
    return oauth_post(suite, "token", oauth_redeeming(client, code));
}

char *oauth_code(struct browser *browser, const struct person *person, const char *client,
                 const char *behind)
{
    oauth_ask(browser, client, behind);
    if (oauth_follow(browser) == 200)
        oauth_sign_in(browser, person->email, person->password);
    return oauth_parameter(browser, "code");
}

struct http_answer *oauth_tokens(struct suite *suite, struct browser *browser,
                                 const struct person *person, const char *client,
                                 const char *behind)
{
    char *code = oauth_code(browser, person, client, behind);
    struct http_answer *answer = oauth_exchange(suite, client, code);

    CHECK_STATUS(answer, 200);
    free(code);
    return answer;
}

struct http_answer *oauth_userinfo(struct suite *suite, const char *method, const char *bearer,
                                   const char *form)
{
    char *source = fresh_source();
    struct http_answer *answer =
        http_call(suite_url(suite),
                  &(struct http_request){.method = method,
                                         .path = "/t/demo/userinfo",
                                         .bearer = bearer,
                                         .raw = form,
                                         .content_type = "application/x-www-form-urlencoded",
                                         .source = source});

    free(source);
    return answer;
}

struct http_answer *oauth_renew(struct suite *suite, const char *client, const char *refresh,
                                const char *more)
{
    char form[1024];

    snprintf(form, sizeof(form), "grant_type=refresh_token&client_id=%s&refresh_token=%s%s", client,
             refresh, more);
    return oauth_post(suite, "token", form);
}

PGconn *oauth_hold(struct suite *suite, const char *table, const char *mode)
{
    PGconn *connection = suite_database(suite);
    char sql[128];
    PGresult *result;

    snprintf(sql, sizeof(sql), "begin; lock table auth.%s in %s mode", table, mode);
    result = PQexec(connection, sql);
    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK, "%s", PQerrorMessage(connection));
    PQclear(result);
    return connection;
}

struct posting {
    struct suite *suite;
    const char *form;
    struct http_answer *answer;
};

static void *post_form(void *arg)
{
    struct posting *self = arg;

    self->answer = oauth_post(self->suite, "token", self->form);
    return NULL;
}

struct http_answer *oauth_token_during(struct suite *suite, const char *form, const char *table,
                                       void (*change)(void *arg), void *arg)
{
    struct posting posting = {suite, form, NULL};
    PGconn *holder = oauth_hold(suite, table, "share");
    pthread_t thread;

    if (pthread_create(&thread, NULL, post_form, &posting) != 0)
        abort();
    UNIT_CHECK(
        suite_comes_to(suite, 1, 2000,
                       "select least(count(*), 1) from pg_locks l join pg_stat_activity a "
                       "using (pid) where not l.granted and l.relation = 'auth.%s'::regclass "
                       "and a.application_name like 'atrium-authd.%%'",
                       table),
        "%s", table);
    change(arg);
    PQfinish(holder);
    pthread_join(thread, NULL);
    return posting.answer;
}

static json_t *token_hash(const char *token)
{
    uint8_t hash[SHA256_DIGEST_LENGTH];
    char *text;
    json_t *value;

    SHA256((const uint8_t *)token, strlen(token), hash);
    text = jose_encode(hash, sizeof(hash));
    value = json_string(text);
    free(text);
    return value;
}

char *oauth_proof(const struct jose *key, const struct oauth_proof *of)
{
    static int ids;
    json_t *claims =
        json_pack("{s:o, s:s, s:s, s:I}", "jti", json_sprintf("p-%d", ids++), "htm", of->method,
                  "htu", of->url, "iat", (json_int_t)(of->made ? of->made : time(NULL)));
    char *proof, *header;

    if (of->nonce)
        json_object_set_new(claims, "nonce", json_string(of->nonce));
    if (of->token)
        json_object_set_new(claims, "ath", token_hash(of->token));
    proof =
        jose_sign(key, json_pack("{s:s, s:o}", "typ", "dpop+jwt", "jwk", jose_jwk(key)), claims);
    header = join("DPoP: ", proof, "");
    free(proof);
    return header;
}

char *oauth_proof_for(struct suite *suite, const char *endpoint, const struct jose *key,
                      const char *nonce)
{
    char *issuer = oauth_issuer(suite), *url = join(issuer, "/", endpoint);
    char *proof = oauth_proof(key, &(struct oauth_proof){"POST", url, nonce, NULL, 0});

    free(url);
    free(issuer);
    return proof;
}

char *oauth_nonce(struct suite *suite, const char *client, const struct jose *key)
{
    char form[128], *proof = oauth_proof_for(suite, "token", key, NULL);

    snprintf(form, sizeof(form), "grant_type=authorization_code&client_id=%s&code=x", client);
    HTTP_ANSWER answer = oauth_post_with(suite, "token", form, proof);
    free(proof);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), "use_dpop_nonce");
    return http_header(answer, "DPoP-Nonce");
}

json_t *oauth_claims(struct suite *suite, const char *token, const char *typ, const char *alg)
{
    HTTP_ANSWER keys = http_get(suite_url(suite), "/t/demo/jwks", NULL);

    return oauth_claims_by(http_member(keys, "keys"), token, typ, alg);
}

json_t *oauth_claims_by(const json_t *keys, const char *token, const char *typ, const char *alg)
{
    static const char *const algs[] = {"ES256", "RS256", NULL};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    json_t *claims = NULL, *each;
    struct jwt jwt;
    size_t i;

    if (jwt_read(token, arena, &jwt) < 0)
        return NULL;
    json_array_foreach(keys, i, each)
    {
        EVP_PKEY *key = jwk_key(each);

        if (key && strcmp(jwt_text(each, "kid"), jwt_text(jwt.header, "kid")) == 0 &&
            strcmp(jwt_text(jwt.header, "typ"), typ) == 0 &&
            strcmp(jwt_text(jwt.header, "alg"), alg) == 0 && jwt_verify(&jwt, key, algs))
            claims = json_incref(jwt.claims);
        EVP_PKEY_free(key);
    }
    jwt_clear(&jwt);
    return claims;
}

static size_t count_keys(struct suite *suite)
{
    HTTP_ANSWER keys = http_get(suite_url(suite), "/t/demo/jwks", NULL);

    return json_array_size(http_member(keys, "keys"));
}

bool oauth_keys_come_to(struct suite *suite, size_t want)
{
    int streak = 0;

    for (int i = 0; i < 300 && streak < 110; i++, usleep(100000))
        streak = count_keys(suite) == want ? streak + 1 : 0;
    return streak >= 110;
}
