/*
 * tenant_file.c - see tenant_file.h.
 */
#include "ctl/tenant_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

#define MAGIC "atrium-tenant\n"

enum {
    MAGIC_SIZE = sizeof(MAGIC) - 1,
    VERSION_AT = MAGIC_SIZE,
    ID_AT = VERSION_AT + 2,
    BOX_AT = ID_AT + TENANT_KEY_ID_SIZE,
    STREAM_AT = BOX_AT + TENANT_BOX_SIZE,
    HEADER_SIZE = STREAM_AT + crypto_secretstream_xchacha20poly1305_HEADERBYTES,
    PLAIN_SIZE = 64 * 1024,
    CHUNK_SIZE = PLAIN_SIZE + crypto_secretstream_xchacha20poly1305_ABYTES,
    RECORD_HEAD_SIZE = 5,
    TAG_MORE = crypto_secretstream_xchacha20poly1305_TAG_MESSAGE,
    TAG_FINAL = crypto_secretstream_xchacha20poly1305_TAG_FINAL,
};

static_assert(HEADER_SIZE == 128, "as tenant_file.h has it");
static_assert(TENANT_STREAM_KEY_SIZE == crypto_secretstream_xchacha20poly1305_KEYBYTES, "its key");
static_assert(TENANT_SUM_SIZE == crypto_generichash_BYTES, "BLAKE2b");

enum record_kind { RECORD_HEAD = 1, RECORD_TABLE, RECORD_ROW, RECORD_SUMS };

static void put_number(uint8_t *at, uint64_t number, size_t size)
{
    while (size-- > 0) {
        at[size] = (uint8_t)number;
        number >>= 8;
    }
}

static uint64_t get_number(const uint8_t *at, size_t size)
{
    uint64_t number = 0;

    for (size_t i = 0; i < size; i++)
        number = number << 8 | at[i];
    return number;
}

/* ---- sums ---- */

void *tenant_summing_alloc(size_t size)
{
    enum { ALIGNMENT = 64 };
    size_t whole = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *memory = aligned_alloc(ALIGNMENT, whole);

    if (!memory)
        abort();
    return memset(memory, 0, whole);
}

void tenant_summing_end(struct tenant_summing *self)
{
    if (self->sums.count > 0)
        crypto_generichash_final(&self->hash, self->sums.items[self->sums.count - 1].hash,
                                 TENANT_SUM_SIZE);
}

int tenant_summing_table(struct tenant_summing *self, const char *name, size_t size)
{
    struct tenant_sum *sum = &self->sums.items[self->sums.count];

    if (size == 0 || size > TENANT_TABLE_NAME_MAX || memchr(name, '\0', size) ||
        self->sums.count == TENANT_TABLES_MAX)
        return -1;
    for (size_t i = 0; i < self->sums.count; i++)
        if (strlen(self->sums.items[i].table) == size &&
            memcmp(self->sums.items[i].table, name, size) == 0)
            return -1;
    tenant_summing_end(self);
    *sum = (struct tenant_sum){.rows = 0};
    memcpy(sum->table, name, size);
    crypto_generichash_init(&self->hash, NULL, 0, TENANT_SUM_SIZE);
    self->sums.count++;
    return 0;
}

void tenant_summing_row(struct tenant_summing *self, const void *bytes, size_t size)
{
    struct tenant_sum *sum = &self->sums.items[self->sums.count - 1];
    uint8_t length[4];

    sum->rows++;
    sum->bytes += size;
    put_number(length, size, sizeof(length));
    crypto_generichash_update(&self->hash, length, sizeof(length));
    crypto_generichash_update(&self->hash, bytes, size);
}

enum { SUM_NUMBERS_SIZE = 16, SUM_MAX = 1 + TENANT_TABLE_NAME_MAX + SUM_NUMBERS_SIZE + 32 };

