/*
 * supervise.c - see supervise.h. Each child has a pidfd, so libraries can have children of their
 * own.
 */
#include "dev/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"

enum {
    CHILDREN_MAX = 64,
    BACKOFF_FIRST_MS = 200,
    BACKOFF_MAX_MS = 800, /* a restart then takes less than a second */
    SETTLED_MS = 5000,    /* resets a child's failures */
    END_POLL_MS = 5,
    LISTEN_FD = 3, /* sd_listen_fds(3) */
    HIGH_FD = 16,
    EXEC_FAILED = 127,
    LISTEN_TEXT_SIZE = 64,
};

/* After the fork, nothing can be allocated. */
struct environment {
    char **texts;
    char listen_fds[LISTEN_TEXT_SIZE], listen_names[LISTEN_TEXT_SIZE];
    char listen_pid[LISTEN_TEXT_SIZE]; /* filled in by the child */
};

struct child {
    struct supervisor *supervisor;
    struct child_options options;
    struct environment environment;
    pid_t pid; /* 0: down */
    int pidfd; /* -1: down */
    bool once; /* not restarted */
    int status;
    size_t failures;
    int64_t started_at;
    struct loop_timer *restart;
};

struct supervisor {
    struct loop *loop;
    void (*changed)(void *arg);
    void *arg;
    bool retired, interrupted;
    struct child *children[CHILDREN_MAX + 1]; /* NULL-ended */
    size_t count;
};

/* ---- in the child, between fork and exec: only async-signal-safe calls ---- */

static NORETURN void child_fail(const char *what)
{
    dprintf(STDERR_FILENO, "atrium-dev: %s: %s\n", what, strerror(errno));
    _exit(EXEC_FAILED);
}

static void take_descriptors(const struct child_options *options)
{
    int log = open(options->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int sockets[CHILD_SOCKETS_MAX], passed = (int)options->socket_count;

    if (log < 0 || null < 0)
        child_fail(options->log);
    dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    /* High numbers first, so that sockets do not overwrite each other. */
    for (int i = 0; i < passed; i++)
        sockets[i] = fcntl(options->sockets[i], F_DUPFD_CLOEXEC, HIGH_FD);
    for (int i = 0; i < passed; i++)
        dup2(sockets[i], LISTEN_FD + i);
    close_range((unsigned)(LISTEN_FD + passed), ~0u, CLOSE_RANGE_CLOEXEC);
}

static NORETURN void child_exec(const struct child_options *options, pid_t parent,
                                struct environment *environment)
{
    sigset_t none;

    sigemptyset(&none);
    setsid();
    take_descriptors(options);
    if (server_user_become(&options->user) < 0)
        child_fail("cannot switch to another user ID");
    /* Changing credentials clears it. The parent may be dead already. */
    prctl(PR_SET_PDEATHSIG, options->death_signal);
    if (getppid() != parent)
        _exit(EXEC_FAILED);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    snprintf(environment->listen_pid, LISTEN_TEXT_SIZE, "LISTEN_PID=%d", (int)getpid());
    execve(options->argv[0], (char *const *)(uintptr_t)options->argv, environment->texts);
    child_fail(options->argv[0]);
}

/* ---- in the parent ---- */

static bool is_dropped(const char *text)
{
    /* PG* changes libpq's defaults; the others are for this process. */
    static const char *const dropped[] = {"PG", "NOTIFY_SOCKET=", "LISTEN_", "WATCHDOG_"};

    for (size_t i = 0; i < ARRAY_SIZE(dropped); i++) {
        if (strncmp(text, dropped[i], strlen(dropped[i])) == 0)
            return true;
    }
    return false;
}

static void environment_init(struct environment *self, const struct child_options *options)
{
    size_t count = 0, kept = 0;

    while (environ[count])
        count++;
    self->texts = memory_array(count + 4, sizeof(*self->texts));
    for (size_t i = 0; i < count; i++) {
        if (!is_dropped(environ[i]))
            self->texts[kept++] = environ[i];
    }
    if (options->socket_count == 0)
        return;
    snprintf(self->listen_fds, LISTEN_TEXT_SIZE, "LISTEN_FDS=%zu", options->socket_count);
    snprintf(self->listen_names, LISTEN_TEXT_SIZE, "LISTEN_FDNAMES=%s", options->socket_names);
    self->texts[kept++] = self->listen_fds;
    self->texts[kept++] = self->listen_names;
    self->texts[kept++] = self->listen_pid;
}

static void child_restart(void *arg);

static void schedule_restart(struct child *self)
{
    int64_t now = clock_mono_ms(), delay = 0;

    if (now - self->started_at >= SETTLED_MS)
        self->failures = 0;
    if (self->failures > 0)
        delay = self->failures < 3 ? BACKOFF_FIRST_MS << (self->failures - 1) : BACKOFF_MAX_MS;
    self->failures++;
    self->restart = loop_at(self->supervisor->loop, now + delay, child_restart, self);
}

static void on_end(void *arg, short revents UNUSED)
{
    struct child *self = arg;
    struct supervisor *supervisor = self->supervisor;
    int status = 0;

    if (waitpid(self->pid, &status, WNOHANG) != self->pid)
        return;
    loop_unwatch(supervisor->loop, self->pidfd);
    close(self->pidfd);
    self->pidfd = -1;
    self->pid = 0;
    self->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (!self->once && !supervisor->retired)
        schedule_restart(self);
    supervisor->changed(supervisor->arg);
}

static int child_start(struct child *self, struct error *err)
{
    struct environment *environment = &self->environment;
    pid_t parent = getpid(), pid;

    environment_init(environment, &self->options);
    if (self->options.before)
        self->options.before(self->options.before_arg);
    pid = fork();
    if (pid == 0)
        child_exec(&self->options, parent, environment);
    free(environment->texts);
    environment->texts = NULL;
    if (pid < 0)
        return error_set(err, ERR_INTERNAL, "%s: cannot fork: %s", self->options.name,
                         strerror(errno));
    self->pidfd = pidfd_open(pid, 0);
    if (self->pidfd < 0) {
        error_set(err, ERR_INTERNAL, "%s: no pidfd: %s", self->options.name, strerror(errno));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return -1;
    }
    self->pid = pid;
    self->started_at = clock_mono_ms();
    loop_watch(self->supervisor->loop, self->pidfd, ZMQ_POLLIN, on_end, self);
    return 0;
}

static void child_restart(void *arg)
{
    struct child *self = arg;
    struct error err;

    self->restart = NULL;
    error_init(&err, NULL);
    if (self->supervisor->retired)
        return;
    if (child_start(self, &err) < 0) {
        log_event(LOG_ERR, "supervise", err.message, NULL);
        schedule_restart(self);
        return;
    }
    self->supervisor->changed(self->supervisor->arg);
}

struct supervisor *supervisor_new(struct loop *loop, void (*changed)(void *arg), void *arg)
{
    struct supervisor *self = memory_new(sizeof(*self));

    self->loop = loop;
    self->changed = changed;
    self->arg = arg;
    return self;
}

static struct child *child_new(struct supervisor *supervisor, const struct child_options *options)
{
    struct child *self = memory_new(sizeof(*self));

    *self = (struct child){.supervisor = supervisor, .options = *options, .pidfd = -1};
    return self;
}

struct child *supervisor_start(struct supervisor *self, const struct child_options *options,
                               struct error *err)
{
    struct child *child;

    if (self->count == CHILDREN_MAX) {
        error_set(err, ERR_BAD_REQUEST, "more than %d processes", CHILDREN_MAX);
        return NULL;
    }
    child = child_new(self, options);
    if (child_start(child, err) < 0) {
        free(child);
        return NULL;
    }
    self->children[self->count++] = child;
    return child;
}

/* Kills descendants too, because initdb runs servers. They are reparented to this process, which
 * waits for them. */
static void child_kill(struct child *self)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    kill(self->pid, SIGKILL);  /* before setsid() the child leads no group */
    kill(-self->pid, SIGKILL); /* the child is not reaped yet, so no other process has its pid */
    waitpid(self->pid, &self->status, 0);
    while (waitpid(-self->pid, NULL, 0) > 0)
        continue;
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    loop_unwatch(self->supervisor->loop, self->pidfd);
    close(self->pidfd);
}

