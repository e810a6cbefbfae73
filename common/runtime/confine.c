/* confine.c - the caller's side; see confine.h. */
#include "common/runtime/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/confine_private.h"

enum {
    HIGH_FD = 16,
    LIMITS_MAX = 12,
    LIMIT_SIZE = 40,
    ARGUMENTS_MAX = 128,
    TRY_MS = 5000,
    NO_SLOT = CONFINE_UIDS,
    TRY_MEMORY = 128 * 1024 * 1024,
    FIRST_SCOPED = 6, /* Landlock version that confines signals */
};

struct confine {
    struct sock_fprog filters[CONFINE_FILTER_COUNT];
    int landlock;       /* Landlock's version; 0: none */
    int landlock_error; /* errno if `landlock` is 0 */
    bool uids;          /* each program gets its own uid */
    size_t next;
    unsigned taken[CONFINE_UIDS]; /* programs per uid */
};

const char *const confine_means_names[CONFINE_MEANS_COUNT] = {
    "bubblewrap", "bubblewrap without /proc", "landlock", "limits"};

/* ---- uids ---- */

/* True if root can become these users; a container may map fewer. */
static bool has_uids(void)
{
    FILE *file = geteuid() == 0 ? fopen("/proc/self/uid_map", "re") : NULL;
    unsigned first, outside, count;
    bool found = false;

    while (file && !found && fscanf(file, "%u %u %u", &first, &outside, &count) == 3)
        found = first <= CONFINE_FIRST_UID &&
                (uint64_t)first + count >= (uint64_t)CONFINE_FIRST_UID + CONFINE_UIDS;
    if (file)
        fclose(file);
    return found;
}

static void each_process(void (*fn)(void *arg, uid_t uid, int64_t threads), void *arg)
{
    DIR *processes = opendir("/proc");
    const struct dirent *process;
    struct stat status;
    char path[64];

    while (processes && (process = readdir(processes))) {
        if (process->d_name[0] < '0' || process->d_name[0] > '9')
            continue;
        snprintf(path, sizeof(path), "/proc/%.20s/task", process->d_name);
        if (stat(path, &status) == 0)
            fn(arg, status.st_uid, (int64_t)status.st_nlink - 2);
    }
    if (processes)
        closedir(processes);
}

static void mark_used(void *arg, uid_t uid, int64_t threads UNUSED)
{
    bool *used = arg;

    if (uid >= CONFINE_FIRST_UID && uid < CONFINE_FIRST_UID + CONFINE_UIDS)
        used[uid - CONFINE_FIRST_UID] = true;
}

/* Takes the uids in turn, so that a uid is reused as late as possible. Avoids a uid under which
 * another caller's process runs. */
static size_t take_slot(struct confine *self)
{
    bool used[CONFINE_UIDS] = {false};
    size_t slot = self->next;

    if (!self->uids)
        return NO_SLOT;
    each_process(mark_used, used);
    for (size_t i = 0; i < CONFINE_UIDS && (self->taken[slot] > 0 || used[slot]); i++)
        slot = (slot + 1) % CONFINE_UIDS;
    self->next = (slot + 1) % CONFINE_UIDS;
    self->taken[slot]++;
    return slot;
}

static void give_slot(struct confine *self, size_t slot)
{
    if (slot < CONFINE_UIDS)
        self->taken[slot]--;
}

struct tasks {
    uid_t uid;
    int64_t count;
};

static void count_threads(void *arg, uid_t uid, int64_t threads)
{
    struct tasks *tasks = arg;

    tasks->count += uid == tasks->uid ? threads : 0;
}

/* Counts the user's threads, as RLIMIT_NPROC does. */
static int64_t count_tasks(uid_t uid)
{
    struct tasks tasks = {.uid = uid};

    each_process(count_threads, &tasks);
    return tasks.count;
}

/* ---- what is executed ---- */

struct words {
    const char *argv[ARGUMENTS_MAX];
    size_t count;
    char limits[LIMITS_MAX][LIMIT_SIZE];
    size_t limit_count;
};

static void put(struct words *words, const char *word)
{
    if (words->count + 1 >= ARGUMENTS_MAX)
        log_die("confine", "too many arguments");
    words->argv[words->count++] = word;
    words->argv[words->count] = NULL;
}

