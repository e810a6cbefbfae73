/*
 * sandbox.h - starting the file of a program bot where it can do no harm.
 *
 * What a program cannot do, and by which means, is confine.h's: it sees a read-only system without
 * /home, /var or /run, no network and no other process. Each process has limits of memory and CPU
 * time, 16 MiB a file, and 32 processes together; they get the CPU time that nothing else wants.
 * All processes of a run together have twice the memory of one: by a control group of their own
 * where there are some, else by the run's keeper. What it forked dies with it, and all of it with
 * botd.
 */
#ifndef ATRIUM_BOTD_SANDBOX_SANDBOX_H
#define ATRIUM_BOTD_SANDBOX_SANDBOX_H

#include <sys/types.h>

#include "botd/sandbox/cgroup.h"
#include "common/runtime/confine.h"
#include "common/runtime/loop.h"

struct sandbox;

struct sandbox_limits {
    int64_t cpu_s, memory; /* seconds and bytes of each process */
    /* normal CPU share, no group, no total memory limit */
    bool trusted;
    bool heard;                      /* stderr goes where stdout does, instead of nowhere */
    int err;                         /* or to this descriptor, borrowed; 0: none */
    const enum confine_means *means; /* to be tried; NULL: the one in use */
};

/* A started program; its ends of both pipes do not block. */
struct sandboxed {
    struct confined confined;
    uint64_t run; /* number of its control group; 0: none */
    int in, out;  /* its stdin and stdout; -1: closed */
};

/* Which state of a file a process was started from. */
struct program_version {
    int64_t modified_ns, size;
};

/* Chooses by trial (20 ms) the first working means of the setting ("auto", "bubblewrap",
 * "bubblewrap-bare", "kernel"). The groups are borrowed; NULL: none. */
struct sandbox *sandbox_new(struct loop *loop, struct cgroups *groups, const char *setting);

/* Waits for killed processes. */
void sandbox_destroy(struct sandbox **self_p);

/* Opens a regular file of the directory for reading and returns the descriptor. ERR_NOT_FOUND; a
 * symbolic link that leads elsewhere counts as none. */
int sandbox_open(const char *directory, const char *program, struct program_version *ret_version,
                 struct error *err) MUST_USE;

/* What the setting allows, the best first; ended by CONFINE_LIMITS. */
const enum confine_means *sandbox_allowed(const struct sandbox *self);

/* Confines programs by this means from now on. CONFINE_LIMITS: only trusted programs start. */
void sandbox_use(struct sandbox *self, enum confine_means means);
enum confine_means sandbox_means(const struct sandbox *self);

/* Its name; "none" for CONFINE_LIMITS. */
const char *sandbox_name(const struct sandbox *self);

/* Starts the opened program, on the loop's thread, whose end ends it. ERR_UNAVAILABLE: no process
 * (a bubblewrap without namespaces shows as an exit, see programs_check()); ERR_OVERLOADED: too
 * many killed ones have not ended. */
int sandbox_start(struct sandbox *self, int program_fd, const struct sandbox_limits *limits,
                  struct sandboxed *ret, struct error *err) MUST_USE;

/* Its pidfd is readable: it can be reaped. */
bool sandbox_ended(const struct sandboxed *sandboxed);

/* Kills it and everything it forked, without waiting. Ignores -1 fields; all are -1 afterwards. */
void sandbox_kill(struct sandbox *self, struct sandboxed *sandboxed);

/* Reaps an ended one; returns its exit status, or 128 + signal. sandbox_kill() is still needed. */
int sandbox_reap(struct sandbox *self, struct sandboxed *sandboxed);

#endif
