/*
 * builtin.h - the installation's own mails: for what must not go by the template of a tenant, or must be mailed though
 * the project maps no template.
 */
#ifndef ATRIUM_MAILD_BUILTIN_H
#define ATRIUM_MAILD_BUILTIN_H

#include <jansson.h>

#include "common/arena.h"
#include "maild/maild_api.h"

/* Whether there is one of that name ("PASSWORD_RESET"). */
bool builtin_exists(const char *name);

/* Its texts, for these variables (a JSON object): one without a link when they have none. False when there is no such
 * mail. Constants. */
bool builtin_template(const char *name, const json_t *variables, struct template_record *ret);

#endif
