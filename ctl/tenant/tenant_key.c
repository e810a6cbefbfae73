/* tenant_key.c - see tenant_key.h. */
#include "ctl/tenant/tenant_key.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#define PREFIX "atrium-tenant-"

enum { CHECK_SIZE = 4 };

static_assert(TENANT_KEY_SIZE == crypto_box_PUBLICKEYBYTES, "X25519");
static_assert(SEAL_KEY_SIZE == crypto_box_SEEDBYTES, "what is derived is a seed");
static_assert(TENANT_BOX_SIZE == TENANT_STREAM_KEY_SIZE + crypto_box_SEALBYTES, "sealed box");

/* Derives both halves; erase the second. */
static void derive(const struct secret *seal_key, struct tenant_key *ret,
                   uint8_t ret_secret[static crypto_box_SECRETKEYBYTES])
{
    uint8_t seed[SEAL_KEY_SIZE];

    secret_derive(seal_key, "tenant key", seed);
    crypto_box_seed_keypair(ret->bytes, ret_secret, seed);
    sodium_memzero(seed, sizeof(seed));
}

struct tenant_key tenant_key_derive(const struct secret *seal_key)
{
    uint8_t secret[crypto_box_SECRETKEYBYTES];
    struct tenant_key key;

    derive(seal_key, &key, secret);
    sodium_memzero(secret, sizeof(secret));
    return key;
}

/* Computes a check that detects typing errors only. */
static void check_of(const struct tenant_key *self, uint8_t ret[static CHECK_SIZE])
{
    uint8_t hash[crypto_generichash_BYTES];

    crypto_generichash(hash, sizeof(hash), self->bytes, sizeof(self->bytes),
                       (const uint8_t *)PREFIX, sizeof(PREFIX) - 1);
    memcpy(ret, hash, CHECK_SIZE);
}

char *tenant_key_print(struct arena *arena, const struct tenant_key *self)
{
    uint8_t bytes[TENANT_KEY_SIZE + CHECK_SIZE];

    memcpy(bytes, self->bytes, TENANT_KEY_SIZE);
    check_of(self, bytes + TENANT_KEY_SIZE);
    return arena_printf(arena, PREFIX "%s", secret_encode(arena, bytes, sizeof(bytes)));
}

/* False for a point of small order, to which every sender would make the same box: libsodium
 * rejects it. */
static bool encrypts(const struct tenant_key *self)
{
    uint8_t point[crypto_scalarmult_BYTES], scalar[crypto_scalarmult_SCALARBYTES] = {1};

    return crypto_scalarmult(point, scalar, self->bytes) == 0;
}

int tenant_key_parse(const char *text, struct tenant_key *ret, struct error *err)
{
    uint8_t bytes[TENANT_KEY_SIZE + CHECK_SIZE], check[CHECK_SIZE];
    struct tenant_key key;
    size_t size;

    if (strncmp(text, PREFIX, sizeof(PREFIX) - 1) != 0 ||
        secret_decode(text + sizeof(PREFIX) - 1, bytes, sizeof(bytes), &size) < 0 ||
        size != sizeof(bytes))
        return error_set(err, ERR_BAD_REQUEST,
                         "Not the key of an installation, which begins with " PREFIX ".");
    memcpy(key.bytes, bytes, TENANT_KEY_SIZE);
    check_of(&key, check);
    if (memcmp(check, bytes + TENANT_KEY_SIZE, CHECK_SIZE) != 0)
        return error_set(err, ERR_BAD_REQUEST,
                         "The key has a wrong character, or one that is missing.");
    if (!encrypts(&key))
        return error_set(err, ERR_BAD_REQUEST, "Nothing can be encrypted to this key.");
    *ret = key;
    return 0;
}

void tenant_key_id(const struct tenant_key *self, char ret[static TENANT_KEY_ID_TEXT])
{
    uint8_t hash[crypto_generichash_BYTES];

    crypto_generichash(hash, sizeof(hash), self->bytes, sizeof(self->bytes), NULL, 0);
    sodium_bin2hex(ret, TENANT_KEY_ID_TEXT, hash, TENANT_KEY_ID_SIZE);
}

int tenant_key_encrypt(const struct tenant_key *self,
                       const uint8_t stream_key[static TENANT_STREAM_KEY_SIZE],
                       uint8_t ret[static TENANT_BOX_SIZE])
{
    return crypto_box_seal(ret, stream_key, TENANT_STREAM_KEY_SIZE, self->bytes);
}

int tenant_key_decrypt(const struct seal_keys *keys, const char *id,
                       const uint8_t box[static TENANT_BOX_SIZE],
                       uint8_t ret[static TENANT_STREAM_KEY_SIZE], struct error *err)
{
    char own[TENANT_KEY_ID_TEXT] = "";

    for (size_t i = keys->count; i-- > 0;) {
        uint8_t secret[crypto_box_SECRETKEYBYTES];
        struct tenant_key key;
        int failed;

        derive(&keys->items[i].secret, &key, secret);
        tenant_key_id(&key, own);
        failed = strcmp(own, id) != 0
                     ? 1
                     : crypto_box_seal_open(ret, box, TENANT_BOX_SIZE, key.bytes, secret);
        sodium_memzero(secret, sizeof(secret));
        if (failed < 0)
            return error_set(err, ERR_FORBIDDEN, "Its key was altered.");
        if (failed == 0)
            return 0;
    }
    return error_set(err, ERR_FORBIDDEN, "Encrypted to the key %s; this installation's is %s.", id,
                     own);
}
