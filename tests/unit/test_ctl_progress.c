/*
 * test_ctl_progress.c - the progress line of long work on a terminal.
 */
#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "ctl/progress.h"
#include "tests/support/unit.h"

enum { SHOWN_MAX = 64 * 1024, LINES_MAX = 512 };

struct shown {
    char text[SHOWN_MAX];
    char *lines[LINES_MAX]; /* each drawing of the line, then later output */
    size_t count;
    bool ended; /* ended by a newline */
};

/* Reads to the end, which a pty reports as an error. */
static void read_all(int fd, struct shown *ret)
{
    size_t size = 0;
    ssize_t got;

    while (size < SHOWN_MAX - 1 &&
           ((got = read(fd, ret->text + size, SHOWN_MAX - 1 - size)) > 0 || errno == EINTR))
        size += (size_t)MAX(got, (ssize_t)0);
    ret->text[size] = '\0';
    close(fd);
}

/* Splits repeated "\r<line>\033[K", the last of which ends in "\r\n". */
static void split(struct shown *self)
{
    size_t size = strlen(self->text);
    char *rest = self->text, *line;

    self->ended = size > 0 && self->text[size - 1] == '\n';
    while (self->count < LINES_MAX && (line = strsep(&rest, "\r\n")))
        if (*line) {
            char *erase = strstr(line, "\033[K");

            if (erase)
                *erase = '\0';
            self->lines[self->count++] = line;
        }
}

static const char *last(const struct shown *self)
{
    return self->count > 0 ? self->lines[self->count - 1] : "";
}

static struct shown *on_terminal(int columns, void (*fn)(void))
{
    struct shown *self = calloc(1, sizeof(*self));
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    int fd, status = -1;
    pid_t pid = forkpty(&fd, NULL, NULL, &size);

    if (pid == 0) {
        setenv("TERM", "xterm", 1);
        fn();
        _exit(0);
    }
    read_all(fd, self);
    waitpid(pid, &status, 0);
    UNIT_CHECK(pid > 0 && status == 0, "the child ended with %d", status);
    split(self);
    return self;
}

static void million_rows(void)
{
    struct progress progress;

    progress_start(&progress, "audit of authd", "rows", false);
    progress_count(&progress, 310000, 1000000);
    progress_count(&progress, 1000000, 1000000);
    progress_end(&progress);
}

static void the_finished_line_stays(void)
{
    struct shown *shown = on_terminal(80, million_rows);

    CU_ASSERT_TRUE_FATAL(shown->count >= 2);
    UNIT_CHECK(strstr(shown->lines[0], "audit of authd  31% [###") &&
                   strstr(shown->lines[0], "]  310000/1000000 rows  ") &&
                   strstr(shown->lines[0], " left"),
               "%s", shown->lines[0]);
    UNIT_CHECK(strstr(last(shown), "audit of authd 100% [####") && !strchr(last(shown), '-') &&
                   strstr(last(shown), "#]  1000000/1000000 rows  ") &&
                   strstr(last(shown), "/s  0:00") && !strstr(last(shown), "left"),
               "%s", last(shown));
    CU_ASSERT_TRUE(shown->ended);
    free(shown);
}

static void each_width_is_kept(void)
{
    static const struct {
        int columns;
        bool bar, numbers;
    } rows[] = {{200, true, true}, {80, true, true}, {64, false, true}, {20, false, false}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct shown *shown = on_terminal(rows[i].columns, million_rows);

        for (size_t n = 0; n < shown->count; n++)
            UNIT_CHECK(strlen(shown->lines[n]) < (size_t)rows[i].columns, "%d: %s", rows[i].columns,
                       shown->lines[n]);
        UNIT_CHECK(!strchr(last(shown), '[') == !rows[i].bar, "%d: %s", rows[i].columns,
                   last(shown));
        UNIT_CHECK(!strstr(last(shown), "1000000 rows") == !rows[i].numbers, "%d: %s",
                   rows[i].columns, last(shown));
        free(shown);
    }
}

static void uncounted(void)
{
    struct progress progress;

    progress_start(&progress, "import", "entries", false);
    progress_count(&progress, 2345, 0);
    progress_end(&progress);
}

