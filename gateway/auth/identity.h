/* identity.h - a cache of resolved callers. An entry is valid for a minute or until it changes. */
#ifndef ATRIUM_GATEWAY_AUTH_IDENTITY_H
#define ATRIUM_GATEWAY_AUTH_IDENTITY_H

#include "common/domain/request.h"

enum { IDENTITY_CACHE_MAX = 8192, IDENTITY_AGE_MAX_MS = 60000, IDENTITY_CHANGES_KEPT = 256 };

/* Reference-counted: shared by the cache and the requests that use it. */
struct identity {
    unsigned holds;
    bool suspended;       /* the project is suspended */
    bool read_only;       /* the project is being moved to another installation */
    bool factor_required; /* the project's account policy requires it */
    int64_t expires_ms;   /* monotonic */
    /* An API key's own address rules and its policy's; otherwise NULL. */
    const char *address_rules, *policy_address_rules;
    struct caller caller; /* each request sets its own tokenId */
    char texts[];
};

/* Returns a copy of `caller` with one reference. Only API keys have address rules. */
struct identity *identity_new(const struct caller *caller, bool suspended,
                              const char *address_rules, const char *policy_address_rules);
void identity_release(struct identity **self_p);

struct identities;
struct identities *identities_new(void);
void identities_destroy(struct identities **self_p);

/* Returns a reference to an entry no older than IDENTITY_AGE_MAX_MS, or NULL. The session's second
 * factor is part of it. */
struct identity *identities_get(struct identities *self, const struct uuid *session,
                                int64_t mono_ms);

/* Counts changes. Read it before a fetch and pass it to identities_put(). */
uint64_t identities_generation(const struct identities *self);

/* Stores the identity and adds a reference. Returns false if it may have changed since generation:
 * fetch it again then. */
bool identities_put(struct identities *self, struct identity *identity, uint64_t generation,
                    int64_t mono_ms) MUST_USE;

/* Drops what depends on a changed "membership", "account", "policy" or "project". */
void identities_forget(struct identities *self, const char *kind, const struct uuid *id);

/* Drops everything and rejects fetches under way, because changes may have been missed. */
void identities_clear(struct identities *self);

#endif
