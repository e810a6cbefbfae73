/*
 * token_revoke.c - token revocation (RFC 7009). Handler: token_revoke.
 *
 * A grant's session ends on every gateway before the answer. A client's own token is recorded until
 * it expires.
 */
#include <string.h>

#include "authd/oauth/client_auth.h"
#include "authd/oauth/oauth_api.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/single_use.h"
#include "authd/oauth/token_state.h"
#include "authd/session/session.h"
#include "authd/sql/oauth.h"
#include "common/domain/endpoint.h"
#include "settingsd/client_api.h"

/* Section 2.1: another client's token stays valid. */
static int refuse(struct error *err)
{
    return oauth_fail(err, ERR_BAD_REQUEST, "invalid_grant",
                      "The token belongs to another client.");
}

static int revoke_grant(struct authd *d, const struct request *req, struct uuid project,
                        struct uuid session, const struct oauth_client *client, struct error *err)
{
    const struct sql_token_session_find_in find = {.project = project, .session = session};
    struct session_end which = {.project = project, .only = session, .reason = "revoked"};
    struct sql_token_session_find_row row;
    int found = sql_token_session_find(d->svc.db, req, &find, &row, err);
    size_t count;

    if (found <= 0)
        return found;
    if (strcmp(row.client_id, client->clientId) != 0)
        return refuse(err);
    which.account = row.account;
    return session_end(d, req, &which, &count, err);
}

static int revoke_state(struct authd *d, const struct request *req, const struct issuer *issuer,
                        const struct token_state *state, const struct oauth_client *client,
                        struct error *err)
{
    bool first;

    if (uuid_is_set(&state->session))
        return revoke_grant(d, req, issuer->tenant.projectId, state->session, client, err);
    if (!state->claims || state->expires_ms <= req->now_ms)
        return 0;
    if (strcmp(state->client_id, client->clientId) != 0)
        return refuse(err);
    return single_use_spend(d, NULL, req, TOKEN_REVOKED, state->client_id, state->id,
                            state->expires_ms, &first, err);
}

/* Section 2.2: answers invalid tokens like revoked ones. */
int token_revoke(struct authd *d, const struct request *req, const struct introspect_in *in,
                 struct endpoint_answer *out, struct error *err)
{
    const struct client_credentials given = CLIENT_CREDENTIALS(in);
    struct oauth_client client;
    struct token_state state;
    struct issuer issuer;
    int result;

    if (issuer_open(d, req, in->tenantCode, in->visit, &issuer, err) < 0 ||
        client_authenticate(d, req, &issuer, &given, &client, err) < 0)
        return -1;
    if (!in->token)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", "token is missing.");
    token_state_read(d, req, &issuer, in->token, &state);
    result = revoke_state(d, req, &issuer, &state, &client, err);
    token_state_clear(&state);
    if (result < 0)
        return -1;
    out->status = 200;
    out->body = "{}"; /* some clients can't parse an empty answer */
    return 0;
}
