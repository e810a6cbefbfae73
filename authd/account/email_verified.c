/*
 * email_verified.c - see email_verified.h.
 */
#include "authd/account/email_verified.h"

#include <stdlib.h>
#include <string.h>

#include "authd/account/app_url.h"
#include "authd/account/credential.h"
#include "authd/session/session.h"
#include "authd/sql/account.h"
#include "authd/sql/credential.h"
#include "authd/sql/oauth.h"
#include "authd/sql/passkey.h"
#include "authd/tenant.h"
#include "common/base/cache.h"
#include "common/service/audit.h"
#include "settingsd/policy_api.h"
#include "settingsd/tenant_api.h"

/* ---- leftovers of another person ---- */

static struct sql_audit claim_audit(const struct request *req, const struct credential_owner *owner,
                                    const char *action, const char *detail)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = owner->tenant.projectId,
                                          .account = owner->account,
                                          .type = "Account",
                                          .id = owner->account,
                                          .detail = detail});
}

static int drop_passkeys(struct db_tx *tx, const struct request *req,
                         const struct credential_owner *owner, int64_t since, const char *detail,
                         struct error *err)
{
    const struct sql_passkey_reset_in reset = {.account = owner->account,
                                               .since = since,
                                               .audit = claim_audit(req, owner, "passkey.reset",
                                                                    detail)};

    return MIN(sql_passkey_reset(tx, req, &reset, err), 0);
}

int email_drop_leftovers(struct db_tx *tx, const struct request *req,
                         struct credential_owner *owner, int64_t factor_since, int64_t since,
                         const char *detail, struct error *err)
{
    const struct sql_deletion_abort_in deletion = {
        .account = owner->account, .audit = claim_audit(req, owner, "deletion.abort", detail)};
    const struct sql_factor_reset_in factor = {.account = owner->account,
                                               .since = factor_since,
                                               .audit =
                                                   claim_audit(req, owner, "mfa.reset", detail)};
    const struct sql_oauth_consent_reset_in consents = {
        .account = owner->account,
        .since = since,
        .now = req->now_ms,
        .audit = claim_audit(req, owner, "consent.reset", detail)};
    int aborted = sql_deletion_abort(tx, req, &deletion, err);

    if (aborted < 0 || sql_factor_reset(tx, req, &factor, err) < 0 ||
        drop_passkeys(tx, req, owner, since, detail, err) < 0 ||
        sql_oauth_consent_reset(tx, req, &consents, err) < 0)
        return -1;
    owner->revived = aborted > 0;
    return 0;
}

/* ---- claims ---- */

static int drop_unproven(struct db_tx *tx, const struct request *req,
                         struct credential_owner *owner, struct error *err)
{
    const struct sql_email_undo_delete_in undo = {.account = owner->account, .since = 0};
    int64_t factor_since = req->now_ms - EMAIL_CLAIM_FACTOR_AGE;

    return sql_email_undo_delete(tx, req, &undo, err) < 0
               ? -1
               : email_drop_leftovers(tx, req, owner, factor_since, 0, "claimed", err);
}

static const char *const claim_details[] = {[EMAIL_BY_LINK] = "link",
                                            [EMAIL_BY_INVITATION] = "invitation",
                                            [EMAIL_BY_CODE] = "mail-code",
                                            [EMAIL_BY_PROVIDER] = "provider"};

/* Returns 1 for a new verification, after removing what another person may have left, otherwise
 * 0. */
static int verify(struct db_tx *tx, const struct request *req, struct credential_owner *owner,
                  enum email_claim_by by, struct error *err)
{
    const struct sql_email_claim_in claim = {.account = owner->account,
                                             .organization = owner->organization,
                                             .now = req->now_ms,
                                             .audit = claim_audit(req, owner, "email.verify",
                                                                  claim_details[by])};
    int claimed = sql_email_claim(tx, req, &claim, err);

    if (claimed <= 0)
        return claimed;
    return drop_unproven(tx, req, owner, err) < 0 ? -1 : 1;
}

