/* secret.h - secret bytes, wiped at the end of their scope, which no log function accepts. */
#ifndef ATRIUM_COMMON_BASE_SECRET_H
#define ATRIUM_COMMON_BASE_SECRET_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

enum { SECRET_MAX = 512, SECRET_HASH_SIZE = 32, SEAL_KEY_SIZE = 32, SEAL_FILE_KEYS = 2 };

struct secret {
    size_t length;
    uint8_t bytes[SECRET_MAX];
};

void secret_wipe(struct secret *self);

/* Returns `size` random bytes as base64url without padding. */
char *secret_random_text(struct arena *arena, size_t size);

/* Computes SHA-256 of a token, which is stored instead. Tokens have >= 128 random bits, so need no
 * salt. */
void secret_hash(const char *text, uint8_t ret[static SECRET_HASH_SIZE]);

/* Encodes as base64url without padding. Decoding accepts only that, at most `max` bytes. */
char *secret_encode(struct arena *arena, const void *bytes, size_t size);
int secret_decode(const char *text, void *ret, size_t max, size_t *ret_size) MUST_USE;

/* Reads 64 hex digits in a systemd credential or 0600 file. The error names a file that is missing,
 * malformed or readable for others. */
int secret_load_key(const char *path, struct secret *ret, struct error *err) MUST_USE;

/* Reads such a file with one or two lines. */
int secret_load_keys(const char *path, struct secret ret[static SEAL_FILE_KEYS], size_t *ret_count,
                     struct error *err) MUST_USE;

/* Reads the first line, 1 to SECRET_MAX - 2 bytes: a password or another service's key. */
int secret_load_text(const char *path, struct secret *ret, struct error *err) MUST_USE;

/* Checks a secret's file. Rejects owners other than root and this user, who could read it. */
int secret_check_file(const char *path, struct error *err) MUST_USE;

/* Derives a key that reveals neither the sealing key nor other purposes' keys. */
void secret_derive(const struct secret *key, const char *purpose,
                   uint8_t ret[static SEAL_KEY_SIZE]);

/* Authenticated encryption (secretbox): nonce (24) || box. Text sealed for one purpose does not
 * open for another. */
struct sealed {
    const uint8_t *bytes;
    size_t size;
};
struct sealed secret_seal(struct arena *arena, const struct secret *key, const char *purpose,
                          const void *plain, size_t size);

/* Seals with a nonce of 16 random bytes, followed by `mark` (at most 8 bytes). */
struct sealed secret_seal_marked(struct arena *arena, const struct secret *key, const char *purpose,
                                 const uint8_t *mark, size_t mark_size, const void *plain,
                                 size_t size);

/* Sets *ret_plain, NUL-terminated. -1: altered, or another key or purpose. */
int secret_open(struct arena *arena, const struct secret *key, const char *purpose,
                struct sealed sealed, uint8_t **ret_plain, size_t *ret_size) MUST_USE;

void secret_wipe_text(const char *text);

#endif
