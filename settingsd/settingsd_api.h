/*
 * settingsd_api.h - the inputs and outputs of settingsd, for itself, the gateway and the daemons
 * that ask it.
 */
#ifndef ATRIUM_SETTINGSD_SETTINGSD_API_H
#define ATRIUM_SETTINGSD_SETTINGSD_API_H

#include "common/bus/method.h"
#include "common/domain/reference.h"
#include "common/service/audit_events.h"
#include "common/service/erasure.h"
#include "common/wire/fields.h"

/* ---- routes ---- */

struct organization_code_out {
    const char *code;
    struct uuid projectId;
};
FIELD_DECLARE(organization_code_out);

struct organization_code_email {
    const char *email;
};
FIELD_DECLARE(organization_code_email);

struct locales {
    struct field_texts languages;
    const char *defaultLanguage;
    const char *etag; /* of these two alone: another setting that is written leaves it as it is */
};
FIELD_DECLARE(locales);

/* ---- readiness ---- */

struct readiness_switch {
    const char *name;
    bool enabled; /* effective */
    bool written; /* false: the default is in force */
};
FIELD_DECLARE(readiness_switch);

struct readiness_policy {
    const char *name;            /* of the setting */
    const char *value, *display; /* "AccessPolicy/<id>" and its name; NULL: there is none */
};
FIELD_DECLARE(readiness_policy);

struct readiness_address {
    const char *name;  /* of the setting */
    const char *value; /* NULL: there is none */
};
FIELD_DECLARE(readiness_address);

/* Something that a flow lacks. */
struct readiness_lack {
    const char *kind, *name;
    const char *language; /* of kind "language"; NULL else */
    bool blocks;          /* the flow fails without it */
};
FIELD_DECLARE(readiness_lack);

struct readiness_flow {
    const char *name;
    bool ready;
    struct field_list lacks; /* struct readiness_lack */
};
FIELD_DECLARE(readiness_flow);

struct readiness {
    struct uuid projectId;
    const char *name, *tenantCode; /* tenantCode NULL: it has none */
    bool suspended;
    struct field_texts languages;
    const char *defaultLanguage;
    struct field_list switches;  /* struct readiness_switch */
    struct field_list policies;  /* struct readiness_policy */
    struct field_list addresses; /* struct readiness_address */
    struct field_list templates; /* struct template_mapping */
    struct field_list flows;     /* struct readiness_flow */
};
FIELD_DECLARE(readiness);

struct locales_in {
    struct field_texts languages; /* empty: as they are */
    const char *defaultLanguage;  /* NULL: as it is */
    const char *ifMatch;          /* header If-Match */
};
FIELD_DECLARE(locales_in);

/* Every known setting. In the record an unset switch is false and an unset text null; that a switch
 * is on by default when unset shows in struct tenant only. */
struct settings_values {
    bool PATIENT_REGISTRATION_ENABLED, PATIENT_INVITATION_ENABLED, PATIENT_LOGIN_ENABLED;
    bool PRACTITIONER_REGISTRATION_ENABLED, PRACTITIONER_INVITATION_ENABLED,
        PRACTITIONER_LOGIN_ENABLED;
    bool CLINICIAN_INVITE_ON_BUSINESS_EMAIL;
    const char *DEFAULT_PRACTITIONER_ACCESS_POLICY, *PRACTITIONER_APP_URL, *PATIENT_APP_URL;
};
FIELD_DECLARE(settings_values);

struct settings_record {
    struct uuid projectId;
    const struct settings_values *settings;
    const char *defaultPatientAccessPolicy; /* "AccessPolicy/<id>" or null */
    const char *etag;                       /* the ETag header, quoted */
};
FIELD_DECLARE(settings_record);

struct setting_switch_in {
    const char *name; /* path */
    bool enabled;
    const char *ifMatch; /* header If-Match */
};
FIELD_DECLARE(setting_switch_in);

struct setting_value_in {
    const char *name;
    const char *value;
    const char *ifMatch;
};
FIELD_DECLARE(setting_value_in);

struct settings_history_in {
    int64_t _count, _offset;
};
FIELD_DECLARE(settings_history_in);

struct setting_change {
    const struct reference *who; /* NULL: the operator */
    int64_t when;
    const char *name;
    const char *old, *new; /* JSON values, NULL: unset */
};
FIELD_DECLARE(setting_change);

struct settings_history {
    int64_t total;
    struct field_list resources; /* struct setting_change */
};
FIELD_DECLARE(settings_history);

struct default_policy_in {
    const char *value;
    const char *ifMatch;
};
FIELD_DECLARE(default_policy_in);

