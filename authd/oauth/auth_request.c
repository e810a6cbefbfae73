/*
 * auth_request.c - see auth_request.h.
 */
#include "authd/oauth/auth_request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "authd/oauth/client.h"
#include "authd/oauth/fhir_server.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/person_claims.h"
#include "authd/session/smart_scope.h"
#include "authd/sql/oauth.h"
#include "common/domain/jwt.h"
#include "common/domain/uri.h"
#include "common/wire/codec.h"

enum {
    PUSHED_SECRET_SIZE = 32, /* random bytes */
    HASH_TEXT_SIZE = 43,     /* SHA-256 in base64url (RFC 7636, section 4.2; RFC 7638) */
};

#define PARAMETER(name)                            \
    {                                              \
#name, offsetof(struct authorize_in, name) \
    }

/* The parameters that are stored. */
static const struct {
    const char *name;
    size_t offset;
} parameters[] = {
    PARAMETER(client_id),     PARAMETER(redirect_uri),   PARAMETER(response_type),
    PARAMETER(response_mode), PARAMETER(scope),          PARAMETER(state),
    PARAMETER(nonce),         PARAMETER(code_challenge), PARAMETER(code_challenge_method),
    PARAMETER(prompt),        PARAMETER(max_age),        PARAMETER(login_hint),
    PARAMETER(ui_locales),    PARAMETER(acr_values),     PARAMETER(claims),
    PARAMETER(id_token_hint), PARAMETER(resource),       PARAMETER(aud),
    PARAMETER(launch),        PARAMETER(dpop_jkt),       PARAMETER(idp_hint),
};

static const char **member(struct authorize_in *in, size_t i)
{
    return (const char **)((char *)in + parameters[i].offset);
}

static int refuse(struct error *err, const char *word, const char *text)
{
    return oauth_fail(err, ERR_BAD_REQUEST, word, text);
}

static int invalid(struct error *err, const char *text)
{
    return refuse(err, "invalid_request", text);
}

/* ---- JSON ---- */

static json_t *parameters_json(const struct auth_request *self)
{
    struct authorize_in in = self->in;
    json_t *json = json_object();

    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
        if (*member(&in, i))
            json_object_set_new(json, parameters[i].name, json_string(*member(&in, i)));
    return json;
}

static void parameters_read(struct arena *arena, const json_t *json, struct auth_request *ret)
{
    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++) {
        const char *value = json_string_value(json_object_get(json, parameters[i].name));

        *member(&ret->in, i) = value ? arena_strdup(arena, value) : NULL;
    }
}

static const char *text_of(struct arena *arena, const json_t *json, const char *name)
{
    const char *value = json_string_value(json_object_get(json, name));

    return arena_strdup(arena, value ? value : "");
}

bool auth_request_signed_in_anew(const struct auth_request *self, struct uuid session,
                                 int64_t created_at, int64_t now_ms)
{
    return self->sent_at && uuid_is_set(&session) && strcmp(self->session, session.text) != 0 &&
           created_at > now_ms - CONTINUATION_LIFE &&
           created_at > self->sent_at - JWT_CLOCK_SKEW_MS; /* clocks of two instances differ */
}

/* ---- sealing ---- */

static const char *purpose(struct arena *arena, struct uuid project)
{
    return arena_printf(arena, "authorization request %s", project.text);
}

const char *auth_request_seal(struct authd *d, const struct request *req, struct uuid project,
                              const struct auth_request *self)
{
    json_auto_t *json =
        json_pack("{s:o, s:I, s:I, s:s, s:s, s:b}", "request", parameters_json(self), "until",
                  (json_int_t)(req->now_ms + CONTINUATION_LIFE), "sent", (json_int_t)self->sent_at,
                  "session", self->session ? self->session : "", "consented",
                  self->consented ? self->consented : "", "denied", self->denied);
    const char *plain;
    struct sealed sealed;

    if (self->pushed)
        json_object_set_new(json, "pushed", json_string(self->pushed));
    if (self->to_device)
        json_object_set_new(json, "device", json_true());
    plain = codec_dump_json(req->arena, json);
    if (strlen(plain) > AUTH_REQUEST_MAX)
        return NULL;
    sealed =
        seal_value(req->arena, &d->svc.seal, purpose(req->arena, project), plain, strlen(plain));
    return secret_encode(req->arena, sealed.bytes, sealed.size);
}

