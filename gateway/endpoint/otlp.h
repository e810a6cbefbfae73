/*
 * otlp.h - sends the suite's spans to an OpenTelemetry receiver (OTLP over HTTP, JSON encoding).
 *
 * The gateway empties all rings over the bus: other daemons need no way out. One batch is on its
 * way; until the receiver takes it the rings drop what does not fit, and nothing waits.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OTLP_H
#define ATRIUM_GATEWAY_ENDPOINT_OTLP_H

#include "common/base/error.h"

struct gateway;

/* Looks at otlp_endpoint; may block. */
int otlp_check(const struct gateway *gateway, struct error *err) MUST_USE;

/* Sets gateway->otlp and begins, where there is an otlp_endpoint. */
int otlp_start(struct gateway *gateway, struct error *err) MUST_USE;

/* After the last task has ended. */
void otlp_stop(struct gateway *gateway);

#endif