/* As the last record has them. Returns their size. */
static size_t print_sums(const struct tenant_sums *sums,
                         uint8_t ret[static TENANT_TABLES_MAX * SUM_MAX])
{
    uint8_t *at = ret;

    for (size_t i = 0; i < sums->count; i++) {
        const struct tenant_sum *sum = &sums->items[i];
        size_t length = strlen(sum->table);

        *at++ = (uint8_t)length;
        memcpy(at, sum->table, length);
        at += length;
        put_number(at, sum->rows, 8);
        put_number(at + 8, sum->bytes, 8);
        memcpy(at + SUM_NUMBERS_SIZE, sum->hash, TENANT_SUM_SIZE);
        at += SUM_NUMBERS_SIZE + TENANT_SUM_SIZE;
    }
    return (size_t)(at - ret);
}

/* ---- writing ---- */

struct tenant_writer {
    int fd;
    char *path, *part;
    crypto_secretstream_xchacha20poly1305_state stream;
    uint8_t header[HEADER_SIZE];
    bool begun; /* a chunk has been written */
    bool finished;
    struct tenant_summing summing;
    size_t used;
    uint8_t plain[PLAIN_SIZE], chunk[CHUNK_SIZE]; /* too long for the stack of a fiber */
};

static int write_all(int fd, const char *path, const uint8_t *bytes, size_t size, struct error *err)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_set(err, ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

static int write_chunk(struct tenant_writer *self, uint8_t tag, struct error *err)
{
    unsigned long long size;

    crypto_secretstream_xchacha20poly1305_push(&self->stream, self->chunk, &size, self->plain,
                                               self->used, self->begun ? NULL : self->header,
                                               self->begun ? 0 : sizeof(self->header), tag);
    self->begun = true;
    self->used = 0;
    return write_all(self->fd, self->part, self->chunk, (size_t)size, err);
}

/* A chunk that is full waits for what follows: only then it is not the last. */
static int put(struct tenant_writer *self, const uint8_t *bytes, size_t size, struct error *err)
{
    while (size > 0) {
        size_t some = MIN(size, PLAIN_SIZE - self->used);

        memcpy(self->plain + self->used, bytes, some);
        self->used += some;
        bytes += some;
        size -= some;
        if (size > 0 && write_chunk(self, TAG_MORE, err) < 0)
            return -1;
    }
    return 0;
}

static int put_record(struct tenant_writer *self, enum record_kind kind, const void *bytes,
                      size_t size, struct error *err)
{
    uint8_t head[RECORD_HEAD_SIZE] = {(uint8_t)kind};

    put_number(head + 1, size, 4);
    return put(self, head, sizeof(head), err) < 0 ? -1 : put(self, bytes, size, err);
}

/* Opens the file as another name, which no other process is writing. */
static int open_part(struct tenant_writer *self, struct error *err)
{
    struct stat stat;

    if (lstat(self->path, &stat) == 0)
        return error_set(err, ERR_CONFLICT, "%s: exists already", self->path);
    self->fd = open(self->part, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (self->fd < 0)
        return error_set(err, ERR_UNAVAILABLE, "%s: %s", self->part, strerror(errno));
    if (flock(self->fd, LOCK_EX | LOCK_NB) < 0) {
        close(self->fd);
        self->fd = -1;
        return error_set(err, ERR_CONFLICT, "%s: is being written", self->part);
    }
    if (fchmod(self->fd, 0600) < 0 || ftruncate(self->fd, 0) < 0)
        return error_set(err, ERR_UNAVAILABLE, "%s: %s", self->part, strerror(errno));
    return 0;
}

/* Makes the stream key, which is kept by the receiver's key alone. */
static int write_header(struct tenant_writer *self, const struct tenant_key *to, struct error *err)
{
    uint8_t key[TENANT_STREAM_KEY_SIZE];
    char id[TENANT_KEY_ID_TEXT];
    int failed;

    memcpy(self->header, MAGIC, MAGIC_SIZE);
    put_number(self->header + VERSION_AT, TENANT_FILE_VERSION, 2);
    tenant_key_id(to, id);
    (void)sodium_hex2bin(self->header + ID_AT, TENANT_KEY_ID_SIZE, id, sizeof(id) - 1, NULL, NULL,
                         NULL);
    crypto_secretstream_xchacha20poly1305_keygen(key);
    failed = tenant_key_encrypt(to, key, self->header + BOX_AT);
    crypto_secretstream_xchacha20poly1305_init_push(&self->stream, self->header + STREAM_AT, key);
    sodium_memzero(key, sizeof(key));
    if (failed)
        return error_set(err, ERR_BAD_REQUEST, "Nothing can be encrypted to this key.");
    return write_all(self->fd, self->part, self->header, sizeof(self->header), err);
}

static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = malloc(size);

    if (!text)
        abort();
    snprintf(text, size, "%s%s", a, b);
    return text;
}

struct tenant_writer *tenant_writer_create(const char *path, const struct tenant_key *to,
                                           const char *head, struct error *err)
{
    CLEANUP(tenant_writer_destroy) struct tenant_writer *self = tenant_summing_alloc(sizeof(*self));

    assert(strlen(head) <= TENANT_HEAD_MAX);
    self->fd = -1;
    self->path = join(path, "");
    self->part = join(path, ".part");
    if (open_part(self, err) < 0 || write_header(self, to, err) < 0 ||
        put_record(self, RECORD_HEAD, head, strlen(head), err) < 0)
        return NULL;
    return TAKE_PTR(self);
}

void tenant_writer_destroy(struct tenant_writer **self_p)
{
    struct tenant_writer *self = *self_p;

    if (!self)
        return;
    if (self->fd >= 0) {
        if (!self->finished)
            (void)unlink(self->part);
        close(self->fd);
    }
    free(self->path);
    free(self->part);
    sodium_memzero(self, sizeof(*self));
    free(self);
    *self_p = NULL;
}

int tenant_writer_table(struct tenant_writer *self, const char *name, struct error *err)
{
    if (tenant_summing_table(&self->summing, name, strlen(name)) < 0)
        return error_set(err, ERR_INTERNAL, "%s: there is a table %s already, or too many",
                         self->path, name);
    return put_record(self, RECORD_TABLE, name, strlen(name), err);
}

int tenant_writer_row(struct tenant_writer *self, const void *bytes, size_t size, struct error *err)
{
    assert(self->summing.sums.count > 0);
    if (size > TENANT_ROW_MAX)
        return error_set(err, ERR_TOO_LARGE, "%s: a row of %s has %zu bytes, %d are the most",
                         self->path, self->summing.sums.items[self->summing.sums.count - 1].table,
                         size, TENANT_ROW_MAX);
    tenant_summing_row(&self->summing, bytes, size);
    return put_record(self, RECORD_ROW, bytes, size, err);
}

/* Syncs the folder, so that the name is on the disk too. */
static int sync_folder(const char *path)
{
    char *copy = join(path, "");
    CLEANUP(file_close_descriptor)
    const int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    free(copy);
    return fd < 0 ? -1 : fsync(fd);
}

int tenant_writer_finish(struct tenant_writer *self, const struct tenant_sums **ret_sums,
                         struct error *err)
{
    uint8_t sums[TENANT_TABLES_MAX * SUM_MAX];

    tenant_summing_end(&self->summing);
    if (put_record(self, RECORD_SUMS, sums, print_sums(&self->summing.sums, sums), err) < 0 ||
        write_chunk(self, TAG_FINAL, err) < 0)
        return -1;
    /* link() does not replace a file that came meanwhile; rename() would. */
    if (fsync(self->fd) < 0 || link(self->part, self->path) < 0 || unlink(self->part) < 0 ||
        sync_folder(self->path) < 0)
        return error_set(err, ERR_UNAVAILABLE, "%s: %s", self->path, strerror(errno));
    self->finished = true;
    *ret_sums = &self->summing.sums;
    return 0;
}

/* ---- reading ---- */

struct tenant_reader {
    int fd;
    char *path;
    crypto_secretstream_xchacha20poly1305_state stream;
    uint8_t header[HEADER_SIZE];
    bool begun, final, ended;
    struct tenant_summing summing;
    char head[TENANT_HEAD_MAX + 1];
    size_t at, used;
    uint8_t plain[PLAIN_SIZE], chunk[CHUNK_SIZE];
    uint8_t record[TENANT_ROW_MAX + 1];
};

static int altered(const struct tenant_reader *self, const char *why, struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "%s: %s", self->path, why);
}

