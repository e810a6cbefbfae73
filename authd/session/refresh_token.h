/*
 * refresh_token.h - the format of refresh tokens.
 *
 *     base64url( project 16 | session 16 | random 32 | seal 16 )        107 characters
 *
 * The database stores only hashes. The seal is a keyed hash of the bytes before it: an old token
 * with a valid seal means theft, but an invented or damaged one must not end a session. Pure: no
 * database, no loop.
 */
#ifndef ATRIUM_AUTHD_SESSION_REFRESH_TOKEN_H
#define ATRIUM_AUTHD_SESSION_REFRESH_TOKEN_H

#include "common/base/uuid.h"
#include "common/service/seal_keys.h"

enum { REFRESH_RANDOM_SIZE = 32, REFRESH_SEAL_SIZE = 16, REFRESH_TEXT_SIZE = 108 };

struct refresh_token {
    char text[REFRESH_TEXT_SIZE];
    struct uuid project, session;
    uint8_t hash[SECRET_HASH_SIZE]; /* hash of the text */
};

void refresh_token_new(const struct seal_keys *keys, struct uuid project, struct uuid session,
                       struct refresh_token *ret);

/* Checks the format, not the seal. */
int refresh_token_parse(const char *text, struct refresh_token *ret) MUST_USE;

bool refresh_token_genuine(const struct refresh_token *self, const struct seal_keys *keys,
                           size_t count);

/* Returns the key that seals the successor; the stored hash does not reveal it. */
void refresh_token_successor_key(const struct refresh_token *self, struct secret *ret);

void refresh_token_wipe(struct refresh_token *self);

#endif