int auth_request_unseal(struct authd *d, const struct request *req, struct uuid project,
                        const char *text, struct auth_request *ret)
{
    size_t most = strlen(text), size;
    uint8_t *bytes = arena_alloc(req->arena, most + 1), *plain;
    json_auto_t *json = NULL;
    struct error err;

    error_init(&err, req->arena);
    *ret = (struct auth_request){.max_age_s = -1};
    if (secret_decode(text, bytes, most, &size) < 0 ||
        seal_open(req->arena, &d->svc.seal, purpose(req->arena, project),
                  (struct sealed){bytes, size}, &plain, &size) < 0)
        return -1;
    json = codec_parse_json((const char *)plain, size, true, &err);
    if (!json)
        return -1;
    parameters_read(req->arena, json_object_get(json, "request"), ret);
    ret->sent_at = json_integer_value(json_object_get(json, "sent"));
    ret->session = text_of(req->arena, json, "session");
    ret->consented = json_integer_value(json_object_get(json, "until")) > req->now_ms
                         ? text_of(req->arena, json, "consented")
                         : "";
    ret->denied = json_is_true(json_object_get(json, "denied"));
    ret->to_device = json_is_true(json_object_get(json, "device"));
    if (json_object_get(json, "pushed"))
        ret->pushed = text_of(req->arena, json, "pushed");
    return 0;
}

/* ---- pushed requests ---- */

int auth_request_push(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const struct auth_request *self, const char **ret, struct error *err)
{
    const char *secret = secret_random_text(req->arena, PUSHED_SECRET_SIZE);
    uint8_t hash[SECRET_HASH_SIZE];
    json_auto_t *json = parameters_json(self);
    const struct sql_oauth_pushed_create_in create = {.project = issuer->tenant.projectId,
                                                      .hash = {hash, sizeof(hash)},
                                                      .client_id = self->client.clientId,
                                                      .request = codec_dump_json(req->arena, json),
                                                      .expires_at = req->now_ms + PUSHED_LIFE,
                                                      .keep_until = req->now_ms + PUSHED_LIFE +
                                                                    CONTINUATION_LIFE};

    if (strlen(create.request) > AUTH_REQUEST_MAX)
        return invalid(err, "The request is too long.");
    secret_hash(secret, hash);
    *ret = arena_printf(req->arena, REQUEST_URI_PREFIX "%s", secret);
    return MIN(sql_oauth_pushed_create(d->svc.db, req, &create, err), 0);
}

int auth_request_spend(struct authd *d, const struct request *req, const struct issuer *issuer,
                       const struct auth_request *self, struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_oauth_pushed_spend_in spend = {
        .project = issuer->tenant.projectId, .hash = {hash, sizeof(hash)}, .now = req->now_ms};
    struct sql_oauth_pushed_spend_row row;

    if (!self->pushed)
        return 0;
    secret_hash(self->pushed, hash);
    return MIN(sql_oauth_pushed_spend(d->svc.db, req, &spend, &row, err), 0);
}

static int read_pushed(struct authd *d, const struct request *req, const struct issuer *issuer,
                       const struct authorize_in *in, struct auth_request *ret, struct error *err)
{
    const char *secret = in->request_uri + strlen(REQUEST_URI_PREFIX);
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_oauth_pushed_get_in get = {.project = issuer->tenant.projectId,
                                                .hash = {hash, sizeof(hash)},
                                                .client_id = in->client_id ? in->client_id : "",
                                                .now = req->now_ms};
    struct sql_oauth_pushed_get_row row;
    json_auto_t *json = NULL;
    int found;

    secret_hash(secret, hash);
    found = sql_oauth_pushed_get(d->svc.db, req, &get, &row, err);
    if (found < 0)
        return -1;
    if (found == 0)
        return refuse(err, "invalid_request_uri", "The request is unknown or has expired.");
    json = codec_parse_json(row.request, strlen(row.request), true, err);
    if (!json)
        return -1;
    parameters_read(req->arena, json, ret);
    ret->pushed = arena_strdup(req->arena, secret);
    return 0;
}

