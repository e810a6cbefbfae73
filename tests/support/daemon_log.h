/*
 * daemon_log.h - the log files of a running suite. A daemon writes its line after what it did: the
 * calls that look for one wait.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DAEMON_LOG_H
#define ATRIUM_TESTS_SUPPORT_DAEMON_LOG_H

#include "tests/support/suite.h"

/* Calls fn for each line of all instances of a daemon; NULL: of all daemons. False when there is no
 * such log. The line ends with its newline. */
bool daemon_log_each(const struct suite *suite, const char *daemon,
                     void (*fn)(void *arg, const char *line), void *arg);

/* How many lines have the text. */
size_t daemon_log_count(const struct suite *suite, const char *daemon, const char *text);

/* Waits up to 10 s for at least so many lines with the text; fails the running test else. */
void daemon_log_wait(const struct suite *suite, const char *daemon, const char *text, size_t count);

/* Waits up to 10 s for a line with all of these texts (NULL-ended); caller frees, NULL without
 * one. */
char *daemon_log_find(const struct suite *suite, const char *daemon, const char *const *texts);
#define DAEMON_LOG_FIND(suite, daemon, ...) \
    daemon_log_find((suite), (daemon), (const char *const[]){__VA_ARGS__, NULL})

#endif
