/*
 * refresh_token.c - see refresh_token.h.
 */
#include "authd/session/refresh_token.h"

#include <sodium.h>
#include <string.h>

enum {
    PROJECT_AT = 0,
    SESSION_AT = 16,
    RANDOM_AT = 32,
    SEAL_AT = RANDOM_AT + REFRESH_RANDOM_SIZE,
    RAW_SIZE = SEAL_AT + REFRESH_SEAL_SIZE,
};

_Static_assert(sodium_base64_ENCODED_LEN(RAW_SIZE, sodium_base64_VARIANT_URLSAFE_NO_PADDING) ==
                   REFRESH_TEXT_SIZE,
               "the text fits exactly");

/* The purpose comes first, so no other keyed hash is a seal. */
static void make_seal(const struct secret *key, const uint8_t raw[static RAW_SIZE],
                      uint8_t ret[static REFRESH_SEAL_SIZE])
{
    static const uint8_t purpose[] = "refresh token";
    crypto_generichash_state state;

    crypto_generichash_init(&state, key->bytes, key->length, REFRESH_SEAL_SIZE);
    crypto_generichash_update(&state, purpose, sizeof(purpose));
    crypto_generichash_update(&state, raw, SEAL_AT);
    crypto_generichash_final(&state, ret, REFRESH_SEAL_SIZE);
    sodium_memzero(&state, sizeof(state));
}

void refresh_token_new(const struct seal_keys *keys, struct uuid project, struct uuid session,
                       struct refresh_token *ret)
{
    uint8_t raw[RAW_SIZE];

    uuid_to_bytes(&project, raw + PROJECT_AT);
    uuid_to_bytes(&session, raw + SESSION_AT);
    randombytes_buf(raw + RANDOM_AT, REFRESH_RANDOM_SIZE);
    make_seal(seal_keys_current(keys), raw, raw + SEAL_AT);
    sodium_bin2base64(ret->text, sizeof(ret->text), raw, sizeof(raw),
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    ret->project = project;
    ret->session = session;
    secret_hash(ret->text, ret->hash);
    sodium_memzero(raw, sizeof(raw));
}

int refresh_token_parse(const char *text, struct refresh_token *ret)
{
    uint8_t raw[RAW_SIZE];
    size_t size = 0;

    if (strlen(text) != REFRESH_TEXT_SIZE - 1 || secret_decode(text, raw, sizeof(raw), &size) < 0 ||
        size != RAW_SIZE)
        return -1;
    memcpy(ret->text, text, REFRESH_TEXT_SIZE);
    uuid_from_bytes(raw + PROJECT_AT, &ret->project);
    uuid_from_bytes(raw + SESSION_AT, &ret->session);
    secret_hash(ret->text, ret->hash);
    sodium_memzero(raw, sizeof(raw));
    return 0;
}

bool refresh_token_genuine(const struct refresh_token *self, const struct seal_keys *keys,
                           size_t count)
{
    uint8_t raw[RAW_SIZE], seal[REFRESH_SEAL_SIZE];
    size_t size = 0;
    bool genuine = false;

    if (secret_decode(self->text, raw, sizeof(raw), &size) < 0 || size != RAW_SIZE)
        return false;
    for (size_t i = 0; i < count && !genuine; i++) {
        make_seal(&keys->items[i].secret, raw, seal);
        genuine = sodium_memcmp(seal, raw + SEAL_AT, REFRESH_SEAL_SIZE) == 0;
    }
    sodium_memzero(raw, sizeof(raw));
    return genuine;
}

void refresh_token_successor_key(const struct refresh_token *self, struct secret *ret)
{
    ret->length = SEAL_KEY_SIZE;
    crypto_generichash(ret->bytes, SEAL_KEY_SIZE, (const uint8_t *)self->text,
                       REFRESH_TEXT_SIZE - 1, NULL, 0);
}

void refresh_token_wipe(struct refresh_token *self)
{
    sodium_memzero(self, sizeof(*self));
}
