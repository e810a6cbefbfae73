/*
 * federated_logout.c - takes the logout tokens of identity providers, to which authd is a client
 * (OpenID Connect Back-Channel Logout 1.0, section 2.5). Handler: federated_logout.
 */
#include "authd/federation/federated_api.h"
#include "authd/federation/identity.h"
#include "authd/federation/provider_api.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/single_use.h"
#include "authd/session/session.h"
#include "authd/sql/provider.h"
#include "authd/tenant.h"
#include "common/domain/jwt.h"
#include "settingsd/tenant_api.h"

/* Section 2.8: whatever went wrong. */
static int refuse(struct error *err, const char *text)
{
    error_clear(err);
    return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", text);
}

/* Finds an active provider of this very project: an inherited one has its own address. */
static int find_provider(struct authd *d, const struct request *req,
                         const struct federated_logout_in *in, struct provider *ret,
                         struct error *err)
{
    struct tenant tenant;
    struct uuid id;
    bool found;

    if (tenant_open(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    found = uuid_parse(in->id, &id) == 0;
    if (found && provider_find(d, req, tenant.projectId, id, ret, err) < 0) {
        if (err->code != ERR_NOT_FOUND)
            return -1;
        found = false;
    }
    return found && ret->state == PROVIDER_ACTIVE && uuid_equal(&ret->project, &tenant.projectId)
               ? 0
               : refuse(err, "There is no such identity provider.");
}

static int read_token(struct authd *d, const struct request *req, const struct provider *provider,
                      const char *token, struct logout_claims *ret, struct error *err)
{
    if (!token)
        return refuse(err, "logout_token is missing.");
    if (logout_token_read(d, req, provider, token, ret, err) == 0)
        return 0;
    return err->code == ERR_INTERNAL ? -1 : refuse(err, "logout_token was not accepted.");
}

/* Locks the provider, so that no session code becomes a session meanwhile. */
static int lock_provider(struct db_tx *tx, const struct request *req,
                         const struct provider *provider, struct error *err)
{
    const struct sql_provider_lock_in in = {.project = provider->project, .id = provider->id};
    struct identity_provider row;
    int found = sql_provider_lock(tx, req, &in, &row, err);

    if (found < 0)
        return -1;
    return found > 0 ? 0 : refuse(err, "There is no such identity provider.");
}

/* The token's use and the end of the sessions are one transaction, so a provider can repeat a token
 * that was interrupted, but no other (section 2.6, step 8). */
static int end_sessions(struct authd *d, const struct request *req, const struct provider *provider,
                        const struct logout_claims *claims, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct session_ended ended = {.count = 0};
    bool first;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_provider(tx, req, provider, err) < 0 ||
        single_use_spend(d, tx, req, "logout", provider->id.text, claims->jti,
                         claims->exp_ms + JWT_CLOCK_SKEW_MS, &first, err) < 0)
        return -1;
    if (!first)
        return refuse(err, "logout_token was used already.");
    if (identity_logout(tx, req, provider->id, claims, &ended, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &ended, err);
}

int federated_logout(struct authd *d, const struct request *req,
                     const struct federated_logout_in *in, struct endpoint_answer *out,
                     struct error *err)
{
    struct logout_claims claims;
    struct provider provider;

    if (find_provider(d, req, in, &provider, err) < 0 ||
        read_token(d, req, &provider, in->logout_token, &claims, err) < 0 ||
        end_sessions(d, req, &provider, &claims, err) < 0)
        return -1;
    out->status = 200;
    out->body = "{}";
    return 0;
}
