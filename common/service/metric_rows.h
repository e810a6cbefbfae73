/* metric_rows.h - one instance's metrics as rows for the bus. */
#ifndef ATRIUM_COMMON_SERVICE_METRIC_ROWS_H
#define ATRIUM_COMMON_SERVICE_METRIC_ROWS_H

#include "common/base/metrics.h"
#include "common/wire/fields.h"

struct metric_row {
    const char *name, *labels, *help, *type; /* type: "counter" "gauge" "histogram" */
    int64_t value;
};
FIELD_DECLARE(metric_row);

struct field_list metrics_rows(const struct metrics *self, struct arena *arena);

#endif
