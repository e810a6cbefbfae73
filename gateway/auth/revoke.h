/*
 * revoke.h - the sessions that were ended while access tokens of them may still be alive.
 */
#ifndef ATRIUM_GATEWAY_AUTH_REVOKE_H
#define ATRIUM_GATEWAY_AUTH_REVOKE_H

#include "common/base/base.h"
#include "common/base/uuid.h"

struct revocations;

/* An empty table. */
struct revocations *revocations_new(void);
void revocations_destroy(struct revocations **self_p);

/* The session has ended: `token` is the jti that logged out, "" when it ended otherwise. The entry
 * may be forgotten once contract time passes until_ms. Saying it twice is fine; what was said first
 * of the token stays. */
void revocations_add(struct revocations *self, const struct uuid *session, const struct uuid *token,
                     int64_t until_ms);

enum revocation {
    REVOCATION_NONE,   /* the session lives */
    REVOCATION_ENDED,  /* tokens of it are refused */
    REVOCATION_LOGOUT, /* refused as well, but logging out with this very token once more is fine */
};

/* Whether that token of that session is refused. */
enum revocation revocations_check(const struct revocations *self, const struct uuid *session,
                                  const struct uuid *token);

/* Forgets some of the entries whose time has passed by a safe margin. Each call looks at one
 * sixty-fourth of the table, so that no call takes long; called every second. */
void revocations_sweep(struct revocations *self, int64_t now_ms);

/* How many entries there are. */
size_t revocations_count(const struct revocations *self);

#endif
