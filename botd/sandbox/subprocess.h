/* subprocess.h - sends input to a sandboxed process and reads its answer, on a fiber. */
#ifndef ATRIUM_BOTD_SANDBOX_SUBPROCESS_H
#define ATRIUM_BOTD_SANDBOX_SUBPROCESS_H

#include "botd/sandbox/sandbox.h"
#include "common/base/arena.h"
#include "common/runtime/loop.h"

struct subprocess_input {
    const char *input; /* borrowed */
    size_t size;
    size_t answer_max;
    char end; /* ends an answer of a process that keeps running */
    /* number of end bytes; 0: EOF ends the answer, and stdin is closed */
    size_t ends;
    int64_t deadline_mono_ms;
};

struct subprocess_output {
    const char *text; /* NUL-terminated, from the arena */
    size_t size;
    bool heard; /* the process has read all input */
    bool ended; /* the process ended before its answer was complete */
};

/* Sends the input and reads the answer. Parks. Fails: ERR_DEADLINE, ERR_TOO_LARGE, ERR_UNAVAILABLE
 * (stopping). */
int subprocess_exchange(struct loop *loop, struct arena *arena, struct sandboxed *with,
                        const struct subprocess_input *what, struct subprocess_output *ret,
                        struct error *err) MUST_USE;

/* Waits until the process ends; it must still be reaped. Parks. */
int subprocess_wait_end(struct loop *loop, const struct sandboxed *with, int64_t deadline_mono_ms,
                        struct error *err) MUST_USE;

/* False after unrequested output, or its end. */
bool subprocess_is_silent(const struct sandboxed *with);

#endif
