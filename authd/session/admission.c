/*
 * admission.c - see admission.h.
 */
#include "authd/session/admission.h"

#include "authd/session/address_key.h"
#include "authd/session/admission_cache.h"
#include "authd/session/session.h"
#include "authd/sql/signin.h"
#include "common/domain/policy.h"
#include "common/service/audit.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

bool admission_is_admin(enum role role, bool admin)
{
    return admin && role == ROLE_PRACTITIONER;
}

static int refuse(struct authd *d, const struct request *req, const struct admission *who,
                  struct error *err)
{
    struct sql_sign_in_refuse_in in;
    const struct audit audit = {.action = who->action,
                                .failure = true,
                                .project = who->project,
                                .account = who->account,
                                .role = who->role,
                                .type = "Session",
                                .id = who->session,
                                .detail = "address"};

    error_clear(err);
    address_key_load(d, req, who->account);
    in.audit = audit_row(req, &audit);
    if (sql_sign_in_refuse(d->svc.db, req, &in, err) < 0)
        return -1;
    return error_set(err, ERR_FORBIDDEN, "Sign-in is not allowed from this address.");
}

/* Like candidate_check_lock(), for a project chosen later. */
static int refuse_locked(struct authd *d, const struct request *req, const struct admission *who,
                         struct error *err)
{
    const struct sign_in is = {.project = who->project, .account = who->account, .role = who->role};

    if (sign_in_refused(d, req, &is, "locked", err) < 0)
        return -1;
    return error_set(err, ERR_ACCOUNT_LOCKED, "Login is not enabled.");
}

static int ask(struct authd *d, const struct request *req, const struct admission *who,
               struct caller_context_out *ret, struct error *err)
{
    const struct caller_context_in in = {.projectId = who->project, .policyId = who->policy};
    const struct admission_cache_key key = {who->project, who->policy, who->change};
    const char *name =
        who->change > 0 ? admission_cache_get(d->admission_cache, &key, clock_mono_ms()) : NULL;

    *ret = (struct caller_context_out){.suspended = false};
    if (name) {
        ret->projectName = arena_strdup(req->arena, name);
        return 0;
    }
    if (settingsd_caller_context(d->svc.bus, req, &in, ret, err) < 0)
        return -1;
    if (who->change > 0 && !ret->suspended && !ret->readOnly && !ret->policyIpAccessRule)
        admission_cache_put(d->admission_cache, &key, ret->projectName, clock_mono_ms());
    return 0;
}

static int judge(struct authd *d, const struct request *req, const struct admission *who,
                 const struct caller_context_out *context, struct error *err)
{
    if (admission_is_admin(who->role, who->admin) ||
        policy_address_check(context->policyIpAccessRule, req->address, err) == 0)
        return 0;
    return refuse(d, req, who, err);
}

int admission_check(struct authd *d, const struct request *req, const struct admission *who,
                    struct error *err)
{
    struct caller_context_out context;

    if (ask(d, req, who, &context, err) < 0)
        return -1;
    if (context.suspended)
        return error_set(err, ERR_FORBIDDEN, "The project is suspended.");
    if (context.readOnly)
        return refuse_read_only(err);
    return judge(d, req, who, &context, err);
}

int admission_open(struct authd *d, const struct request *req, const struct admission *who,
                   const char **ret_name, struct error *err)
{
    struct caller_context_out context;
    int rc = ask(d, req, who, &context, err);

    if (rc < 0 && err->code != ERR_NOT_FOUND)
        return -1;
    if (rc < 0 || context.suspended)
        return error_set(err, ERR_NOT_FOUND, "Tenant not found.");
    if (context.readOnly)
        return refuse_read_only(err);
    *ret_name = context.projectName;
    return judge(d, req, who, &context, err);
}

int admission_check_sign_in(struct authd *d, const struct request *req, enum role role,
                            struct uuid account, struct uuid project, struct error *err)
{
    const struct sql_standing_get_in get = {.account = account, .project = project};
    struct admission who = {
        .project = project, .account = account, .role = role, .action = "session.create"};
    struct sql_standing_get_row row;
    int found = sql_standing_get(d->svc.db, req, &get, &row, err);

    if (found <= 0)
        return found;
    if (row.locked)
        return refuse_locked(d, req, &who, err);
    who.policy = row.policy;
    who.admin = row.admin;
    who.change = row.change;
    return admission_check(d, req, &who, err);
}
