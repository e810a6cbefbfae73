/*
 * daemon_log.h - the log files of a running suite. Daemons log after they act, so searches wait.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DAEMON_LOG_H
#define ATRIUM_TESTS_SUPPORT_DAEMON_LOG_H

#include "tests/support/suite.h"

/* Calls fn for each line, with its newline, of all instances of a daemon, or of all daemons if
 * `daemon` is NULL. Returns false if there is no log. */
bool daemon_log_each(const struct suite *suite, const char *daemon,
                     void (*fn)(void *arg, const char *line), void *arg);

size_t daemon_log_count(const struct suite *suite, const char *daemon, const char *text);

/* Waits up to 10 s for this many lines with the text, then fails the test. */
void daemon_log_wait(const struct suite *suite, const char *daemon, const char *text, size_t count);

/* Waits up to 10 s for a line with all texts (NULL-terminated). Returns NULL if none appears; the
 * caller frees it. */
char *daemon_log_find(const struct suite *suite, const char *daemon, const char *const *texts);
#define DAEMON_LOG_FIND(suite, daemon, ...) \
    daemon_log_find((suite), (daemon), (const char *const[]){__VA_ARGS__, NULL})

#endif
