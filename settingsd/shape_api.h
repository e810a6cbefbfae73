/* shape_api.h - limits that several *_api.c share. */
#ifndef ATRIUM_SETTINGSD_SHAPE_API_H
#define ATRIUM_SETTINGSD_SHAPE_API_H

enum {
    POLICY_JSON_MAX = 65536, /* rules of an access policy */
    ADDRESS_JSON_MAX = 16384,
    SETTING_TEXT_MAX = 2048,
    LIST_MAX = 1000,
    LANGUAGES_MAX = 100,
};

#endif
