/*
 * setting_names.h - the settings that exist.
 *
 * To add one: a row in setting_names.c, a member in struct settings_values (setting_api.h) with its
 * field row, its name among those of setting_api.c that the routes take, and its columns in
 * sql/part/: settings.sql and, with its default when unset, tenant.sql. Further
 * places are named by tests/unit/test_settingsd_setting_names.c when it fails.
 */
#ifndef ATRIUM_SETTINGSD_SETTING_NAMES_H
#define ATRIUM_SETTINGSD_SETTING_NAMES_H

#include "common/base/base.h"

enum setting_kind {
    SETTING_SWITCH, /* boolean */
    SETTING_POLICY, /* "AccessPolicy/<id>" of a policy of the same project */
    SETTING_URL,    /* absolute http or https URL */
};

struct setting {
    const char *name;
    enum setting_kind kind;
    bool hidden; /* not reachable through the settings routes */
};

/* Kept among the settings, written by its own route only. */
#define SETTING_DEFAULT_PATIENT_POLICY "defaultPatientAccessPolicy"

/* The setting of that name, or NULL. */
const struct setting *setting_find(const char *name);

/* Whether text is an absolute http(s) URL of at most 2,048 bytes without credentials in it (RFC
 * 3986, section 3). Non-ASCII characters must be escaped or punycode. */
bool setting_is_url(const char *text);

#endif
