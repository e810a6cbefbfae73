/*
 * test_docd_image_process.c - the image decoding process under a hostile image: access, limits and
 * crashes. Its program obeys the input's first byte instead of calling libvips.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vips/vips.h>

#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "docd/image/image.h"
#include "docd/image/image_process.h"
#include "tests/support/unit.h"

enum { MEMORY = 256 << 20, TOO_MUCH = 1 << 30, DEADLINE_MS = 20000 };

static const struct uuid own = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
                         other = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4c"};
static struct unit_dir dir;

static bool opened(int fd)
{
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool reads_a_file(void)
{
    return opened(open("/etc/passwd", O_RDONLY)) || opened(open("/proc/self/status", O_RDONLY)) ||
           opened(openat(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY)) ||
           opened((int)syscall(SYS_openat, AT_FDCWD, "/usr/bin/env", O_RDONLY));
}

static bool writes_a_file(void)
{
    return opened(open("/tmp/atrium-escaped", O_WRONLY | O_CREAT, 0600)) ||
           mkdir("/tmp/atrium-escaped", 0700) == 0 || unlink("/proc/self/exe") == 0;
}

static bool has_a_network(void)
{
    int pair[2];

    return opened(socket(AF_INET, SOCK_STREAM, 0)) || opened(socket(AF_UNIX, SOCK_STREAM, 0)) ||
           opened(socket(AF_NETLINK, SOCK_RAW, 0)) ||
           socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
}

static bool starts_a_process(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    return pid > 0 || syscall(SYS_vfork) > 0 ||
           execl("/usr/bin/env", "env", "true", (char *)NULL) == 0;
}

static bool reaches_others(void)
{
    return kill(getppid(), 0) == 0 || kill(-1, 0) == 0 ||
           ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0;
}

/* True when more is open than a decoder needs, such as the other end of the order pipe. */
static bool has_descriptors(void)
{
    int count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count > 5; /* two of /dev/null, and three for the orders */
}

static bool keeps_a_key(void)
{
    return getenv("CREDENTIALS_DIRECTORY") || getenv("HOME_KEY");
}

static int escaped(void)
{
    static const struct {
        const char *label;
        bool (*attempt)(void);
    } rows[] = {
        {"reads a file", reads_a_file},
        {"writes a file", writes_a_file},
        {"has a network", has_a_network},
        {"starts a process", starts_a_process},
        {"reaches other processes", reaches_others},
        {"has other descriptors", has_descriptors},
        {"keeps a key", keeps_a_key},
    };
    int count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (!rows[i].attempt())
            continue;
        fprintf(stderr, "it %s\n", rows[i].label);
        count++;
    }
    return count;
}

static void use_memory(void)
{
    for (size_t used = 0; used < TOO_MUCH; used += 1 << 20) {
        char *more = malloc(1 << 20);

        if (!more)
            abort();
        memset(more, 1, 1 << 20);
    }
}

static void stay(bool deaf)
{
    sigset_t all;

    sigfillset(&all);
    if (deaf)
        (void)sigprocmask(SIG_BLOCK, &all, NULL);
    for (;;)
        usleep(100000);
}

static bool spoiled; /* whether an image has damaged this decoder */

gboolean vips_foreign_is_a_source(const char *loader UNUSED, VipsSource *source)
{
    const unsigned char *first = vips_source_sniff(source, 1);

    switch (first ? *first : 0) {
    case 'e':
        if (escaped() > 0)
            _exit(1);
        break;
    case 'm':
        use_memory();
        break;
    case 's':
        stay(false);
        break;
    case 'd':
        stay(true);
        break;
    case 'l':
        for (volatile unsigned i = 0;; i++)
            ;
    case 'r':
        spoiled = true;
        break;
    case 'f':
        if (spoiled)
            abort();
        break;
    case 'c':
        abort();
    default:
        break;
    }
    return FALSE;
}

struct ask {
    struct image_pool *pool;
    struct uuid project;
    char what;
    int64_t timeout_ms;
    int64_t took_ms;
    struct error err;
};

static void ask(struct ask *self)
{
    struct image_size size = {30, 30, IMAGE_COVER};
    struct image_turn turn;
    struct image_made made;
    char text[] = {self->what, '\0'};
    int in = open(unit_dir_write(&dir, text, text), O_RDONLY | O_CLOEXEC);
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int64_t began_ms = clock_mono_ms();
    bool parked;

    CU_ASSERT_EQUAL(image_enter(self->pool, NULL, &turn, &parked, &self->err), 0);
    CU_ASSERT(image_make(self->pool, &turn, self->project,
                         began_ms + (self->timeout_ms ? self->timeout_ms : DEADLINE_MS), in, out,
                         &size, &made, &self->err) < 0);
    self->took_ms = clock_mono_ms() - began_ms;
    image_turn_leave(&turn);
    close(in);
    close(out);
}

