/*
 * sealed_file.h - a file whose bytes are never on disk as they are: blocks of BLOCK_SIZE bytes,
 * each sealed by XChaCha20-Poly1305 (libsodium) with its number as the additional data, under a key
 * of the file's own. Blocks are written anew with a fresh nonce, read in any order, and moved or
 * altered ones do not open. How many bytes there are is kept with the key, not in the file.
 */
#ifndef ATRIUM_DOCD_EXPORT_SEALED_FILE_H
#define ATRIUM_DOCD_EXPORT_SEALED_FILE_H

#include <sodium.h>

#include "common/base/base.h"
#include "common/base/error.h"

enum {
    SEALED_BLOCK = 64 * 1024, /* bytes of a block; the last one has fewer */
    SEALED_MORE =
        crypto_aead_xchacha20poly1305_ietf_NPUBBYTES + crypto_aead_xchacha20poly1305_ietf_ABYTES,
    SEALED_KEY = crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
};

int64_t sealed_size(int64_t size);

/* The sealed bytes that hold those from `offset` to before `end` of a file of `size` bytes. */
struct sealed_range {
    int64_t block, offset, size; /* the first block; of the sealed bytes */
};
struct sealed_range sealed_range_of(int64_t size, int64_t offset, int64_t end);

/* Opens the bytes of a range into `ret`. -1: they were altered, or are too few. */
int sealed_range_open(const uint8_t key[static SEALED_KEY], const struct sealed_range *range,
                      const uint8_t *sealed, int64_t size, int64_t offset, int64_t end,
                      uint8_t *ret) MUST_USE;

/* ---- writing ---- */

struct sealed_file;

/* Creates an unnamed file in the directory with a random key; NULL with err set. */
struct sealed_file *sealed_file_new(const char *dir, struct error *err);
void sealed_file_destroy(struct sealed_file **self_p);

const uint8_t *sealed_file_key(const struct sealed_file *self);
int64_t sealed_file_size(const struct sealed_file *self);

/* At any place up to its end. -1 with errno: the disk is full, or it was altered. */
int sealed_file_write(struct sealed_file *self, int64_t offset, const void *bytes,
                      size_t size) MUST_USE;
ssize_t sealed_file_read(struct sealed_file *self, int64_t offset, void *bytes,
                         size_t size) MUST_USE;

/* Sealed bytes as they lie on disk, once all is written. */
int sealed_file_flush(struct sealed_file *self) MUST_USE;
ssize_t sealed_file_read_sealed(struct sealed_file *self, int64_t offset, void *bytes,
                                size_t size) MUST_USE;

#endif
