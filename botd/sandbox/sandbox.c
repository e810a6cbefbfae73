/* sandbox.c - see sandbox.h. */
#include "botd/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/memory.h"

enum {
    ENDING_MAX = 256,
    PROCESSES = 32,
    RUN_PROCESSES = 64, /* processes of a run, including bubblewrap's */
    RUN_MEMORY = 2,     /* times a process's memory, including /tmp */
    COPY_SIZE = 64 * 1024,
};

static const struct {
    const char *setting;
    enum confine_means means[CONFINE_MEANS_COUNT];
} choices[] = {
    {"auto", {CONFINE_BUBBLEWRAP, CONFINE_BUBBLEWRAP_BARE, CONFINE_KERNEL, CONFINE_LIMITS}},
    {"bubblewrap", {CONFINE_BUBBLEWRAP, CONFINE_BUBBLEWRAP_BARE, CONFINE_LIMITS}},
    {"bubblewrap-bare", {CONFINE_BUBBLEWRAP_BARE, CONFINE_LIMITS}},
    {"kernel", {CONFINE_KERNEL, CONFINE_LIMITS}},
};

struct sandbox {
    struct loop *loop;
    struct cgroups *groups;
    struct confine *confine;
    const enum confine_means *allowed;
    enum confine_means means; /* CONFINE_LIMITS: none works */
    struct ending *endings;   /* killed, but not ended */
    size_t ending;
};

struct ending {
    struct ending *next;
    struct sandbox *sandbox;
    struct sandboxed sandboxed;
};

/* ---- the means ---- */

const enum confine_means *sandbox_allowed(const struct sandbox *self)
{
    return self->allowed;
}

enum confine_means sandbox_means(const struct sandbox *self)
{
    return self->means;
}

const char *sandbox_name(const struct sandbox *self)
{
    return self->means == CONFINE_LIMITS ? "none" : confine_means_names[self->means];
}

void sandbox_use(struct sandbox *self, enum confine_means means)
{
    self->means = means;
}

/* An inconclusive trial counts as working. */
static bool works(struct sandbox *self, enum confine_means means)
{
    struct error err;

    error_init(&err, NULL);
    return confine_try(self->confine, means, &err) == 0 || err.code == ERR_DEADLINE;
}

struct sandbox *sandbox_new(struct loop *loop, struct cgroups *groups, const char *setting)
{
    struct sandbox *self = memory_new(sizeof(*self));

    *self = (struct sandbox){
        .loop = loop, .groups = groups, .confine = confine_new(), .allowed = choices[0].means};
    for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
        if (strcmp(choices[i].setting, setting) == 0)
            self->allowed = choices[i].means;
    self->means = self->allowed[0];
    for (size_t i = 1; self->means != CONFINE_LIMITS && !works(self, self->means); i++)
        self->means = self->allowed[i];
    return self;
}

/* ---- starting ---- */

int sandbox_open(const char *directory, const char *program, struct program_version *ret_version,
                 struct error *err)
{
    int folder = -1, fd = -1;
    struct stat status;

