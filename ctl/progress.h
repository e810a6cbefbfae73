/*
 * progress.h - how far long work is: one line on a terminal, drawn over itself, that stays when the
 * work is over.
 *
 *     audit of authd  31% [#######---------------]  310000 rows  52000/s  0:13 left
 *
 * It goes to stderr, and only when that is a terminal (TERM=dumb is none): logs and pipes get
 * nothing of it. Uses only common/, nothing else of atriumctl: tests/bench/seed.c links it too.
 */
#ifndef ATRIUM_CTL_PROGRESS_H
#define ATRIUM_CTL_PROGRESS_H

#include "common/base/base.h"

struct progress {
    const char *what, *unit; /* borrowed, ASCII: "audit of authd", "rows" */
    bool shown;              /* there is a terminal, and it is to be told */
    int64_t done, total;     /* of units; total 0: not known */
    int64_t part, whole;     /* how far that is, in units of their own; whole 0: not known */
    int64_t started_mono_ms, drawn_mono_ms; /* drawn 0: never */
};

/* Shows nothing yet. `self` needs no end before this. */
void progress_start(struct progress *self, const char *what, const char *unit, bool quiet);

/* `done` of `total` units (0: unknown). Draws at most ten times a second. */
void progress_count(struct progress *self, int64_t done, int64_t total);

/* For an unknown number of units: `part` of `whole` (0: unknown), bytes for example. */
void progress_part(struct progress *self, int64_t done, int64_t part, int64_t whole);

/* Draws the last state and leaves that line; nothing if nothing was counted. For CLEANUP, too.
 * Idempotent. */
void progress_end(struct progress *self);

#endif
