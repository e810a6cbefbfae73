/*
 * body.h - buffers a request's JSON body, with limits for all clients together and for each.
 *
 * All bodies share BODIES_MAX. Clients without a valid token share half of it, and each has a limit
 * of its own. So a flood affects neither signed-in clients nor most others.
 */
#ifndef ATRIUM_GATEWAY_HTTP_BODY_H
#define ATRIUM_GATEWAY_HTTP_BODY_H

#include "gateway/endpoint/exchange.h"

enum {
    BODY_MAX = 1024 * 1024,         /* a JSON body */
    BODY_DROP_MAX = 4 * BODY_MAX,   /* read and dropped, so that the client sees the refusal */
    BODY_DROP_MS = 10000,           /* for at most this long */
    BODY_READ_MS = 30000,           /* limit for receiving a body */
    BODIES_MAX = 128 * 1024 * 1024, /* all bodies together */
    BODIES_UNKNOWN_MAX = BODIES_MAX / 2,
    BODIES_CLIENT_MAX = BODIES_MAX / 16,
};

/* Buffers or drops the bytes. Returns false if they are too many or too late: cut the
 * connection. */
bool body_append(struct exchange *self, const char *bytes, size_t size);
void body_free(struct exchange *self);

#endif
