/* batch.c - see batch.h. */
#include "common/runtime/batch.h"

#include <assert.h>

#include "common/runtime/loop.h"

void batch_init(struct batch *self, const struct batch_kind *kind, struct loop *loop, void *owner)
{
    assert(kind->items_max <= BATCH_ITEMS_MAX);
    *self = (struct batch){.kind = kind, .loop = loop, .owner = owner};
    TAILQ_INIT(&self->waiting);
}

static void appoint(struct batch *self)
{
    struct batch_item *first = TAILQ_FIRST(&self->waiting);

    if (!first || self->collecting || self->running == self->kind->running_max)
        return;
    self->collecting = true;
    first->leads = true;
    fiber_wake(first->fiber);
}

static size_t take(struct batch *self, struct batch_item *items[static BATCH_ITEMS_MAX],
                   int64_t *ret_deadline)
{
    size_t count = 0;
    struct batch_item *item;

    *ret_deadline = 0;
    while (count < self->kind->items_max && (item = TAILQ_FIRST(&self->waiting))) {
        TAILQ_REMOVE(&self->waiting, item, link);
        item->taken = true;
        item->place = &items[count];
        items[count++] = item;
        *ret_deadline = MAX(*ret_deadline, item->deadline_mono_ms);
    }
    return count;
}

static int lead(struct batch *self, struct batch_item *own, struct error *err)
{
    struct batch_item *items[BATCH_ITEMS_MAX];
    int64_t deadline;
    size_t count = take(self, items, &deadline);
    int result;

    self->collecting = false;
    self->running++;
    appoint(self);
    result = self->kind->run(self->owner, own, items, count, deadline, err);
    self->running--;
    appoint(self);
    for (size_t i = 0; i < count; i++) {
        if (!items[i] || items[i] == own)
            continue;
        items[i]->over = true;
        items[i]->result = result;
        if (result < 0)
            error_copy(items[i]->err, err);
        fiber_wake(items[i]->fiber);
    }
    return result;
}

static int give_up(struct batch *self, struct batch_item *item, enum fiber_wake wake,
                   struct error *err)
{
    if (item->taken) {
        *item->place = NULL;
        if (self->kind->writes)
            return error_set(err, ERR_UNCERTAIN, "It is not known whether the change was made.");
        return fiber_wake_error(wake, err);
    }
    TAILQ_REMOVE(&self->waiting, item, link);
    if (item->leads) {
        self->collecting = false;
        appoint(self);
    }
    return fiber_wake_error(wake, err);
}

static int wait_turn(struct batch *self, struct batch_item *item, struct error *err)
{
    while (!item->over && !item->leads) {
        enum fiber_wake wake = fiber_park(self->loop, item->deadline_mono_ms);

        if (wake != FIBER_WOKEN && !item->over)
            return give_up(self, item, wake, err);
    }
    return 0;
}

static int collect(struct batch *self, struct batch_item *item, struct error *err)
{
    enum fiber_wake wake = fiber_park(self->loop, loop_mono_ms(self->loop));

    return wake == FIBER_CANCELLED ? give_up(self, item, wake, err) : 0;
}

int batch_run(struct batch *self, struct batch_item *item, int64_t deadline_mono_ms,
              struct error *err)
{
    int rc;

    *item = (struct batch_item){
        .fiber = fiber_self(self->loop), .err = err, .deadline_mono_ms = deadline_mono_ms};
    TAILQ_INSERT_TAIL(&self->waiting, item, link);
    if (!self->collecting && self->running < self->kind->running_max) {
        self->collecting = item->leads = true;
        rc = collect(self, item, err);
    } else {
        rc = wait_turn(self, item, err);
    }
    if (rc < 0)
        return -1;
    return item->leads ? lead(self, item, err) : item->result;
}
