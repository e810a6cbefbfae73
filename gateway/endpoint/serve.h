/* serve.h - the endpoint of every daemon's route. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_SERVE_H
#define ATRIUM_GATEWAY_ENDPOINT_SERVE_H

#include "gateway/endpoint/exchange.h"

/* Throttle, authentication, role, JSON, fields, bus, answer; on a fiber. */
void serve_route(struct exchange *exchange);

/* The request of an exchange on the bus, without a caller; texts in its arena. */
void serve_request(const struct exchange *exchange, struct request *ret);

/* Whether a Content-Type (NULL: none) is that media type, with parameters or without. */
bool serve_is_media_type(const char *content_type, const char *wanted);

/* The route's input in the exchange's arena, from path, query, headers and body (NULL: none). */
int serve_input(struct exchange *exchange, json_t *body, void **ret, struct error *err) MUST_USE;

/* Secrets of the input are wiped. Parks. */
int serve_call(struct exchange *exchange, const struct request *req, void *input,
               msgpack_object *ret, struct error *err) MUST_USE;

#endif
