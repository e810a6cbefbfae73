/*
 * relying_party.c - see relying_party.h.
 */
#include "authd/federation/relying_party.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "authd/federation/document.h"
#include "authd/federation/id_token.h"
#include "authd/federation/key_set.h"
#include "common/base/log.h"
#include "common/base/secret.h"
#include "common/domain/uri.h"
#include "common/runtime/curl_loop.h"
#include "common/service/fetch.h"
#include "common/wire/codec.h"

struct token_request {
    struct token_request *next;
    struct uuid project;
};

struct relying_party {
    struct document_cache *discoveries, *keys;
    struct curl_loop *curl;         /* for token requests */
    struct token_request *requests; /* running ones */
};

enum { TOKEN_MS = 5000, TOKEN_SIZE_MAX = 65536, STATUS_OK = 200, STATUS_FAILED = 500 };

/* ---- errors ---- */

/* Sets the person's message, and the reason for the log and the administrator. */
static int fail(const struct request *req, const char *issuer, const char *rule,
                const struct error *why, struct error *err)
{
    bool silent =
        why->code == ERR_UNAVAILABLE || why->code == ERR_DEADLINE || why->code == ERR_OVERLOADED;

    log_event(LOG_NOTICE, "identity provider", silent ? "no answer" : "an answer was refused",
              "trace", req->trace, "issuer", issuer, "rule", rule, "detail", why->detail, NULL);
    error_set(err, silent ? ERR_UNAVAILABLE : ERR_BAD_REQUEST, "%s",
              silent ? "The identity provider can't be reached."
                     : "The identity provider's answer was refused.");
    return error_detail(err, "%s: %s", rule, why->message);
}

/* ---- discovery ---- */

/* Discovery 1.0, section 4.1. */
static const char *metadata_url(struct arena *arena, const char *issuer)
{
    size_t size = strlen(issuer);

    if (size && issuer[size - 1] == '/')
        size--;
    return arena_printf(arena, "%.*s/.well-known/openid-configuration", (int)size, issuer);
}

static int check_endpoints(const json_t *metadata, struct error *err)
{
    static const char *const names[] = {"authorization_endpoint", "token_endpoint", "jwks_uri"};
    char why[96];

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (uri_https_check(jwt_text(metadata, names[i]), why) < 0)
            return error_set(err, ERR_BAD_REQUEST, "%s %s.", names[i], why);
    return 0;
}

/* Section 4.3: a document is only its own issuer's. */
static json_t *read_metadata(struct authd *d UNUSED, const struct request *req, const char *url,
                             const struct fetch_answer *answer, struct error *err)
{
    json_t *metadata = codec_parse_json(answer->body, answer->size, true, err);

    if (!metadata)
        return NULL;
    if (strcmp(metadata_url(req->arena, jwt_text(metadata, "issuer")), url) != 0)
        error_set(err, ERR_BAD_REQUEST, "The document's issuer is %.100s.",
                  jwt_text(metadata, "issuer"));
    else if (check_endpoints(metadata, err) == 0)
        return metadata;
    json_decref(metadata);
    return NULL;
}

static const struct document_kind discovery_kind = {SECONDS(5), read_metadata, NULL};

struct relying_party *relying_party_new(struct authd *d)
{
    struct relying_party *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("identity provider", "out of memory");
    self->discoveries = document_cache_new(d, &discovery_kind);
    self->keys = document_cache_new(d, &provider_key_sets);
    self->curl = curl_loop_new(d->svc.loop);
    return self;
}

void relying_party_destroy(struct relying_party **self_p)
{
    if (!*self_p)
        return;
    document_cache_destroy(&(*self_p)->discoveries);
    document_cache_destroy(&(*self_p)->keys);
    curl_loop_destroy(&(*self_p)->curl);
    free(*self_p);
    *self_p = NULL;
}

static void read_discovery(const json_t *metadata, struct arena *arena, struct discovery *ret)
{
#define TEXT(name) arena_strdup(arena, jwt_text(metadata, name))
    *ret = (struct discovery){.issuer = TEXT("issuer"),
                              .authorization_endpoint = TEXT("authorization_endpoint"),
                              .token_endpoint = TEXT("token_endpoint"),
                              .jwks_uri = TEXT("jwks_uri"),
                              .announces_iss = json_is_true(json_object_get(
                                  metadata, "authorization_response_iss_parameter_supported"))};
#undef TEXT
}

