/*
 * mailed_code.h - the six digits that are mailed to a person who signs in.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_MAILED_CODE_H
#define ATRIUM_AUTHD_CREDENTIAL_MAILED_CODE_H

#include "common/base/arena.h"
#include "common/base/secret.h"
#include "common/base/uuid.h"

/* A new random code, from the arena. */
const char *mailed_code_new(struct arena *arena);

/* Hashes a code with the id of the sign-in that it belongs to: a reader of the table cannot try the
 * million codes without that id. Of a longer text, the first 12 bytes count. */
void mailed_code_hash(struct uuid id, const char *code, uint8_t ret[static SECRET_HASH_SIZE]);

#endif
