/* revoke.h - the sessions that were ended while access tokens of them may still be alive. */
#ifndef ATRIUM_GATEWAY_AUTH_REVOKE_H
#define ATRIUM_GATEWAY_AUTH_REVOKE_H

#include "common/base/base.h"
#include "common/base/uuid.h"

struct revocations;

struct revocations *revocations_new(void);
void revocations_destroy(struct revocations **self_p);

/* The session has ended; `token`: the jti that logged out, or "". Forgotten after until_ms
 * (contract time). Adding it again changes nothing. */
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

/* Forgets expired entries of one sixty-fourth of the table; called every second. */
void revocations_sweep(struct revocations *self, int64_t now_ms);

size_t revocations_count(const struct revocations *self);

#endif
