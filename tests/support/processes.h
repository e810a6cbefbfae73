/*
 * processes.h - this machine's processes from /proc.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PROCESSES_H
#define ATRIUM_TESTS_SUPPORT_PROCESSES_H

#include <sys/resource.h>
#include <sys/types.h>

#include "common/runtime/confine.h"

/* Counts the descendants of `ancestor` (0: all) with the text on their command line, and stores up
 * to `max` in ret, which can be NULL with 0. */
size_t processes_with(const char *text, pid_t ancestor, pid_t *ret, size_t max);

/* Returns a number of /proc/<pid>/status ("VmHWM:" in KiB), or -1. */
long process_status(pid_t pid, const char *name);

/* Returns the next descriptor's number; a limit of that number leaves the process none. */
rlim_t process_lowest_descriptor(pid_t pid);

bool processes_confined(enum confine_means means);

#endif
