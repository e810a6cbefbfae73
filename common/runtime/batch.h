/*
 * batch.h - combines several fibers' calls into one.
 *
 * The first fiber leads: it waits one turn, takes the waiting items and runs the call for all. Then
 * the first new item leads.
 */
#ifndef ATRIUM_COMMON_RUNTIME_BATCH_H
#define ATRIUM_COMMON_RUNTIME_BATCH_H

#include <sys/queue.h>

#include "common/runtime/fiber.h"

/* One fiber's part, the first member of a struct on its stack. */
struct batch_item {
    TAILQ_ENTRY(batch_item) link;
    struct batch_item **place;
    struct fiber *fiber;
    struct error *err;
    int64_t deadline_mono_ms;
    int result;
    bool taken, over, leads;
};

/* Runs on the leader's fiber (`own` is its item) with the items' latest deadline. Can park. The
 * item of a fiber that gave up becomes NULL. 0: each item has its outcome. -1: all failed. */
typedef int batch_fn(void *owner, const struct batch_item *own, struct batch_item *const *items,
                     size_t count, int64_t deadline_mono_ms, struct error *err);

struct batch_kind {
    batch_fn *run;
    size_t items_max;   /* per call */
    size_t running_max; /* concurrent calls; items that come meanwhile are collected */
    bool writes;        /* an item that gives up does not know whether the call had effect */
};

struct batch {
    const struct batch_kind *kind;
    struct loop *loop;
    void *owner;
    TAILQ_HEAD(, batch_item) waiting;
    size_t running;
    bool collecting; /* a leader waits for items and has not begun */
};

enum { BATCH_ITEMS_MAX = 32 };

void batch_init(struct batch *self, const struct batch_kind *kind, struct loop *loop, void *owner);

/* Parks until the call has run. Fails as the call does; after the deadline or shutdown with
 * UNCERTAIN if a writing call had begun, otherwise with DEADLINE or UNAVAILABLE. */
int batch_run(struct batch *self, struct batch_item *item, int64_t deadline_mono_ms,
              struct error *err) MUST_USE;

#endif
