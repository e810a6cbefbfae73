/* openapi.h - /openapi.json (3.1) and /openapi-3.0.json, from route rows and field tables. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OPENAPI_H
#define ATRIUM_GATEWAY_ENDPOINT_OPENAPI_H

#include "common/base/arena.h"
#include "common/wire/fields.h"
#include "gateway/endpoint/routes.h"

/* Only compressed texts are kept: uncompressed it has 450 KB, which few clients want. */
struct openapi {
    const char *brotli, *gzip;
    size_t size, brotli_size, gzip_size; /* `size`: uncompressed */
    char etag[36];
    char weak_etag[40]; /* for compressed texts */
};
FIELD_DECLARE(openapi);

/* Writes the page in 3.1, and `older` in 3.0; skips endpoints without `doc`. Texts are in the
 * arena. server: URL of the API; NULL: relative to the page. */
void openapi_build(struct openapi *self, struct openapi *older, struct arena *arena,
                   const struct endpoint *endpoints, size_t count, const char *server);

const char *openapi_text(const struct openapi *self, struct arena *arena);

void openapi_serve(struct exchange *exchange);
void openapi_serve_older(struct exchange *exchange);

#endif
