/*
 * passkey_sign_in.c - sign-in with a passkey, which counts as two factors.
 *
 * The start reads no account and writes nothing, so its answer reveals nothing. The passkey must
 * have verified its user.
 */
#include <string.h>

#include "authd/account/email_verified.h"
#include "authd/passkey/passkey_api.h"
#include "authd/passkey/passkey_opens.h"
#include "authd/passkey/passkey_proof.h"
#include "authd/passkey/passkey_start.h"
#include "authd/signin/login.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/passkey.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

enum { REFUSALS_MAX = 100 }; /* per client and window; a clinic is one client */
#define REFUSALS_WINDOW SECONDS(10)

static int check_patient_login(const struct tenant *tenant, enum role role, struct error *err)
{
    if (role == ROLE_PATIENT && !tenant->patientLogin)
        return error_set(err, ERR_FORBIDDEN, "Login is not enabled.");
    return 0; /* a practitioner's setting is checked by the token step */
}

static int start(struct authd *d, const struct request *req, const char *tenant_code,
                 struct passkey_ceremony *ceremony, struct passkey_start_out *out,
                 struct error *err)
{
    struct tenant tenant;

    if (tenant_code && (tenant_open(d, req, tenant_code, &tenant, err) < 0 ||
                        check_patient_login(&tenant, ceremony->role, err) < 0))
        return -1;
    if (tenant_code)
        ceremony->tenant = tenant.projectId;
    if (passkey_rp_find(d, req, tenant_code ? &tenant : NULL, ceremony->role, &ceremony->rp, err) <
        0)
        return -1;
    passkey_start_seal(d, req, ceremony, &out->loginId);
    out->options = passkey_ceremony_options(req->arena, ceremony, (struct field_list){NULL, 0});
    return 0;
}

/* Starts a patient's sign-in. BAD_REQUEST: no application has passkeys. */
int patient_passkey_start(struct authd *d, const struct request *req,
                          const struct patient_passkey_start_in *in, struct passkey_start_out *out,
                          struct error *err)
{
    struct passkey_ceremony ceremony = {
        .role = ROLE_PATIENT, .email = in->email, .code_challenge = in->codeChallenge};

    return start(d, req, in->tenantCode, &ceremony, out, err);
}

/* Starts a practitioner's sign-in; without a tenant, with a passkey of the installation. */
int practitioner_passkey_start(struct authd *d, const struct request *req,
                               const struct practitioner_passkey_start_in *in,
                               struct passkey_start_out *out, struct error *err)
{
    struct passkey_ceremony ceremony = {
        .role = ROLE_PRACTITIONER, .email = in->email, .code_challenge = in->codeChallenge};

    return start(d, req, in->tenantCode, &ceremony, out, err);
}

static int refuse_spent(struct authd *d, const struct request *req, const struct sign_in *who,
                        const char *why, struct error *err)
{
    if (sign_in_refused(d, req, who, why, err) < 0)
        return -1;
    ++*d->count.sign_in_bad;
    return error_set(err, ERR_BAD_REQUEST, "The passkey was not accepted.");
}

/* Records the failure once per challenge. */
static int refuse(struct authd *d, const struct request *req,
                  const struct passkey_ceremony *ceremony, const struct sign_in *who,
                  const char *why, struct error *err)
{
    if (throttle_limit_client(d, req, "passkey refused", req->address, REFUSALS_WINDOW,
                              REFUSALS_MAX, err) < 0 ||
        passkey_start_spend(d, req, ceremony, err) < 0)
        return -1;
    return refuse_spent(d, req, who, why, err);
}

static const char *no_place(const struct candidate *who)
{
    return who->enforced ? "identity-provider" : "not-a-member";
}

/* Uses up the challenge of a right passkey that is valid for nothing now. Keeps the caller's
 * error. */
static int spend(struct authd *d, const struct request *req,
                 const struct passkey_ceremony *ceremony)
{
    struct error ignored;

    error_init(&ignored, req->arena);
    (void)!passkey_start_spend(d, req, ceremony, &ignored);
    return -1;
}

