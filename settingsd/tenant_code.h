/* tenant_code.h - makes tenant codes from projects' names. */
#ifndef ATRIUM_SETTINGSD_TENANT_CODE_H
#define ATRIUM_SETTINGSD_TENANT_CODE_H

#include "common/base/arena.h"

/* Returns a code of 3-64 characters [a-z0-9-]: the name in lower case, Latin letters without
 * accents, other characters as one hyphen. `unique`, or a name with fewer than 3 such letters, adds
 * a random suffix of 6 characters. */
char *tenant_code_from_name(struct arena *arena, const char *name, bool unique);

#endif
