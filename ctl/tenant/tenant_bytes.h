/*
 * tenant_bytes.h - the bytes of a tenant's documents: rows of the table docd.bytes, behind all
 * others, made of pieces.
 *
 *     | bytes | |
 *     |---|---|
 *     | 36  | object_id of the document, as text |
 *     | 8   | offset of the piece, big-endian |
 *     | ... | the piece, at most TENANT_BYTES_MAX |
 *
 * The pieces of a file follow each other; an empty file is one piece without bytes. A document that
 * lacks its bytes has none, and lacks them at the receiver too.
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_BYTES_H
#define ATRIUM_CTL_TENANT_TENANT_BYTES_H

#include "ctl/tenant/tenant_rows.h"

#define TENANT_BYTES_TABLE "docd.bytes"

/* A place in the table; the default is its start. */
struct tenant_bytes_place {
    struct uuid object;
    int64_t offset;
};

/* Advances past a row, given its size and first TENANT_BYTES_HEAD bytes. Fails for another
 * table's. */
enum { TENANT_BYTES_HEAD = 44 };
int tenant_bytes_behind(const uint8_t head[static TENANT_BYTES_HEAD], size_t size,
                        struct tenant_bytes_place *ret, struct error *err) MUST_USE;

/* Hands over the bytes of a project's documents from that place on. Parks. */
int tenant_bytes_walk(struct ctl *ctl, struct uuid project, struct tenant_bytes_place from,
                      const struct tenant_sink *sink, struct progress *progress,
                      struct error *err) MUST_USE;

/* Begins zeroed but for ctl and project. */
struct tenant_bytes_adder {
    struct ctl *ctl;
    struct uuid project, object; /* the file whose pieces come */
    struct arena *arena;
    int64_t have; /* bytes of it that are there */
    bool skip;    /* it is there already, or no document has it */
    crypto_generichash_state hash;
    int64_t files; /* that became whole */
};

/* ERR_CONFLICT: no piece, or out of order. Skips what is there. Parks. */
int tenant_bytes_add(struct tenant_bytes_adder *self, const void *row, size_t size,
                     struct error *err) MUST_USE;

/* Completes the last file. Parks. */
int tenant_bytes_end(struct tenant_bytes_adder *self, struct error *err) MUST_USE;

void tenant_bytes_adder_wipe(struct tenant_bytes_adder *self);

#endif
