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

FIELD_DECLARE(template_mapping); /* maild_api.h's, of which nothing else is needed */

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