    /* openat() would take "/x" from the root, and "../x" from the parent folder. */
    if (!strchr(program, '/'))
        folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
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

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Copies a program, so that other users can read and execute it. -1 with errno. */
static int copy_program(int from)
{
    int copy = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    off_t at = 0;
    ssize_t size = 1;

    while (copy >= 0 && size > 0)
        size = sendfile(copy, from, &at, COPY_SIZE);
    if (copy >= 0 &&
        (size < 0 ||
         fcntl(copy, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0))
        close_fd(&copy);
    return copy;
}

/* `why` can be err's own detail. */
static int refuse(struct error *err, const char *why)
{
    char detail[sizeof(err->detail)];

    snprintf(detail, sizeof(detail), "%s", why);
    error_retry(err, ERR_UNAVAILABLE, 1,
                "The bot can't be started right now. Please try again later.");
    return error_detail(err, "%s", detail);
}

static int start(struct sandbox *self, enum confine_means means,
                 const struct sandbox_limits *limits, int fd, int in, int out, const char *entry,
                 struct sandboxed *ret, struct error *err)
{
    static const char *const argv[] = {"program", NULL};
    const struct confine_rules rules = {
        .memory = limits->memory,
        .memory_all = limits->trusted || ret->run ? 0 : RUN_MEMORY * limits->memory,
        .cpu_s = limits->cpu_s,
        .processes = PROCESSES,
        .idle = !limits->trusted,
    };
    const struct confine_program program = {.fd = fd,
                                            .argv = argv,
                                            .in = in,
                                            .out = out,
                                            .err = limits->heard     ? out
                                                   : limits->err > 0 ? limits->err
                                                                     : -1,
                                            .cgroup = entry};

    if (confine_start(self->confine, means, &rules, &program, &ret->confined, err) < 0)
        return refuse(err, err->detail);
    fcntl(ret->in, F_SETFL, O_NONBLOCK);
    fcntl(ret->out, F_SETFL, O_NONBLOCK);
    return 0;
}

static int start_piped(struct sandbox *self, int program_fd, const struct sandbox_limits *limits,
                       const char *entry, struct sandboxed *ret, struct error *err)
{
    enum confine_means means = limits->means ? *limits->means : self->means;
    bool copied = means == CONFINE_KERNEL || means == CONFINE_LIMITS;
    int in[2] = {-1, -1}, out[2] = {-1, -1}, copy = copied ? copy_program(program_fd) : -1, rc;

    if ((copied && copy < 0) || pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) {
        rc = refuse(err, strerror(errno));
    } else {
        ret->in = in[1];
        ret->out = out[0];
        rc = start(self, means, limits, copied ? copy : program_fd, in[0], out[1], entry, ret, err);
    }
    if (rc < 0) {
        close_fd(&in[1]);
        close_fd(&out[0]);
    }
    close_fd(&in[0]);
    close_fd(&out[1]);
    close_fd(&copy);
    return rc;
}

int sandbox_start(struct sandbox *self, int program_fd, const struct sandbox_limits *limits,
                  struct sandboxed *ret, struct error *err)
{
    bool grouped = self->groups && !limits->trusted;
    char entry[CGROUP_PATH_SIZE];

    *ret = (struct sandboxed){.confined.pidfd = -1, .in = -1, .out = -1};
    if (self->ending >= ENDING_MAX)
        return error_retry(err, ERR_OVERLOADED, 1, "Too many bots are running. Try again.");
    if (self->means == CONFINE_LIMITS && !limits->means && !limits->trusted)
        return refuse(err, "nothing confines it");
    if (grouped && cgroup_make(self->groups, RUN_MEMORY * limits->memory, RUN_PROCESSES, &ret->run,
                               entry, err) < 0)
        return -1;
    if (start_piped(self, program_fd, limits, grouped ? entry : NULL, ret, err) == 0)
        return 0;
    if (grouped)
        cgroup_end(self->groups, ret->run);
    return -1;
}

bool sandbox_ended(const struct sandboxed *sandboxed)
{
    return confine_ended(&sandboxed->confined);
}

int sandbox_reap(struct sandbox *self, struct sandboxed *sandboxed)
{
    close_fd(&sandboxed->in);
    close_fd(&sandboxed->out);
    return confine_reap(self->confine, &sandboxed->confined);
}

static void ending_done(struct ending *self)
{
    struct ending **link = &self->sandbox->endings;

    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    self->sandbox->ending--;
    (void)sandbox_reap(self->sandbox, &self->sandboxed);
    free(self);
}

static void on_end(void *arg, short events UNUSED)
{
    struct ending *self = arg;

    loop_unwatch(self->sandbox->loop, self->sandboxed.confined.pidfd);
    ending_done(self);
}

void sandbox_kill(struct sandbox *self, struct sandboxed *sandboxed)
{
    struct ending *ending;

    if (self->groups)
        cgroup_end(self->groups, sandboxed->run);
    sandboxed->run = 0;
    if (sandboxed->confined.pidfd < 0)
        return;
    confine_kill(&sandboxed->confined);
    close_fd(&sandboxed->in);
    close_fd(&sandboxed->out);
    ending = memory_new(sizeof(*ending));
    *ending = (struct ending){.next = self->endings, .sandbox = self, .sandboxed = *sandboxed};
    self->endings = ending;
    self->ending++;
    loop_watch(self->loop, ending->sandboxed.confined.pidfd, ZMQ_POLLIN, on_end, ending);
    *sandboxed = (struct sandboxed){.confined.pidfd = -1, .in = -1, .out = -1};
}

void sandbox_destroy(struct sandbox **self_p)
{
    struct sandbox *self = *self_p;

    if (!self)
        return;
    while (self->endings)
        on_end(self->endings, 0);
    confine_destroy(&self->confine);
    free(self);
    *self_p = NULL;
}
