/*
 * program.h - what is said to a program bot and what it answers: once, or line by line to one that
 * is kept warm.
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
    size_t running_max;      /* processes at the same time, warm ones included */
    size_t warm_max;         /* of one bot */
    struct sandbox *sandbox; /* borrowed */
    int64_t check_ms;        /* longest trial of the sandbox */
};

struct program_call {
    struct uuid bot;
    const char *program; /* file name */
    int64_t bot_version; /* changes when the bot was written: older processes are not used again */
    bool warm;
    int64_t timeout_ms; /* of the bot: also bounds the CPU time of a process that is not warm */
    const char *input;  /* JSON without line breaks */
    size_t answer_max;  /* bytes */
    int64_t deadline_mono_ms;
};

struct program_answer {
    const char *text; /* NUL-terminated, from the arena */
    size_t size;
    int status; /* of its exit; 0 for a warm one */
};

struct programs *programs_new(struct loop *loop, struct metrics *metrics,
                              const struct programs_options *options);

/* Kills what runs. No call may be in progress. */
void programs_destroy(struct programs **self_p);

/* Asks the program and takes its answer: all of its output, or one line of a warm one, after the
 * calls of the same bot that have its processes at the moment. Parks. Fails: ERR_NOT_FOUND (no such
 * file); ERR_OVERLOADED (as many run already, or wait for this bot; or none of its processes became
 * free in time); ERR_DEADLINE; ERR_TOO_LARGE (the answer); ERR_UNAVAILABLE (it cannot be started,
 * or a warm one ended without an answer). Whatever happened, nothing of it runs on afterwards but a
 * warm process that answered. */
int program_run(struct programs *self, struct arena *arena, const struct program_call *call,
                struct program_answer *ret, struct error *err) MUST_USE;

/* The JSON of an answer, also of an http bot, from the arena: {} for an empty one; NULL: not
 * JSON. */
const char *program_answer_json(struct arena *arena, const char *text, size_t size);

/* Tries what may confine programs with one that does nothing, and uses the first means that works
 * from then on; while none does, program_run() answers ERR_UNAVAILABLE. The error's message says
 * why, for the operator. A trial that takes too long is no verdict (ERR_DEADLINE): all stays as it
 * was. To be called every minute. Parks. */
int programs_check(struct programs *self, struct error *err) MUST_USE;

struct sandbox *programs_sandbox(const struct programs *self);

/* Ends warm processes that have been idle for a minute. To be called every few seconds. */
void programs_sweep(struct programs *self);

#endif
