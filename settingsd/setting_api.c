/* setting_api.c - see setting_api.h. */
#include "settingsd/setting_api.h"

#include "common/domain/language.h"
#include "common/domain/reference.h"
#include "settingsd/shape_api.h"

enum {
    SETTING_NAME_MAX = 4096, /* longer names are not found */
};

/* Members of settings_values by kind; tests/unit/test_gateway_openapi.c compares them. */
static const char *const switch_names[] = {"PATIENT_REGISTRATION_ENABLED",
                                           "PATIENT_INVITATION_ENABLED",
                                           "PATIENT_LOGIN_ENABLED",
                                           "PRACTITIONER_REGISTRATION_ENABLED",
                                           "PRACTITIONER_INVITATION_ENABLED",
                                           "PRACTITIONER_LOGIN_ENABLED",
                                           "CLINICIAN_INVITE_ON_BUSINESS_EMAIL",
                                           "inheritProviders",
                                           NULL};
static const char *const value_names[] = {"DEFAULT_PRACTITIONER_ACCESS_POLICY",
                                          "PRACTITIONER_APP_URL", "PATIENT_APP_URL", NULL};

#define FIELD_TAGS(s, member, flags_, doc_, example_)                                             \
    FIELD_ROW(s, member, FIELD_TYPE_TEXTS, struct field_texts, .min = 1, .max = LANGUAGE_TAG_MAX, \
              .min_items = 1, .max_items = LANGUAGES_MAX, .pattern = LANGUAGE_PATTERN,            \
              .flags = (flags_) | FIELD_OMIT_EMPTY, .doc = (doc_), .example = (example_))

static const struct field locales_rows[] = {
    FIELD_TAGS(struct locales, languages, FIELD_REQUIRED, "Languages in use (BCP 47).", "en"),
    FIELD_PATTERN(struct locales, defaultLanguage, 2, LANGUAGE_TAG_MAX, NULL, LANGUAGE_PATTERN,
                  FIELD_REQUIRED, "Language for people whose language is unknown.", "en"),
    FIELD_ETAG(struct locales),
};
FIELD_TABLE(locales);

static const struct field locales_in_rows[] = {
    FIELD_TAGS(struct locales_in, languages, 0,
               "All languages in use (BCP 47), each once. If absent, they don't change.", "en"),
    FIELD_PATTERN(struct locales_in, defaultLanguage, 1, LANGUAGE_TAG_MAX, NULL, LANGUAGE_PATTERN,
                  0, "One of the languages. If absent, it doesn't change.", "en"),
    FIELD_IF_MATCH(struct locales_in, "the languages"),
};
FIELD_TABLE(locales_in);

static const struct field settings_values_rows[] = {
    FIELD_BOOL(struct settings_values, PATIENT_REGISTRATION_ENABLED, false, FIELD_REQUIRED,
               "Whether patients can register. If not set, they can."),
    FIELD_BOOL(struct settings_values, PATIENT_INVITATION_ENABLED, false, FIELD_REQUIRED,
               "Whether patients can be invited. If not set, they can."),
    FIELD_BOOL(struct settings_values, PATIENT_LOGIN_ENABLED, false, FIELD_REQUIRED,
               "Whether patients can sign in. If not set, they can."),
    FIELD_BOOL(struct settings_values, PRACTITIONER_REGISTRATION_ENABLED, false, FIELD_REQUIRED,
               "Whether practitioners can register. If not set, they can't."),
    FIELD_BOOL(struct settings_values, PRACTITIONER_INVITATION_ENABLED, false, FIELD_REQUIRED,
               "Whether practitioners can be invited. If not set, they can."),
    FIELD_BOOL(struct settings_values, PRACTITIONER_LOGIN_ENABLED, false, FIELD_REQUIRED,
               "Whether practitioners can sign in. If not set, they can."),
    FIELD_BOOL(struct settings_values, CLINICIAN_INVITE_ON_BUSINESS_EMAIL, false, FIELD_REQUIRED,
               "Whether a patient who registers with a business email address is invited as a "
               "practitioner instead. If not set, no."),
    FIELD_BOOL(struct settings_values, inheritProviders, false, FIELD_REQUIRED,
               "Whether people can also sign in with identity providers of the projects above this "
               "one. If not set, they can."),
    FIELD_TEXT(struct settings_values, DEFAULT_PRACTITIONER_ACCESS_POLICY, 0, SETTING_TEXT_MAX,
               FIELD_NULLABLE, "Access policy of practitioners who register or are invited.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct settings_values, PRACTITIONER_APP_URL, 0, SETTING_TEXT_MAX, FIELD_NULLABLE,
               "URL of the practitioners' application, to which links in their emails lead.",
               "https://staff.lakeside.example"),
    FIELD_TEXT(struct settings_values, PATIENT_APP_URL, 0, SETTING_TEXT_MAX, FIELD_NULLABLE,
               "URL of the patients' application, to which links in their emails lead.",
               "https://my.lakeside.example"),
};
FIELD_TABLE(settings_values);

