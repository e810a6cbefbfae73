/*
 * metrics.h - counters and gauges of one instance; the gateway collects them over the bus and
 * writes Prometheus text.
 */
#ifndef ATRIUM_COMMON_BASE_METRICS_H
#define ATRIUM_COMMON_BASE_METRICS_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/wire/fields.h"

struct metrics;

struct metrics *metrics_new(void);
void metrics_destroy(struct metrics **self_p);

/* The cell of a counter, made on first use: increment it in place. `name` is
 * "atrium_<part>_<what>_total"; labels is "" or `key="value",...` with values from a fixed set
 * only. Both must be literals or live for ever. At most 512 cells; beyond that all share one. */
uint64_t *metrics_counter(struct metrics *self, const char *name, const char *labels,
                          const char *help);

/* A gauge that is read when asked for. */
void metrics_gauge(struct metrics *self, const char *name, const char *help,
                   int64_t (*read)(void *arg), void *arg);

/* The same with labels that change from one scrape to the next, from the arena: for what is rare,
 * each set of labels is a series of its own. "": none now. */
void metrics_gauge_labelled(struct metrics *self, const char *name, const char *help,
                            int64_t (*read)(void *arg),
                            const char *(*labels)(void *arg, struct arena *arena), void *arg);

/* The cell of a gauge that somebody sets: write to it in place. Made on first use, 0 until then. */
int64_t *metrics_level(struct metrics *self, const char *name, const char *help);

/* Latency in microseconds, into fixed buckets (powers of two from 64 us to 16 s), with sum and
 * count. */
struct histogram;
struct histogram *metrics_histogram(struct metrics *self, const char *name, const char *labels,
                                    const char *help);
void histogram_add(struct histogram *self, int64_t us);

/* Everything as rows {name, labels, help, type, value} for the bus. */
struct metric_row {
    const char *name, *labels, *help, *type; /* type: "counter" "gauge" "histogram" */
    int64_t value;
};
extern const struct field_table metric_row_table;
struct field_list metrics_rows(const struct metrics *self, struct arena *arena);

#endif
