/*
 * batch.h - the calls of several fibers in one: of one turn of the loop, or while a call runs.
 *
 * The first fiber that finds room leads: it waits one turn, takes the waiting items and runs the
 * call for all. Then the first of the items that came meanwhile leads.
 */
#ifndef ATRIUM_COMMON_RUNTIME_BATCH_H
#define ATRIUM_COMMON_RUNTIME_BATCH_H

#include <sys/queue.h>

#include "common/runtime/fiber.h"

/* One fiber's part, on its stack: the first member of a struct. batch_run() fills it. */
struct batch_item {
    TAILQ_ENTRY(batch_item) link;
    struct batch_item **place; /* in the leader's list, once taken */
    struct fiber *fiber;
    struct error *err;
    int64_t deadline_mono_ms;
    int result;
    bool taken, over, leads;
};

/* Runs on the leader's fiber (`own` is its item) with the items' latest deadline. May park: the
 * item of a fiber that gave up is NULL. 0: each item left has its outcome. -1: all failed. */
typedef int batch_fn(void *owner, const struct batch_item *own, struct batch_item *const *items,
                     size_t count, int64_t deadline_mono_ms, struct error *err);

struct batch_kind {
    batch_fn *run;
    size_t items_max;   /* in one call */
    size_t running_max; /* calls; while they run, items gather */
    bool writes; /* whether the call has had its effect is not known to an item that gives up */
};

/* The items of one kind. All members are batch.c's. */
struct batch {
    const struct batch_kind *kind;
    struct loop *loop;
    void *owner;
    TAILQ_HEAD(, batch_item) waiting;
    size_t running;
    bool collecting; /* there is a leader that has not begun */
};

enum { BATCH_ITEMS_MAX = 32 };

void batch_init(struct batch *self, const struct batch_kind *kind, struct loop *loop, void *owner);

/* Parks until the call was run. Fails as it does; UNCERTAIN when a writing call had begun at the
 * deadline or shutdown; otherwise DEADLINE, UNAVAILABLE. */
int batch_run(struct batch *self, struct batch_item *item, int64_t deadline_mono_ms,
              struct error *err) MUST_USE;

#endif
