/* endpoints.h - functions that answer requests, each in a file of its name except
 * health_serve(). */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ENDPOINTS_H
#define ATRIUM_GATEWAY_ENDPOINT_ENDPOINTS_H

#include "common/base/cache.h"
#include "common/wire/fields.h"

struct exchange;

/* Answers 200 without a body, even if every daemon is down: partner health checks and /healthz. */
void health_serve(struct exchange *exchange);

/* Answers OPTIONS on a known path with 204 (CORS preflight), other known paths with 405 and Allow,
 * and unknown paths with 404 "Cannot GET /x". */
void no_endpoint_serve(struct exchange *exchange);

/* Returns the HTML page for a path without an endpoint. NULL for methods other than GET and HEAD,
 * and for clients that don't prefer HTML. */
struct endpoint *no_endpoint_page(const struct exchange *exchange);

/* Serves /.well-known/jwks.json. Parks, because the keys may have to be fetched first. */
FIELD_DECLARE(jwks);
void jwks_serve(struct exchange *exchange);

/* Serves routes defined by a standard (common/domain/endpoint.h). Parks. Doesn't check the bearer
 * token, because the daemon does. */
void protocol_serve(struct exchange *exchange);

/* Creates the cache of R_CACHED answers, keyed by path, with up to 1,000 entries. */
struct cache *protocol_cache_new(void);

#endif
