/*
 * identity_provider.c - see identity_provider.h. A thread per connection; a lock guards all state.
 */
#include "tests/support/identity_provider.h"

#include <curl/curl.h>
#include <microhttpd.h>
#include <openssl/hmac.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/jose.h"

enum {
    BODY_MAX = 65536,
    HUGE_SIZE = 1 << 20,
    TOKEN_LIFE_S = 300,
    SLOW_MS = 300,
    POLL_MS = 10,
    STATUS_OK = 200,
    STATUS_FOUND = 302,
    STATUS_WRONG = 400,
    STATUS_DENIED = 401,
    STATUS_NONE = 404,
    STATUS_FAILED = 500,
};

/* What the authorization endpoint keeps for a code. */
struct grant {
    struct grant *next;
    char code[48];
    char *redirect_uri, *challenge, *nonce;
    bool wants_auth_time;
    json_t *person;
};

enum { KEY_ES256, KEY_RS256, KEY_PS256, KEY_EDDSA, KEYS };
static const char *const key_algs[KEYS] = {"ES256", "RS256", "PS256", "EdDSA"};

struct identity_provider {
    pthread_mutex_t lock;
    struct MHD_Daemon *daemon;
    char issuer[64], ca_file[128];
    char *client_id, *secret, *tls_key, *tls_certificate;
    struct jose *keys[KEYS], *unpublished;
    int generation;
    json_t *person;
    struct identity_bend bend;
    struct grant *grants;
    _Atomic long counts[IDENTITY_ENDPOINTS];
    bool stopping;
};

static void require(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "identity provider: %s failed\n", what);
    exit(1);
}

static void random_text(char *ret, size_t size, const char *prefix)
{
    uint8_t bytes[12];
    char hex[2 * sizeof(bytes) + 1];

    randombytes_buf(bytes, sizeof(bytes));
    snprintf(ret, size, "%s%s", prefix, sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes)));
}

/* Returns base64url(SHA-256 or SHA-512), whole or its left half (caller frees). */
static char *hash_text(const char *text, bool wide, bool half)
{
    uint8_t hash[crypto_hash_sha512_BYTES];
    size_t size = wide ? crypto_hash_sha512_BYTES : crypto_hash_sha256_BYTES;

    if (wide)
        crypto_hash_sha512(hash, (const uint8_t *)text, strlen(text));
    else
        crypto_hash_sha256(hash, (const uint8_t *)text, strlen(text));
    return jose_encode(hash, half ? size / 2 : size);
}

/* A null of `bend` removes the member. */
static void merge(json_t *object, json_t *bend)
{
    const char *name;
    json_t *value;

    json_object_foreach(bend, name, value)
    {
        if (json_is_null(value))
            json_object_del(object, name);
        else
            json_object_set(object, name, value);
    }
}

/* ---- keys and tokens ---- */

static void make_keys(struct identity_provider *self)
{
    char kid[32];

    self->generation++;
    for (int i = 0; i < KEYS; i++) {
        jose_destroy(&self->keys[i]);
        snprintf(kid, sizeof(kid), "%s-%d", key_algs[i], self->generation);
        self->keys[i] = i == KEY_PS256 ? jose_share(self->keys[KEY_RS256], key_algs[i], kid)
                                       : jose_new(key_algs[i], kid);
    }
}

static const struct jose *key_of(const struct identity_provider *self, const char *alg)
{
    if (self->bend.unpublished)
        return self->unpublished;
    for (int i = 0; i < KEYS; i++)
        if (alg && strcmp(key_algs[i], alg) == 0)
            return self->keys[i];
    return self->keys[KEY_ES256];
}

static char *encode_json(json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT), *encoded = jose_encode(text, strlen(text));

    json_decref(json);
    free(text);
    return encoded;
}

