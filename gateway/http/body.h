/*
 * body.h - the JSON body of a request while it comes in: how much of it, of all, and of one client.
 *
 * All bodies share BODIES_MAX. Those of clients that show no token which was seen to be good share
 * half of it, and one such client has a sixteenth: a flood of them leaves the other half to those
 * who are signed in, and its client's neighbours their part.
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
