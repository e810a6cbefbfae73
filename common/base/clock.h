/*
 * clock.h - the two clocks of the suite.
 *
 * Contract time is what users see: expiry, windows, schedules, one-time codes. It is the wall clock
 * plus, with --test-clock, the signed seconds in a file. Monotonic time runs deadlines, leases,
 * heartbeats and back-off. SQL never reads a clock: contract time is always a parameter.
 */
#ifndef ATRIUM_COMMON_BASE_CLOCK_H
#define ATRIUM_COMMON_BASE_CLOCK_H

#include "common/base/base.h"

#define SECONDS(n) ((int64_t)(n)*1000)
#define MINUTES(n) SECONDS((int64_t)(n)*60)
#define HOURS(n) MINUTES((int64_t)(n)*60)
#define DAYS(n) HOURS((int64_t)(n)*24)

struct clock;

/* offset_file: the test clock's file (one signed integer, seconds; 0 if unreadable), or NULL. */
struct clock *clock_new(const char *offset_file);
void clock_destroy(struct clock **self_p);

/* Contract time, ms since the epoch. The offset file is read again at most every 50 ms. */
int64_t clock_now_ms(struct clock *self);

/* Whether the clock follows an offset file: pollers then sleep less, to see it jump. */
bool clock_is_test(const struct clock *self);

/* The wall clock, which no file moves, in milliseconds since the epoch. */
int64_t clock_real_ms(void);

int64_t clock_mono_ms(void);
int64_t clock_mono_us(void);

/* Writes "2026-01-31T09:30:00.000Z": ISO 8601, UTC, milliseconds. */
void clock_format_iso(int64_t ms, char text[static 25]);

/* Reads such a time, with a fraction of 0 to 9 digits. -1: it is none. */
int clock_parse_iso(const char *text, int64_t *ret_ms) MUST_USE;

#endif