static void put_all(struct words *words, const char *const *more)
{
    while (*more)
        put(words, *more++);
}

static void put_limit(struct words *words, const char *name, int64_t value)
{
    char *text = words->limits[words->limit_count++];

    snprintf(text, LIMIT_SIZE, "--%s=%" PRId64, name, value);
    put(words, text);
}

static void put_binding(struct words *words, const char *path)
{
    put(words, "--ro-bind-try");
    put(words, path);
    put(words, path);
}

/* Sets limits within the namespaces, which count processes separately. */
static void put_limits(struct words *words, const struct confine_rules *rules)
{
    put(words, "prlimit");
    put_limit(words, "nproc", rules->processes);
    put_limit(words, "stack", CONFINE_STACK);
    put_limit(words, "fsize", rules->file_size ? rules->file_size : CONFINE_FILE_SIZE);
    put_limit(words, "nofile", CONFINE_FILES);
    put_limit(words, "core", 0);
    put_limit(words, "msgqueue", 0);
    if (rules->cpu_s)
        put_limit(words, "cpu", rules->cpu_s);
    if (rules->memory) {
        put_limit(words, "data", rules->memory);
        put_limit(words, "as", CONFINE_ADDRESSES);
    }
}

/* Copies the file in, so that the program's user needs no access to its path. */
static void put_bubblewrap(struct words *words, enum confine_means means,
                           const struct confine_rules *rules)
{
    static const char *const namespaces[] = {"bwrap",
                                             "--unshare-user",
                                             "--unshare-pid",
                                             "--unshare-net",
                                             "--unshare-ipc",
                                             "--unshare-uts",
                                             "--die-with-parent",
                                             "--cap-drop",
                                             "ALL",
                                             "--setenv",
                                             "HOME",
                                             "/tmp",
                                             NULL};
    static const char *const system[] = {"--ro-bind", "/usr",      "/usr",      "--symlink",
                                         "usr/bin",   "/bin",      "--symlink", "usr/sbin",
                                         "/sbin",     "--symlink", "usr/lib",   "/lib",
                                         "--symlink", "usr/lib64", "/lib64",    NULL};
    static const char *const memory[] = {
        "--dev",    "/dev",         "--size",  "16777216", "--tmpfs",
        "/dev/shm", "--remount-ro", "/dev",    "--size",   "16777216",
        "--tmpfs",  "/tmp",         "--perms", "0555",     "--ro-bind-data",
        "3",        "/bot/program", "--chdir", "/tmp",     "--seccomp",
        "4",        "--remount-ro", "/",       NULL};

    put_all(words, namespaces);
    put_all(words, system);
    put_binding(words, "/etc/alternatives");
    put_binding(words, "/etc/ld.so.cache");
    for (const char *const *path = rules->read; path && *path; path++)
        put_binding(words, *path);
    /* CONFINE_BUBBLEWRAP_BARE leaves these out, because they write below /proc or mount it. The
     * filter forbids namespaces in any case. */
    if (means == CONFINE_BUBBLEWRAP) {
        put(words, "--disable-userns");
        put(words, "--proc");
        put(words, "/proc");
    }
    put_all(words, memory);
    put_limits(words, rules);
    put(words, "/bot/program");
}

static void compose(struct words *words, struct confine_plan *plan)
{
    static const char *const namespaced[] = {"LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin",
                                             NULL};
    /* node resolves the link /proc/self/fd/3, which is no path for a file in memory. */
    static const char *const shared[] = {"LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin",
                                         "HOME=/nonexistent",
                                         "NODE_OPTIONS=--preserve-symlinks-main", NULL};
    bool bubblewrap = confine_is_bubblewrap(plan->means);

    if (bubblewrap) {
        put_bubblewrap(words, plan->means, plan->rules);
        put_all(words, plan->program->argv + 1);
    } else {
        put_all(words, plan->program->argv);
    }
    plan->argv = words->argv;
    plan->path = bubblewrap ? "/usr/bin/bwrap" : "/proc/self/fd/3"; /* CONFINE_PROGRAM_FD */
    plan->environment = bubblewrap ? namespaced : shared;
}

/* ---- starting ---- */

