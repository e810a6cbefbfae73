/* admin.h - /readyz and /metrics of the admin listener. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ADMIN_H
#define ATRIUM_GATEWAY_ENDPOINT_ADMIN_H

#include "common/base/arena.h"
#include "common/service/metric_rows.h"

struct exchange;

/* Answers 200 {"ready":true} with a live lease and an instance of each daemon, else 503. Parks. */
void admin_serve_ready(struct exchange *exchange);

/* Answers Prometheus text of all gateways and daemons, labelled service and instance. Parks. */
void admin_serve_metrics(struct exchange *exchange);

struct metrics_part {
    const char *service, *instance;
    struct field_list rows; /* struct metric_row */
};

/* Prometheus text format 0.0.4: one HELP and TYPE per name, followed by all its samples. */
char *metrics_text(const struct metrics_part *parts, size_t count, struct arena *arena);

#endif
