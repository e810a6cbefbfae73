/*
 * cgroup.h - control groups for programs, in the part of the tree that botd received (systemd:
 * Delegate=). Version 2:
 *
 *   <base>/botd        botd itself, so that its sibling groups can have limits
 *   <base>/runs        all programs: idle CPU time, and three quarters of botd's memory
 *   <base>/runs/<n>    a run with all its forks: its memory, its processes, its end
 *
 * With version 1 programs share one group with idle CPU time, and have only per-process limits.
 */
#ifndef ATRIUM_BOTD_SANDBOX_CGROUP_H
#define ATRIUM_BOTD_SANDBOX_CGROUP_H

#include "common/base/base.h"
#include "common/base/error.h"

struct cgroups;

enum { CGROUP_PATH_SIZE = 320 };

/* Prepares botd's group, which must be writable, contain only botd, and have the controllers memory
 * and pids; or one of version 1. Call it before starting a process. ERR_UNAVAILABLE: nothing was
 * changed. */
int cgroups_open(struct cgroups **ret, struct error *err) MUST_USE;

/* Removes groups of killed botds and ended runs. */
void cgroups_sweep(struct cgroups *self);

/* All runs must have ended. */
void cgroups_destroy(struct cgroups **self_p);

/* Makes a group. A process joins by writing "0" to `ret_entry`. *ret_run 0: no group.
 * ERR_OVERLOADED: too many ended groups remain; ERR_UNAVAILABLE. */
int cgroup_make(struct cgroups *self, int64_t memory, int64_t processes, uint64_t *ret_run,
                char ret_entry[static CGROUP_PATH_SIZE], struct error *err) MUST_USE;

/* Kills all processes of a run's group; run 0: none. */
void cgroup_end(struct cgroups *self, uint64_t run);

#endif
