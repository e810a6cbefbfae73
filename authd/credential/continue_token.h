/*
 * continue_token.h - the token of a continue-as-patient link.
 *
 *     base64url( id 16 | expires 8 | seal 32 )        75 characters
 *
 * The seal is a keyed hash of id and expiry, of the project and of the e-mail address that the link
 * was mailed for; neither stands in the token. That it is good once is the database's to see, by
 * its id: only those that were spent are kept. Pure: no database, no loop.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_CONTINUE_TOKEN_H
#define ATRIUM_AUTHD_CREDENTIAL_CONTINUE_TOKEN_H

#include "common/base/clock.h"
#include "common/base/uuid.h"
#include "common/service/seal_keys.h"

#define CONTINUE_LIFE DAYS(7) /* ms of a link */

struct continue_token {
    struct uuid id;
    int64_t expires_at; /* contract time, ms: not good any more from here on */
};

/* A new one, from the arena. email: as fields_email() spells it. */
const char *continue_token_new(struct arena *arena, const struct seal_keys *keys,
                               struct uuid project, const char *email, int64_t expires_at);

/* -1 unless the text was made so with one of the keys for this project and address, and is not over
 * at `now_ms`. */
int continue_token_read(const struct seal_keys *keys, struct uuid project, const char *email,
                        const char *text, int64_t now_ms, struct continue_token *ret) MUST_USE;

#endif