/* Reads until `size` bytes are there or the file ends. */
static int read_some(struct tenant_reader *self, uint8_t *ret, size_t size, size_t *ret_size,
                     struct error *err)
{
    *ret_size = 0;
    while (*ret_size < size) {
        ssize_t got = read(self->fd, ret + *ret_size, size - *ret_size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(err, ERR_UNAVAILABLE, "%s: %s", self->path, strerror(errno));
        if (got == 0)
            break;
        *ret_size += (size_t)got;
    }
    return 0;
}

static int read_chunk(struct tenant_reader *self, struct error *err)
{
    uint8_t tag = 0;
    unsigned long long plain;
    size_t size;

    if (read_some(self, self->chunk, CHUNK_SIZE, &size, err) < 0)
        return -1;
    if (size < crypto_secretstream_xchacha20poly1305_ABYTES)
        return altered(self, "is truncated", err);
    if (crypto_secretstream_xchacha20poly1305_pull(
            &self->stream, self->plain, &plain, &tag, self->chunk, size,
            self->begun ? NULL : self->header, self->begun ? 0 : sizeof(self->header)) != 0)
        return altered(self, size < CHUNK_SIZE ? "is truncated or was altered" : "was altered",
                       err);
    self->begun = true;
    self->at = 0;
    self->used = (size_t)plain;
    self->final = tag == TAG_FINAL;
    if (!self->final)
        return 0;
    if (read_some(self, self->chunk, 1, &size, err) < 0)
        return -1;
    return size == 0 ? 0 : altered(self, "has bytes behind its end", err);
}

static int get(struct tenant_reader *self, uint8_t *ret, size_t size, struct error *err)
{
    while (size > 0) {
        size_t some = MIN(size, self->used - self->at);

        memcpy(ret, self->plain + self->at, some);
        self->at += some;
        ret += some;
        size -= some;
        if (size == 0)
            return 0;
        if (self->final)
            return altered(self, "ends within a record", err);
        if (read_chunk(self, err) < 0)
            return -1;
    }
    return 0;
}

/* Reads a record of at most `max` bytes into the reader, NUL behind them. */
static int get_record(struct tenant_reader *self, size_t max, uint8_t *ret_kind, size_t *ret_size,
                      struct error *err)
{
    uint8_t head[RECORD_HEAD_SIZE];

