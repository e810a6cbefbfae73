/*
 * log.h - one line per event on stderr: "<priority>key=value key=value".
 *
 * journald reads the <N> prefix.  Keys are fixed words, values are quoted when they need it and stripped of
 * control characters.  No password, token, e-mail address, personal name or document content is ever logged;
 * struct secret has no formatter on purpose.  Libraries do not log: a failure is logged once, at the boundary.
 */
#ifndef ATRIUM_COMMON_LOG_H
#define ATRIUM_COMMON_LOG_H

#include <syslog.h>

#include "common/base.h"

/* Sets the program name and instance that stand on each line, and the least urgent level written. Call once. */
void log_open(const char *program, const char *instance, int level);
void log_set_level(int level);

/* Writes `msg="..."` and the given pairs: log_event(LOG_INFO, "bus", "peer lost", "peer", "authd.1", NULL).
 * `topic` names the part of the program. Pairs are const char *key, const char *value, ended by NULL; a NULL
 * value skips its pair. */
void log_event(int level, const char *topic, const char *message, ...) __attribute__((sentinel));

/* printf-like for a single free value under key "detail". */
void log_detail(int level, const char *topic, const char *message, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Lines written so far at or above (more urgent than) `level`: unit tests fail on an undeclared warning. */
uint64_t log_count(int level);

/* Writes an EMERG line and aborts: for broken invariants and exhausted memory only. */
void log_die(const char *topic, const char *message) NORETURN;

#endif
