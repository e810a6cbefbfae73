/*
 * offload.h - CPU-heavy or blocking work on a bounded pool of threads, with a lower priority than
 * the loop. Work must not touch the loop's data.
 */
#ifndef ATRIUM_COMMON_RUNTIME_OFFLOAD_H
#define ATRIUM_COMMON_RUNTIME_OFFLOAD_H

#include "common/base/base.h"
#include "common/base/error.h"
#include "common/runtime/loop.h"

struct offload;

/* Creates a pool; `threads` 0: number of cores. Threads start with the first job. */
struct offload *offload_new(struct loop *loop, size_t threads, size_t queue_max);
void offload_destroy(struct offload **self_p);

/* Lowers the threads' priority by a step of nice(1), default 5. Call it before the first job. */
void offload_set_nice(struct offload *self, int step);

/* Parks until work(arg) ends. A job still queued at the deadline is removed: ERR_DEADLINE. A
 * running one is always awaited (arg can be on the stack), so it must be bounded. ERR_OVERLOADED
 * with Retry-After: queue full, or no thread. */
int offload_run(struct offload *self, void (*work)(void *arg), void *arg, int64_t deadline_mono_ms,
                struct error *err) MUST_USE;

size_t offload_waiting(const struct offload *self);
size_t offload_running(const struct offload *self);

#endif