    if (get(self, head, sizeof(head), err) < 0)
        return -1;
    *ret_kind = head[0];
    *ret_size = (size_t)get_number(head + 1, 4);
    if (*ret_size > max)
        return altered(self, "has a record that is too long", err);
    self->record[*ret_size] = '\0';
    return get(self, self->record, *ret_size, err);
}

static int read_header(struct tenant_reader *self, const struct seal_keys *keys, struct error *err)
{
    uint8_t key[TENANT_STREAM_KEY_SIZE];
    char id[TENANT_KEY_ID_TEXT];
    uint64_t version;
    size_t size;
    int failed;

    if (read_some(self, self->header, sizeof(self->header), &size, err) < 0)
        return -1;
    if (size < ID_AT || memcmp(self->header, MAGIC, MAGIC_SIZE) != 0)
        return altered(self, "is not the file of a tenant", err);
    version = get_number(self->header + VERSION_AT, 2);
    if (version != TENANT_FILE_VERSION)
        return error_set(err, ERR_BAD_REQUEST, "%s: is of version %llu; this build reads %d",
                         self->path, (unsigned long long)version, TENANT_FILE_VERSION);
    if (size < sizeof(self->header))
        return altered(self, "is truncated", err);
    sodium_bin2hex(id, sizeof(id), self->header + ID_AT, TENANT_KEY_ID_SIZE);
    if (tenant_key_decrypt(keys, id, self->header + BOX_AT, key, err) < 0) {
        char why[sizeof(err->message)];

        memcpy(why, err->message, sizeof(why));
        return error_set(err, ERR_FORBIDDEN, "%s: %s", self->path, why);
    }
    failed = crypto_secretstream_xchacha20poly1305_init_pull(&self->stream,
                                                             self->header + STREAM_AT, key);
    sodium_memzero(key, sizeof(key));
    return failed ? altered(self, "was altered", err) : 0;
}

static int read_head(struct tenant_reader *self, struct error *err)
{
    uint8_t kind;
    size_t size;

    if (get_record(self, TENANT_HEAD_MAX, &kind, &size, err) < 0)
        return -1;
    if (kind != RECORD_HEAD || memchr(self->record, '\0', size))
        return altered(self, "has no head", err);
    memcpy(self->head, self->record, size);
    return 0;
}

struct tenant_reader *tenant_reader_open(const char *path, const struct seal_keys *keys,
                                         struct error *err)
{
    CLEANUP(tenant_reader_destroy) struct tenant_reader *self = tenant_summing_alloc(sizeof(*self));
    struct stat stat;

