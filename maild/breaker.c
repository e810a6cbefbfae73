/* breaker.c - see breaker.h. */
#include "maild/breaker.h"

#include <sodium.h>
#include <stdio.h>

struct breaker breaker_new(int64_t limit)
{
    return (struct breaker){.limit = limit, .allowed = limit};
}

int64_t breaker_room(const struct breaker *self, int64_t active, int64_t now_ms)
{
    switch (breaker_state(self, now_ms)) {
    case BREAKER_OPEN:
        return 0;
    case BREAKER_PROBING:
        return active == 0 ? 1 : 0;
    case BREAKER_CLOSED:
        break;
    }
    return MAX(self->allowed - active, (int64_t)0);
}

enum breaker_state breaker_state(const struct breaker *self, int64_t now_ms)
{
    if (!self->open)
        return BREAKER_CLOSED;
    return now_ms < self->retry_at ? BREAKER_OPEN : BREAKER_PROBING;
}

static void close_it(struct breaker *self)
{
    if (self->open)
        self->allowed = 1;
    self->open = false;
    self->streak = 0;
    self->reason[0] = '\0';
}

bool breaker_succeed(struct breaker *self, int64_t now_ms)
{
    bool was_open = self->open;

    close_it(self);
    if (!was_open)
        self->allowed = MIN(self->allowed * 2, self->limit);
    self->pauses = 0;
    self->refusals = 0;
    self->success_at = now_ms;
    return was_open;
}

/* Opens the breaker. Deliveries in progress cannot lengthen a pause that has just begun. */
static void open_it(struct breaker *self, int64_t now_ms)
{
    int doublings = MIN(self->pauses, 10);
    int64_t pause = MIN((int64_t)BREAKER_PAUSE_MIN_MS << doublings, (int64_t)BREAKER_PAUSE_MAX_MS);

    if (self->open && now_ms < self->retry_at)
        return;
    if (!self->open)
        self->opened_at = now_ms;
    self->open = true;
    self->pauses++;
    self->retry_at = now_ms + pause * 3 / 4 + randombytes_uniform((uint32_t)pause / 2);
}

bool breaker_refuse(struct breaker *self, const char *reason, int64_t now_ms)
{
    bool was_open = self->open;

    self->refusals++;
    if (self->refusals < BREAKER_REFUSALS_MAX) {
        close_it(self);
        return was_open;
    }
    snprintf(self->reason, sizeof(self->reason), "%s", reason);
    open_it(self, now_ms);
    return false;
}

void breaker_fail(struct breaker *self, const char *reason, int64_t now_ms)
{
    bool recent = self->success_at != 0 && now_ms - self->success_at < BREAKER_RECENT_MS;

    snprintf(self->reason, sizeof(self->reason), "%s", reason);
    self->streak++;
    if (!self->open && recent && self->streak < BREAKER_STREAK_MAX)
        self->allowed = MAX(self->allowed / 2, (int64_t)1);
    else
        open_it(self, now_ms);
}

void breaker_hurry(struct breaker *self, int64_t now_ms)
{
    self->retry_at = MIN(self->retry_at, now_ms);
}
