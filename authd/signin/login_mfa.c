/*
 * login_mfa.c - the second factor of a sign-in: a TOTP code, recovery code or passkey.
 */
#include "authd/credential/factor.h"
#include "authd/passkey/passkey_opens.h"
#include "authd/session/session.h"
#include "authd/signin/login.h"
#include "authd/signin/passkey_factor.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/passkey.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

/* Gives a login its code and commits. The rows of factor and login must be locked. `within`: the
 * login leads only to this project and those below; not set: any. */
static int give_code(struct db_tx **tx_p, const struct request *req, struct uuid login,
                     const char *method, struct uuid within, const char **ret_code,
                     struct error *err)
{
    const char *code = secret_random_text(req->arena, LOGIN_CODE_SIZE);
    uint8_t hash[SECRET_HASH_SIZE];
    struct sql_login_confirm_in confirm = {.id = login,
                                           .code_hash = {hash, sizeof(hash)},
                                           .factor = method,
                                           .within = within,
                                           .expires_at = req->now_ms + LOGIN_LIFE};

    secret_hash(code, hash);
    if (sql_login_confirm(*tx_p, req, &confirm, err) < 0 || db_commit(tx_p, err) < 0)
        return -1;
    *ret_code = code;
    return 0;
}

static int lock_login(struct db_tx *tx, const struct request *req, struct uuid login,
                      struct error *err)
{
    struct sql_login_lock_in lock = {.id = login, .now = req->now_ms};
    int found = sql_login_lock(tx, req, &lock, err);

    if (found < 0)
        return -1;
    return found > 0 ? 0 : candidate_refuse_login(err);
}

/* Checks a passkey; a wrong one counts for the login. */
static int confirm_passkey(struct authd *d, const struct request *req,
                           const struct login_mfa_in *in, const struct candidate *who,
                           const char **ret_code, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_login_count_failure_in failed = {.id = in->loginId};
    struct passkey_proof proof;
    struct tenant tenant;
    const char *wrong;

    if (passkey_factor_check(d, req, in->loginId, who, in->credential, &proof, &tenant, &wrong,
                             err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_login(tx, req, in->loginId, err) < 0)
        return -1;
    if (!wrong) {
        const struct sql_passkey_use_in use = {.id = proof.passkey,
                                               .sign_count = proof.shown.sign_count,
                                               .backed_up = proof.shown.backed_up,
                                               .now = req->now_ms};

        if (sql_require(sql_passkey_use(tx, req, &use, err), err, ERR_BAD_REQUEST,
                        "The passkey was not accepted.") < 0 ||
            give_code(&tx, req, in->loginId, "passkey", passkey_opens_within(&proof.opens),
                      ret_code, err) < 0)
            return -1;
        passkey_proof_report(d, req, &tenant, &proof, who->display);
        return 0;
    }
    if (sql_login_count_failure(tx, req, &failed, err) < 0 || db_commit(&tx, err) < 0 ||
        sign_in_refused(d, req, &who->is, wrong, err) < 0)
        return -1;
    ++*d->count.sign_in_bad;
    return error_set(err, ERR_BAD_REQUEST, "The passkey was not accepted.");
}

/* Checks a code; a wrong one counts for login and account, unless the login no longer waits. */
static int confirm_code(struct authd *d, const struct request *req, const struct login_mfa_in *in,
                        const struct sign_in *who, const char **ret_code, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(factor_wipe) struct factor factor = {.found = false};
    const struct sql_audit failure = sign_in_failure(req, who, "code");
    struct sql_login_count_failure_in wrong = {.id = in->loginId};
    const char *method;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        factor_lock(d, tx, req, who->account, &factor, err) < 0)
        return -1;
    factor.project = who->project;
    if (!factor.enrolled) /* the second factor was disabled meanwhile */
        return candidate_refuse_login(err);
    if (lock_login(tx, req, in->loginId, err) < 0 ||
        factor_consume(d, tx, req, &factor, in->mfaToken, &method, err) < 0)
        return -1;
    if (method)
        return give_code(&tx, req, in->loginId, method, (struct uuid){""}, ret_code, err);
    if (sql_login_count_failure(tx, req, &wrong, err) < 0)
        return -1;
    ++*d->count.sign_in_bad;
    return factor_refuse(&tx, req, &factor, &failure, err);
}

static int confirm(struct authd *d, const struct request *req, const struct login_mfa_in *in,
                   const struct candidate *who, const char **ret_code, struct error *err)
{
    return in->credential ? confirm_passkey(d, req, in, who, ret_code, err)
                          : confirm_code(d, req, in, &who->is, ret_code, err);
}

/* Checks that the request has a code or a passkey. */
static int check_shown(const struct login_mfa_in *in, struct error *err)
{
    return in->credential || in->mfaToken ? 0 : error_problem(err, "mfaToken", "is required");
}

int patient_login_mfa(struct authd *d, const struct request *req, const struct login_mfa_in *in,
                      struct login_step *out, struct error *err)
{
    struct candidate who;

    if (check_shown(in, err) < 0 ||
        candidate_of_login(d, req, ROLE_PATIENT, in->loginId, &who, err) < 0)
        return -1;
    if (who.count == 0)
        return candidate_refuse_login(err);
    out->nextStep = "token";
    return confirm(d, req, in, &who, &out->sessionCode, err);
}

int login_mfa_account(struct authd *d, const struct request *req, const struct login_mfa_in *in,
                      struct login_step *out, struct error *err)
{
    struct candidate who;

    if (check_shown(in, err) < 0 ||
        candidate_of_login(d, req, ROLE_PRACTITIONER, in->loginId, &who, err) < 0)
        return -1;
    if (!uuid_is_set(&who.is.account))
        return candidate_refuse_login(err);
    out->nextStep = "token";
    return confirm(d, req, in, &who, &out->sessionCode, err);
}

/* Checks a practitioner's second factor. The answer includes the tenants to choose from. */
int practitioner_login_mfa(struct authd *d, const struct request *req,
                           const struct login_mfa_in *in, struct login_step *out, struct error *err)
{
    struct field_list tenants;
    struct candidate who;

    if (check_shown(in, err) < 0 ||
        candidate_of_login(d, req, ROLE_PRACTITIONER, in->loginId, &who, err) < 0)
        return -1;
    if (who.count == 0)
        return candidate_refuse_login(err);
    if (login_places(d, req, &who, &tenants, err) < 0)
        return -1;
    if (tenants.count == 0)
        return candidate_refuse_login(err);
    out->nextStep = "token";
    out->tenants = login_choices(req, &who, tenants);
    return confirm(d, req, in, &who, &out->sessionCode, err);
}
