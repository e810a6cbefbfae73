/* openapi_operation.h - one operation in /openapi.json: words, parameters, body and answers. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OPENAPI_OPERATION_H
#define ATRIUM_GATEWAY_ENDPOINT_OPENAPI_OPERATION_H

#include <jansson.h>

#include "gateway/endpoint/routes.h"

/* What it shares with others is added to `shared` (components/responses). New reference. */
json_t *openapi_operation(const struct endpoint *endpoint, const char *id, struct arena *arena,
                          json_t *shared);

#endif