/* Checks that the passkey is valid for the sign-in's tenant. */
static int check_reach(struct authd *d, const struct request *req,
                       const struct passkey_ceremony *ceremony, const struct passkey_proof *proof,
                       const char **ret_wrong, struct error *err)
{
    bool open = true;

    *ret_wrong = NULL;
    if (!proof->has_handle)
        *ret_wrong = "user-handle";
    else if (ceremony->email && strcmp(ceremony->email, proof->email) != 0)
        *ret_wrong = "address";
    else if (uuid_is_set(&proof->account_project) &&
             !uuid_equal(&proof->account_project, &ceremony->tenant))
        *ret_wrong = "not-a-member";
    /* without a tenant, the login is limited to what the passkey opens */
    if (*ret_wrong || !uuid_is_set(&ceremony->tenant))
        return 0;
    if (passkey_opens(d, req, proof->opens, ceremony->tenant, &open, err) < 0)
        return -1;
    if (!open)
        *ret_wrong = "reach";
    return 0;
}

/* Finds the account and passkey. `tenant`: tenant of the ceremony, or NULL. */
static int prove(struct authd *d, const struct request *req, const struct tenant *tenant,
                 const struct passkey_finish_in *in, struct passkey_ceremony *ceremony,
                 struct passkey_proof *proof, struct error *err)
{
    struct sign_in who = {.role = ceremony->role};
    const char *wrong;

    if (passkey_ceremony_find_rp(d, req, tenant, ceremony, err) < 0 ||
        passkey_proof_check(d, req, ceremony, in->credential, proof, &wrong, err) < 0 ||
        (!wrong && check_reach(d, req, ceremony, proof, &wrong, err) < 0))
        return -1;
    who.account = proof->account;
    who.project = ceremony->tenant;
    return wrong ? refuse(d, req, ceremony, &who, wrong, err) : 0;
}

