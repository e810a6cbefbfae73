/*
 * otlp.h - sends the suite's spans to a receiver of OpenTelemetry (OTLP over HTTP, JSON encoding).
 *
 * The gateway empties the rings of all instances over the bus, as it does for metrics: so the other
 * daemons need no way out of their host.  One batch at most is on its way; while the receiver does
 * not take it nothing more is collected, and the rings drop what they have no room for.  Nothing
 * ever waits for the receiver.
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
