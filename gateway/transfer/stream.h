/*
 * stream.h - pieces of files that pass through the gateway, and the calls that move them.
 *
 * A transfer has up to STREAM_WINDOW pieces of 256 KiB. When all transfers together hold
 * STREAM_MUCH, it has one small piece. So memory is bounded by the number of connections, and no
 * client waits for another.
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

struct piece {
    struct piece *next;
    struct arena *arena;
    void *owner;    /* the download or upload */
    int64_t offset; /* in the file */
    size_t size;
    const uint8_t *bytes; /* NULL: not arrived */
    uint8_t *room;        /* buffer of `bytes` while they are received */
    size_t held;          /* bytes counted in streams_size */
};

/* Return the size of the next piece, and how many pieces a transfer can have. */
size_t stream_piece_size(const struct gateway *gateway);
size_t stream_window(const struct gateway *gateway);

/* Counts `size` bytes without allocating them. */
struct piece *piece_new(struct gateway *gateway, void *owner, int64_t offset, size_t size);
void piece_destroy(struct gateway *gateway, struct piece **self_p);

/* A call of another operation of the service. It is repeated until `timeout_ms` while no instance
 * is connected, so that transfers survive a restart. The operation must be idempotent. Parks. */
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
