/*
 * batch.h - the calls of several fibers in one: those of the same turn of the loop, and those that
 * come while earlier calls run, share the next call.
 *
 * The first fiber that finds room leads: it waits for one turn of the loop, takes the items that
 * wait and runs the call for all of them. When that has ended, the first of the items that have
 * come meanwhile leads.
 */
#ifndef ATRIUM_COMMON_RUNTIME_BATCH_H
#define ATRIUM_COMMON_RUNTIME_BATCH_H

#include <sys/queue.h>

#include "common/runtime/fiber.h"

/* One fiber's part: the first member of a struct on the stack of that fiber. batch_run() fills
 * it. */
struct batch_item {
    TAILQ_ENTRY(batch_item) link;
    struct batch_item **place; /* in the leader's list, once taken */
    struct fiber *fiber;
    struct error *err;
    int64_t deadline_mono_ms;
    int result;
    bool taken, over, leads;
};

/* Runs the call on the fiber of the leader, whose item is `own`, with the latest deadline of the
 * items, which is not that of `own`. May park: then an item whose fiber has given up is NULL. 0:
 * each item that is left has its outcome. -1: it failed for all of them. */
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

/* `owner` is what the call is run with. kind->items_max is at most BATCH_ITEMS_MAX. */
void batch_init(struct batch *self, const struct batch_kind *kind, struct loop *loop, void *owner);

/* Parks until a call has been run for the item. Fails as the call does; UNCERTAIN when a call that
 * writes had begun as the deadline passed or the loop shut down; before that, and where it only
 * reads: DEADLINE, UNAVAILABLE. */
int batch_run(struct batch *self, struct batch_item *item, int64_t deadline_mono_ms,
              struct error *err) MUST_USE;

#endif
