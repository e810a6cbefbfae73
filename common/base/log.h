/*
 * log.h - one line per event on stderr, or one entry in the journal of systemd.
 *
 *   text     "<priority>program=... instance=... topic=... msg="..." key=value": journald reads the
 *            <N>
 *   json     one object a line: ts (RFC 3339, UTC, ms), level, service, instance, topic, msg,
 *            request_id, trace_id, span_id, then the event's own members
 *   journal  sd_journal_send(3): MESSAGE is the text line, ATRIUM_<KEY> are its members as fields
 *
 * Keys are fixed words.  No password, token, e-mail address, personal name or document content is
 * ever logged, in no format; struct secret has no formatter on purpose.  Libraries do not log: a
 * failure is logged once, at the boundary.
 */
#ifndef ATRIUM_COMMON_BASE_LOG_H
#define ATRIUM_COMMON_BASE_LOG_H

#include <syslog.h>

#include "common/base/base.h"

enum log_format {
    /* the journal when stderr is connected to it ($JOURNAL_STREAM), else text with "ts=" */
    LOG_FORMAT_AUTO,
    LOG_FORMAT_TEXT,
    LOG_FORMAT_JSON,
    LOG_FORMAT_JOURNAL,
};

/* Sets the program, the instance and the least urgent level written. Call once. */
void log_open(const char *program, const char *instance, int level);
void log_set_level(int level);

/* From "auto", "text", "json" or "journal"; another word is text. */
enum log_format log_format_from(const char *word);

/* Text until it is called. Before the first thread starts. */
void log_set_format(enum log_format format);

/* The format in force: never LOG_FORMAT_AUTO. */
enum log_format log_format(void);

/* What the running work is, for lines that do not say so themselves; empty texts are left out. */
struct log_context {
    const char *request_id;
    char trace_id[33], span_id[17]; /* lowercase hex */
};

/* fn(arg, ret) fills a zeroed context for each json and journal line of this thread; NULL: none. */
void log_set_context(void (*fn)(void *arg, struct log_context *ret), void *arg);

/* A member of an event. text NULL: the member is left out, unless it is a number. */
struct log_field {
    const char *key, *text;
    int64_t number;
    bool is_number;
};
#define LOG_TEXT(key_, text_) ((struct log_field){.key = (key_), .text = (text_)})
#define LOG_NUMBER(key_, number_) \
    ((struct log_field){.key = (key_), .number = (number_), .is_number = true})

/* Writes the event. `topic` names the part of the program; "trace" is the key of a request's id. */
void log_fields(int level, const char *topic, const char *message, const struct log_field *fields,
                size_t count);

/* The same whatever the level of the log is, for a log that has a switch of its own. */
void log_write(int level, const char *topic, const char *message, const struct log_field *fields,
               size_t count);

/* log_fields() with texts alone: pairs of key and value ended by NULL, at most LOG_FIELDS_MAX; a
 * NULL value skips its pair. */
enum { LOG_FIELDS_MAX = 24 };
void log_event(int level, const char *topic, const char *message, ...) __attribute__((sentinel));

/* printf-like for a single free value under key "detail". */
void log_detail(int level, const char *topic, const char *message, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* The start of a text line now: priority and, where no journal adds it, the time. Its length. */
size_t log_text_start(int level, char *out, size_t size);

/* The start of a json line now, up to its "topic" member and without the brace at the end. */
size_t log_json_start(int level, const char *topic, char *out, size_t size);

/* Lines written so far at `level` or more urgent: unit tests fail on an undeclared warning. */
uint64_t log_count(int level);

/* Writes an EMERG line and aborts: for broken invariants and exhausted memory only. */
void log_die(const char *topic, const char *message) NORETURN;

#endif