static const struct field settings_record_rows[] = {
    FIELD_UUID(struct settings_record, projectId, FIELD_REQUIRED, "ID of the project.",
               "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02"),
    FIELD_OBJECT(struct settings_record, settings, settings_values, FIELD_REQUIRED,
                 "Every setting; one that is not set is false or null."),
    FIELD_TEXT(struct settings_record, defaultPatientAccessPolicy, 0, SETTING_TEXT_MAX,
               FIELD_NULLABLE,
               "Access policy of patients who register. Without one, patients can't register.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_ETAG(struct settings_record),
};
FIELD_TABLE(settings_record);

static const struct field setting_switch_in_rows[] = {
    FIELD_KNOWN(struct setting_switch_in, name, 1, SETTING_NAME_MAX, switch_names,
                FIELD_PATH | FIELD_REQUIRED, "Name of an on/off setting.", "PATIENT_LOGIN_ENABLED"),
    FIELD_BOOL(struct setting_switch_in, enabled, false, FIELD_REQUIRED,
               "Whether the setting is on."),
    FIELD_IF_MATCH(struct setting_switch_in, "the settings"),
};
FIELD_TABLE(setting_switch_in);

static const struct field setting_value_in_rows[] = {
    FIELD_KNOWN(struct setting_value_in, name, 1, SETTING_NAME_MAX, value_names,
                FIELD_PATH | FIELD_REQUIRED, "Name of a text setting.", "PATIENT_APP_URL"),
    FIELD_TEXT(struct setting_value_in, value, 0, SETTING_TEXT_MAX, FIELD_REQUIRED,
               "New value; an empty text clears the setting.", "https://my.lakeside.example"),
    FIELD_IF_MATCH(struct setting_value_in, "the settings"),
};
FIELD_TABLE(setting_value_in);

static const struct field settings_history_in_rows[] = {
    FIELD_INT(struct settings_history_in, _count, 1, LIST_MAX, 100, FIELD_QUERY,
              "Maximum number of changes to return.", "100"),
    FIELD_INT(struct settings_history_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY,
              "Number of changes to skip.", "0"),
};
FIELD_TABLE(settings_history_in);

static const struct field setting_change_rows[] = {
    FIELD_OBJECT(struct setting_change, who, reference, FIELD_NULLABLE,
                 "Who made the change, with the name at that time (\"\" if the account was "
                 "erased); null for an operator."),
    FIELD_TIME(struct setting_change, when, FIELD_REQUIRED, "When the setting was changed."),
    FIELD_TEXT(struct setting_change, name, 1, SETTING_NAME_MAX, FIELD_REQUIRED,
               "Name of the setting.", "PATIENT_LOGIN_ENABLED"),
    FIELD_JSON(struct setting_change, old, POLICY_JSON_MAX, FIELD_NULLABLE,
               "Previous value; null if the setting was not set.", "true"),
    FIELD_JSON(struct setting_change, new, POLICY_JSON_MAX, FIELD_NULLABLE,
               "New value; null if the setting was cleared.", "false"),
};
FIELD_TABLE(setting_change);

static const struct field settings_history_rows[] = {
    FIELD_INT(struct settings_history, total, 0, INT64_MAX, 0, FIELD_REQUIRED, "Number of changes.",
              "12"),
    FIELD_OBJECTS(struct settings_history, resources, setting_change, LIST_MAX, FIELD_REQUIRED,
                  "Changes on this page, newest first."),
};
FIELD_TABLE(settings_history);

FIELD_DECLARE(template_mapping); /* from maild_api.h, which is not needed otherwise */

static const struct field readiness_switch_rows[] = {
    FIELD_TEXT(struct readiness_switch, name, 1, 64, FIELD_REQUIRED, "Name of the setting.",
               "PATIENT_LOGIN_ENABLED"),
    FIELD_BOOL(struct readiness_switch, enabled, false, FIELD_REQUIRED,
               "Current value, including defaults."),
    FIELD_BOOL(struct readiness_switch, written, false, FIELD_REQUIRED,
               "Whether the setting was set; otherwise it has its default."),
};
FIELD_TABLE(readiness_switch);

static const struct field readiness_policy_rows[] = {
    FIELD_TEXT(struct readiness_policy, name, 1, 64, FIELD_REQUIRED, "Name of the setting.",
               "defaultPatientAccessPolicy"),
    FIELD_TEXT(struct readiness_policy, value, 1, SETTING_TEXT_MAX, FIELD_NULLABLE,
               "The policy; null if not set.", "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct readiness_policy, display, 1, 200, FIELD_NULLABLE | FIELD_CHARACTERS,
               "Name of the policy.", "Own documents"),
};
FIELD_TABLE(readiness_policy);

static const struct field readiness_address_rows[] = {
    FIELD_TEXT(struct readiness_address, name, 1, 64, FIELD_REQUIRED, "Name of the setting.",
               "PATIENT_APP_URL"),
    FIELD_TEXT(struct readiness_address, value, 1, SETTING_TEXT_MAX, FIELD_NULLABLE,
               "The URL; null if not set.", "https://my.lakeside.example"),
};
FIELD_TABLE(readiness_address);

static const char *const lack_kinds[] = {"switch",      "policy",         "address",
                                         "template",    "account-policy", "project",
                                         "tenant-code", "language",       NULL};

static const struct field readiness_lack_rows[] = {
    FIELD_CHOICE(struct readiness_lack, kind, lack_kinds, FIELD_REQUIRED,
                 "Kind of the missing item.", "template"),
    FIELD_TEXT(struct readiness_lack, name, 1, 64, FIELD_REQUIRED,
               "Name of the missing item; with `language`, the name of the template that is "
               "missing in that language.",
               "PATIENT_INVITE"),
    FIELD_TEXT(struct readiness_lack, language, 1, LANGUAGE_TAG_MAX, 0,
               "Language of the project for which there is no template.", "de"),
    FIELD_BOOL(struct readiness_lack, blocks, false, FIELD_REQUIRED,
               "Whether the flow fails without it."),
};
FIELD_TABLE(readiness_lack);

static const struct field readiness_flow_rows[] = {
    FIELD_TEXT(struct readiness_flow, name, 1, 64, FIELD_REQUIRED, "Name of the flow.",
               "patient-invitation"),
    FIELD_BOOL(struct readiness_flow, ready, false, FIELD_REQUIRED, "Whether the flow works.",
               "false"),
    FIELD_OBJECTS(struct readiness_flow, lacks, readiness_lack, LIST_MAX, FIELD_REQUIRED,
                  "What the flow needs."),
};
FIELD_TABLE(readiness_flow);

static const struct field readiness_rows[] = {
    FIELD_UUID(struct readiness, projectId, FIELD_REQUIRED, "ID of the project.",
               "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02"),
    FIELD_TEXT(struct readiness, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the project.", "Lakeside North"),
    FIELD_TEXT(struct readiness, tenantCode, 1, 64, FIELD_NULLABLE,
               "Tenant code of the project; null if it has none.", "lakeside-north"),
    FIELD_BOOL(struct readiness, suspended, false, FIELD_REQUIRED,
               "Whether the project or one above it is suspended.", "false"),
    FIELD_TAGS(struct readiness, languages, FIELD_REQUIRED, "Languages in use (BCP 47).", "en"),
    FIELD_TEXT(struct readiness, defaultLanguage, 1, LANGUAGE_TAG_MAX, FIELD_REQUIRED,
               "Language for people whose language is unknown.", "en"),
    FIELD_OBJECTS(struct readiness, switches, readiness_switch, LIST_MAX, FIELD_REQUIRED,
                  "Every on/off setting."),
    FIELD_OBJECTS(struct readiness, policies, readiness_policy, LIST_MAX, FIELD_REQUIRED,
                  "Access policies of new members."),
    FIELD_OBJECTS(struct readiness, addresses, readiness_address, LIST_MAX, FIELD_REQUIRED,
                  "Application URLs that links in emails lead to."),
    FIELD_OBJECTS(struct readiness, templates, template_mapping, LIST_MAX, FIELD_REQUIRED,
                  "Every mail template, with the languages for which it is set."),
    FIELD_OBJECTS(struct readiness, flows, readiness_flow, LIST_MAX, FIELD_REQUIRED,
                  "Flows such as registration, each with what it needs to work."),
};
FIELD_TABLE(readiness);
