/* tenant_file.c - see tenant_file.h. */
#include "ctl/tenant/tenant_file.h"

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
    STREAM_BOX_SIZE = STREAM_AT - ID_AT, /* a key's id and the box */
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

/* Allows no control characters: operators read it. */
static bool is_word(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (name[i] <= ' ' || name[i] > '~')
            return false;
    return size > 0;
}

int tenant_summing_table(struct tenant_summing *self, const char *name, size_t size)
{
    struct tenant_sum *sum = &self->sums.items[self->sums.count];

    if (size > TENANT_TABLE_NAME_MAX || !is_word(name, size) ||
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

/* Prints the last record, and returns its size. */
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

/* What a resumed file has: complete tables, rows of the last one, bytes of a cut record. */
struct written {
    char head[TENANT_HEAD_MAX + 1];
    struct tenant_last last;
    uint64_t size;
    size_t tables, table; /* table: how many the caller has passed again */
    uint64_t rows, row;   /* rows of the last table; row: passed again */
    uint8_t *cut;
    size_t cut_size, cut_at;
    bool whole; /* the file is complete except for its name */
};

struct tenant_writer {
    int fd;
    char *path, *part, *key;
    crypto_secretstream_xchacha20poly1305_state stream;
    uint8_t header[HEADER_SIZE];
    bool begun;
    bool resumable; /* there is a key file */
    bool kept;
    bool summed;
    struct tenant_summing summing;
    struct written written;
    size_t used;
    uint8_t plain[PLAIN_SIZE], chunk[CHUNK_SIZE]; /* too large for a fiber's stack */
};

static int write_all(int fd, const char *path, const uint8_t *bytes, size_t size, struct error *err)
{
    return file_write_all(fd, bytes, size, -1) == 0
               ? 0
               : error_set(err, ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
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

static int changed(const struct tenant_writer *self, struct error *err)
{
    return error_set(err, ERR_CONFLICT, "%s: the tenant has changed since: start a new export",
                     self->part);
}

/* Compares bytes that the file has already. Different ones would reuse the key stream, so they are
 * rejected. */
static int pass_over(struct written *self, const uint8_t *bytes, size_t size, size_t *ret)
{
    *ret = MIN(size, self->cut_size - self->cut_at);
    if (*ret > 0 && memcmp(bytes, self->cut + self->cut_at, *ret) != 0)
        return -1;
    self->cut_at += *ret;
    return 0;
}

/* Writes a full chunk only when bytes follow, because the last chunk has the final tag. */
static int put(struct tenant_writer *self, const uint8_t *bytes, size_t size, struct error *err)
{
    size_t there;

    if (self->written.whole || pass_over(&self->written, bytes, size, &there) < 0)
        return changed(self, err);
    bytes += there;
    size -= there;
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

/* False if the file was finished or removed before it was locked. */
static bool is_named(int fd, const char *path)
{
    struct stat opened, named;

    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static int open_part(struct tenant_writer *self, bool anew, struct error *err)
{
    struct stat stat;

    if (lstat(self->path, &stat) == 0)
        return error_set(err, ERR_CONFLICT, "%s: already exists", self->path);
    self->fd = open(self->part, O_WRONLY | (anew ? O_CREAT : 0) | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (self->fd < 0)
        return error_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_UNAVAILABLE, "%s: %s",
                         self->part, strerror(errno));
    if (flock(self->fd, LOCK_EX | LOCK_NB) < 0 || !is_named(self->fd, self->part)) {
        close(self->fd);
        self->fd = -1;
        return error_set(err, ERR_CONFLICT, "%s: another export is writing this file", self->part);
    }
    if (fchmod(self->fd, 0600) < 0 || (anew && ftruncate(self->fd, 0) < 0))
        return error_set(err, ERR_UNAVAILABLE, "%s: %s", self->part, strerror(errno));
    return 0;
}

static int make_box(const struct tenant_key *to, const uint8_t key[static TENANT_STREAM_KEY_SIZE],
                    uint8_t ret[static STREAM_BOX_SIZE], struct error *err)
{
    char id[TENANT_KEY_ID_TEXT];

    tenant_key_id(to, id);
    (void)sodium_hex2bin(ret, TENANT_KEY_ID_SIZE, id, sizeof(id) - 1, NULL, NULL, NULL);
    return tenant_key_encrypt(to, key, ret + TENANT_KEY_ID_SIZE) < 0
               ? error_set(err, ERR_BAD_REQUEST, "This key cannot encrypt anything.")
               : 0;
}

/* Replaces an earlier writer's key file. */
static int write_key(struct tenant_writer *self, const struct tenant_key *own,
                     const uint8_t key[static TENANT_STREAM_KEY_SIZE], struct error *err)
{
    uint8_t box[STREAM_BOX_SIZE];
    CLEANUP(file_close_descriptor) int fd = -1;

    (void)unlink(self->key);
    if (!own)
        return 0;
    if (make_box(own, key, box, err) < 0)
        return -1;
    fd = open(self->key, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_set(err, ERR_UNAVAILABLE, "%s: %s", self->key, strerror(errno));
    self->resumable = true;
    return write_all(fd, self->key, box, sizeof(box), err);
}

/* Boxes the stream key for the receiver, and for this installation until the file is finished. */
static int write_header(struct tenant_writer *self, const struct tenant_key *to,
                        const struct tenant_key *own, struct error *err)
{
    uint8_t key[TENANT_STREAM_KEY_SIZE];
    int result;

    memcpy(self->header, MAGIC, MAGIC_SIZE);
    put_number(self->header + VERSION_AT, TENANT_FILE_VERSION, 2);
    crypto_secretstream_xchacha20poly1305_keygen(key);
    crypto_secretstream_xchacha20poly1305_init_push(&self->stream, self->header + STREAM_AT, key);
    result = make_box(to, key, self->header + ID_AT, err) < 0 ? -1 : write_key(self, own, key, err);
    sodium_memzero(key, sizeof(key));
    return result < 0 ? -1
                      : write_all(self->fd, self->part, self->header, sizeof(self->header), err);
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

static struct tenant_writer *writer_new(const char *path)
{
    struct tenant_writer *self = tenant_summing_alloc(sizeof(*self));

    self->fd = -1;
    self->path = join(path, "");
    self->part = join(path, ".part");
    self->key = join(path, ".part.key");
    return self;
}

struct tenant_writer *tenant_writer_create(const char *path, const struct tenant_key *to,
                                           const struct tenant_key *own, const char *head,
                                           struct error *err)
{
    CLEANUP(tenant_writer_destroy) struct tenant_writer *self = writer_new(path);

    assert(strlen(head) <= TENANT_HEAD_MAX);
    if (open_part(self, true, err) < 0 || write_header(self, to, own, err) < 0 ||
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
        if (!self->kept) {
            (void)unlink(self->part);
            (void)unlink(self->key);
        }
        close(self->fd);
    }
    free(self->path);
    free(self->part);
    free(self->key);
    if (self->written.cut)
        sodium_memzero(self->written.cut, self->written.cut_size);
    free(self->written.cut);
    sodium_memzero(self, sizeof(*self));
    free(self);
    *self_p = NULL;
}

bool tenant_writer_keep(struct tenant_writer *self)
{
    self->kept = self->kept || self->resumable;
    return self->kept;
}

const char *tenant_writer_head(const struct tenant_writer *self)
{
    return self->written.head;
}

uint64_t tenant_writer_had(const struct tenant_writer *self)
{
    return self->written.size;
}

const struct tenant_last *tenant_writer_last(struct tenant_writer *self, const char *table)
{
    struct written *written = &self->written;

    if (written->rows == 0 ||
        strcmp(self->summing.sums.items[written->tables - 1].table, table) != 0)
        return NULL;
    written->row = written->rows;
    return &written->last;
}

int tenant_writer_table(struct tenant_writer *self, const char *name, struct error *err)
{
    struct written *written = &self->written;

    if (written->table < written->tables)
        return strcmp(self->summing.sums.items[written->table++].table, name) == 0
                   ? 0
                   : changed(self, err);
    if (tenant_summing_table(&self->summing, name, strlen(name)) < 0)
        return error_set(err, ERR_INTERNAL, "%s: table %s is there twice, or there are too many",
                         self->path, name);
    return put_record(self, RECORD_TABLE, name, strlen(name), err);
}

int tenant_writer_row(struct tenant_writer *self, const void *bytes, size_t size, struct error *err)
{
    struct written *written = &self->written;

    assert(self->summing.sums.count > 0);
    if (written->table < written->tables)
        return 0;
    if (written->row < written->rows && self->summing.sums.count == written->tables) {
        written->row++;
        return 0;
    }
    if (size > TENANT_ROW_MAX)
        return error_set(err, ERR_TOO_LARGE,
                         "%s: a row of %s has %zu bytes, more than the maximum of %d", self->path,
                         self->summing.sums.items[self->summing.sums.count - 1].table, size,
                         TENANT_ROW_MAX);
    tenant_summing_row(&self->summing, bytes, size);
    return put_record(self, RECORD_ROW, bytes, size, err);
}

static int sync_folder(const char *path)
{
    char *copy = join(path, "");
    int result = file_sync_folder(AT_FDCWD, dirname(copy));

    free(copy);
    return result;
}

const struct tenant_sums *tenant_writer_sums(struct tenant_writer *self)
{
    if (!self->summed)
        tenant_summing_end(&self->summing);
    self->summed = true;
    return &self->summing.sums;
}

int tenant_writer_finish(struct tenant_writer *self, struct error *err)
{
    uint8_t sums[TENANT_TABLES_MAX * SUM_MAX];
    size_t size = print_sums(tenant_writer_sums(self), sums);

    if (!self->written.whole && (put_record(self, RECORD_SUMS, sums, size, err) < 0 ||
                                 write_chunk(self, TAG_FINAL, err) < 0))
        return -1;
    /* rename() would replace an existing file */
    if (fsync(self->fd) < 0 || link(self->part, self->path) < 0 || unlink(self->part) < 0 ||
        sync_folder(self->path) < 0)
        return error_set(err, ERR_UNAVAILABLE, "%s: %s", self->path, strerror(errno));
    (void)unlink(self->key);
    self->kept = true;
    return 0;
}

/* ---- reading ---- */

struct tenant_reader {
    int fd;
    char *path;
    crypto_secretstream_xchacha20poly1305_state stream;
    uint8_t header[HEADER_SIZE];
    bool begun, final, summed, ended;
    size_t chunks; /* number of chunks, without the last */
    struct tenant_summing summing;
    char head[TENANT_HEAD_MAX + 1];
    size_t at, used;
    uint8_t plain[PLAIN_SIZE], chunk[CHUNK_SIZE];
    size_t got; /* bytes of the current record */
    uint8_t record[RECORD_HEAD_SIZE + TENANT_ROW_MAX + 1];
};

static int altered(const struct tenant_reader *self, const char *why, struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "%s: %s", self->path, why);
}

static int read_some(struct tenant_reader *self, uint8_t *ret, size_t size, size_t *ret_size,
                     struct error *err)
{
    ssize_t got = file_read_all(self->fd, ret, size, -1);

    *ret_size = (size_t)MAX(got, (ssize_t)0);
    return got < 0 ? error_set(err, ERR_UNAVAILABLE, "%s: %s", self->path, strerror(errno)) : 0;
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
    if (!self->final) {
        self->chunks++;
        return 0;
    }
    if (read_some(self, self->chunk, 1, &size, err) < 0)
        return -1;
    return size == 0 ? 0 : altered(self, "has bytes after its end", err);
}

static int get(struct tenant_reader *self, size_t size, struct error *err)
{
    while (size > 0) {
        size_t some = MIN(size, self->used - self->at);

        memcpy(self->record + self->got, self->plain + self->at, some);
        self->at += some;
        self->got += some;
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

/* Reads a record into the reader, NUL-terminated. */
static int get_record(struct tenant_reader *self, size_t max, uint8_t *ret_kind,
                      const uint8_t **ret, size_t *ret_size, struct error *err)
{
    self->got = 0;
    if (get(self, RECORD_HEAD_SIZE, err) < 0)
        return -1;
    *ret_kind = self->record[0];
    *ret = self->record + RECORD_HEAD_SIZE;
    *ret_size = (size_t)get_number(self->record + 1, 4);
    if (*ret_size > max)
        return altered(self, "has a record that is too long", err);
    self->record[RECORD_HEAD_SIZE + *ret_size] = '\0';
    return get(self, *ret_size, err);
}

static int open_box(const struct tenant_reader *self, const struct seal_keys *keys,
                    const uint8_t box[static STREAM_BOX_SIZE],
                    uint8_t ret[static TENANT_STREAM_KEY_SIZE], struct error *err)
{
    char id[TENANT_KEY_ID_TEXT];

    sodium_bin2hex(id, sizeof(id), box, TENANT_KEY_ID_SIZE);
    return tenant_key_decrypt(keys, id, box + TENANT_KEY_ID_SIZE, ret, err) == 0
               ? 0
               : error_set(err, ERR_FORBIDDEN, "%s: %s", self->path, err->message);
}

/* Reads the header and opens the stream key's box: `box`, or the file's if that is NULL. */
static int read_header(struct tenant_reader *self, const struct seal_keys *keys, const uint8_t *box,
                       struct error *err)
{
    uint8_t key[TENANT_STREAM_KEY_SIZE];
    uint64_t version;
    size_t size;
    int failed;

    if (read_some(self, self->header, sizeof(self->header), &size, err) < 0)
        return -1;
    if (size < ID_AT || memcmp(self->header, MAGIC, MAGIC_SIZE) != 0)
        return altered(self, "is not a tenant file", err);
    version = get_number(self->header + VERSION_AT, 2);
    if (version != TENANT_FILE_VERSION)
        return error_set(err, ERR_BAD_REQUEST,
                         "%s: has version %llu; this release reads version %d", self->path,
                         (unsigned long long)version, TENANT_FILE_VERSION);
    if (size < sizeof(self->header))
        return altered(self, "is truncated", err);
    if (open_box(self, keys, box ? box : self->header + ID_AT, key, err) < 0)
        return -1;
    failed = crypto_secretstream_xchacha20poly1305_init_pull(&self->stream,
                                                             self->header + STREAM_AT, key);
    sodium_memzero(key, sizeof(key));
    return failed ? altered(self, "was altered", err) : 0;
}

static int read_head(struct tenant_reader *self, struct error *err)
{
    const uint8_t *head;
    uint8_t kind;
    size_t size;

    if (get_record(self, TENANT_HEAD_MAX, &kind, &head, &size, err) < 0)
        return -1;
    if (kind != RECORD_HEAD || memchr(head, '\0', size))
        return altered(self, "has no head", err);
    memcpy(self->head, head, size);
    return 0;
}

static struct tenant_reader *reader_open(const char *path, const struct seal_keys *keys,
                                         const uint8_t *box, struct error *err)
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
    if (read_header(self, keys, box, err) < 0 || read_head(self, err) < 0)
        return NULL;
    return TAKE_PTR(self);
}

struct tenant_reader *tenant_reader_open(const char *path, const struct seal_keys *keys,
                                         struct error *err)
{
    return reader_open(path, keys, NULL, err);
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

/* Compares the sums of the file with those of its rows. Nothing may follow them. */
static int compare_sums(struct tenant_reader *self, const uint8_t *said, size_t size,
                        struct error *err)
{
    uint8_t sums[TENANT_TABLES_MAX * SUM_MAX];

    tenant_summing_end(&self->summing);
    self->summed = true;
    if (print_sums(&self->summing.sums, sums) != size || memcmp(sums, said, size) != 0)
        return altered(self, "does not match its checksums", err);
    if (!self->final && read_chunk(self, err) < 0)
        return -1;
    if (!self->final || self->at < self->used)
        return altered(self, "has records after its checksums", err);
    self->ended = true;
    return 0;
}

int tenant_reader_next(struct tenant_reader *self, struct tenant_row *ret, struct error *err)
{
    const uint8_t *record;
    uint8_t kind;
    size_t size;

    while (!self->ended) {
        if (get_record(self, TENANT_ROW_MAX, &kind, &record, &size, err) < 0)
            return -1;
        if (kind == RECORD_SUMS) {
            if (compare_sums(self, record, size, err) < 0)
                return -1;
        } else if (kind == RECORD_TABLE) {
            if (tenant_summing_table(&self->summing, (const char *)record, size) < 0)
                return altered(self, "has a table twice, or a table without a name", err);
        } else if (kind == RECORD_ROW && self->summing.sums.count > 0) {
            tenant_summing_row(&self->summing, record, size);
            ret->table = self->summing.sums.items[self->summing.sums.count - 1].table;
            ret->bytes = record;
            ret->size = size;
            return 1;
        } else {
            return altered(self, "has a record that this release does not know", err);
        }
    }
    return 0;
}

const struct tenant_sums *tenant_reader_sums(const struct tenant_reader *self)
{
    assert(self->ended);
    return &self->summing.sums;
}

/* ---- resuming ---- */

static int read_box(const struct tenant_writer *self, uint8_t ret[static STREAM_BOX_SIZE],
                    struct error *err)
{
    CLEANUP(file_close_descriptor) int fd = open(self->key, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return error_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_UNAVAILABLE, "%s: %s",
                         self->key, strerror(errno));
    return read(fd, ret, STREAM_BOX_SIZE) == STREAM_BOX_SIZE
               ? 0
               : error_set(err, ERR_NOT_FOUND, "%s: is truncated", self->key);
}

static int check_receiver(const struct tenant_reader *self, const struct tenant_key *to,
                          struct error *err)
{
    char id[TENANT_KEY_ID_TEXT], want[TENANT_KEY_ID_TEXT];

    sodium_bin2hex(id, sizeof(id), self->header + ID_AT, TENANT_KEY_ID_SIZE);
    tenant_key_id(to, want);
    return strcmp(id, want) == 0
               ? 0
               : error_set(err, ERR_CONFLICT, "%s: is for another receiver: start a new export",
                           self->path);
}

/* Reads a part file up to the place where it was cut. */
static int read_written(struct tenant_reader *self, struct written *ret, struct error *err)
{
    struct tenant_row row;
    int more;

    while ((more = tenant_reader_next(self, &row, err)) > 0) {
        ret->last.size = row.size;
        memcpy(ret->last.bytes, row.bytes, MIN(row.size, sizeof(ret->last.bytes)));
    }
    if (more < 0 && err->code != ERR_BAD_REQUEST)
        return -1;
    error_clear(err);
    ret->whole = more == 0;
    return 0;
}

static int take_over(struct tenant_writer *self, struct tenant_reader *from, struct error *err)
{
    struct written *written = &self->written;
    const struct tenant_sums *sums = &from->summing.sums;
    off_t size;

    if (read_written(from, written, err) < 0)
        return -1;
    size = (off_t)(HEADER_SIZE + from->chunks * CHUNK_SIZE);
    if (!written->whole &&
        (ftruncate(self->fd, size) < 0 || lseek(self->fd, size, SEEK_SET) != size))
        return error_set(err, ERR_UNAVAILABLE, "%s: %s", self->part, strerror(errno));
    memcpy(written->head, from->head, sizeof(written->head));
    written->size = (uint64_t)size;
    written->tables = sums->count;
    written->rows = sums->count > 0 ? sums->items[sums->count - 1].rows : 0;
    if (!written->whole) {
        written->cut_size = from->got;
        written->cut = malloc(from->got + 1);
        if (!written->cut)
            abort();
        memcpy(written->cut, from->record, from->got);
    }
    self->stream = from->stream;
    self->begun = true;
    self->summing = from->summing;
    self->summed = from->summed;
    return 0;
}

struct tenant_writer *tenant_writer_resume(const char *path, const struct tenant_key *to,
                                           const struct seal_keys *keys, struct error *err)
{
    CLEANUP(tenant_writer_destroy) struct tenant_writer *self = writer_new(path);
    CLEANUP(tenant_reader_destroy) struct tenant_reader *from = NULL;
    uint8_t box[STREAM_BOX_SIZE];

    self->kept = true;
    if (open_part(self, false, err) < 0 || read_box(self, box, err) < 0)
        return NULL;
    from = reader_open(self->part, keys, box, err);
    if (!from && err->code == ERR_BAD_REQUEST)
        error_set(err, ERR_NOT_FOUND, "%s: no complete part was found", self->part);
    if (!from || check_receiver(from, to, err) < 0 || take_over(self, from, err) < 0)
        return NULL;
    self->kept = false;
    self->resumable = true;
    return TAKE_PTR(self);
}
