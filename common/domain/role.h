/*
 * role.h - the role of an account in a project, and its text in JSON, messages and the database.
 */
#ifndef ATRIUM_COMMON_DOMAIN_ROLE_H
#define ATRIUM_COMMON_DOMAIN_ROLE_H

#include "common/wire/fields.h"

enum role {
    ROLE_NONE, /* not set */
    ROLE_PATIENT,
    ROLE_PRACTITIONER,
    ROLE_DEVICE, /* an API key */
};

/* For FIELD_ENUM(): all roles; those that a person can have. */
extern const char *const role_texts[], *const account_roles[];

/* NULL for ROLE_NONE. */
const char *role_text(enum role role);

/* ROLE_NONE for NULL and for unknown texts. */
enum role role_parse(const char *text);

#endif
