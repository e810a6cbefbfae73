/*
 * sealed.h - the part of a queued message that must not be readable at rest: who gets it and what
 * it says.
 */
#ifndef ATRIUM_MAILD_SEALED_H
#define ATRIUM_MAILD_SEALED_H

#include <jansson.h>

#include "common/service/seal_keys.h"

#define SEALED_PURPOSE "mail"

/* Seals the recipient and the variables (text of a JSON object) into one value. */
struct sealed sealed_pack(struct arena *arena, const struct seal_keys *keys, const char *to,
                          const char *variables);

/* Opens it: *ret_to from the arena, *ret_variables a new reference. -1: altered, or another key. */
int sealed_open(struct arena *arena, const struct seal_keys *keys, struct sealed sealed,
                const char **ret_to, json_t **ret_variables) MUST_USE;

#endif
