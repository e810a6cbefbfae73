/*
 * tenant_file.h - a tenant's file: rows encrypted to the receiver's key.
 *
 *     | bytes | |
 *     |---|---|
 *     | 14  | "atrium-tenant\n" |
 *     | 2   | version, big-endian |
 *     | 8   | id of the receiver's key (ctl/tenant/tenant_key.h) |
 *     | 80  | the stream key, in a sealed box to that key |
 *     | 24  | header of libsodium's secretstream (XChaCha20-Poly1305) |
 *     | ... | chunks of 64 KiB and 17 bytes; the last is shorter and has the final tag |
 *
 * The first chunk authenticates the 128 bytes before it. Content is used only after authentication,
 * so changes and truncation are detected. Anyone with the receiver's public key can make a file.
 *
 * Chunks contain records: a byte for the kind, four for the length (big-endian), and the content.
 * They are the head (a text), each table's name and rows, and the sums (rows, bytes and hash per
 * table). Memory holds one chunk and one record.
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_FILE_H
#define ATRIUM_CTL_TENANT_TENANT_FILE_H

#include <sodium.h>

#include "common/service/service_tenant.h"
#include "ctl/tenant/tenant_key.h"

enum {
    TENANT_FILE_VERSION = 1,
    TENANT_TABLES_MAX = 128,
    TENANT_TABLE_NAME_MAX = 63,
    TENANT_HEAD_MAX = 16 * 1024,
    TENANT_SUM_SIZE = 32,
};

/* A table's sum; the hash is BLAKE2b of all rows in order, each after its length. */
struct tenant_sum {
    char table[TENANT_TABLE_NAME_MAX + 1];
    uint64_t rows, bytes;
    uint8_t hash[TENANT_SUM_SIZE];
};

struct tenant_sums {
    struct tenant_sum items[TENANT_TABLES_MAX];
    size_t count;
};

/* Sums in progress. Begins zeroed. */
struct tenant_summing {
    struct tenant_sums sums;
    crypto_generichash_state hash; /* hash of the current table */
};

/* Returns zeroed memory, aligned to 64 bytes. free() it. */
void *tenant_summing_alloc(size_t size);

/* Begins a table. -1: invalid or repeated name, or too many tables. */
int tenant_summing_table(struct tenant_summing *self, const char *name, size_t size) MUST_USE;
void tenant_summing_row(struct tenant_summing *self, const void *bytes, size_t size);
void tenant_summing_end(struct tenant_summing *self); /* ends the last table */

/* ---- writing ---- */

struct tenant_writer;

/* Begins `path`.part, mode 0600, replacing an earlier one; ERR_CONFLICT: another process writes it.
 * `own` protects the stream key in `path`.part.key, for a resume; NULL: none. NULL: see err. */
struct tenant_writer *tenant_writer_create(const char *path, const struct tenant_key *to,
                                           const struct tenant_key *own, const char *head,
                                           struct error *err);

/* Continues a part for the same receiver. The caller passes everything again; the content up to the
 * last complete chunk is skipped. ERR_CONFLICT: other content. NULL: see err, nothing has changed;
 * ERR_NOT_FOUND: no part. */
struct tenant_writer *tenant_writer_resume(const char *path, const struct tenant_key *to,
                                           const struct seal_keys *keys, struct error *err);

/* Returns the resumed file's head; tenant_writer_had() returns how many bytes the file had. */
const char *tenant_writer_head(const struct tenant_writer *self);
uint64_t tenant_writer_had(const struct tenant_writer *self);

/* The last row's first bytes, and its size. */
enum { TENANT_LAST_SIZE = 64 };
struct tenant_last {
    uint8_t bytes[TENANT_LAST_SIZE];
    size_t size;
};

/* Returns a resumed file's last row, if it is of `table`: continue after it. Call it before the
 * first table. */
const struct tenant_last *tenant_writer_last(struct tenant_writer *self, const char *table);

/* Accepts NULL. Removes an unfinished file unless it is kept. */
void tenant_writer_destroy(struct tenant_writer **self_p);

/* Keeps the unfinished file for tenant_writer_resume(). False without `own`. */
bool tenant_writer_keep(struct tenant_writer *self);

/* Begins a table. After a failure, the writer can only be kept or destroyed. */
int tenant_writer_table(struct tenant_writer *self, const char *name, struct error *err) MUST_USE;

int tenant_writer_row(struct tenant_writer *self, const void *bytes, size_t size,
                      struct error *err) MUST_USE;

/* Ends the last table and returns the sums, which live as long as the writer. */
const struct tenant_sums *tenant_writer_sums(struct tenant_writer *self);

/* Syncs the file and gives it its name. */
int tenant_writer_finish(struct tenant_writer *self, struct error *err) MUST_USE;

/* ---- reading ---- */

struct tenant_reader;

/* Opens a file. NULL: see err. ERR_FORBIDDEN: the file is for another key. */
struct tenant_reader *tenant_reader_open(const char *path, const struct seal_keys *keys,
                                         struct error *err);
void tenant_reader_destroy(struct tenant_reader **self_p);

const char *tenant_reader_head(const struct tenant_reader *self);

struct tenant_row {
    const char *table;
    const uint8_t *bytes; /* NUL-terminated */
    size_t size;
};

/* Returns 1: a row, valid until the next call; 0: the end, with matching sums; -1: damaged. Rows
 * can precede damage, so read the file through first. */
int tenant_reader_next(struct tenant_reader *self, struct tenant_row *ret,
                       struct error *err) MUST_USE;

/* Returns the sums after the end. */
const struct tenant_sums *tenant_reader_sums(const struct tenant_reader *self);

#endif
