/*
 * context.c - what a membership is held to: the gateway adds the project's name and the rules of
 * the policy to a caller's identity, authd asks for the networks that sign-in is allowed from, and
 * whether a policy is one of the project's.
 */
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"

/* Fails: NOT_FOUND (no such project). A policy that the project does not have is absent in the
 * answer. */
int caller_context(struct settingsd *d, const struct request *req,
                   const struct caller_context_in *in, struct caller_context_out *out,
                   struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_CALLER_CONTEXT, &res, err, DB_UUID(in->projectId),
                 DB_UUID(in->policyId)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_NOT_FOUND, "Project not found.");
    db_row(res, 0, &caller_context_out_table, req->arena, out);
    out->accountPolicy = account_policy_column(res, 0, req->arena);
    return 0;
}
