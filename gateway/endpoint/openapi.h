/* openapi.h - /openapi.json: OpenAPI 3.1 from route rows and field tables. */
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

/* Skips endpoints without `doc`. Texts are in the arena. */
void openapi_build(struct openapi *self, struct arena *arena, const struct endpoint *endpoints,
                   size_t count);

const char *openapi_text(const struct openapi *self, struct arena *arena);

void openapi_serve(struct exchange *exchange);

#endif
