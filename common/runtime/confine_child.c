/*
 * confine_child.c - the forked keeper and program; see confine.h.
 *
 * Only system calls until exec, because the parent has threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/runtime/confine_private.h"

enum {
    HIGH_FD = 16, /* above the program's numbers */
    EXEC_FAILED = 127,
    WATCH_MS = 50,
    KILLED_MS = 10, /* polling interval after a kill */
};

static NORETURN void fail(const struct confine_plan *plan, const char *step)
{
    struct confine_report report = {.error = errno};

    memcpy(report.step, step, MIN(strlen(step), sizeof(report.step) - 1));
    if (write(plan->report, &report, sizeof(report)) < 0)
        _exit(EXEC_FAILED);
    _exit(EXEC_FAILED);
}

/* Moves descriptors in two steps, since a target number can be in use. */
static void take_descriptors(const struct confine_plan *plan)
{
    const int given[] = {plan->program->in, plan->program->out, plan->program->err,
                         plan->own_fd >= 0 ? plan->own_fd : plan->program->fd, plan->filter_fd};
    int high[ARRAY_SIZE(given)];

    for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
        high[i] = given[i] >= 0 ? fcntl(given[i], F_DUPFD_CLOEXEC, HIGH_FD) : -1;
        if (high[i] < 0 && given[i] >= 0)
            fail(plan, "descriptors");
    }
    for (int i = 0; i < (int)ARRAY_SIZE(given); i++) {
        if (high[i] < 0 && i <= STDERR_FILENO)
            high[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (high[i] >= 0 && dup2(high[i], i) < 0)
            fail(plan, "descriptors");
    }
    close_range((unsigned)(plan->filter_fd >= 0 ? CONFINE_FILTER_FD : CONFINE_PROGRAM_FD) + 1, ~0u,
                CLOSE_RANGE_CLOEXEC);
}

static void limit(const struct confine_plan *plan, __rlimit_resource_t what, int64_t value)
{
    const struct rlimit both = {(rlim_t)value, (rlim_t)value};

    if (value > 0 && setrlimit(what, &both) < 0)
        fail(plan, "limits");
}

static void take_limits(const struct confine_plan *plan)
{
    const struct rlimit none = {0, 0};

    limit(plan, RLIMIT_STACK, CONFINE_STACK);
    limit(plan, RLIMIT_FSIZE, plan->rules->file_size ? plan->rules->file_size : CONFINE_FILE_SIZE);
    limit(plan, RLIMIT_NOFILE, CONFINE_FILES);
    limit(plan, RLIMIT_CPU, plan->rules->cpu_s);
    limit(plan, RLIMIT_DATA, plan->rules->memory);
    limit(plan, RLIMIT_AS, plan->rules->memory ? CONFINE_ADDRESSES : 0);
    limit(plan, RLIMIT_NPROC, plan->tasks);
    if (setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_MSGQUEUE, &none) < 0)
        fail(plan, "limits");
}

/* Changes the uid. In a container that has only uid 0, the program keeps that, without
 * privileges. */
static void take_uid(const struct confine_plan *plan)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    const struct __user_cap_data_struct none[2] = {{0}};
    struct __user_cap_data_struct held[2] = {{0}};

    if (plan->uid != 0 && setgroups(0, NULL) == 0 &&
        setresgid(plan->uid, plan->uid, plan->uid) == 0 &&
        setresuid(plan->uid, plan->uid, plan->uid) < 0 && errno != EINVAL)
        fail(plan, "uid");
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    /* A unit that forbids capset() leaves no capability to drop. */
    if (!confine_is_bubblewrap(plan->means) && syscall(SYS_capset, &header, none) < 0 &&
        (syscall(SYS_capget, &header, held) < 0 || held[0].permitted || held[1].permitted))
        fail(plan, "capabilities");
}

static void take_filter(const struct confine_plan *plan)
{
    /* bubblewrap does that itself; if it is setuid, it must not be done before. */
    if (!confine_is_bubblewrap(plan->means) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        fail(plan, "no_new_privs");
    if (plan->ruleset >= 0 && syscall(SYS_landlock_restrict_self, plan->ruleset, 0) < 0)
        fail(plan, "landlock");
    if (!confine_is_bubblewrap(plan->means) &&
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, plan->filter) < 0)
        fail(plan, "seccomp");
}

