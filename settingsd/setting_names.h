/*
 * setting_names.h - the settings.
 *
 * To add one, add a row in setting_names.c, a member in struct settings_values (setting_api.h) with
 * its field row, its name in setting_api.c for the routes, and its columns in sql/part/:
 * settings.sql and, with its default, tenant.sql. tests/unit/test_settingsd_setting_names.c names
 * further places when it fails.
 */
#ifndef ATRIUM_SETTINGSD_SETTING_NAMES_H
#define ATRIUM_SETTINGSD_SETTING_NAMES_H

#include "common/base/base.h"

enum setting_kind {
    SETTING_SWITCH,
    SETTING_POLICY, /* "AccessPolicy/<id>" of the project */
    SETTING_URL,    /* absolute, http or https */
};

struct setting {
    const char *name;
    enum setting_kind kind;
    bool hidden; /* not in the settings routes */
};

/* Stored with the settings, but written by its own route. */
#define SETTING_DEFAULT_PATIENT_POLICY "defaultPatientAccessPolicy"

const struct setting *setting_find(const char *name);

/* True for an absolute http(s) URL of at most 2,048 bytes without credentials (RFC 3986, section
 * 3). Non-ASCII characters must be escaped or punycode. */
bool setting_is_url(const char *text);

#endif
