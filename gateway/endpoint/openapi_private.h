/* openapi_private.h - what the files that write /openapi.json share; nothing else includes it. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OPENAPI_PRIVATE_H
#define ATRIUM_GATEWAY_ENDPOINT_OPENAPI_PRIVATE_H

#include <jansson.h>

#include "gateway/endpoint/routes.h"

/* ---- openapi_text.c ---- */

struct openapi_tag {
    const char *name, *description;
};

extern const char openapi_introduction[];       /* Markdown */
extern const struct openapi_tag openapi_tags[]; /* in the order of the page, ended by name NULL */

/* What a code of errors.def that clients see means to them; NULL for one that they do not see. */
const char *openapi_code_meaning(enum error_code code);

/* ---- openapi_operation.c ---- */

/* What it shares with others is added to `shared` (components/responses). New reference. */
json_t *openapi_operation(const struct endpoint *endpoint, const char *id, struct arena *arena,
                          json_t *shared);

/* The table's fields_example() with the merge patch `patch`, or its member `variant`; each may be
 * NULL. New reference. */
json_t *openapi_example(const struct field_table *table, unsigned omit, const char *patch,
                        const char *variant);

/* ---- openapi_responses.c ---- */

/* The "responses"; what it refers to is added to `shared` (components/responses). New reference. */
json_t *openapi_responses(const struct endpoint *endpoint, struct arena *arena, json_t *shared);

void openapi_add_error_schemas(json_t *schemas);

/* components/headers. New reference. */
json_t *openapi_headers(void);

/* {"application/json": {"schema": {"$ref": ...}, "example": ...}}; consumes example (or NULL). */
json_t *openapi_json_content(const char *schema, json_t *example);

/* ---- openapi_older.c ---- */

/* Converts the description from 3.1 to 3.0 in place. */
void openapi_make_older(json_t *root);

#endif
