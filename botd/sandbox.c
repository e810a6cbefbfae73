/*
 * sandbox.c - see sandbox.h.  Called by program.c and provider_apertium.c.
 */
#include "botd/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"

enum {
    PROGRAM_FD = 3, /* where bubblewrap reads the file from */
    ENDING_MAX = 256,
    RUN_PROCESSES =
        64, /* of a run: the program's 32, bubblewrap's own, and those that become one of them */
    RUN_MEMORY = 2, /* times that of a process: a run with all its processes and its /tmp */
};

struct sandbox {
    struct loop *loop;
    struct cgroups *groups;
    struct ending *endings; /* what was killed and has not ended yet */
    size_t ending;
};

struct ending {
    struct ending *next;
    struct sandbox *sandbox;
    struct sandboxed sandboxed;
};

#define SANDBOX_UID "65534" /* nobody: root must not be the user whose processes are counted */

/* Between the wrapper, if any, and the limits: bubblewrap's own arguments. The file is copied in, so that no path
 * to it need be open to the sandbox's user. */
static const char *const bubblewrap[] = {
    "bwrap",
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--disable-userns",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--setenv",
    "HOME",
    "/tmp",
    "--ro-bind",
    "/usr",
    "/usr",
    "--symlink",
    "usr/bin",
    "/bin",
    "--symlink",
    "usr/sbin",
    "/sbin",
    "--symlink",
    "usr/lib",
    "/lib",
    "--symlink",
    "usr/lib64",
    "/lib64",
    "--ro-bind-try",
    "/etc/alternatives",
    "/etc/alternatives",
    "--ro-bind-try",
    "/etc/ld.so.cache",
    "/etc/ld.so.cache",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--size",
    "16777216",
    "--tmpfs",
    "/tmp",
    "--perms",
    "0555",
    "--ro-bind-data",
    "3", /* PROGRAM_FD */
    "/bot/program",
    "--chdir",
    "/tmp",
    "--remount-ro",
    "/",
    "prlimit",
    "--nproc=32", /* counted in the namespace alone, hence set within it */
};
static const char *const bare[] = {"prlimit"};
static const char *const limited[] = {"--stack=1048576", "--fsize=16777216", "--nofile=256",
                                      "--core=0"};
/* From here on it runs when nobody else wants to, which it cannot undo. Not before it is a process of its own: we
 * ourselves are stopped until then. */
static const char *const idle[] = {"chrt", "--idle", "0"};
/* Enters the group whose file comes next. The kernel locks all groups while it moves a process, and one that gets only
 * the CPU time that nobody else wants from the middle of its own move on may keep that lock for seconds: we, and whoever
 * else starts or ends a group, would wait for it. Hence a child that stays outside moves it. */
static const char *const grouped[] = {"sh", "-c", "(echo $$ >\"$0\") && exec \"$@\""};
/* It ends with us from its first moment on; bubblewrap sees to that later. */
static const char *const mortal[] = {"setpriv", "--pdeathsig", "KILL"};
static const char *const unprivileged[] = {"--reuid",   SANDBOX_UID,      "--regid",
                                           SANDBOX_UID, "--clear-groups", "--no-new-privs"};

enum {
    ARGUMENTS_MAX = ARRAY_SIZE(grouped) + ARRAY_SIZE(mortal) + ARRAY_SIZE(unprivileged) +
                    ARRAY_SIZE(idle) + ARRAY_SIZE(bubblewrap) + ARRAY_SIZE(limited) + 5
};

struct sandbox *sandbox_new(struct loop *loop, struct cgroups *groups)
{
    struct sandbox *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("sandbox", "out of memory");
    *self = (struct sandbox){.loop = loop, .groups = groups};
    return self;
}

int sandbox_open(const char *directory, const char *program, struct program_version *ret_version,
                 struct error *err)
{
    int folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
    struct stat status;

