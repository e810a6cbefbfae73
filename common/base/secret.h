/* secret.h - short secret bytes, wiped when their scope ends, that no log function accepts. */
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

/* Wipes; usable with CLEANUP on a struct secret variable. */
void secret_wipe(struct secret *self);

/* `size` random bytes as base64url without padding, NUL-terminated, from the arena. */
char *secret_random_text(struct arena *arena, size_t size);

/* SHA-256, for tokens stored only as a hash. They hold >= 128 random bits, so no salt. */
void secret_hash(const char *text, uint8_t ret[static SECRET_HASH_SIZE]);

/* base64url without padding; and back: -1 unless it is exactly that form, at most `max` bytes. */
char *secret_encode(struct arena *arena, const void *bytes, size_t size);
int secret_decode(const char *text, void *ret, size_t max, size_t *ret_size) MUST_USE;

/* Reads a sealing key: 64 hex digits in a systemd credential or 0600 file. The error names a file
 * that is missing, of another size or readable by others. */
int secret_load_key(const char *path, struct secret *ret, struct error *err) MUST_USE;

/* The same of a file with one such line, or two: *ret_count keys. */
int secret_load_keys(const char *path, struct secret ret[static SEAL_FILE_KEYS], size_t *ret_count,
                     struct error *err) MUST_USE;

/* The first line of such a file, 1 to SECRET_MAX - 2 bytes: a password or another service's key. */
int secret_load_text(const char *path, struct secret *ret, struct error *err) MUST_USE;

/* Also refuses an owner other than root and this process's user: an owner may read the file. */
int secret_check_file(const char *path, struct error *err) MUST_USE;

/* A key for one purpose, made from the sealing key: it tells nothing of that one and of others. */
void secret_derive(const struct secret *key, const char *purpose,
                   uint8_t ret[static SEAL_KEY_SIZE]);

/* Authenticated encryption (secretbox): nonce (24) || box. `purpose` is mixed into the key, so what
 * is sealed for one use cannot be opened as another. */
struct sealed {
    const uint8_t *bytes;
    size_t size;
};
struct sealed secret_seal(struct arena *arena, const struct secret *key, const char *purpose,
                          const void *plain, size_t size);

/* The nonce ends in the `mark_size` (at most 8) bytes of `mark`; the 16 before are random. */
struct sealed secret_seal_marked(struct arena *arena, const struct secret *key, const char *purpose,
                                 const uint8_t *mark, size_t mark_size, const void *plain,
                                 size_t size);

/* *ret_plain, NUL-terminated, is from the arena. -1: altered, or sealed otherwise. */
int secret_open(struct arena *arena, const struct secret *key, const char *purpose,
                struct sealed sealed, uint8_t **ret_plain, size_t *ret_size) MUST_USE;

/* Wipes a password or token of a request's arena in place. NULL is fine. */
void secret_wipe_text(const char *text);

#endif
