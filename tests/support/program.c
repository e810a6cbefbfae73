/*
 * program.c - see program.h. Streams are anonymous files, because a pipe would block a program
 * whose output the test does not read.
 */
#include "tests/support/program.h"

#include <CUnit/CUnit.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"

enum { RUN_LIMIT_MS = 30000, POLL_US = 5000 };

char *program_path(const char *name)
{
    char self[4096], *path = NULL;
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

    /* Programs are two folders up: build/tests/http/x -> build/bin. */
    self[MAX(size, 0)] = '\0';
    for (int i = 0; i < 3; i++)
        *strrchr(self, '/') = '\0';
    if (asprintf(&path, "%s/bin/%s", self, name) < 0)
        abort();
    return path;
}

static int anonymous_file(const char *content)
{
    int fd = memfd_create("stream", MFD_CLOEXEC);

    if (fd < 0 || write(fd, content, strlen(content)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        abort();
    return fd;
}

/* err: descriptor for stderr, closed here; -1: a file. */
static struct program *start(const char *const *argv, const char *input, int err)
{
    struct program *self = calloc(1, sizeof(*self));
    int in = anonymous_file(input ? input : "");

    self->code = self->terminal = -1;
    self->out = strdup("");
    self->err = strdup("");
    for (int i = 0; i < 2; i++)
        self->files[i] = anonymous_file("");
    self->pid = fork();
    if (self->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        dup2(in, STDIN_FILENO);
        dup2(self->files[0], STDOUT_FILENO);
        dup2(err < 0 ? self->files[1] : err, STDERR_FILENO);
        execv(argv[0], (char **)(uintptr_t)argv);
        _exit(127);
    }
    close(in);
    if (err >= 0)
        close(err);
    return self;
}

struct program *program_start(const char *const *argv, const char *input)
{
    return start(argv, input, -1);
}

/* AddressSanitizer prints one line in each program with fibers, because it does not support them
 * fully; fiber.c informs it. */
static void drop_sanitizer_line(char *text)
{
    char *at = strstr(text, "ASan doesn't fully support makecontext"), *end;

    if (!at || !(end = strchr(at, '\n')))
        return;
    while (at > text && at[-1] != '\n')
        at--;
    memmove(at, end + 1, strlen(end + 1) + 1);
}

static void read_again(char **text, int fd)
{
    struct stat status;
    ssize_t got;

    if (fstat(fd, &status) < 0)
        abort();
    free(*text);
    *text = calloc(1, (size_t)status.st_size + 1);
    got = pread(fd, *text, (size_t)status.st_size, 0);
    (*text)[MAX(got, (ssize_t)0)] = '\0';
    drop_sanitizer_line(*text);
}

static void drain_terminal(const struct program *self)
{
    char bytes[4096];
    ssize_t got;

    while ((got = read(self->terminal, bytes, sizeof(bytes))) > 0)
        if (write(self->files[1], bytes, (size_t)got) != got)
            abort();
}

static void look(struct program *self)
{
    int status;

    if (self->pid > 0 && waitpid(self->pid, &status, WNOHANG) == self->pid) {
        self->pid = 0;
        self->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (self->terminal >= 0)
        drain_terminal(self);
    read_again(&self->out, self->files[0]);
    read_again(&self->err, self->files[1]);
    if (self->pid == 0 && !self->json)
        self->json = json_loads(self->out, 0, NULL);
}

bool program_wait_output(struct program *self, const char *text, int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    for (look(self); !strstr(self->out, text); look(self)) {
        if (self->pid == 0 || clock_mono_ms() > deadline)
            return false;
        usleep(POLL_US);
    }
    return true;
}

bool program_wait_end(struct program *self, int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    for (look(self); self->pid > 0; look(self)) {
        if (clock_mono_ms() > deadline)
            return false;
        usleep(POLL_US);
    }
    return true;
}

void program_destroy(struct program **self_p)
{
    struct program *self = *self_p;

    if (!self)
        return;
    if (self->pid > 0) {
        kill(self->pid, SIGKILL);
        waitpid(self->pid, NULL, 0);
    }
    for (int i = 0; i < 2; i++)
        close(self->files[i]);
    if (self->terminal >= 0)
        close(self->terminal);
    json_decref(self->json);
    free(self->out);
    free(self->err);
    free(self);
    *self_p = NULL;
}

struct program *program_run(const char *const *argv, const char *input)
{
    struct program *self = program_start(argv, input);

    program_wait_end(self, RUN_LIMIT_MS);
    return self;
}

struct program *program_run_terminal(const char *const *argv, const char *input, int columns)
{
    const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    struct program *self;
    int near, far;

    if (openpty(&near, &far, NULL, NULL, &size) < 0 ||
        fcntl(near, F_SETFL, O_NONBLOCK | fcntl(near, F_GETFL)) < 0 ||
        fcntl(near, F_SETFD, FD_CLOEXEC) < 0)
        abort();
    self = start(argv, input, far);
    self->terminal = near;
    program_wait_end(self, RUN_LIMIT_MS);
    return self;
}

static bool is_one_line(const char *text)
{
    const char *end = strchr(text, '\n');

    return end && end > text && end[1] == '\0';
}

bool program_check(const struct program *self, int want, const char *complaint, const char *file,
                   int line)
{
    bool holds = self->code == want;
    char text[320];

    snprintf(text, sizeof(text), "exit code %d%s%s", want, complaint ? ": " : "",
             complaint ? complaint : "");
    if (complaint)
        holds = holds && !*self->out && is_one_line(self->err) && strstr(self->err, complaint);
    if (!holds)
        fprintf(stderr, "\n%s:%d: want %s, got %d\n%s%s\n", file, line, text, self->code, self->out,
                self->err);
    return CU_assertImplementation(holds, (unsigned)line, text, file, "", CU_FALSE);
}
