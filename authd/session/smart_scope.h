/*
 * smart_scope.h - scopes of SMART App Launch 2.2 for the resources of a FHIR server
 * (scopes-and-launch-context): "patient/Observation.rs", with the syntax of version 1
 * ("patient/Observation.read"), and what two of them have in common.
 */
#ifndef ATRIUM_AUTHD_SESSION_SMART_SCOPE_H
#define ATRIUM_AUTHD_SESSION_SMART_SCOPE_H

#include <stdbool.h>

#include "common/base/arena.h"

enum {
    SMART_SCOPE_MAX = 128, /* bytes of one */
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
    unsigned allows;               /* SMART_CREATE and others */
    const char *query;             /* "category=laboratory", of the parsed text; NULL: none */
    bool first_version;            /* was asked for in the syntax of version 1 */
};

/* Reads one. -1: it is none. */
int smart_scope_parse(const char *word, struct smart_scope *ret) MUST_USE;

/* Whether a word is one that a person gives: of the levels patient and user. */
bool smart_scope_is_personal(const char *word);

/* Whether a word says something of a launch or of the data that a person may see at a FHIR server,
 * so that it says nothing elsewhere: "launch", "launch/...", "patient/...", "user/...". */
bool smart_scope_needs_server(const char *word);

/* What both allow, in the syntax of `wanted`. Of a query and none the query is less; two different
 * ones have nothing in common that a scope could say. False: nothing. */
bool smart_scope_meet(const struct smart_scope *wanted, const struct smart_scope *limit,
                      struct smart_scope *ret);

/* Its text; in the syntax of version 1 where that was asked for and can say it. */
const char *smart_scope_print(struct arena *arena, const struct smart_scope *self);

/* Checks of the form field_check (common/wire/fields.h): a scope of version 2 for a patient's data,
 * and one for a patient's data or what a practitioner may see. */
int smart_scope_patient_check(const char *value, char why[static 96]);
int smart_scope_practitioner_check(const char *value, char why[static 96]);

#endif
