/* openapi_private.h - shared by the files that generate /openapi.json. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OPENAPI_PRIVATE_H
#define ATRIUM_GATEWAY_ENDPOINT_OPENAPI_PRIVATE_H

#include <jansson.h>

#include "gateway/endpoint/routes.h"

/* ---- openapi_text.c ---- */

struct openapi_tag {
    const char *name, *description;
};

extern const char openapi_introduction[];
extern const struct openapi_tag openapi_tags[]; /* in page order, ended by name NULL */

const char *openapi_code_meaning(enum error_code code);

/* ---- openapi_operation.c ---- */

/* Adds what operations share to `shared` (components/responses). New reference. */
json_t *openapi_operation(const struct endpoint *endpoint, const char *id, struct arena *arena,
                          json_t *shared);

/* ---- openapi_responses.c ---- */

/* Adds what operations share to `shared` (components/responses). New reference. */
json_t *openapi_responses(const struct endpoint *endpoint, struct arena *arena, json_t *shared);

void openapi_add_error_schemas(json_t *schemas);

json_t *openapi_headers(void);

/* Consumes `example`, which can be NULL. */
json_t *openapi_json_content(const char *schema, json_t *example);

#endif