/* What a project asks of its accounts. A NULL pointer to one means account_policy_default. */
struct account_policy {
    int64_t passwordMinLength, passwordMinLengthWithMfa; /* code points, 1-64 */
    bool refuseCommonPasswords, requireVerifiedEmail;
    bool mailCode;               /* a code by mail signs in */
    const char *onSignIn;        /* with a common password: "ignore", "mail", "require-change" */
    const char *requireMfa;      /* "none", "admins", "practitioners", "everyone" */
    int64_t documentsPerAccount; /* patients only; 0: no limit */
    int64_t bytesPerAccount;     /* patients only; 0: no limit */
    int64_t bytesPerProject;     /* 0: no limit */
    const char *etag;            /* the ETag header, quoted; in answers of its own routes only */
};
FIELD_DECLARE(account_policy);

extern const struct account_policy account_policy_default;

/* Whether the policy wants a second factor of a person with this role. */
bool account_policy_requires_mfa(const struct account_policy *self, const char *role, bool admin);

/* Members of it to write; what is absent stays. */
struct account_policy_in {
    int64_t passwordMinLength, passwordMinLengthWithMfa; /* -1: absent */
    enum tristate refuseCommonPasswords, requireVerifiedEmail, mailCode;
    const char *onSignIn, *requireMfa;
    int64_t documentsPerAccount, bytesPerAccount, bytesPerProject; /* -1: absent, 0: no limit */
    const char *ifMatch;                                           /* header If-Match */
};
FIELD_DECLARE(account_policy_in);

struct project_child_in {
    const char *name, *tenantCode;
};
FIELD_DECLARE(project_child_in);

struct project_child_out {
    struct uuid projectId;
    const char *tenantCode, *name;
};
FIELD_DECLARE(project_child_out);

struct id_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(id_in);

struct access_policy_in {
    struct uuid id; /* path, absent on create */
    const char *name;
    const char *resource;     /* JSON array, validated by access_policy_check() */
    const char *ipAccessRule; /* JSON array or NULL */
    const char *ifMatch;      /* header, of a replacement */
};
FIELD_DECLARE(access_policy_in);

struct access_policy {
    const char *resourceType; /* "AccessPolicy" */
    struct uuid id;
    const char *name, *resource, *ipAccessRule;
    const char *etag; /* the ETag header, quoted; not in lists */
};
FIELD_DECLARE(access_policy);

struct access_policy_list {
    struct field_list resources; /* struct access_policy */
};
FIELD_DECLARE(access_policy_list);

/* What a client application may do as an OAuth client. Scopes and grant types are those that it may
 * ask for; one that says nothing of OAuth is public and has no grants. */
struct oauth_settings {
    const char *type;       /* "public" or "confidential" (RFC 6749, section 2.1) */
    const char *authMethod; /* "none", "client_secret_basic", "client_secret_post" or
                             * "private_key_jwt": how it authenticates (RFC 7591, section 2) */
    const char *jwks;       /* its public keys: a JWK set (RFC 7517, section 5) as JSON */
    const char *jwksUri;    /* or where that is */
    struct field_texts redirectUris, grantTypes, scopes;
    struct field_texts audiences; /* resources that its tokens may be for (RFC 8707) */
    struct field_texts postLogoutRedirectUris;
    const char *backchannelLogoutUri;
    const char *dpop;       /* "required" or "optional" (RFC 9449) */
    const char *idTokenAlg; /* "RS256" or "ES256": what signs its ID tokens */
    bool firstParty;   /* of the project itself: asks for no consent, may open Atrium's own API */
    bool pkceOptional; /* PKCE is not demanded of it (RFC 7636) */
    const char *tosVersion; /* of its terms: another one asks for consent again */
    struct field_texts patientScopes, practitionerScopes; /* SMART scopes for each role */
};
FIELD_DECLARE(oauth_settings);

/* A new client application, or, with an id, what it is from now on. */
struct client_in {
    struct uuid id; /* path */
    const char *name;
    struct oauth_settings settings;
    const char *ifMatch; /* header, of a replacement */
};
FIELD_DECLARE(client_in);

struct client {
    struct uuid id;
    const char *name;
    int64_t lastUpdated;
    const char *type, *authMethod;
    const char *grantTypes; /* JSON array of texts */
    bool firstParty;
};
FIELD_DECLARE(client);

/* The whole registration. */
struct client_record {
    struct uuid id;
    const char *name;
    int64_t lastUpdated;
    struct oauth_settings settings;
    int64_t secretCreatedAt, previousSecretUntil; /* 0: there is none */
    const char *secret;                           /* only in the answer that makes it */
    const char *etag;                             /* the ETag header, quoted */
};
FIELD_DECLARE(client_record);

