/*
 * refresh_token.h - the form of refresh tokens.
 *
 *     base64url( project 16 | session 16 | random 32 | seal 16 )        107 characters
 *
 * The database knows their hashes only.  Project and session lead to the row.  The seal is a keyed
 * hash of what stands before it: it tells a token that we once gave out, and whose return means
 * theft, from one that was made up or damaged, which must not end anything. Pure: no database, no
 * loop.
 */
#ifndef ATRIUM_AUTHD_SESSION_REFRESH_TOKEN_H
#define ATRIUM_AUTHD_SESSION_REFRESH_TOKEN_H

#include "common/base/uuid.h"
#include "common/service/seal_keys.h"

enum { REFRESH_RANDOM_SIZE = 32, REFRESH_SEAL_SIZE = 16, REFRESH_TEXT_SIZE = 108 };

struct refresh_token {
    char text[REFRESH_TEXT_SIZE];
    struct uuid project, session;
    uint8_t hash[SECRET_HASH_SIZE]; /* of the text */
};

/* A new token of a session, sealed with the daemon's key. */
void refresh_token_new(const struct seal_keys *keys, struct uuid project, struct uuid session,
                       struct refresh_token *ret);

/* -1 when the text does not have the form. Says nothing about the seal. */
int refresh_token_parse(const char *text, struct refresh_token *ret) MUST_USE;

/* True when the token was given out by a holder of the key. */
bool refresh_token_genuine(const struct refresh_token *self, const struct seal_keys *keys,
                           size_t count);

/* The key that a token's successor is sealed under; it cannot be had from the stored hash. */
void refresh_token_successor_key(const struct refresh_token *self, struct secret *ret);

/* Usable with CLEANUP on a struct refresh_token variable. */
void refresh_token_wipe(struct refresh_token *self);

#endif