/* Signs with "none", or with HMAC and the public key's PEM, which everyone knows. */
static char *sign_wrongly(const struct identity_provider *self, json_t *header, json_t *claims)
{
    char *pem = jose_pem(self->keys[KEY_ES256]), *parts[3], *text = NULL, *token = NULL;
    uint8_t mac[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    char kid[32];

    snprintf(kid, sizeof(kid), "ES256-%d", self->generation);
    json_object_set_new(header, "kid", json_string(kid));
    parts[0] = encode_json(header);
    parts[1] = encode_json(claims);
    require(asprintf(&text, "%s.%s", parts[0], parts[1]) > 0, "a token");
    if (strcmp(self->bend.alg, "HS256") == 0)
        HMAC(EVP_sha256(), pem, (int)strlen(pem), (const uint8_t *)text, strlen(text), mac, &size);
    parts[2] = jose_encode(mac, size);
    require(asprintf(&token, "%s.%s", text, parts[2]) > 0, "a token");
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        free(parts[i]);
    free(text);
    free(pem);
    return token;
}

static char *sign(const struct identity_provider *self, json_t *claims)
{
    const char *alg = self->bend.alg;
    json_t *header = json_object();

    merge(header, self->bend.header);
    if (!alg || (strcmp(alg, "none") != 0 && strcmp(alg, "HS256") != 0))
        return jose_sign(key_of(self, alg), header, claims);
    json_object_set_new(header, "alg", json_string(alg));
    return sign_wrongly(self, header, claims);
}

static int64_t now_s(const struct identity_provider *self)
{
    return (int64_t)time(NULL) + self->bend.shift_s;
}

static char *id_token(const struct identity_provider *self, const struct grant *grant,
                      const char *access_token)
{
    bool wide = self->bend.alg && strcmp(self->bend.alg, "EdDSA") == 0;
    char *hash = hash_text(access_token, wide, true);
    json_int_t now = now_s(self);
    json_t *claims =
        json_pack("{s:s, s:s, s:I, s:I, s:s, s:s*}", "iss", self->issuer, "aud", self->client_id,
                  "iat", now, "exp", now + TOKEN_LIFE_S, "at_hash", hash, "nonce", grant->nonce);

    free(hash);
    if (grant->wants_auth_time)
        json_object_set_new(claims, "auth_time", json_integer(now));
    json_object_update(claims, grant->person);
    merge(claims, self->bend.claims);
    return sign(self, claims);
}

/* ---- answers ---- */

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, char *text,
                                   const char *header, const char *value)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
    enum MHD_Result result;

    if (value)
        MHD_add_response_header(response, header, value);
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static json_t *discovery_of(const struct identity_provider *self)
{
    char url[3][96];
    static const char *const paths[] = {"authorize", "token", "keys"};
    json_t *metadata;

    for (size_t i = 0; i < ARRAY_SIZE(url); i++)
        snprintf(url[i], sizeof(url[i]), "%s/%s", self->issuer, paths[i]);
    metadata = json_pack("{s:s, s:s, s:s, s:s, s:[s], s:[s], s:[s], s:b}", "issuer", self->issuer,
                         "authorization_endpoint", url[0], "token_endpoint", url[1], "jwks_uri",
                         url[2], "response_types_supported", "code", "subject_types_supported",
                         "public", "id_token_signing_alg_values_supported", "RS256",
                         "authorization_response_iss_parameter_supported", 1);
    merge(metadata, self->bend.metadata);
    return metadata;
}

static json_t *key_set_of(const struct identity_provider *self)
{
    json_t *keys = json_array();

    for (int i = 0; i < KEYS; i++)
        json_array_append_new(keys, jose_jwk(self->keys[i]));
    return self->bend.keys ? (json_decref(keys), json_incref(self->bend.keys))
                           : json_pack("{s:o}", "keys", keys);
}

/* ---- the authorization endpoint ---- */

static const char *argument(struct MHD_Connection *connection, const char *name)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);

    return value ? value : "";
}

