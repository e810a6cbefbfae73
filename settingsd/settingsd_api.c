/*
 * settingsd_api.c - the shapes of settingsd's inputs and outputs: bounds, names on the wire, words
 * for OpenAPI.
 *
 * Linked into every program: the gateway validates and documents by these tables, the daemons pack
 * by them.
 */
#include "settingsd/settingsd_api.h"

#include <stdio.h>
#include <string.h>

#include "common/domain/color.h"
#include "common/domain/endpoint.h"
#include "common/domain/language.h"
#include "common/domain/name.h"
#include "common/domain/policy.h"
#include "common/domain/uri.h"

enum {
    POLICY_JSON_MAX = 65536, /* rules of one access policy */
    ADDRESS_JSON_MAX = 16384,
    SETTING_NAME_MAX = 4096, /* a name that is too long is not found, like any unknown one */
    SETTING_TEXT_MAX = 2048,
    LIST_MAX = 1000,
    LANGUAGES_MAX = 100,
    PASSWORD_LENGTH_MAX = 64,
    JWKS_MAX = 16384,
    URI_MAX = 2000,
    URIS_MAX = 32,
    SCOPE_MAX = 128,
    SCOPES_MAX = 64,
    CLIENT_ID_MAX = 255, /* of a request; one that is no identifier is not found */
    PREVIOUS_HOURS = 24, /* that a secret counts on after its exchange */
    PREVIOUS_HOURS_MAX = 24 * 7,
    BRAND_URL_MAX = 500,
    BRAND_INTRO_MAX = 500,
    BRAND_HELP_MAX = 200,
    BRAND_BASE64_MAX = (BRAND_UPLOAD_MAX + 2) / 3 * 4,
};

static const char *const policy_type[] = {"AccessPolicy", NULL};

/* The members of settings_values by kind; tests/unit/test_gateway_openapi.c compares them. */
static const char *const switch_names[] = {"PATIENT_REGISTRATION_ENABLED",
                                           "PATIENT_INVITATION_ENABLED",
                                           "PATIENT_LOGIN_ENABLED",
                                           "PRACTITIONER_REGISTRATION_ENABLED",
                                           "PRACTITIONER_INVITATION_ENABLED",
                                           "PRACTITIONER_LOGIN_ENABLED",
                                           "CLINICIAN_INVITE_ON_BUSINESS_EMAIL",
                                           NULL};
static const char *const value_names[] = {"DEFAULT_PRACTITIONER_ACCESS_POLICY",
                                          "PRACTITIONER_APP_URL", "PATIENT_APP_URL", NULL};