static int refused(struct error *err, const char *what, int error)
{
    error_retry(err, ERR_UNAVAILABLE, 1, "The program cannot be started.");
    return error_detail(err, "%s: %s", what, strerror(error));
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Moves a descriptor above the program's numbers. */
static int raise_fd(int fd)
{
    int raised = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);

    if (fd >= 0)
        close(fd);
    return raised;
}

/* Writes the filter to a pipe, which holds 64 KiB. */
static int filter_pipe(const struct sock_fprog *filter)
{
    size_t size = filter->len * sizeof(*filter->filter);
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -1;
    if (write(ends[1], filter->filter, size) != (ssize_t)size)
        close_fd(&ends[0]);
    close(ends[1]);
    if (ends[0] >= 0)
        fcntl(ends[0], F_SETFL, 0);
    return raise_fd(ends[0]);
}

/* Opens the file again, with an own offset: bubblewrap reads from the offset, which all starts
 * would share otherwise. */
static int reopen(int fd)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return raise_fd(open(path, O_RDONLY | O_CLOEXEC));
}

static int prepare(const struct confine *self, struct confine_plan *plan, struct error *err)
{
    bool bubblewrap = confine_is_bubblewrap(plan->means);
    bool scoped = plan->means == CONFINE_KERNEL && self->landlock >= FIRST_SCOPED;

    plan->filter = &self->filters[bubblewrap                 ? CONFINE_FILTER_NAMESPACES
                                  : scoped || plan->uid != 0 ? CONFINE_FILTER_SHARED
                                                             : CONFINE_FILTER_SILENT];
    plan->tasks = plan->rules->processes + (plan->uid != 0 ? 0 : count_tasks(geteuid()));
    if (plan->means == CONFINE_KERNEL) {
        if (self->landlock == 0)
            return refused(err, "the kernel has no Landlock", self->landlock_error);
        plan->ruleset =
            raise_fd(confine_landlock_make(self->landlock, plan->rules, plan->program->fd));
        if (plan->ruleset < 0)
            return refused(err, "landlock", errno);
    }
    if (bubblewrap && access(plan->path, X_OK) < 0)
        return refused(err, plan->path, errno);
    if (bubblewrap) {
        plan->filter_fd = filter_pipe(plan->filter);
        if (plan->filter_fd < 0)
            return refused(err, "pipe", errno);
        plan->own_fd = reopen(plan->program->fd);
        if (plan->own_fd < 0)
            return refused(err, "program", errno);
    }
    return 0;
}

static int await_report(const struct confined *confined, int report, struct error *err)
{
    struct confine_report said;
    ssize_t size;

    do
        size = read(report, &said, sizeof(said));
    while (size < 0 && errno == EINTR);
    if (size == sizeof(said) && said.error == 0)
        return 0;
    confine_kill(confined);
    if (size != sizeof(said))
        return refused(err, "it ended", ECHILD);
    said.step[sizeof(said.step) - 1] = '\0';
    return refused(err, said.step, said.error);
}

static int launch(const struct confine_plan *plan, struct confined *ret, struct error *err)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all,
                    &before); /* keeps the caller's handlers out of the children */
    ret->pid = fork();
    error = errno;
    if (ret->pid == 0)
        confine_keeper(plan);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (ret->pid < 0)
        return refused(err, "fork", error);
    ret->pidfd = pidfd_open(ret->pid, 0);
    if (ret->pidfd >= 0)
        return 0;
    error = errno;
    kill(ret->pid, SIGTERM);
    waitpid(ret->pid, NULL, 0);
    return refused(err, "pidfd", error);
}

static int start(const struct confine *self, struct confine_plan *plan, struct confined *ret,
                 struct error *err)
{
    struct words words = {.count = 0};
    int report[2] = {-1, -1}, rc = -1;

    compose(&words, plan);
    if (prepare(self, plan, err) < 0)
        return -1;
    if (pipe2(report, O_CLOEXEC) < 0)
        return refused(err, "pipe", errno);
    report[1] = plan->report = raise_fd(report[1]);
    if (launch(plan, ret, err) == 0) {
        close_fd(&report[1]);
        rc = await_report(ret, report[0], err);
    }
    close_fd(&report[0]);
    close_fd(&report[1]);
    return rc;
}

