/*
 * clock.h - the two clocks of the suite.
 *
 * Contract time is what users see: expiry, schedules, one-time codes. It is the wall clock plus,
 * with --test-clock, the seconds in a file. Monotonic time runs deadlines, leases and back-off. SQL
 * reads no clock: contract time is a parameter.
 */
#ifndef ATRIUM_COMMON_BASE_CLOCK_H
#define ATRIUM_COMMON_BASE_CLOCK_H

#include "common/base/base.h"

#define SECONDS(n) ((int64_t)(n)*1000)
#define MINUTES(n) SECONDS((int64_t)(n)*60)
#define HOURS(n) MINUTES((int64_t)(n)*60)
#define DAYS(n) HOURS((int64_t)(n)*24)

struct clock;

/* offset_file holds seconds as a signed integer (0 if unreadable), or is NULL. */
struct clock *clock_new(const char *offset_file);
void clock_destroy(struct clock **self_p);

/* Returns contract time in ms. Reads the offset file at most every 50 ms. */
int64_t clock_now_ms(struct clock *self);

/* Pollers sleep less with a test clock, to notice its jumps. */
bool clock_is_test(const struct clock *self);

int64_t clock_real_ms(void);

int64_t clock_mono_ms(void);
int64_t clock_mono_us(void);

/* Writes "2026-01-31T09:30:00.000Z" (ISO 8601, UTC). */
void clock_format_iso(int64_t ms, char text[static 25]);

/* Reads an ISO 8601 time with 0 to 9 digits of fraction. Returns -1 for other text. */
int clock_parse_iso(const char *text, int64_t *ret_ms) MUST_USE;

#endif
