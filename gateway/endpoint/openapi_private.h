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

/* Returns the table's fields_example() with the merge patch `patch`, or its member `variant`; each
 * may be NULL. New reference. */
json_t *openapi_example(const struct field_table *table, unsigned omit, const char *patch,
                        const char *variant);

/* ---- openapi_responses.c ---- */

/* Adds what operations share to `shared` (components/responses). New reference. */
json_t *openapi_responses(const struct endpoint *endpoint, struct arena *arena, json_t *shared);

void openapi_add_error_schemas(json_t *schemas);

json_t *openapi_headers(void);

/* Consumes `example`, which can be NULL. */
json_t *openapi_json_content(const char *schema, json_t *example);

/* ---- openapi_older.c ---- */

/* Converts the description from 3.1 to 3.0 in place. */
void openapi_make_older(json_t *root);

#endif
