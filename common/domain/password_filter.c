/* password_filter.c - see password_filter.h. */
#include "common/domain/password_filter.h"

#include <endian.h>
#include <errno.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/base/log.h"
#include "common/domain/password_filter_private.h"

enum { SHA1_SIZE = 20, TEXT_CHUNK = 256 };

const uint8_t filter_magic[FILTER_MAGIC] = {0x89, 'A', 'T', 'R', 'P', 'W', '\r', '\n'};

struct shard {
    struct filter_shape shape;
    const uint8_t *prints;
};

struct password_filter {
    struct password_filter_info info;
    unsigned bits;
    struct shard shards[];
};

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool digest_lower(EVP_MD_CTX *context, const char *text, size_t length)
{
    char chunk[TEXT_CHUNK];
    bool good = true;

    for (size_t at = 0; good && at < length; at += sizeof(chunk)) {
        size_t size = MIN(length - at, sizeof(chunk));

        for (size_t i = 0; i < size; i++)
            chunk[i] = (char)(text[at + i] | (is_upper(text[at + i]) ? 0x20 : 0));
        good = EVP_DigestUpdate(context, chunk, size) == 1;
    }
    sodium_memzero(chunk, sizeof(chunk));
    return good;
}

uint64_t password_key(const char *text, size_t length, bool lower)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t digest[SHA1_SIZE];
    uint64_t key;

    if (!context || EVP_DigestInit_ex(context, EVP_sha1(), NULL) != 1 ||
        !(lower ? digest_lower(context, text, length)
                : EVP_DigestUpdate(context, text, length) == 1) ||
        EVP_DigestFinal_ex(context, digest, NULL) != 1)
        log_die("password", "SHA-1 cannot be computed");
    EVP_MD_CTX_free(context);
    memcpy(&key, digest, sizeof(key));
    sodium_memzero(digest, sizeof(digest));
    return be64toh(key);
}

static uint32_t read32(const uint8_t *at)
{
    uint32_t number;

    memcpy(&number, at, sizeof(number));
    return le32toh(number);
}

static uint64_t read64(const uint8_t *at)
{
    uint64_t number;

    memcpy(&number, at, sizeof(number));
    return le64toh(number);
}

static bool is_power(uint32_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

static bool shape_holds(const struct filter_shape *shape, uint32_t keys)
{
    if (keys == 0)
        return shape->segment == 0 && shape->segments == 0;
    return keys <= FILTER_SHARD_KEYS_MAX && is_power(shape->segment) &&
           shape->segment <= FILTER_SEGMENT_MAX && shape->segments > 0 &&
           filter_slots(shape) <= 8 * (size_t)FILTER_SHARD_KEYS_MAX;
}

/* Reads the shards' rows: fingerprints must fill the file, and passwords add up to its number. */
static bool read_shards(struct password_filter *self, const uint8_t *bytes)
{
    size_t count = (size_t)self->info.shards, at = FILTER_HEADER + count * FILTER_ROW;
    size_t end = (size_t)self->info.size - PASSWORD_FILTER_HASH_SIZE;
    int64_t keys = 0;

    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = bytes + FILTER_HEADER + i * FILTER_ROW;
        struct shard *shard = &self->shards[i];
        size_t size;

        shard->shape = (struct filter_shape){read64(row), read32(row + 20), read32(row + 24)};
        if (!shape_holds(&shard->shape, read32(row + 16)) || read64(row + 8) != at)
            return false;
        size = filter_slots(&shard->shape) * FILTER_PRINT;
        if (size > end - at)
            return false;
        shard->prints = bytes + at;
        at += size;
        keys += read32(row + 16);
    }
    return at == end && keys > 0 && keys == self->info.passwords;
}

static bool hash_holds(const uint8_t *bytes, const struct password_filter_info *info)
{
    uint8_t hash[PASSWORD_FILTER_HASH_SIZE];
    size_t size = (size_t)info->size - sizeof(hash);

    crypto_generichash(hash, sizeof(hash), bytes, size, NULL, 0);
    return memcmp(hash, info->hash, sizeof(hash)) == 0;
}

bool password_filter_begins(const void *bytes, size_t size)
{
    return size > 0 && *(const uint8_t *)bytes == filter_magic[0];
}

