/* fiber_each.c - see fiber_each.h. */
#include "docd/document/fiber_each.h"

#include "common/base/clock.h"
#include "common/runtime/fiber.h"

struct round {
    const struct fiber_each *each;
    size_t next, helpers;
    bool failed;
    struct error *err; /* the first failure */
    struct fiber_queue ended;
};

static bool goes_on(const struct round *self)
{
    const struct fiber_each *each = self->each;

    return self->next < each->count && (each->past_failure || !self->failed) &&
           (self->next == 0 || each->until_mono_ms == 0 || clock_mono_ms() < each->until_mono_ms);
}

static void work(struct round *self)
{
    struct error err;

    while (goes_on(self)) {
        error_init(&err, NULL);
        if (self->each->run(self->each->arg, self->next++, &err) == 0 || self->failed)
            continue;
        self->failed = true;
        err.arena = self->err->arena;
        *self->err = err;
    }
}

static void help(void *arg)
{
    struct round *self = arg;

    work(self);
    if (--self->helpers == 0)
        fiber_queue_wake_all(&self->ended);
}

int fiber_each(struct loop *loop, const struct fiber_each *each, size_t *ret_begun,
               struct error *err)
{
    struct round self = {.each = each, .err = err};
    struct error ignored;

    error_init(&ignored, NULL);
    while (self.helpers + 1 < MIN(each->count, each->most) &&
           fiber_start(loop, help, &self, &ignored) == 0)
        self.helpers++;
    work(&self);
    while (self.helpers > 0) /* helpers use this frame */
        (void)!fiber_queue_wait(loop, &self.ended, INT64_MAX);
    if (ret_begun)
        *ret_begun = self.next;
    return self.failed ? -1 : 0;
}
