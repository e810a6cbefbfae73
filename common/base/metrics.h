/* metrics.h - counters and gauges of one instance, which the gateway collects over the bus. */
#ifndef ATRIUM_COMMON_BASE_METRICS_H
#define ATRIUM_COMMON_BASE_METRICS_H

#include "common/base/arena.h"
#include "common/base/base.h"

struct metrics;

struct metrics *metrics_new(void);
void metrics_destroy(struct metrics **self_p);

/* The cell of a counter, made on first use: increment it in place. `labels` is "" or
 * `key="value",...`; both must live for ever. Beyond 512 cells all share one. */
uint64_t *metrics_counter(struct metrics *self, const char *name, const char *labels,
                          const char *help);

/* A gauge that is read when asked for. */
void metrics_gauge(struct metrics *self, const char *name, const char *help,
                   int64_t (*read)(void *arg), void *arg);

/* Labels from the arena can change between scrapes; each set is a series. "": none now. */
void metrics_gauge_labelled(struct metrics *self, const char *name, const char *help,
                            int64_t (*read)(void *arg),
                            const char *(*labels)(void *arg, struct arena *arena), void *arg);

/* The cell of a gauge that the caller sets in place; made on first use, 0 until then. */
int64_t *metrics_gauge_cell(struct metrics *self, const char *name, const char *help);

/* Latency in microseconds: fixed buckets (powers of two from 64 us to 16 s), sum and count. */
struct histogram;
struct histogram *metrics_histogram(struct metrics *self, const char *name, const char *labels,
                                    const char *help);
void histogram_add(struct histogram *self, int64_t us);

/* One value as Prometheus counts them: a histogram has one for each bucket, a sum and a count. */
struct metric {
    const char *name, *labels, *help, *type; /* type: "counter" "gauge" "histogram" */
    int64_t value;
};
typedef void metrics_each_fn(void *arg, const struct metric *metric);
size_t metrics_count(const struct metrics *self);

/* Calls `each` for every value in the order the cells were made; its texts are in the arena. */
void metrics_each(const struct metrics *self, struct arena *arena, metrics_each_fn *each,
                  void *arg);

#endif
