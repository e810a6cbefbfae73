/*
 * tenant_file.h - the file in which a tenant travels to another installation: rows of tables,
 * encrypted to the receiver's key, so that what the daemons keep sealed is open nowhere but in it.
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
 * The first chunk authenticates the 128 bytes before it. So any change is noticed, and that the
 * file ends too early; a chunk's content is used only after it was authenticated. A sealed box does
 * not say who made it: everyone who knows the receiver's public key can make a file.
 *
 * The chunks are one sequence of records: a byte for the kind, four for the length, big-endian, and
 * so many bytes. They are the head (one, a text of the caller), for each table one with its name
 * followed by its rows, and the sums (one, the last): rows, bytes and a hash of each table.
 *
 * Writing and reading take the memory of a chunk and of the longest record, whatever the file has.
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

/* The hash (BLAKE2b) covers all rows in order, each after its length. */
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
    crypto_generichash_state hash; /* of the last table, until it has ended */
};

/* Zeroed memory, aligned to 64 bytes for the hash. free() it. */
void *tenant_summing_alloc(size_t size);

/* -1: invalid or repeated name, or too many tables. */
int tenant_summing_table(struct tenant_summing *self, const char *name, size_t size) MUST_USE;
void tenant_summing_row(struct tenant_summing *self, const void *bytes, size_t size);
void tenant_summing_end(struct tenant_summing *self); /* of the last table */

/* ---- writing ---- */

struct tenant_writer;

/* Begins a new `path` as `path`.part, mode 0600, replacing an earlier one; ERR_CONFLICT: another
 * process writes it. `own`: this installation's key, to which `path`.part.key has the stream key,
 * for tenant_writer_resume(); NULL: none. Returns NULL on failure. */
struct tenant_writer *tenant_writer_create(const char *path, const struct tenant_key *to,
                                           const struct tenant_key *own, const char *head,
                                           struct error *err);

/* Goes on with what another writer was killed at or has kept, with the keys of this installation
 * and for the same receiver. All is handed over once more, from the first table on: what the file
 * has of it, up to the last chunk that is whole, is passed over, and what does not fit to it is
 * ERR_CONFLICT. NULL: see err, and nothing has changed; ERR_NOT_FOUND: there is nothing to go on
 * with. */
struct tenant_writer *tenant_writer_resume(const char *path, const struct tenant_key *to,
                                           const struct seal_keys *keys, struct error *err);

/* After a resume: the file's head, valid as long as the writer, and the bytes already written. */
const char *tenant_writer_head(const struct tenant_writer *self);
uint64_t tenant_writer_had(const struct tenant_writer *self);

/* The first bytes of the file's last row, and how many it has. */
enum { TENANT_LAST_SIZE = 64 };
struct tenant_last {
    uint8_t bytes[TENANT_LAST_SIZE];
    size_t size;
};

/* The last row of a resumed file if it is of `table`, which then continues after it; otherwise
 * NULL. Call it before the first table. */
const struct tenant_last *tenant_writer_last(struct tenant_writer *self, const char *table);

/* Removes an unfinished file unless it is kept. Accepts NULL. */
void tenant_writer_destroy(struct tenant_writer **self_p);

/* Keeps the part for tenant_writer_resume(); false without `own`. */
bool tenant_writer_keep(struct tenant_writer *self);

/* After a failure the writer can only be kept or destroyed. */
int tenant_writer_table(struct tenant_writer *self, const char *name, struct error *err) MUST_USE;

int tenant_writer_row(struct tenant_writer *self, const void *bytes, size_t size,
                      struct error *err) MUST_USE;

/* Ends the last table. The sums of all live as long as the writer. */
const struct tenant_sums *tenant_writer_sums(struct tenant_writer *self);

/* Ends the file and gives it its name, when it is on the disk. */
int tenant_writer_finish(struct tenant_writer *self, struct error *err) MUST_USE;

/* ---- reading ---- */

struct tenant_reader;

/* NULL: see err. ERR_FORBIDDEN: for another key. */
struct tenant_reader *tenant_reader_open(const char *path, const struct seal_keys *keys,
                                         struct error *err);
void tenant_reader_destroy(struct tenant_reader **self_p);

/* Lives as long as the reader. */
const char *tenant_reader_head(const struct tenant_reader *self);

struct tenant_row {
    const char *table;
    const uint8_t *bytes; /* NUL behind them */
    size_t size;
};

/* 1: the next row, valid until the next call; 0: the end, with matching sums; -1: truncated,
 * altered or unreadable. Rows before the end may be of a truncated file: read it through first. */
int tenant_reader_next(struct tenant_reader *self, struct tenant_row *ret,
                       struct error *err) MUST_USE;

/* After the end. */
const struct tenant_sums *tenant_reader_sums(const struct tenant_reader *self);

#endif
