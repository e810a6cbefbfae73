/*
 * continue_token.c - see continue_token.h.
 */
#include "authd/credential/continue_token.h"

#include <endian.h>
#include <sodium.h>
#include <string.h>

enum {
    ID_AT = 0,
    EXPIRES_AT = 16,
    SEAL_AT = EXPIRES_AT + 8,
    SEAL_SIZE = 32,
    RAW_SIZE = SEAL_AT + SEAL_SIZE,
};

/* A purpose separates seals from the daemon's other keyed hashes. The NUL of each text separates
 * project from email address. */
static void make_seal(const struct secret *key, struct uuid project, const char *email,
                      const uint8_t raw[static SEAL_AT], uint8_t ret[static SEAL_SIZE])
{
    static const uint8_t purpose[] = "continue as patient";
    crypto_generichash_state state;

    crypto_generichash_init(&state, key->bytes, key->length, SEAL_SIZE);
    crypto_generichash_update(&state, purpose, sizeof(purpose));
    crypto_generichash_update(&state, raw, SEAL_AT);
    crypto_generichash_update(&state, (const uint8_t *)project.text, strlen(project.text) + 1);
    crypto_generichash_update(&state, (const uint8_t *)email, strlen(email) + 1);
    crypto_generichash_final(&state, ret, SEAL_SIZE);
    sodium_memzero(&state, sizeof(state));
}

const char *continue_token_new(struct arena *arena, const struct seal_keys *keys,
                               struct uuid project, const char *email, int64_t expires_at)
{
    struct uuid id = uuid_random();
    uint64_t expires = htobe64((uint64_t)expires_at);
    uint8_t raw[RAW_SIZE];

    uuid_to_bytes(&id, raw + ID_AT);
    memcpy(raw + EXPIRES_AT, &expires, sizeof(expires));
    make_seal(seal_keys_current(keys), project, email, raw, raw + SEAL_AT);
    return secret_encode(arena, raw, sizeof(raw));
}

int continue_token_read(const struct seal_keys *keys, struct uuid project, const char *email,
                        const char *text, int64_t now_ms, struct continue_token *ret)
{
    uint8_t raw[RAW_SIZE], seal[SEAL_SIZE];
    uint64_t expires;
    size_t size = 0;
    bool genuine = false;

    if (secret_decode(text, raw, sizeof(raw), &size) < 0 || size != sizeof(raw))
        return -1;
    for (size_t i = 0; i < seal_keys_hashing(keys, now_ms, CONTINUE_LIFE) && !genuine; i++) {
        make_seal(&keys->items[i].secret, project, email, raw, seal);
        genuine = sodium_memcmp(seal, raw + SEAL_AT, SEAL_SIZE) == 0;
    }
    memcpy(&expires, raw + EXPIRES_AT, sizeof(expires));
    if (!genuine || now_ms >= (int64_t)be64toh(expires))
        return -1;
    uuid_from_bytes(raw + ID_AT, &ret->id);
    ret->expires_at = (int64_t)be64toh(expires);
    return 0;
}
