/*
 * daemon_log.c - see daemon_log.h.
 */
#include "tests/support/daemon_log.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/unit.h"

enum { WAIT_MS = 10000, POLL_US = 20000 };

static void read_file(const char *path, void (*fn)(void *arg, const char *line), void *arg)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;

    while (file && getline(&line, &size, file) > 0)
        fn(arg, line);
    free(line);
    if (file)
        fclose(file);
}

bool daemon_log_each(const struct suite *suite, const char *daemon,
                     void (*fn)(void *arg, const char *line), void *arg)
{
    char pattern[512];
    glob_t files;

    snprintf(pattern, sizeof(pattern), "%s/log/%s*.log", suite_dir(suite), daemon ? daemon : "");
    if (!UNIT_CHECK(glob(pattern, 0, NULL, &files) == 0, "%s", pattern))
        return false;
    for (size_t i = 0; i < files.gl_pathc; i++)
        read_file(files.gl_pathv[i], fn, arg);
    globfree(&files);
    return true;
}

struct search {
    const char *const *texts;
    size_t count;
    char *first;
};

static void look_at_line(void *arg, const char *line)
{
    struct search *self = arg;

    for (size_t i = 0; self->texts[i]; i++)
        if (!strstr(line, self->texts[i]))
            return;
    if (self->count++ == 0)
        self->first = strdup(line);
}

size_t daemon_log_count(const struct suite *suite, const char *daemon, const char *text)
{
    struct search search = {.texts = (const char *const[]){text, NULL}};

    (void)daemon_log_each(suite, daemon, look_at_line, &search);
    free(search.first);
    return search.count;
}

void daemon_log_wait(const struct suite *suite, const char *daemon, const char *text, size_t count)
{
    int64_t until = clock_mono_ms() + WAIT_MS;
    size_t found;

    while ((found = daemon_log_count(suite, daemon, text)) < count && clock_mono_ms() < until)
        usleep(POLL_US);
    UNIT_CHECK(found >= count, "%s: %zu of %zu", text, found, count);
}

char *daemon_log_find(const struct suite *suite, const char *daemon, const char *const *texts)
{
    int64_t until = clock_mono_ms() + WAIT_MS;
    struct search search = {.texts = texts};

    while (daemon_log_each(suite, daemon, look_at_line, &search) && !search.first &&
           clock_mono_ms() < until)
        usleep(POLL_US);
    return search.first;
}
