/*
 * log.c - one line per event, written to stderr with a single write() so that lines of several
 * threads and processes do not mix.
 */
#include "common/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 2048, DETAIL_MAX = 1024, LEVEL_COUNT = LOG_DEBUG + 1 };

/* The one mutable state of the log. Names are set once before the first thread starts. */
static struct {
    char program[32], instance[40];
    atomic_int level;
    atomic_uint_fast64_t lines[LEVEL_COUNT];
} log_state = {.program = "atrium", .level = LOG_INFO};

struct line {
    size_t length;
    char text[LINE_MAX_BYTES];
};

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

/* One byte always stays free for the newline. */
static void put_char(struct line *line, char c)
{
    if (line->length < sizeof line->text - 1)
        line->text[line->length++] = c;
}

static void put_plain(struct line *line, const char *text)
{
    for (; *text != '\0'; text++)
        if (!is_control((unsigned char)*text))
            put_char(line, *text);
}

/* Quoted when it is empty or holds a space, a quote, a backslash or an equals sign. */
static void put_value(struct line *line, const char *value)
{
    if (*value != '\0' && strpbrk(value, " \"\\=") == NULL) {
        put_plain(line, value);
        return;
    }
    put_char(line, '"');
    for (; *value != '\0'; value++) {
        if (is_control((unsigned char)*value))
            continue;
        if (*value == '"' || *value == '\\')
            put_char(line, '\\');
        put_char(line, *value);
    }
    put_char(line, '"');
}

static void put_pair(struct line *line, const char *key, const char *value)
{
    if (value == NULL)
        return;
    put_char(line, ' ');
    put_plain(line, key);
    put_char(line, '=');
    put_value(line, value);
}

static void line_begin(struct line *line, int level, const char *topic, const char *message)
{
    line->length = (size_t)snprintf(line->text, sizeof line->text, "<%d>program=", level);
    put_value(line, log_state.program);
    if (log_state.instance[0] != '\0')
        put_pair(line, "instance", log_state.instance);
    put_pair(line, "topic", topic);
    put_char(line, ' ');
    put_plain(line, "msg=\"");
    put_plain(line, message);
    put_char(line, '"');
}

static void line_end(struct line *line, int level)
{
    ssize_t written;

    line->text[line->length++] = '\n';
    written = write(STDERR_FILENO, line->text, line->length);
    (void)written; /* nobody is left to tell */
    atomic_fetch_add_explicit(&log_state.lines[level], 1, memory_order_relaxed);
}

static bool is_wanted(int level)
{
    return level >= LOG_EMERG &&
           level <= atomic_load_explicit(&log_state.level, memory_order_relaxed);
}

void log_open(const char *program, const char *instance, int level)
{
    snprintf(log_state.program, sizeof log_state.program, "%s", program);
    snprintf(log_state.instance, sizeof log_state.instance, "%s", instance == NULL ? "" : instance);
    log_set_level(level);
}

void log_set_level(int level)
{
    atomic_store(&log_state.level, MIN(level, LOG_DEBUG));
}

void log_event(int level, const char *topic, const char *message, ...)
{
    struct line line;
    const char *key;
    va_list args;

    if (!is_wanted(level))
        return;
    line_begin(&line, level, topic, message);
    va_start(args, message);
    while ((key = va_arg(args, const char *)) != NULL)
        put_pair(&line, key, va_arg(args, const char *));
    va_end(args);
    line_end(&line, level);
}

void log_detail(int level, const char *topic, const char *message, const char *format, ...)
{
    char detail[DETAIL_MAX];
    struct line line;
    va_list args;

    if (!is_wanted(level))
        return;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    line_begin(&line, level, topic, message);
    put_pair(&line, "detail", detail);
    line_end(&line, level);
}

uint64_t log_count(int level)
{
    uint64_t count = 0;

    for (int i = LOG_EMERG; i <= MIN(level, LOG_DEBUG); i++)
        count += atomic_load_explicit(&log_state.lines[i], memory_order_relaxed);
    return count;
}

void log_die(const char *topic, const char *message)
{
    log_event(LOG_EMERG, topic, message, NULL);
    abort();
}