    if (folder >= 0) {
        fd = openat(folder, program, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        close(folder);
    }
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        *ret_version = (struct program_version){
            .modified_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec,
            .size = status.st_size};
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return error_set(err, ERR_NOT_FOUND, "The bot's program is not installed.");
}

static size_t put(const char **argv, size_t count, const char *const *more, size_t more_count)
{
    memcpy(argv + count, more, more_count * sizeof(*more));
    return count + more_count;
}

/* `entry` is the file of its group, or NULL; `text` is room for what is not constant. */
static void compose(const struct sandbox_limits *limits, const char *entry, char text[static 80],
                    const char *argv[static ARGUMENTS_MAX])
{
    size_t count = 0;
    char *memory = text + 40;

    snprintf(text, 40, "--cpu=%" PRId64, limits->cpu_s);
    snprintf(memory, 40, "--data=%" PRId64, limits->memory);
    if (entry) {
        count = put(argv, count, grouped, ARRAY_SIZE(grouped));
        argv[count++] = entry;
    }
    count = put(argv, count, mortal, ARRAY_SIZE(mortal));
    if (geteuid() == 0)
        count = put(argv, count, unprivileged, ARRAY_SIZE(unprivileged));
    if (!limits->trusted)
        count = put(argv, count, idle, ARRAY_SIZE(idle));
    count = limits->bare ? put(argv, count, bare, ARRAY_SIZE(bare))
                         : put(argv, count, bubblewrap, ARRAY_SIZE(bubblewrap));
    count = put(argv, count, limited, ARRAY_SIZE(limited));
    argv[count++] = text;
    argv[count++] = memory;
    argv[count++] = limits->bare ? "/proc/self/fd/3" /* PROGRAM_FD */ : "/bot/program";
    argv[count] = NULL;
}

static int spawn(int program_fd, const struct sandbox_limits *limits, const char *entry,
                 const int in[2], const int out[2], pid_t *ret)
{
    const char *argv[ARGUMENTS_MAX];
    char text[80], path[40];
    char locale[] = "LANG=C.UTF-8", search[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    char *const environment[] = {locale, search, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    int rc;

    compose(limits, entry, text, argv);
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_init(&attributes);
    /* A session without a terminal. bubblewrap's --new-session would take the first process of the namespace out of the
     * group that sandbox_kill() ends before that process has tied itself to its parent. */
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    /* last: it may take the number of one of the pipes */
    posix_spawn_file_actions_adddup2(&actions, program_fd, PROGRAM_FD);
    if (limits->heard)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    /* looked for in the usual place only */
    snprintf(path, sizeof(path), "/usr/bin/%s", argv[0]);
    rc = posix_spawn(ret, path, &actions, &attributes, (char *const *)(uintptr_t)argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return rc;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* With `entry` NULL in no group. Returns an errno. */
static int start(int program_fd, const struct sandbox_limits *limits, const char *entry,
                 struct sandboxed *ret)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, rc;
    pid_t pid = 0;

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        rc = errno;
    else
        rc = spawn(program_fd, limits, entry, in, out, &pid);
    close_fd(&in[0]);
    close_fd(&out[1]);
    if (rc == 0) {
        *ret = (struct sandboxed){
            .pidfd = pidfd_open(pid, 0), .group = pid, .in = in[1], .out = out[0]};
        fcntl(in[1], F_SETFL, O_NONBLOCK);
        fcntl(out[0], F_SETFL, O_NONBLOCK);
        if (ret->pidfd >= 0)
            return 0;
        rc = errno;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    close_fd(&in[1]);
    close_fd(&out[0]);
    return rc;
}

int sandbox_start(struct sandbox *self, int program_fd, const struct sandbox_limits *limits,
                  struct sandboxed *ret, struct error *err)
{
    bool grouped_too = self->groups && !limits->trusted;
    char entry[CGROUP_PATH_SIZE];
    uint64_t run = 0;
    int rc;

    if (self->ending >= ENDING_MAX)
        return error_retry(err, ERR_OVERLOADED, 1, "Too many bots are running. Try again.");
    if (grouped_too &&
        cgroup_make(self->groups, RUN_MEMORY * limits->memory, RUN_PROCESSES, &run, entry, err) < 0)
        return -1;
    rc = start(program_fd, limits, grouped_too ? entry : NULL, ret);
    if (rc == 0) {
        ret->run = run;
        return 0;
    }
    if (grouped_too)
        cgroup_end(self->groups, run);
    error_retry(err, ERR_UNAVAILABLE, 1, "The bot cannot be started.");
    return error_detail(err, "%s", strerror(rc));
}

bool sandbox_ended(const struct sandboxed *sandboxed)
{
    struct pollfd end = {.fd = sandboxed->pidfd, .events = POLLIN};

    return poll(&end, 1, 0) > 0;
}

int sandbox_reap(struct sandboxed *sandboxed)
{
    siginfo_t info = {0};
    int rc;

    do
        rc = waitid(P_PIDFD, (id_t)sandboxed->pidfd, &info, WEXITED);
    while (rc < 0 && errno == EINTR);
    close_fd(&sandboxed->pidfd);
    close_fd(&sandboxed->in);
    close_fd(&sandboxed->out);
    return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

static void ending_done(struct ending *self)
{
    struct ending **link = &self->sandbox->endings;

    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    self->sandbox->ending--;
    (void)sandbox_reap(&self->sandboxed);
    free(self);
}

static void on_end(void *arg, short events UNUSED)
{
    struct ending *self = arg;

    loop_unwatch(self->sandbox->loop, self->sandboxed.pidfd);
    ending_done(self);
}

void sandbox_kill(struct sandbox *self, struct sandboxed *sandboxed)
{
    struct ending *ending;

    if (self->groups)
        cgroup_end(self->groups, sandboxed->run);
    sandboxed->run = 0;
    if (sandboxed->pidfd < 0)
        return;
    /* What bubblewrap has forked by now but not yet tied to itself is in its process group. It is not reaped yet: the
     * number is still its own. */
    kill(-sandboxed->group, SIGKILL);
    (void)pidfd_send_signal(sandboxed->pidfd, SIGKILL, NULL, 0);
    close_fd(&sandboxed->in);
    close_fd(&sandboxed->out);
    ending = calloc(1, sizeof(*ending));
    if (!ending)
        log_die("sandbox", "out of memory");
    *ending = (struct ending){.next = self->endings, .sandbox = self, .sandboxed = *sandboxed};
    self->endings = ending;
    self->ending++;
    loop_watch(self->loop, ending->sandboxed.pidfd, ZMQ_POLLIN, on_end, ending);
    *sandboxed = (struct sandboxed){.pidfd = -1, .in = -1, .out = -1};
}

void sandbox_destroy(struct sandbox **self_p)
{
    struct sandbox *self = *self_p;

    if (!self)
        return;
    while (self->endings)
        on_end(self->endings, 0); /* waits */
    free(self);
    *self_p = NULL;
}