int relying_party_discover(struct authd *d, const struct request *req, const char *issuer,
                           struct discovery *ret, struct error *err)
{
    struct error failure;
    json_t *metadata;

    error_init(&failure, NULL);
    if (document_get(d->relying_party->discoveries, req, metadata_url(req->arena, issuer), "",
                     &metadata, &failure, &failure) < 0 ||
        !metadata)
        return fail(req, issuer, "discovery", &failure, err);
    read_discovery(metadata, req->arena, ret);
    json_decref(metadata);
    if (strcmp(ret->issuer, issuer) == 0)
        return 0;
    error_set(&failure, ERR_BAD_REQUEST, "The document's issuer is %.100s.", ret->issuer);
    return fail(req, issuer, "discovery", &failure, err);
}

int relying_party_reach(struct authd *d, const struct request *req, const char *issuer,
                        struct error *err)
{
    struct discovery discovery;
    json_t *keys = NULL;
    struct error why;

    error_init(&why, NULL);
    if (relying_party_discover(d, req, issuer, &discovery, err) < 0)
        return -1;
    if (document_get(d->relying_party->keys, req, discovery.jwks_uri, "", &keys, &why, &why) == 0 &&
        why.code == ERR_NONE) {
        json_decref(keys);
        return 0;
    }
    json_decref(keys);
    return fail(req, issuer, "keys", &why, err);
}

/* ---- the authorization request ---- */

/* RFC 7636, section 4.2. */
static const char *challenge_of(struct arena *arena, const char *verifier)
{
    uint8_t hash[SECRET_HASH_SIZE];

    secret_hash(verifier, hash);
    return secret_encode(arena, hash, sizeof(hash));
}

/* Asks for a new sign-in and its time (Core 1.0, section 3.1.2.1). Google knows no prompt `login`,
 * and gives auth_time only if asked for it (section 5.5). */
static const char *add_fresh(struct arena *arena, const char *url, const struct provider *provider)
{
    url = uri_add(arena, url, "max_age", "0");
    return strcmp(provider->preset, "google") == 0
               ? uri_add(arena, url, "claims",
                         "{\"id_token\":{\"auth_time\":{\"essential\":true}}}")
               : uri_add(arena, url, "prompt", "login");
}

const char *relying_party_url(struct arena *arena, const struct provider *provider,
                              const struct discovery *discovery,
                              const struct authorization *authorization)
{
    const struct {
        const char *name, *value;
    } parameters[] = {
        {"response_type", "code"},
        {"client_id", provider->client_id},
        {"redirect_uri", authorization->redirect_uri},
        {"scope", provider->scopes},
        {"state", authorization->state},
        {"nonce", authorization->nonce},
        {"code_challenge", challenge_of(arena, authorization->verifier)},
        {"code_challenge_method", "S256"},
        {"login_hint", authorization->login_hint},
        {"acr_values", provider->required_acr},
    };
    const char *url = discovery->authorization_endpoint;

    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
        url = uri_add(arena, url, parameters[i].name, parameters[i].value);
    return authorization->fresh ? add_fresh(arena, url, provider) : url;
}

/* ---- the token request ---- */

struct tokens {
    const char *id, *access; /* access: or NULL */
};

/* RFC 6749, section 2.3.1: both parts are encoded before they are joined. */
static const char *basic_header(struct arena *arena, const struct provider *provider)
{
    const char *pair = arena_printf(arena, "%s:%s", uri_encode(arena, provider->client_id),
                                    uri_encode(arena, provider->secret));
    size_t size = strlen(pair);
    size_t most = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    char *text = arena_alloc(arena, most);

    sodium_bin2base64(text, most, (const uint8_t *)pair, size, sodium_base64_VARIANT_ORIGINAL);
    return arena_printf(arena, "Authorization: Basic %s", text);
}

static const char *token_body(struct arena *arena, const struct provider *provider,
                              const struct authorization *authorization, const char *code)
{
    const char *body =
        arena_printf(arena,
                     "grant_type=authorization_code&code=%s&redirect_uri=%s&code_verifier=%s",
                     uri_encode(arena, code), uri_encode(arena, authorization->redirect_uri),
                     uri_encode(arena, authorization->verifier));

    if (!provider->by_post)
        return body;
    return arena_printf(arena, "%s&client_id=%s&client_secret=%s", body,
                        uri_encode(arena, provider->client_id),
                        uri_encode(arena, provider->secret));
}

