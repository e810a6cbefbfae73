/* cms_api.h - mapped content: texts of a project, each in some languages. */
#ifndef ATRIUM_DOCD_CMS_API_H
#define ATRIUM_DOCD_CMS_API_H

#include "common/wire/fields.h"

enum { CMS_NAME_MAX = 100, CMS_SECTIONS_MAX = 100, CMS_IMPORT_MAX = 100 };

struct cms_section {
    const char *title, *text; /* title NULL: none */
};
FIELD_DECLARE(cms_section);

struct cms_entry {
    const char *type, *key, *language, *title;
    struct field_list sections; /* struct cms_section */
    const char *author, *code;  /* NULL: none */
    int64_t lastUpdated;
    const char *etag; /* the ETag header, quoted */
};
FIELD_DECLARE(cms_entry);

struct cms_in {
    const char *type, *key, *language; /* path */
};
FIELD_DECLARE(cms_in);

struct cms_put_in {
    const char *type, *key, *language; /* path */
    const char *title;
    struct field_list sections; /* struct cms_section */
    const char *author, *code;
    const char *ifMatch, *ifNoneMatch; /* headers */
};
FIELD_DECLARE(cms_put_in);

struct cms_map_in {
    const char *type, *language; /* path */
    const char *search, *code;   /* NULL or "": whatever */
    int64_t _count, _offset;
};
FIELD_DECLARE(cms_map_in);

struct cms_side {
    const char *title, *language, *key;
};
FIELD_DECLARE(cms_side);

struct cms_pair {
    const struct cms_side *source,
        *target; /* in the default language, in that asked for; NULL: none */
};
FIELD_DECLARE(cms_pair);

struct cms_map {
    int64_t total;
    struct field_list resources; /* struct cms_pair */
};
FIELD_DECLARE(cms_map);

/* All or none are stored. Of equal ones the last counts. */
struct cms_import_in {
    struct uuid projectId;
    struct field_list
        entries; /* struct cms_entry, at most CMS_IMPORT_MAX; lastUpdated is not looked at */
};
FIELD_DECLARE(cms_import_in);

struct cms_imported {
    int64_t entries, changed; /* given, and of those stored because they were new or different */
};
FIELD_DECLARE(cms_imported);

#endif
