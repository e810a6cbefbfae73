/*
 * clock.h - the two clocks of the suite.
 *
 * Contract time is what users see, such as expiry, schedules and one-time codes. It is the wall
 * clock plus, with --test-clock, the signed seconds in a file. Monotonic time runs deadlines,
 * leases, heartbeats and back-off. SQL reads no clock: contract time is a parameter.
 */
#ifndef ATRIUM_COMMON_BASE_CLOCK_H
#define ATRIUM_COMMON_BASE_CLOCK_H

#include "common/base/base.h"

#define SECONDS(n) ((int64_t)(n)*1000)
#define MINUTES(n) SECONDS((int64_t)(n)*60)
#define HOURS(n) MINUTES((int64_t)(n)*60)
#define DAYS(n) HOURS((int64_t)(n)*24)

struct clock;

/* Creates a clock. offset_file holds one signed integer in seconds (0 if unreadable), or is
 * NULL. */
struct clock *clock_new(const char *offset_file);
void clock_destroy(struct clock **self_p);

/* Returns contract time in ms since the epoch. Reads the offset file at most every 50 ms. */
int64_t clock_now_ms(struct clock *self);

/* Returns true with an offset file: pollers then sleep less, to notice its jumps. */
bool clock_is_test(const struct clock *self);

/* Returns the wall clock without offset. */
int64_t clock_real_ms(void);

int64_t clock_mono_ms(void);
int64_t clock_mono_us(void);

/* Writes "2026-01-31T09:30:00.000Z" (ISO 8601, UTC). */
void clock_format_iso(int64_t ms, char text[static 25]);

/* Reads such a time with 0 to 9 digits of fraction. Returns -1 for other text. */
int clock_parse_iso(const char *text, int64_t *ret_ms) MUST_USE;

#endif