    self->path = join(path, "");
    self->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (self->fd < 0) {
        error_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(self->fd, &stat) < 0 || !S_ISREG(stat.st_mode)) {
        altered(self, "is not a regular file", err);
        return NULL;
    }
    if (read_header(self, keys, err) < 0 || read_head(self, err) < 0)
        return NULL;
    return TAKE_PTR(self);
}

void tenant_reader_destroy(struct tenant_reader **self_p)
{
    struct tenant_reader *self = *self_p;

    if (!self)
        return;
    if (self->fd >= 0)
        close(self->fd);
    free(self->path);
    sodium_memzero(self, sizeof(*self));
    free(self);
    *self_p = NULL;
}

const char *tenant_reader_head(const struct tenant_reader *self)
{
    return self->head;
}

/* The last record: it must say what was read, and nothing may follow. */
static int compare_sums(struct tenant_reader *self, size_t size, struct error *err)
{
    uint8_t sums[TENANT_TABLES_MAX * SUM_MAX];

    tenant_summing_end(&self->summing);
    if (print_sums(&self->summing.sums, sums) != size || memcmp(sums, self->record, size) != 0)
        return altered(self, "does not hold what its sums say", err);
    if (!self->final && read_chunk(self, err) < 0)
        return -1;
    if (!self->final || self->at < self->used)
        return altered(self, "has records behind its sums", err);
    self->ended = true;
    return 0;
}

int tenant_reader_next(struct tenant_reader *self, struct tenant_row *ret, struct error *err)
{
    uint8_t kind;
    size_t size;

    while (!self->ended) {
        if (get_record(self, TENANT_ROW_MAX, &kind, &size, err) < 0)
            return -1;
        if (kind == RECORD_SUMS) {
            if (compare_sums(self, size, err) < 0)
                return -1;
        } else if (kind == RECORD_TABLE) {
            if (tenant_summing_table(&self->summing, (const char *)self->record, size) < 0)
                return altered(self, "has a table twice, or one without a name", err);
        } else if (kind == RECORD_ROW && self->summing.sums.count > 0) {
            tenant_summing_row(&self->summing, self->record, size);
            ret->table = self->summing.sums.items[self->summing.sums.count - 1].table;
            ret->bytes = self->record;
            ret->size = size;
            return 1;
        } else {
            return altered(self, "has a record that this build does not know", err);
        }
    }
    return 0;
}

const struct tenant_sums *tenant_reader_sums(const struct tenant_reader *self)
{
    assert(self->ended);
    return &self->summing.sums;
}