static bool is_right_request(const struct identity_provider *self,
                             struct MHD_Connection *connection)
{
    return strcmp(argument(connection, "response_type"), "code") == 0 &&
           strcmp(argument(connection, "client_id"), self->client_id) == 0 &&
           strstr(argument(connection, "scope"), "openid") &&
           strcmp(argument(connection, "code_challenge_method"), "S256") == 0 &&
           strlen(argument(connection, "code_challenge")) == 43 &&
           *argument(connection, "redirect_uri");
}

static struct grant *grant_new(struct identity_provider *self, struct MHD_Connection *connection)
{
    struct grant *grant = calloc(1, sizeof(*grant));

    random_text(grant->code, sizeof(grant->code), "code-");
    grant->redirect_uri = strdup(argument(connection, "redirect_uri"));
    grant->challenge = strdup(argument(connection, "code_challenge"));
    grant->nonce = strdup(argument(connection, "nonce"));
    grant->wants_auth_time =
        *argument(connection, "max_age") || strstr(argument(connection, "claims"), "auth_time");
    grant->person = json_deep_copy(self->person);
    grant->next = self->grants;
    self->grants = grant;
    return grant;
}

static void grant_free(struct grant *grant)
{
    free(grant->redirect_uri);
    free(grant->challenge);
    free(grant->nonce);
    json_decref(grant->person);
    free(grant);
}

static void add_parameter(char **url, const char *name, const char *value)
{
    char *escaped = curl_easy_escape(NULL, value, 0), *longer = NULL;

    require(asprintf(&longer, "%s%c%s=%s", *url, strchr(*url, '?') ? '&' : '?', name, escaped) > 0,
            "a URL");
    curl_free(escaped);
    free(*url);
    *url = longer;
}

static enum MHD_Result authorize(struct identity_provider *self, struct MHD_Connection *connection)
{
    const char *iss = self->bend.iss ? self->bend.iss : self->issuer;
    const struct grant *grant;
    enum MHD_Result result;
    char *url;

    if (!is_right_request(self, connection))
        return answer_text(connection, STATUS_WRONG, strdup("wrong request"), NULL, NULL);
    grant = grant_new(self, connection);
    url = strdup(grant->redirect_uri);
    add_parameter(&url, "code", grant->code);
    add_parameter(&url, "state", argument(connection, "state"));
    if (*iss)
        add_parameter(&url, "iss", iss);
    result = answer_text(connection, STATUS_FOUND, strdup(""), "Location", url);
    free(url);
    return result;
}

/* ---- the token endpoint ---- */

/* Returns a decoded value of a form or query (caller frees), or NULL. */
static char *form_value(const char *form, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = form; *at; at += strcspn(at, "&"), at += *at == '&') {
        size_t size = strcspn(at, "&#");
        char *raw, *decoded, *value;

        if (size <= length || strncmp(at, name, length) != 0 || at[length] != '=')
            continue;
        raw = strndup(at + length + 1, size - length - 1);
        for (char *each = raw; *each; each++)
            *each = *each == '+' ? ' ' : *each;
        decoded = curl_easy_unescape(NULL, raw, 0, NULL);
        value = strdup(decoded);
        curl_free(decoded);
        free(raw);
        return value;
    }
    return NULL;
}

static bool form_is(const char *form, const char *name, const char *want)
{
    char *value = form_value(form, name);
    bool is = value && strcmp(value, want) == 0;

    free(value);
    return is;
}

