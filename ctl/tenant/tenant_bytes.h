/*
 * tenant_bytes.h - documents' bytes as rows of the last table, docd.bytes. A row is a piece:
 *
 *     | bytes | |
 *     |---|---|
 *     | 36  | object_id of the document, as text |
 *     | 8   | offset of the piece, big-endian |
 *     | ... | the piece, at most TENANT_BYTES_MAX |
 *
 * Pieces are in order; an empty file is one empty piece. A document without its bytes has no row.
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_BYTES_H
#define ATRIUM_CTL_TENANT_TENANT_BYTES_H

#include "ctl/tenant/tenant_rows.h"

#define TENANT_BYTES_TABLE "docd.bytes"

/* A place in the table; zeroed: its start. */
struct tenant_bytes_place {
    struct uuid object;
    int64_t offset;
};

/* Advances past a row, given its size and first bytes. Fails for a row of another table. */
enum { TENANT_BYTES_HEAD = 44 };
int tenant_bytes_behind(const uint8_t head[static TENANT_BYTES_HEAD], size_t size,
                        struct tenant_bytes_place *ret, struct error *err) MUST_USE;

/* Passes the bytes after `from` to the sink. Parks. */
int tenant_bytes_walk(struct ctl *ctl, struct uuid project, struct tenant_bytes_place from,
                      const struct tenant_sink *sink, struct progress *progress,
                      struct error *err) MUST_USE;

/* Begins zeroed, except ctl and project. */
struct tenant_bytes_adder {
    struct ctl *ctl;
    struct uuid project, object; /* project and id of the current file */
    struct arena *arena;
    int64_t have; /* stored bytes of that file */
    bool skip;    /* the file is complete, or no document has it */
    crypto_generichash_state hash;
    int64_t files; /* completed files */
};

/* Adds a piece, unless its bytes are stored already. ERR_CONFLICT: not a piece, or out of order.
 * Parks. */
int tenant_bytes_add(struct tenant_bytes_adder *self, const void *row, size_t size,
                     struct error *err) MUST_USE;

/* Completes the last file. Parks. */
int tenant_bytes_end(struct tenant_bytes_adder *self, struct error *err) MUST_USE;

void tenant_bytes_adder_wipe(struct tenant_bytes_adder *self);

#endif
