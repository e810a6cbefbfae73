/*
 * openapi_responses.h - the answers of one operation in /openapi.json.
 *
 * Errors that many operations share stand once, under components/responses, and are named by status
 * and codes.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OPENAPI_RESPONSES_H
#define ATRIUM_GATEWAY_ENDPOINT_OPENAPI_RESPONSES_H

#include <jansson.h>

#include "gateway/endpoint/routes.h"

/* The "responses" of an operation. What it refers to is added to `shared` (components/responses).
 * New reference. */
json_t *openapi_responses(const struct endpoint *endpoint, struct arena *arena, json_t *shared);

/* Adds the schemas of error bodies. */
void openapi_add_error_schemas(json_t *schemas);

/* components/headers. New reference. */
json_t *openapi_headers(void);

/* {"application/json": {"schema": {"$ref": ...}, "example": example}}; example may be NULL, and is
 * consumed. */
json_t *openapi_json_content(const char *schema, json_t *example);

#endif
