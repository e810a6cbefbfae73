/* serve.h - serves daemons' routes. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_SERVE_H
#define ATRIUM_GATEWAY_ENDPOINT_SERVE_H

#include "gateway/endpoint/exchange.h"

/* Parks. */
void serve_route(struct exchange *exchange);

/* Makes a bus request without a caller; texts are in the exchange's arena. */
void serve_request(const struct exchange *exchange, struct request *ret);

bool serve_is_media_type(const char *content_type, const char *wanted);

/* Reads the input from path, query, headers and `body`, which can be NULL. Uses the exchange's
 * arena. */
int serve_input(struct exchange *exchange, json_t *body, void **ret, struct error *err) MUST_USE;

void serve_set(const struct exchange *exchange, void *input, const struct field_table *table,
               const void *member);

/* Wipes the input's secrets. Parks. */
int serve_call(struct exchange *exchange, const struct request *req, void *input,
               msgpack_object *ret, struct error *err) MUST_USE;

#endif
