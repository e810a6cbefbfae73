/*
 * openapi.h - /openapi.json: the whole interface as OpenAPI 3.1, written from the rows that serve it.
 */
#ifndef ATRIUM_GATEWAY_OPENAPI_H
#define ATRIUM_GATEWAY_OPENAPI_H

#include "common/arena.h"
#include "gateway/routes.h"

struct openapi {
    char *text;
    size_t size;
    char etag[36]; /* quoted */
};

/* Writes the page for these endpoints once; the text is the arena's. */
void openapi_build(struct openapi *self, struct arena *arena, const struct endpoint *endpoints,
                   size_t count);

/* The endpoint. */
void openapi_serve(struct exchange *exchange);

#endif