static int give_code(struct authd *d, const struct request *req,
                     const struct passkey_ceremony *ceremony, const struct passkey_proof *proof,
                     const struct candidate *who, struct login_step *out, struct error *err)
{
    const char *code = secret_random_text(req->arena, LOGIN_CODE_SIZE);
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_passkey_sign_in_in in = {.start = ceremony->id,
                                              .start_until = ceremony->until,
                                              .passkey = proof->passkey,
                                              .sign_count = proof->shown.sign_count,
                                              .backed_up = proof->shown.backed_up,
                                              .now = req->now_ms,
                                              .id = uuid_ordered(req->now_ms),
                                              .code_hash = {hash, sizeof(hash)},
                                              .project = ceremony->tenant,
                                              .within = passkey_opens_within(&proof->opens),
                                              .challenge = ceremony->code_challenge,
                                              .expires_at = req->now_ms + LOGIN_LIFE,
                                              .changes = who->changes};
    struct sql_passkey_sign_in_row row;

    secret_hash(code, hash);
    if (sql_passkey_sign_in(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    if (row.spent)
        return passkey_ceremony_invalid(err);
    if (!row.begun)
        return refuse_spent(d, req, &who->is, "credential", err);
    out->nextStep = "token";
    out->sessionCode = code;
    return 0;
}

int patient_passkey_finish(struct authd *d, const struct request *req,
                           const struct passkey_finish_in *in, struct login_step *out,
                           struct error *err)
{
    struct passkey_ceremony ceremony;
    struct passkey_proof proof;
    struct candidate who;
    struct tenant tenant;

    if (passkey_start_open(d, req, ROLE_PATIENT, in->loginId, &ceremony, err) < 0 ||
        tenant_open_id(d, req, ceremony.tenant, &tenant, err) < 0 ||
        check_patient_login(&tenant, ROLE_PATIENT, err) < 0 ||
        prove(d, req, &tenant, in, &ceremony, &proof, err) < 0)
        return -1;
    if (candidate_of_account(d, req, ROLE_PATIENT, proof.account, ceremony.tenant, false, &who,
                             err) < 0)
        return spend(d, req, &ceremony);
    if (!candidate_is_member(&who))
        return refuse(d, req, &ceremony, &who.is, no_place(&who), err);
    if (candidate_check_lock(d, req, &who, NULL, err) < 0 ||
        email_check_sign_in(d, req, &tenant, &who.is, NULL, err) < 0)
        return spend(d, req, &ceremony);
    if (give_code(d, req, &ceremony, &proof, &who, out, err) < 0)
        return -1;
    passkey_proof_report(d, req, &tenant, &proof, who.display);
    return 0;
}

/* Finishes a practitioner's sign-in. The answer includes the tenants to choose from. */
int practitioner_passkey_finish(struct authd *d, const struct request *req,
                                const struct passkey_finish_in *in, struct login_step *out,
                                struct error *err)
{
    struct passkey_ceremony ceremony;
    struct passkey_proof proof;
    struct field_list tenants;
    struct candidate who;

    if (passkey_start_open(d, req, ROLE_PRACTITIONER, in->loginId, &ceremony, err) < 0 ||
        prove(d, req, NULL, in, &ceremony, &proof, err) < 0)
        return -1;
    if (candidate_of_account(d, req, ROLE_PRACTITIONER, proof.account, ceremony.tenant, false, &who,
                             err) < 0 ||
        candidate_check_lock(d, req, &who, NULL, err) < 0 ||
        login_places(d, req, &who, &tenants, err) < 0 ||
        passkey_opens_tenants(d, req, proof.opens, &tenants, err) < 0)
        return spend(d, req, &ceremony);
    if (tenants.count == 0)
        return refuse(d, req, &ceremony, &who.is, no_place(&who), err);
    if (give_code(d, req, &ceremony, &proof, &who, out, err) < 0)
        return -1;
    out->tenants = login_choices(req, &who, tenants);
    passkey_proof_report(d, req, tenants.items, &proof, who.display);
    return 0;
}

/* ---- on a page ---- */

int passkey_finish_account(struct authd *d, const struct request *req,
                           const struct passkey_finish_in *in, struct login_step *out,
                           struct error *err)
{
    static const struct tenant none = {.name = NULL};
    struct passkey_ceremony ceremony;
    struct passkey_proof proof;
    struct candidate who;

    if (passkey_start_open(d, req, ROLE_PRACTITIONER, in->loginId, &ceremony, err) < 0 ||
        prove(d, req, NULL, in, &ceremony, &proof, err) < 0)
        return -1;
    if (candidate_of_account(d, req, ROLE_PRACTITIONER, proof.account, ceremony.tenant, true, &who,
                             err) < 0)
        return spend(d, req, &ceremony);
    if (!passkey_opens_all(&proof.opens))
        return refuse(d, req, &ceremony, &who.is, "reach", err);
    if (give_code(d, req, &ceremony, &proof, &who, out, err) < 0)
        return -1;
    passkey_proof_report(d, req, &none, &proof, who.display);
    return 0;
}

int passkey_start_any(struct authd *d, const struct request *req, const struct tenant *tenant,
                      const char *challenge, struct passkey_start_out *out, struct error *err)
{
    struct passkey_ceremony ceremony = {.tenant = tenant->projectId, .code_challenge = challenge};

    if (passkey_rp_find(d, req, tenant, ceremony.role, &ceremony.rp, err) < 0)
        return -1;
    passkey_start_seal(d, req, &ceremony, &out->loginId);
    out->options = passkey_ceremony_options(req->arena, &ceremony, (struct field_list){NULL, 0});
    return 0;
}

static int is_practitioners(struct authd *d, const struct request *req,
                            const struct passkey_finish_in *in, bool *ret, struct error *err)
{
    struct sql_passkey_get_in get = {.role = ROLE_PRACTITIONER, .now = req->now_ms};
    struct passkey_ceremony ceremony;
    struct sql_passkey_get_row row;
    int found;

    *ret = false;
    if (passkey_start_open(d, req, get.role, in->loginId, &ceremony, err) < 0)
        return -1;
    get.rp_id = ceremony.rp.id;
    if (!passkey_bytes(req->arena, in->credential->id, WEBAUTHN_CREDENTIAL_ID_MAX,
                       &get.credential_id))
        return 0;
    found = sql_passkey_get(d->svc.db, req, &get, &row, err);
    *ret = found > 0;
    return found < 0 ? -1 : 0;
}

int passkey_finish_any(struct authd *d, const struct request *req,
                       const struct passkey_finish_in *in, enum role *ret_role,
                       struct login_step *out, struct error *err)
{
    bool practitioner;

    if (is_practitioners(d, req, in, &practitioner, err) < 0)
        return -1;
    *ret_role = practitioner ? ROLE_PRACTITIONER : ROLE_PATIENT;
    return practitioner ? practitioner_passkey_finish(d, req, in, out, err)
                        : patient_passkey_finish(d, req, in, out, err);
}