/* Returns the error's name if it is one of RFC 6749, section 5.2: other text could hold the code or
 * the secret. */
static const char *error_name(const json_t *answer)
{
    static const char *const names[] = {"invalid_request", "invalid_client",
                                        "invalid_grant",   "unauthorized_client",
                                        "invalid_scope",   "unsupported_grant_type"};
    const char *name = jwt_text(answer, "error");

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(names[i], name) == 0)
            return names[i];
    return "no known error";
}

static int read_tokens(struct arena *arena, const struct fetch_answer *answer, struct tokens *ret,
                       struct error *err)
{
    struct error ignored;
    json_t *body;
    int result = 0;

    error_init(&ignored, NULL);
    body = codec_parse_json(answer->body, answer->size, true, &ignored);
    if (answer->status != STATUS_OK)
        result = error_set(err, answer->status >= STATUS_FAILED ? ERR_UNAVAILABLE : ERR_BAD_REQUEST,
                           "The response has status %ld, %s.", answer->status, error_name(body));
    else if (!*jwt_text(body, "id_token"))
        result = error_set(err, ERR_BAD_REQUEST, "The response has no id_token.");
    else
        *ret = (struct tokens){
            arena_strdup(arena, jwt_text(body, "id_token")),
            arena_strdup(arena, json_string_value(json_object_get(body, "access_token")))};
    json_decref(body);
    return result;
}

/* Limits what a project's slow provider can keep waiting. */
static int begin_request(struct relying_party *self, struct token_request *request,
                         struct error *err)
{
    size_t running = 0;

    for (const struct token_request *each = self->requests; each; each = each->next)
        running += uuid_equal(&each->project, &request->project);
    if (running >= RELYING_PARTY_REQUESTS_MAX)
        return error_set(err, ERR_OVERLOADED, "%zu requests to the project's providers wait.",
                         running);
    request->next = self->requests;
    self->requests = request;
    return 0;
}

static void end_request(struct relying_party *self, const struct token_request *request)
{
    struct token_request **link = &self->requests;

    while (*link != request)
        link = &(*link)->next;
    *link = request->next;
}

static int request_tokens(struct authd *d, const struct request *req,
                          const struct provider *provider, const char *endpoint, const char *body,
                          struct tokens *ret, struct error *err)
{
    const char *const headers[] = {provider->by_post ? NULL : basic_header(req->arena, provider),
                                   NULL};
    const struct fetch what = {.url = endpoint,
                               .body = body,
                               .content_type = "application/x-www-form-urlencoded",
                               .headers = headers,
                               .networks = &d->networks,
                               .ca_file = d->config->client_ca_file,
                               .answer_max = TOKEN_SIZE_MAX,
                               .deadline_mono_ms =
                                   MIN(req->deadline_mono_ms, clock_mono_ms() + TOKEN_MS)};
    struct token_request request = {.project = provider->project};
    struct fetch_answer answer = {.status = 0};
    int result;

    if (begin_request(d->relying_party, &request, err) < 0)
        return -1;
    result = fetch_perform(d->relying_party->curl, req->arena, &what, &answer, err);
    end_request(d->relying_party, &request);
    return result < 0 ? -1 : read_tokens(req->arena, &answer, ret, err);
}

/* ---- the answer ---- */

/* RFC 9207, section 2.4: checked before the code is sent, which could be another provider's. */
static const char *callback_fault(const struct discovery *discovery, const char *iss)
{
    if (!iss)
        return discovery->announces_iss ? "the parameter is absent" : NULL;
    return strcmp(iss, discovery->issuer) == 0 ? NULL : "the parameter is another issuer";
}

/* Fails with the first rule that failed. */
static int conclude(const struct request *req, const struct provider *provider,
                    const struct rule_list *rules, struct error *err)
{
    const struct rule *failed = rule_failed(rules);
    struct error why;

    if (!failed)
        return 0;
    error_init(&why, NULL);
    error_set(&why, ERR_BAD_REQUEST, "%s", failed->detail);
    return fail(req, provider->issuer, failed->name, &why, err);
}

