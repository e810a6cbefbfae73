/* progress.c - see progress.h. */
#include "ctl/progress.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/clock.h"

enum {
    REDRAW_MS = 100,
    COLUMNS_DEFAULT = 80,
    COLUMNS_MAX = 200,
    BAR_MIN = 10,
    BAR_MAX = 40,
    DURATION_SIZE = 32
};

/* Returns the width of the window, which can be resized, less one, so that the line does not
 * wrap. */
static int columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
        return COLUMNS_DEFAULT - 1;
    return MIN((int)size.ws_col, (int)COLUMNS_MAX) - 1;
}

static void format_duration(int64_t ms, char text[static DURATION_SIZE])
{
    int64_t s = (ms + 500) / 1000;

    if (s < 3600)
        snprintf(text, DURATION_SIZE, "%" PRId64 ":%02" PRId64, s / 60, s % 60);
    else
        snprintf(text, DURATION_SIZE, "%" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600, s / 60 % 60,
                 s % 60);
}

static void format_numbers(const struct progress *self, int64_t elapsed_ms, bool over, char *text,
                           size_t size)
{
    char total[DURATION_SIZE] = "", duration[DURATION_SIZE];
    int64_t rate = self->done * 1000 / MAX(elapsed_ms, (int64_t)1);
    bool reckoned = !over && self->part > 0;

    if (self->total > 0)
        snprintf(total, sizeof(total), "/%" PRId64, self->total);
    if (reckoned)
        format_duration(
            (int64_t)((double)elapsed_ms * (double)(self->whole - self->part) / (double)self->part),
            duration);
    else
        format_duration(elapsed_ms, duration);
    snprintf(text, size, "  %" PRId64 "%s %s  %" PRId64 "/s  %s%s", self->done, total, self->unit,
             rate, duration, reckoned ? " left" : "");
}

/* Formats " 31% [#####------]", or the percentage without the bar. */
static void format_bar(const struct progress *self, int room, char text[static COLUMNS_MAX])
{
    static const char full[] = "########################################";
    static const char empty[] = "----------------------------------------";
    int used = snprintf(text, COLUMNS_MAX, " %3d%%", (int)(self->part * 100 / self->whole));
    int width = MIN(room - used - (int)strlen(" []"), (int)BAR_MAX);
    int filled = (int)((double)width * (double)self->part / (double)self->whole);

    static_assert(sizeof(full) == BAR_MAX + 1 && sizeof(empty) == BAR_MAX + 1, "as long as a bar");
    if (width >= BAR_MIN)
        snprintf(text + used, COLUMNS_MAX - (size_t)used, " [%.*s%.*s]", filled, full,
                 width - filled, empty);
}

static void draw(struct progress *self, int64_t now_ms, bool over)
{
    char numbers[COLUMNS_MAX], bar[COLUMNS_MAX] = "", text[3 * COLUMNS_MAX];
    char line[sizeof(text) + 16];
    int room = columns(), length;

    format_numbers(self, now_ms - self->started_mono_ms, over, numbers, sizeof(numbers));
    if (self->whole > 0)
        format_bar(self, room - (int)strlen(self->what) - (int)strlen(numbers), bar);
    snprintf(text, sizeof(text), "%.*s%s%s", COLUMNS_MAX, self->what, bar, numbers);
    length = snprintf(line, sizeof(line), "\r%.*s\033[K%s", room, text, over ? "\n" : "");
    (void)!write(STDERR_FILENO, line, (size_t)length);
    self->drawn_mono_ms = now_ms;
}

static void advance(struct progress *self)
{
    int64_t now_ms = clock_mono_ms();

    if (self->shown && now_ms - self->drawn_mono_ms >= REDRAW_MS)
        draw(self, now_ms, false);
}

void progress_start(struct progress *self, const char *what, const char *unit, bool quiet)
{
    const char *term = getenv("TERM");

    *self = (struct progress){
        .what = what,
        .unit = unit,
        .shown = !quiet && isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0),
        .started_mono_ms = clock_mono_ms(),
    };
}

void progress_count(struct progress *self, int64_t done, int64_t total)
{
    self->done = done;
    self->part = MIN(done, total);
    self->total = self->whole = total;
    advance(self);
}

void progress_part(struct progress *self, int64_t done, int64_t part, int64_t whole)
{
    self->done = done;
    self->part = MIN(part, whole);
    self->whole = whole;
    advance(self);
}

void progress_end(struct progress *self)
{
    if (self->drawn_mono_ms > 0)
        draw(self, clock_mono_ms(), true);
    self->drawn_mono_ms = 0;
    self->shown = false;
}
