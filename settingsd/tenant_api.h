/* tenant_api.h - a tenant's data for other daemons. */
#ifndef ATRIUM_SETTINGSD_TENANT_API_H
#define ATRIUM_SETTINGSD_TENANT_API_H

#include "common/wire/fields.h"

/* Names a project by code or id. With both, the id is used if no project has the code. */
struct tenant_lookup_in {
    const char *tenantCode;
    struct uuid projectId;
    bool branding; /* answer includes the branding, if the code is found */
};
FIELD_DECLARE(tenant_lookup_in);

/* Reads an operator's tenant code or id. Not for clients' input. */
static inline struct tenant_lookup_in tenant_lookup_from_text(const char *text)
{
    struct tenant_lookup_in in = {.tenantCode = text};

    if (!text || uuid_parse(text, &in.projectId) < 0)
        in.projectId.text[0] = '\0';
    return in;
}

/* A project's data for sign-in. Switches are effective: unset ones have their default. */
struct tenant {
    struct uuid projectId, parentId;
    struct uuid rootId;            /* organization: the top of the project's tree */
    const char *name, *tenantCode; /* tenantCode: or NULL */
    const char *brandName;         /* name on pages and in emails, if the branding has one */
    bool suspended;
    bool readOnly; /* while it moves to another installation */
    bool deleting; /* since `project delete`; only atriumctl gets such projects */
    bool patientRegistration, patientInvitation, patientLogin;
    bool practitionerRegistration, practitionerInvitation, practitionerLogin, inviteOnBusinessEmail;
    bool inheritProviders;
    struct uuid defaultPatientPolicy, defaultPractitionerPolicy;
    const char *patientAppUrl, *practitionerAppUrl;
    const char *defaultLanguage; /* NULL from a settingsd without locales */
    int64_t createdAt;
    const struct account_policy *accountPolicy;
    const struct branding *branding; /* if requested and set */
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
    const char *brandName; /* or NULL */
    bool suspended, readOnly;
    struct uuid policyId; /* absent if the project has no such policy */
    const char *policyName, *policyResource, *policyIpAccessRule;
    const struct account_policy *accountPolicy;
};
FIELD_DECLARE(caller_context_out);

#endif
