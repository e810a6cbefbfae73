/* openapi_responses.h - an operation's answers in /openapi.json; shared errors stand once. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OPENAPI_RESPONSES_H
#define ATRIUM_GATEWAY_ENDPOINT_OPENAPI_RESPONSES_H

#include <jansson.h>

#include "gateway/endpoint/routes.h"

/* The "responses"; what it refers to is added to `shared` (components/responses). New reference. */
json_t *openapi_responses(const struct endpoint *endpoint, struct arena *arena, json_t *shared);

void openapi_add_error_schemas(json_t *schemas);

/* components/headers. New reference. */
json_t *openapi_headers(void);

/* {"application/json": {"schema": {"$ref": ...}, "example": ...}}; consumes example (or NULL). */
json_t *openapi_json_content(const char *schema, json_t *example);

#endif
