/* log.c - one write() per event, so that lines of several threads never mix. */
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log_private.h"

enum { DETAIL_MAX = 1024, LEVEL_COUNT = LOG_DEBUG + 1 };

/* State. All but level and lines is set before the first thread starts. */
static struct {
    char program[32], instance[40];
    enum log_format format;
    bool with_time; /* text lines begin with the time, because no journal adds it */
    atomic_int level;
    atomic_uint_fast64_t lines[LEVEL_COUNT];
    void (*context)(void *arg, struct log_context *ret);
    void *context_arg;
    pthread_t context_thread;
} log_state = {.program = "atrium", .level = LOG_INFO, .format = LOG_FORMAT_TEXT};

struct line {
    char *text;
    size_t length, size;
};

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

static void put_char(struct line *line, char c)
{
    if (line->length < line->size)
        line->text[line->length++] = c;
}

static void put_plain(struct line *line, const char *text)
{
    for (; *text != '\0'; text++)
        if (!is_control((unsigned char)*text))
            put_char(line, *text);
}

/* Quotes empty values, and those with a space, quote, backslash or equals sign. */
static void put_value(struct line *line, const char *value)
{
    if (*value != '\0' && !strpbrk(value, " \"\\=")) {
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
    put_char(line, ' ');
    put_plain(line, key);
    put_char(line, '=');
    put_value(line, value);
}

static void put_field(struct line *line, const struct log_field *field)
{
    char digits[24];

    if (!field->is_number && !field->text)
        return;
    snprintf(digits, sizeof(digits), "%" PRId64, field->number);
    put_pair(line, field->key, field->is_number ? digits : field->text);
}

size_t log_text_write(const struct log_record *record, char *out, size_t size)
{
    struct line line = {.text = out, .size = size};

    put_plain(&line, "program=");
    put_value(&line, record->program);
    if (record->instance[0] != '\0')
        put_pair(&line, "instance", record->instance);
    put_pair(&line, "topic", record->topic);
    put_plain(&line, " msg=\"");
    put_plain(&line, record->message);
    put_char(&line, '"');
    for (size_t i = 0; i < record->count; i++)
        put_field(&line, &record->fields[i]);
    return line.length;
}

/* ---- settings ---- */

void log_open(const char *program, const char *instance, int level)
{
    snprintf(log_state.program, sizeof(log_state.program), "%s", program);
    snprintf(log_state.instance, sizeof(log_state.instance), "%s", !instance ? "" : instance);
    log_set_level(level);
}

void log_set_level(int level)
{
    atomic_store(&log_state.level, MIN(level, LOG_DEBUG));
}

enum log_format log_format_from(const char *word)
{
    static const struct {
        const char *word;
        enum log_format format;
    } rows[] = {
        {"auto", LOG_FORMAT_AUTO}, {"json", LOG_FORMAT_JSON}, {"journal", LOG_FORMAT_JOURNAL}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strcmp(word, rows[i].word) == 0)
            return rows[i].format;
    return LOG_FORMAT_TEXT;
}

void log_set_format(enum log_format format)
{
    log_state.with_time = format == LOG_FORMAT_AUTO;
    if (format == LOG_FORMAT_AUTO)
        format = log_journal_is_stderr() ? LOG_FORMAT_JOURNAL : LOG_FORMAT_TEXT;
    log_state.format = format;
}

enum log_format log_format(void)
{
    return log_state.format;
}

void log_set_context(void (*fn)(void *arg, struct log_context *ret), void *arg)
{
    log_state.context = fn;
    log_state.context_arg = arg;
    log_state.context_thread = pthread_self();
}

/* ---- writing ---- */

/* Formats each second once, for thousands of access log lines. */
void log_time(char ret[static LOG_TIME_SIZE])
{
    static _Thread_local struct {
        int64_t second;
        char text[LOG_TIME_SIZE];
    } last = {.second = -1};
    int64_t now_ms = clock_real_ms(), ms = now_ms % 1000;

    if (last.second != now_ms / 1000) {
        last.second = now_ms / 1000;
        clock_format_iso(now_ms, last.text);
    }
    memcpy(ret, last.text, LOG_TIME_SIZE);
    ret[20] = (char)('0' + ms / 100);
    ret[21] = (char)('0' + ms / 10 % 10);
    ret[22] = (char)('0' + ms % 10);
}

/* Avoids printf, for the access log. */
size_t log_text_start(int level, char *out, size_t size)
{
    struct line line = {.text = out, .size = size};
    char now[LOG_TIME_SIZE];

    put_char(&line, '<');
    put_char(&line, (char)('0' + level));
    put_char(&line, '>');
    if (!log_state.with_time)
        return line.length;
    log_time(now);
    put_plain(&line, "ts=");
    put_plain(&line, now);
    put_char(&line, ' ');
    return line.length;
}

static bool is_wanted(int level)
{
    return level >= LOG_EMERG &&
           level <= atomic_load_explicit(&log_state.level, memory_order_relaxed);
}

static void write_all(char *text, size_t length)
{
    ssize_t written;

    text[length++] = '\n';
    written = write(STDERR_FILENO, text, length);
    (void)written; /* a failure has no place to go */
}

static void write_text(const struct log_record *record)
{
    char text[LOG_TEXT_MAX];
    size_t length = log_text_start(record->level, text, sizeof(text));

    write_all(text, length + log_text_write(record, text + length, sizeof(text) - 1 - length));
}

static void write_json(struct log_record *record)
{
    char text[LOG_JSON_MAX + 1];

    write_all(text, log_json_write(record, text, LOG_JSON_MAX));
}

static void read_context(struct log_context *ret)
{
    if (log_state.context && pthread_equal(pthread_self(), log_state.context_thread))
        log_state.context(log_state.context_arg, ret);
}

void log_write(int level, const char *topic, const char *message, const struct log_field *fields,
               size_t count)
{
    struct log_record record = {
        .level = level,
        .program = log_state.program,
        .instance = log_state.instance,
        .topic = topic,
        .message = message,
        .fields = fields,
        .count = count,
    };

    if (log_state.format != LOG_FORMAT_TEXT)
        read_context(&record.context);
    if (log_state.format == LOG_FORMAT_JSON)
        write_json(&record);
    else if (log_state.format != LOG_FORMAT_JOURNAL || log_journal_send(&record) < 0)
        write_text(&record);
    atomic_fetch_add_explicit(&log_state.lines[level], 1, memory_order_relaxed);
}

void log_fields(int level, const char *topic, const char *message, const struct log_field *fields,
                size_t count)
{
    if (is_wanted(level))
        log_write(level, topic, message, fields, count);
}

void log_event(int level, const char *topic, const char *message, ...)
{
    struct log_field fields[LOG_FIELDS_MAX];
    size_t count = 0;
    const char *key;
    va_list args;

    if (!is_wanted(level))
        return;
    va_start(args, message);
    while (count < LOG_FIELDS_MAX && (key = va_arg(args, const char *)))
        fields[count++] = LOG_TEXT(key, va_arg(args, const char *));
    va_end(args);
    log_write(level, topic, message, fields, count);
}

void log_detail(int level, const char *topic, const char *message, const char *format, ...)
{
    char detail[DETAIL_MAX];
    va_list args;

    if (!is_wanted(level))
        return;
    va_start(args, format);
    vsnprintf(detail, sizeof(detail), format, args);
    va_end(args);
    log_write(level, topic, message, &LOG_TEXT("detail", detail), 1);
}

size_t log_json_start(int level, const char *topic, char *out, size_t size)
{
    return log_json_head(
        &(struct log_record){
            .level = level,
            .program = log_state.program,
            .instance = log_state.instance,
            .topic = topic,
        },
        out, size);
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
