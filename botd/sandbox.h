/*
 * sandbox.h - starting the file of a program bot where it can do no harm.
 *
 * bubblewrap gives it namespaces of its own: no network, no other process, a read-only system without /home, /var or
 * /run, a small private /tmp, no capability. Each process has limits of memory and CPU time, 16 MiB a file, and 32
 * processes together. What it forked dies with it, and all of it with us.
 */
#ifndef ATRIUM_BOTD_SANDBOX_H
#define ATRIUM_BOTD_SANDBOX_H

#include <sys/types.h>

#include "common/base.h"
#include "common/error.h"

struct sandbox_limits {
    int64_t cpu_s, memory; /* seconds and bytes of each process */
    /* Without namespaces, for the operator's own programs where the kernel makes none: limits and, when we are root, a
     * user without rights are all that holds it. It should end when its stdin does, which is all that a death of ours
     * tells what it forked. */
    bool bare;
    bool heard; /* stderr goes where stdout does, instead of nowhere */
};

/* A program that was started; its ends of both pipes do not block. */
struct sandboxed {
    int pidfd;
    pid_t group; /* of a bare one, to be killed together; else 0 */
    int in, out; /* its stdin and stdout; -1: closed */
};

/* Which state of a file a process was started from. */
struct program_version {
    int64_t modified_ns, size;
};

/* Opens `program` of the directory for reading. ERR_NOT_FOUND when there is no such regular file; one that leads
 * elsewhere (a symbolic link) is none. Returns a descriptor. */
int sandbox_open(const char *directory, const char *program, struct program_version *ret_version,
                 struct error *err) MUST_USE;

/* Starts the opened program. Must be called on the loop's thread, whose end ends
 * it. ERR_UNAVAILABLE when the process cannot be made; that bubblewrap itself may not make namespaces shows as an
 * exit only, see programs_check(). */
int sandbox_start(int program_fd, const struct sandbox_limits *limits, struct sandboxed *ret,
                  struct error *err) MUST_USE;

/* Its pidfd is readable: it can be reaped. */
bool sandbox_ended(const struct sandboxed *self);

/* Kills it with all that it forked, and reaps it. -1 fields are fine; all are -1 afterwards. */
void sandbox_kill(struct sandboxed *self);

/* Reaps one that has ended, and returns its exit status; 128 + the signal that ended it. */
int sandbox_reap(struct sandboxed *self);

#endif
