/* endpoints.h - endpoints without a header of their own. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ENDPOINTS_H
#define ATRIUM_GATEWAY_ENDPOINT_ENDPOINTS_H

#include "common/base/cache.h"
#include "common/wire/fields.h"

struct exchange;

/* /healthz and the partner health checks: 200 even if all daemons are down. */
void health_serve(struct exchange *exchange);

/* Answers 204 for OPTIONS on a known path (CORS preflight), 405 with Allow, or 404 "Cannot GET
 * /x". */
void no_endpoint_serve(struct exchange *exchange);

/* Returns a browser's page for a path without an endpoint. NULL: not GET or HEAD, or JSON
 * preferred. */
struct endpoint *no_endpoint_page(const struct exchange *exchange);

/* /.well-known/jwks.json. Parks if keys must be fetched. */
FIELD_DECLARE(jwks);
void jwks_serve(struct exchange *exchange);

/* Serves routes of standards (common/domain/endpoint.h). The daemon checks the bearer token.
 * Parks. */
void protocol_serve(struct exchange *exchange);

/* Creates the cache of R_CACHED answers: 1,000 paths. */
struct cache *protocol_cache_new(void);

#endif
