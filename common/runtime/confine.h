/*
 * confine.h - runs untrusted programs confined: image decoders, program bots, pipelines.
 *
 * The program has three descriptors and the files of /usr and of the rules. It has no network,
 * foreign process, capability, new privilege or keyring. Further descriptors arrive over a UNIX
 * socket among the three.
 *
 *   bubblewrap  own namespaces: /proc (except CONFINE_BUBBLEWRAP_BARE), writable /tmp and
 *               /dev/shm in memory, 16 MiB each
 *   kernel      without namespaces, as in most containers: Landlock (only /dev/null is writable,
 *               /proc unreadable). setsid() and setpgid() have no effect, so that the process group
 *               has all processes. A root caller's program gets its own uid; other callers' cannot
 *               use kill() before Linux 6.12. stat() still shows that a path exists.
 *
 * Both filter system calls: unlisted ones answer ENOSYS, socket() EAFNOSUPPORT; socketpair() is for
 * AF_UNIX streams and seqpackets; shared anonymous and growing mappings fail with ENOMEM, so memory
 * is private (RLIMIT_DATA) or a file of bounded size. A keeper, a child without descriptors, reaps
 * the program's children. It kills all when the program or caller ends or after confine_kill(), and
 * ends with the program's status. A readable pidfd means that nothing is left.
 */
#ifndef ATRIUM_COMMON_RUNTIME_CONFINE_H
#define ATRIUM_COMMON_RUNTIME_CONFINE_H

#include <sys/types.h>

#include "common/base/error.h"

enum confine_means {
    CONFINE_BUBBLEWRAP,
    /* without /proc: the kernel refuses to mount one where parts of the caller's are covered */
    CONFINE_BUBBLEWRAP_BARE,
    CONFINE_KERNEL,
    /* only limits, uid and filter, for the operator's programs: they read files and, unless the
     * caller is root, write what the caller can */
    CONFINE_LIMITS,
    CONFINE_MEANS_COUNT
};

/* "bubblewrap", "bubblewrap without /proc", "landlock", "limits" */
extern const char *const confine_means_names[CONFINE_MEANS_COUNT];

struct confine_rules {
    const char *const *read; /* additional files and directories; NULL-ended, or NULL */
    int64_t memory;          /* bytes of private writable memory per process */
    /* resident bytes of all processes: the keeper checks every 50 ms and kills all above; 0:
     * limited by a control group or not at all */
    int64_t memory_all;
    int64_t file_size; /* bytes per file; 0: 16 MiB */
    int64_t cpu_s;     /* CPU seconds per process; 0: no limit */
    int64_t processes; /* includes threads */
    bool idle;         /* uses only idle CPU time */
};

struct confine_program {
    /* ELF or script, reusable. bubblewrap copies it; otherwise others need execute permission, as
     * for a memfd. A script sees /proc/self/fd/3. */
    int fd;
    const char *const *argv; /* NULL-ended, with argv[0] */
    int in, out, err;        /* descriptors 0, 1, 2; -1: /dev/null. Can be equal. Borrowed */
    const char *cgroup;      /* cgroup.procs to enter, or NULL */
};

struct confined {
    int pidfd; /* readable when nothing is left; -1: none */
    pid_t pid;
    size_t slot; /* index of the program's uid */
};

struct confine;

/* Never fails. If this machine can't confine programs, confine_start() fails. */
struct confine *confine_new(void);
void confine_destroy(struct confine **self_p);

/* Starts a program; blocks 1 to 2 ms. Borrows argv and rules until it returns. The kernel kills the
 * program when the calling thread ends. ERR_UNAVAILABLE has the kernel's reason (bubblewrap without
 * namespaces only exits, see confine_try()). */
int confine_start(struct confine *self, enum confine_means means, const struct confine_rules *rules,
                  const struct confine_program *program, struct confined *ret,
                  struct error *err) MUST_USE;

/* Kills the program and its children, without waiting. Harmless after the end. */
void confine_kill(const struct confined *confined);

bool confine_ended(const struct confined *confined);

/* Waits for the end. Returns the exit status, or 128 + signal. */
int confine_reap(struct confine *self, struct confined *confined);

/* Tests this means with an empty script; blocks at most 5 s. Fails: ERR_UNAVAILABLE (reason for the
 * operator), ERR_DEADLINE (machine too busy). */
int confine_try(struct confine *self, enum confine_means means, struct error *err) MUST_USE;

#endif
