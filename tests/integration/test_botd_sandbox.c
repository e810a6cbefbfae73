/*
 * test_botd_sandbox.c - programs in the sandbox: scheduling, common limits, and ends, by both
 * means. Control groups are not tested if this process has none.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "botd/sandbox/subprocess.h"
#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "tests/support/unit.h"

enum { MEMORY = 128 * 1024 * 1024 };

static struct cgroups *groups; /* NULL: none here */
static bool of_their_own;      /* each run has its own group */
static const char *setting;
static bool missing; /* no means works here */

/* One program's output until it ended and was reaped. */
struct heard {
    struct loop *loop;
    struct sandbox *sandbox;
    const char *script;
    char text[512];
    int status; /* -1: it did not end */
};

static bool left_out(void)
{
    if (missing)
        unit_leave_out("nothing confines programs here by the setting %s", setting);
    return missing;
}

static int script_fd(const char *script)
{
    int fd = memfd_create("script", MFD_CLOEXEC);

    CU_ASSERT_FATAL(fd >= 0 && write(fd, script, strlen(script)) == (ssize_t)strlen(script));
    CU_ASSERT_EQUAL(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void start(struct sandbox *sandbox, const char *script, struct sandboxed *ret)
{
    const struct sandbox_limits limits = {.cpu_s = 20, .memory = MEMORY};
    struct error err;
    int fd = script_fd(script);

    error_init(&err, NULL);
    UNIT_CHECK(sandbox_start(sandbox, fd, &limits, ret, &err) == 0, "%s", err.message);
    close(fd);
}

static void hear_fiber(void *arg)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct heard *self = arg;
    const int64_t deadline = clock_mono_ms() + 60000;
    const struct subprocess_input exchange = {
        .input = "", .answer_max = 500, .deadline_mono_ms = deadline};
    struct subprocess_output answer;
    struct sandboxed sandboxed;
    struct error err;

    error_init(&err, arena);
    self->status = -1;
    start(self->sandbox, self->script, &sandboxed);
    if (subprocess_exchange(self->loop, arena, &sandboxed, &exchange, &answer, &err) == 0 &&
        subprocess_wait_end(self->loop, &sandboxed, deadline, &err) == 0) {
        self->status = sandbox_reap(self->sandbox, &sandboxed);
        snprintf(self->text, sizeof(self->text), "%s", answer.text);
    }
    sandbox_kill(self->sandbox, &sandboxed);
    loop_stop(self->loop);
}

static struct heard hear(const char *script)
{
    struct loop *loop = loop_new();
    struct heard heard = {
        .loop = loop, .sandbox = sandbox_new(loop, groups, setting), .script = script};
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT_FATAL(fiber_start(loop, hear_fiber, &heard, &err) == 0);
    CU_ASSERT_EQUAL(loop_run(loop), 0);
    sandbox_destroy(&heard.sandbox);
    loop_destroy(&loop);
    return heard;
}

/* The scheduler runs it only when nothing else is ready, and it cannot raise its priority. */
static void test_bots_run_at_the_lowest_priority(void)
{
    static const char script[] =
        "#!/usr/bin/python3\n"
        "import os\n"
        "print('idle' if os.sched_getscheduler(0) == os.SCHED_IDLE else 'not idle')\n"
        "for policy in os.SCHED_OTHER, os.SCHED_BATCH:\n"
        " try:\n"
        "  os.sched_setscheduler(0, policy, os.sched_param(0))\n"
        "  print('normal')\n"
        " except OSError:\n"
        "  print('refused')\n";
    struct heard heard;

    if (left_out())
        return;
    heard = hear(script);
    CU_ASSERT_EQUAL(heard.status, 0);
    CU_ASSERT_STRING_EQUAL(heard.text, "idle\nrefused\nrefused\n");
}

static void kill_among_busy(useconds_t after_us)
{
    enum { ROUNDS = 8, LIMIT_MS = 500 };
    const long count = 4 * sysconf(_SC_NPROCESSORS_ONLN);
    struct loop *loop = loop_new();
    struct sandbox *sandbox = sandbox_new(loop, groups, setting);
    struct sandboxed sandboxed[ROUNDS];
    pid_t *busy = calloc((size_t)count, sizeof(*busy));
    int64_t began;

    for (size_t i = 0; i < ROUNDS; i++)
        start(sandbox, "#!/bin/sh\nwhile :; do :; done\n", &sandboxed[i]);
    usleep(after_us);
    for (long i = 0; i < count; i++) {
        busy[i] = fork();
        if (busy[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                ;
        }
    }
    usleep(50 * 1000);
    began = clock_mono_ms();
    for (size_t i = 0; i < ROUNDS; i++)
        sandbox_kill(sandbox, &sandboxed[i]);
    UNIT_CHECK(clock_mono_ms() - began < LIMIT_MS, "%lld ms", (long long)(clock_mono_ms() - began));
    for (long i = 0; i < count; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    sandbox_destroy(&sandbox);
    CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    loop_destroy(&loop);
    free(busy);
}

static void test_killing_does_not_wait(void)
{
    if (!left_out())
        kill_among_busy(300 * 1000);
}

/* Some processes are still being moved into their control groups, which the kernel does one at a
 * time. None of them delays the kill. */
static void test_killing_does_not_wait_for_a_start(void)
{
    if (!left_out())
        kill_among_busy(0);
}

/* A file that does not exist has the version "". */
static void test_programs_lie_in_their_folder(void)
{
    static const char *const names[] = {
        "/usr/bin/env", "../bin/env", "./env", "bin/env", "", ".", ".."};
    struct program_version version;
    struct error err;
    int fd;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        error_init(&err, NULL);
        fd = sandbox_open(strcmp(names[i], "bin/env") == 0 ? "/usr" : "/usr/bin", names[i],
                          &version, &err);
        UNIT_CHECK(fd < 0 && err.code == ERR_NOT_FOUND, "%s was opened", names[i]);
        if (fd >= 0)
            close(fd);
    }
    error_init(&err, NULL);
    fd = sandbox_open("/usr/bin", "env", &version, &err);
    CU_ASSERT_TRUE(fd >= 0);
    close(fd);
}

static void file_text(const char *folder, const char *file, char *ret, size_t size)
{
    char path[CGROUP_PATH_SIZE + 64];
    FILE *opened;
    size_t got;

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    opened = fopen(path, "re");
    got = opened ? fread(ret, 1, size - 1, opened) : 0;
    ret[got] = '\0';
    if (opened)
        fclose(opened);
}

static size_t count_sleepers(const char *seconds)
{
    DIR *processes = opendir("/proc");
    const struct dirent *process;
    char folder[300], words[64];
    size_t count = 0;

    while (processes && (process = readdir(processes))) {
        snprintf(folder, sizeof(folder), "/proc/%s", process->d_name);
        file_text(folder, "cmdline", words, sizeof(words));
        count += strcmp(words, "sleep") == 0 && strcmp(words + sizeof("sleep"), seconds) == 0;
    }
    if (processes)
        closedir(processes);
    return count;
}

static void test_killed_while_it_starts(void)
{
    enum { MOMENTS = 60, STEP_US = 500 };
    struct loop *loop = loop_new();
    struct sandbox *sandbox = sandbox_new(loop, groups, setting);
    struct sandboxed seen;
    char seconds[32], script[64];

    if (left_out()) {
        sandbox_destroy(&sandbox);
        loop_destroy(&loop);
        return;
    }
    snprintf(seconds, sizeof(seconds), "71.%d", (int)getpid());
    snprintf(script, sizeof(script), "#!/bin/sh\nexec sleep %s\n", seconds);
    start(sandbox, script, &seen);
    for (int i = 0; i < 500 && count_sleepers(seconds) == 0; i++)
        usleep(20 * 1000);
    CU_ASSERT_EQUAL(count_sleepers(seconds), 1); /* a survivor would be counted */
    sandbox_kill(sandbox, &seen);
    for (unsigned i = 0; i < MOMENTS; i++) {
        struct sandboxed sandboxed;

        start(sandbox, script, &sandboxed);
        usleep(i * STEP_US);
        sandbox_kill(sandbox, &sandboxed);
    }
    sandbox_destroy(&sandbox);
    usleep(500 * 1000); /* time for a survivor to start */
    CU_ASSERT_EQUAL(count_sleepers(seconds), 0);
    loop_destroy(&loop);
}

/* Each process is below its own limit, but their sum is not: the group or the keeper ends them. */
static void test_a_run_has_a_limit_of_memory(void)
{
    static const char script[] = "#!/usr/bin/python3\n"
                                 "import os, time\n"
                                 "ready, done = os.pipe()\n"
                                 "for i in range(8):\n"
                                 " if os.fork() == 0:\n"
                                 "  kept = bytearray(b'x') * (90 << 20)\n"
                                 "  os.write(done, b'x')\n"
                                 "  time.sleep(10)\n"
                                 "  os._exit(0)\n"
                                 "for i in range(8): os.read(ready, 1)\n"
                                 "time.sleep(1)\n"
                                 "print('survived')\n";
    struct heard heard;

    if (left_out())
        return;
    heard = hear(script);
    CU_ASSERT_STRING_EQUAL(heard.text, "");
    CU_ASSERT_NOT_EQUAL(heard.status, 0);
}

static void test_a_run_is_a_group(void)
{
    struct loop *loop = loop_new();
    struct sandbox *sandbox = sandbox_new(loop, groups, setting);
    struct sandboxed sandboxed;
    char entry[CGROUP_PATH_SIZE], text[CGROUP_PATH_SIZE];
    struct error err;
    uint64_t run;

    error_init(&err, NULL);
    if (missing || !of_their_own) {
        if (!left_out())
            unit_leave_out("no control groups");
    } else {
        /* reads the number of a run, to know that of the next one */
        CU_ASSERT_EQUAL_FATAL(cgroup_make(groups, MEMORY, 10, &run, entry, &err), 0);
        cgroup_end(groups, run);
        snprintf(strstr(entry, "/runs/"), 64, "/runs/%llu", (unsigned long long)run + 1);
        start(sandbox, "#!/bin/sh\nsetsid sleep 60 &\nsleep 60\n", &sandboxed);
        CU_ASSERT_EQUAL(sandboxed.run, run + 1);
        text[0] = '\0';
        for (int i = 0; i < 500 && strtol(text, NULL, 10) < 3; i++) {
            usleep(20 * 1000);
            file_text(entry, "pids.current", text, sizeof(text));
        }
        CU_ASSERT_TRUE(strtol(text, NULL, 10) >= 3); /* the shell, both sleeps */
        file_text(entry, "pids.max", text, sizeof(text));
        CU_ASSERT_STRING_EQUAL(text, "64\n");
        file_text(entry, "memory.max", text, sizeof(text));
        CU_ASSERT_STRING_EQUAL(text, "268435456\n");
        file_text(entry, "../cpu.idle", text, sizeof(text));
        CU_ASSERT_TRUE(text[0] == '\0' || text[0] == '1');
        sandbox_kill(sandbox, &sandboxed);
        sandbox_destroy(&sandbox);
        for (int i = 0; i < 100 && access(entry, F_OK) == 0; i++) {
            usleep(20 * 1000);
            CU_ASSERT_EQUAL(cgroup_make(groups, MEMORY, 10, &run, text, &err), 0);
            cgroup_end(groups, run);
        }
        CU_ASSERT_NOT_EQUAL(access(entry, F_OK), 0);
    }
    sandbox_destroy(&sandbox);
    loop_destroy(&loop);
}

static const struct unit_case cases[] = {
    CASE(test_programs_lie_in_their_folder),
    CASE(test_bots_run_at_the_lowest_priority),
    CASE(test_killing_does_not_wait),
    CASE(test_killing_does_not_wait_for_a_start),
    CASE(test_killed_while_it_starts),
    CASE(test_a_run_has_a_limit_of_memory),
    CASE(test_a_run_is_a_group),
};

static int run_by(const char *name)
{
    struct loop *loop = loop_new();
    struct sandbox *sandbox = sandbox_new(loop, groups, name);

    setting = name;
    missing = sandbox_means(sandbox) == CONFINE_LIMITS;
    sandbox_destroy(&sandbox);
    loop_destroy(&loop);
    return unit_run(name, cases, ARRAY_SIZE(cases));
}

int main(void)
{
    char entry[CGROUP_PATH_SIZE];
    struct error err;
    uint64_t run = 0;
    int rc;

    error_init(&err, NULL);
    if (cgroups_open(&groups, &err) < 0 || cgroup_make(groups, MEMORY, 10, &run, entry, &err) < 0)
        printf("no control groups: %s\n", err.message);
    of_their_own = run != 0;
    if (of_their_own)
        cgroup_end(groups, run);
    rc = run_by("bubblewrap") | run_by("bubblewrap-bare") | run_by("kernel");
    cgroups_destroy(&groups);
    return rc;
}
