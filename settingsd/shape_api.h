/* shape_api.h - bounds that several files of settingsd's shapes share (*_api.c). */
#ifndef ATRIUM_SETTINGSD_SHAPE_API_H
#define ATRIUM_SETTINGSD_SHAPE_API_H

enum {
    POLICY_JSON_MAX = 65536, /* rules of one access policy */
    ADDRESS_JSON_MAX = 16384,
    SETTING_TEXT_MAX = 2048,
    LIST_MAX = 1000,
    LANGUAGES_MAX = 100,
};

#endif
