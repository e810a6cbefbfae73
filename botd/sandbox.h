/*
 * sandbox.h - starting the file of a program bot where it can do no harm.
 *
 * bubblewrap gives it namespaces of its own: no network, no other process, a read-only system without /home, /var or
 * /run, a small private /tmp, no capability. Each process has limits of memory and CPU time, 16 MiB a file, and 32
 * processes together; they get the CPU time that nobody else wants. Where we have control groups, it has one of its own,
 * which limits the memory of all its processes together. What it forked dies with it, and all of it with us.
 */
#ifndef ATRIUM_BOTD_SANDBOX_H
#define ATRIUM_BOTD_SANDBOX_H

#include <sys/types.h>

#include "botd/cgroup.h"
#include "common/loop.h"

/* Where programs are started. */
struct sandbox;

struct sandbox_limits {
    int64_t cpu_s, memory; /* seconds and bytes of each process */
    bool trusted;          /* it has its share of the CPU and no group of its own */
    /* Without namespaces, for the operator's own programs where the kernel makes none: limits and, when we are root, a
     * user without rights are all that holds it. It should end when its stdin does, which is all that a death of ours
     * tells what it forked. */
    bool bare;
    bool heard; /* stderr goes where stdout does, instead of nowhere */
};

/* A program that was started; its ends of both pipes do not block. */
struct sandboxed {
    int pidfd;
    uint64_t run; /* number of its control group; 0: none */
    pid_t group;  /* of a bare one, to be killed together; else 0 */
    int in, out;  /* its stdin and stdout; -1: closed */
};

/* Which state of a file a process was started from. */
struct program_version {
    int64_t modified_ns, size;
};

/* The groups are borrowed; NULL: none. */
struct sandbox *sandbox_new(struct loop *loop, struct cgroups *groups);

/* Waits for what was killed. */
void sandbox_destroy(struct sandbox **self_p);

/* Opens `program` of the directory for reading. ERR_NOT_FOUND when there is no such regular file; one that leads
 * elsewhere (a symbolic link) is none. Returns a descriptor. */
int sandbox_open(const char *directory, const char *program, struct program_version *ret_version,
                 struct error *err) MUST_USE;

/* Starts the opened program. Must be called on the loop's thread, whose end ends it. Fails: ERR_UNAVAILABLE when the
 * process cannot be made (that bubblewrap itself may not make namespaces shows as an exit only, see programs_check());
 * ERR_OVERLOADED when too many that were killed have not ended yet. */
int sandbox_start(struct sandbox *self, int program_fd, const struct sandbox_limits *limits,
                  struct sandboxed *ret, struct error *err) MUST_USE;

/* Its pidfd is readable: it can be reaped. */
bool sandbox_ended(const struct sandboxed *sandboxed);

/* Kills it with all that it forked, or what is left of that. Does not wait for its end, which may take a while where
 * others want the CPU. -1 fields are fine; all are -1 afterwards. */
void sandbox_kill(struct sandbox *self, struct sandboxed *sandboxed);

/* Reaps one that has ended, and returns its exit status; 128 + the signal that ended it. It is still to be killed. */
int sandbox_reap(struct sandboxed *sandboxed);

#endif
