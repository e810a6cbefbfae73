/*
 * program.h - runs program bots: once per call, or kept warm with one line per call.
 */
#ifndef ATRIUM_BOTD_BOT_PROGRAM_H
#define ATRIUM_BOTD_BOT_PROGRAM_H

#include "common/base/arena.h"
#include "common/base/metrics.h"
#include "common/base/uuid.h"
#include "common/runtime/fiber.h"
#include "common/runtime/loop.h"

struct programs;

struct sandbox;

struct programs_options {
    const char *directory;
    size_t running_max; /* including warm ones */
    size_t warm_max;
    struct sandbox *sandbox; /* borrowed */
    int64_t check_ms;        /* longest trial of the sandbox */
};

struct program_call {
    struct uuid bot;
    const char *program; /* file name */
    int64_t bot_version; /* a write of the bot changes it and replaces warm processes */
    bool warm;
    int64_t timeout_ms; /* also limits a cold process's CPU time */
    const char *input;  /* JSON without line breaks */
    size_t answer_max;
    int64_t deadline_mono_ms;
};

struct program_answer {
    const char *text; /* NUL-terminated, from the arena */
    size_t size;
    int status; /* exit status; 0 for a warm process */
};

struct programs *programs_new(struct loop *loop, struct metrics *metrics,
                              const struct programs_options *options);

/* No call may be in progress. */
void programs_destroy(struct programs **self_p);

/* Returns all output of a cold process, or one line of a warm one; calls queue until a warm process
 * is free. Parks. Afterwards only a warm process that answered still runs. Fails: ERR_NOT_FOUND;
 * ERR_OVERLOADED (too many run or wait); ERR_DEADLINE; ERR_TOO_LARGE; ERR_UNAVAILABLE (it did not
 * start, or ended without an answer). */
int program_run(struct programs *self, struct arena *arena, const struct program_call *call,
                struct program_answer *ret, struct error *err) MUST_USE;

/* Returns {} for an empty answer; NULL: not JSON. */
const char *program_answer_json(struct arena *arena, const char *text, size_t size);

/* Tries the confinements and then uses the first that works; if none works, program_run() fails. A
 * trial that takes too long (ERR_DEADLINE) changes nothing. The error is for the operator.
 * Parks. */
int programs_check(struct programs *self, struct error *err) MUST_USE;

struct sandbox *programs_sandbox(const struct programs *self);

/* Ends warm processes that have been idle for a minute. */
void programs_sweep(struct programs *self);

#endif
