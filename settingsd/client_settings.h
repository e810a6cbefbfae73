/*
 * client_settings.h - a registration as the database has it: the members of struct oauth_settings
 * as JSON. Pure.
 */
#ifndef ATRIUM_SETTINGSD_CLIENT_SETTINGS_H
#define ATRIUM_SETTINGSD_CLIENT_SETTINGS_H

#include "common/base/arena.h"
#include "common/base/error.h"

struct oauth_settings;

/* JSON from the arena. -1: not stored. */
int client_settings_print(struct arena *arena, const struct oauth_settings *settings,
                          const char **ret, struct error *err) MUST_USE;

/* Reads such a text. One that does not fit, after an import for example, is a public client without
 * grants. */
void client_settings_read(struct arena *arena, const char *text, struct oauth_settings *out);

bool client_settings_equal(struct arena *arena, const struct oauth_settings *one,
                           const struct oauth_settings *other);

#endif
