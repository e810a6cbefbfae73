/*
 * serve.h - the endpoint of every daemon's route.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_SERVE_H
#define ATRIUM_GATEWAY_ENDPOINT_SERVE_H

#include "gateway/endpoint/exchange.h"

/* Throttle, authentication, role, JSON, fields, bus, answer; on a fiber. */
void serve_route(struct exchange *exchange);

/* The request that an exchange makes on the bus, without a caller; texts in the exchange's
 * arena. */
void serve_request(const struct exchange *exchange, struct request *ret);

#endif
