/*
 * email_verified.c - see email_verified.h.
 */
#include "authd/account/email_verified.h"

#include <stdlib.h>
#include <string.h>

#include "authd/tenant.h"
#include "common/base/cache.h"
#include "common/service/audit.h"

#define NIL_UUID "00000000-0000-0000-0000-000000000000"

struct uuid email_organization(const struct tenant *tenant)
{
    if (uuid_is_set(&tenant->rootId))
        return tenant->rootId;
    /* from a settingsd that does not know roots yet */
    return uuid_is_set(&tenant->parentId) ? tenant->parentId : tenant->projectId;
}

/* ---- claims ---- */

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

/* Ends what another person may have left in the account. */
static int drop_leftovers(struct db_tx *tx, const struct request *req,
                          struct credential_owner *owner, enum email_claim_by by, struct error *err)
{
    const struct sql_audit kept = claim_audit(req, owner, "deletion.abort", "claimed");
    const struct sql_audit reset = claim_audit(req, owner, "mfa.reset", "claimed");
    int64_t since = by == EMAIL_BY_INVITATION ? 0 : req->now_ms - EMAIL_CLAIM_FACTOR_AGE;
    CLEANUP(db_result_destroy) struct db_result *revived = NULL;
    CLEANUP(db_result_destroy) struct db_result *factor = NULL;
    CLEANUP(db_result_destroy) struct db_result *undo = NULL;

    if (db_tx_query(tx, SQL_EMAIL_UNDO_LATER, &undo, err, DB_UUID(owner->account), DB_INT(0)) < 0 ||
        db_tx_query(tx, SQL_CLAIM_DELETION, &revived, err, DB_UUID(owner->account),
                    DB_AUDIT(kept)) < 0 ||
        db_tx_query(tx, SQL_CLAIM_FACTOR, &factor, err, DB_UUID(owner->account), DB_INT(since),
                    DB_AUDIT(reset)) < 0)
        return -1;
    owner->revived = db_rows(revived) > 0;
    return 0;
}

int email_claim(struct db_tx *tx, const struct request *req, struct credential_owner *owner,
                enum email_claim_by by, struct error *err)
{
    const struct sql_audit audit =
        claim_audit(req, owner, "email.verify", by == EMAIL_BY_INVITATION ? "invitation" : "link");
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_tx_query(tx, SQL_EMAIL_CLAIM, &res, err, DB_UUID(owner->account),
                    DB_UUID(owner->organization), DB_INT(req->now_ms), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0) /* proven before: what is in the account is its owner's */
        return 0;
    return drop_leftovers(tx, req, owner, by, err);
}

/* ---- asking ---- */

bool email_is_required(const struct tenant *tenant)
{
    const struct account_policy *policy = tenant->accountPolicy;

    return (policy ? policy : &account_policy_default)->requireVerifiedEmail;
}

int email_check_sign_in(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct sign_in *who, const struct throttle_keys *keys,
                        struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (!email_is_required(tenant))
        return 0;
    if (db_query(d->svc.db, req, SQL_EMAIL_IS_VERIFIED, &res, err, DB_UUID(who->account),
                 DB_UUID(email_organization(tenant))) < 0)
        return -1;
    if (db_bool(res, 0, 0))
        return 0;
    if ((keys && throttle_check(d, req, keys, err) < 0) ||
        sign_in_refused(d, req, who, "not-verified", err) < 0)
        return -1;
    return error_set(err, ERR_EMAIL_NOT_VERIFIED, "The e-mail address is not confirmed yet.");
}

/* The organisation of a project never changes: settingsd is asked for it once. */
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
    *ret = email_organization(&tenant);
    if (!uuid_is_set(&tenant.rootId)) /* see email_organization() */
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

    /* a patient's account belongs to one project: whatever proves it, proves it there */
    *ret = proven && (strcmp(req->caller->role, "Patient") == 0 || strstr(organizations, NIL_UUID));
    if (*ret || !proven)
        return 0;
    if (find_organization(d, req, req->caller->project, &organization, err) < 0)
        return -1;
    *ret = strstr(organizations, organization.text) != NULL;
    return 0;
}
