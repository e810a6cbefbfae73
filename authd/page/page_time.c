/*
 * page_time.c - see page_time.h.
 */
#include "authd/page/page_time.h"

#include <string.h>
#include <strings.h>
#include <time.h>

static const char *const months[PAGE_LANGUAGES][12] = {
    [PAGE_EN] = {"January", "February", "March", "April", "May", "June", "July", "August",
                 "September", "October", "November", "December"},
    [PAGE_DE] = {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
                 "Oktober", "November", "Dezember"},
    [PAGE_ES] = {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto",
                 "septiembre", "octubre", "noviembre", "diciembre"},
};

/* Browsers list the preferred language first. */
static bool is_american(const char *accept)
{
    for (const char *at = accept ? accept : ""; *at; at += strcspn(at, ",")) {
        at += strspn(at, ", \t");
        if (strcspn(at, "-;, \t") == 2 && strncasecmp(at, "en", 2) == 0)
            return strncasecmp(at, "en-US", 5) == 0;
    }
    return false;
}

static const char *american(struct arena *arena, const struct tm *at)
{
    int hour = at->tm_hour % 12 == 0 ? 12 : at->tm_hour % 12;

    return arena_printf(arena, "%s %d, %d, %d:%02d %s", months[PAGE_EN][at->tm_mon], at->tm_mday,
                        at->tm_year + 1900, hour, at->tm_min, at->tm_hour < 12 ? "AM" : "PM");
}

const char *page_time(struct arena *arena, enum page_language language, const char *accept,
                      int64_t at_ms)
{
    time_t seconds = (time_t)(at_ms / 1000);
    const char *month;
    int day, year;
    struct tm at;

    gmtime_r(&seconds, &at);
    month = months[language][at.tm_mon];
    day = at.tm_mday;
    year = at.tm_year + 1900;
    switch (language) {
    case PAGE_DE:
        return arena_printf(arena, "%d. %s %d, %02d:%02d Uhr", day, month, year, at.tm_hour,
                            at.tm_min);
    case PAGE_ES:
        return arena_printf(arena, "%d de %s de %d, %d:%02d", day, month, year, at.tm_hour,
                            at.tm_min);
    default:
        return is_american(accept) ? american(arena, &at)
                                   : arena_printf(arena, "%d %s %d, %02d:%02d", day, month, year,
                                                  at.tm_hour, at.tm_min);
    }
}
