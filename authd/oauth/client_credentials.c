/*
 * client_credentials.c - clients' own tokens (RFC 6749, section 4.4).
 *
 * They have no person, session or refresh token, and never open Atrium's own API. If the client
 * signs, they expire after five minutes (SMART App Launch 2.2, Backend Services).
 */
#include <string.h>

#include "authd/oauth/auth_request.h"
#include "authd/oauth/client.h"
#include "authd/oauth/client_token.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/smart_grant.h"
#include "authd/oauth/token.h"
#include "authd/session/issuer_key.h"
#include "authd/session/smart_scope.h"
#include "authd/settings_cache.h"
#include "authd/sql_part.h"
#include "common/domain/jwt.h"
#include "common/domain/uri.h"

#define SIGNED_LIFE MINUTES(5)

static bool is_personal(const char *scope)
{
    static const char *const personal[] = {"openid", "profile", "email", "fhirUser",
                                           "offline_access"};

    for (size_t i = 0; i < ARRAY_SIZE(personal); i++) {
        if (strcmp(scope, personal[i]) == 0)
            return true;
    }
    return smart_scope_needs_server(scope);
}

static const char *whole_scope(const struct token_call *call)
{
    const struct field_texts *scopes = &call->client->settings->scopes;
    const char *scope = "";

    for (size_t i = 0; i < scopes->count; i++) {
        if (!is_personal(scopes->items[i]))
            scope = arena_printf(call->req->arena, "%s%s%s", scope, *scope ? " " : "",
                                 scopes->items[i]);
    }
    return scope;
}

static int refuse_scope(struct error *err)
{
    return oauth_fail(err, ERR_BAD_REQUEST, "invalid_scope",
                      "The client is not allowed this scope.");
}

/* RFC 6749, section 3.3: the default is the client's scopes, to which `system` scopes are narrowed
 * (SMART App Launch 2.2, Backend Services). */
static int read_scope(const struct token_call *call, const char **ret, struct error *err)
{
    char *copy, *rest = NULL;

    if (!call->in->scope) {
        *ret = whole_scope(call);
        return 0;
    }
    copy = arena_strdup(call->req->arena, call->in->scope);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (is_personal(word))
            return refuse_scope(err);
    }
    *ret = smart_system_scope(call->req->arena, call->client, call->in->scope);
    return *ret ? 0 : refuse_scope(err);
}

/* SMART's backend services don't name their server, so the client's is used. */
static const char *resource_of(const struct token_call *call, const char *scope)
{
    const struct field_texts *audiences = &call->client->settings->audiences;
    bool clinical = word_list_has_prefix(scope, "system/");

    if (call->in->resource || !clinical || audiences->count != 1)
        return call->in->resource;
    return audiences->items[0];
}

/* RFC 8707, section 2. Atrium's API needs a person. */
static int read_audience(const struct token_call *call, const char *scope, const char **ret,
                         struct error *err)
{
    const char *resource = resource_of(call, scope);

    *ret = resource ? resource : call->issuer->url;
    if (!resource || strcmp(resource, call->issuer->url) == 0)
        return 0;
    if (uri_is_below(call->issuer->public_url, resource) ||
        !oauth_client_allows(&call->client->settings->audiences, resource))
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_target",
                          "The client is not allowed tokens for this resource.");
    return 0;
}

static int64_t life_of(const struct oauth_client *client)
{
    return client->settings->authMethod == CLIENT_AUTH_PRIVATE_KEY ? SIGNED_LIFE
                                                                   : ACCESS_TOKEN_LIFE;
}

/* RFC 9068, section 2.2: the subject is the client. */
static json_t *claims_of(const struct token_call *call, const char *scope, const char *audience,
                         const char *id)
{
    int64_t now_s = call->req->now_ms / 1000;
    json_t *claims = json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s}", "iss",
                               call->issuer->url, "sub", call->client->clientId, "aud", audience,
                               "exp", (json_int_t)(now_s + life_of(call->client) / 1000), "iat",
                               (json_int_t)now_s, "jti", id, "client_id", call->client->clientId,
                               "scope", scope, "prj", call->issuer->tenant.projectId.text);

    if (call->proof.jkt)
        json_object_set_new(claims, "cnf", json_pack("{s:s}", "jkt", call->proof.jkt));
    return claims;
}

bool client_token_is_registered(struct arena *arena, const struct issuer *issuer,
                                const struct oauth_client *client, const json_t *claims)
{
    const char *scope = jwt_text(claims, "scope"), *audience = jwt_text(claims, "aud"), *now;

    if (!oauth_client_allows(&client->settings->grantTypes, CLIENT_CREDENTIALS_GRANT) ||
        (strcmp(audience, issuer->url) != 0 &&
         !oauth_client_allows(&client->settings->audiences, audience)))
        return false;
    now = *scope ? smart_system_scope(arena, client, scope) : "";
    return now && word_list_has_all(now, scope);
}

static int record(struct authd *d, const struct token_call *call, struct error *err)
{
    const struct sql_audit row =
        audit_row(call->req, &(struct audit){.action = "client.token",
                                             .project = call->issuer->tenant.projectId,
                                             .type = "ClientApplication",
                                             .detail = call->client->clientId});

    return client_token_record(d, call->req, call->issuer->view, &row, err);
}

static int spend_proof(struct authd *d, const struct token_call *call, struct error *err)
{
    if (call->proof.jkt && settings_view_settle(d, call->req, call->issuer->view, err) < 0)
        return -1;
    return dpop_spend(d, call->req, &call->proof, err);
}

int grant_client_credentials(struct authd *d, const struct token_call *call,
                             struct token_answer *out, struct error *err)
{
    const char *audience, *id = arena_strdup(call->req->arena, uuid_random().text);

    if (read_scope(call, &out->scope, err) < 0 ||
        read_audience(call, out->scope, &audience, err) < 0 || spend_proof(d, call, err) < 0 ||
        record(d, call, err) < 0)
        return -1;
    out->access_token = issuer_sign(d, call->req, JWS_ES256, "at+jwt",
                                    claims_of(call, out->scope, audience, id), err);
    if (!out->access_token)
        return -1;
    out->token_type = call->proof.jkt ? "DPoP" : "Bearer";
    out->expires_in = life_of(call->client) / 1000;
    return 0;
}
