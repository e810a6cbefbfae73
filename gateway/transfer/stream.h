/*
 * stream.h - pieces of files that pass through the gateway.
 *
 * A transfer has STREAM_WINDOW pieces of 256 KiB, but one small piece while all transfers hold
 * STREAM_MUCH. So the number of connections limits memory, and no client waits for another.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_STREAM_H
#define ATRIUM_GATEWAY_TRANSFER_STREAM_H

#include "common/domain/content.h"
#include "gateway/gateway.h"

enum {
    STREAM_WINDOW = 4,
    STREAM_PIECE_SMALL = 32 * 1024,
    STREAM_MUCH = 32 * 1024 * 1024, /* bytes of all transfers */
};

struct piece {
    struct piece *next;
    struct arena *arena;
    void *owner; /* upload or download */
    int64_t offset;
    size_t size;
    const uint8_t *bytes; /* NULL: not arrived */
    uint8_t *room;        /* memory of `bytes` in an upload */
    size_t held;          /* bytes counted in streams_size */
};

size_t stream_piece_size(const struct gateway *gateway);
size_t stream_window(const struct gateway *gateway);

/* Counts `size` bytes, doesn't allocate them. */
struct piece *piece_new(struct gateway *gateway, void *owner, int64_t offset, size_t size);
void piece_destroy(struct gateway *gateway, struct piece **self_p);

/* A call that is retried until `timeout_ms` while the service has no instance, so that transfers
 * survive a restart. Must be idempotent. Parks. */
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
