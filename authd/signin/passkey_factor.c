/*
 * passkey_factor.c - see passkey_factor.h.
 */
#include "authd/signin/passkey_factor.h"

#include "authd/passkey/passkey_opens.h"
#include "authd/passkey/passkey_rp.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/passkey.h"
#include "authd/tenant.h"
#include "settingsd/policy_api.h"
#include "settingsd/tenant_api.h"

static const char kind[] = "factor";

/* Starts the check of a passkey. The password was right, so the answer can list the account's
 * passkeys. */
static int start(struct authd *d, const struct request *req, enum role role, struct uuid login,
                 struct passkey_request *out, struct error *err)
{
    struct passkey_ceremony ceremony = {.kind = kind, .role = role, .id = login};
    struct candidate who;
    struct tenant tenant;
    bool settled;

    if (candidate_of_login(d, req, role, login, &who, err) < 0)
        return -1;
    if (!uuid_is_set(&who.is.account))
        return candidate_refuse_login(err);
    settled = uuid_is_set(&who.is.project);
    ceremony.account = who.is.account;
    ceremony.tenant = who.is.project;
    if ((settled && tenant_open_id(d, req, who.is.project, &tenant, err) < 0) ||
        passkey_rp_find(d, req, settled ? &tenant : NULL, role, &ceremony.rp, err) < 0)
        return -1;
    return passkey_ceremony_request(d, req, who.is.account, who.is.project, &ceremony, out, err);
}

int patient_login_mfa_start(struct authd *d, const struct request *req,
                            const struct login_mfa_start_in *in, struct passkey_request *out,
                            struct error *err)
{
    return start(d, req, ROLE_PATIENT, in->loginId, out, err);
}

int practitioner_login_mfa_start(struct authd *d, const struct request *req,
                                 const struct login_mfa_start_in *in, struct passkey_request *out,
                                 struct error *err)
{
    return start(d, req, ROLE_PRACTITIONER, in->loginId, out, err);
}

/* True if the tenant accepts one of these passkeys. */
static int has_accepted(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct sql_passkey_opens_list_rows *rows, bool *ret,
                        struct error *err)
{
    *ret = false;
    for (size_t i = 0; i < rows->count && !*ret; i++)
        if (passkey_opens(d, req, rows->items[i].opens, tenant->projectId, ret, err) < 0)
            return -1;
    return 0;
}

int passkey_factor_demand(struct authd *d, const struct request *req, const struct tenant *tenant,
                          struct candidate *who, struct error *err)
{
    const struct account_policy *policy = tenant->accountPolicy;
    struct sql_passkey_opens_list_in list = {.account = who->is.account,
                                             .project = tenant->projectId};
    struct sql_passkey_opens_list_rows rows;
    struct passkey_rp rp;

    /* as for an admin; whether the person is one is checked below */
    if (who->mfa || !account_policy_requires_mfa(policy, who->is.role, true))
        return 0;
    if (passkey_rp_find(d, req, tenant, who->is.role, &rp, err) < 0) {
        if (err->code != ERR_BAD_REQUEST)
            return -1;
        error_clear(err); /* the account has no passkey for this tenant */
        return 0;
    }
    list.rp_id = rp.id;
    if (sql_passkey_opens_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    if (rows.count == 0 || !account_policy_requires_mfa(policy, who->is.role, rows.items[0].admin))
        return 0;
    return has_accepted(d, req, tenant, &rows, &who->mfa, err);
}

int passkey_factor_check(struct authd *d, const struct request *req, struct uuid login,
                         const struct candidate *who, const struct passkey_credential *credential,
                         struct passkey_proof *ret, struct tenant *ret_tenant,
                         const char **ret_wrong, struct error *err)
{
    struct passkey_ceremony ceremony;
    bool open = true;

    *ret_tenant = (struct tenant){.name = NULL};
    if (passkey_ceremony_spend(d, req, kind, who->is.role, login, &ceremony, err) < 0 ||
        passkey_ceremony_find_rp(d, req, NULL, &ceremony, err) < 0 ||
        (who->count > 0 && tenant_open_id(d, req, who->places[0].project, ret_tenant, err) < 0) ||
        passkey_proof_check(d, req, &ceremony, credential, ret, ret_wrong, err) < 0)
        return -1;
    if (!*ret_wrong && !uuid_equal(&ret->account, &who->is.account))
        *ret_wrong = "credential";
    /* without a tenant, the login is limited to what the passkey opens */
    if (*ret_wrong || !uuid_is_set(&ceremony.tenant))
        return 0;
    if (passkey_opens(d, req, ret->opens, ceremony.tenant, &open, err) < 0)
        return -1;
    if (!open)
        *ret_wrong = "reach";
    return 0;
}
