/*
 * no_endpoint.h - requests that no endpoint takes: preflights, wrong methods, unknown paths.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_NO_ENDPOINT_H
#define ATRIUM_GATEWAY_ENDPOINT_NO_ENDPOINT_H

struct exchange;

/* Returns the page that answers a browser where router_match() has found nothing; NULL for other
 * methods than GET and HEAD, and for clients that do not prefer HTML. */
struct endpoint *no_endpoint_page(const struct exchange *exchange);

/* 204 to OPTIONS on a known path (CORS preflight: any origin, no credentials), 405 with Allow to
 * other methods of it, 404 "Cannot GET /x" otherwise. */
void no_endpoint_serve(struct exchange *exchange);

#endif
