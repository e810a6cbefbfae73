/* resolve.c - see resolve.h. */
#include "authd/authd_api.h"
#include "authd/member/api_key_api.h"
#include "authd/operation_api.h"
#include "common/base/clock.h"
#include "gateway/gateway.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum { FETCHES_MAX = 5 }; /* per request, if changes keep coming */

static void set_limits(struct caller *caller, const struct account_policy *policy)
{
    const struct account_policy *limits = policy ? policy : &account_policy_default;

    caller->documentsMax = caller->bytesMax = 0;
    caller->projectBytesMax = limits->bytesPerProject;
    if (caller->role != ROLE_PATIENT)
        return;
    caller->documentsMax = limits->documentsPerAccount;
    caller->bytesMax = limits->bytesPerAccount;
}

static int fetch_context(struct gateway *gateway, const struct request *req, struct uuid project,
                         struct uuid policy, struct caller_context_out *ret, struct error *err)
{
    const struct caller_context_in where = {.projectId = project, .policyId = policy};

    if (settingsd_caller_context(gateway->service.bus, req, &where, ret, err) == 0)
        return 0;
    if (err->code == ERR_NOT_FOUND)
        return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
    return -1;
}

static void set_context(struct caller *caller, const struct caller_context_out *context)
{
    caller->projectName = context->projectName;
    caller->brandName = context->brandName;
    caller->policy = context->policyId;
    caller->policyName = context->policyName;
    caller->policyResource = context->policyResource;
    set_limits(caller, context->accountPolicy);
}

/* Fetches an API key's identity: it acts as a device of the project, without second factor. */
static int fetch_key(struct gateway *gateway, const struct request *req, const struct token *token,
                     struct identity **ret, struct error *err)
{
    const struct api_key_get_in which = {.project = token->project, .id = token->session};
    struct api_key_rights rights = {0};
    struct caller_context_out context = {0};
    struct caller caller;

    if (authd_api_key_get(gateway->service.bus, req, &which, &rights, err) < 0 ||
        fetch_context(gateway, req, token->project, rights.policy, &context, err) < 0)
        return -1;
    caller = (struct caller){.project = token->project,
                             .session = token->session,
                             .profile = token->session,
                             .role = ROLE_DEVICE,
                             .display = rights.name,
                             .until = rights.expiresAt};
    set_context(&caller, &context);
    *ret =
        identity_new(&caller, context.suspended, rights.addressRules, context.policyIpAccessRule);
    (*ret)->read_only = context.readOnly;
    return 0;
}

static int fetch(struct gateway *gateway, const struct request *req, const struct token *token,
                 struct identity **ret, struct error *err)
{
    struct identity_get_in who = {
        .project = token->project, .membership = token->membership, .session = token->session};
    struct caller caller = {0};
    struct caller_context_out context = {0};

    if (token->is_key)
        return fetch_key(gateway, req, token, ret, err);
    if (authd_identity_get(gateway->service.bus, req, &who, &caller, err) < 0 ||
        fetch_context(gateway, req, caller.project, caller.policy, &context, err) < 0)
        return -1;
    caller.membership = token->membership;
    caller.session = token->session;
    set_context(&caller, &context);
    *ret = identity_new(&caller, context.suspended, NULL, NULL);
    (*ret)->read_only = context.readOnly;
    (*ret)->factor_required =
        account_policy_requires_mfa(context.accountPolicy, caller.role, caller.admin);
    return 0;
}

/* Fetches again if a change came in between, because the result may be outdated. */
static int fetch_current(struct gateway *gateway, const struct request *req,
                         const struct token *token, struct identity **ret, struct error *err)
{
    for (int i = 0; i < FETCHES_MAX; i++) {
        uint64_t generation = identities_generation(gateway->identities);
        struct identity *identity;

        if (fetch(gateway, req, token, &identity, err) < 0)
            return -1;
        if (identities_put(gateway->identities, identity, generation, clock_mono_ms())) {
            *ret = identity;
            return 0;
        }
        identity_release(&identity);
    }
    return error_retry(err, ERR_UNAVAILABLE, 1, "Service unavailable. Try again.");
}

int resolve_identity(struct gateway *gateway, const struct request *req, const struct token *token,
                     struct identity **ret, struct error *err)
{
    struct flight_call call;
    int rc;

    do {
        *ret = identities_get(gateway->identities, &token->session, clock_mono_ms());
        if (*ret)
            return 0;
        rc = flight_begin(&gateway->resolving, token->session.text, req->deadline_mono_ms, &call,
                          err);
    } while (rc == 0);
    if (rc != FLIGHT_LEADS)
        return -1;
    rc = fetch_current(gateway, req, token, ret, err);
    flight_end(&call, 0, NULL);
    return rc;
}
