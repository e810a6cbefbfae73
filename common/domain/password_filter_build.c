/* password_filter_build.c - see password_filter_build.h. */
#include "common/domain/password_filter_build.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/domain/password_filter.h"
#include "common/domain/password_filter_private.h"

enum {
    KEYS_MAX = 8 << 20, /* 64 MiB of memory */
    SHARD_KEYS_WANTED = 1 << 20,
    SEEDS_MAX = 100, /* seeds tried per shard; about one in ten fails */
    COPY_SIZE = 1 << 20,
};

struct run {
    uint64_t *keys;
    size_t count, at;
};

struct password_filter_builder {
    struct password_filter_options options;
    uint64_t *keys;
    size_t count;
    int spill; /* file or -1 */
    void *spilled;
    struct run *runs;
    size_t run_count, spilled_count;
};

struct password_filter_builder *password_filter_builder_new(
    const struct password_filter_options *options)
{
    struct password_filter_builder *self = memory_new(sizeof(*self));

    *self = (struct password_filter_builder){.options = *options, .spill = -1};
    if (self->options.keys == 0)
        self->options.keys = KEYS_MAX;
    if (self->options.shard_keys == 0)
        self->options.shard_keys = SHARD_KEYS_WANTED;
    self->keys = memory_new(self->options.keys * sizeof(*self->keys));
    return self;
}

void password_filter_builder_destroy(struct password_filter_builder **self_p)
{
    struct password_filter_builder *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    if (self->spilled)
        munmap(self->spilled, self->spilled_count * sizeof(uint64_t));
    if (self->spill >= 0)
        close(self->spill);
    free(self->runs);
    free(self->keys);
    free(self);
}

/* ---- collecting ---- */

static int compare(const void *a, const void *b)
{
    uint64_t left, right;

    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return left < right ? -1 : left > right;
}

/* Also removes duplicates. Returns the number of keys left. */
static size_t sort(uint64_t *keys, size_t count)
{
    size_t kept = 0;

    qsort(keys, count, sizeof(*keys), compare);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || keys[kept - 1] != keys[i])
            keys[kept++] = keys[i];
    return kept;
}

static int write_all(int fd, const void *bytes, size_t size, off_t at, struct error *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(fd, (const char *)bytes + done, size - done, at + (off_t)done);

        if (n < 0 && errno != EINTR)
            return error_set(err, ERR_INTERNAL, "the filter cannot be written: %s",
                             strerror(errno));
        done += (size_t)MAX(n, 0);
    }
    return 0;
}

static int open_spill(struct password_filter_builder *self, struct error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof(path), "%s/.atrium-passwords-XXXXXX", self->options.folder);

    if (n < 0 || (size_t)n >= sizeof(path))
        return error_set(err, ERR_BAD_REQUEST, "%s: path is too long", self->options.folder);
    self->spill = mkostemp(path, O_CLOEXEC);
    if (self->spill < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
    unlink(path);
    return 0;
}

static void add_run(struct password_filter_builder *self, uint64_t *keys, size_t count)
{
    self->runs = memory_resize(self->runs, self->run_count + 1, sizeof(*self->runs));
    self->runs[self->run_count++] = (struct run){.keys = keys, .count = count};
}

static int make_place(struct password_filter_builder *self, struct error *err)
{
    self->count = sort(self->keys, self->count);
    if (self->count <= self->options.keys / 2)
        return 0;
    if (!self->options.folder)
        return error_set(err, ERR_BAD_REQUEST, "more than %zu passwords", self->options.keys);
    if ((self->spill < 0 && open_spill(self, err) < 0) ||
        write_all(self->spill, self->keys, self->count * sizeof(*self->keys),
                  (off_t)(self->spilled_count * sizeof(*self->keys)), err) < 0)
        return -1;
    self->spilled_count += self->count;
    add_run(self, NULL, self->count);
    self->count = 0;
    return 0;
}

int password_filter_builder_add(struct password_filter_builder *self, uint64_t key,
                                struct error *err)
{
    if (self->count == self->options.keys && make_place(self, err) < 0)
        return -1;
    self->keys[self->count++] = key;
    return 0;
}

static int end_collecting(struct password_filter_builder *self, struct error *err)
{
    uint64_t *keys;

    if (self->spill >= 0) {
        self->spilled =
            mmap(NULL, self->spilled_count * sizeof(*keys), PROT_READ, MAP_SHARED, self->spill, 0);
        if (self->spilled == MAP_FAILED) {
            self->spilled = NULL;
            return error_set(err, ERR_INTERNAL, "the keys cannot be mapped: %s", strerror(errno));
        }
    }
    keys = self->spilled;
    for (size_t i = 0; i < self->run_count; i++) {
        self->runs[i].keys = keys;
        keys += self->runs[i].count;
    }
    self->count = sort(self->keys, self->count);
    add_run(self, self->keys, self->count);
    return 0;
}

