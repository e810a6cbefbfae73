/*
 * stream.h - pieces of files on their way through the gateway, and the calls that move them.
 *
 * A transfer has a few pieces of 256 KiB; when all together hold much, one small one each: memory
 * is bounded by the number of connections, and no client waits for another.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_STREAM_H
#define ATRIUM_GATEWAY_TRANSFER_STREAM_H

#include "common/domain/content.h"
#include "gateway/gateway.h"

enum {
    STREAM_WINDOW = 4, /* pieces of one transfer */
    STREAM_PIECE_SMALL = 32 * 1024,
    STREAM_MUCH = 32 * 1024 * 1024, /* bytes of all transfers */
};

/* One piece: its memory is the arena's. */
struct piece {
    struct piece *next;
    struct arena *arena;
    void *owner;    /* the transfer */
    int64_t offset; /* in the file */
    size_t size;
    const uint8_t *bytes; /* NULL: not there yet */
    uint8_t *room;        /* bytes, while they are being replies */
    size_t held;          /* what it counts for */
};

/* How large the next piece may be, how many of them one transfer may have. */
size_t stream_piece_size(const struct gateway *gateway);
size_t stream_window(const struct gateway *gateway);

/* Counts for `size` bytes, without memory yet; NULL and *NULL are fine to destroy. */
struct piece *piece_new(struct gateway *gateway, void *owner, int64_t offset, size_t size);
void piece_destroy(struct gateway *gateway, struct piece **self_p);

/* Calls another operation of the endpoint's service within `timeout_ms`, again while no instance is
 * there: a transfer survives a restart, so it must be repeatable. Parks. */
struct stream_call {
    const char *operation;
    const struct field_table *input, *output;
    const void *in;
    void *out;
    int64_t timeout_ms;
};
int stream_call(struct gateway *gateway, const char *service, const struct request *req,
                struct arena *arena, const struct stream_call *call, struct error *err) MUST_USE;

#endif
