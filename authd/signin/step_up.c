/*
 * step_up.c - fresh proofs: POST /auth/step-up, and their check for other daemons (proof_check).
 */
#include "authd/session/step_up_check.h"

#include "authd/account/account_api.h"
#include "authd/account/credential.h"
#include "authd/account/enforced.h"
#include "authd/credential/factor.h"
#include "authd/credential/password.h"
#include "authd/operation_api.h"
#include "authd/passkey/passkey_step_up.h"
#include "authd/session/account_session.h"
#include "authd/signin/federated_proof.h"
#include "authd/sql/credential.h"
#include "authd/sql/passkey.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

static const char action[] = "session.step-up";

/* Like step_up_check(), for another daemon's write. */
int proof_check(struct authd *d, const struct request *req, const struct proof_check_in *in,
                struct nothing *out UNUSED, struct error *err)
{
    return step_up_check_session(d, req, in->projectId, in->sessionId, err);
}

static struct sql_audit step_up_audit(const struct request *req, bool failure, const char *method)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .failure = failure,
                                          .type = "Session",
                                          .id = req->caller->session,
                                          .detail = method});
}

static struct sql_session_prove_in prove_values(const struct request *req, const char *method,
                                                bool factor)
{
    return (struct sql_session_prove_in){.project = req->caller->project,
                                         .session = req->caller->session,
                                         .now = req->now_ms,
                                         .factor = factor,
                                         .audit = step_up_audit(req, false, method)};
}

static int factor_is_on(struct authd *d, const struct request *req, bool *ret, struct error *err)
{
    const struct sql_factor_is_on_in in = {.account = req->caller->account};
    struct sql_factor_is_on_row row;

    if (sql_factor_is_on(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    *ret = row.enrolled;
    return 0;
}

static int prove_by_password(struct authd *d, const struct request *req, const char *password,
                             struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    const struct sql_session_prove_in prove = prove_values(req, "password", false);
    struct credential_owner owner;

    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        credential_owner_find(d, req, &owner, err) < 0 ||
        credential_prove(d, req, &owner, password, action, "The password is incorrect.", err) < 0)
        return -1;
    return sql_require(sql_session_prove(d->svc.db, req, &prove, err), err, ERR_UNAUTHORIZED,
                       "Unauthorized");
}

/* Commits a proof by second factor. The session now has one, which all gateways must know. */
static int commit_factor(struct authd *d, const struct request *req, struct db_tx **tx_p,
                         const char *method, struct error *err)
{
    const struct sql_session_prove_in prove = prove_values(req, method, true);
    struct session_ended changed = {.count = 0};

    if (sql_require(sql_session_prove_tx(*tx_p, req, &prove, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    if (!req->caller->secondFactor && !account_session_is(req) &&
        session_ended_membership(*tx_p, req, req->caller->membership, &changed, err) < 0)
        return -1;
    if (db_commit(tx_p, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &changed, err);
}

static int prove_by_factor(struct authd *d, const struct request *req, const char *token,
                           struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(factor_wipe) struct factor factor = {.found = false};
    const struct sql_audit failure = step_up_audit(req, true, "code");
    const char *method;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        factor_lock(d, tx, req, req->caller->account, &factor, err) < 0)
        return -1;
    if (!factor.enrolled)
        return error_set(err, ERR_BAD_REQUEST, "You have no second factor.");
    if (factor_consume(d, tx, req, &factor, token, &method, err) < 0)
        return -1;
    if (!method)
        return factor_refuse(&tx, req, &factor, &failure, err);
    return commit_factor(d, req, &tx, method, err);
}

/* Records the passkey's use with the proof. */
static int prove_by_passkey(struct authd *d, const struct request *req, const struct step_up_in *in,
                            struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_sign_in_refuse_in refuse;
    struct sql_passkey_use_in use;
    struct passkey_proof proof;
    struct tenant tenant;
    const char *wrong;

    if (passkey_step_up(d, req, in, &proof, &wrong, err) < 0)
        return -1;
    if (wrong) {
        refuse.audit = step_up_audit(req, true, wrong);
        return sql_sign_in_refuse(d->svc.db, req, &refuse, err) < 0
                   ? -1
                   : error_set(err, ERR_BAD_REQUEST, "The passkey was not accepted.");
    }
    use = (struct sql_passkey_use_in){.id = proof.passkey,
                                      .sign_count = proof.shown.sign_count,
                                      .backed_up = proof.shown.backed_up,
                                      .now = req->now_ms};
    tenant = (struct tenant){.name = NULL};
    if ((!account_session_is(req) &&
         tenant_open_id(d, req, req->caller->project, &tenant, err) < 0) ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_require(sql_passkey_use(tx, req, &use, err), err, ERR_BAD_REQUEST,
                    "The passkey was not accepted.") < 0 ||
        commit_factor(d, req, &tx, "passkey", err) < 0)
        return -1;
    passkey_proof_report(d, req, &tenant, &proof, req->caller->display);
    return 0;
}

/* Accepts the person who made the session, with a sign-in at the identity provider that is newer
 * than the request (Core 1.0, section 3.1.2.1, max_age). The provider's second factor replaces ours
 * as in a sign-in. */
static int prove_by_provider(struct authd *d, const struct request *req,
                             const struct step_up_in *in, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_session_prove_in prove = prove_values(req, "federated", false);
    struct sql_federated_proof_consume_row proof;
    bool on;

    if (!in->codeVerifier)
        return error_problem(err, "codeVerifier", "is required with sessionCode");
    if (factor_is_on(d, req, &on, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        federated_proof_consume(&tx, req, in->sessionCode, in->codeVerifier, true, &proof, err) < 0)
        return -1;
    if (!proof.same)
        return error_set(err, ERR_BAD_REQUEST,
                         "Another person has signed in at the identity provider.");
    if (on && !proof.two_factors)
        return error_set(err, ERR_BAD_REQUEST,
                         "Enter a code of your second factor: a sign-in at the identity provider "
                         "alone is not enough.");
    return sql_require(sql_session_prove_tx(tx, req, &prove, err), err, ERR_UNAUTHORIZED,
                       "Unauthorized") < 0
               ? -1
               : db_commit(&tx, err);
}

/* Accepts a passkey, a code of an enabled second factor, a sign-in at the identity provider or, if
 * there is no second factor, the password. */
int step_up(struct authd *d, const struct request *req, const struct step_up_in *in,
            struct nothing *out UNUSED, struct error *err)
{
    bool on = false;

    if (enforced_check_proof(d, req, in->password != NULL, err) < 0)
        return -1;
    if (in->credential)
        return prove_by_passkey(d, req, in, err);
    if (in->sessionCode)
        return prove_by_provider(d, req, in, err);
    if (in->mfaToken)
        return prove_by_factor(d, req, in->mfaToken, err);
    if (!in->password)
        return error_problem(err, "password", "is required unless mfaToken is sent");
    if (factor_is_on(d, req, &on, err) < 0)
        return -1;
    if (on)
        return error_set(err, ERR_BAD_REQUEST,
                         "Enter a code of your second factor: a password alone is not enough.");
    return prove_by_password(d, req, in->password, err);
}
