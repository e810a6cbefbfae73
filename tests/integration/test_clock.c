/*
 * test_clock.c - contract time with and without an offset file, and its text form.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/unit.h"

static int64_t real_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Within a second, for busy machines. */
static bool is_near(int64_t a, int64_t b)
{
    return a - b < 1000 && b - a < 1000;
}

static void test_without_a_file_it_is_the_wall_clock(void)
{
    struct clock *clock = clock_new(NULL);

    CU_ASSERT(is_near(clock_now_ms(clock), real_ms()));
    CU_ASSERT(!clock_is_test(clock));
    clock_destroy(&clock);
    CU_ASSERT_PTR_NULL(clock);
}

static void test_the_file_moves_it_both_ways(void)
{
    static const struct {
        const char *label, *text;
        int64_t offset_s;
    } rows[] = {
        {"seven days", "604800", 604800},
        {"back, with newline", "-3600\n", -3600},
        {"plus sign", "+5", 5},
        {"empty", "", 0},
        {"not a number", "soon", 0},
        {"number and more", "12 days", 0},
        {"beyond any use", "99999999999999", 0},
        {"zero", "0", 0},
    };
    struct unit_dir dir = unit_dir_make();
    const char *path = unit_dir_write(&dir, "clock", "86400");
    struct clock *clock = clock_new(path);

    CU_ASSERT(clock_is_test(clock));
    CU_ASSERT(is_near(clock_now_ms(clock), real_ms() + 86400000));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        unit_dir_write(&dir, "clock", rows[i].text);
        usleep(60000); /* the file is read every 50 ms */
        UNIT_CHECK(is_near(clock_now_ms(clock), real_ms() + rows[i].offset_s * 1000), "%s",
                   rows[i].label);
    }
    unit_dir_remove(&dir);
    usleep(60000);
    UNIT_CHECK(is_near(clock_now_ms(clock), real_ms()), "file is gone");
    clock_destroy(&clock);
}

static void test_monotonic_time(void)
{
    int64_t us = clock_mono_us(), ms = clock_mono_ms();

    CU_ASSERT(ms - us / 1000 <= 1000 && ms >= us / 1000);
    CU_ASSERT(clock_mono_us() >= us);
}

static void test_iso_8601_texts(void)
{
    static const struct {
        const char *text;
        int64_t ms; /* -1: refused */
        const char *again;
    } rows[] = {
        {"1970-01-01T00:00:00.000Z", 0, NULL},
        {"2026-01-31T09:30:00.000Z", 1769851800000, NULL},
        {"2024-02-29T23:59:59.999Z", 1709251199999, NULL},
        {"2026-01-31T09:30:00Z", 1769851800000, "2026-01-31T09:30:00.000Z"},
        {"2026-01-31T09:30:00.5Z", 1769851800500, "2026-01-31T09:30:00.500Z"},
        {"2026-01-31T09:30:00.123456789Z", 1769851800123, "2026-01-31T09:30:00.123Z"},
        {"2026-02-29T00:00:00Z", -1, NULL},
        {"2026-13-01T00:00:00Z", -1, NULL},
        {"2026-04-31T00:00:00Z", -1, NULL},
        {"2026-01-31T24:00:00Z", -1, NULL},
        {"2026-01-31T09:60:00Z", -1, NULL},
        {"2026-01-31T09:30:60Z", -1, NULL},
        {"2026-01-31T09:30:00", -1, NULL},
        {"2026-01-31T09:30:00.Z", -1, NULL},
        {"2026-01-31T09:30:00.1234567890Z", -1, NULL},
        {"2026-01-31T09:30:00+01:00", -1, NULL},
        {"2026-01-31 09:30:00Z", -1, NULL},
        {"2026-1-31T09:30:00Z", -1, NULL},
        {" 2026-01-31T09:30:00Z", -1, NULL},
        {"2026-01-31T09:30:00ZZ", -1, NULL},
        {"-026-01-31T09:30:00Z", -1, NULL},
        {"", -1, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int64_t ms = -1;
        char text[25];
        int result = clock_parse_iso(rows[i].text, &ms);

        UNIT_CHECK(result == (rows[i].ms == -1 ? -1 : 0) && ms == rows[i].ms, "'%s'", rows[i].text);
        if (result < 0)
            continue;
        clock_format_iso(ms, text);
        UNIT_CHECK(strcmp(text, rows[i].again ? rows[i].again : rows[i].text) == 0,
                   "'%s' became '%s'", rows[i].text, text);
    }
}

static void test_iso_8601_at_the_edges(void)
{
    static const struct {
        int64_t ms;
        const char *want;
    } rows[] = {
        {-1, "1969-12-31T23:59:59.999Z"},
        {INT64_MAX, "9999-12-31T23:59:59.999Z"},
        {INT64_MIN, "0001-01-01T00:00:00.000Z"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char text[25];

        clock_format_iso(rows[i].ms, text);
        UNIT_CHECK(strcmp(text, rows[i].want) == 0, "%s", text);
    }
}

static void test_formats_every_day_of_four_digits(void)
{
    for (int64_t seconds = INT64_C(-62135596800) + 86399; seconds < INT64_C(253402300800);
         seconds += 86400) {
        time_t time = (time_t)seconds;
        char text[25], want[64];
        struct tm tm;

        gmtime_r(&time, &tm);
        snprintf(want, sizeof(want), "%04d-%02d-%02dT23:59:59.007Z", tm.tm_year + 1900,
                 tm.tm_mon + 1, tm.tm_mday);
        clock_format_iso(seconds * 1000 + 7, text);
        if (strcmp(text, want) != 0) {
            UNIT_CHECK(false, "%s, not %s", text, want);
            break;
        }
    }
}

static const struct unit_case cases[] = {
    CASE(test_without_a_file_it_is_the_wall_clock),
    CASE(test_the_file_moves_it_both_ways),
    CASE(test_monotonic_time),
    CASE(test_iso_8601_texts),
    CASE(test_iso_8601_at_the_edges),
    CASE(test_formats_every_day_of_four_digits),
};

int main(void)
{
    return unit_run("clock", cases, ARRAY_SIZE(cases));
}