/* RFC 6749, section 2.3.1: both parts are form-encoded. */
static bool is_basic_client(const struct identity_provider *self, const char *header)
{
    char text[1024], form[1100], *colon;
    size_t size;

    if (!header || strncmp(header, "Basic ", 6) != 0 ||
        sodium_base642bin((uint8_t *)text, sizeof(text) - 1, header + 6, strlen(header + 6), NULL,
                          &size, NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
        return false;
    text[size] = '\0';
    colon = strchr(text, ':');
    if (!colon)
        return false;
    *colon = '\0';
    snprintf(form, sizeof(form), "id=%s&secret=%s", text, colon + 1);
    return form_is(form, "id", self->client_id) && form_is(form, "secret", self->secret);
}

static bool is_client(const struct identity_provider *self, struct MHD_Connection *connection,
                      const char *form)
{
    const char *header = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");

    if (self->bend.by_post)
        return !header && form_is(form, "client_id", self->client_id) &&
               form_is(form, "client_secret", self->secret);
    return is_basic_client(self, header) && !strstr(form, "client_secret");
}

/* Takes a code out, whose request the form fits; a wrong attempt uses it up. */
static struct grant *take_grant(struct identity_provider *self, const char *form)
{
    struct grant **link = &self->grants, *grant;
    char *verifier = form_value(form, "code_verifier"), *challenge;
    bool fits;

    while (*link && !form_is(form, "code", (*link)->code))
        link = &(*link)->next;
    grant = *link;
    if (!grant || !verifier) {
        free(verifier);
        return NULL;
    }
    *link = grant->next;
    challenge = hash_text(verifier, false, false);
    fits = strcmp(challenge, grant->challenge) == 0 &&
           form_is(form, "redirect_uri", grant->redirect_uri) &&
           form_is(form, "grant_type", "authorization_code");
    free(challenge);
    free(verifier);
    if (fits)
        return grant;
    grant_free(grant);
    return NULL;
}

static json_t *tokens_of(struct identity_provider *self, struct MHD_Connection *connection,
                         const char *form, unsigned *ret_status)
{
    char access_token[48], *token;
    struct grant *grant;
    json_t *answer;

    if (!is_client(self, connection, form)) {
        *ret_status = STATUS_DENIED;
        return json_pack("{s:s}", "error", "invalid_client");
    }
    grant = take_grant(self, form);
    if (!grant) {
        *ret_status = STATUS_WRONG;
        return json_pack("{s:s}", "error", "invalid_grant");
    }
    random_text(access_token, sizeof(access_token), "access-");
    token = id_token(self, grant, access_token);
    answer = json_pack("{s:s, s:s, s:s, s:i}", "id_token", token, "access_token", access_token,
                       "token_type", "Bearer", "expires_in", TOKEN_LIFE_S);
    merge(answer, self->bend.answer);
    free(token);
    grant_free(grant);
    return answer;
}

/* ---- requests ---- */

struct incoming {
    size_t size;
    char body[BODY_MAX + 1];
};

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static enum identity_trouble trouble_at(struct identity_provider *self,
                                        enum identity_endpoint endpoint, bool *ret_stopping)
{
    enum identity_trouble trouble;

    pthread_mutex_lock(&self->lock);
    trouble = self->bend.trouble[endpoint];
    *ret_stopping = self->stopping;
    pthread_mutex_unlock(&self->lock);
    return trouble;
}

/* Waits as the endpoint's trouble says. False: the connection is cut. */
static bool pass_trouble(struct identity_provider *self, enum identity_endpoint endpoint)
{
    bool stopping;

    if (trouble_at(self, endpoint, &stopping) == IDENTITY_SLOW)
        sleep_ms(SLOW_MS);
    while (trouble_at(self, endpoint, &stopping) == IDENTITY_SILENT && !stopping)
        sleep_ms(POLL_MS);
    return trouble_at(self, endpoint, &stopping) != IDENTITY_CUT && !stopping;
}

static enum MHD_Result answer_json(struct identity_provider *self,
                                   struct MHD_Connection *connection,
                                   enum identity_endpoint endpoint, unsigned status, json_t *json)
{
    char *text;

    if (self->bend.trouble[endpoint] == IDENTITY_HUGE) {
        char *filler = malloc(HUGE_SIZE + 1);

        memset(filler, 'x', HUGE_SIZE);
        filler[HUGE_SIZE] = '\0';
        json_object_set_new(json, "filler", json_string(filler));
        free(filler);
    }
    text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return answer_text(connection, status, text, "Cache-Control", self->bend.cache_control);
}

static enum MHD_Result answer(struct identity_provider *self, struct MHD_Connection *connection,
                              enum identity_endpoint endpoint, const char *form)
{
    unsigned status = STATUS_OK;
    json_t *json;

    if (endpoint == IDENTITY_AUTHORIZE)
        return authorize(self, connection);
    json = endpoint == IDENTITY_DISCOVERY ? discovery_of(self)
           : endpoint == IDENTITY_KEYS    ? key_set_of(self)
                                          : tokens_of(self, connection, form, &status);
    return answer_json(self, connection, endpoint, status, json);
}

/* Answers as the trouble says, under the lock. moved: the target of IDENTITY_REDIRECT. */
static enum MHD_Result answer_or_fail(struct identity_provider *self,
                                      struct MHD_Connection *connection,
                                      enum identity_endpoint endpoint, const char *path, bool moved,
                                      const char *form)
{
    char target[160];

    snprintf(target, sizeof(target), "%s/moved%s", self->issuer, path);
    switch (self->bend.trouble[endpoint]) {
    case IDENTITY_FAILS:
        return answer_text(connection, STATUS_FAILED, strdup("{}"), NULL, NULL);
    case IDENTITY_GARBAGE:
        return answer_text(connection, STATUS_OK, strdup("<html>"), NULL, NULL);
    case IDENTITY_REDIRECT:
        if (!moved)
            return answer_text(connection, STATUS_FOUND, strdup(""), "Location", target);
        break;
    default:
        break;
    }
    return answer(self, connection, endpoint, form);
}

static bool find_endpoint(const char *path, enum identity_endpoint *ret)
{
    static const char *const paths[IDENTITY_ENDPOINTS] = {"/.well-known/openid-configuration",
                                                          "/keys", "/authorize", "/token"};

    for (int i = 0; i < IDENTITY_ENDPOINTS; i++)
        if (strcmp(path, paths[i]) == 0) {
            *ret = (enum identity_endpoint)i;
            return true;
        }
    return false;
}

static enum MHD_Result take_body(struct incoming *incoming, const char *bytes, size_t *size)
{
    if (incoming->size + *size > BODY_MAX)
        return MHD_NO;
    memcpy(incoming->body + incoming->size, bytes, *size);
    incoming->size += *size;
    *size = 0;
    return MHD_YES;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
                                  const char *method UNUSED, const char *version UNUSED,
                                  const char *bytes, size_t *size, void **state)
{
    struct identity_provider *self = arg;
    bool moved = strncmp(url, "/moved", 6) == 0;
    const char *path = moved ? url + 6 : url;
    enum identity_endpoint endpoint;
    enum MHD_Result result;

    if (!*state) {
        *state = calloc(1, sizeof(struct incoming));
        return MHD_YES;
    }
    if (*size > 0)
        return take_body(*state, bytes, size);
    if (!find_endpoint(path, &endpoint))
        return answer_text(connection, STATUS_NONE, strdup("{}"), NULL, NULL);
    self->counts[endpoint]++;
    if (!pass_trouble(self, endpoint))
        return MHD_NO;
    pthread_mutex_lock(&self->lock);
    result =
        answer_or_fail(self, connection, endpoint, path, moved, ((struct incoming *)*state)->body);
    pthread_mutex_unlock(&self->lock);
    return result;
}

static void on_end(void *arg UNUSED, struct MHD_Connection *connection UNUSED, void **state,
                   enum MHD_RequestTerminationCode code UNUSED)
{
    free(*state);
}

/* ---- for the test ---- */

struct identity_provider *identity_provider_start(const struct unit_dir *dir, const char *client_id,
                                                  const char *secret)
{
    struct identity_provider *self = calloc(1, sizeof(*self));
    int port, socket = unit_listen(64, &port);

    pthread_mutex_init(&self->lock, NULL);
    snprintf(self->issuer, sizeof(self->issuer), "https://127.0.0.1:%d", port);
    snprintf(self->ca_file, sizeof(self->ca_file), "%s/cert.pem", dir->path);
    self->client_id = strdup(client_id);
    self->secret = strdup(secret);
    self->tls_key = strdup(unit_dir_read(dir, "key.pem"));
    self->tls_certificate = strdup(unit_dir_read(dir, "cert.pem"));
    self->person = json_pack("{s:s}", "sub", "person-1");
    make_keys(self);
    self->unpublished = jose_new("ES256", "ES256-1");
    self->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_TLS, 0, NULL,
        NULL, on_request, self, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_HTTPS_MEM_KEY,
        self->tls_key, MHD_OPTION_HTTPS_MEM_CERT, self->tls_certificate,
        MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_END);
    require(self->daemon, "starting");
    return self;
}

static void bend_clear(struct identity_bend *bend)
{
    json_decref(bend->metadata);
    json_decref(bend->keys);
    json_decref(bend->header);
    json_decref(bend->claims);
    json_decref(bend->answer);
    *bend = (struct identity_bend){.alg = NULL};
}

void identity_provider_stop(struct identity_provider **self_p)
{
    struct identity_provider *self = *self_p;

    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    self->stopping = true;
    pthread_mutex_unlock(&self->lock);
    MHD_stop_daemon(self->daemon);
    while (self->grants) {
        struct grant *grant = self->grants;

        self->grants = grant->next;
        grant_free(grant);
    }
    for (int i = 0; i < KEYS; i++)
        jose_destroy(&self->keys[i]);
    jose_destroy(&self->unpublished);
    bend_clear(&self->bend);
    json_decref(self->person);
    free(self->client_id);
    free(self->secret);
    free(self->tls_key);
    free(self->tls_certificate);
    pthread_mutex_destroy(&self->lock);
    free(self);
    *self_p = NULL;
}

const char *identity_provider_issuer(const struct identity_provider *self)
{
    return self->issuer;
}

void identity_provider_person(struct identity_provider *self, json_t *claims)
{
    pthread_mutex_lock(&self->lock);
    json_decref(self->person);
    self->person = claims;
    pthread_mutex_unlock(&self->lock);
}

void identity_provider_bend(struct identity_provider *self, const struct identity_bend *bend)
{
    pthread_mutex_lock(&self->lock);
    bend_clear(&self->bend);
    if (bend)
        self->bend = *bend;
    pthread_mutex_unlock(&self->lock);
}

void identity_provider_rotate(struct identity_provider *self)
{
    pthread_mutex_lock(&self->lock);
    make_keys(self);
    pthread_mutex_unlock(&self->lock);
}

static size_t ignore(char *bytes UNUSED, size_t one, size_t size, void *arg UNUSED)
{
    return one * size;
}

char *identity_provider_visit(struct identity_provider *self, const char *authorize_url)
{
    CURL *easy = curl_easy_init();
    const char *target = NULL;
    char *url = NULL;

    curl_easy_setopt(easy, CURLOPT_URL, authorize_url);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_CAINFO, self->ca_file);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
    if (curl_easy_perform(easy) == CURLE_OK &&
        curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &target) == CURLE_OK && target)
        url = strdup(target);
    curl_easy_cleanup(easy);
    return url;
}

char *identity_provider_parameter(const char *url, const char *name)
{
    const char *query = strchr(url, '?');

    return query ? form_value(query + 1, name) : NULL;
}

char *identity_provider_logout_token(struct identity_provider *self, json_t *claims)
{
    char jti[48], *token;
    json_t *all;
    json_int_t now;

    random_text(jti, sizeof(jti), "jti-");
    pthread_mutex_lock(&self->lock);
    now = now_s(self);
    all = json_pack("{s:s, s:s, s:I, s:I, s:s, s:O, s:{s:{}}}", "iss", self->issuer, "aud",
                    self->client_id, "iat", now, "exp", now + 120, "jti", jti, "sub",
                    json_object_get(self->person, "sub"), "events",
                    "http://schemas.openid.net/event/backchannel-logout");
    merge(all, claims);
    token = sign(self, all);
    pthread_mutex_unlock(&self->lock);
    json_decref(claims);
    return token;
}

long identity_provider_count(const struct identity_provider *self, enum identity_endpoint endpoint)
{
    return self->counts[endpoint];
}
