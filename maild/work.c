/* work.c - see work.h. */
#include "maild/work.h"

enum {
    CLAIM_TIMEOUT_MS = 2000,
    RECORD_PAUSE_MS = 250,
    STOP_POLL_MS = 20,
};

struct work {
    struct maild *d;
    struct work_kind kind;
    struct uuid lease;
    struct fiber_queue idle;
    struct work_item *active;
    size_t active_count;
    int64_t renew_at; /* monotonic */
    bool kicked, stopping, running;
};

struct uuid work_lease(const struct work_item *item)
{
    return item->work->lease;
}

struct maild *work_maild(const struct work_item *item)
{
    return item->work->d;
}

bool work_pause(const struct work_item *item)
{
    struct error err;

    error_init(&err, NULL);
    return fiber_sleep_until(item->work->d->svc.loop, clock_mono_ms() + RECORD_PAUSE_MS, &err) == 0;
}

static void item_destroy(struct work_item *item)
{
    struct work *work = item->work;
    struct request *req = item->req;
    struct work_item **link = &work->active;

    while (*link != item)
        link = &(*link)->next;
    *link = item->next;
    work->active_count--;
    service_request_destroy(&req);
}

void work_end(struct work_item *item)
{
    struct work *work = item->work;

    item_destroy(item);
    work_kick(work);
}

static bool is_active(const struct work *self, struct uuid id)
{
    for (const struct work_item *each = self->active; each; each = each->next) {
        if (uuid_equal(&each->id, &id))
            return true;
    }
    return false;
}

static void item_run(void *arg)
{
    struct work_item *item = arg;

    item->work->kind.run(item);
}

struct work_item *work_item_new(struct work *self, struct uuid id)
{
    struct work_item *made;
    struct request *req;

    if (is_active(self, id))
        return NULL;
    req = service_request_new(&self->d->svc, self->kind.timeout_ms(self->d));
    made = arena_calloc(req->arena, 1, self->kind.item_size);
    *made = (struct work_item){.work = self, .req = req, .id = id};
    return made;
}

void work_item_start(struct work_item *item)
{
    struct work *work = item->work;
    struct error err;

    error_init(&err, item->req->arena);
    item->next = work->active;
    work->active = item;
    work->active_count++;
    if (fiber_start(work->d->svc.loop, item_run, item, &err) < 0)
        item_destroy(item); /* retried when the lease expires */
}

/* Claims due rows. True when there may be more. */
static bool claim(struct work *self)
{
    CLEANUP(service_request_destroy) struct request *req = NULL;
    int64_t now = clock_now_ms(self->d->real);
    const struct work_claim what = {.now = now,
                                    .until = now + WORK_LEASE_MS,
                                    .lease = self->lease,
                                    .room = self->kind.room(self->d, (int64_t)self->active_count)};
    struct error err;

    if (what.room <= 0)
        return false;
    req = service_request_new(&self->d->svc, CLAIM_TIMEOUT_MS);
    error_init(&err, req->arena);
    return self->kind.claim(self, self->d, req, &what, &err) == what.room;
}

static void renew(struct work *self)
{
    CLEANUP(service_request_destroy) struct request *req = NULL;
    struct work_renewal what = {.lease = self->lease};
    struct error err;

    if (!self->active || clock_mono_ms() < self->renew_at)
        return;
    self->renew_at = clock_mono_ms() + WORK_POLL_MS;
    req = service_request_new(&self->d->svc, CLAIM_TIMEOUT_MS);
    what.ids = db_array_new(req->arena, self->active_count, sizeof(self->active->id.text));
    for (const struct work_item *each = self->active; each; each = each->next)
        db_array_add(&what.ids, each->id.text);
    what.until = clock_now_ms(self->d->real) + WORK_LEASE_MS;
    error_init(&err, req->arena);
    if (self->kind.renew(self->d, req, &what, &err) < 0)
        self->renew_at = 0;
}

static void claim_fiber(void *arg)
{
    struct work *self = arg;
    struct loop *loop = self->d->svc.loop;
    enum fiber_wake wake = FIBER_WOKEN;

    while (!self->stopping && wake != FIBER_CANCELLED) {
        self->kicked = false;
        renew(self);
        if (claim(self) || self->kicked || self->stopping)
            continue;
        wake = fiber_queue_wait(loop, &self->idle, clock_mono_ms() + self->kind.poll_ms);
    }
    self->running = false;
}

/* ---- interface for the kinds of work ---- */

int work_start(struct maild *d, const struct work_kind *kind, struct work **ret, struct error *err)
{
    struct work *self = arena_alloc(d->svc.arena, sizeof(*self));

    *self = (struct work){.d = d, .kind = *kind, .lease = uuid_random(), .running = true};
    if (fiber_start(d->svc.loop, claim_fiber, self, err) < 0)
        return -1;
    *ret = self;
    return 0;
}

void work_kick(struct work *self)
{
    self->kicked = true;
    fiber_queue_wake_one(&self->idle);
}

bool work_stop(struct work *self, int64_t wait_ms)
{
    int64_t deadline = clock_mono_ms() + wait_ms;
    struct error err;

    error_init(&err, NULL);
    self->stopping = true;
    fiber_queue_wake_all(&self->idle);
    while ((self->active || self->running) && clock_mono_ms() < deadline) {
        renew(self);
        if (fiber_sleep_until(self->d->svc.loop, clock_mono_ms() + STOP_POLL_MS, &err) < 0)
            break;
    }
    return !self->active && !self->running;
}
