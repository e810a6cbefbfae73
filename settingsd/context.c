/*
 * context.c - the limits of a membership. The gateway adds the project's name and the policy's
 * rules to a caller's identity; authd reads the allowed sign-in networks, and checks that a policy
 * is the project's.
 */
#include "settingsd/settingsd.h"
#include "settingsd/sql/project.h"
#include "settingsd/tenant_api.h"

/* Returns the limits of a membership, without a policy that is unknown. */
int caller_context(struct settingsd *d, const struct request *req,
                   const struct caller_context_in *in, struct caller_context_out *out,
                   struct error *err)
{
    const struct sql_caller_context_in which = {.project = in->projectId, .policy = in->policyId};
    struct sql_caller_context_row row;

    if (sql_require(sql_caller_context(d->svc.db, req, &which, &row, err), err, ERR_NOT_FOUND,
                    "Project not found.") < 0)
        return -1;
    *out = *row.context;
    out->accountPolicy = account_policy_from_json(req->arena, row.account_policy);
    return 0;
}
