/*
 * sandbox.h - starts a program bot in confinement (common/runtime/confine.h), without network and
 * other processes. Each process has limits for memory and CPU time, 16 MiB per file and 32
 * processes; a run has twice a process's memory, by control group or keeper. Programs use idle CPU
 * time. Forks die with the program, and all with botd.
 */
#ifndef ATRIUM_BOTD_SANDBOX_SANDBOX_H
#define ATRIUM_BOTD_SANDBOX_SANDBOX_H

#include <sys/types.h>

#include "botd/sandbox/cgroup.h"
#include "common/runtime/confine.h"
#include "common/runtime/loop.h"

struct sandbox;

struct sandbox_limits {
    int64_t cpu_s, memory; /* seconds and bytes per process */
    /* Normal CPU share, no group, no total memory limit. */
    bool trusted;
    bool heard;                      /* stderr goes to stdout instead of nowhere */
    int err;                         /* borrowed descriptor that gets stderr instead; 0: none */
    const enum confine_means *means; /* NULL: the one in use */
};

/* A started program. Its pipe ends do not block. */
struct sandboxed {
    struct confined confined;
    uint64_t run; /* control group; 0: none */
    int in, out;  /* -1: closed */
};

/* The state of a program's file when a process was started. */
struct program_version {
    int64_t modified_ns, size;
};

/* Uses the setting's first means that works in a trial (20 ms). The groups are borrowed; NULL:
 * none. */
struct sandbox *sandbox_new(struct loop *loop, struct cgroups *groups, const char *setting);

/* Waits for killed processes. */
void sandbox_destroy(struct sandbox **self_p);

/* Opens a program's file. ERR_NOT_FOUND: there is none, or it is a symbolic link out of the
 * directory. */
int sandbox_open(const char *directory, const char *program, struct program_version *ret_version,
                 struct error *err) MUST_USE;

/* Returns the allowed means, best first; ends with CONFINE_LIMITS. */
const enum confine_means *sandbox_allowed(const struct sandbox *self);

/* Selects the means for further starts. CONFINE_LIMITS: only trusted programs start. */
void sandbox_use(struct sandbox *self, enum confine_means means);
enum confine_means sandbox_means(const struct sandbox *self);

const char *sandbox_name(const struct sandbox *self);

/* Starts the opened program; it ends with the loop's thread. ERR_UNAVAILABLE: no process;
 * ERR_OVERLOADED: too many killed ones have not ended. */
int sandbox_start(struct sandbox *self, int program_fd, const struct sandbox_limits *limits,
                  struct sandboxed *ret, struct error *err) MUST_USE;

/* True when it can be reaped. */
bool sandbox_ended(const struct sandboxed *sandboxed);

/* Kills it and all forks, without waiting. Sets all fields to -1. */
void sandbox_kill(struct sandbox *self, struct sandboxed *sandboxed);

/* Returns the exit status, or 128 + signal. sandbox_kill() is still needed. */
int sandbox_reap(struct sandbox *self, struct sandboxed *sandboxed);

#endif
