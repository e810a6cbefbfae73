/*
 * project_api.h - projects, their codes and their end, and what other daemons ask about a tenant.
 * Included by settingsd_api.h.
 */
#ifndef ATRIUM_SETTINGSD_PROJECT_API_H
#define ATRIUM_SETTINGSD_PROJECT_API_H

#include "common/wire/fields.h"

struct organization_code_out {
    const char *code;
    struct uuid projectId;
};
FIELD_DECLARE(organization_code_out);

struct organization_code_email {
    const char *email;
};
FIELD_DECLARE(organization_code_email);

struct project_child_in {
    const char *name, *tenantCode;
};
FIELD_DECLARE(project_child_in);

struct project_child_out {
    struct uuid projectId;
    const char *tenantCode, *name;
};
FIELD_DECLARE(project_child_out);

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

struct project_create_in {
    const char *name, *tenantCode;
    bool noCode; /* a project without tenant code */
    bool strict; /* with the account policy that protects most */
};
FIELD_DECLARE(project_create_in);

struct project_list_in {
    struct uuid after; /* paging: projects created after this one, absent for the first page */
    int64_t count;
};
FIELD_DECLARE(project_list_in);

struct project_suspend_in {
    const char *tenantCode;
    bool suspended;
    bool readOnly; /* instead of suspended; false: no longer */
};
FIELD_DECLARE(project_suspend_in);

/* A project and all below it. */
enum { PROJECT_TREE_MAX = 4000 };
struct project_tree_out {
    struct field_texts projectIds;
};
FIELD_DECLARE(project_tree_out);

struct project_delete_in {
    const char *tenantCode;
};
FIELD_DECLARE(project_delete_in);

struct project_deletion_in {
    struct uuid projectId;
};
FIELD_DECLARE(project_deletion_in);

/* How far a deletion is. */
struct deletion_part {
    const char *service;
    int64_t removed; /* rows */
    bool done;
    const char *lastError; /* why the last call of the service failed; NULL: it did not */
};
FIELD_DECLARE(deletion_part);

struct project_deletion {
    struct uuid projectId;
    const char *tenantCode;  /* as it was given; NULL in answers of project_deletion */
    bool done;               /* the project is gone, and its code is free */
    struct field_list parts; /* struct deletion_part */
};
FIELD_DECLARE(project_deletion);

#endif
