/* serve.h - serves the daemons' routes: an HTTP request becomes a bus call, its reply the
 * answer. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_SERVE_H
#define ATRIUM_GATEWAY_ENDPOINT_SERVE_H

#include "gateway/endpoint/exchange.h"

/* Throttles, authenticates, checks the role, decodes the input, calls the daemon, answers.
 * Parks. */
void serve_route(struct exchange *exchange);

/* Makes an exchange's bus request without a caller. Texts are in the exchange's arena. */
void serve_request(const struct exchange *exchange, struct request *ret);

/* True when a Content-Type (NULL: none) is that media type, with or without parameters. */
bool serve_is_media_type(const char *content_type, const char *wanted);

/* Builds the route's input in the exchange's arena from path, query, headers and body (NULL:
 * none). */
int serve_input(struct exchange *exchange, json_t *body, void **ret, struct error *err) MUST_USE;

/* Sets those members of `input` that this table describes. */
void serve_set(const struct exchange *exchange, void *input, const struct field_table *table,
               const void *member);

/* Calls the daemon and wipes the input's secrets. Parks. */
int serve_call(struct exchange *exchange, const struct request *req, void *input,
               msgpack_object *ret, struct error *err) MUST_USE;

#endif
