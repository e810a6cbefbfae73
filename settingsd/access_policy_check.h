/* access_policy_check.h - validates an access policy's rules. */
#ifndef ATRIUM_SETTINGSD_ACCESS_POLICY_CHECK_H
#define ATRIUM_SETTINGSD_ACCESS_POLICY_CHECK_H

#include "common/base/error.h"

/* Checks `resource` (required) and `ip_rules` (or NULL), JSON texts, and replaces them by their
 * known members, in the arena. Reports each mistake with its path ("resource.0.interaction.1"),
 * then returns -1 (ERR_VALIDATION). */
int access_policy_check(struct arena *arena, const char **resource, const char **ip_rules,
                        struct error *err) MUST_USE;

#endif
