/* template_api.h - a project's mail templates. */
#ifndef ATRIUM_MAILD_TEMPLATE_API_H
#define ATRIUM_MAILD_TEMPLATE_API_H

#include "common/wire/fields.h"

struct email_template_in {
    const char *name;
    const char *language, *subject, *html, *text;
    const char *ifMatch, *ifNoneMatch;
};
FIELD_DECLARE(email_template_in);

struct email_template_get_in {
    const char *name;
    const char *language; /* query; NULL, "": the template without a language */
};
FIELD_DECLARE(email_template_get_in);

struct email_template_delete_in {
    const char *name;
    const char *language; /* query; NULL: all; "": the template without a language */
};
FIELD_DECLARE(email_template_delete_in);

struct email_template_preview_in {
    const char *name;
    const char *language;
};
FIELD_DECLARE(email_template_preview_in);

struct email_template_preview {
    const char *subject, *html, *text;
};
FIELD_DECLARE(email_template_preview);

struct template_mapped_in {
    struct uuid projectId;
    const char *name;
};
FIELD_DECLARE(template_mapped_in);

struct template_mapped_out {
    bool mapped;
};
FIELD_DECLARE(template_mapped_out);

struct template_put_in {
    struct uuid projectId;
    const char *name, *language, *subject, *html, *text;
};
FIELD_DECLARE(template_put_in);

struct template_record {
    const char *name, *language, *subject, *html, *text;
    int64_t lastUpdated;
    const char *etag; /* not in lists */
};
FIELD_DECLARE(template_record);

struct template_list_in {
    struct uuid projectId;
};
FIELD_DECLARE(template_list_in);

struct template_delete_in {
    struct uuid projectId;
    const char *name;
    const char *language; /* NULL: all; "": the template without a language */
};
FIELD_DECLARE(template_delete_in);

struct template_preview_in {
    struct uuid projectId;
    const char *name, *language;
};
FIELD_DECLARE(template_preview_in);

struct template_records {
    struct field_list resources; /* struct template_record */
};
FIELD_DECLARE(template_records);

struct template_mapping {
    const char *name;
    bool mapped;                  /* has a template, in any language or without one */
    bool anyLanguage;             /* has a template without a language */
    struct field_texts languages; /* sorted */
    bool builtin;                 /* see builtin_is_fallback() */
};
FIELD_DECLARE(template_mapping);

struct template_mappings {
    struct field_list templates; /* struct template_mapping */
};
FIELD_DECLARE(template_mappings);

#endif