static int check_header(const uint8_t *bytes, size_t size, const char *name, struct error *err)
{
    enum { SIZE_MIN = FILTER_HEADER + FILTER_ROW + PASSWORD_FILTER_HASH_SIZE };

    if (size < FILTER_MAGIC || memcmp(bytes, filter_magic, FILTER_MAGIC) != 0)
        return error_set(err, ERR_BAD_REQUEST, "%s: is no filter of passwords", name);
    if (size < SIZE_MIN)
        return error_set(err, ERR_BAD_REQUEST, "%s: the filter is cut off", name);
    if (read32(bytes + 8) != FILTER_VERSION)
        return error_set(err, ERR_BAD_REQUEST, "%s: is a filter of version %u, not %d", name,
                         read32(bytes + 8), FILTER_VERSION);
    if (read64(bytes + 24) != size)
        return error_set(err, ERR_BAD_REQUEST, "%s: the filter is cut off or was altered", name);
    if (!is_power(read32(bytes + 12)) || read32(bytes + 12) > FILTER_SHARDS_MAX ||
        size < SIZE_MIN + (read32(bytes + 12) - 1) * (size_t)FILTER_ROW)
        return error_set(err, ERR_BAD_REQUEST, "%s: the filter was altered", name);
    return 0;
}

struct password_filter *password_filter_from_bytes(const void *data, size_t size, const char *name,
                                                   struct arena *arena, struct error *err)
{
    const uint8_t *bytes = data;
    struct password_filter *self;
    uint32_t shards;

    if (check_header(bytes, size, name, err) < 0)
        return NULL;
    shards = read32(bytes + 12);
    self = arena_alloc(arena, sizeof(*self) + shards * sizeof(*self->shards));
    self->bits = (unsigned)__builtin_ctz(shards);
    self->info = (struct password_filter_info){.version = FILTER_VERSION,
                                               .passwords = (int64_t)read64(bytes + 16),
                                               .shards = shards,
                                               .size = (int64_t)size};
    memcpy(self->info.hash, bytes + size - PASSWORD_FILTER_HASH_SIZE, PASSWORD_FILTER_HASH_SIZE);
    if (hash_holds(bytes, &self->info) && read_shards(self, bytes))
        return self;
    error_set(err, ERR_BAD_REQUEST, "%s: the filter was altered", name);
    return NULL;
}

struct mapping {
    void *bytes;
    size_t size;
};

static void unmap(void *data)
{
    const struct mapping *mapping = data;

    munmap(mapping->bytes, mapping->size);
}

struct password_filter *password_filter_open(int fd, const char *name, struct arena *arena,
                                             struct error *err)
{
    struct mapping *mapping;
    struct stat status;
    void *bytes;

    if (fstat(fd, &status) < 0) {
        error_set(err, ERR_BAD_REQUEST, "%s: %s", name, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        error_set(err, ERR_BAD_REQUEST, "%s: is no filter of passwords", name);
        return NULL;
    }
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) {
        error_set(err, ERR_BAD_REQUEST, "%s: %s", name, strerror(errno));
        return NULL;
    }
    mapping = arena_alloc(arena, sizeof(*mapping));
    *mapping = (struct mapping){bytes, (size_t)status.st_size};
    arena_on_destroy(arena, unmap, mapping);
    return password_filter_from_bytes(bytes, mapping->size, name, arena, err);
}

struct password_filter_info password_filter_info(const struct password_filter *self)
{
    return self->info;
}

bool password_filter_has_key(const struct password_filter *self, uint64_t key)
{
    const struct shard *shard = &self->shards[filter_shard(key, self->bits)];
    uint64_t hash = filter_mix(key, shard->shape.seed);
    uint16_t prints = 0, print;
    uint32_t slots[3];

    if (shard->shape.segment == 0)
        return false;
    filter_place(&shard->shape, hash, slots);
    for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
        memcpy(&print, shard->prints + (size_t)slots[i] * FILTER_PRINT, sizeof(print));
        prints ^= le16toh(print);
    }
    return prints == filter_print(hash);
}

bool password_filter_has(const struct password_filter *self, const char *password)
{
    size_t length = strlen(password);
    bool capitals = false;

    for (size_t i = 0; i < length; i++)
        capitals = capitals || is_upper(password[i]);
    return password_filter_has_key(self, password_key(password, length, false)) ||
           (capitals && password_filter_has_key(self, password_key(password, length, true)));
}
