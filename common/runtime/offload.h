/*
 * offload.h - CPU-heavy or blocking work on a small, bounded pool of threads.
 *
 * The threads run at a lower priority than the loop, so that hashing passwords on every core does
 * not slow the neighbours' reads.  Work must not touch anything of the loop: it gets its arguments
 * and writes its result.
 */
#ifndef ATRIUM_COMMON_RUNTIME_OFFLOAD_H
#define ATRIUM_COMMON_RUNTIME_OFFLOAD_H

#include "common/base/base.h"
#include "common/base/error.h"
#include "common/runtime/loop.h"

struct offload;

/* A pool of `threads` (0: number of cores) whose queue holds at most `queue_max` waiting jobs.
 * Threads start with the first job. */
struct offload *offload_new(struct loop *loop, size_t threads, size_t queue_max);
void offload_destroy(struct offload **self_p);

/* How much lower than the loop's the priority of the threads is, as of nice(1); 5 at first. Before
 * the first job. */
void offload_set_nice(struct offload *self, int step);

/* Runs work(arg) on the pool and parks the fiber until it is done. A job that still waits at the
 * deadline is taken out: ERR_DEADLINE. A job that runs is always waited for (arg may live on the
 * fiber's stack), so work must be bounded by itself. Full queue, or no thread that could be
 * started: ERR_OVERLOADED with Retry-After. */
int offload_run(struct offload *self, void (*work)(void *arg), void *arg, int64_t deadline_mono_ms,
                struct error *err) MUST_USE;

/* Jobs waiting, jobs running: for metrics. */
size_t offload_waiting(const struct offload *self);
size_t offload_running(const struct offload *self);

#endif
