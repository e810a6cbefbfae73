/*
 * role.h - accounts' roles in a project.
 */
#ifndef ATRIUM_COMMON_DOMAIN_ROLE_H
#define ATRIUM_COMMON_DOMAIN_ROLE_H

#include "common/wire/fields.h"

enum role {
    ROLE_NONE,
    ROLE_PATIENT,
    ROLE_PRACTITIONER,
    ROLE_DEVICE, /* an API key */
};

/* For FIELD_ENUM(): all roles; a person's roles. */
extern const char *const role_texts[], *const account_roles[];

const char *role_text(enum role role);

/* Returns ROLE_NONE for NULL and unknown texts. */
enum role role_parse(const char *text);

#endif
