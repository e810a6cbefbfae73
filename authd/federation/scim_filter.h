/*
 * scim_filter.h - filters and attribute paths of SCIM (RFC 7644, sections 3.4.2.2 and 3.5.2).
 *
 * A filter has `eq`, `pr`, `and`, `or`, parentheses and value paths. Its size is limited, so
 * recursion over its terms is too.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_SCIM_FILTER_H
#define ATRIUM_AUTHD_FEDERATION_SCIM_FILTER_H

#include <jansson.h>

#include "common/base/arena.h"
#include "common/base/error.h"

#define SCIM_USER_SCHEMA "urn:ietf:params:scim:schemas:core:2.0:User"
#define SCIM_GROUP_SCHEMA "urn:ietf:params:scim:schemas:core:2.0:Group"

enum {
    SCIM_FILTER_MAX = 4096, /* bytes */
    SCIM_TERMS_MAX = 64,    /* and the depth of parentheses */
};

enum scim_term { SCIM_EQ, SCIM_PR, SCIM_AND, SCIM_OR, SCIM_PATH };
enum scim_kind { SCIM_TEXT, SCIM_NUMBER, SCIM_TRUE, SCIM_FALSE, SCIM_NULL };

/* Texts are in the arena. Core schemas are left out of attributes; an attribute of another schema
 * has that schema as `attribute`. */
struct scim_filter {
    enum scim_term term;
    const char *attribute, *sub; /* EQ, PR, PATH; sub: NULL without one */
    enum scim_kind kind;         /* EQ */
    const char *text;
    double number;
    const struct scim_filter *left, *right; /* AND, OR; PATH: `left` filters the elements */
};

/* "emails[type eq \"work\"].value" */
struct scim_path {
    const char *attribute, *sub;      /* sub: or NULL */
    const struct scim_filter *filter; /* or NULL */
};

/* Fail: BAD_REQUEST with `scimType` invalidFilter or invalidPath. */
int scim_filter_read(struct arena *arena, const char *text, const struct scim_filter **ret,
                     struct error *err) MUST_USE;
int scim_path_read(struct arena *arena, const char *text, struct scim_path *ret,
                   struct error *err) MUST_USE;

/* Compares texts without regard to case, but for id, externalId and members (RFC 7643, section
 * 3.1). An array matches if one of its elements does, by its `value` unless a sub-attribute is
 * named. */
bool scim_filter_match(const struct scim_filter *self, const json_t *resource);

/* Returns the text that an attribute must equal for the filter to match; NULL: there is none. `sub`
 * NULL: a plain attribute. */
const char *scim_filter_key(const struct scim_filter *self, const char *attribute, const char *sub);

/* Finds a member by its name without regard to case. */
json_t *scim_member(const json_t *object, const char *name);

/* Sets an error with a `scimType` (RFC 7644, section 3.12), and returns -1. */
int scim_fail(struct error *err, enum error_code code, const char *type, const char *text);

#endif
