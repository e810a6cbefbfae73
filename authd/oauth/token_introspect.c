/*
 * token_introspect.c - token introspection (RFC 7662). Handler: token_introspect.
 *
 * A client can ask about its own tokens, a resource server (a confidential client with `audiences`)
 * about tokens for it; all others are inactive. A sign-out shows immediately, on every gateway.
 */
#include <string.h>

#include "authd/oauth/client.h"
#include "authd/oauth/client_auth.h"
#include "authd/oauth/grant.h"
#include "authd/oauth/oauth_api.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/single_use.h"
#include "authd/oauth/token.h"
#include "authd/oauth/token_state.h"
#include "authd/oauth/word_list.h"
#include "authd/session/issuer_key.h"
#include "authd/session/refresh_state.h"
#include "authd/settings_cache.h"
#include "authd/sql/oauth.h"
#include "common/domain/endpoint.h"
#include "common/domain/jwt.h"
#include "common/wire/codec.h"
#include "settingsd/client_api.h"

#define SIGNED_TYPE "application/token-introspection+jwt" /* RFC 9701, section 4 */

struct query {
    const struct request *req;
    const struct issuer *issuer;
    const struct oauth_client *client;
    const char *token;
    struct token_state state;
};

static bool is_for_client(const struct query *q)
{
    const char *audience = jwt_text(q->state.claims, "aud");

    return (q->state.client_id && strcmp(q->state.client_id, q->client->clientId) == 0) ||
           oauth_client_allows(&q->client->settings->audiences, audience);
}

static void copy_claims(const json_t *claims, json_t *answer)
{
    static const char *const names[] = {"iss", "sub",       "aud",     "exp",     "iat",
                                        "jti", "client_id", "scope",   "sid",     "auth_time",
                                        "acr", "cnf",       "patient", "fhirUser"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        json_t *value = json_object_get(claims, names[i]);

        if (value)
            json_object_set(answer, names[i], value);
    }
    json_object_set_new(answer, "token_type",
                        json_string(json_object_get(claims, "cnf") ? "DPoP" : "Bearer"));
}

/* Reports if a client's own token is live. It has no session, so it is live if the client could
 * still get it. */
static int own_token_is_live(struct authd *d, const struct query *q, bool *ret, struct error *err)
{
    struct oauth_client client = *q->client;
    bool revoked = true;

    *ret = false;
    if (single_use_is_spent(d, q->req, q->issuer->view, TOKEN_REVOKED, q->state.client_id,
                            q->state.id, &revoked, err) < 0)
        return -1;
    if (revoked)
        return 0;
    if (strcmp(q->state.client_id, client.clientId) == 0 ||
        oauth_client_find(d, q->req, q->issuer->view, &q->issuer->tenant, q->state.client_id,
                          &client, err) == 0) {
        *ret = client_token_is_registered(q->req->arena, q->issuer, &client, q->state.claims);
        return 0;
    }
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return 0;
}

/* RFC 7662, section 2.2: the email address if its scope was granted, otherwise the profile. */
static void set_username(const struct query *q, const struct sql_userinfo_get_row *row,
                         const char *scope, json_t *answer)
{
    bool shows = word_list_has(row->scope, "email") && word_list_has(scope, "email");
    const char *profile =
        arena_printf(q->req->arena, "%s/%s", role_text(row->person.role), row->person.profile.text);

    json_object_set_new(answer, "username", json_string(shows ? row->person.email : profile));
}

static int answer_access(struct authd *d, const struct query *q, json_t *answer, struct error *err)
{
    struct sql_userinfo_get_row row;
    bool own_live = false;
    int live;

    if (q->state.expires_ms <= q->req->now_ms || !is_for_client(q))
        return 0;
    if (uuid_is_set(&q->state.session))
        live = grant_person(d, q->req, q->issuer, q->state.session, &row, err);
    else
        live = own_token_is_live(d, q, &own_live, err) < 0 ? -1 : own_live;
    if (live <= 0)
        return live;
    copy_claims(q->state.claims, answer);
    if (uuid_is_set(&q->state.session))
        set_username(q, &row, jwt_text(q->state.claims, "scope"), answer);
    return 1;
}

