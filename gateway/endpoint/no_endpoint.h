/* no_endpoint.h - requests that no endpoint takes: preflights, wrong methods, unknown paths. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_NO_ENDPOINT_H
#define ATRIUM_GATEWAY_ENDPOINT_NO_ENDPOINT_H

struct exchange;

/* Returns the page that answers a browser where router_match() has found nothing; NULL for methods
 * other than GET and HEAD, and for clients that don't prefer HTML. */
struct endpoint *no_endpoint_page(const struct exchange *exchange);

/* 204 to OPTIONS on a known path (CORS preflight), 405 with Allow to others, else 404 "Cannot GET
 * /x". */
void no_endpoint_serve(struct exchange *exchange);

#endif