int auth_request_read(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const struct authorize_in *in, struct auth_request *ret, struct error *err)
{
    const struct uuid project = issuer->tenant.projectId;

    *ret = (struct auth_request){.in = *in, .max_age_s = -1};
    if (in->next)
        return auth_request_unseal(d, req, project, in->next, ret) == 0
                   ? 0
                   : invalid(err, "The request is unknown.");
    if (in->request_uri &&
        strncmp(in->request_uri, REQUEST_URI_PREFIX, strlen(REQUEST_URI_PREFIX)) == 0)
        return read_pushed(d, req, issuer, in, ret, err);
    return 0;
}

/* ---- client ---- */

int auth_request_find_client(struct authd *d, const struct request *req,
                             const struct issuer *issuer, struct auth_request *self,
                             struct error *err)
{
    const struct oauth_settings *settings;

    if (!self->in.client_id)
        return invalid(err, "client_id is missing.");
    if (oauth_client_find(d, req, issuer->view, &issuer->tenant, self->in.client_id, &self->client,
                          err) < 0)
        return err->code == ERR_NOT_FOUND ? invalid(err, "The client is unknown.") : -1;
    settings = self->client.settings;
    if (!self->in.redirect_uri)
        return invalid(err, "redirect_uri is missing.");
    for (size_t i = 0; i < settings->redirectUris.count; i++)
        if (uri_redirect_matches(settings->redirectUris.items[i], self->in.redirect_uri))
            return 0;
    return invalid(err, "redirect_uri is none that the client has registered.");
}

/* ---- other checks ---- */

static int check_response(const struct auth_request *self, struct error *err)
{
    const struct authorize_in *in = &self->in;

    if (in->request)
        return refuse(err, "request_not_supported", "Request objects are not supported.");
    if (in->request_uri && !self->pushed)
        return refuse(err, "request_uri_not_supported", "This client must push its requests.");
    if (!in->response_type)
        return invalid(err, "response_type is missing.");
    if (strcmp(in->response_type, "code") != 0)
        return refuse(err, "unsupported_response_type", "The response type must be code.");
    if (in->response_mode && strcmp(in->response_mode, "query") != 0)
        return invalid(err, "The response mode must be query.");
    if (!oauth_client_allows(&self->client.settings->grantTypes, "authorization_code"))
        return refuse(err, "unauthorized_client",
                      "The client is not allowed to use this grant type.");
    return 0;
}

static bool is_hash_text(const char *text)
{
    return strlen(text) == HASH_TEXT_SIZE &&
           text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")] ==
               '\0';
}

/* RFC 9449, section 10. */
static int check_key(const struct auth_request *self, struct error *err)
{
    return !self->in.dpop_jkt || is_hash_text(self->in.dpop_jkt)
               ? 0
               : invalid(err, "dpop_jkt is malformed.");
}

/* RFC 7636, section 4.3; RFC 9700, section 2.1.1: required, with exceptions by administrators. */
static int check_challenge(const struct auth_request *self, struct error *err)
{
    const char *challenge = self->in.code_challenge, *method = self->in.code_challenge_method;

    if (!challenge && self->client.settings->pkceOptional && !method)
        return 0;
    if (!challenge)
        return invalid(err, "code_challenge is missing.");
    if (!method || strcmp(method, "S256") != 0)
        return invalid(err, "code_challenge_method must be S256.");
    if (!is_hash_text(challenge))
        return invalid(err, "code_challenge is malformed.");
    return 0;
}

/* True if the client can request the scope `word`. At a FHIR server, the person's rights limit the
 * scopes too (smart_narrow()). Other resources get no such scopes. */
static bool may_ask(const struct auth_request *self, const char *word)
{
    if (strncmp(word, "system/", 7) == 0)
        return false; /* a system scope is for clients without a person */
    if (!self->smart && smart_scope_needs_server(word))
        return false;
    return oauth_client_allows(&self->client.settings->scopes, word) ||
           (self->smart && smart_scope_is_personal(word));
}

