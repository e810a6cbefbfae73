/* client_check.h - checks that a client application's members fit together. */
#ifndef ATRIUM_SETTINGSD_CLIENT_CHECK_H
#define ATRIUM_SETTINGSD_CLIENT_CHECK_H

#include "common/base/error.h"
#include "common/runtime/offload.h"

struct oauth_settings;

/* Sets defaults and checks members against each other, except the keys of `jwks`. Reports each
 * mistake with its path, then returns -1 (ERR_VALIDATION). */
int client_check(struct oauth_settings *settings, struct error *err) MUST_USE;

/* Checks a set's keys, each built on a thread. Reports as above. Parks. */
int client_check_keys(struct offload *threads, const char *jwks, int64_t deadline_mono_ms,
                      struct error *err) MUST_USE;

bool client_has_secret(const struct oauth_settings *settings);

#endif
