/* webhook_sign.c - see webhook_sign.h. */
#include "maild/webhook/webhook_sign.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

enum { KEY_SIZE = 32, BASE64 = sodium_base64_VARIANT_ORIGINAL };

static const char prefix[] = "whsec_";

const char *webhook_secret_new(struct arena *arena)
{
    char text[sodium_base64_ENCODED_LEN(KEY_SIZE, BASE64)];
    uint8_t key[KEY_SIZE];
    const char *secret;

    randombytes_buf(key, sizeof(key));
    sodium_bin2base64(text, sizeof(text), key, sizeof(key), BASE64);
    secret = arena_printf(arena, "%s%s", prefix, text);
    sodium_memzero(key, sizeof(key));
    sodium_memzero(text, sizeof(text));
    return secret;
}

const char *webhook_signature(struct arena *arena, const char *secret, const char *id,
                              int64_t seconds, const char *body)
{
    const char *before = arena_printf(arena, "%s.%" PRId64 ".", id, seconds);
    const char *text = secret + sizeof(prefix) - 1;
    char mac_text[sodium_base64_ENCODED_LEN(crypto_auth_hmacsha256_BYTES, BASE64)];
    uint8_t key[KEY_SIZE], mac[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_state state;
    size_t size;

    if (strncmp(secret, prefix, sizeof(prefix) - 1) != 0 ||
        sodium_base642bin(key, sizeof(key), text, strlen(text), NULL, &size, NULL, BASE64) != 0)
        return NULL;
    crypto_auth_hmacsha256_init(&state, key, size);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)before, strlen(before));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)body, strlen(body));
    crypto_auth_hmacsha256_final(&state, mac);
    sodium_memzero(key, sizeof(key));
    sodium_memzero(&state, sizeof(state));
    sodium_bin2base64(mac_text, sizeof(mac_text), mac, sizeof(mac), BASE64);
    return arena_printf(arena, "v1,%s", mac_text);
}