/* ---- one shard ---- */

struct slot {
    uint64_t mixed; /* xor of the slot's keys */
    uint32_t count;
};

struct peeled {
    uint64_t hash;
    uint32_t slot;
};

struct shard_build {
    struct filter_shape shape;
    struct slot *slots;
    uint32_t *alone; /* slots with one key left */
    struct peeled *peeled;
    uint16_t *prints;
    size_t slot_count;
};

static struct filter_shape shape_for(size_t count)
{
    double keys = (double)MAX(count, (size_t)2);
    double factor = fmax(1.125, 0.875 + 0.25 * log(1e6) / log(keys));
    int power = (int)floor(log(keys) / log(3.33) + 2.25);
    uint32_t segment = (uint32_t)MIN(1 << power, (int)FILTER_SEGMENT_MAX);
    uint32_t all = (uint32_t)ceil(round(keys * factor) / segment);

    return (struct filter_shape){.segment = segment, .segments = all > 3 ? all - 2 : 1};
}

static void count_keys(struct shard_build *self, const uint64_t *keys, size_t count)
{
    uint32_t slots[3];

    memset(self->slots, 0, self->slot_count * sizeof(*self->slots));
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = filter_mix(keys[i], self->shape.seed);

        filter_place(&self->shape, hash, slots);
        for (size_t j = 0; j < ARRAY_SIZE(slots); j++) {
            self->slots[slots[j]].mixed ^= hash;
            self->slots[slots[j]].count++;
        }
    }
}

static size_t peel(struct shard_build *self)
{
    size_t peeled = 0, alone = 0;
    uint32_t slots[3];

    for (size_t i = 0; i < self->slot_count; i++)
        if (self->slots[i].count == 1)
            self->alone[alone++] = (uint32_t)i;
    while (alone > 0) {
        uint32_t slot = self->alone[--alone];
        uint64_t hash = self->slots[slot].mixed;

        if (self->slots[slot].count == 0)
            continue;
        self->peeled[peeled++] = (struct peeled){hash, slot};
        filter_place(&self->shape, hash, slots);
        for (size_t j = 0; j < ARRAY_SIZE(slots); j++) {
            self->slots[slots[j]].mixed ^= hash;
            if (--self->slots[slots[j]].count == 1)
                self->alone[alone++] = slots[j];
        }
    }
    return peeled;
}

/* Sets the fingerprints in reverse order, so that no key changes a slot that an earlier key
 * needs. */
static void set_prints(struct shard_build *self, size_t count)
{
    uint32_t slots[3];

    memset(self->prints, 0, self->slot_count * sizeof(*self->prints));
    for (size_t i = count; i-- > 0;) {
        uint16_t print = filter_print(self->peeled[i].hash);

        filter_place(&self->shape, self->peeled[i].hash, slots);
        for (size_t j = 0; j < ARRAY_SIZE(slots); j++)
            print ^= le16toh(self->prints[slots[j]]);
        self->prints[self->peeled[i].slot] = htole16(print);
    }
}

static void shard_build_free(struct shard_build *self)
{
    free(self->slots);
    free(self->alone);
    free(self->peeled);
    free(self->prints);
}

static int build_shard(struct shard_build *self, const uint64_t *keys, size_t count,
                       struct error *err)
{
    if (count == 0)
        return 0;
    self->shape = shape_for(count);
    self->slot_count = filter_slots(&self->shape);
    self->slots = memory_new(self->slot_count * sizeof(*self->slots));
    self->alone = memory_new(self->slot_count * sizeof(*self->alone));
    self->peeled = memory_new(count * sizeof(*self->peeled));
    self->prints = memory_new(self->slot_count * sizeof(*self->prints));
    for (uint64_t i = 1; i <= SEEDS_MAX; i++) {
        self->shape.seed = filter_mix(i, 0);
        count_keys(self, keys, count);
        if (peel(self) == count) {
            set_prints(self, count);
            return 0;
        }
    }
    return error_set(err, ERR_INTERNAL, "no filter was found for %zu passwords", count);
}

/* ---- the file ---- */

static void put32(uint8_t *at, uint32_t number)
{
    number = htole32(number);
    memcpy(at, &number, sizeof(number));
}

static void put64(uint8_t *at, uint64_t number)
{
    number = htole64(number);
    memcpy(at, &number, sizeof(number));
}

