/*
 * sealed_file.h - an encrypted file: blocks sealed with XChaCha20-Poly1305 (libsodium) under its
 * own key, with the block number as additional data. Blocks can be rewritten with a fresh nonce;
 * moved or altered ones do not open. The size is stored with the key.
 */
#ifndef ATRIUM_DOCD_EXPORT_SEALED_FILE_H
#define ATRIUM_DOCD_EXPORT_SEALED_FILE_H

#include <sodium.h>

#include "common/base/base.h"
#include "common/base/error.h"

enum {
    SEALED_BLOCK = 64 * 1024, /* bytes of a block, except the last */
    SEALED_MORE =
        crypto_aead_xchacha20poly1305_ietf_NPUBBYTES + crypto_aead_xchacha20poly1305_ietf_ABYTES,
    SEALED_KEY = crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
};

int64_t sealed_size(int64_t size);

/* The sealed blocks that contain bytes `offset` to `end` (exclusive). */
struct sealed_range {
    int64_t block, offset, size; /* first block; offset and size of the sealed bytes */
};
struct sealed_range sealed_range_of(int64_t size, int64_t offset, int64_t end);

/* Decrypts a range into `ret`. -1: altered, or too few bytes. */
int sealed_range_open(const uint8_t key[static SEALED_KEY], const struct sealed_range *range,
                      const uint8_t *sealed, int64_t size, int64_t offset, int64_t end,
                      uint8_t *ret) MUST_USE;

/* ---- writing ---- */

struct sealed_file;

/* Creates an unnamed file with a random key; NULL with err set. */
struct sealed_file *sealed_file_new(const char *dir, struct error *err);
void sealed_file_destroy(struct sealed_file **self_p);

const uint8_t *sealed_file_key(const struct sealed_file *self);
int64_t sealed_file_size(const struct sealed_file *self);

/* Overwrites or appends bytes, without a gap. -1 with errno: no space, or the file was altered. */
int sealed_file_write(struct sealed_file *self, int64_t offset, const void *bytes,
                      size_t size) MUST_USE;
ssize_t sealed_file_read(struct sealed_file *self, int64_t offset, void *bytes,
                         size_t size) MUST_USE;

/* Writes the block that is still in memory. Call it before sealed_file_read_sealed(). */
int sealed_file_flush(struct sealed_file *self) MUST_USE;
ssize_t sealed_file_read_sealed(struct sealed_file *self, int64_t offset, void *bytes,
                                size_t size) MUST_USE;

#endif
