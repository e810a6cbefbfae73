/* clock_time.c - the kernel's clocks, and times as text. The log calls it, so it never logs. */
#include "common/base/clock.h"

#include <time.h>

static int64_t clock_ms(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t clock_real_ms(void)
{
    return clock_ms(CLOCK_REALTIME);
}

int64_t clock_mono_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

int64_t clock_mono_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Doesn't use snprintf(), which takes six times as long: a list can hold hundreds of times. */
static char *put_digits(char *text, unsigned value, int count, char end)
{
    for (int i = count; i-- > 0; value /= 10)
        text[i] = (char)('0' + value % 10);
    text[count] = end;
    return text + count + 1;
}

struct date {
    unsigned year, month, day;
};

/* Years start in March, so months repeat every 153 days. gmtime_r() locks and looks up the time
 * zone, which takes three times as long. */
static struct date date_of(unsigned days)
{
    unsigned since = days + 306;
    unsigned era = since / 146097, of_era = since % 146097;
    unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * of_year + 2) / 153;
    struct date date = {.day = of_year - (153 * month + 2) / 5 + 1,
                        .month = month < 10 ? month + 3 : month - 9};

    date.year = era * 400 + year + (date.month <= 2);
    return date;
}

void clock_format_iso(int64_t ms, char text[static 25])
{
    static const int64_t min = INT64_C(-62135596800000);
    static const int64_t max = INT64_C(253402300799999); /* 9999-12-31, the last with four digits */
    uint64_t since = (uint64_t)(MIN(MAX(ms, min), max) - min); /* since 0001-01-01 */
    unsigned milli = (unsigned)(since % DAYS(1));
    struct date date = date_of((unsigned)(since / DAYS(1)));

    text = put_digits(text, date.year, 4, '-');
    text = put_digits(text, date.month, 2, '-');
    text = put_digits(text, date.day, 2, 'T');
    text = put_digits(text, milli / 3600000, 2, ':');
    text = put_digits(text, milli / 60000 % 60, 2, ':');
    text = put_digits(text, milli / 1000 % 60, 2, '.');
    *put_digits(text, milli % 1000, 3, 'Z') = '\0';
}

/* Moves *text_p past `count` digits. Returns -1 for fewer. */
static int read_digits(const char **text_p, int count)
{
    int value = 0;

    for (int i = 0; i < count; i++, (*text_p)++) {
        if (**text_p < '0' || **text_p > '9')
            return -1;
        value = value * 10 + (**text_p - '0');
    }
    return value;
}

/* Reads up to nine digits after a point. Returns -1 for none or more. */
static int read_fraction_ms(const char **text_p)
{
    int ms = 0, digits = 0;

    for (; **text_p >= '0' && **text_p <= '9'; digits++, (*text_p)++)
        if (digits < 3)
            ms = ms * 10 + (**text_p - '0');
    for (int i = digits; i < 3; i++)
        ms *= 10;
    return digits >= 1 && digits <= 9 ? ms : -1;
}

int clock_parse_iso(const char *text, int64_t *ret_ms)
{
    static const struct {
        int digits;
        char end;
    } parts[6] = {{4, '-'}, {2, '-'}, {2, 'T'}, {2, ':'}, {2, ':'}, {2, '\0'}};
    int value[6], ms = 0;
    struct tm tm, normal;
    time_t seconds;

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        value[i] = read_digits(&text, parts[i].digits);
        if (value[i] < 0 || (parts[i].end != '\0' && *text++ != parts[i].end))
            return -1;
    }
    if (*text == '.') {
        text++;
        ms = read_fraction_ms(&text);
    }
    if (ms < 0 || strcmp(text, "Z") != 0 || value[0] == 0) /* clock_format_iso() cannot write it */
        return -1;
    tm = (struct tm){.tm_year = value[0] - 1900,
                     .tm_mon = value[1] - 1,
                     .tm_mday = value[2],
                     .tm_hour = value[3],
                     .tm_min = value[4],
                     .tm_sec = value[5]};
    normal = tm;
    seconds = timegm(&normal);
    /* timegm() normalizes times that do not exist (31 April, 24:00). */
    if (normal.tm_year != tm.tm_year || normal.tm_mon != tm.tm_mon ||
        normal.tm_mday != tm.tm_mday || normal.tm_hour != tm.tm_hour ||
        normal.tm_min != tm.tm_min || normal.tm_sec != tm.tm_sec)
        return -1;
    *ret_ms = (int64_t)seconds * 1000 + ms;
    return 0;
}
