/*
 * offload.h - CPU-heavy or blocking work on a small, bounded pool of threads.
 *
 * They run at a lower priority than the loop, so that hashing does not slow the neighbours' reads.
 * Work must not touch anything of the loop.
 */
#ifndef ATRIUM_COMMON_RUNTIME_OFFLOAD_H
#define ATRIUM_COMMON_RUNTIME_OFFLOAD_H

#include "common/base/base.h"
#include "common/base/error.h"
#include "common/runtime/loop.h"

struct offload;

/* `threads` 0: number of cores; at most `queue_max` jobs wait. Threads start with the first job. */
struct offload *offload_new(struct loop *loop, size_t threads, size_t queue_max);
void offload_destroy(struct offload **self_p);

/* How much lower the threads' priority is, as of nice(1); default 5. Before the first job. */
void offload_set_nice(struct offload *self, int step);

/* Parks until work(arg) is done. One that still waits at the deadline is removed: ERR_DEADLINE; one
 * that runs is always waited for (arg may be on the stack), so it must be bounded. ERR_OVERLOADED
 * with Retry-After: full queue, or no thread. */
int offload_run(struct offload *self, void (*work)(void *arg), void *arg, int64_t deadline_mono_ms,
                struct error *err) MUST_USE;

size_t offload_waiting(const struct offload *self);
size_t offload_running(const struct offload *self);

#endif