static void check_of(struct image_pool *pool, struct uuid project, char what, int64_t timeout_ms,
                     enum error_code want)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct ask self = {.pool = pool, .project = project, .what = what, .timeout_ms = timeout_ms};

    error_init(&self.err, arena);
    ask(&self);
    UNIT_CHECK(self.err.code == want, "%c: %d %s %s", what, self.err.code, self.err.message,
               self.err.detail);
    if (timeout_ms > 0)
        UNIT_CHECK(self.took_ms < timeout_ms + 3000, "%c: %lld ms", what, (long long)self.took_ms);
}

static void check(struct image_pool *pool, char what, int64_t timeout_ms, enum error_code want)
{
    check_of(pool, own, what, timeout_ms, want);
}

/* After each image the next one is decoded: 'x' is refused only because it is no image. */
static void run_rows(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        char what;
        int64_t timeout_ms;
        enum error_code want;
    } rows[] = {
        {'e', 0, ERR_VALIDATION}, /* 'e' tries forbidden actions: none worked */
        {'c', 0, ERR_UNAVAILABLE},
#ifndef __SANITIZE_ADDRESS__
        {'m', 0, ERR_UNAVAILABLE},
#endif
        {'s', 500, ERR_DEADLINE},  {'l', 500, ERR_DEADLINE}, {'d', 500, ERR_DEADLINE},
    };
    struct image_pool *pool = image_pool_new(loop, 2, 8, MEMORY);

    (void)setenv("CREDENTIALS_DIRECTORY", "/run/credentials", 1);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        check(pool, rows[i].what, rows[i].timeout_ms, rows[i].want);
        check(pool, 'x', 0, ERR_VALIDATION);
    }
    image_pool_destroy(&pool);
}

static void test_it_reaches_nothing_and_its_ends_cost_one_request(void)
{
    unit_expect_log(1); /* only ending the process ends it */
    unit_on_fiber(run_rows, NULL);
}

struct neighbour {
    struct fiber *starter;
    struct ask ask;
    bool done;
};

static void neighbour_fiber(void *arg)
{
    struct neighbour *self = arg;

    ask(&self->ask);
    self->done = true;
    fiber_wake(self->starter);
}

/* A crash fails the request that caused it, but none that waits. */
static void crash_beside(struct loop *loop, void *arg UNUSED)
{
    struct image_pool *pool = image_pool_new(loop, 2, 8, MEMORY);
    struct neighbour slow = {
        .starter = fiber_self(loop),
        .ask = {.pool = pool, .project = own, .what = 's', .timeout_ms = 1500}};
    struct error err;

    error_init(&err, NULL);
    error_init(&slow.ask.err, NULL);
    CU_ASSERT_EQUAL(fiber_start(loop, neighbour_fiber, &slow, &err), 0);
    for (int i = 0; i < 5; i++)
        check(pool, 'c', 0, ERR_UNAVAILABLE);
    CU_ASSERT_FALSE(slow.done);
    while (!slow.done)
        if (fiber_park(loop, clock_mono_ms() + 10000) == FIBER_CANCELLED)
            break;
    CU_ASSERT_EQUAL(slow.ask.err.code, ERR_DEADLINE);
    image_pool_destroy(&pool);
}

static void test_a_crash_costs_one_request(void)
{
    unit_on_fiber(crash_beside, NULL);
}

/* A decoder process gets several images, but only of one project. */
static void two_projects(struct loop *loop, void *arg UNUSED)
{
    struct image_pool *pool = image_pool_new(loop, 2, 8, MEMORY);

    for (int i = 0; i < 3; i++) {
        check_of(pool, own, 'r', 0, ERR_VALIDATION);
        check_of(pool, other, 'f', 0, ERR_VALIDATION);
    }
    check_of(pool, own, 'f', 0, ERR_UNAVAILABLE);
    check_of(pool, own, 'f', 0, ERR_VALIDATION);
    image_pool_destroy(&pool);
}

static void test_projects_have_decoders_of_their_own(void)
{
    unit_on_fiber(two_projects, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_it_reaches_nothing_and_its_ends_cost_one_request),
    CASE(test_a_crash_costs_one_request),
    CASE(test_projects_have_decoders_of_their_own),
};

int main(int argc, char **argv)
{
    int result;

    if (image_program_wanted(argc, argv)) /* this program is also docd's child */
        return image_program();
    dir = unit_dir_make();
    result = unit_run("docd image process", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
