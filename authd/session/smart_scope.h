/*
 * smart_scope.h - resource scopes of SMART App Launch 2.2, such as "patient/Observation.rs"
 * (version 1: "patient/Observation.read"), and their intersection.
 */
#ifndef ATRIUM_AUTHD_SESSION_SMART_SCOPE_H
#define ATRIUM_AUTHD_SESSION_SMART_SCOPE_H

#include <stdbool.h>

#include "common/base/arena.h"

enum {
    SMART_SCOPE_MAX = 128, /* bytes */
    SMART_LEVEL_MAX = 8,
    SMART_TYPE_MAX = 64,

    SMART_CREATE = 1 << 0,
    SMART_READ = 1 << 1,
    SMART_UPDATE = 1 << 2,
    SMART_DELETE = 1 << 3,
    SMART_SEARCH = 1 << 4,
};

struct smart_scope {
    char level[SMART_LEVEL_MAX];   /* "patient", "user", "system" */
    char type[SMART_TYPE_MAX + 1]; /* "Observation"; "*": all */
    unsigned allows;               /* bits like SMART_CREATE */
    const char *query;             /* "category=laboratory", in the parsed text; NULL: none */
    bool first_version;            /* syntax of version 1 */
};

int smart_scope_parse(const char *word, struct smart_scope *ret) MUST_USE;

/* True for patient and user scopes, which a person grants. */
bool smart_scope_is_personal(const char *word);

/* True for scopes that only a FHIR server uses: "launch", "launch/...", "patient/...",
 * "user/...". */
bool smart_scope_needs_server(const char *word);

/* Computes the intersection, in the syntax of `wanted`; false: empty. A query is narrower than
 * none; two different queries have no common scope. */
bool smart_scope_meet(const struct smart_scope *wanted, const struct smart_scope *limit,
                      struct smart_scope *ret);

/* Returns the scope as text, in the syntax of version 1 if requested and possible. */
const char *smart_scope_print(struct arena *arena, const struct smart_scope *self);

/* Check a scope for a patient's data, or for what a practitioner can see (field_check functions of
 * common/wire/fields.h). */
int smart_scope_patient_check(const char *value, char why[static 96]);
int smart_scope_practitioner_check(const char *value, char why[static 96]);

#endif
