/* setting_api.h - a project's settings and languages, their history, and what its flows lack. */
#ifndef ATRIUM_SETTINGSD_SETTING_API_H
#define ATRIUM_SETTINGSD_SETTING_API_H

#include "common/wire/fields.h"

struct locales {
    struct field_texts languages;
    const char *defaultLanguage;
    const char *etag; /* tag of this setting alone: other settings do not change it */
};
FIELD_DECLARE(locales);

struct locales_in {
    struct field_texts languages; /* empty: unchanged */
    const char *defaultLanguage;  /* NULL: unchanged */
    const char *ifMatch;
};
FIELD_DECLARE(locales_in);

/* Unset switches are false and unset texts null here; only struct tenant has defaults. */
struct settings_values {
    bool PATIENT_REGISTRATION_ENABLED, PATIENT_INVITATION_ENABLED, PATIENT_LOGIN_ENABLED;
    bool PRACTITIONER_REGISTRATION_ENABLED, PRACTITIONER_INVITATION_ENABLED,
        PRACTITIONER_LOGIN_ENABLED;
    bool CLINICIAN_INVITE_ON_BUSINESS_EMAIL, inheritProviders;
    const char *DEFAULT_PRACTITIONER_ACCESS_POLICY, *PRACTITIONER_APP_URL, *PATIENT_APP_URL;
};
FIELD_DECLARE(settings_values);

struct settings_record {
    struct uuid projectId;
    const struct settings_values *settings;
    const char *defaultPatientAccessPolicy; /* "AccessPolicy/<id>" or null */
    const char *etag;                       /* quoted */
};
FIELD_DECLARE(settings_record);

struct setting_switch_in {
    const char *name; /* path */
    bool enabled;
    const char *ifMatch;
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
    const struct reference *who; /* NULL: operator */
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

/* ---- readiness ---- */

struct readiness_switch {
    const char *name;
    bool enabled; /* the value that applies now */
    bool written; /* false: not set, so it is the default */
};
FIELD_DECLARE(readiness_switch);

struct readiness_policy {
    const char *name;            /* name of the setting */
    const char *value, *display; /* "AccessPolicy/<id>" and its name, or NULL */
};
FIELD_DECLARE(readiness_policy);

struct readiness_address {
    const char *name;  /* name of the setting */
    const char *value; /* or NULL */
};
FIELD_DECLARE(readiness_address);

struct readiness_lack {
    const char *kind, *name;
    const char *language; /* for kind "language" */
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
    const char *name, *tenantCode; /* tenantCode: or NULL */
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

#endif
