/* admin.h - endpoints of the admin listener. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ADMIN_H
#define ATRIUM_GATEWAY_ENDPOINT_ADMIN_H

#include "common/base/arena.h"
#include "common/service/metric_rows.h"

struct exchange;

/* Answers 200 if the lease is live and each daemon has an instance, otherwise 503. Parks. */
void admin_serve_ready(struct exchange *exchange);

/* Answers the metrics of all gateways and daemons, with the labels service and instance. Parks. */
void admin_serve_metrics(struct exchange *exchange);

struct metrics_part {
    const char *service, *instance;
    struct field_list rows; /* struct metric_row */
};

char *metrics_text(const struct metrics_part *parts, size_t count, struct arena *arena);

#endif
