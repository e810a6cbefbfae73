/*
 * admin.h - what the operator's own listener serves: /readyz and /metrics.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ADMIN_H
#define ATRIUM_GATEWAY_ENDPOINT_ADMIN_H

#include "common/base/arena.h"
#include "common/service/metric_rows.h"

struct exchange;

/* 200 {"ready":true} when the lease is live and an instance of each daemon answers; else 503 and
 * what is missing. On a fiber. */
void admin_serve_ready(struct exchange *exchange);

/* Prometheus text of this gateway, the others and all daemons, each row with the labels service and
 * instance. On a fiber. */
void admin_serve_metrics(struct exchange *exchange);

/* One instance's rows for metrics_text(). */
struct metrics_part {
    const char *service, *instance;
    struct field_list rows; /* struct metric_row */
};

/* The rows of all parts in Prometheus' text format 0.0.4: HELP and TYPE once per name, all its
 * samples together. */
char *metrics_text(const struct metrics_part *parts, size_t count, struct arena *arena);

#endif
