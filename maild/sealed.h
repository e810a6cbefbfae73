/*
 * sealed.h - the encrypted part of a queued message: its recipient and its variables.
 */
#ifndef ATRIUM_MAILD_SEALED_H
#define ATRIUM_MAILD_SEALED_H

#include <jansson.h>

#include "common/service/seal_keys.h"

#define SEALED_PURPOSE "mail"

/* Seals a recipient and variables (JSON). */
struct sealed sealed_pack(struct arena *arena, const struct seal_keys *keys, const char *to,
                          const char *variables);

/* Opens the sealed part: *ret_to is in the arena, *ret_variables a new reference. -1: altered, or
 * another key. */
int sealed_open(struct arena *arena, const struct seal_keys *keys, struct sealed sealed,
                const char **ret_to, json_t **ret_variables) MUST_USE;

#endif
