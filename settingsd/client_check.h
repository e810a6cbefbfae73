/* client_check.h - whether what is said of a client application fits together. */
#ifndef ATRIUM_SETTINGSD_CLIENT_CHECK_H
#define ATRIUM_SETTINGSD_CLIENT_CHECK_H

#include "common/base/error.h"
#include "common/runtime/offload.h"

struct oauth_settings;

/* Sets defaults, and checks each member against the others, but not the keys of `jwks`. Reports
 * every mistake with its path, then returns -1 (ERR_VALIDATION). Does not park. */
int client_check(struct oauth_settings *settings, struct error *err) MUST_USE;

/* Checks the keys of a set, each of which is built on a thread. Reports as above. Parks. */
int client_check_keys(struct offload *threads, const char *jwks, int64_t deadline_mono_ms,
                      struct error *err) MUST_USE;

bool client_has_secret(const struct oauth_settings *settings);

#endif
