/*
 * passkey_step_up.c - see passkey_step_up.h.
 */
#include "authd/passkey/passkey_step_up.h"

#include "authd/account/account_api.h"
#include "authd/passkey/passkey_opens.h"
#include "authd/session/account_session.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

static const char kind[] = "step-up";

/* Starts a proof by passkey. BAD_REQUEST: the caller has no passkey here. */
int step_up_start(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                  struct passkey_request *out, struct error *err)
{
    struct passkey_ceremony ceremony = {.kind = kind, .role = req->caller->role};
    bool own = account_session_is(req);
    struct tenant tenant;

    if ((!own && tenant_open_id(d, req, req->caller->project, &tenant, err) < 0) ||
        passkey_rp_find(d, req, own ? NULL : &tenant, req->caller->role, &ceremony.rp, err) < 0)
        return -1;
    return passkey_ceremony_request(d, req, req->caller->account, req->caller->project, &ceremony,
                                    out, err);
}

int passkey_step_up(struct authd *d, const struct request *req, const struct step_up_in *in,
                    struct passkey_proof *ret, const char **ret_wrong, struct error *err)
{
    struct passkey_ceremony ceremony;
    bool open;

    if (passkey_ceremony_spend(d, req, kind, req->caller->role, in->loginId, &ceremony, err) < 0 ||
        passkey_ceremony_find_rp(d, req, NULL, &ceremony, err) < 0 ||
        passkey_proof_check(d, req, &ceremony, in->credential, ret, ret_wrong, err) < 0)
        return -1;
    if (!*ret_wrong && !uuid_equal(&ret->account, &req->caller->account))
        *ret_wrong = "credential";
    if (*ret_wrong)
        return 0;
    if (passkey_opens(d, req, ret->opens, req->caller->project, &open, err) < 0)
        return -1;
    if (!open)
        *ret_wrong = "reach";
    return 0;
}
