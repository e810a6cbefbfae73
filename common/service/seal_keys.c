/* seal_keys.c - see seal_keys.h. */
#include "common/service/seal_keys.h"

#include <assert.h>
#include <sodium.h>

static_assert(SEAL_ID_AT + SEAL_ID_SIZE == crypto_secretbox_NONCEBYTES, "the nonce ends in the id");

void seal_keys_wipe(struct seal_keys *self)
{
    sodium_memzero(self, sizeof(*self));
}

static void make_id(const struct secret *secret, char ret[static SEAL_ID_TEXT])
{
    uint8_t derived[SEAL_KEY_SIZE];

    secret_derive(secret, "seal key id", derived);
    sodium_bin2hex(ret, SEAL_ID_TEXT, derived, SEAL_ID_SIZE);
    sodium_memzero(derived, sizeof(derived));
}

void seal_keys_add(struct seal_keys *self, const struct secret *secret, int64_t retired_at)
{
    struct seal_key *key = &self->items[self->count];

    if (self->count == SEAL_KEYS_MAX)
        return;
    *key = (struct seal_key){.secret = *secret, .retired_at = retired_at};
    make_id(secret, key->id);
    if (seal_keys_find(self, key->id))
        sodium_memzero(key, sizeof(*key));
    else
        self->count++;
}

int seal_keys_load(const char *path, struct seal_keys *ret, struct error *err)
{
    struct secret keys[SEAL_FILE_KEYS];
    size_t count;

    if (secret_load_keys(path, keys, &count, err) < 0)
        return -1;
    *ret = (struct seal_keys){.count = 0};
    for (size_t i = 0; i < count; i++)
        seal_keys_add(ret, &keys[i], 0);
    sodium_memzero(keys, sizeof(keys));
    ret->in_file = ret->count;
    if (ret->count == count)
        return 0;
    seal_keys_wipe(ret);
    return error_set(err, ERR_INTERNAL, "%s: contains the same key twice.", path);
}

const struct seal_key *seal_keys_find(const struct seal_keys *self, const char *id)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->items[i].id, id) == 0)
            return &self->items[i];
    return NULL;
}

const struct secret *seal_keys_current(const struct seal_keys *self)
{
    assert(self->count > 0);
    return &self->items[0].secret;
}

size_t seal_keys_hashing(const struct seal_keys *self, int64_t now_ms, int64_t life_ms)
{
    size_t count = self->in_file;

    while (count < self->count && now_ms - self->items[count].retired_at < life_ms)
        count++;
    return count;
}

struct sealed seal_value(struct arena *arena, const struct seal_keys *self, const char *purpose,
                         const void *plain, size_t size)
{
    uint8_t id[SEAL_ID_SIZE];

    assert(self->count > 0);
    (void)sodium_hex2bin(id, sizeof(id), self->items[0].id, SEAL_ID_TEXT - 1, NULL, NULL, NULL);
    return secret_seal_marked(arena, &self->items[0].secret, purpose, id, sizeof(id), plain, size);
}

int seal_open(struct arena *arena, const struct seal_keys *self, const char *purpose,
              struct sealed sealed, uint8_t **ret_plain, size_t *ret_size)
{
    for (size_t i = 0; i < self->count; i++)
        if (secret_open(arena, &self->items[i].secret, purpose, sealed, ret_plain, ret_size) == 0)
            return 0;
    return -1;
}
