/*
 * refresh_token.h - the form of refresh tokens.
 *
 *     base64url( project 16 | session 16 | family 16 | random 32 )        107 characters
 *
 * The database knows hashes only.  Project and session lead to the row; the family is what all tokens of a session
 * share and nobody else knows, so that only who holds one of them, old or new, can end the session with it.
 * Pure: no database, no loop.
 */
#ifndef ATRIUM_AUTHD_REFRESH_TOKEN_H
#define ATRIUM_AUTHD_REFRESH_TOKEN_H

#include "common/secret.h"
#include "common/uuid.h"

enum { REFRESH_FAMILY_SIZE = 16, REFRESH_RANDOM_SIZE = 32, REFRESH_TEXT_SIZE = 108 };

struct refresh_token {
    char text[REFRESH_TEXT_SIZE];
    struct uuid project, session;
    uint8_t family[REFRESH_FAMILY_SIZE];
    uint8_t hash[SECRET_HASH_SIZE]; /* of the text */
    uint8_t family_hash[SECRET_HASH_SIZE];
};

/* The first token of a session. */
void refresh_token_new(struct uuid project, struct uuid session, struct refresh_token *ret);

/* Another token of the same family. */
void refresh_token_next(const struct refresh_token *self, struct refresh_token *ret);

/* -1 when the text does not have the form. */
int refresh_token_parse(const char *text, struct refresh_token *ret) MUST_USE;

/* The key that a token's successor is sealed under; it cannot be had from the stored hash. */
void refresh_token_key(const struct refresh_token *self, struct secret *ret);

/* Usable with CLEANUP on a struct refresh_token variable. */
void refresh_token_wipe(struct refresh_token *self);

#endif
