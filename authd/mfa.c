/*
 * mfa.c - an account's second factor in its owner's hands.  Handlers: mfa_status, mfa_enroll,
 * mfa_disable.
 *
 * The secret is made when it is first asked for and stays the same until a code of it was shown;
 * from then on it is never shown again.
 */
#include "authd/credential.h"
#include "authd/factor.h"
#include "authd/qr.h"
#include "authd/session.h"

static int unauthorized(struct error *err)
{
    return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
}

/* ---- status ---- */

struct picture {
    struct arena *arena;
    const char *text, *url;
};

static void draw(void *arg)
{
    struct picture *picture = arg;

    picture->url = qr_data_url(picture->arena, picture->text);
}

static int read_factor(struct authd *d, const struct request *req, struct db_result **ret,
                       struct error *err)
{
    return db_query(d->svc.db, req, SQL_FACTOR_GET, ret, err, DB_UUID(req->caller->account));
}

/* Of many requests at once one makes the secret. */
static int make_factor(struct authd *d, const struct request *req, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sealed sealed = factor_seal_new(d, req, req->caller->account);

    return db_query(d->svc.db, req, SQL_FACTOR_CREATE, &res, err, DB_UUID(req->caller->account),
                    DB_SEALED(sealed), DB_INT(req->now_ms));
}

/* The pending secret of a row of SQL_FACTOR_GET, as a URL and as its picture. */
static int show(struct authd *d, const struct request *req, const struct db_result *res,
                struct mfa_status_out *out, struct error *err)
{
    CLEANUP(factor_wipe) struct factor factor = {.found = true};
    struct field_bytes sealed = db_bytes(res, 0, 1);
    struct picture picture = {.arena = req->arena};

    if (factor_open(d, req, req->caller->account, (struct sealed){sealed.bytes, sealed.size},
                    factor.secret, err) < 0)
        return -1;
    picture.text =
        totp_url(req->arena, factor.secret, req->caller->projectName, db_text(res, 0, 0));
    if (offload_run(d->svc.offload, draw, &picture, req->deadline_mono_ms, err) < 0)
        return -1;
    out->otpauthUrl = picture.text;
    out->qrCodeDataUrl = picture.url;
    return 0;
}

/* Whether the caller has a second factor; if not, what to set one up with. */
int mfa_status(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
               struct mfa_status_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *first = NULL;
    CLEANUP(db_result_destroy) struct db_result *made = NULL;
    const struct db_result *res;

    if (read_factor(d, req, &first, err) < 0)
        return -1;
    res = first;
    if (db_rows(first) > 0 && db_is_null(first, 0, 1)) {
        if (make_factor(d, req, err) < 0 || read_factor(d, req, &made, err) < 0)
            return -1;
        res = made;
    }
    if (db_rows(res) == 0 || db_is_null(res, 0, 1)) /* the account is gone */
        return unauthorized(err);
    out->enrolled = db_bool(res, 0, 2);
    return out->enrolled ? 0 : show(d, req, res, out, err);
}

/* ---- enrolment ---- */

static const char what[] = "Two-step sign-in";

/* Turns the factor on. Fails: BAD_REQUEST, CONFLICT, THROTTLED. */
int mfa_enroll(struct authd *d, const struct request *req, const struct mfa_token_in *in,
               struct mfa_enroll_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(factor_wipe) struct factor factor = {.found = false};
    struct factor_recovery *recovery = arena_alloc(req->arena, sizeof(*recovery));
    struct credential_owner owner;
    const char *method;

    if (credential_owner_find(d, req, &owner, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        factor_lock(d, tx, req, owner.account, &factor, err) < 0)
        return -1;
    if (factor.enrolled)
        return error_set(err, ERR_CONFLICT, "A second factor is already enrolled.");
    if (!factor.found) /* nobody asked for its secret */
        return error_set(err, ERR_BAD_REQUEST, "The code is incorrect.");
    if (factor_take(d, tx, req, &factor, in->token, &method, err) < 0)
        return -1;
    if (method == NULL)
        return factor_refuse(&tx, req, &factor, err);
    factor_recovery_new(d, req, owner.account, recovery);
    if (db_tx_query(tx, SQL_FACTOR_ENROLL, &res, err, DB_UUID(owner.account), DB_INT(req->now_ms),
                    DB_BYTES(recovery->hashes, sizeof(recovery->hashes))) < 0 ||
        credential_changed(d, req, &tx, &owner, what, req->caller->session, err) < 0)
        return -1;
    *out = (struct mfa_enroll_out){true, {recovery->codes, FACTOR_RECOVERY_CODES}};
    return 0;
}

/* Takes the factor away, by a code of it. Fails: BAD_REQUEST, THROTTLED. */
int mfa_disable(struct authd *d, const struct request *req, const struct mfa_token_in *in,
                struct mfa_disable_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(factor_wipe) struct factor factor = {.found = false};
    struct credential_owner owner;
    const char *method;

    if (credential_owner_find(d, req, &owner, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        factor_lock(d, tx, req, owner.account, &factor, err) < 0)
        return -1;
    if (!factor.enrolled)
        return error_set(err, ERR_BAD_REQUEST, "No second factor is enrolled.");
    if (factor_take(d, tx, req, &factor, in->token, &method, err) < 0)
        return -1;
    if (method == NULL)
        return factor_refuse(&tx, req, &factor, err);
    if (db_tx_query(tx, SQL_FACTOR_DISABLE, &res, err, DB_UUID(owner.account)) < 0 ||
        credential_changed(d, req, &tx, &owner, what, req->caller->session, err) < 0)
        return -1;
    out->ok = true;
    return 0;
}
