/*
 * clock.h - the two clocks of the suite.
 *
 * Contract time is what users see: expiry, windows, schedules, one-time codes.  It is the wall
 * clock, or, in a development suite started with --test-clock, the wall clock plus the signed
 * seconds in a file.  Monotonic time runs deadlines, leases, heartbeats and back-off and never
 * jumps.  SQL never reads a clock: contract time is always a parameter.
 */
#ifndef ATRIUM_COMMON_BASE_CLOCK_H
#define ATRIUM_COMMON_BASE_CLOCK_H

#include "common/base/base.h"

/* Durations in milliseconds. */
#define SECONDS(n) ((int64_t)(n)*1000)
#define MINUTES(n) SECONDS((int64_t)(n)*60)
#define HOURS(n) MINUTES((int64_t)(n)*60)
#define DAYS(n) HOURS((int64_t)(n)*24)

struct clock;

/* A clock for contract time. offset_file: path of the test clock's file (one signed integer,
 * seconds), or NULL for the plain wall clock. A missing or unreadable file counts as offset 0. */
struct clock *clock_new(const char *offset_file);
void clock_destroy(struct clock **self_p);

/* Contract time now, milliseconds since the epoch. The offset file is re-read at most every 50
 * ms. */
int64_t clock_now_ms(struct clock *self);

/* True when the clock follows an offset file, so that pollers shorten their sleep to see it
 * jump. */
bool clock_is_test(const struct clock *self);

/* The wall clock, which no file moves, in milliseconds since the epoch. */
int64_t clock_real_ms(void);

/* CLOCK_MONOTONIC in milliseconds, microseconds. */
int64_t clock_mono_ms(void);
int64_t clock_mono_us(void);

/* Writes contract time as ISO 8601 in UTC with milliseconds, "2026-01-31T09:30:00.000Z", into
 * text[25]. */
void clock_format_iso(int64_t ms, char text[static 25]);

/* Reads what clock_format_iso() writes (fraction of 1-9 digits optional). -1 when it is not such a
 * time. */
int clock_parse_iso(const char *text, int64_t *ret_ms) MUST_USE;

#endif
