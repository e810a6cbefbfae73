/*
 * mailed_code.h - six-digit sign-in codes that are sent by email.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_MAILED_CODE_H
#define ATRIUM_AUTHD_CREDENTIAL_MAILED_CODE_H

#include "common/base/arena.h"
#include "common/base/secret.h"
#include "common/base/uuid.h"

const char *mailed_code_new(struct arena *arena);

/* Hashes a code with its sign-in's id, without which a reader of the table can't try the million
 * codes. Uses the code's first 12 bytes. */
void mailed_code_hash(struct uuid id, const char *code, uint8_t ret[static SECRET_HASH_SIZE]);

#endif
