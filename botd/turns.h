/*
 * turns.h - so many at the same time; the others wait in a line, first come, first served.
 */
#ifndef ATRIUM_BOTD_TURNS_H
#define ATRIUM_BOTD_TURNS_H

#include "common/runtime/fiber.h"

struct turns {
    size_t max;         /* at the same time */
    size_t waiting_max; /* in the line */
    size_t taken;
    struct fiber_queue waiting;
};

/* Takes a turn, to be given back with turns_give(). Parks while all are taken. Fails, without one:
 * ERR_OVERLOADED (the line is full, said at once); ERR_DEADLINE; ERR_UNAVAILABLE (we are
 * stopping). */
int turns_take(struct loop *loop, struct turns *self, int64_t deadline_mono_ms,
               struct error *err) MUST_USE;

/* The turn goes to who waits for the longest time. */
void turns_give(struct turns *self);

#endif
