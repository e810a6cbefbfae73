/*
 * setting_names.c - see setting_names.h.
 */
#include "settingsd/setting_names.h"

#include <string.h>

#include "common/domain/uri.h"

enum { URL_MAX = 2048 };

static const struct setting settings[] = {
    {"PATIENT_REGISTRATION_ENABLED", SETTING_SWITCH, false},
    {"PATIENT_INVITATION_ENABLED", SETTING_SWITCH, false},
    {"PATIENT_LOGIN_ENABLED", SETTING_SWITCH, false},
    {"PRACTITIONER_REGISTRATION_ENABLED", SETTING_SWITCH, false},
    {"PRACTITIONER_INVITATION_ENABLED", SETTING_SWITCH, false},
    {"PRACTITIONER_LOGIN_ENABLED", SETTING_SWITCH, false},
    {"CLINICIAN_INVITE_ON_BUSINESS_EMAIL", SETTING_SWITCH, false},
    {"inheritProviders", SETTING_SWITCH, false},
    {"DEFAULT_PRACTITIONER_ACCESS_POLICY", SETTING_POLICY, false},
    {"PRACTITIONER_APP_URL", SETTING_URL, false},
    {"PATIENT_APP_URL", SETTING_URL, false},
    {SETTING_DEFAULT_PATIENT_POLICY, SETTING_POLICY, true},
};

const struct setting *setting_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    }
    return NULL;
}

bool setting_is_url(const char *text)
{
    char why[96];

    return strlen(text) <= URL_MAX && uri_app_check(text, why) == 0;
}
