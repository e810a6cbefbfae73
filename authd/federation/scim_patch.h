/*
 * scim_patch.h - PATCH of SCIM resources (RFC 7644, section 3.5.2).
 *
 * Takes what Microsoft Entra and Okta send, too: capitalized operations, booleans as texts, an
 * object without path whose keys are paths, a remove with a list of values, and a replace by a
 * filter that matches nothing, which adds.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_SCIM_PATCH_H
#define ATRIUM_AUTHD_FEDERATION_SCIM_PATCH_H

#include "authd/federation/scim_filter.h"

enum { SCIM_OPERATIONS_MAX = 1000 };

enum scim_op { SCIM_ADD, SCIM_REPLACE, SCIM_REMOVE };

struct scim_operation {
    enum scim_op op;
    struct scim_path path;
    json_t *value; /* borrowed from the body; NULL: none */
};

/* Reads the operations, one for each attribute. Skips paths that can't be read, because a
 * directory's mapping may name attributes of other services. Fails: BAD_REQUEST with a
 * `scimType`. */
int scim_patch_read(struct arena *arena, const json_t *body, struct scim_operation **ret,
                    size_t *ret_count, struct error *err) MUST_USE;

/* Applies an operation to a resource. Nothing can fail: what fits nothing changes nothing. */
void scim_patch_apply(const struct scim_operation *self, json_t *resource);

/* Reads a boolean, also "True" and "False". TRISTATE_UNSET: neither. */
enum tristate scim_bool(const json_t *value);

#endif
