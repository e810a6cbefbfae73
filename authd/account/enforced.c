/*
 * enforced.c - see enforced.h.
 */
#include "authd/account/enforced.h"

#include "authd/account/ownership.h"
#include "authd/sql/account.h"
#include "authd/tenant.h"

static int get(struct authd *d, const struct request *req, struct uuid project,
               struct sql_enforced_get_in *in, bool *ret, struct error *err)
{
    struct sql_enforced_get_row row = {.enforced = false};

    if (tenant_ancestors(d, req, project, &in->projects, err) < 0 ||
        sql_enforced_get(d->svc.db, req, in, &row, err) < 0)
        return -1;
    *ret = row.enforced;
    return 0;
}

int enforced_check(struct authd *d, const struct request *req, struct uuid project,
                   const struct enforced_person *who, bool *ret, struct error *err)
{
    struct sql_enforced_get_in in = {
        .account = who->account, .role = who->role, .email = who->email};

    return get(d, req, project, &in, ret, err);
}

int enforced_check_all(struct authd *d, const struct request *req, struct uuid account, bool *ret,
                       struct error *err)
{
    const struct enforced_person who = {.account = account};
    struct uuid owner;

    *ret = false;
    if (ownership_lowest(d, req, account, &owner, err) < 0)
        return -1;
    return uuid_is_set(&owner) ? enforced_check(d, req, owner, &who, ret, err) : 0;
}

int enforced_check_proof(struct authd *d, const struct request *req, bool by_password,
                         struct error *err)
{
    struct uuid project = req->caller->project;
    struct sql_enforced_get_in in = {.account = req->caller->account,
                                     .project = project,
                                     .session =
                                         by_password ? (struct uuid){""} : req->caller->session};
    bool enforced;

    if (!uuid_is_set(&project)) /* the installation's account pages */
        return 0;
    if (get(d, req, project, &in, &enforced, err) < 0)
        return -1;
    return enforced ? enforced_refuse(err) : 0;
}

int enforced_refuse(struct error *err)
{
    return error_set(err, ERR_ACCOUNT_MANAGED,
                     "The organization's identity provider manages this account.");
}
