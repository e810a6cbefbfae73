/* cms_api.h - content entries of a project, each in some languages. */
#ifndef ATRIUM_DOCD_CMS_API_H
#define ATRIUM_DOCD_CMS_API_H

#include "common/wire/fields.h"

enum {
    CMS_NAME_MAX = 100,
    CMS_SECTIONS_MAX = 100,
    CMS_IMPORT_MAX = 100,
    CMS_LANGUAGES_MAX = 100,
    CMS_DRAFTS_MAX = 1000, /* per project */
};

struct cms_section {
    const char *title, *text; /* title NULL: none */
};
FIELD_DECLARE(cms_section);

struct cms_entry {
    const char *type, *key, *language, *title;
    struct field_list sections; /* struct cms_section */
    const char *author, *code;  /* NULL: none */
    int64_t lastUpdated;
    const char *etag;
};
FIELD_DECLARE(cms_entry);

struct cms_in {
    const char *type, *key, *language;
};
FIELD_DECLARE(cms_in);

struct cms_put_in {
    const char *type, *key, *language;
    const char *title;
    struct field_list sections; /* struct cms_section */
    const char *author, *code;
    bool reviewed;
    const char *ifMatch, *ifNoneMatch;
};
FIELD_DECLARE(cms_put_in);

struct cms_map_in {
    const char *type, *language;
    const char *search, *code; /* NULL or "": any */
    const char *translation;   /* NULL: any */
    int64_t _count, _offset;
};
FIELD_DECLARE(cms_map_in);

struct cms_side {
    const char *title, *language, *key;
};
FIELD_DECLARE(cms_side);

struct cms_version {
    const char *language;
    int64_t lastUpdated;
};
FIELD_DECLARE(cms_version);

struct cms_pair {
    const struct cms_side *source,
        *target; /* source: in the default language; target: in the requested one; NULL: none */
    struct field_list languages; /* struct cms_version */
};
FIELD_DECLARE(cms_pair);

struct cms_map {
    int64_t total;
    struct field_list resources; /* struct cms_pair */
};
FIELD_DECLARE(cms_map);

struct cms_draft {
    const char *type, *key, *language, *title;
    int64_t lastUpdated;
    struct field_list languages; /* struct cms_version */
};
FIELD_DECLARE(cms_draft);

struct cms_drafts_in {
    const char *type; /* NULL: any */
};
FIELD_DECLARE(cms_drafts_in);

struct cms_drafts {
    struct field_list resources; /* struct cms_draft, at most CMS_DRAFTS_MAX */
};
FIELD_DECLARE(cms_drafts);

struct cms_draft_put_in {
    const char *type, *key, *language;
    const char *title;
    struct field_list sections; /* struct cms_section */
    const char *author, *code;
    const char *ifMatch, *ifNoneMatch;
};
FIELD_DECLARE(cms_draft_put_in);

/* Stores all entries or none; the last of equal ones wins. */
struct cms_import_in {
    struct uuid projectId;
    struct field_list entries; /* struct cms_entry, at most CMS_IMPORT_MAX */
};
FIELD_DECLARE(cms_import_in);

struct cms_imported {
    int64_t entries, changed; /* changed: new or different entries */
};
FIELD_DECLARE(cms_imported);

#endif
