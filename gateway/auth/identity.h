/* identity.h - a cache of callers. An entry is valid for a minute or until it changes. */
#ifndef ATRIUM_GATEWAY_AUTH_IDENTITY_H
#define ATRIUM_GATEWAY_AUTH_IDENTITY_H

#include "common/domain/request.h"

enum { IDENTITY_CACHE_MAX = 8192, IDENTITY_AGE_MAX_MS = 60000, IDENTITY_CHANGES_KEPT = 256 };

/* Shared by the cache and by requests, with a reference count. */
struct identity {
    unsigned holds;
    bool suspended;
    bool read_only; /* its project is being moved to another installation */
    bool factor_required;
    int64_t expires_ms; /* monotonic */
    /* For API keys only, otherwise NULL. */
    const char *address_rules, *policy_address_rules;
    struct caller caller; /* each request sets its own tokenId */
    char texts[];
};

/* Copies `caller`. Only API keys have address rules. */
struct identity *identity_new(const struct caller *caller, bool suspended,
                              const char *address_rules, const char *policy_address_rules);
void identity_release(struct identity **self_p);

struct identities;
struct identities *identities_new(void);
void identities_destroy(struct identities **self_p);

/* Returns a reference, or NULL if the entry is older than IDENTITY_AGE_MAX_MS. */
struct identity *identities_get(struct identities *self, const struct uuid *session,
                                int64_t mono_ms);

/* Read the generation before a fetch and pass it to identities_put(). */
uint64_t identities_generation(const struct identities *self);

/* Adds a reference. Returns false if the identity may have changed since `generation`: fetch
 * again. */
bool identities_put(struct identities *self, struct identity *identity, uint64_t generation,
                    int64_t mono_ms) MUST_USE;

/* `kind`: "membership", "account", "policy" or "project". */
void identities_forget(struct identities *self, const char *kind, const struct uuid *id);

/* Drops all entries and rejects running fetches, when changes may have been missed. */
void identities_clear(struct identities *self);

#endif
