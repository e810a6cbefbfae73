/* tenant_api.c - see tenant_api.h. */
#include "settingsd/tenant_api.h"

#include "common/domain/language.h"
#include "settingsd/brand_api.h"
#include "settingsd/policy_api.h"
#include "settingsd/shape_api.h"

static const struct field tenant_lookup_in_rows[] = {
    FIELD_TEXT(struct tenant_lookup_in, tenantCode, 0, 64, 0, "Code of the project.", "lakeside"),
    FIELD_UUID(struct tenant_lookup_in, projectId, 0, "Or its identifier."),
    FIELD_BOOL(struct tenant_lookup_in, branding, false, 0, "With its branding, by code."),
};
FIELD_TABLE(tenant_lookup_in);

static const struct field tenant_rows[] = {
    FIELD_UUID(struct tenant, projectId, FIELD_REQUIRED, "Name of the project."),
    FIELD_UUID(struct tenant, parentId, 0, "Project that it is a child of."),
    FIELD_UUID(struct tenant, rootId, 0, "Project at the top of its tree."),
    FIELD_TEXT(struct tenant, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS, "Its name.",
               "Lakeside Clinic"),
    FIELD_TEXT(struct tenant, brandName, 0, BRAND_NAME_MAX, FIELD_CHARACTERS,
               "The branding's name.", "Lakeside"),
    FIELD_TEXT(struct tenant, tenantCode, 3, 64, 0, "Its code, if it has one.", "lakeside"),
    FIELD_BOOL(struct tenant, suspended, false, 0, "Nobody signs in to it."),
    FIELD_BOOL(struct tenant, readOnly, false, 0, "It is read-only while it moves."),
    FIELD_BOOL(struct tenant, deleting, false, 0, "It is being deleted."),
    FIELD_BOOL(struct tenant, patientRegistration, false, 0, "Patients may register."),
    FIELD_BOOL(struct tenant, patientInvitation, false, 0, "Patients may be invited."),
    FIELD_BOOL(struct tenant, patientLogin, false, 0, "Patients may sign in."),
    FIELD_BOOL(struct tenant, practitionerRegistration, false, 0, "Practitioners may register."),
    FIELD_BOOL(struct tenant, practitionerInvitation, false, 0, "Practitioners may be invited."),
    FIELD_BOOL(struct tenant, practitionerLogin, false, 0, "Practitioners may sign in."),
    FIELD_BOOL(struct tenant, inviteOnBusinessEmail, false, 0,
               "Business addresses become invitations."),
    FIELD_BOOL(struct tenant, inheritProviders, true, 0,
               "People may sign in with the identity providers of its parent."),
    FIELD_UUID(struct tenant, defaultPatientPolicy, 0, "Policy of patients who register."),
    FIELD_UUID(struct tenant, defaultPractitionerPolicy, 0,
               "Policy of practitioners who register."),
    FIELD_TEXT(struct tenant, patientAppUrl, 0, SETTING_TEXT_MAX, 0, "Patients' application.",
               "https://my.lakeside.example"),
    FIELD_TEXT(struct tenant, practitionerAppUrl, 0, SETTING_TEXT_MAX, 0,
               "Practitioners' application.", "https://staff.lakeside.example"),
    FIELD_TEXT(struct tenant, defaultLanguage, 0, LANGUAGE_TAG_MAX, 0, "Its default language.",
               "en"),
    FIELD_TIME(struct tenant, createdAt, 0, "When it was created."),
    FIELD_OBJECT(struct tenant, accountPolicy, account_policy, 0, "What it asks of accounts."),
    FIELD_OBJECT(struct tenant, branding, branding, 0, "How its pages look."),
};
FIELD_TABLE(tenant);

static const struct field tenants_of_in_rows[] = {
    FIELD_TEXTS(struct tenants_of_in, projectIds, 36, 36, LIST_MAX, FIELD_REQUIRED,
                "Projects asked for.", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(tenants_of_in);

static const struct field tenant_list_rows[] = {
    FIELD_OBJECTS(struct tenant_list, tenants, tenant, LIST_MAX, FIELD_REQUIRED,
                  "Those that exist."),
};
FIELD_TABLE(tenant_list);

static const struct field caller_context_in_rows[] = {
    FIELD_UUID(struct caller_context_in, projectId, FIELD_REQUIRED, "Project of the caller."),
    FIELD_UUID(struct caller_context_in, policyId, 0, "Policy of its membership."),
};
FIELD_TABLE(caller_context_in);

static const struct field caller_context_out_rows[] = {
    FIELD_TEXT(struct caller_context_out, projectName, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the project.", "Lakeside Clinic"),
    FIELD_TEXT(struct caller_context_out, brandName, 0, BRAND_NAME_MAX, FIELD_CHARACTERS,
               "The branding's name.", "Lakeside"),
    FIELD_BOOL(struct caller_context_out, suspended, false, 0, "Nobody may use it."),
    FIELD_BOOL(struct caller_context_out, readOnly, false, 0, "Nothing in it may be changed."),
    FIELD_UUID(struct caller_context_out, policyId, 0, "The policy, when the project has it."),
    FIELD_TEXT(struct caller_context_out, policyName, 0, 200, FIELD_CHARACTERS, "Its name.",
               "Own documents"),
    FIELD_JSON(struct caller_context_out, policyResource, POLICY_JSON_MAX, 0, "Its rules.", "[]"),
    FIELD_JSON(struct caller_context_out, policyIpAccessRule, ADDRESS_JSON_MAX, 0, "Its networks.",
               "[]"),
    FIELD_OBJECT(struct caller_context_out, accountPolicy, account_policy, 0,
                 "What the project asks of accounts."),
};
FIELD_TABLE(caller_context_out);
