/*
 * client_check.h - whether what is said of a client application fits together.
 */
#ifndef ATRIUM_SETTINGSD_CLIENT_CHECK_H
#define ATRIUM_SETTINGSD_CLIENT_CHECK_H

#include "common/base/error.h"
#include "settingsd/settingsd_api.h"

/* Gives members that are absent their defaults, and checks each against the others. Reports every
 * mistake as a problem with its path, then returns -1 (ERR_VALIDATION). Does not park. */
int client_check(struct oauth_settings *settings, struct error *err) MUST_USE;

/* Whether a client authenticates with a secret. */
bool client_has_secret(const struct oauth_settings *settings);

#endif
