/* log_private.h - what the files of the log share; no other file includes it. */
#ifndef ATRIUM_COMMON_BASE_LOG_PRIVATE_H
#define ATRIUM_COMMON_BASE_LOG_PRIVATE_H

#include "common/base/log.h"

/* Sizes of a line, newline included. Small enough for the stack of a fiber. */
enum { LOG_TEXT_MAX = 2048, LOG_JSON_MAX = 3072 };

struct log_record {
    int level;
    const char *program, *instance; /* instance: "" without one */
    const char *topic, *message;
    const struct log_field *fields;
    size_t count;
    struct log_context context;
};

enum { LOG_TIME_SIZE = 25 };
void log_time(char ret[static LOG_TIME_SIZE]);

/* Without priority and newline, at most `size` bytes and not ended by NUL; the length. */
size_t log_text_write(const struct log_record *record, char *out, size_t size);

/* A whole object without newline; what does not fit is cut and marked "truncated". size is
 * LOG_JSON_MAX at least. */
size_t log_json_write(const struct log_record *record, char *out, size_t size);

/* The members of every line: "{", ts to "topic" and no brace behind them. The length. */
size_t log_json_head(const struct log_record *record, char *out, size_t size);

bool log_journal_is_stderr(void);

/* Sends the record as an entry with fields. -1: the journal cannot be reached. */
int log_journal_send(const struct log_record *record) MUST_USE;

#endif
