/*
 * otlp.h - sends the suite's spans to an OpenTelemetry receiver (OTLP over HTTP, JSON encoding).
 *
 * The gateway collects them over the bus, so other daemons need no network access. It sends one
 * batch at a time; until that is accepted, full rings drop spans.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OTLP_H
#define ATRIUM_GATEWAY_ENDPOINT_OTLP_H

#include "common/base/error.h"

struct gateway;

int otlp_check(const struct gateway *gateway, struct error *err) MUST_USE;
int otlp_start(struct gateway *gateway, struct error *err) MUST_USE;
void otlp_stop(struct gateway *gateway);

#endif