int supervisor_run(struct supervisor *self, const struct child_options *options, int64_t timeout_ms,
                   int *ret_status, struct error *err)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;
    struct child *child = child_new(self, options);
    int result;

    child->once = true;
    result = child_start(child, err);
    while (result == 0 && child->pid) {
        result = supervisor_pause(self, END_POLL_MS, err);
        if (result == 0 && child->pid && clock_mono_ms() >= deadline)
            result = error_set(err, ERR_DEADLINE, "%s did not stop in time", options->name);
    }
    if (child->pid)
        child_kill(child);
    *ret_status = child->status;
    free(child);
    return result;
}

static int pause_for(struct supervisor *self, int64_t ms, struct error *err)
{
    return fiber_sleep_until(self->loop, clock_mono_ms() + ms, err);
}

int supervisor_pause(struct supervisor *self, int64_t ms, struct error *err)
{
    if (!self->interrupted && pause_for(self, ms, err) < 0)
        return -1;
    return self->interrupted ? error_set(err, ERR_UNAVAILABLE, "stopped before it was ready") : 0;
}

void supervisor_interrupt(struct supervisor *self)
{
    self->interrupted = true;
}

void supervisor_retire(struct supervisor *self)
{
    self->retired = true;
    for (size_t i = 0; i < self->count; i++)
        loop_cancel(self->loop, &self->children[i]->restart);
}

size_t supervisor_signal(struct supervisor *self, const char *name, int signo)
{
    size_t live = 0;

    for (size_t i = 0; i < self->count; i++) {
        struct child *child = self->children[i];

        if (child->pid == 0 || (name && strcmp(name, child->options.name) != 0))
            continue;
        live++;
        if (signo)
            kill(child->pid, signo);
    }
    return live;
}

void supervisor_end(struct supervisor *self, const char *name, int signo, int64_t deadline_mono_ms)
{
    struct error err;

    error_init(&err, NULL);
    supervisor_signal(self, name, signo);
    while (supervisor_signal(self, name, 0) > 0) {
        if (clock_mono_ms() >= deadline_mono_ms) {
            supervisor_signal(self, name, SIGKILL);
            deadline_mono_ms = INT64_MAX; /* nothing survives SIGKILL */
        }
        if (pause_for(self, END_POLL_MS, &err) < 0)
            return;
    }
}

void supervisor_destroy(struct supervisor **self_p)
{
    struct supervisor *self = *self_p;

    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++) {
        loop_cancel(self->loop, &self->children[i]->restart);
        free(self->children[i]);
    }
    free(self);
    *self_p = NULL;
}

pid_t child_pid(const struct child *self)
{
    return self->pid;
}

const char *child_name(const struct child *self)
{
    return self->options.name;
}

const char *child_instance(const struct child *self)
{
    return self->options.instance;
}

const char *child_log(const struct child *self)
{
    return self->options.log;
}

size_t child_failures(const struct child *self)
{
    return self->failures;
}

struct child *const *supervisor_children(const struct supervisor *self)
{
    return self->children;
}
