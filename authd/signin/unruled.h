/*
 * unruled.h - projects in use, each with an access policy that has no address rules, as settingsd
 * told of them.
 *
 * Who comes in there need not be asked about again while no policy and no project changes: what was
 * told holds for the number of the last such change (SQL_SETTINGS_CHANGED) that was read before
 * settingsd was asked. Every instance reads that number in the database, so none has to be told.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_UNRULED_H
#define ATRIUM_AUTHD_SIGNIN_UNRULED_H

#include "common/base/base.h"
#include "common/base/uuid.h"

/* How many are kept; and for how long, in ms of the monotonic clock: far less than changes are kept
 * (CHANGE_EVENT_LIFE), so that no two numbers are taken for one. */
enum { UNRULED_MAX = 8192, UNRULED_AGE_MAX_MS = 60000 };

struct unruled_key {
    struct uuid project, policy; /* policy: absent for none */
    int64_t change;
};

struct unruled;
struct unruled *unruled_new(void);
void unruled_destroy(struct unruled **self_p);

/* The project's name, valid until the next put; NULL when settingsd must be asked. */
const char *unruled_get(struct unruled *self, const struct unruled_key *key, int64_t mono_ms);

void unruled_put(struct unruled *self, const struct unruled_key *key, const char *name,
                 int64_t mono_ms);

#endif
