/*
 * client_settings.h - struct oauth_settings as JSON in the database.
 */
#ifndef ATRIUM_SETTINGSD_CLIENT_SETTINGS_H
#define ATRIUM_SETTINGSD_CLIENT_SETTINGS_H

#include "common/base/arena.h"
#include "common/base/error.h"

struct oauth_settings;

/* Returns JSON in *ret, or -1 if it cannot be stored. */
int client_settings_print(struct arena *arena, const struct oauth_settings *settings,
                          const char **ret, struct error *err) MUST_USE;

/* Reads the JSON. An invalid text, for example after an import, gives a public client without
 * grants. */
void client_settings_read(struct arena *arena, const char *text, struct oauth_settings *out);

bool client_settings_equal(struct arena *arena, const struct oauth_settings *one,
                           const struct oauth_settings *other);

#endif
