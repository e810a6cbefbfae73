/* protocol.h - the endpoint of routes that a standard defines, see common/domain/endpoint.h. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_PROTOCOL_H
#define ATRIUM_GATEWAY_ENDPOINT_PROTOCOL_H

#include "common/base/cache.h"
#include "gateway/endpoint/exchange.h"

/* Parameters, headers, bus, answer; on a fiber. No bearer token is looked at: the daemon does. */
void protocol_serve(struct exchange *exchange);

/* What R_CACHED keeps, by the path: 1,000 answers at most. */
struct cache *protocol_cache_new(void);

#endif