struct client_secret_in {
    struct uuid id; /* path */
    int64_t previousHours;
};
FIELD_DECLARE(client_secret_in);

struct client_list {
    struct field_list resources; /* struct client */
};
FIELD_DECLARE(client_list);

/* ---- between daemons ---- */

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

/* Names it by one of its client applications. */
struct client_lookup_in {
    struct uuid clientId;
};
FIELD_DECLARE(client_lookup_in);

/* An OAuth client of a project, by the `client_id` of a request: any text. */
struct oauth_client_get_in {
    struct uuid projectId;
    const char *clientId;
};
FIELD_DECLARE(oauth_client_get_in);

struct oauth_client {
    const char *clientId, *name;
    struct uuid projectId;
    const struct oauth_settings *settings;
    struct field_bytes secretHash, previousHash; /* SHA-256; NULL bytes: there is none */
    int64_t previousUntil;                       /* the previous one counts until then */
};
FIELD_DECLARE(oauth_client);

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

struct operator_policy_default_in {
    const char *tenantCode, *value; /* "AccessPolicy/<id>" or "" */
};
FIELD_DECLARE(operator_policy_default_in);

struct operator_policy_put_in {
    const char *tenantCode;
    struct uuid id; /* absent: create */
    const char *name, *resource, *ipAccessRule;
};
FIELD_DECLARE(operator_policy_put_in);

struct operator_client_create_in {
    const char *tenantCode, *name;
};
FIELD_DECLARE(operator_client_create_in);

/* A new client application, or, with an id, what it is from now on. */
struct operator_client_put_in {
    const char *tenantCode;
    struct uuid id; /* absent: a new one */
    const char *name;
    const struct oauth_settings *settings; /* NULL: public, without grants */
};
FIELD_DECLARE(operator_client_put_in);

struct operator_client_in {
    const char *tenantCode;
    struct uuid id;
};
FIELD_DECLARE(operator_client_in);

struct operator_client_secret_in {
    const char *tenantCode;
    struct uuid id;
    int64_t previousHours;
};
FIELD_DECLARE(operator_client_secret_in);

/* An access policy or a client application. */
struct operator_delete_in {
    const char *tenantCode;
    struct uuid id;
};
FIELD_DECLARE(operator_delete_in);

/* As PATCH /locales. */
struct operator_locales_in {
    const char *tenantCode;
    struct field_texts languages;
    const char *defaultLanguage;
};
FIELD_DECLARE(operator_locales_in);

/* Writes one text setting: an app URL, the default practitioner policy. */
struct operator_setting_in {
    const char *tenantCode, *name, *value;
};
FIELD_DECLARE(operator_setting_in);

/* As PUT /v1/project/settings/{name}. */
struct operator_switch_in {
    const char *tenantCode, *name;
    bool enabled;
};
FIELD_DECLARE(operator_switch_in);

/* As PUT /v1/project/account-policy. */
struct operator_account_policy_in {
    const char *tenantCode;
    const struct account_policy_in *policy;
};
FIELD_DECLARE(operator_account_policy_in);

/* ---- branding.c ---- */

enum { BRAND_UPLOAD_MAX = 512 * 1024 }; /* bytes of a picture that a logo is made of */

/* What a hosted page says besides in a language. */
struct branding_text {
    const char *language, *intro, *help;
};
FIELD_DECLARE(branding_text);

/* How the hosted pages of a project look. Absent members are as the installation's. */
struct branding {
    const char *name;                   /* in the place of the project's */
    const char *colorLight, *colorDark; /* "#rrggbb", read on the pages' grounds: color.h */
    const char *imprintUrl, *privacyUrl;
    struct field_list texts; /* struct branding_text */
    const char *logo;        /* its hash in hexadecimal digits; NULL: none */
    const char *style;       /* the hash of brand.css; NULL: there are no colours */
    const char *etag;
};
FIELD_DECLARE(branding);

struct branding_in {
    const char *name, *colorLight, *colorDark, *imprintUrl, *privacyUrl;
    struct field_list texts; /* struct branding_text */
    const char *ifMatch;
};
FIELD_DECLARE(branding_in);

struct brand_logo_in {
    const char *image; /* a picture, base64 (RFC 4648, section 4) */
    const char *ifMatch;
};
FIELD_DECLARE(brand_logo_in);

struct brand_logo_delete_in {
    const char *ifMatch;
};
FIELD_DECLARE(brand_logo_delete_in);

struct endpoint_visit; /* common/domain/endpoint.h */

/* What pages load. `v`: the hash that the page names, so that what is kept by it is never stale. */
struct brand_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *v;
};
FIELD_DECLARE(brand_in);

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
