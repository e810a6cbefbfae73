/* span.c - see span.h. */
#include "common/runtime/span.h"

#include <time.h>

#include <sodium.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/runtime/fiber.h"

struct spans {
    struct span_ended *ring; /* NULL before the first span */
    size_t first, count;
    uint64_t next_id;
    uint64_t *recorded, *dropped;
};

struct spans *spans_new(struct metrics *metrics)
{
    struct spans *self = memory_new(sizeof(*self));

    randombytes_buf(&self->next_id, sizeof(self->next_id));
    self->recorded = metrics_counter(metrics, "atrium_trace_spans_total", "",
                                     "Spans of sampled requests that were recorded.");
    self->dropped = metrics_counter(metrics, "atrium_trace_dropped_total", "",
                                    "Spans that were dropped: the ring was full, or the "
                                    "receiver did not take them.");
    return self;
}

void spans_destroy(struct spans **self_p)
{
    struct spans *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    for (size_t i = 0; self->ring && i < SPANS_MAX; i++)
        free(self->ring[i].state);
    free(self->ring);
    free(self);
}

void spans_count_dropped(struct spans *self, size_t count)
{
    *self->dropped += count;
}

struct activity *activity_current(const struct loop *loop)
{
    return fiber_local(loop);
}

void activity_enter(struct loop *loop, struct activity *activity)
{
    fiber_set_local(loop, activity);
}

void activity_count_call(struct activity *activity, const char *service, int64_t us)
{
    for (size_t i = 0; activity && i < ARRAY_SIZE(activity->calls); i++) {
        if (!activity->calls[i].service)
            activity->calls[i].service = service;
        if (strcmp(activity->calls[i].service, service) != 0)
            continue;
        activity->calls[i].count++;
        activity->calls[i].us += us;
        return;
    }
}

/* Mixes a counter with a bijection (splitmix64): unique in the process, never 0. */
static void new_id(struct spans *self, uint8_t ret[static SPAN_ID_BYTES])
{
    uint64_t mixed;

    do {
        mixed = self->next_id += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        mixed ^= mixed >> 31;
    } while (mixed == 0);
    memcpy(ret, &mixed, SPAN_ID_BYTES);
}

void span_begin_at(struct span *self, struct activity *activity, enum span_kind kind,
                   const char *name, int64_t start_us)
{
    self->activity = activity && activity->spans ? activity : NULL;
    if (!self->activity)
        return;
    self->spans = activity->spans;
    self->context = activity->context;
    self->state = activity->state;
    memcpy(self->parent_id, activity->context.span_id, SPAN_ID_BYTES);
    new_id(self->spans, self->context.span_id);
    self->kind = kind;
    self->name = name;
    self->start_us = start_us;
    self->failed = false;
    self->count = 0;
    self->host[0] = '\0';
}

void span_begin(struct span *self, struct activity *activity, enum span_kind kind, const char *name)
{
    span_begin_at(self, activity, kind, name, activity && activity->spans ? clock_mono_us() : 0);
}

void span_enter(struct span *self)
{
    if (self->activity)
        self->activity->context = self->context;
}

static void add(struct span *self, const char *key, const char *text, int64_t number)
{
    if (self->activity && self->count < SPAN_ATTRIBUTES_MAX)
        self->attributes[self->count++] = (struct span_attribute){key, text, number};
}

void span_text(struct span *self, const char *key, const char *text)
{
    if (text)
        add(self, key, text, 0);
}

void span_number(struct span *self, const char *key, int64_t number)
{
    add(self, key, NULL, number);
}

void span_host(struct span *self, const char *host)
{
    if (!self->activity)
        return;
    strncpy(self->host, host, sizeof(self->host) - 1);
    self->host[sizeof(self->host) - 1] = '\0';
}

void span_fail(struct span *self, const char *type)
{
    if (!self->activity)
        return;
    self->failed = true;
    span_text(self, "error.type", type);
}

static int64_t real_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct span_ended *ring_next(struct spans *self)
{
    if (!self->ring)
        self->ring = memory_array(SPANS_MAX, sizeof(*self->ring));
    if (self->count == SPANS_MAX)
        return NULL;
    return &self->ring[(self->first + self->count++) % SPANS_MAX];
}

void span_end(struct span *self)
{
    struct activity *activity = TAKE_PTR(self->activity);
    struct span_ended *ended;

    if (!activity)
        return;
    if (memcmp(activity->context.span_id, self->context.span_id, SPAN_ID_BYTES) == 0)
        memcpy(activity->context.span_id, self->parent_id, SPAN_ID_BYTES);
    ended = ring_next(self->spans);
    if (!ended) {
        ++*self->spans->dropped;
        return;
    }
    ++*self->spans->recorded;
    free(ended->state);
    ended->span = *self;
    ended->state = self->state[0] != '\0' ? strdup(self->state) : NULL;
    ended->end_ns = real_ns();
    ended->start_ns = ended->end_ns - (clock_mono_us() - self->start_us) * 1000;
}

size_t spans_drain(struct spans *self, spans_each_fn *each, void *arg)
{
    size_t count = MIN(self->count, (size_t)SPANS_TAKEN_MAX);

    for (size_t i = 0; i < count; i++)
        each(arg, &self->ring[(self->first + i) % SPANS_MAX]);
    self->count -= count;
    /* Restart an empty ring, so that few spans touch little memory. */
    self->first = self->count == 0 ? 0 : (self->first + count) % SPANS_MAX;
    return count;
}
