/*
 * seal_keys.h - the keys that seal what a daemon's database must not tell: one that writes, and
 * older or newer ones that only read while a key is exchanged.
 *
 * The file of a daemon's seal_key has one or two lines of 64 hexadecimal digits. The first seals
 * and hashes from now on; values of the second are opened, and its hashes recognised. A third kind
 * is not in the file: keys that were exchanged, which the database keeps sealed by the one that
 * writes, because a hash cannot be made anew (common/service/service_seal.c).
 *
 * A sealed value says which key made it: the last 8 bytes of its nonce are the id of the key.
 * Values of builds before that have random bytes there, so an id only tells which values are to be
 * sealed anew; opening tries every key.
 */
#ifndef ATRIUM_COMMON_SERVICE_SEAL_KEYS_H
#define ATRIUM_COMMON_SERVICE_SEAL_KEYS_H

#include "common/base/secret.h"

enum {
    SEAL_KEYS_MAX = 10, /* two of the file, and eight that were exchanged */
    SEAL_ID_SIZE = 8,
    SEAL_ID_TEXT = 2 * SEAL_ID_SIZE + 1,
    SEAL_ID_AT = 16, /* in a sealed value */
};

struct seal_key {
    struct secret secret;
    char id[SEAL_ID_TEXT]; /* hexadecimal; derived from the key, tells nothing of it */
    int64_t
        retired_at; /* contract time when the file's key was exchanged, ms; 0: it is in the file */
};

/* The first writes. Never empty once loaded. */
struct seal_keys {
    struct seal_key items[SEAL_KEYS_MAX];
    size_t count, in_file;
    size_t oldest; /* which of them has sealed first */
};

/* Wipes; usable with CLEANUP. */
void seal_keys_wipe(struct seal_keys *self);

/* Adds a key of SEAL_KEY_SIZE bytes behind the others; one that is there already, or too many, is
 * left out. */
void seal_keys_add(struct seal_keys *self, const struct secret *secret, int64_t retired_at);

/* The keys of a file. Fails with a message that names it when it is missing, open to others, or
 * holds anything else. */
int seal_keys_load(const char *path, struct seal_keys *ret, struct error *err) MUST_USE;

/* The key of that id; NULL when it is not among them. */
const struct seal_key *seal_keys_find(const struct seal_keys *self, const char *id);

/* The key that writes. */
const struct secret *seal_keys_current(const struct seal_keys *self);

/* How many of the keys, from the first, may have hashed something that lives `life_ms` and still
 * counts at `now_ms`. */
size_t seal_keys_hashing(const struct seal_keys *self, int64_t now_ms, int64_t life_ms);

/* As secret_seal() and secret_open(), by the key that writes and by any of them. */
struct sealed seal_value(struct arena *arena, const struct seal_keys *self, const char *purpose,
                         const void *plain, size_t size);
int seal_open(struct arena *arena, const struct seal_keys *self, const char *purpose,
              struct sealed sealed, uint8_t **ret_plain, size_t *ret_size) MUST_USE;

#endif