/* What a new tenant code is made of; an existing one is looked up as it is. */
static int check_new_code(const char *value, char why[static 96])
{
    if (value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0')
        return 0;
    snprintf(why, 96, "must consist of lower-case letters, digits and hyphens");
    return -1;
}

/* A scope (RFC 6749, section 3.3). */
static int scope_check(const char *value, char why[static 96])
{
    snprintf(why, 96, "must consist of printable ASCII without space, quote and backslash");
    for (; *value; value++) {
        if (*value <= ' ' || *value > '~' || *value == '"' || *value == '\\')
            return -1;
    }
    return 0;
}

static const char *const client_types[] = {"public", "confidential", NULL};
static const char *const auth_methods[] = {"none", "client_secret_basic", "client_secret_post",
                                           "private_key_jwt", NULL};
static const char *const id_token_algs[] = {"RS256", "ES256", NULL};
static const char *const dpop_choices[] = {"required", "optional", NULL};
static const char *const grant_types[] = {"authorization_code", "refresh_token",
                                          "client_credentials",
                                          "urn:ietf:params:oauth:grant-type:device_code", NULL};

/* ---- routes ---- */

static const struct field organization_code_out_rows[] = {
    FIELD_TEXT(struct organization_code_out, code, 1, 64, FIELD_REQUIRED,
               "Tenant code of the caller's project, as users type it when they sign in.",
               "lakeside"),
    FIELD_UUID(struct organization_code_out, projectId, FIELD_REQUIRED,
               "Project that the code belongs to."),
};
FIELD_TABLE(organization_code_out);

static const struct field organization_code_email_rows[] = {
    FIELD_EMAIL(struct organization_code_email, email, FIELD_REQUIRED | FIELD_SECRET,
                "Who is told the tenant code, when the project maps ORGANIZATION_CODE.",
                "ana@example.org"),
};
FIELD_TABLE(organization_code_email);

#define FIELD_TAGS(s, member, flags_, doc_, example_)                                             \
    FIELD_ROW(s, member, FIELD_TYPE_TEXTS, struct field_texts, .min = 1, .max = LANGUAGE_TAG_MAX, \
              .min_items = 1, .max_items = LANGUAGES_MAX, .pattern = LANGUAGE_PATTERN,            \
              .flags = (flags_) | FIELD_OMIT_EMPTY, .doc = (doc_), .example = (example_))

static const struct field locales_rows[] = {
    FIELD_TAGS(struct locales, languages, FIELD_REQUIRED, "Languages in use (BCP 47).", "en"),
    FIELD_PATTERN(struct locales, defaultLanguage, 2, LANGUAGE_TAG_MAX, NULL, LANGUAGE_PATTERN,
                  FIELD_REQUIRED, "The one of them that is used where a person's is not known.",
                  "en"),
    FIELD_ETAG(struct locales),
};
FIELD_TABLE(locales);

static const struct field locales_in_rows[] = {
    FIELD_TAGS(struct locales_in, languages, 0,
               "All languages in use (BCP 47), each once; absent: as they are.", "en"),
    FIELD_PATTERN(struct locales_in, defaultLanguage, 1, LANGUAGE_TAG_MAX, NULL, LANGUAGE_PATTERN,
                  0, "One of the languages; absent: as it is.", "en"),
    FIELD_IF_MATCH(struct locales_in, "the languages"),
};
FIELD_TABLE(locales_in);

static const struct field settings_values_rows[] = {
    FIELD_BOOL(struct settings_values, PATIENT_REGISTRATION_ENABLED, false, FIELD_REQUIRED,
               "Patients may register themselves. Behaves as on while it was never written."),
    FIELD_BOOL(struct settings_values, PATIENT_INVITATION_ENABLED, false, FIELD_REQUIRED,
               "Patients may be invited. Behaves as on while it was never written."),
    FIELD_BOOL(struct settings_values, PATIENT_LOGIN_ENABLED, false, FIELD_REQUIRED,
               "Patients may sign in. Behaves as on while it was never written."),
    FIELD_BOOL(struct settings_values, PRACTITIONER_REGISTRATION_ENABLED, false, FIELD_REQUIRED,
               "Practitioners may register themselves. Off while it was never written."),
    FIELD_BOOL(struct settings_values, PRACTITIONER_INVITATION_ENABLED, false, FIELD_REQUIRED,
               "Practitioners may be invited. Behaves as on while it was never written."),
    FIELD_BOOL(struct settings_values, PRACTITIONER_LOGIN_ENABLED, false, FIELD_REQUIRED,
               "Practitioners may sign in. Behaves as on while it was never written."),
    FIELD_BOOL(struct settings_values, CLINICIAN_INVITE_ON_BUSINESS_EMAIL, false, FIELD_REQUIRED,
               "A patient registration with a business address becomes a practitioner invitation. "
               "Off while it was never written."),
    FIELD_TEXT(struct settings_values, DEFAULT_PRACTITIONER_ACCESS_POLICY, 0, SETTING_TEXT_MAX,
               FIELD_NULLABLE, "Access policy of practitioners who register or are invited.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct settings_values, PRACTITIONER_APP_URL, 0, SETTING_TEXT_MAX, FIELD_NULLABLE,
               "Address of the practitioners' application, the base of links in mails to them.",
               "https://staff.lakeside.example"),
    FIELD_TEXT(struct settings_values, PATIENT_APP_URL, 0, SETTING_TEXT_MAX, FIELD_NULLABLE,
               "Address of the patients' application, the base of links in mails to them.",
               "https://my.lakeside.example"),
};
FIELD_TABLE(settings_values);

static const struct field settings_record_rows[] = {
    FIELD_UUID(struct settings_record, projectId, FIELD_REQUIRED, "Project of the settings."),
    FIELD_OBJECT(struct settings_record, settings, settings_values, FIELD_REQUIRED,
                 "Every setting there is; one that was never written is false or null."),
    FIELD_TEXT(struct settings_record, defaultPatientAccessPolicy, 0, SETTING_TEXT_MAX,
               FIELD_NULLABLE,
               "Access policy of patients who register; without one nobody can register.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_ETAG(struct settings_record),
};
FIELD_TABLE(settings_record);

static const struct field setting_switch_in_rows[] = {
    FIELD_KNOWN(struct setting_switch_in, name, 1, SETTING_NAME_MAX, switch_names,
                FIELD_PATH | FIELD_REQUIRED, "Name of a switch.", "PATIENT_LOGIN_ENABLED"),
    FIELD_BOOL(struct setting_switch_in, enabled, false, FIELD_REQUIRED, "On or off."),
    FIELD_IF_MATCH(struct setting_switch_in, "the settings"),
};
FIELD_TABLE(setting_switch_in);

static const struct field setting_value_in_rows[] = {
    FIELD_KNOWN(struct setting_value_in, name, 1, SETTING_NAME_MAX, value_names,
                FIELD_PATH | FIELD_REQUIRED, "Name of a text setting.", "PATIENT_APP_URL"),
    FIELD_TEXT(struct setting_value_in, value, 0, SETTING_TEXT_MAX, FIELD_REQUIRED,
               "New value; empty clears the setting.", "https://my.lakeside.example"),
    FIELD_IF_MATCH(struct setting_value_in, "the settings"),
};
FIELD_TABLE(setting_value_in);

static const struct field settings_history_in_rows[] = {
    FIELD_INT(struct settings_history_in, _count, 1, LIST_MAX, 100, FIELD_QUERY, "Changes at most.",
              "100"),
    FIELD_INT(struct settings_history_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY, "Changes to skip.",
              "0"),
};
FIELD_TABLE(settings_history_in);

static const struct field setting_change_rows[] = {
    FIELD_OBJECT(
        struct setting_change, who, reference, FIELD_NULLABLE,
        "Who made the change, named as at that time, or \"\" once the account was erased; null for "
        "the operator."),
    FIELD_TIME(struct setting_change, when, FIELD_REQUIRED, "When it was made."),
    FIELD_TEXT(struct setting_change, name, 1, SETTING_NAME_MAX, FIELD_REQUIRED,
               "What was changed.", "PATIENT_LOGIN_ENABLED"),
    FIELD_JSON(struct setting_change, old, POLICY_JSON_MAX, FIELD_NULLABLE,
               "Value before; null while it was unset.", "true"),
    FIELD_JSON(struct setting_change, new, POLICY_JSON_MAX, FIELD_NULLABLE,
               "Value since; null for unset.", "false"),
};
FIELD_TABLE(setting_change);

static const struct field settings_history_rows[] = {
    FIELD_INT(struct settings_history, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Changes that there are.", "12"),
    FIELD_OBJECTS(struct settings_history, resources, setting_change, LIST_MAX, FIELD_REQUIRED,
                  "Those of this page, newest first."),
};
FIELD_TABLE(settings_history);

/* ---- readiness ---- */

FIELD_DECLARE(template_mapping); /* of maild_api.h, which this file needs nothing else of */

static const struct field readiness_switch_rows[] = {
    FIELD_TEXT(struct readiness_switch, name, 1, 64, FIELD_REQUIRED, "Name of the setting.",
               "PATIENT_LOGIN_ENABLED"),
    FIELD_BOOL(struct readiness_switch, enabled, false, FIELD_REQUIRED,
               "What is in force, also while it was never written."),
    FIELD_BOOL(struct readiness_switch, written, false, FIELD_REQUIRED,
               "It was written; else the default is in force."),
};
FIELD_TABLE(readiness_switch);

static const struct field readiness_policy_rows[] = {
    FIELD_TEXT(struct readiness_policy, name, 1, 64, FIELD_REQUIRED, "Name of the setting.",
               "defaultPatientAccessPolicy"),
    FIELD_TEXT(struct readiness_policy, value, 1, SETTING_TEXT_MAX, FIELD_NULLABLE,
               "The policy; null while there is none.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct readiness_policy, display, 1, 200, FIELD_NULLABLE | FIELD_CHARACTERS,
               "Name of the policy.", "Own documents"),
};
FIELD_TABLE(readiness_policy);

static const struct field readiness_address_rows[] = {
    FIELD_TEXT(struct readiness_address, name, 1, 64, FIELD_REQUIRED, "Name of the setting.",
               "PATIENT_APP_URL"),
    FIELD_TEXT(struct readiness_address, value, 1, SETTING_TEXT_MAX, FIELD_NULLABLE,
               "The address; null while there is none.", "https://my.lakeside.example"),
};
FIELD_TABLE(readiness_address);

static const char *const lack_kinds[] = {"switch",      "policy",         "address",
                                         "template",    "account-policy", "project",
                                         "tenant-code", "language",       NULL};

static const struct field readiness_lack_rows[] = {
    FIELD_CHOICE(struct readiness_lack, kind, lack_kinds, FIELD_REQUIRED, "What it is.",
                 "template"),
    FIELD_TEXT(struct readiness_lack, name, 1, 64, FIELD_REQUIRED,
               "Its name; with `language`, of the template that is not there in it.",
               "PATIENT_INVITE"),
    FIELD_TEXT(struct readiness_lack, language, 1, LANGUAGE_TAG_MAX, 0,
               "Language of the project in which the mail is not written.", "de"),
    FIELD_BOOL(struct readiness_lack, blocks, false, FIELD_REQUIRED,
               "The flow does not work without it."),
};
FIELD_TABLE(readiness_lack);

static const struct field readiness_flow_rows[] = {
    FIELD_TEXT(struct readiness_flow, name, 1, 64, FIELD_REQUIRED, "Name of the flow.",
               "patient-invitation"),
    FIELD_BOOL(struct readiness_flow, ready, false, FIELD_REQUIRED,
               "It works: nothing that it lacks blocks it."),
    FIELD_OBJECTS(struct readiness_flow, lacks, readiness_lack, LIST_MAX, FIELD_REQUIRED,
                  "What it lacks."),
};
FIELD_TABLE(readiness_flow);

static const struct field readiness_rows[] = {
    FIELD_UUID(struct readiness, projectId, FIELD_REQUIRED, "The project."),
    FIELD_TEXT(struct readiness, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS, "Its name.",
               "Lakeside North"),
    FIELD_TEXT(struct readiness, tenantCode, 1, 64, FIELD_NULLABLE,
               "Its tenant code; null for a project without one.", "lakeside-north"),
    FIELD_BOOL(struct readiness, suspended, false, FIELD_REQUIRED,
               "It, or a project above it, is suspended."),
    FIELD_TAGS(struct readiness, languages, FIELD_REQUIRED, "Languages in use (BCP 47).", "en"),
    FIELD_TEXT(struct readiness, defaultLanguage, 1, LANGUAGE_TAG_MAX, FIELD_REQUIRED,
               "The one that is used where a person's is not known.", "en"),
    FIELD_OBJECTS(struct readiness, switches, readiness_switch, LIST_MAX, FIELD_REQUIRED,
                  "Every switch."),
    FIELD_OBJECTS(struct readiness, policies, readiness_policy, LIST_MAX, FIELD_REQUIRED,
                  "The policies that new members get."),
    FIELD_OBJECTS(struct readiness, addresses, readiness_address, LIST_MAX, FIELD_REQUIRED,
                  "The applications that links in mails lead to."),
    FIELD_OBJECTS(struct readiness, templates, template_mapping, LIST_MAX, FIELD_REQUIRED,
                  "Every mail template, and in which languages it is mapped."),
    FIELD_OBJECTS(struct readiness, flows, readiness_flow, LIST_MAX, FIELD_REQUIRED,
                  "What people do in the project, and what each lacks to work."),
};
FIELD_TABLE(readiness);

static const struct field default_policy_in_rows[] = {
    FIELD_TEXT(struct default_policy_in, value, 0, SETTING_TEXT_MAX, FIELD_REQUIRED,
               "Policy of the same project for patients who register; empty for none.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_IF_MATCH(struct default_policy_in, "the settings"),
};
FIELD_TABLE(default_policy_in);

static const char *const on_sign_in[] = {"ignore", "mail", "require-change", NULL};
static const char *const mfa_scopes[] = {"none", "admins", "practitioners", "everyone", NULL};

const struct account_policy account_policy_default = {.passwordMinLength = 1,
                                                      .passwordMinLengthWithMfa = 1,
                                                      .onSignIn = "ignore",
                                                      .requireMfa = "none",
                                                      .documentsPerAccount = 10000,
                                                      .bytesPerAccount = 10LL << 30};

bool account_policy_requires_mfa(const struct account_policy *self, const char *role, bool admin)
{
    const char *scope =
        self && self->requireMfa ? self->requireMfa : account_policy_default.requireMfa;
    bool practitioner = strcmp(role, "Practitioner") == 0;

    if (strcmp(scope, "everyone") == 0)
        return true;
    if (strcmp(scope, "practitioners") == 0)
        return practitioner;
    return strcmp(scope, "admins") == 0 && practitioner && admin;
}

static const struct field account_policy_rows[] = {
    FIELD_INT(struct account_policy, passwordMinLength, 1, PASSWORD_LENGTH_MAX, 1, FIELD_REQUIRED,
              "Fewest characters (code points) of a password.", "15"),
    FIELD_INT(struct account_policy, passwordMinLengthWithMfa, 1, PASSWORD_LENGTH_MAX, 1,
              FIELD_REQUIRED, "The same for accounts that requireMfa covers.", "8"),
    FIELD_BOOL(struct account_policy, refuseCommonPasswords, false, FIELD_REQUIRED,
               "Common passwords are refused where one is set."),
    FIELD_CHOICE(struct account_policy, onSignIn, on_sign_in, 0,
                 "What a sign-in with a common password leads to: nothing, a mail to the owner, or "
                 "a refusal until they have set another.",
                 "mail"),
    FIELD_BOOL(struct account_policy, requireVerifiedEmail, false, FIELD_REQUIRED,
               "Signing in needs a verified e-mail address."),
    FIELD_CHOICE(struct account_policy, requireMfa, mfa_scopes, FIELD_REQUIRED,
                 "Who needs a second factor.", "admins"),
    FIELD_BOOL(struct account_policy, mailCode, false, 0, "A mailed code signs in."),
    FIELD_INT(struct account_policy, documentsPerAccount, 0, INT64_MAX, 0,
              FIELD_OMIT_ZERO | FIELD_NULLABLE,
              "Documents that a patient may keep; null: any number.", "10000"),
    FIELD_INT(struct account_policy, bytesPerAccount, 0, INT64_MAX, 0,
              FIELD_OMIT_ZERO | FIELD_NULLABLE,
              "Bytes of documents that a patient may keep; null: any number.", "10737418240"),
    FIELD_INT(struct account_policy, bytesPerProject, 0, INT64_MAX, 0,
              FIELD_OMIT_ZERO | FIELD_NULLABLE,
              "Bytes of documents that all accounts of the project may keep; null: any number.",
              "1099511627776"),
    FIELD_ETAG(struct account_policy),
};
FIELD_TABLE(account_policy);

static const struct field account_policy_in_rows[] = {
    FIELD_INT(struct account_policy_in, passwordMinLength, 1, PASSWORD_LENGTH_MAX, -1,
              FIELD_OMIT_NEGATIVE, "Fewest characters (code points) of a password.", "15"),
    FIELD_INT(struct account_policy_in, passwordMinLengthWithMfa, 1, PASSWORD_LENGTH_MAX, -1,
              FIELD_OMIT_NEGATIVE, "The same for accounts that requireMfa covers.", "8"),
    FIELD_TRISTATE(struct account_policy_in, refuseCommonPasswords, 0,
                   "Common passwords are refused where one is set."),
    FIELD_CHOICE(struct account_policy_in, onSignIn, on_sign_in, 0,
                 "What a sign-in with a common password leads to.", "mail"),
    FIELD_TRISTATE(struct account_policy_in, requireVerifiedEmail, 0,
                   "Signing in needs a verified e-mail address."),
    FIELD_CHOICE(struct account_policy_in, requireMfa, mfa_scopes, 0, "Who needs a second factor.",
                 "admins"),
    FIELD_TRISTATE(struct account_policy_in, mailCode, 0, "A mailed code signs in."),
    FIELD_INT(struct account_policy_in, documentsPerAccount, 0, INT64_MAX, -1,
              FIELD_OMIT_NEGATIVE | FIELD_NULL_ZERO,
              "Documents that a patient may keep; null: any number.", "10000"),
    FIELD_INT(struct account_policy_in, bytesPerAccount, 0, INT64_MAX, -1,
              FIELD_OMIT_NEGATIVE | FIELD_NULL_ZERO,
              "Bytes of documents that a patient may keep; null: any number.", "10737418240"),
    FIELD_INT(struct account_policy_in, bytesPerProject, 0, INT64_MAX, -1,
              FIELD_OMIT_NEGATIVE | FIELD_NULL_ZERO,
              "Bytes of documents that all accounts of the project may keep; null: any number.",
              "1099511627776"),
    FIELD_IF_MATCH(struct account_policy_in, "the policy"),
};
FIELD_TABLE(account_policy_in);

static const struct field project_child_in_rows[] = {
    FIELD_CHECKED(struct project_child_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the new project.", "Lakeside North"),
    FIELD_PATTERN(struct project_child_in, tenantCode, 3, 64, check_new_code, "^[a-z0-9-]{3,64}$",
                  FIELD_NULLABLE, "Tenant code to take; made from the name when absent.",
                  "lakeside-north"),
};
FIELD_TABLE(project_child_in);

static const struct field project_child_out_rows[] = {
    FIELD_UUID(struct project_child_out, projectId, FIELD_REQUIRED, "The new project."),
    FIELD_TEXT(struct project_child_out, tenantCode, 3, 64, FIELD_NULLABLE,
               "Its tenant code; null for a project without one.", "lakeside-north"),
    FIELD_TEXT(struct project_child_out, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Its name.", "Lakeside North"),
};
FIELD_TABLE(project_child_out);

static const struct field id_in_rows[] = {
    FIELD_UUID(struct id_in, id, FIELD_PATH | FIELD_REQUIRED, "Identifier of the resource."),
};
FIELD_TABLE(id_in);

static const struct field access_policy_in_rows[] = {
    FIELD_UUID(struct access_policy_in, id, FIELD_PATH, "The policy to replace."),
    FIELD_CHECKED(struct access_policy_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name for people.", "Own documents"),
    FIELD_JSON_LIST(
        struct access_policy_in, resource, policy_rule, POLICY_JSON_MAX, FIELD_REQUIRED,
        "Rules; what one of them allows is allowed.",
        "[{\"resourceType\":\"DocumentReference\",\"interaction\":[\"read\",\"search\"]}]"),
    FIELD_JSON_LIST(struct access_policy_in, ipAccessRule, address_rule, ADDRESS_JSON_MAX,
                    FIELD_NULLABLE,
                    "Networks from which signing in is allowed or blocked, first match decides.",
                    "[{\"ip\":\"192.0.2.0/24\",\"action\":\"allow\"}]"),
    FIELD_IF_MATCH(struct access_policy_in, "the policy"),
};
FIELD_TABLE(access_policy_in);

static const struct field access_policy_rows[] = {
    FIELD_CHOICE(struct access_policy, resourceType, policy_type, FIELD_REQUIRED,
                 "Always AccessPolicy.", "AccessPolicy"),
    FIELD_UUID(struct access_policy, id, FIELD_REQUIRED, "Identifier of the policy."),
    FIELD_TEXT(struct access_policy, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name for people.", "Own documents"),
    FIELD_JSON_LIST(
        struct access_policy, resource, policy_rule, POLICY_JSON_MAX, FIELD_REQUIRED,
        "Rules; what one of them allows is allowed.",
        "[{\"resourceType\":\"DocumentReference\",\"interaction\":[\"read\",\"search\"]}]"),
    FIELD_JSON_LIST(struct access_policy, ipAccessRule, address_rule, ADDRESS_JSON_MAX, 0,
                    "Networks from which signing in is allowed or blocked; absent: any.",
                    "[{\"ip\":\"192.0.2.0/24\",\"action\":\"allow\"}]"),
    FIELD_ETAG(struct access_policy),
};
FIELD_TABLE(access_policy);

static const struct field access_policy_list_rows[] = {
    FIELD_OBJECTS(struct access_policy_list, resources, access_policy, LIST_MAX, FIELD_REQUIRED,
                  "Policies of the project, by name."),
};
FIELD_TABLE(access_policy_list);

#define PREVIOUS_HOURS_ROW(s)                                             \
    FIELD_INT(s, previousHours, 0, PREVIOUS_HOURS_MAX, PREVIOUS_HOURS, 0, \
              "Hours that the secret it had counts on; 0: it is refused from now on.", "24")

/* The members of struct oauth_settings, which is the struct s itself or, with `at`, a member of
 * it. */
#define OAUTH_ROWS(s, at)                                                                          \
    FIELD_CHOICE(s, FIELD_AS(at type, "type"), client_types, 0,                                    \
                 "Whether it can keep a secret (RFC 6749, section 2.1); absent: public.",          \
                 "confidential"),                                                                  \
        FIELD_CHOICE(s, FIELD_AS(at authMethod, "authMethod"), auth_methods, 0,                    \
                     "How it authenticates (RFC 7591, section 2); absent: none, or for a "         \
                     "confidential one client_secret_basic.",                                      \
                     "client_secret_basic"),                                                       \
        FIELD_JSON_OBJECT(s, FIELD_AS(at jwks, "jwks"), JWKS_MAX, 0,                               \
                          "Its public keys, for private_key_jwt: a JWK set (RFC 7517).",           \
                          "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"1\","            \
                          "\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\","                 \
                          "\"y\":\"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM\"}]}"),             \
        FIELD_CHECKED(s, FIELD_AS(at jwksUri, "jwksUri"), 1, URI_MAX, uri_https_check, 0,          \
                      "Or where they are.", "https://portal.example.com/jwks.json"),               \
        FIELD_ROW(s, FIELD_AS(at redirectUris, "redirectUris"), FIELD_TYPE_TEXTS,                  \
                  struct field_texts, .min = 1, .max = URI_MAX, .max_items = URIS_MAX,             \
                  .check = uri_redirect_check,                                                     \
                  .doc = "Where browsers are sent back to: https, http on 127.0.0.1, [::1] or "    \
                         "localhost with any port, or a scheme of its own with a dot.",            \
                  .example = "https://portal.example.com/callback"),                               \
        FIELD_ROW(s, FIELD_AS(at grantTypes, "grantTypes"), FIELD_TYPE_TEXTS, struct field_texts,  \
                  .max = 64, .max_items = 4, .choices = grant_types,                               \
                  .doc = "How it may get tokens; none: it cannot.",                                \
                  .example = "authorization_code"),                                                \
        FIELD_ROW(s, FIELD_AS(at scopes, "scopes"), FIELD_TYPE_TEXTS, struct field_texts,          \
                  .min = 1, .max = SCOPE_MAX, .max_items = SCOPES_MAX, .check = scope_check,       \
                  .doc = "Scopes that it may ask for.", .example = "openid"),                      \
        FIELD_ROW(s, FIELD_AS(at audiences, "audiences"), FIELD_TYPE_TEXTS, struct field_texts,    \
                  .min = 1, .max = URI_MAX, .max_items = URIS_MAX, .check = uri_resource_check,    \
                  .doc = "Resources that its access tokens may be for (RFC 8707).",                \
                  .example = "https://fhir.example.com/r4"),                                       \
        FIELD_ROW(s, FIELD_AS(at postLogoutRedirectUris, "postLogoutRedirectUris"),                \
                  FIELD_TYPE_TEXTS, struct field_texts, .min = 1, .max = URI_MAX,                  \
                  .max_items = URIS_MAX, .check = uri_redirect_check,                              \
                  .doc = "Where browsers may be sent to after signing out.",                       \
                  .example = "https://portal.example.com/"),                                       \
        FIELD_CHECKED(s, FIELD_AS(at backchannelLogoutUri, "backchannelLogoutUri"), 1, URI_MAX,    \
                      uri_https_check, 0,                                                          \
                      "Is told when a session ends (Back-Channel Logout 1.0).",                    \
                      "https://portal.example.com/backchannel"),                                   \
        FIELD_CHOICE(s, FIELD_AS(at dpop, "dpop"), dpop_choices, 0,                                \
                     "Whether its tokens must be bound to a key (RFC 9449); absent: optional.",    \
                     "optional"),                                                                  \
        FIELD_CHOICE(s, FIELD_AS(at idTokenAlg, "idTokenAlg"), id_token_algs, 0,                   \
                     "What its ID tokens are signed with; absent: RS256.", "RS256"),               \
        FIELD_BOOL(                                                                                \
            s, FIELD_AS(at firstParty, "firstParty"), false, 0,                                    \
            "It is the project's own: people are not asked for their consent, and its tokens "     \
            "may be for Atrium's API."),                                                           \
        FIELD_BOOL(s, FIELD_AS(at pkceOptional, "pkceOptional"), false, 0,                         \
                   "PKCE (RFC 7636) is not demanded of it; confidential ones only."),              \
        FIELD_TEXT(s, FIELD_AS(at tosVersion, "tosVersion"), 1, 64, 0,                             \
                   "Version of its terms; another one asks for consent again.", "2026-01"),        \
        FIELD_ROW(s, FIELD_AS(at patientScopes, "patientScopes"), FIELD_TYPE_TEXTS,                \
                  struct field_texts, .min = 1, .max = SCOPE_MAX, .max_items = SCOPES_MAX,         \
                  .check = scope_check, .doc = "SMART scopes that it gets for patients, at most.", \
                  .example = "patient/Observation.rs"),                                            \
        FIELD_ROW(s, FIELD_AS(at practitionerScopes, "practitionerScopes"), FIELD_TYPE_TEXTS,      \
                  struct field_texts, .min = 1, .max = SCOPE_MAX, .max_items = SCOPES_MAX,         \
                  .check = scope_check,                                                            \
                  .doc = "SMART scopes that it gets for practitioners, at most.",                  \
                  .example = "patient/Observation.rs")

static const struct field oauth_settings_rows[] = {OAUTH_ROWS(struct oauth_settings, )};
FIELD_TABLE(oauth_settings);

static const struct field client_in_rows[] = {
    FIELD_UUID(struct client_in, id, FIELD_PATH, "The client application to replace."),
    FIELD_CHECKED(struct client_in, name, 1, 200, name_check, FIELD_REQUIRED | FIELD_CHARACTERS,
                  "Name of the application.", "Patient portal"),
    OAUTH_ROWS(struct client_in, settings.),
    FIELD_IF_MATCH(struct client_in, "the registration"),
};
FIELD_TABLE(client_in);

static const struct field client_rows[] = {
    FIELD_UUID(struct client, id, FIELD_REQUIRED,
               "The clientId that the application signs in with."),
    FIELD_TEXT(struct client, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the application.", "Patient portal"),
    FIELD_TIME(struct client, lastUpdated, FIELD_REQUIRED, "When it was made or last replaced."),
    FIELD_CHOICE(struct client, type, client_types, 0, "Whether it can keep a secret.", "public"),
    FIELD_CHOICE(struct client, authMethod, auth_methods, 0, "How it authenticates.", "none"),
    FIELD_JSON_TEXTS(struct client, grantTypes, 1024, 0, "How it may get tokens.",
                     "[\"authorization_code\"]"),
    FIELD_BOOL(struct client, firstParty, false, 0, "It is the project's own."),
};
FIELD_TABLE(client);

static const struct field client_record_rows[] = {
    FIELD_UUID(struct client_record, id, FIELD_REQUIRED,
               "The clientId, and `client_id`, that the application signs in with."),
    FIELD_TEXT(struct client_record, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the application.", "Patient portal"),
    FIELD_TIME(struct client_record, lastUpdated, FIELD_REQUIRED,
               "When it was made or last replaced."),
    OAUTH_ROWS(struct client_record, settings.),
    FIELD_TIME(struct client_record, secretCreatedAt, FIELD_NULLABLE,
               "When its secret was made; null: it has none."),
    FIELD_TIME(struct client_record, previousSecretUntil, FIELD_NULLABLE,
               "Until when the secret before counts, too; null: it does not."),
    FIELD_TEXT(struct client_record, secret, 0, 64, FIELD_SECRET,
               "Its `client_secret`; only in the answer that makes it.",
               "atcs_C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE"),
    FIELD_ETAG(struct client_record),
};
FIELD_TABLE(client_record);

static const struct field client_secret_in_rows[] = {
    FIELD_UUID(struct client_secret_in, id, FIELD_PATH | FIELD_REQUIRED, "The client application."),
    PREVIOUS_HOURS_ROW(struct client_secret_in),
};
FIELD_TABLE(client_secret_in);

static const struct field client_list_rows[] = {
    FIELD_OBJECTS(struct client_list, resources, client, LIST_MAX, FIELD_REQUIRED,
                  "Client applications of the project, by name."),
};
FIELD_TABLE(client_list);

/* ---- between daemons ---- */

static const struct field tenant_lookup_in_rows[] = {
    FIELD_TEXT(struct tenant_lookup_in, tenantCode, 0, 64, 0, "Code of the project.", "lakeside"),
    FIELD_UUID(struct tenant_lookup_in, projectId, 0, "Or its identifier."),
    FIELD_BOOL(struct tenant_lookup_in, branding, false, 0, "With its branding, by code."),
};
FIELD_TABLE(tenant_lookup_in);

static const struct field client_lookup_in_rows[] = {
    FIELD_UUID(struct client_lookup_in, clientId, FIELD_REQUIRED, "The client application."),
};
FIELD_TABLE(client_lookup_in);

static const struct field oauth_client_get_in_rows[] = {
    FIELD_UUID(struct oauth_client_get_in, projectId, FIELD_REQUIRED, "The project."),
    FIELD_TEXT(struct oauth_client_get_in, clientId, 0, CLIENT_ID_MAX, FIELD_REQUIRED,
               "The `client_id` of a request.", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(oauth_client_get_in);

static const struct field oauth_client_rows[] = {
    FIELD_TEXT(struct oauth_client, clientId, 1, CLIENT_ID_MAX, FIELD_REQUIRED, "Its `client_id`.",
               "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct oauth_client, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the application.", "Patient portal"),
    FIELD_UUID(struct oauth_client, projectId, FIELD_REQUIRED, "The project."),
    FIELD_OBJECT(struct oauth_client, settings, oauth_settings, FIELD_REQUIRED, "What it may do."),
    FIELD_BYTES(struct oauth_client, secretHash, 32, 0, "SHA-256 of its secret."),
    FIELD_BYTES(struct oauth_client, previousHash, 32, 0, "SHA-256 of the secret before."),
    FIELD_INT(struct oauth_client, previousUntil, 0, INT64_MAX, 0, 0,
              "Until when the secret before counts.", "0"),
};
FIELD_TABLE(oauth_client);

/* ---- branding ---- */

static const struct field branding_text_rows[] = {
    FIELD_TEXT(struct branding_text, language, 1, LANGUAGE_TAG_MAX, FIELD_REQUIRED,
               "A language of the project.", "en"),
    FIELD_CHECKED(struct branding_text, intro, 1, BRAND_INTRO_MAX, name_check,
                  FIELD_CHARACTERS | FIELD_NULLABLE, "Stands above the form that signs in.",
                  "Sign in to see your appointments."),
    FIELD_CHECKED(struct branding_text, help, 1, BRAND_HELP_MAX, name_check,
                  FIELD_CHARACTERS | FIELD_NULLABLE, "Stands below every page.",
                  "Help: +1 555 0100, Monday to Friday"),
};
FIELD_TABLE(branding_text);

#define BRANDING_ROWS(s)                                                                  \
    FIELD_CHECKED(s, name, 1, 80, name_check, FIELD_CHARACTERS | FIELD_NULLABLE,          \
                  "Stands on the pages in the place of the project's name.", "Lakeside"), \
        FIELD_CHECKED(s, colorLight, 7, 7, color_light_check, FIELD_NULLABLE,             \
                      "Colour of buttons and links by day, as #rrggbb.", "#0b5cad"),      \
        FIELD_CHECKED(s, colorDark, 7, 7, color_dark_check, FIELD_NULLABLE,               \
                      "The same in the dark colour scheme.", "#8fc1f5"),                  \
        FIELD_CHECKED(s, imprintUrl, 1, BRAND_URL_MAX, uri_https_check, FIELD_NULLABLE,   \
                      "Who is behind the pages.", "https://lakeside.example/imprint"),    \
        FIELD_CHECKED(s, privacyUrl, 1, BRAND_URL_MAX, uri_https_check, FIELD_NULLABLE,   \
                      "What is done with the data of people.",                            \
                      "https://lakeside.example/privacy"),                                \
        FIELD_OBJECTS(s, texts, branding_text, LANGUAGES_MAX, 0,                          \
                      "What the pages say besides, a row for each language.")

static const struct field branding_rows[] = {
    BRANDING_ROWS(struct branding),
    FIELD_TEXT(struct branding, logo, 1, 64, FIELD_NULLABLE,
               "The version of the logo; null while there is none.",
               "3c1a7b5e2f904d68a1b2c3d4e5f60718"),
    FIELD_TEXT(struct branding, style, 1, 64, FIELD_NULLABLE,
               "The version of brand.css; null while there are no colours.",
               "9a0b1c2d3e4f5061728394a5b6c7d8e9"),
    FIELD_ETAG(struct branding),
};
FIELD_TABLE(branding);

static const struct field branding_in_rows[] = {
    BRANDING_ROWS(struct branding_in),
    FIELD_IF_MATCH(struct branding_in, "the branding"),
};
FIELD_TABLE(branding_in);

static const struct field brand_logo_in_rows[] = {
    FIELD_TEXT(struct brand_logo_in, image, 4, BRAND_BASE64_MAX, FIELD_REQUIRED,
               "A picture of at most 512 KiB in base64: PNG, JPEG, WebP, GIF, HEIF or AVIF.",
               "iVBORw0KGgo="),
    FIELD_IF_MATCH(struct brand_logo_in, "the branding"),
};
FIELD_TABLE(brand_logo_in);

static const struct field brand_logo_delete_in_rows[] = {
    FIELD_IF_MATCH(struct brand_logo_delete_in, "the branding"),
};
FIELD_TABLE(brand_logo_delete_in);

static const struct field brand_in_rows[] = {
    FIELD_TEXT(struct brand_in, tenantCode, 1, 256, FIELD_PATH | FIELD_REQUIRED,
               "The tenant's code.", ""),
    FIELD_ENDPOINT(struct brand_in),
    FIELD_TEXT(struct brand_in, v, 0, 64, 0, "The version that a page names.", ""),
};
FIELD_TABLE(brand_in);

static const struct field tenant_rows[] = {
    FIELD_UUID(struct tenant, projectId, FIELD_REQUIRED, "The project."),
    FIELD_UUID(struct tenant, parentId, 0, "Project that it is a child of."),
    FIELD_UUID(struct tenant, rootId, 0, "Project at the top of its tree."),
    FIELD_TEXT(struct tenant, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS, "Its name.",
               "Lakeside Clinic"),
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
    FIELD_UUID(struct tenant, defaultPatientPolicy, 0, "Policy of patients who register."),
    FIELD_UUID(struct tenant, defaultPractitionerPolicy, 0,
               "Policy of practitioners who register."),
    FIELD_TEXT(struct tenant, patientAppUrl, 0, SETTING_TEXT_MAX, 0, "Patients' application.",
               "https://my.lakeside.example"),
    FIELD_TEXT(struct tenant, practitionerAppUrl, 0, SETTING_TEXT_MAX, 0,
               "Practitioners' application.", "https://staff.lakeside.example"),
    FIELD_TEXT(struct tenant, defaultLanguage, 0, LANGUAGE_TAG_MAX, 0, "Its default language.",
               "en"),
    FIELD_TIME(struct tenant, createdAt, 0, "When it was made."),
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

static const struct field project_create_in_rows[] = {
    FIELD_CHECKED(struct project_create_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the project.", "Lakeside Clinic"),
    FIELD_CHECKED(struct project_create_in, tenantCode, 3, 64, check_new_code, 0,
                  "Code to take; made from the name when absent.", "lakeside"),
    FIELD_BOOL(struct project_create_in, noCode, false, 0, "Give it no code."),
    FIELD_BOOL(struct project_create_in, strict, false, 0, "Give it the strict account policy."),
};
FIELD_TABLE(project_create_in);

static const struct field project_list_in_rows[] = {
    FIELD_UUID(struct project_list_in, after, 0, "Last project of the page before."),
    FIELD_INT(struct project_list_in, count, 1, LIST_MAX, 100, 0, "Projects on a page.", "100"),
};
FIELD_TABLE(project_list_in);

static const struct field project_suspend_in_rows[] = {
    FIELD_TEXT(struct project_suspend_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_BOOL(struct project_suspend_in, suspended, false, FIELD_REQUIRED, "Suspend, or resume."),
    FIELD_BOOL(struct project_suspend_in, readOnly, false, 0, "Make it read-only instead."),
};
FIELD_TABLE(project_suspend_in);

static const struct field project_tree_out_rows[] = {
    FIELD_TEXTS(struct project_tree_out, projectIds, 36, 36, PROJECT_TREE_MAX, FIELD_REQUIRED,
                "The project, and those below it.", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(project_tree_out);

static const struct field project_delete_in_rows[] = {
    FIELD_TEXT(struct project_delete_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
};
FIELD_TABLE(project_delete_in);

static const struct field project_deletion_in_rows[] = {
    FIELD_UUID(struct project_deletion_in, projectId, FIELD_REQUIRED, "The project."),
};
FIELD_TABLE(project_deletion_in);

static const struct field deletion_part_rows[] = {
    FIELD_TEXT(struct deletion_part, service, 1, 64, FIELD_REQUIRED, "Service", "docd"),
    FIELD_INT(struct deletion_part, removed, 0, INT64_MAX, 0, 0, "Rows that it has deleted", "100"),
    FIELD_BOOL(struct deletion_part, done, false, 0, "It has nothing more of the project"),
    FIELD_TEXT(struct deletion_part, lastError, 0, 400, 0, "Why its last call failed",
               "The service is not available."),
};
FIELD_TABLE(deletion_part);

static const struct field project_deletion_rows[] = {
    FIELD_UUID(struct project_deletion, projectId, FIELD_REQUIRED, "The project."),
    FIELD_TEXT(struct project_deletion, tenantCode, 0, 64, 0, "Its code.", "lakeside"),
    FIELD_BOOL(struct project_deletion, done, false, 0, "It is gone, and its code is free."),
    FIELD_OBJECTS(struct project_deletion, parts, deletion_part, 16, 0, "Of each service."),
};
FIELD_TABLE(project_deletion);

static const struct field operator_policy_default_in_rows[] = {
    FIELD_TEXT(struct operator_policy_default_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_TEXT(struct operator_policy_default_in, value, 0, SETTING_TEXT_MAX, FIELD_REQUIRED,
               "Policy of patients who register; empty for none.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(operator_policy_default_in);

static const struct field operator_policy_put_in_rows[] = {
    FIELD_TEXT(struct operator_policy_put_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_UUID(struct operator_policy_put_in, id, 0, "Policy to replace; absent: a new one."),
    FIELD_CHECKED(struct operator_policy_put_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name for people.", "Own documents"),
    FIELD_JSON(struct operator_policy_put_in, resource, POLICY_JSON_MAX, FIELD_REQUIRED, "Rules.",
               "[]"),
    FIELD_JSON(struct operator_policy_put_in, ipAccessRule, ADDRESS_JSON_MAX, 0, "Networks.", "[]"),
};
FIELD_TABLE(operator_policy_put_in);

static const struct field operator_client_create_in_rows[] = {
    FIELD_TEXT(struct operator_client_create_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_CHECKED(struct operator_client_create_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the application.", "Patient portal"),
};
FIELD_TABLE(operator_client_create_in);

static const struct field operator_client_put_in_rows[] = {
    FIELD_TEXT(struct operator_client_put_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_UUID(struct operator_client_put_in, id, 0,
               "The client application to replace; absent: a new one."),
    FIELD_CHECKED(struct operator_client_put_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the application.", "Patient portal"),
    FIELD_OBJECT(struct operator_client_put_in, settings, oauth_settings, 0, "What it may do."),
};
FIELD_TABLE(operator_client_put_in);

static const struct field operator_client_in_rows[] = {
    FIELD_TEXT(struct operator_client_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_UUID(struct operator_client_in, id, FIELD_REQUIRED, "The client application."),
};
FIELD_TABLE(operator_client_in);

static const struct field operator_client_secret_in_rows[] = {
    FIELD_TEXT(struct operator_client_secret_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_UUID(struct operator_client_secret_in, id, FIELD_REQUIRED, "The client application."),
    PREVIOUS_HOURS_ROW(struct operator_client_secret_in),
};
FIELD_TABLE(operator_client_secret_in);

static const struct field operator_delete_in_rows[] = {
    FIELD_TEXT(struct operator_delete_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_UUID(struct operator_delete_in, id, FIELD_REQUIRED, "What to delete."),
};
FIELD_TABLE(operator_delete_in);

static const struct field operator_locales_in_rows[] = {
    FIELD_TEXT(struct operator_locales_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_TEXTS_FILLED(struct operator_locales_in, languages, 1, LANGUAGE_TAG_MAX, LANGUAGES_MAX, 0,
                       "All languages in use; absent: as they are.", "pt-BR"),
    FIELD_TEXT(struct operator_locales_in, defaultLanguage, 1, LANGUAGE_TAG_MAX, 0,
               "One of the languages; absent: as it is.", "en"),
};
FIELD_TABLE(operator_locales_in);

static const struct field operator_setting_in_rows[] = {
    FIELD_TEXT(struct operator_setting_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_TEXT(struct operator_setting_in, name, 1, 100, FIELD_REQUIRED, "Name of a text setting.",
               "PATIENT_APP_URL"),
    FIELD_TEXT(struct operator_setting_in, value, 0, SETTING_TEXT_MAX, FIELD_REQUIRED,
               "New value; empty clears it.", "https://my.lakeside.example"),
};
FIELD_TABLE(operator_setting_in);

static const struct field operator_switch_in_rows[] = {
    FIELD_TEXT(struct operator_switch_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_TEXT(struct operator_switch_in, name, 1, 100, FIELD_REQUIRED, "Name of a switch.",
               "PATIENT_LOGIN_ENABLED"),
    FIELD_BOOL(struct operator_switch_in, enabled, false, FIELD_REQUIRED, "New state."),
};
FIELD_TABLE(operator_switch_in);

static const struct field operator_account_policy_in_rows[] = {
    FIELD_TEXT(struct operator_account_policy_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_OBJECT(struct operator_account_policy_in, policy, account_policy_in, FIELD_REQUIRED,
                 "Members to write."),
};
FIELD_TABLE(operator_account_policy_in);

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
