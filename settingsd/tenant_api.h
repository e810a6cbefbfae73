/* tenant_api.h - what other daemons ask about a tenant. */
#ifndef ATRIUM_SETTINGSD_TENANT_API_H
#define ATRIUM_SETTINGSD_TENANT_API_H

#include "common/wire/fields.h"

/* Names one project by its code, by its id, or, with both, by the code and else by the id. */
struct tenant_lookup_in {
    const char *tenantCode;
    struct uuid projectId;
    bool branding; /* with it, where there is a code */
};
FIELD_DECLARE(tenant_lookup_in);

/* How operators name one: with its code or its id. Not for what a client sent. */
static inline struct tenant_lookup_in tenant_lookup_from_text(const char *text)
{
    struct tenant_lookup_in in = {.tenantCode = text};

    if (!text || uuid_parse(text, &in.projectId) < 0)
        in.projectId.text[0] = '\0';
    return in;
}

/* What sign-in needs of a project. Switches are effective: unset ones already have their
 * default. */
struct tenant {
    struct uuid projectId, parentId;
    struct uuid
        rootId; /* the organisation: the project at the top of the tree that this one is in */
    const char *name, *tenantCode; /* tenantCode NULL when the project has none */
    bool suspended;
    bool readOnly; /* while it moves to another installation */
    bool deleting; /* `project delete` was called: only ctl sees it */
    bool patientRegistration, patientInvitation, patientLogin;
    bool practitionerRegistration, practitionerInvitation, practitionerLogin, inviteOnBusinessEmail;
    struct uuid defaultPatientPolicy, defaultPractitionerPolicy;
    const char *patientAppUrl, *practitionerAppUrl;
    const char *defaultLanguage; /* NULL from a settingsd that knows no locales yet */
    int64_t createdAt;
    const struct account_policy *accountPolicy;
    const struct branding *branding; /* where it was asked for and something was written */
};
FIELD_DECLARE(tenant);

struct tenants_of_in {
    struct field_texts projectIds; /* at most 1,000 */
};
FIELD_DECLARE(tenants_of_in);

struct tenant_list {
    struct field_list tenants; /* struct tenant */
};
FIELD_DECLARE(tenant_list);

struct caller_context_in {
    struct uuid projectId, policyId;
};
FIELD_DECLARE(caller_context_in);

struct caller_context_out {
    const char *projectName;
    bool suspended, readOnly;
    struct uuid policyId; /* absent when the policy does not exist in the project */
    const char *policyName, *policyResource, *policyIpAccessRule;
    const struct account_policy *accountPolicy;
};
FIELD_DECLARE(caller_context_out);

#endif
