/* tenant_api.c - see tenant_api.h. */
#include "settingsd/tenant_api.h"

#include "common/domain/language.h"
#include "settingsd/brand_api.h"
#include "settingsd/policy_api.h"
#include "settingsd/shape_api.h"

static const struct field tenant_lookup_in_rows[] = {
    FIELD_TEXT(struct tenant_lookup_in, tenantCode, 0, 64, 0, "Tenant code of the project.",
               "lakeside"),
    FIELD_UUID(struct tenant_lookup_in, projectId, 0, "ID of the project."),
    FIELD_BOOL(struct tenant_lookup_in, branding, false, 0,
               "Whether to include the branding; works only with a tenant code."),
};
FIELD_TABLE(tenant_lookup_in);

static const struct field tenant_rows[] = {
    FIELD_UUID(struct tenant, projectId, FIELD_REQUIRED, "ID of the project."),
    FIELD_UUID(struct tenant, parentId, 0, "Parent of the project."),
    FIELD_UUID(struct tenant, rootId, 0, "Project at the top of the project's tree."),
    FIELD_TEXT(struct tenant, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the project.", "Lakeside Clinic"),
    FIELD_TEXT(struct tenant, brandName, 0, BRAND_NAME_MAX, FIELD_CHARACTERS,
               "Name in the branding.", "Lakeside"),
    FIELD_TEXT(struct tenant, tenantCode, 3, 64, 0, "Tenant code, if the project has one.",
               "lakeside"),
    FIELD_BOOL(struct tenant, suspended, false, 0, "Whether the project is suspended."),
    FIELD_BOOL(struct tenant, readOnly, false, 0,
               "Whether the project is read-only while it is moved to another installation."),
    FIELD_BOOL(struct tenant, deleting, false, 0, "Whether the project is being deleted."),
    FIELD_BOOL(struct tenant, patientRegistration, false, 0, "Whether patients can register."),
    FIELD_BOOL(struct tenant, patientInvitation, false, 0, "Whether patients can be invited."),
    FIELD_BOOL(struct tenant, patientLogin, false, 0, "Whether patients can sign in."),
    FIELD_BOOL(struct tenant, practitionerRegistration, false, 0,
               "Whether practitioners can register."),
    FIELD_BOOL(struct tenant, practitionerInvitation, false, 0,
               "Whether practitioners can be invited."),
    FIELD_BOOL(struct tenant, practitionerLogin, false, 0, "Whether practitioners can sign in."),
    FIELD_BOOL(struct tenant, inviteOnBusinessEmail, false, 0,
               "Whether patients with a business address are invited as practitioners."),
    FIELD_BOOL(struct tenant, inheritProviders, true, 0,
               "Whether people can sign in with identity providers of projects above."),
    FIELD_UUID(struct tenant, defaultPatientPolicy, 0, "Access policy of patients who register."),
    FIELD_UUID(struct tenant, defaultPractitionerPolicy, 0,
               "Access policy of practitioners who register."),
    FIELD_TEXT(struct tenant, patientAppUrl, 0, SETTING_TEXT_MAX, 0,
               "URL of the patients' application.", "https://my.lakeside.example"),
    FIELD_TEXT(struct tenant, practitionerAppUrl, 0, SETTING_TEXT_MAX, 0,
               "URL of the practitioners' application.", "https://staff.lakeside.example"),
    FIELD_TEXT(struct tenant, defaultLanguage, 0, LANGUAGE_TAG_MAX, 0,
               "Default language of the project.", "en"),
    FIELD_TIME(struct tenant, createdAt, 0, "When the project was created."),
    FIELD_OBJECT(struct tenant, accountPolicy, account_policy, 0, "Account policy of the project."),
    FIELD_OBJECT(struct tenant, branding, branding, 0, "Branding of the project's pages."),
};
FIELD_TABLE(tenant);

static const struct field tenants_of_in_rows[] = {
    FIELD_TEXTS(struct tenants_of_in, projectIds, 36, 36, LIST_MAX, FIELD_REQUIRED,
                "IDs of the requested projects.", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(tenants_of_in);

static const struct field tenant_list_rows[] = {
    FIELD_OBJECTS(struct tenant_list, tenants, tenant, LIST_MAX, FIELD_REQUIRED,
                  "Those of the projects that exist."),
};
FIELD_TABLE(tenant_list);

static const struct field caller_context_in_rows[] = {
    FIELD_UUID(struct caller_context_in, projectId, FIELD_REQUIRED, "Project of the caller."),
    FIELD_UUID(struct caller_context_in, policyId, 0, "Access policy of the caller's membership."),
};
FIELD_TABLE(caller_context_in);

static const struct field caller_context_out_rows[] = {
    FIELD_TEXT(struct caller_context_out, projectName, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the project.", "Lakeside Clinic"),
    FIELD_TEXT(struct caller_context_out, brandName, 0, BRAND_NAME_MAX, FIELD_CHARACTERS,
               "Name in the branding.", "Lakeside"),
    FIELD_BOOL(struct caller_context_out, suspended, false, 0, "Whether the project is suspended."),
    FIELD_BOOL(struct caller_context_out, readOnly, false, 0, "Whether the project is read-only."),
    FIELD_UUID(struct caller_context_out, policyId, 0,
               "The access policy; absent if the project has no such policy."),
    FIELD_TEXT(struct caller_context_out, policyName, 0, 200, FIELD_CHARACTERS,
               "Name of the access policy.", "Own documents"),
    FIELD_JSON(struct caller_context_out, policyResource, POLICY_JSON_MAX, 0,
               "Rules of the access policy.", "[]"),
    FIELD_JSON(struct caller_context_out, policyIpAccessRule, ADDRESS_JSON_MAX, 0,
               "Network rules of the access policy.", "[]"),
    FIELD_OBJECT(struct caller_context_out, accountPolicy, account_policy, 0,
                 "Account policy of the project."),
};
FIELD_TABLE(caller_context_out);
