/*
 * confine_filter.c - a confined program's system calls; see confine.h. Others answer ENOSYS, as on
 * an older kernel, so that libraries fall back.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/runtime/confine_private.h"

#define NAMESPACES                                                                                \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
     CLONE_NEWNET)
#define MAP_KIND (MAP_TYPE | MAP_ANONYMOUS | MAP_GROWSDOWN)
#define SOCKET_KIND 0xf /* type of a socket, without its flags */

static const char *const always[] = {
    /* files */
    "access", "chdir", "close", "close_range", "copy_file_range", "creat", "dup", "dup2", "dup3",
    "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fdatasync", "fgetxattr",
    "flistxattr", "flock", "fstat", "fstatfs", "fsync", "ftruncate", "getcwd", "getdents",
    "getdents64", "getxattr", "lgetxattr", "link", "linkat", "listxattr", "llistxattr", "lseek",
    "lstat", "mkdir", "mkdirat", "mknod", "mknodat", "newfstatat", "pread64", "preadv", "preadv2",
    "pwrite64", "pwritev", "pwritev2", "read", "readahead", "readlink", "readlinkat", "readv",
    "rename", "renameat", "renameat2", "rmdir", "sendfile", "splice", "stat", "statfs", "statx",
    "symlink", "symlinkat", "sync_file_range", "tee", "umask", "unlink", "unlinkat", "write",
    "writev",
    /* waiting */
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "eventfd", "eventfd2", "pipe", "pipe2", "poll", "ppoll", "pselect6", "select", "signalfd",
    "signalfd4", "timerfd_create", "timerfd_gettime", "timerfd_settime",
    /* passed sockets, and pairs */
    "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmmsg", "recvmsg", "sendmmsg",
    "sendmsg", "sendto", "setsockopt", "shutdown",
    /* memory */
    "brk", "get_mempolicy", "madvise", "membarrier", "mlock", "mlock2", "mprotect", "mremap",
    "mseal", "msync", "munlock", "munmap",
    /* processes and threads */
    "arch_prctl", "capget", "execve", "execveat", "exit", "exit_group", "fork", "futex",
    "futex_requeue", "futex_wait", "futex_waitv", "futex_wake", "get_robust_list", "getcpu",
    "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp", "getpid", "getppid",
    "getpriority", "getresgid", "getresuid", "getrlimit", "getrusage", "getsid", "gettid", "getuid",
    "prctl", "rseq", "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity",
    "sched_getattr", "sched_getparam", "sched_getscheduler", "sched_rr_get_interval", "sched_yield",
    "set_robust_list", "set_tid_address", "setrlimit", "vfork", "wait4", "waitid",
    /* signals and time */
    "alarm", "clock_getres", "clock_gettime", "clock_nanosleep", "getitimer", "gettimeofday",
    "nanosleep", "pause", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
    "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "setitimer", "sigaltstack", "time",
    "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime", "times",
    /* the system */
    "getrandom", "sysinfo", "uname"};

/* Allowed only within bubblewrap: Landlock does not cover these, or only in recent versions. */
static const char *const private_files[] = {"chmod",     "fchmod",    "fchmodat", "fchmodat2",
                                            "truncate",  "utimensat", "utime",    "utimes",
                                            "futimesat", "setpgid",   "setsid",   "chown",
                                            "fchown",    "fchownat",  "lchown"};

static const char *const signals[] = {"kill", "tgkill", "tkill", "rt_sigqueueinfo",
                                      "rt_tgsigqueueinfo"};

/* Succeed without effect, so that the process group still has all processes to kill. */
static const char *const grouping[] = {"setpgid", "setsid"};

/* Sets all four members, because clang warns of the one that SCMP_CMP64() leaves out. */
#define WHEN(argument, mask, value)               \
    {                                             \
        argument, SCMP_CMP_MASKED_EQ, mask, value \
    }
#define EQUALS(argument, value)         \
    {                                   \
        argument, SCMP_CMP_EQ, value, 0 \
    }

