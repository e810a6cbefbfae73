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

/* Begins; shows nothing yet, and never anything when quiet. `self` needs no end before this. */
void progress_start(struct progress *self, const char *what, const char *unit, bool quiet);

/* `done` of `total` units (0: unknown). Draws at most ten times a second, so it may be called
 * for each unit. */
void progress_count(struct progress *self, int64_t done, int64_t total);

/* The same where the number of units is not known, but how far they reach is: `part` of `whole` (0:
 * not known) bytes, say. */
void progress_part(struct progress *self, int64_t done, int64_t part, int64_t whole);

/* Draws the last state with the time that it took, and leaves that line; nothing when nothing was
 * ever counted. For CLEANUP too: what is said next, an error maybe, begins on a line of its own.
 * May be called again. */
void progress_end(struct progress *self);

#endif
