/* admin.h - what the operator's own listener serves: /readyz and /metrics. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ADMIN_H
#define ATRIUM_GATEWAY_ENDPOINT_ADMIN_H

#include "common/base/arena.h"
#include "common/service/metric_rows.h"

struct exchange;

/* 200 {"ready":true} with a live lease and an instance of each daemon; else 503. On a fiber. */
void admin_serve_ready(struct exchange *exchange);

/* Prometheus text of all gateways and daemons, labelled service and instance. On a fiber. */
void admin_serve_metrics(struct exchange *exchange);

/* One instance's rows for metrics_text(). */
struct metrics_part {
    const char *service, *instance;
    struct field_list rows; /* struct metric_row */
};

/* Prometheus' text format 0.0.4: HELP and TYPE once per name, all its samples together. */
char *metrics_text(const struct metrics_part *parts, size_t count, struct arena *arena);

#endif
