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

/* Arranges the group that we are in, which must be ours alone: writable, with its controllers
 * memory and pids; or makes that of version 1. To be called before we have started anything. Fails,
 * with nothing changed: ERR_UNAVAILABLE, whose message says to the operator why. */
int cgroups_open(struct cgroups **ret, struct error *err) MUST_USE;

/* Removes groups whose botd was killed, and those of runs that have gone since they were ended.
 * From time to time. */
void cgroups_sweep(struct cgroups *self);

/* All runs must have ended. */
void cgroups_destroy(struct cgroups **self_p);

/* Makes the group of a run: bytes of memory and processes at most. Who writes "0" to the file at
 * `ret_entry` is in it. Returns its number, 0 when it is not a group of its own. Fails:
 * ERR_OVERLOADED (too many that were ended have not gone yet), ERR_UNAVAILABLE. */
int cgroup_make(struct cgroups *self, int64_t memory, int64_t processes, uint64_t *ret_run,
                char ret_entry[static CGROUP_PATH_SIZE], struct error *err) MUST_USE;

/* Kills all that is in it; number 0: none. The group goes when they are gone. */
void cgroup_end(struct cgroups *self, uint64_t run);

#endif
