/*
 * settingsd_api.h - the inputs and outputs of settingsd, for itself, the gateway and the daemons
 * that ask it.
 */
#ifndef ATRIUM_SETTINGSD_SETTINGSD_API_H
#define ATRIUM_SETTINGSD_SETTINGSD_API_H

#include "common/bus/method.h"
#include "common/domain/reference.h"
#include "common/wire/fields.h"

/* ---- routes ---- */

struct organization_code_out {
    const char *code;
    struct uuid projectId;
};

struct organization_code_email {
    const char *email;
};
struct locales {
    struct field_texts languages;
    const char *defaultLanguage;
};
struct locales_in {
    struct field_texts languages; /* empty: as they are */
    const char *defaultLanguage;  /* NULL: as it is */
};

/* Every known setting. In the record an unset switch is false and an unset text null; that a switch
 * is on by default when unset shows in struct tenant only. */
struct settings_values {
    bool PATIENT_REGISTRATION_ENABLED, PATIENT_INVITATION_ENABLED, PATIENT_LOGIN_ENABLED;
    bool PRACTITIONER_REGISTRATION_ENABLED, PRACTITIONER_INVITATION_ENABLED,
        PRACTITIONER_LOGIN_ENABLED;
    bool CLINICIAN_INVITE_ON_BUSINESS_EMAIL;
    const char *DEFAULT_PRACTITIONER_ACCESS_POLICY, *PRACTITIONER_APP_URL, *PATIENT_APP_URL;
};
struct settings_record {
    struct uuid projectId;
    const struct settings_values *settings;
    const char *defaultPatientAccessPolicy; /* "AccessPolicy/<id>" or null */
    const char *etag;                       /* the ETag header, quoted */
};
struct setting_switch_in {
    const char *name; /* path */
    bool enabled;
    const char *ifMatch; /* header If-Match */
};
struct setting_value_in {
    const char *name;
    const char *value;
    const char *ifMatch;
};
struct settings_history_in {
    int64_t _count, _offset;
};
struct setting_change {
    const struct reference *who; /* NULL: the operator */
    int64_t when;
    const char *name;
    const char *old, *new; /* JSON values, NULL: unset */
};
struct settings_history {
    int64_t total;
    struct field_list resources; /* struct setting_change */
};
struct default_policy_in {
    const char *value;
    const char *ifMatch;
};
/* What a project asks of its accounts. A NULL pointer to one means account_policy_default. */
struct account_policy {
    int64_t passwordMinLength, passwordMinLengthWithMfa; /* code points, 1-64 */
    bool refuseCommonPasswords, requireVerifiedEmail;
    const char *requireMfa;      /* "none", "admins", "practitioners", "everyone" */
    int64_t documentsPerAccount; /* patients only; 0: no limit */
    int64_t bytesPerAccount;     /* patients only; 0: no limit */
    int64_t bytesPerProject;     /* 0: no limit */
    const char *etag;            /* the ETag header, quoted; in answers of its own routes only */
};
extern const struct account_policy account_policy_default;

/* Whether the policy wants a second factor of a person with this role. */
bool account_policy_requires_mfa(const struct account_policy *self, const char *role, bool admin);

/* Members of it to write; what is absent stays. */
struct account_policy_in {
    int64_t passwordMinLength, passwordMinLengthWithMfa; /* -1: absent */
    enum tristate refuseCommonPasswords, requireVerifiedEmail;
    const char *requireMfa;
    int64_t documentsPerAccount, bytesPerAccount, bytesPerProject; /* -1: absent, 0: no limit */
    const char *ifMatch;                                           /* header If-Match */
};

struct project_child_in {
    const char *name, *tenantCode;
};
struct project_child_out {
    struct uuid projectId;
    const char *tenantCode, *name;
};

struct id_in {
    struct uuid id; /* path */
};
struct access_policy_in {
    struct uuid id; /* path, absent on create */
    const char *name;
    const char *resource;     /* JSON array, validated by access_policy_check() */
    const char *ipAccessRule; /* JSON array or NULL */
};
struct access_policy {
    const char *resourceType; /* "AccessPolicy" */
    struct uuid id;
    const char *name, *resource, *ipAccessRule;
};
struct access_policy_list {
    struct field_list resources; /* struct access_policy */
};
struct client_create_in {
    const char *name;
};
struct client {
    struct uuid id;
    const char *name;
    int64_t lastUpdated;
};
struct client_list {
    struct field_list resources; /* struct client */
};

