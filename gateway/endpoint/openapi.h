/* openapi.h - /openapi.json: OpenAPI 3.1, generated from route rows and field tables. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OPENAPI_H
#define ATRIUM_GATEWAY_ENDPOINT_OPENAPI_H

#include "common/base/arena.h"
#include "common/wire/fields.h"
#include "gateway/endpoint/routes.h"

/* Kept only compressed: the text has 450 KB, and few clients want it uncompressed. */
struct openapi {
    const char *brotli, *gzip;
    size_t size, brotli_size, gzip_size; /* `size`: uncompressed */
    char etag[36];
    char weak_etag[40]; /* of the compressed texts */
};
FIELD_DECLARE(openapi);

/* Generates the page once, in the arena. Skips endpoints without `doc`. */
void openapi_build(struct openapi *self, struct arena *arena, const struct endpoint *endpoints,
                   size_t count);

const char *openapi_text(const struct openapi *self, struct arena *arena);

void openapi_serve(struct exchange *exchange);

#endif
