/*
 * admission_cache.h - projects in use, each with an access policy that has no address rules, as
 * settingsd told of them.
 *
 * Who comes in there need not be asked about again while no policy and no project changes: what was
 * told holds for the number of the last such change (the part settings_change) that was read before
 * settingsd was asked. Every instance reads that number in the database, so none has to be told.
 */
#ifndef ATRIUM_AUTHD_SESSION_ADMISSION_CACHE_H
#define ATRIUM_AUTHD_SESSION_ADMISSION_CACHE_H

#include "common/base/base.h"
#include "common/base/uuid.h"

/* How many projects are kept, and policies of each, for CHANGE_ANSWER_LIFE. */
enum { UNRULED_MAX = 8192, UNRULED_POLICIES_MAX = 8 };

struct admission_cache_key {
    struct uuid project, policy; /* policy: absent for none */
    int64_t change;
};

struct admission_cache;
struct admission_cache *admission_cache_new(void);
void admission_cache_destroy(struct admission_cache **self_p);

/* The project's name, valid until the next put; NULL when settingsd must be asked. */
const char *admission_cache_get(struct admission_cache *self, const struct admission_cache_key *key,
                                int64_t mono_ms);

/* What was told of the project for another change is forgotten, and of more than
 * UNRULED_POLICIES_MAX policies the one that was told of first. */
void admission_cache_put(struct admission_cache *self, const struct admission_cache_key *key,
                         const char *name, int64_t mono_ms);

/* All that is known of a project, for a statement that compares it with what it reads itself. */
enum { UNRULED_LIST_MAX = UNRULED_POLICIES_MAX * sizeof(struct uuid) };
struct admission_list {
    int64_t change;
    char policies[UNRULED_LIST_MAX]; /* with spaces between; "none" for no policy */
};

/* False when nothing is known. */
bool admission_cache_list(struct admission_cache *self, const struct uuid *project, int64_t mono_ms,
                          struct admission_list *ret);

#endif
