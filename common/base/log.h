/*
 * log.h - one line per event on stderr, or one entry in the systemd journal.
 *
 *   text     "<priority>program=... instance=... topic=... msg="..." key=value", as journald reads
 *   json     ts (RFC 3339, UTC, ms), level, service, instance, topic, msg, request_id, trace_id,
 *            span_id, then the event's members
 *   journal  sd_journal_send(3): MESSAGE is the text line, ATRIUM_<KEY> its members
 *
 * Never log passwords, tokens, email addresses, names or document content. Libraries do not log:
 * the caller at the boundary logs a failure once.
 */
#ifndef ATRIUM_COMMON_BASE_LOG_H
#define ATRIUM_COMMON_BASE_LOG_H

#include <syslog.h>

#include "common/base/base.h"

enum log_format {
    /* journal when stderr leads to it ($JOURNAL_STREAM), otherwise text with "ts=" */
    LOG_FORMAT_AUTO,
    LOG_FORMAT_TEXT,
    LOG_FORMAT_JSON,
    LOG_FORMAT_JOURNAL,
};

void log_open(const char *program, const char *instance, int level);
void log_set_level(int level);

enum log_format log_format_from(const char *word);

/* Call it before the first thread starts; the default is text. */
void log_set_format(enum log_format format);

enum log_format log_format(void);

/* The request or task that is running, for lines that do not name theirs. */
struct log_context {
    const char *request_id;
    char trace_id[33], span_id[17]; /* lowercase hex */
};

/* Sets this thread's fn(arg, ret), which fills a zeroed context for json and journal lines. */
void log_set_context(void (*fn)(void *arg, struct log_context *ret), void *arg);

/* A NULL text leaves the member out unless it is a number. */
struct log_field {
    const char *key, *text;
    int64_t number;
    bool is_number;
};
#define LOG_TEXT(key_, text_) ((struct log_field){.key = (key_), .text = (text_)})
#define LOG_NUMBER(key_, number_) \
    ((struct log_field){.key = (key_), .number = (number_), .is_number = true})

/* `topic` is the part of the program; key "trace" is a request id. */
void log_fields(int level, const char *topic, const char *message, const struct log_field *fields,
                size_t count);

/* Writes at any level, for a log with its own switch. */
void log_write(int level, const char *topic, const char *message, const struct log_field *fields,
               size_t count);

enum { LOG_FIELDS_MAX = 24 };

/* log_fields() with pairs of key and value, then NULL. A NULL value skips its pair. */
void log_event(int level, const char *topic, const char *message, ...) __attribute__((sentinel));

void log_detail(int level, const char *topic, const char *message, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Writes a text line's priority and, without a journal, time. Returns the length. */
size_t log_text_start(int level, char *out, size_t size);

/* Writes a json line up to "topic", without the closing brace. */
size_t log_json_start(int level, const char *topic, char *out, size_t size);

/* Counts lines at `level` or more urgent: unit tests fail on undeclared warnings. */
uint64_t log_count(int level);

/* Aborts. Only for broken invariants and exhausted memory. */
void log_die(const char *topic, const char *message) NORETURN;

#endif
