/*
 * mailed_code.c - see mailed_code.h.
 */
#include "authd/credential/mailed_code.h"

#include <sodium.h>
#include <stdio.h>

enum { CODES = 1000000, TEXT_MAX = 12 };

const char *mailed_code_new(struct arena *arena)
{
    return arena_printf(arena, "%06u", randombytes_uniform(CODES));
}

void mailed_code_hash(struct uuid id, const char *code, uint8_t ret[static SECRET_HASH_SIZE])
{
    char both[sizeof(id.text) + TEXT_MAX + 1];

    snprintf(both, sizeof(both), "%s %.*s", id.text, TEXT_MAX, code);
    secret_hash(both, ret);
    sodium_memzero(both, sizeof(both));
}
