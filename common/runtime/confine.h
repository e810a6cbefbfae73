/*
 * confine.h - starting a program where it can do no harm: docd's decoder of images, botd's program
 * bots and pipelines.
 *
 * A confined program has its three descriptors and nothing else of the caller: no other file but
 * those of the system (/usr, read and executed) and what the rules name, no network, no process
 * outside its own, no capability, no new privilege, a session keyring of its own. Descriptors that
 * it needs later are sent over a UNIX socket handed to it as one of the three (SCM_RIGHTS). Two
 * means lead there:
 *
 *   bubblewrap  namespaces of its own: a /proc of its own (but see CONFINE_BUBBLEWRAP_BARE), /tmp
 *               and /dev/shm in memory, 16 MiB each, writable
 *   kernel      where namespaces are forbidden, as in most containers: Landlock for files, so
 *               nothing is writable but /dev/null and nothing of /proc is readable; setsid() and
 *               setpgid() succeed without effect, so its process group is all of it; when the
 *               caller is root, a uid of its own (else the caller's uid, where a kernel before 6.12
 *               also refuses kill()). stat() still tells that a path exists.
 *
 * Both have a seccomp filter: system calls that it does not list answer ENOSYS (keyrings, io_uring,
 * userfaultfd, bpf, perf, ptrace, mounts, namespaces, memfd_create, System V IPC), socket()
 * EAFNOSUPPORT, socketpair() makes stream and seqpacket pairs of AF_UNIX, and mmap() refuses shared
 * anonymous and growing mappings with ENOMEM: memory is then private, counted by RLIMIT_DATA, or a
 * file of bounded size.
 *
 * Each program has a keeper, a child of the caller that keeps no descriptor: it reaps whatever the
 * program forked, kills all of that when the program ends, when the caller does, or by
 * confine_kill(), and then ends itself with the program's status. When its pidfd is readable
 * nothing is left. The caller never waits for it.
 */
#ifndef ATRIUM_COMMON_RUNTIME_CONFINE_H
#define ATRIUM_COMMON_RUNTIME_CONFINE_H

#include <sys/types.h>

#include "common/base/error.h"

enum confine_means {
    CONFINE_BUBBLEWRAP,
    /* without /proc: where parts of the caller's own are covered, the kernel mounts none */
    CONFINE_BUBBLEWRAP_BARE,
    CONFINE_KERNEL,
    /* limits, uid and filter alone, for the operator's programs: they read files and, unless the
     * caller is root, write what it can */
    CONFINE_LIMITS,
    CONFINE_MEANS_COUNT
};

/* "bubblewrap", "bubblewrap without /proc", "landlock", "limits" */
extern const char *const confine_means_names[CONFINE_MEANS_COUNT];

struct confine_rules {
    const char *const
        *read;      /* files and directories it may read besides; NULL-ended, or NULL for none */
    int64_t memory; /* bytes of private writable memory of each process */
    /* resident bytes of all its processes; the keeper looks every 50 ms and kills all above; 0: a
     * control group, or nothing, bounds them */
    int64_t memory_all;
    int64_t file_size; /* bytes of each file that it writes; 0: 16 MiB */
    int64_t cpu_s;     /* seconds of CPU time of each process; 0: its own business */
    int64_t processes; /* threads count; as uid 0 or as another user */
    bool idle;         /* it gets the CPU time that nothing else wants */
};

struct confine_program {
    /* the executable, ELF or script, for any number of starts. bubblewrap copies it; else others
     * must be allowed to execute it (a memfd is). A script sees /proc/self/fd/3. */
    int fd;
    const char *const *argv; /* NULL-ended, with argv[0] */
    int in, out, err;   /* its descriptors 0, 1, 2; -1: /dev/null. Two may be the same. Borrowed. */
    const char *cgroup; /* path of a cgroup.procs file that it is entered in; NULL: none */
};

struct confined {
    int pidfd; /* readable when all has ended; -1: none */
    pid_t pid;
    size_t slot; /* of its uid */
};

struct confine;

/* Never fails; a means that is missing shows in confine_start(). */
struct confine *confine_new(void);

void confine_destroy(struct confine **self_p);

/* argv and rules are borrowed until it returns; blocks 1 to 2 ms. The kernel kills the program when
 * the calling thread ends. Fails: ERR_UNAVAILABLE; the detail has the kernel's refusal (a
 * bubblewrap without namespaces only exits, see confine_try()). */
int confine_start(struct confine *self, enum confine_means means, const struct confine_rules *rules,
                  const struct confine_program *program, struct confined *ret,
                  struct error *err) MUST_USE;

/* Makes its keeper kill it with all that it forked. Does not wait. Harmless when it has ended. */
void confine_kill(const struct confined *confined);

bool confine_ended(const struct confined *confined);

/* Waits for its end. Returns the exit status, or 128 + the signal. */
int confine_reap(struct confine *self, struct confined *confined);

/* Whether this means works: runs an empty script, blocking 5 s at most, at a daemon's start. Fails:
 * ERR_UNAVAILABLE (the reason, for the operator), ERR_DEADLINE (the machine was too busy). */
int confine_try(struct confine *self, enum confine_means means, struct error *err) MUST_USE;

#endif
