/* metrics.h - metrics of one instance, which the gateway collects on the bus. */
#ifndef ATRIUM_COMMON_BASE_METRICS_H
#define ATRIUM_COMMON_BASE_METRICS_H

#include "common/base/arena.h"
#include "common/base/base.h"

struct metrics;

struct metrics *metrics_new(void);
void metrics_destroy(struct metrics **self_p);

/* Returns the cell, created on first use, for the caller to increment. `labels` is "" or
 * `key="value",...`; both texts must stay valid forever. Beyond 512 cells all share one. */
uint64_t *metrics_counter(struct metrics *self, const char *name, const char *labels,
                          const char *help);

/* Adds a gauge that is read at each scrape. */
void metrics_gauge(struct metrics *self, const char *name, const char *help,
                   int64_t (*read)(void *arg), void *arg);

/* Adds a gauge whose labels are read at each scrape: each set is a series, "" is none. */
void metrics_gauge_labelled(struct metrics *self, const char *name, const char *help,
                            int64_t (*read)(void *arg),
                            const char *(*labels)(void *arg, struct arena *arena), void *arg);

/* Returns the cell for the caller to set. */
int64_t *metrics_gauge_cell(struct metrics *self, const char *name, const char *help);

/* Latency in microseconds, in buckets of powers of two from 64 us to 16 s. */
struct histogram;
struct histogram *metrics_histogram(struct metrics *self, const char *name, const char *labels,
                                    const char *help);
void histogram_add(struct histogram *self, int64_t us);

/* One Prometheus value: a histogram has one per bucket, a sum and a count. */
struct metric {
    const char *name, *labels, *help, *type; /* type: "counter" "gauge" "histogram" */
    int64_t value;
};
typedef void metrics_each_fn(void *arg, const struct metric *metric);
size_t metrics_count(const struct metrics *self);

void metrics_each(const struct metrics *self, struct arena *arena, metrics_each_fn *each,
                  void *arg);

#endif
