/*
 * body.h - buffers JSON bodies.
 *
 * All bodies share BODIES_MAX. Clients without a valid token share half of that, and each has its
 * own limit. So a flood spares signed-in clients and most others.
 */
#ifndef ATRIUM_GATEWAY_HTTP_BODY_H
#define ATRIUM_GATEWAY_HTTP_BODY_H

#include "gateway/endpoint/exchange.h"

enum {
    BODY_MAX = 1024 * 1024,
    BODY_DROP_MAX = 4 * BODY_MAX, /* read and dropped, so that the client sees a refusal */
    BODY_DROP_MS = 10000,         /* time limit for reading and dropping */
    BODY_READ_MS = 30000,         /* limit for the whole body */
    BODIES_MAX = 128 * 1024 * 1024,
    BODIES_UNKNOWN_MAX = BODIES_MAX / 2,
    BODIES_CLIENT_MAX = BODIES_MAX / 16,
};

/* Returns false if the body has too many bytes or arrives too late: cut the connection. */
bool body_append(struct exchange *self, const char *bytes, size_t size);
void body_free(struct exchange *self);

#endif
