/*
 * talk.h - what is said to a process that was started in a sandbox, and what it answers, on a
 * fiber.
 */
#ifndef ATRIUM_BOTD_SANDBOX_TALK_H
#define ATRIUM_BOTD_SANDBOX_TALK_H

#include "botd/sandbox/sandbox.h"
#include "common/base/arena.h"
#include "common/runtime/loop.h"

struct talk {
    const char *input; /* borrowed */
    size_t size;
    size_t answer_max; /* bytes */
    char end;          /* ends one answer of a process that goes on */
    /* so many of them are the whole answer; 0: all of its output, with its stdin closed */
    size_t ends;
    int64_t deadline_mono_ms;
};

struct talk_answer {
    const char *text; /* NUL-terminated, from the arena */
    size_t size;
    bool heard; /* the whole input was taken */
    bool ended; /* its output ended before the answer was whole */
};

/* Says the input and takes the answer, both at the same time. Parks. Fails: ERR_DEADLINE;
 * ERR_TOO_LARGE (the answer); ERR_UNAVAILABLE (we are stopping). */
int talk_to(struct loop *loop, struct arena *arena, struct sandboxed *with, const struct talk *what,
            struct talk_answer *ret, struct error *err) MUST_USE;

/* Waits until the process has ended; it still has to be reaped. Parks. */
int talk_wait_end(struct loop *loop, const struct sandboxed *with, int64_t deadline_mono_ms,
                  struct error *err) MUST_USE;

/* False when there is something to read that nobody asked for, or its output has ended. */
bool talk_is_silent(const struct sandboxed *with);

#endif