/* Conditions of a call; one matching row allows it. */
static const struct condition {
    const char *call;
    unsigned count;
    struct scmp_arg_cmp what[2];
} conditions[] = {
    {"clone", 1, {WHEN(0, NAMESPACES, 0)}},
    /* Access mode 3 grants no access but ioctl() and, with O_TRUNC, truncation. */
    {"open", 1, {WHEN(1, O_ACCMODE | O_TRUNC, O_RDONLY)}},
    {"open", 1, {WHEN(1, O_ACCMODE, O_WRONLY)}},
    {"open", 1, {WHEN(1, O_ACCMODE, O_RDWR)}},
    {"openat", 1, {WHEN(2, O_ACCMODE | O_TRUNC, O_RDONLY)}},
    {"openat", 1, {WHEN(2, O_ACCMODE, O_WRONLY)}},
    {"openat", 1, {WHEN(2, O_ACCMODE, O_RDWR)}},
    /* F_SETOWN, F_SETOWN_EX, F_SETSIG and FIOSETOWN (0x8901) make the kernel send signals. */
    {"fcntl", 1, {WHEN(1, 0xfffffff8, F_DUPFD)}}, /* and seven more, to F_SETLKW */
    {"fcntl", 1, {EQUALS(1, F_GETOWN)}},
    {"fcntl", 1, {EQUALS(1, F_OFD_GETLK)}},
    {"fcntl", 1, {EQUALS(1, F_OFD_SETLK)}},
    {"fcntl", 1, {EQUALS(1, F_OFD_SETLKW)}},
    {"fcntl", 1, {EQUALS(1, F_DUPFD_CLOEXEC)}},
    {"fcntl", 1, {EQUALS(1, F_SETPIPE_SZ)}},
    {"fcntl", 1, {EQUALS(1, F_GETPIPE_SZ)}},
    {"fcntl", 1, {EQUALS(1, F_GET_SEALS)}},
    {"ioctl", 1, {WHEN(1, 0x8000, 0)}},
    {"mmap", 1, {WHEN(3, MAP_TYPE | MAP_GROWSDOWN, MAP_PRIVATE)}},
    {"mmap", 1, {WHEN(3, MAP_KIND, MAP_SHARED)}},
    {"mmap", 1, {WHEN(3, MAP_KIND, MAP_SHARED_VALIDATE)}},
    /* No datagram sockets, which can send to any name. */
    {"socketpair", 2, {EQUALS(0, AF_UNIX), WHEN(1, SOCKET_KIND, SOCK_STREAM)}},
    {"socketpair", 2, {EQUALS(0, AF_UNIX), WHEN(1, SOCKET_KIND, SOCK_SEQPACKET)}},
    /* Only the caller's own limits and priorities. */
    {"prlimit64", 1, {EQUALS(0, 0)}},
    {"prlimit64", 1, {EQUALS(2, 0)}},
    {"sched_setaffinity", 1, {EQUALS(0, 0)}},
    {"sched_setattr", 1, {EQUALS(0, 0)}},
    {"sched_setparam", 1, {EQUALS(0, 0)}},
    {"sched_setscheduler", 1, {EQUALS(0, 0)}},
    {"setpriority", 2, {EQUALS(0, PRIO_PROCESS), EQUALS(1, 0)}},
};

static const struct {
    int error;
    struct condition what;
} refusals[] = {
    {EAFNOSUPPORT, {"socket", 0, {{0}}}},
    {ENOMEM, {"mmap", 1, {WHEN(3, MAP_TYPE | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS)}}},
    {ENOMEM, {"mmap", 1, {WHEN(3, MAP_TYPE | MAP_ANONYMOUS, MAP_SHARED_VALIDATE | MAP_ANONYMOUS)}}},
    {ENOMEM, {"mmap", 1, {WHEN(3, MAP_TYPE | MAP_GROWSDOWN, MAP_PRIVATE | MAP_GROWSDOWN)}}},
};

/* Skips calls unknown to this architecture or library, which no program can make. */
static void add(scmp_filter_ctx filter, uint32_t action, const struct condition *what)
{
    int number = seccomp_syscall_resolve_name(what->call);

    if (number < 0)
        return;
    if (seccomp_rule_add_array(filter, action, number, what->count, what->what) < 0)
        log_die("confine", what->call);
}

static void add_names(scmp_filter_ctx filter, uint32_t action, const char *const *names,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(filter, action, &(struct condition){.call = names[i]});
}

static void add_rules(scmp_filter_ctx filter, enum confine_filter which)
{
    add_names(filter, SCMP_ACT_ALLOW, always, ARRAY_SIZE(always));
    for (size_t i = 0; i < ARRAY_SIZE(conditions); i++)
        add(filter, SCMP_ACT_ALLOW, &conditions[i]);
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
        add(filter, SCMP_ACT_ERRNO((uint32_t)refusals[i].error), &refusals[i].what);
    if (which == CONFINE_FILTER_NAMESPACES)
        add_names(filter, SCMP_ACT_ALLOW, private_files, ARRAY_SIZE(private_files));
    else
        add_names(filter, SCMP_ACT_ERRNO(0), grouping, ARRAY_SIZE(grouping));
    add_names(filter, which == CONFINE_FILTER_SILENT ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ALLOW,
              signals, ARRAY_SIZE(signals));
}

static struct sock_fprog read_back(int fd)
{
    struct sock_fprog program = {0};
    off_t size = lseek(fd, 0, SEEK_END);

    if (size > 0)
        program.filter = malloc((size_t)size);
    if (!program.filter || pread(fd, program.filter, (size_t)size, 0) != size)
        log_die("confine", "out of memory");
    program.len = (unsigned short)((size_t)size / sizeof(*program.filter));
    return program;
}

struct sock_fprog confine_filter_make(enum confine_filter which)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    int fd = memfd_create("filter", MFD_CLOEXEC);
    struct sock_fprog program;

    if (!filter || fd < 0)
        log_die("confine", "out of memory");
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* binary tree */
    add_rules(filter, which);
    if (seccomp_export_bpf(filter, fd) < 0)
        log_die("confine", "the filter of system calls cannot be made");
    seccomp_release(filter);
    program = read_back(fd);
    close(fd);
    return program;
}