static NORETURN void become_program(const struct confine_plan *plan, pid_t keeper, int go)
{
    static const struct confine_report started;
    static const struct sched_param least;
    sigset_t none;
    char byte;

    while (read(go, &byte, 1) < 0 && errno == EINTR)
        ;
    setsid();
    take_descriptors(plan);
    if (!confine_is_bubblewrap(plan->means))
        take_limits(plan);
    take_uid(plan);
    /* Join a new keyring; a kernel or container without keys has none to share. */
    (void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
    /* After the change of uid, which clears it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper)
        _exit(EXEC_FAILED);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    take_filter(plan);
    /* The caller waits for this report: the rest can take long on a busy machine. */
    if (write(plan->report, &started, sizeof(started)) < 0)
        _exit(EXEC_FAILED);
    if (plan->rules->idle)
        sched_setscheduler(0, SCHED_IDLE, &least);
    execve(plan->path, (char *const *)(uintptr_t)plan->argv,
           (char *const *)(uintptr_t)plan->environment);
    _exit(EXEC_FAILED);
}

static void enter_group(const char *procs, pid_t pid)
{
    char text[16];
    int fd = open(procs, O_WRONLY | O_CLOEXEC), length = snprintf(text, sizeof(text), "%d", pid);

    /* A program that cannot enter its control group has only its per-process limits. */
    if (fd >= 0 && write(fd, text, (size_t)length) < 0)
        kill(pid, SIGKILL);
    if (fd >= 0)
        close(fd);
}

/* Starts the program. The keeper moves it to its control group, because moving a process locks all
 * groups, for seconds if that process is idle. */
static pid_t start_program(const struct confine_plan *plan)
{
    pid_t keeper = getpid(), pid;
    int go[2];

    if (pipe2(go, O_CLOEXEC) < 0)
        fail(plan, "pipe");
    /* above the program's numbers */
    go[0] = fcntl(go[0], F_DUPFD_CLOEXEC, HIGH_FD);
    pid = fork();
    if (pid < 0)
        fail(plan, "fork");
    if (pid == 0) {
        close(go[1]);
        become_program(plan, keeper, go[0]);
    }
    if (plan->program->cgroup)
        enter_group(plan->program->cgroup, pid);
    return pid; /* the program continues when the pipe closes */
}

/* Kills the rest of the group before its number is reused. */
static void kill_all(pid_t program)
{
    kill(-program, SIGKILL);
    kill(program, SIGKILL); /* if it has no group yet */
}

/* Reaps ended processes. Returns false if the program was one. */
static bool reap(pid_t program, int *ret_status)
{
    siginfo_t info;

    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
            return true;
        if (info.si_pid == program)
            kill_all(program);
        waitpid(info.si_pid, NULL, 0);
        if (info.si_pid == program) {
            *ret_status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
            return false;
        }
    }
}

/* Waits for the program's orphans, which were killed but can take a while. */
static void await_others(void)
{
    const struct timespec pause = {.tv_nsec = KILLED_MS * 1000000L};
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0)
        if (pid == 0) {
            confine_watch_kill();
            nanosleep(&pause, NULL);
        }
}

NORETURN void confine_keeper(const struct confine_plan *plan)
{
    const struct timespec tick = {.tv_nsec = WATCH_MS * 1000000L};
    const int64_t most = plan->rules->memory_all;
    sigset_t heard;
    pid_t program;
    int status = 0;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != plan->caller)
        _exit(EXEC_FAILED);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_NAME, "confine", 0, 0, 0);
    program = start_program(plan);
    close_range(0, ~0u, 0);
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    sigaddset(&heard, SIGTERM);
    while (reap(program, &status)) {
        int signal = sigtimedwait(&heard, NULL, most ? &tick : NULL);

        if (signal == SIGTERM || (signal < 0 && most && confine_watch_memory(most) > most))
            kill_all(program);
    }
    await_others();
    _exit(status);
}