/* Drops scopes that the client can't have (RFC 6749, section 3.3). */
static int check_scope(const struct request *req, struct auth_request *self, struct error *err)
{
    char *rest = NULL, *text = arena_strdup(req->arena, self->in.scope ? self->in.scope : "");
    const char *kept = "";

    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (may_ask(self, word) && !word_list_has(kept, word))
            kept = arena_printf(req->arena, "%s%s%s", kept, *kept ? " " : "", word);
    self->scope = kept;
    if (*kept == '\0')
        return refuse(err, "invalid_scope", "The client is not allowed any of these scopes.");
    return 0;
}

/* OpenID Connect Core 1.0, section 3.1.2.1. */
static int check_prompt(const struct request *req, struct auth_request *self, struct error *err)
{
    static const struct {
        const char *word;
        unsigned prompt;
    } rows[] = {{"none", PROMPT_NONE},
                {"login", PROMPT_LOGIN},
                {"select_account", PROMPT_LOGIN},
                {"consent", PROMPT_CONSENT}};
    char *rest = NULL, *text = arena_strdup(req->arena, self->in.prompt ? self->in.prompt : "");

    self->prompt = 0;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        size_t i = 0;

        while (i < ARRAY_SIZE(rows) && strcmp(rows[i].word, word) != 0)
            i++;
        if (i == ARRAY_SIZE(rows))
            return invalid(err, "prompt has an unknown value.");
        self->prompt |= rows[i].prompt;
    }
    if (self->prompt & PROMPT_NONE && self->prompt != PROMPT_NONE)
        return invalid(err, "prompt none stands alone.");
    return 0;
}

static int check_max_age(struct auth_request *self, struct error *err)
{
    const char *text = self->in.max_age;

    self->max_age_s = -1;
    if (!text)
        return 0;
    if (!isdigit((unsigned char)*text) || strlen(text) > 9 ||
        text[strspn(text, "0123456789")] != '\0')
        return invalid(err, "max_age is no number of seconds.");
    self->max_age_s = strtoll(text, NULL, 10);
    return 0;
}

struct acr_wish {
    bool any, one_factor, two_factors;
};

static void acr_wish_add(struct acr_wish *self, const json_t *value)
{
    const char *text = json_string_value(value);

    self->any = true;
    self->one_factor |= text && strcmp(text, ACR_ONE_FACTOR) == 0;
    self->two_factors |= text && strcmp(text, ACR_TWO_FACTORS) == 0;
}

static struct acr_wish acr_wish_of(const json_t *acr)
{
    const json_t *value = json_object_get(acr, "value"), *each;
    struct acr_wish wish = {.any = false};
    size_t i;

    if (value)
        acr_wish_add(&wish, value);
    json_array_foreach(json_object_get(acr, "values"), i, each)
    {
        acr_wish_add(&wish, each);
    }
    return wish;
}

/* An essential acr must be met; an unknown one can't be (OpenID Connect Core 1.0, section 5.5.1.1).
 * The ID token contains a value that the request named, even if two factors exceed it. */
static int check_acr(struct auth_request *self, const json_t *acr, struct error *err)
{
    const struct acr_wish wish = acr_wish_of(acr);

    if (!json_is_true(json_object_get(acr, "essential")))
        return 0;
    if (wish.any && !wish.one_factor && !wish.two_factors)
        return refuse(err, "unmet_authentication_requirements",
                      "None of the acr values is supported.");
    self->two_factors = wish.two_factors && !wish.one_factor;
    self->id_acr = wish.one_factor && !wish.two_factors ? ACR_ONE_FACTOR : NULL;
    return 0;
}

/* OpenID Connect Core 1.0, section 3.1.2.1: acr_values are in order of preference. */
static bool prefers_two_factors(const struct request *req, const char *acr_values)
{
    char *rest = NULL, *text = arena_strdup(req->arena, acr_values ? acr_values : "");

    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, ACR_ONE_FACTOR) == 0)
            return false;
        if (strcmp(word, ACR_TWO_FACTORS) == 0)
            return true;
    }
    return false;
}

static const char *subject_add(struct arena *arena, const char *list, const json_t *value)
{
    const char *text = json_string_value(value);
    struct uuid id;

    if (!text || uuid_parse(text, &id) < 0)
        return list;
    return arena_printf(arena, "%s%s%s", list, *list ? " " : "", text);
}

