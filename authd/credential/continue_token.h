/*
 * continue_token.h - the token of a continue-as-patient link, 75 characters:
 *
 *   base64url( id 16 | expires 8 | seal 32 )
 *
 * The seal is a keyed hash of id, expiry, project and email address. The database stores only the
 * ids of used tokens, so that each token works once.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_CONTINUE_TOKEN_H
#define ATRIUM_AUTHD_CREDENTIAL_CONTINUE_TOKEN_H

#include "common/base/clock.h"
#include "common/base/uuid.h"
#include "common/service/seal_keys.h"

#define CONTINUE_LIFE DAYS(7) /* ms */

struct continue_token {
    struct uuid id;
    int64_t expires_at; /* contract time, ms */
};

/* `email`: normalized by fields_email(). */
const char *continue_token_new(struct arena *arena, const struct seal_keys *keys,
                               struct uuid project, const char *email, int64_t expires_at);

/* Returns -1 unless a key sealed the token for this project and email address, and it hasn't
 * expired. */
int continue_token_read(const struct seal_keys *keys, struct uuid project, const char *email,
                        const char *text, int64_t now_ms, struct continue_token *ret) MUST_USE;

#endif
