/* revoke.h - ended sessions whose access tokens haven't expired. */
#ifndef ATRIUM_GATEWAY_AUTH_REVOKE_H
#define ATRIUM_GATEWAY_AUTH_REVOKE_H

#include "common/base/base.h"
#include "common/base/uuid.h"

struct revocations;

struct revocations *revocations_new(void);
void revocations_destroy(struct revocations **self_p);

/* Adds an ended session. Idempotent. `until_ms`: contract time. `token`: jti that logged out, or
 * "". */
void revocations_add(struct revocations *self, const struct uuid *session, const struct uuid *token,
                     int64_t until_ms);

enum revocation {
    REVOCATION_NONE,
    REVOCATION_ENDED,
    REVOCATION_LOGOUT, /* this token logged out, and can do so again */
};

enum revocation revocations_check(const struct revocations *self, const struct uuid *session,
                                  const struct uuid *token);

/* Sweeps 1/64 of the table. Called every second. */
void revocations_sweep(struct revocations *self, int64_t now_ms);

size_t revocations_count(const struct revocations *self);

#endif
