/* log_private.h - private to the log's files. */
#ifndef ATRIUM_COMMON_BASE_LOG_PRIVATE_H
#define ATRIUM_COMMON_BASE_LOG_PRIVATE_H

#include "common/base/log.h"

/* Maximum sizes of a line with newline, small enough for a fiber's stack. */
enum { LOG_TEXT_MAX = 2048, LOG_JSON_MAX = 3072 };

struct log_record {
    int level;
    const char *program, *instance;
    const char *topic, *message;
    const struct log_field *fields;
    size_t count;
    struct log_context context;
};

enum { LOG_TIME_SIZE = 25 };
void log_time(char ret[static LOG_TIME_SIZE]);

/* Writes the line as text, without priority, newline or NUL. */
size_t log_text_write(const struct log_record *record, char *out, size_t size);

/* Writes an object without newline, cut and marked "truncated" if longer than `size`, at least
 * LOG_JSON_MAX. */
size_t log_json_write(const struct log_record *record, char *out, size_t size);

/* Writes "{" and the members ts to "topic". */
size_t log_json_head(const struct log_record *record, char *out, size_t size);

bool log_journal_is_stderr(void);

int log_journal_send(const struct log_record *record) MUST_USE;

#endif
