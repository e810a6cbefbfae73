/*
 * processes.h - the processes of this machine, as /proc shows them.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PROCESSES_H
#define ATRIUM_TESTS_SUPPORT_PROCESSES_H

#include <sys/resource.h>
#include <sys/types.h>

#include "common/runtime/confine.h"

/* How many processes have the text on their command line and descend from `ancestor` (0: from any);
 * at most `max` of them are written to ret, which may be NULL with 0. */
size_t processes_with(const char *text, pid_t ancestor, pid_t *ret, size_t max);

/* A line of /proc/<pid>/status as a number ("VmHWM:" in KiB); -1 when there is none. */
long process_status(pid_t pid, const char *name);

/* The number that the next descriptor of the process gets: a limit of so many leaves it none. */
rlim_t process_lowest_descriptor(pid_t pid);

/* Whether this means confines programs here. */
bool processes_confined(enum confine_means means);

#endif
