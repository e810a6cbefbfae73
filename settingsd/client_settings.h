/*
 * client_settings.h - a registration as the database has it: the members of struct oauth_settings
 * as JSON. Pure.
 */
#ifndef ATRIUM_SETTINGSD_CLIENT_SETTINGS_H
#define ATRIUM_SETTINGSD_CLIENT_SETTINGS_H

#include "common/base/arena.h"
#include "common/base/error.h"

struct oauth_settings;

/* The members as JSON, from the arena. -1: they cannot be written, and nothing is stored. */
int client_settings_print(struct arena *arena, const struct oauth_settings *settings,
                          const char **ret, struct error *err) MUST_USE;

/* The members of such a text. One that this program did not write and that does not fit, as after
 * an import, is a public client without grants. */
void client_settings_read(struct arena *arena, const char *text, struct oauth_settings *out);

/* Whether both say the same. */
bool client_settings_equal(struct arena *arena, const struct oauth_settings *one,
                           const struct oauth_settings *other);

#endif