static void of_bytes(void)
{
    struct progress progress;

    progress_start(&progress, "import", "entries", false);
    progress_part(&progress, 100, 512, 1024);
    progress_part(&progress, 150, 768, 1024); /* too soon to draw, but the end draws it */
    progress_end(&progress);
}

static void a_total_may_be_unknown(void)
{
    struct shown *count = on_terminal(80, uncounted), *bytes = on_terminal(80, of_bytes);

    UNIT_CHECK(strstr(last(count), "import  2345 entries  ") && !strchr(last(count), '%'), "%s",
               last(count));
    UNIT_CHECK(strstr(bytes->lines[0], "import  50% [") && strstr(bytes->lines[0], " 100 entries "),
               "%s", bytes->lines[0]);
    UNIT_CHECK(strstr(last(bytes), "import  75% [") && strstr(last(bytes), " 150 entries "), "%s",
               last(bytes));
    free(count);
    free(bytes);
}

static void many_steps(void)
{
    int64_t since_ms = clock_mono_ms();
    struct progress progress;

    progress_start(&progress, "import", "entries", false);
    for (int64_t n = 1; clock_mono_ms() - since_ms < 450; n++)
        progress_count(&progress, n, 0);
    printf("\n%d\n", (int)(clock_mono_ms() - since_ms));
    fflush(stdout);
    progress_end(&progress);
}

static void it_is_drawn_ten_times_a_second(void)
{
    struct shown *shown = on_terminal(80, many_steps);
    int elapsed_ms = 0;
    size_t drawn = 0;

    for (size_t i = 0; i < shown->count; i++)
        if (strncmp(shown->lines[i], "import", 6) == 0)
            drawn++;
        else
            elapsed_ms = atoi(shown->lines[i]);
    /* one immediately, one per tenth of a second, and the end */
    UNIT_CHECK(elapsed_ms >= 450 && drawn >= 3 && drawn <= 2 + (size_t)elapsed_ms / 100,
               "%zu in %d ms", drawn, elapsed_ms);
    free(shown);
}

static void nothing_was_counted(void)
{
    struct progress progress;

    progress_start(&progress, "import", "entries", false);
    progress_end(&progress);
}

static void quiet(void)
{
    struct progress progress;

    progress_start(&progress, "import", "entries", true);
    progress_count(&progress, 1, 2);
    progress_end(&progress);
}

static void dumb(void)
{
    setenv("TERM", "dumb", 1);
    million_rows();
}

static void ended_twice(void)
{
    struct progress progress;

    progress_start(&progress, "import", "entries", false);
    progress_count(&progress, 1, 2);
    progress_end(&progress);
    progress_end(&progress);
    progress_count(&progress, 2, 2);
}

static void redirected(void)
{
    int fd = dup(STDERR_FILENO), ends[2];
    struct shown shown = {.count = 0};

    if (pipe(ends) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
        _exit(2);
    million_rows();
    dup2(fd, STDERR_FILENO);
    close(ends[1]);
    read_all(ends[0], &shown);
    fputs(shown.text, stderr);
}

static void quiet_and_uncounted_work_draws_nothing(void)
{
    static const struct {
        const char *label;
        void (*fn)(void);
        size_t lines;
    } rows[] = {
        {"nothing counted", nothing_was_counted, 0},
        {"quiet", quiet, 0},
        {"TERM=dumb", dumb, 0},
        {"stderr is a pipe", redirected, 0},
        {"after the end", ended_twice, 2},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct shown *shown = on_terminal(80, rows[i].fn);

        UNIT_CHECK(shown->count == rows[i].lines, "%s: %zu lines: %s", rows[i].label, shown->count,
                   last(shown));
        free(shown);
    }
}

static const struct unit_case cases[] = {
    CASE(the_finished_line_stays),
    CASE(each_width_is_kept),
    CASE(a_total_may_be_unknown),
    CASE(it_is_drawn_ten_times_a_second),
    CASE(quiet_and_uncounted_work_draws_nothing),
};

int main(void)
{
    return unit_run("progress", cases, ARRAY_SIZE(cases));
}
