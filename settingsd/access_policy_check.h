/*
 * access_policy_check.h - whether the rules of an access policy mean something.
 */
#ifndef ATRIUM_SETTINGSD_ACCESS_POLICY_CHECK_H
#define ATRIUM_SETTINGSD_ACCESS_POLICY_CHECK_H

#include "common/base/error.h"

/* Checks `resource` (JSON text, required) and `ip_rules` (JSON text or NULL) and replaces both by
 * texts from the arena that hold the known members only. Reports every mistake as a problem with
 * its dotted path ("resource.0.interaction.1"), then returns -1 (ERR_VALIDATION). Does not park. */
int access_policy_check(struct arena *arena, const char **resource, const char **ip_rules,
                        struct error *err) MUST_USE;

#endif