/* OpenID Connect Core 1.0, section 5.5.1. NULL: no value. */
static const char *subjects_of(struct arena *arena, const json_t *sub)
{
    const json_t *value = json_object_get(sub, "value"), *values = json_object_get(sub, "values");
    const json_t *each;
    const char *list = "";
    size_t i;

    if (!value && !values)
        return NULL;
    list = subject_add(arena, list, value);
    json_array_foreach(values, i, each)
    {
        list = subject_add(arena, list, each);
    }
    return list;
}

/* OpenID Connect Core 1.0, section 5.5. */
static int check_claims(const struct request *req, struct auth_request *self, struct error *err)
{
    const char *text = self->in.claims;
    json_auto_t *json = NULL;
    const json_t *id_token;
    struct error wrong;

    error_init(&wrong, req->arena);
    self->two_factors = false;
    self->id_claims = self->id_acr = self->subjects = NULL;
    if (!text)
        return 0;
    json = codec_parse_json(text, strlen(text), true, &wrong);
    if (!json)
        return invalid(err, "claims is no JSON object.");
    id_token = json_object_get(json, "id_token");
    self->id_claims = person_claims_named(req->arena, id_token);
    self->subjects = subjects_of(req->arena, json_object_get(id_token, "sub"));
    return check_acr(self, json_object_get(id_token, "acr"), err);
}

/* RFC 8707, section 2; SMART App Launch calls it aud. */
static int check_resource(const struct issuer *issuer, struct auth_request *self, struct error *err)
{
    const struct oauth_settings *settings = self->client.settings;

    if (self->in.resource && self->in.aud && strcmp(self->in.resource, self->in.aud) != 0)
        return refuse(err, "invalid_target", "aud and resource differ.");
    if (!self->in.resource)
        self->in.resource = self->in.aud;
    if (!self->in.resource ||
        (settings->firstParty && strcmp(self->in.resource, issuer->public_url) == 0))
        return 0;
    if (strcmp(self->in.resource, issuer->public_url) == 0 ||
        !oauth_client_allows(&settings->audiences, self->in.resource))
        return refuse(err, "invalid_target", "The client is not allowed to request this resource.");
    return 0;
}

static int find_server(struct authd *d, const struct request *req, const struct issuer *issuer,
                       struct auth_request *self, struct error *err)
{
    int found;

    self->smart = false;
    if (!self->in.resource)
        return 0;
    found =
        fhir_server_find(d, req, issuer->tenant.projectId, self->in.resource, &self->server, err);
    self->smart = found > 0;
    return MIN(found, 0);
}

int auth_request_check_target(struct authd *d, const struct request *req,
                              const struct issuer *issuer, struct auth_request *self,
                              struct error *err)
{
    if (check_resource(issuer, self, err) < 0 || find_server(d, req, issuer, self, err) < 0)
        return -1;
    return check_scope(req, self, err);
}

int auth_request_check_known(const struct request *req, const struct issuer *issuer,
                             struct auth_request *self, struct error *err)
{
    return check_resource(issuer, self, err) < 0 ? -1 : check_scope(req, self, err);
}

int auth_request_check(struct authd *d, const struct request *req, const struct issuer *issuer,
                       struct auth_request *self, struct error *err)
{
    if (check_response(self, err) < 0 || check_challenge(self, err) < 0 ||
        check_key(self, err) < 0 || auth_request_check_target(d, req, issuer, self, err) < 0 ||
        check_prompt(req, self, err) < 0 || check_max_age(self, err) < 0 ||
        check_claims(req, self, err) < 0)
        return -1;
    self->prefers_two = prefers_two_factors(req, self->in.acr_values);
    return 0;
}

const char *redirect_source(struct arena *arena, const char *redirect_uri)
{
    size_t scheme = uri_scheme_length(redirect_uri);
    struct uri uri;
    bool secure;

    if (!scheme)
        return NULL;
    if (!uri_after_http(redirect_uri, &secure))
        return arena_strndup(arena, redirect_uri, scheme);
    if (!uri_parse(redirect_uri, &uri) || uri.has_user)
        return NULL;
    if (uri.kind == URI_IPV6)
        return arena_strndup(arena, redirect_uri, scheme);
    return arena_strndup(arena, redirect_uri, (size_t)(uri.rest - redirect_uri));
}
