/*
 * admission_cache.h - enabled projects with access policies that have no address rules.
 *
 * An entry is valid for the number of the last change of a policy or project (the part
 * settings_change), read before settingsd was called. Each instance reads that number, so entries
 * need no invalidation.
 */
#ifndef ATRIUM_AUTHD_SESSION_ADMISSION_CACHE_H
#define ATRIUM_AUTHD_SESSION_ADMISSION_CACHE_H

#include "common/base/base.h"
#include "common/base/uuid.h"

/* Projects, and policies of each. They expire after CHANGE_ANSWER_LIFE. */
enum { UNRULED_MAX = 8192, UNRULED_POLICIES_MAX = 8 };

struct admission_cache_key {
    struct uuid project, policy; /* policy absent: none */
    int64_t change;
};

struct admission_cache;
struct admission_cache *admission_cache_new(void);
void admission_cache_destroy(struct admission_cache **self_p);

/* Returns the project's name, valid until the next put, or NULL: call settingsd. */
const char *admission_cache_get(struct admission_cache *self, const struct admission_cache_key *key,
                                int64_t mono_ms);

/* Drops the project's entries of other changes and, if necessary, the oldest policy. */
void admission_cache_put(struct admission_cache *self, const struct admission_cache_key *key,
                         const char *name, int64_t mono_ms);

/* A project's cached policies, for a statement that compares them with its own reads. */
enum { UNRULED_LIST_MAX = UNRULED_POLICIES_MAX * sizeof(struct uuid) };
struct admission_list {
    int64_t change;
    char policies[UNRULED_LIST_MAX]; /* space-separated; "none": no policy */
};

/* Returns false if nothing is cached. */
bool admission_cache_list(struct admission_cache *self, const struct uuid *project, int64_t mono_ms,
                          struct admission_list *ret);

#endif
