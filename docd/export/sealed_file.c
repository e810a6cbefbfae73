/* sealed_file.c - see sealed_file.h. Holds one block in memory while writing. */
#include "docd/export/sealed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"

enum { STEP = SEALED_BLOCK + SEALED_MORE };

struct sealed_file {
    int file;
    int64_t size, block; /* block: the one in memory; -1: none */
    bool changed;
    uint8_t key[SEALED_KEY];
    uint8_t plain[SEALED_BLOCK], sealed[STEP];
};

int64_t sealed_size(int64_t size)
{
    int64_t blocks = (size + SEALED_BLOCK - 1) / SEALED_BLOCK;

    return size + blocks * SEALED_MORE;
}

static size_t block_size(int64_t size, int64_t block)
{
    return (size_t)MAX(MIN(size - block * SEALED_BLOCK, (int64_t)SEALED_BLOCK), (int64_t)0);
}

struct sealed_range sealed_range_of(int64_t size, int64_t offset, int64_t end)
{
    int64_t first = offset / SEALED_BLOCK, last = (end + SEALED_BLOCK - 1) / SEALED_BLOCK;
    int64_t sealed_end = MIN(last * STEP, sealed_size(size));

    return (struct sealed_range){first, first * STEP, MAX(sealed_end - first * STEP, (int64_t)0)};
}

static void number_bytes(int64_t block, uint8_t ret[static 8])
{
    for (int i = 0; i < 8; i++)
        ret[i] = (uint8_t)((uint64_t)block >> (8 * i));
}

static void seal(const uint8_t *key, int64_t block, const uint8_t *plain, size_t size, uint8_t *ret)
{
    uint8_t number[8];

    number_bytes(block, number);
    randombytes_buf(ret, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
    crypto_aead_xchacha20poly1305_ietf_encrypt(ret + crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
                                               NULL, plain, size, number, sizeof(number), NULL, ret,
                                               key);
}

/* `sealed` has size + SEALED_MORE bytes. */
static int open_block(const uint8_t *key, int64_t block, const uint8_t *sealed, size_t size,
                      uint8_t *ret)
{
    uint8_t number[8];

    number_bytes(block, number);
    return crypto_aead_xchacha20poly1305_ietf_decrypt(
        ret, NULL, NULL, sealed + crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
        size + crypto_aead_xchacha20poly1305_ietf_ABYTES, number, sizeof(number), sealed, key);
}

int sealed_range_open(const uint8_t key[static SEALED_KEY], const struct sealed_range *range,
                      const uint8_t *sealed, int64_t size, int64_t offset, int64_t end,
                      uint8_t *ret)
{
    uint8_t *plain = malloc(SEALED_BLOCK);
    int result = plain && end <= size ? 0 : -1;
    int64_t block = range->block;

    for (const uint8_t *at = sealed; result == 0 && block * SEALED_BLOCK < end; block++) {
        int64_t start = block * SEALED_BLOCK;
        size_t bytes = block_size(size, block);
        int64_t from = MAX(offset, start), to = MIN(end, start + (int64_t)bytes);

        if (range->size - (at - sealed) < (int64_t)bytes + SEALED_MORE ||
            open_block(key, block, at, bytes, plain) < 0)
            result = -1;
        else
            memcpy(ret + (from - offset), plain + (from - start), (size_t)(to - from));
        at += STEP;
    }
    if (plain)
        sodium_memzero(plain, SEALED_BLOCK);
    free(plain);
    return result;
}

struct sealed_file *sealed_file_new(const char *dir, struct error *err)
{
    int file = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    struct sealed_file *self;

    if (file < 0) {
        (void)error_set(err, ERR_UNAVAILABLE, "%s: %s", dir, strerror(errno));
        return NULL;
    }
    self = calloc(1, sizeof(*self));
    if (!self)
        abort();
    self->file = file;
    self->block = -1;
    crypto_aead_xchacha20poly1305_ietf_keygen(self->key);
    return self;
}

void sealed_file_destroy(struct sealed_file **self_p)
{
    struct sealed_file *self = *self_p;

    *self_p = NULL;
    if (!self)
        return;
    close(self->file);
    sodium_memzero(self, sizeof(*self));
    free(self);
}

const uint8_t *sealed_file_key(const struct sealed_file *self)
{
    return self->key;
}

int64_t sealed_file_size(const struct sealed_file *self)
{
    return self->size;
}

int sealed_file_flush(struct sealed_file *self)
{
    size_t size = self->block < 0 ? 0 : block_size(self->size, self->block);

    if (!self->changed)
        return 0;
    seal(self->key, self->block, self->plain, size, self->sealed);
    if (file_write_all(self->file, self->sealed, size + SEALED_MORE, self->block * STEP) < 0)
        return -1;
    self->changed = false;
    return 0;
}

static int load(struct sealed_file *self, int64_t block)
{
    size_t size = block_size(self->size, block);

    if (self->block == block)
        return 0;
    if (sealed_file_flush(self) < 0)
        return -1;
    self->block = -1;
    if (size > 0 && (file_read_all(self->file, self->sealed, size + SEALED_MORE, block * STEP) !=
                         (ssize_t)(size + SEALED_MORE) ||
                     open_block(self->key, block, self->sealed, size, self->plain) < 0)) {
        errno = EBADMSG;
        return -1;
    }
    self->block = block;
    return 0;
}

int sealed_file_write(struct sealed_file *self, int64_t offset, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;

    if (offset < 0 || offset > self->size) {
        errno = EINVAL;
        return -1;
    }
    while (size > 0) {
        int64_t block = offset / SEALED_BLOCK;
        size_t at = (size_t)(offset % SEALED_BLOCK), count = MIN(size, SEALED_BLOCK - at);

        if (load(self, block) < 0)
            return -1;
        memcpy(self->plain + at, from, count);
        self->changed = true;
        offset += (int64_t)count;
        self->size = MAX(self->size, offset);
        from += count;
        size -= count;
    }
    return 0;
}

ssize_t sealed_file_read(struct sealed_file *self, int64_t offset, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    size_t left = (size_t)MIN((int64_t)size, MAX(self->size - offset, (int64_t)0)), done = 0;

    while (done < left) {
        size_t at = (size_t)(offset % SEALED_BLOCK), count = MIN(left - done, SEALED_BLOCK - at);

        if (load(self, offset / SEALED_BLOCK) < 0)
            return -1;
        memcpy(to + done, self->plain + at, count);
        done += count;
        offset += (int64_t)count;
    }
    return (ssize_t)done;
}

ssize_t sealed_file_read_sealed(struct sealed_file *self, int64_t offset, void *bytes, size_t size)
{
    return file_read_all(self->file, bytes, size, offset);
}