int email_claim(struct db_tx *tx, const struct request *req, struct credential_owner *owner,
                enum email_claim_by by, const char *password_hash, struct error *err)
{
    const struct sql_reset_delete_in reset = {.account = owner->account};
    const struct sql_credential_set_in set = {
        .account = owner->account, .password_hash = password_hash, .now = req->now_ms};
    int claimed;

    if (sql_reset_delete(tx, req, &reset, err) < 0)
        return -1;
    claimed = verify(tx, req, owner, by, err);
    if (claimed < 0)
        return -1;
    if (claimed == 0 && (by == EMAIL_BY_CODE || by == EMAIL_BY_PROVIDER))
        return 0;
    /* recent passkeys can be the owner's or a thief's */
    if (claimed == 0 &&
        drop_passkeys(tx, req, owner, req->now_ms - EMAIL_CLAIM_PASSKEY_AGE, "claimed", err) < 0)
        return -1;
    return sql_credential_set(tx, req, &set, err) < 0 ? -1 : 0;
}

/* ---- queries ---- */

bool email_is_required(const struct tenant *tenant)
{
    const struct account_policy *policy = tenant->accountPolicy;

    return (policy ? policy : &account_policy_default)->requireVerifiedEmail;
}

int email_check_sign_in(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct sign_in *who, const struct throttle_keys *keys,
                        struct error *err)
{
    const struct sql_email_is_verified_in in = {.account = who->account,
                                                .organization = tenant_organization(tenant)};
    struct sql_email_is_verified_row row;

    if (!email_is_required(tenant))
        return 0;
    if (sql_email_is_verified(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    if (row.verified)
        return 0;
    if ((keys && throttle_check(d, req, keys, err) < 0) ||
        sign_in_refused(d, req, who, "not-verified", err) < 0)
        return -1;
    return error_set(
        err, ERR_EMAIL_NOT_VERIFIED,
        "The email address is not verified yet. Use the link in the verification email.");
}

int email_refuse_unverified(const struct authd *d, const struct request *req, struct error *err)
{
    const char *page = app_url_own_page(d, req->arena, "reset-password");

    (void)error_set(err, ERR_EMAIL_NOT_VERIFIED,
                    "Verify your email address first. To do so, reset your password on the "
                    "installation's own page.");
    if (page)
        error_member(err, "details.url", page);
    return -1;
}

/* Finds a project's organization, which never changes and so is cached. */
static int find_organization(struct authd *d, const struct request *req, struct uuid project,
                             struct uuid *ret, struct error *err)
{
    struct cache_key key = {0};
    const struct uuid *known;
    struct tenant tenant;
    struct uuid *copy;

    uuid_to_bytes(&project, key.bytes + CACHE_KEY_SIZE / 2);
    known = cache_get(d->organizations, &key);
    if (known) {
        *ret = *known;
        return 0;
    }
    if (tenant_open_id(d, req, project, &tenant, err) < 0)
        return -1;
    *ret = tenant_organization(&tenant);
    if (!uuid_is_set(&tenant.rootId)) /* see tenant_organization() */
        return 0;
    copy = malloc(sizeof(*copy));
    if (!copy)
        log_die("email", "out of memory");
    *copy = *ret;
    cache_put(d->organizations, &key, copy);
    return 0;
}

int email_verified_for_caller(struct authd *d, const struct request *req, const char *organizations,
                              bool *ret, struct error *err)
{
    struct uuid organization;
    bool proven = strcmp(organizations, "{}") != 0;

    /* a patient's account has only one project */
    *ret = proven && (req->caller->role == ROLE_PATIENT || strstr(organizations, UUID_NIL));
    if (*ret || !proven || !uuid_is_set(&req->caller->project))
        return 0;
    if (find_organization(d, req, req->caller->project, &organization, err) < 0)
        return -1;
    *ret = strstr(organizations, organization.text) != NULL;
    return 0;
}
