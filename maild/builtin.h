/*
 * builtin.h - the installation's own mails: for what must not go by the template of a tenant, or
 * must be mailed though the project maps no template.
 */
#ifndef ATRIUM_MAILD_BUILTIN_H
#define ATRIUM_MAILD_BUILTIN_H

#include <jansson.h>

#include "common/base/arena.h"

struct template_record;

bool builtin_exists(const char *name);

/* Renders it for these variables (a JSON object), from the arena; without the link it says to ask
 * an administrator. False: no such mail. */
bool builtin_template(struct arena *arena, const char *name, const json_t *variables,
                      struct template_record *ret);

#endif