/* ---- between daemons ---- */

/* Names one project by its code, by its id, or, with both, by the code and else by the id. */
struct tenant_lookup_in {
    const char *tenantCode;
    struct uuid projectId;
};

/* How operators name one: with its code or its id. Not for what a client sent. */
static inline struct tenant_lookup_in tenant_named(const char *text)
{
    struct tenant_lookup_in in = {.tenantCode = text};

    if (!text || uuid_parse(text, &in.projectId) < 0)
        in.projectId.text[0] = '\0';
    return in;
}

/* Names it by one of its client applications. */
struct client_lookup_in {
    struct uuid clientId;
};

/* What sign-in needs of a project. Switches are effective: unset ones already have their
 * default. */
struct tenant {
    struct uuid projectId, parentId;
    struct uuid
        rootId; /* the organisation: the project at the top of the tree that this one is in */
    const char *name, *tenantCode; /* tenantCode NULL when the project has none */
    bool suspended;
    bool patientRegistration, patientInvitation, patientLogin;
    bool practitionerRegistration, practitionerInvitation, practitionerLogin, inviteOnBusinessEmail;
    struct uuid defaultPatientPolicy, defaultPractitionerPolicy;
    const char *patientAppUrl, *practitionerAppUrl;
    const char *defaultLanguage; /* NULL from a settingsd that knows no locales yet */
    int64_t createdAt;
    const struct account_policy *accountPolicy;
};
struct tenants_of_in {
    struct field_texts projectIds; /* at most 1,000 */
};
struct tenant_list {
    struct field_list tenants; /* struct tenant */
};
struct caller_context_in {
    struct uuid projectId, policyId;
};
struct caller_context_out {
    const char *projectName;
    bool suspended;
    struct uuid policyId; /* absent when the policy does not exist in the project */
    const char *policyName, *policyResource, *policyIpAccessRule;
    const struct account_policy *accountPolicy;
};
struct project_create_in {
    const char *name, *tenantCode;
    bool noCode; /* a project without tenant code */
    bool strict; /* with the account policy that protects most */
};
struct project_list_in {
    struct uuid after; /* paging: projects created after this one, absent for the first page */
    int64_t count;
};
struct project_suspend_in {
    const char *tenantCode;
    bool suspended;
};
struct operator_policy_default_in {
    const char *tenantCode, *value; /* "AccessPolicy/<id>" or "" */
};
struct operator_policy_put_in {
    const char *tenantCode;
    struct uuid id; /* absent: create */
    const char *name, *resource, *ipAccessRule;
};
struct operator_client_create_in {
    const char *tenantCode, *name;
};
/* An access policy or a client application. */
struct operator_delete_in {
    const char *tenantCode;
    struct uuid id;
};
/* As PATCH /locales. */
struct operator_locales_in {
    const char *tenantCode;
    struct field_texts languages;
    const char *defaultLanguage;
};
/* Writes one text setting: an app URL, the default practitioner policy. */
struct operator_setting_in {
    const char *tenantCode, *name, *value;
};
/* As PUT /v1/project/settings/{name}. */
struct operator_switch_in {
    const char *tenantCode, *name;
    bool enabled;
};
/* As PUT /v1/project/account-policy. */
struct operator_account_policy_in {
    const char *tenantCode;
    const struct account_policy_in *policy;
};

extern const struct field_table organization_code_out_table, organization_code_email_table,
    locales_table, locales_in_table, settings_history_in_table, setting_change_table,
    settings_history_table, settings_values_table, settings_record_table, setting_switch_in_table,
    setting_value_in_table, default_policy_in_table, project_child_in_table,
    project_child_out_table, id_in_table, access_policy_in_table, access_policy_table,
    access_policy_list_table, client_create_in_table, client_table, client_list_table,
    tenant_lookup_in_table, client_lookup_in_table, tenant_table, tenants_of_in_table,
    tenant_list_table, caller_context_in_table, caller_context_out_table, project_create_in_table,
    project_list_in_table, project_suspend_in_table, operator_policy_default_in_table,
    operator_policy_put_in_table, operator_client_create_in_table, operator_delete_in_table,
    operator_locales_in_table, operator_setting_in_table, account_policy_table,
    account_policy_in_table, operator_account_policy_in_table, operator_switch_in_table;

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
