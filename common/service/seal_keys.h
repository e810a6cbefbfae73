/*
 * seal_keys.h - the keys that seal values in a daemon's database: one writes, all read.
 *
 * A seal_key file has one or two lines of 64 hex digits. The first seals and hashes; the second
 * only opens and recognises hashes. Rotated keys stay in the database, sealed, since hashes cannot
 * be remade (service_seal.c).
 *
 * A nonce's last 8 bytes are the key's id, or random from older builds. So an id only tells what to
 * reseal; opening tries every key.
 */
#ifndef ATRIUM_COMMON_SERVICE_SEAL_KEYS_H
#define ATRIUM_COMMON_SERVICE_SEAL_KEYS_H

#include "common/base/secret.h"

enum {
    SEAL_KEYS_MAX = 10, /* two keys of the file, and eight rotated keys */
    SEAL_ID_SIZE = 8,
    SEAL_ID_TEXT = 2 * SEAL_ID_SIZE + 1,
    SEAL_ID_AT = 16, /* offset in a sealed value */
};

struct seal_key {
    struct secret secret;
    char id[SEAL_ID_TEXT]; /* hexadecimal; derived, reveals nothing */
    int64_t retired_at;    /* contract time of its rotation in ms; 0: in the file */
};

/* Seal keys, of which the first writes. Never empty after loading. */
struct seal_keys {
    struct seal_key items[SEAL_KEYS_MAX];
    size_t count, in_file;
    size_t oldest; /* index of the key that sealed first */
};

void seal_keys_wipe(struct seal_keys *self);

/* Adds a key unless it is present or there are too many. */
void seal_keys_add(struct seal_keys *self, const struct secret *secret, int64_t retired_at);

/* Loads a seal_key file. Fails if it is missing, open to others, or malformed. */
int seal_keys_load(const char *path, struct seal_keys *ret, struct error *err) MUST_USE;

const struct seal_key *seal_keys_find(const struct seal_keys *self, const char *id);
const struct secret *seal_keys_current(const struct seal_keys *self);

/* Counts keys whose hashes can still be valid, if a hash is valid for `life_ms`. */
size_t seal_keys_hashing(const struct seal_keys *self, int64_t now_ms, int64_t life_ms);

/* Calls secret_seal() with the writing key; seal_open() calls secret_open() with any key. */
struct sealed seal_value(struct arena *arena, const struct seal_keys *self, const char *purpose,
                         const void *plain, size_t size);
int seal_open(struct arena *arena, const struct seal_keys *self, const char *purpose,
              struct sealed sealed, uint8_t **ret_plain, size_t *ret_size) MUST_USE;

#endif
