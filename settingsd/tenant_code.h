/* tenant_code.h - a tenant code made from a project's name. */
#ifndef ATRIUM_SETTINGSD_TENANT_CODE_H
#define ATRIUM_SETTINGSD_TENANT_CODE_H

#include "common/base/arena.h"

/* A code of 3-64 characters [a-z0-9-] from the arena: the name in lower case, accents of Latin
 * letters dropped, whatever else is between letters and digits as one hyphen. With `unique` a
 * random suffix of 6 characters is appended; a name of fewer than 3 such letters always gets
 * one. */
char *tenant_code_from_name(struct arena *arena, const char *name, bool unique);

#endif