static unsigned shard_bits(const struct password_filter_builder *self)
{
    unsigned bits = 0;
    size_t keys = 0;

    for (size_t i = 0; i < self->run_count; i++)
        keys += self->runs[i].count;
    while (bits < FILTER_SHARDS_BITS && keys >> bits > self->options.shard_keys)
        bits++;
    return bits;
}

/* Copies a shard's keys, sorted and unique. Call it in the order of shards. */
static int shard_keys_copy(struct password_filter_builder *self, size_t shard, unsigned bits,
                           uint64_t **ret, size_t *ret_count, struct error *err)
{
    size_t count = 0;

    for (size_t i = 0; i < self->run_count; i++) {
        struct run *run = &self->runs[i];
        size_t end = run->at;

        while (end < run->count && filter_shard(run->keys[end], bits) == shard)
            end++;
        if (count + (end - run->at) > FILTER_SHARD_KEYS_MAX)
            return error_set(err, ERR_BAD_REQUEST, "too many passwords for a filter");
        *ret = memory_resize(*ret, count + (end - run->at) + 1, sizeof(**ret));
        memcpy(*ret + count, run->keys + run->at, (end - run->at) * sizeof(**ret));
        count += end - run->at;
        run->at = end;
    }
    *ret_count = self->run_count > 1 ? sort(*ret, count) : count;
    return 0;
}

static int write_shard(struct password_filter_builder *self, size_t shard, unsigned bits, int fd,
                       uint8_t *row, uint64_t *at, uint64_t *passwords, struct error *err)
{
    CLEANUP(shard_build_free) struct shard_build build = {.slots = NULL};
    CLEANUP(memory_free) uint64_t *keys = NULL;
    size_t count = 0, size;

    if (shard_keys_copy(self, shard, bits, &keys, &count, err) < 0 ||
        build_shard(&build, keys, count, err) < 0)
        return -1;
    size = build.slot_count * FILTER_PRINT;
    if (write_all(fd, build.prints, size, (off_t)*at, err) < 0)
        return -1;
    put64(row, build.shape.seed);
    put64(row + 8, *at);
    put32(row + 16, (uint32_t)count);
    put32(row + 20, build.shape.segment);
    put32(row + 24, build.shape.segments);
    *at += size;
    *passwords += count;
    return 0;
}

static int write_hash(int fd, uint64_t size, struct error *err)
{
    CLEANUP(memory_free) uint8_t *buffer = memory_new(COPY_SIZE);
    uint8_t hash[PASSWORD_FILTER_HASH_SIZE];
    crypto_generichash_state state;

    crypto_generichash_init(&state, NULL, 0, sizeof(hash));
    for (uint64_t at = 0; at < size;) {
        ssize_t n = pread(fd, buffer, MIN(size - at, (uint64_t)COPY_SIZE), (off_t)at);

        if (n <= 0)
            return error_set(err, ERR_INTERNAL, "the filter cannot be read again: %s",
                             n < 0 ? strerror(errno) : "it is truncated");
        crypto_generichash_update(&state, buffer, (size_t)n);
        at += (uint64_t)n;
    }
    crypto_generichash_final(&state, hash, sizeof(hash));
    return write_all(fd, hash, sizeof(hash), (off_t)size, err);
}

int password_filter_builder_write(struct password_filter_builder *self, int fd,
                                  const struct password_filter_progress *progress,
                                  struct error *err)
{
    CLEANUP(memory_free) uint8_t *head = NULL;
    size_t shards, head_size;
    uint64_t at, passwords = 0;
    unsigned bits;

    if (end_collecting(self, err) < 0)
        return -1;
    bits = shard_bits(self);
    shards = (size_t)1 << bits;
    at = head_size = FILTER_HEADER + shards * FILTER_ROW;
    head = memory_new(head_size);
    memset(head, 0, head_size);
    for (size_t i = 0; i < shards; i++) {
        if (write_shard(self, i, bits, fd, head + FILTER_HEADER + i * FILTER_ROW, &at, &passwords,
                        err) < 0)
            return -1;
        if (progress)
            progress->fn(progress->arg, i + 1, shards);
    }
    if (passwords == 0)
        return error_set(err, ERR_BAD_REQUEST, "the list has no password");
    memcpy(head, filter_magic, FILTER_MAGIC);
    put32(head + 8, FILTER_VERSION);
    put32(head + 12, (uint32_t)shards);
    put64(head + 16, passwords);
    put64(head + 24, at + PASSWORD_FILTER_HASH_SIZE);
    return write_all(fd, head, head_size, 0, err) < 0 ? -1 : write_hash(fd, at, err);
}
