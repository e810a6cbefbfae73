/*
 * body.h - a request's JSON body while it comes in, bounded for all and for one client.
 *
 * All share BODIES_MAX; clients without a known good token share half, each a sixteenth: a flood
 * leaves the other half to signed-in clients, and its neighbours their part.
 */
#ifndef ATRIUM_GATEWAY_HTTP_BODY_H
#define ATRIUM_GATEWAY_HTTP_BODY_H

#include "gateway/endpoint/exchange.h"

enum {
    BODY_MAX = 1024 * 1024,         /* of a JSON body */
    BODY_DROP_MAX = 4 * BODY_MAX,   /* read and dropped so that a refusal reaches the client */
    BODY_DROP_MS = 10000,           /* no longer than this */
    BODY_READ_MS = 30000,           /* within which a body must have come */
    BODIES_MAX = 128 * 1024 * 1024, /* of all requests together */
    BODIES_UNKNOWN_MAX = BODIES_MAX / 2,
    BODIES_CLIENT_MAX = BODIES_MAX / 16,
};

/* Keeps or drops what came; false: too much or too late, the connection is to be cut. */
bool body_append(struct exchange *self, const char *bytes, size_t size);
void body_free(struct exchange *self);

#endif
