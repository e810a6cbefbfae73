/* identity.h - who a membership is: resolved once, kept for a minute, forgotten when it changes. */
#ifndef ATRIUM_GATEWAY_AUTH_IDENTITY_H
#define ATRIUM_GATEWAY_AUTH_IDENTITY_H

#include "common/domain/request.h"

enum { IDENTITY_CACHE_MAX = 8192, IDENTITY_AGE_MAX_MS = 60000, IDENTITY_CHANGES_KEPT = 256 };

/* Shared by the cache and by the requests that use it; freed with the last hold. */
struct identity {
    unsigned holds;
    bool suspended;       /* the project is */
    bool read_only;       /* the project is, while it moves to another installation */
    bool factor_required; /* of its sessions, by the project's account policy */
    int64_t expires_ms;   /* monotonic */
    /* of an API key, NULL else: where it may be used, and what its policy says of that */
    const char *address_rules, *policy_address_rules;
    struct caller caller; /* tokenId is each request's own */
    char texts[];
};

/* A copy of `caller` with one hold. The second: of an API key, with its rules. */
struct identity *identity_new(const struct caller *caller, bool suspended);
struct identity *identity_new_of_key(const struct caller *caller, bool suspended,
                                     const char *address_rules, const char *policy_address_rules);
void identity_release(struct identity **self_p);

struct identities;
struct identities *identities_new(void);
void identities_destroy(struct identities **self_p);

/* No older than IDENTITY_AGE_MAX_MS and held, or NULL. Its second factor is the session's own. */
struct identity *identities_get(struct identities *self, const struct uuid *session,
                                int64_t mono_ms);

/* Counts changes. Read it before a fetch: the result is current only if none of its changes came
 * since. */
uint64_t identities_generation(const struct identities *self);

/* Keeps and holds it. False, fetch again: one of its changes, or too many, came since. */
bool identities_put(struct identities *self, struct identity *identity, uint64_t generation,
                    int64_t mono_ms) MUST_USE;

/* A change of "membership", "account", "policy" or "project": drops what depends on it. */
void identities_forget(struct identities *self, const char *kind, const struct uuid *id);

/* Drops everything, moves the generation: after a time in which changes may have been missed. */
void identities_clear(struct identities *self);

#endif
