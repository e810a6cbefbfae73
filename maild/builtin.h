/*
 * builtin.h - the installation's own emails, which a project cannot change or need not define.
 */
#ifndef ATRIUM_MAILD_BUILTIN_H
#define ATRIUM_MAILD_BUILTIN_H

#include <jansson.h>

#include "common/base/arena.h"

struct template_record;

bool builtin_exists(const char *name);

/* Whether a project that has not mapped the template sends the built-in email. The other built-in
 * emails are only sent in the name of the installation. */
bool builtin_is_fallback(const char *name);

/* Renders an email in the arena. If `variables` lacks the link, the text says to ask an
 * administrator instead. False: no such email. */
bool builtin_template(struct arena *arena, const char *name, const json_t *variables,
                      struct template_record *ret);

#endif
