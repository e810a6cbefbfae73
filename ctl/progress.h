/*
 * progress.h - a progress line on a terminal:
 *
 *     audit of authd  31% [#######---------------]  310000 rows  52000/s  0:13 left
 *
 * Uses stderr, if that is a terminal and TERM is not dumb, and only common/: tests/bench/seed.c
 * links it.
 */
#ifndef ATRIUM_CTL_PROGRESS_H
#define ATRIUM_CTL_PROGRESS_H

#include "common/base/base.h"

struct progress {
    const char *what, *unit; /* borrowed: "audit of authd", "rows" */
    bool shown;
    int64_t done, total; /* total 0: unknown */
    int64_t part, whole; /* the same in other units, such as bytes; whole 0: unknown */
    int64_t started_mono_ms, drawn_mono_ms; /* drawn 0: never */
};

void progress_start(struct progress *self, const char *what, const char *unit, bool quiet);

/* Sets the progress; total 0: unknown. Draws at most ten times a second. */
void progress_count(struct progress *self, int64_t done, int64_t total);

/* Sets the progress when the total is unknown: `part` of `whole` (0: unknown), such as bytes. */
void progress_part(struct progress *self, int64_t done, int64_t part, int64_t whole);

/* Draws the final line. For CLEANUP too. Idempotent. */
void progress_end(struct progress *self);

#endif