int confine_start(struct confine *self, enum confine_means means, const struct confine_rules *rules,
                  const struct confine_program *program, struct confined *ret, struct error *err)
{
    size_t slot = take_slot(self);
    struct confine_plan plan = {.means = means,
                                .rules = rules,
                                .program = program,
                                .caller = getpid(),
                                .uid = slot == NO_SLOT ? 0 : CONFINE_FIRST_UID + (uid_t)slot,
                                .ruleset = -1,
                                .filter_fd = -1,
                                .own_fd = -1};
    int rc;

    *ret = (struct confined){.pidfd = -1, .slot = slot};
    rc = start(self, &plan, ret, err);
    close_fd(&plan.ruleset);
    close_fd(&plan.filter_fd);
    close_fd(&plan.own_fd);
    if (rc < 0 && ret->pidfd >= 0)
        (void)confine_reap(self, ret);
    else if (rc < 0)
        give_slot(self, slot);
    return rc;
}

/* ---- ending ---- */

void confine_kill(const struct confined *confined)
{
    if (confined->pidfd >= 0)
        (void)pidfd_send_signal(confined->pidfd, SIGTERM, NULL, 0);
}

static bool wait_ended(const struct confined *confined, int timeout_ms)
{
    struct pollfd end = {.fd = confined->pidfd, .events = POLLIN};

    return poll(&end, 1, timeout_ms) > 0;
}

bool confine_ended(const struct confined *confined)
{
    return wait_ended(confined, 0);
}

int confine_reap(struct confine *self, struct confined *confined)
{
    siginfo_t info = {0};
    int rc;

    do
        rc = waitid(P_PIDFD, (id_t)confined->pidfd, &info, WEXITED);
    while (rc < 0 && errno == EINTR);
    close_fd(&confined->pidfd);
    give_slot(self, confined->slot);
    return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

/* ---- test run ---- */

static int tell_why(int status, int said, struct error *err)
{
    char text[160];
    ssize_t size = read(said, text, sizeof(text) - 1);

    text[MAX(size, (ssize_t)0)] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return error_set(err, ERR_UNAVAILABLE, "a trial ends with %d%s%s", status,
                     text[0] != '\0' ? ": " : "", text);
}

static int try_script(struct confine *self, enum confine_means means, int script, const int said[2],
                      struct error *err)
{
    static const char *const argv[] = {"try", NULL};
    const struct confine_rules rules = {.memory = TRY_MEMORY, .cpu_s = 1, .processes = 8};
    const struct confine_program program = {
        .fd = script, .argv = argv, .in = -1, .out = said[1], .err = said[1]};
    struct confined confined;
    bool ended;
    int status;

    if (confine_start(self, means, &rules, &program, &confined, err) < 0)
        return -1;
    ended = wait_ended(&confined, TRY_MS);
    confine_kill(&confined);
    status = confine_reap(self, &confined);
    if (!ended)
        return error_set(err, ERR_DEADLINE, "a trial does not end within %d s", TRY_MS / 1000);
    return status == 0 ? 0 : tell_why(status, said[0], err);
}

int confine_try(struct confine *self, enum confine_means means, struct error *err)
{
    static const char text[] = "#!/bin/sh\nexit 0\n";
    int script = memfd_create("try", MFD_CLOEXEC), said[2] = {-1, -1}, rc;

    if (script < 0 || write(script, text, sizeof(text) - 1) < 0 || lseek(script, 0, SEEK_SET) < 0 ||
        pipe2(said, O_CLOEXEC | O_NONBLOCK) < 0)
        rc = error_set(err, ERR_UNAVAILABLE, "%s", strerror(errno));
    else
        rc = try_script(self, means, script, said, err);
    close_fd(&script);
    close_fd(&said[0]);
    close_fd(&said[1]);
    return rc;
}

/* ---- shared state ---- */

struct confine *confine_new(void)
{
    struct confine *self = memory_new(sizeof(*self));

    for (int i = 0; i < CONFINE_FILTER_COUNT; i++)
        self->filters[i] = confine_filter_make((enum confine_filter)i);
    self->landlock = confine_landlock_version();
    self->landlock_error = errno;
    self->uids = has_uids();
    self->next = (size_t)getpid() % CONFINE_UIDS; /* differs between instances */
    return self;
}

void confine_destroy(struct confine **self_p)
{
    struct confine *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    for (int i = 0; i < CONFINE_FILTER_COUNT; i++)
        free(self->filters[i].filter);
    free(self);
}
