/* subprocess.h - sends input to a process in a sandbox and reads its answer, on a fiber. */
#ifndef ATRIUM_BOTD_SANDBOX_SUBPROCESS_H
#define ATRIUM_BOTD_SANDBOX_SUBPROCESS_H

#include "botd/sandbox/sandbox.h"
#include "common/base/arena.h"
#include "common/runtime/loop.h"

struct subprocess_input {
    const char *input; /* borrowed */
    size_t size;
    size_t answer_max; /* bytes */
    char end;          /* ends one answer of a process that goes on */
    /* this many end bytes complete the answer; 0: stdin is closed and EOF completes it */
    size_t ends;
    int64_t deadline_mono_ms;
};

struct subprocess_output {
    const char *text; /* NUL-terminated, from the arena */
    size_t size;
    bool heard; /* the process has read the whole input */
    bool ended; /* its output ended before the answer was whole */
};

/* Writes the input while reading the answer. Parks. Fails: ERR_DEADLINE; ERR_TOO_LARGE;
 * ERR_UNAVAILABLE (stopping). */
int subprocess_exchange(struct loop *loop, struct arena *arena, struct sandboxed *with,
                        const struct subprocess_input *what, struct subprocess_output *ret,
                        struct error *err) MUST_USE;

/* Waits for the end of the process, which is still to be reaped. Parks. */
int subprocess_wait_end(struct loop *loop, const struct sandboxed *with, int64_t deadline_mono_ms,
                        struct error *err) MUST_USE;

/* False when the process has written something unrequested, or its output has ended. */
bool subprocess_is_silent(const struct sandboxed *with);

#endif
