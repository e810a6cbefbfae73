/* role.c - see role.h. */
#include "common/domain/role.h"

#define PEOPLE "Patient", "Practitioner"

const char *const role_texts[] = {PEOPLE, "Device", NULL};
const char *const account_roles[] = {PEOPLE, NULL};

const char *role_text(enum role role)
{
    return role == ROLE_NONE ? NULL : role_texts[role - 1];
}

enum role role_parse(const char *text)
{
    return (enum role)fields_choice(role_texts, text);
}
