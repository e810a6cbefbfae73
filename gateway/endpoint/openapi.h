/*
 * openapi.h - /openapi.json and /openapi-3.0.json: the interface as OpenAPI 3.1 and 3.0, written from
 * the rows that serve it.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OPENAPI_H
#define ATRIUM_GATEWAY_ENDPOINT_OPENAPI_H

#include "common/base/arena.h"
#include "common/wire/fields.h"
#include "gateway/endpoint/routes.h"

/* Kept compressed only: the text is 450 KB, and few clients want it as it is. */
struct openapi {
    const char *brotli, *gzip;
    size_t size, brotli_size, gzip_size; /* size: of the text */
    char etag[36];                       /* quoted */
    char weak_etag[40];                  /* of the compressed ones */
};
FIELD_DECLARE(openapi);

/* Writes the page in 3.1, and `older` in 3.0, without endpoints that lack `doc`. What is kept is the
 * arena's. `server`: the URL of the interface; NULL for "/", the one of the page. */
void openapi_build(struct openapi *self, struct openapi *older, struct arena *arena,
                   const struct endpoint *endpoints, size_t count, const char *server);

const char *openapi_text(const struct openapi *self, struct arena *arena);

void openapi_serve(struct exchange *exchange);
void openapi_serve_older(struct exchange *exchange);

#endif