static int answer_refresh(struct authd *d, const struct query *q, json_t *answer, struct error *err)
{
    CLEANUP(refresh_token_wipe) struct refresh_token token = {.text = ""};
    struct sql_userinfo_get_row row;
    struct refresh_state state;
    int live;

    if (refresh_token_parse(q->token, &token) < 0)
        return 0;
    if (refresh_state_read(d, q->req, &token, &state, err) < 0)
        return -1;
    if (state.status != REFRESH_CURRENT && state.status != REFRESH_AGAIN)
        return 0;
    live = grant_person(d, q->req, q->issuer, q->state.session, &row, err);
    if (live <= 0 || strcmp(row.client_id, q->client->clientId) != 0)
        return MIN(live, 0);
    json_object_set_new(answer, "iss", json_string(q->issuer->url));
    json_object_set_new(answer, "sub", json_string(row.person.profile.text));
    json_object_set_new(answer, "client_id", json_string(row.client_id));
    json_object_set_new(answer, "scope", json_string(row.scope));
    json_object_set_new(answer, "sid", json_string(q->state.session.text));
    set_username(q, &row, row.scope, answer);
    return 1;
}

/* RFC 7662, section 2.2. */
static json_t *answer_make(struct authd *d, struct query *q, struct error *err)
{
    json_t *answer = json_object();
    int active = 0;

    token_state_read(d, q->req, q->issuer, q->token, &q->state);
    if (q->state.claims)
        active = answer_access(d, q, answer, err);
    else if (q->state.refresh)
        active = answer_refresh(d, q, answer, err);
    token_state_clear(&q->state);
    if (active < 0) {
        json_decref(answer);
        return NULL;
    }
    json_object_set_new(answer, "active", json_boolean(active));
    return answer;
}

/* RFC 9701, section 5: signed for the caller. */
static int sign_answer(struct authd *d, const struct query *q, json_t *answer,
                       struct endpoint_answer *out, struct error *err)
{
    json_t *claims =
        json_pack("{s:s, s:s, s:I, s:o}", "iss", q->issuer->url, "aud", q->client->clientId, "iat",
                  (json_int_t)(q->req->now_ms / 1000), "token_introspection", answer);

    out->contentType = SIGNED_TYPE;
    out->body = issuer_sign(d, q->req, JWS_RS256, "token-introspection+jwt", claims, err);
    return out->body ? 0 : -1;
}

static int introspect(struct authd *d, const struct request *req, struct settings_view *view,
                      const struct introspect_in *in, struct endpoint_answer *out,
                      struct error *err)
{
    const struct client_credentials given = CLIENT_CREDENTIALS(in);
    struct oauth_client client;
    struct issuer issuer;
    struct query q = {.req = req, .issuer = &issuer, .client = &client, .token = in->token};
    json_t *answer;

    if (issuer_open_view(d, req, view, in->tenantCode, in->visit, &issuer, err) < 0 ||
        client_authenticate(d, req, &issuer, &given, &client, err) < 0)
        return -1;
    if (strcmp(client.settings->type, "confidential") != 0)
        return oauth_fail(err, ERR_UNAUTHORIZED, "invalid_client", "The client must authenticate.");
    if (!in->token)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", "token is missing.");
    answer = answer_make(d, &q, err);
    if (!answer)
        return -1;
    out->status = 200;
    if (in->visit->accept && strstr(in->visit->accept, SIGNED_TYPE))
        return sign_answer(d, &q, answer, out, err);
    out->body = codec_dump_json(req->arena, answer);
    json_decref(answer);
    return 0;
}

int token_introspect(struct authd *d, const struct request *req, const struct introspect_in *in,
                     struct endpoint_answer *out, struct error *err)
{
    struct settings_view view = {.change = 0};
    int result;

    do {
        result = introspect(d, req, &view, in, out, err);
    } while (settings_view_again(&view, result, err));
    return result;
}
