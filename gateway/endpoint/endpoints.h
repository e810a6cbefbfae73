/* endpoints.h - the functions that answer, each with a file of its name but health_serve(). */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ENDPOINTS_H
#define ATRIUM_GATEWAY_ENDPOINT_ENDPOINTS_H

#include "common/base/cache.h"
#include "common/wire/fields.h"

struct exchange;

/* 200 without a body, also while every daemon is down: the partner health checks and /healthz. */
void health_serve(struct exchange *exchange);

/* 204 to OPTIONS on a known path (CORS preflight), 405 with Allow, else 404 "Cannot GET /x". */
void no_endpoint_serve(struct exchange *exchange);

/* Returns the page that answers a browser where router_match() has found nothing; NULL for methods
 * other than GET and HEAD, and for clients that don't prefer HTML. */
struct endpoint *no_endpoint_page(const struct exchange *exchange);

/* /.well-known/jwks.json; on a fiber, since the keys may have to be fetched first. */
FIELD_DECLARE(jwks);
void jwks_serve(struct exchange *exchange);

/* Routes that a standard defines (common/domain/endpoint.h): parameters, headers, bus, answer; on a
 * fiber. No bearer token is looked at: the daemon does. */
void protocol_serve(struct exchange *exchange);

/* What R_CACHED keeps, by the path: 1,000 answers at most. */
struct cache *protocol_cache_new(void);

#endif