/* Fails because a step got no answer, or a wrong one. */
static int stop(const struct request *req, const struct provider *provider, const char *step,
                const struct error *why, struct rule_list *rules, struct error *err)
{
    rule_add(rules, step, arena_strdup(req->arena, why->message));
    return fail(req, provider->issuer, step, why, err);
}

/* Reads the token and finds its keys, then checks it. */
static int check_token(struct authd *d, const struct request *req,
                       const struct discovery *discovery, struct token_check *self,
                       const char *token, struct jwt *jwt, struct rule_list *rules,
                       struct error *err)
{
    struct error why;
    json_t *keys;

    error_init(&why, NULL);
    if (jwt_read(token, req->arena, jwt) < 0) {
        error_set(&why, ERR_BAD_REQUEST, "The token isn't a signed JWT of at most 8 KiB.");
        return stop(req, self->provider, "token", &why, rules, err);
    }
    if (document_get(d->relying_party->keys, req, discovery->jwks_uri, jwt_text(jwt->header, "kid"),
                     &keys, &why, &why) < 0 ||
        !keys)
        return stop(req, self->provider, "keys", &why, rules, err);
    self->token = jwt;
    self->keys = keys;
    self->arena = req->arena;
    self->now_ms = req->now_ms;
    if (self->authorization)
        id_token_check(self, rules);
    else
        logout_token_check(self, rules);
    json_decref(keys);
    return conclude(req, self->provider, rules, err);
}

static int redeem(struct authd *d, const struct request *req, const struct provider *provider,
                  const struct authorization *authorization, const char *code, const char *iss,
                  struct jwt *ret, struct rule_list *rules, struct error *err)
{
    struct token_check check = {.provider = provider, .authorization = authorization};
    struct discovery discovery;
    struct tokens tokens = {NULL, NULL};
    struct error why;

    if (relying_party_discover(d, req, provider->issuer, &discovery, err) < 0) {
        rule_add(rules, "discovery", arena_strdup(req->arena, err->detail));
        return -1;
    }
    rule_add(rules, "callback iss", callback_fault(&discovery, iss));
    if (rule_failed(rules))
        return conclude(req, provider, rules, err);
    error_init(&why, NULL);
    if (request_tokens(d, req, provider, discovery.token_endpoint,
                       token_body(req->arena, provider, authorization, code), &tokens, &why) < 0)
        return stop(req, provider, "token request", &why, rules, err);
    rule_add(rules, "token request", NULL);
    check.access_token = tokens.access;
    return check_token(d, req, &discovery, &check, tokens.id, ret, rules, err);
}

int relying_party_redeem(struct authd *d, const struct request *req,
                         const struct provider *provider, const struct authorization *authorization,
                         const char *code, const char *iss, struct id_claims *ret,
                         struct field_list *ret_rules, struct error *err)
{
    struct rule_list *rules = arena_alloc(req->arena, sizeof(*rules));
    struct jwt token = {.claims = NULL};
    int result = redeem(d, req, provider, authorization, code, iss, &token, rules, err);

    *ret = (struct id_claims){.all = NULL};
    if (token.claims)
        id_claims_read(&token, req->arena, ret);
    jwt_clear(&token);
    if (ret_rules)
        *ret_rules = (struct field_list){rules->items, rules->count};
    return result;
}

int logout_token_read(struct authd *d, const struct request *req, const struct provider *provider,
                      const char *token, struct logout_claims *ret, struct error *err)
{
    struct token_check check = {.provider = provider};
    struct rule_list rules = {.count = 0};
    struct jwt jwt = {.claims = NULL};
    struct discovery discovery;
    int result;

    if (relying_party_discover(d, req, provider->issuer, &discovery, err) < 0)
        return -1;
    result = check_token(d, req, &discovery, &check, token, &jwt, &rules, err);
#define TEXT(name) arena_strdup(req->arena, json_string_value(json_object_get(jwt.claims, name)))
    if (result == 0)
        *ret = (struct logout_claims){TEXT("sub"), TEXT("sid"), TEXT("jti"), jwt_time(&jwt, "exp")};
#undef TEXT
    jwt_clear(&jwt);
    return result;
}
