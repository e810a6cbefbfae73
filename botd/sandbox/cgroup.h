/*
 * cgroup.h - control groups for what botd starts, in the part of the tree that it was given
 * (systemd: Delegate=).
 *
 *   <ours>/botd        we ourselves, so that the groups beside us can have limits
 *   <ours>/runs        all programs: they get CPU time that others leave, and three quarters
 *                      of our memory
 *   <ours>/runs/<n>    one of them with all that it forked: its memory, its processes, and its end
 *
 * That is version 2. Where root still has the controller of version 1 for CPU time, programs share
 * a group of it that gets what others leave, and have no other limits than those of their
 * processes.
 */
#ifndef ATRIUM_BOTD_SANDBOX_CGROUP_H
#define ATRIUM_BOTD_SANDBOX_CGROUP_H

#include "common/base/base.h"
#include "common/base/error.h"

struct cgroups;

enum { CGROUP_PATH_SIZE = 320 };

/* Prepares botd's group, which must be writable, botd's alone, with the controllers memory and
 * pids; or one of version 1. Call it before starting anything. ERR_UNAVAILABLE, with nothing
 * changed and the reason for the operator. */
int cgroups_open(struct cgroups **ret, struct error *err) MUST_USE;

/* Removes groups of killed botds and of ended runs. Call it from time to time. */
void cgroups_sweep(struct cgroups *self);

/* All runs must have ended. */
void cgroups_destroy(struct cgroups **self_p);

/* Makes the group of a run with these limits. A process joins by writing "0" to `ret_entry`.
 * Returns its number, 0 without a group. ERR_OVERLOADED: too many ended groups are left;
 * ERR_UNAVAILABLE. */
int cgroup_make(struct cgroups *self, int64_t memory, int64_t processes, uint64_t *ret_run,
                char ret_entry[static CGROUP_PATH_SIZE], struct error *err) MUST_USE;

/* Kills everything in it; number 0: none. The group is removed once it is empty. */
void cgroup_end(struct cgroups *self, uint64_t run);

#endif
