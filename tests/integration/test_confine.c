/*
 * test_confine.c - attacks by confined programs, for each means that works here.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/runtime/confine.h"
#include "tests/support/unit.h"

enum { MEMORY = 128 * 1024 * 1024, LIMIT_MS = 20000, SAID_SIZE = 2000 };

static struct confine *confine;
static enum confine_means means;
static const char *missing; /* why the means fails here; NULL: it works */
static char missing_text[800];

static const struct confine_rules usual = {
    .memory = MEMORY, .memory_all = 2 * (int64_t)MEMORY, .cpu_s = 20, .processes = 32};

struct run {
    struct confined confined;
    int out; /* its output */
};

static int script_fd(const char *script)
{
    int fd = memfd_create("script", MFD_CLOEXEC);

    CU_ASSERT_FATAL(fd >= 0 && write(fd, script, strlen(script)) == (ssize_t)strlen(script));
    CU_ASSERT_EQUAL(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* `in` is its standard input, or -1. */
static struct run start_fd(int fd, const struct confine_rules *rules, int in)
{
    static const char *const argv[] = {"program", NULL};
    int ends[2];
    struct run run;
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT_EQUAL_FATAL(pipe2(ends, O_CLOEXEC), 0);
    const struct confine_program program = {
        .fd = fd, .argv = argv, .in = in, .out = ends[1], .err = ends[1]};
    if (confine_start(confine, means, rules, &program, &run.confined, &err) < 0)
        CU_FAIL_FATAL("confine_start");
    run.out = ends[0];
    close(ends[1]);
    return run;
}

static struct run start(const char *script, const struct confine_rules *rules, int in)
{
    int fd = script_fd(script);
    struct run run = start_fd(fd, rules, in);

    close(fd);
    return run;
}

/* Reads all output and reaps it. Returns the status, or -1 if it was killed at the timeout. */
static int finish(struct run *run, char said[static SAID_SIZE])
{
    struct pollfd out = {.fd = run->out, .events = POLLIN};
    int64_t until = clock_mono_ms() + LIMIT_MS;
    size_t size = 0;
    ssize_t more = 1;
    int status;

    while (more > 0 && size < SAID_SIZE - 1 &&
           poll(&out, 1, (int)MAX(until - clock_mono_ms(), (int64_t)0)) > 0) {
        more = read(run->out, said + size, SAID_SIZE - 1 - size);
        size += (size_t)MAX(more, (ssize_t)0);
    }
    said[size] = '\0';
    while (!confine_ended(&run->confined) && clock_mono_ms() < until)
        usleep(5000);
    status = confine_ended(&run->confined) ? 0 : -1;
    confine_kill(&run->confined);
    close(run->out);
    return confine_reap(confine, &run->confined) + (status < 0 ? -1000 : 0);
}

static void expect_by(const char *label, const char *script, const struct confine_rules *rules,
                      int status, const char *want)
{
    struct run run = start(script, rules, -1);
    char said[SAID_SIZE];
    int ended = finish(&run, said);

    UNIT_CHECK(ended == status && strcmp(said, want) == 0, "%s: %d, \"%s\"", label, ended, said);
}

#define PYTHON "#!/usr/bin/python3\n"

/* Prints each call's result: 0 or its error's name. */
#define CALLS                                                                                     \
    PYTHON "import ctypes, errno, mmap, os, signal, socket, sys\n"                                \
           "libc = ctypes.CDLL(None, use_errno=True)\n"                                           \
           "libc.syscall.restype = ctypes.c_long\n"                                               \
           "def call(name, *arguments):\n"                                                        \
           "    arguments = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]\n" \
           "    if libc.syscall(*arguments) < 0:\n"                                               \
           "        print(name, errno.errorcode[ctypes.get_errno()])\n"                           \
           "    else:\n"                                                                          \
           "        print(name, 'answers')\n"

static bool left_out(void)
{
    if (missing)
        unit_leave_out("%s", missing);
    return missing != NULL;
}

static void test_status_and_output(void)
{
    if (left_out())
        return;
    expect_by("exit", "#!/bin/sh\necho hello; exit 7\n", &usual, 7, "hello\n");
    expect_by("signal", PYTHON "import ctypes; ctypes.string_at(0)\n", &usual, 128 + SIGSEGV, "");
    expect_by("input", "#!/bin/sh\ncat\n", &usual, 0, "");
    expect_by("shell", "#!/bin/sh\nx=$(echo a | tr a b); sleep 0.01 & wait; echo $x >&2\n", &usual,
              0, "b\n");
    expect_by("null", "#!/bin/sh\necho x >/dev/null && head -c 3 /dev/zero | wc -c\n", &usual, 0,
              "3\n");
}

static void test_a_program_is_started_again(void)
{
    int fd;

    if (left_out())
        return;
    fd = script_fd("#!/bin/sh\necho hello\n");
    for (int i = 0; i < 3; i++) {
        struct run run = start_fd(fd, &usual, -1);
        char said[SAID_SIZE];
        int ended = finish(&run, said);

        UNIT_CHECK(ended == 0 && strcmp(said, "hello\n") == 0, "start %d: %d, \"%s\"", i, ended,
                   said);
    }
    close(fd);
}

#ifdef __x86_64__
static void test_calls_of_the_kernel_are_listed(void)
{
    static const struct {
        const char *name, *arguments;
    } rows[] = {
        {"add_key", "248, b'user', b'x', b'y', 1, -3"},
        {"request_key", "249, b'user', b'x', None, -3"},
        {"keyctl", "250, 0, -3, 0"},
        {"io_uring_setup", "425, 4, b'\\0' * 120"},
        {"userfaultfd", "323, 1"},
        {"bpf", "321, 0, b'\\0' * 120, 120"},
        {"perf_event_open", "298, b'\\0' * 120, 0, -1, -1, 0"},
        {"ptrace", "101, 0, 0, 0, 0"},
        {"mount", "165, b'none', b'/tmp', b'tmpfs', 0, None"},
        {"umount2", "166, b'/tmp', 0"},
        {"unshare", "272, 0x10000000"},
        {"setns", "308, 0, 0"},
        {"clone3", "435, b'\\0' * 64, 64"},
        {"memfd_create", "319, b'x', 0"},
        {"memfd_secret", "447, 0"},
        {"shmget", "29, 0, 1 << 20, 0o1600"},
        {"semget", "64, 0, 1, 0o1600"},
        {"msgget", "68, 0, 0o1600"},
        {"mq_open", "240, b'x', 0o102, 0o600, None"},
        {"process_vm_readv", "310, 1, None, 0, None, 0, 0"},
        {"pidfd_getfd", "438, 0, 0, 0"},
        {"open_by_handle_at", "304, -100, b'\\0' * 16, 0"},
        {"openat2", "437, -100, b'/', b'\\0' * 24, 24"},
        {"personality", "135, 0xffffffff"},
        {"io_setup", "206, 1, b'\\0' * 8"},
        {"inotify_init", "253"},
        {"setxattr", "188, b'/tmp', b'user.x', b'y', 1, 0"},
        {"landlock_create_ruleset", "444, None, 0, 1"},
        {"seccomp", "317, 2, 0, b'\\0\\0\\xff\\x7f'"},
        {"prlimit64", "302, os.getppid(), 7, b'\\1' * 16, None"},
        {"sched_setaffinity", "203, os.getppid(), 8, b'\\1' * 8"},
    };
    char script[8000], want[2000];
    int at = snprintf(script, sizeof(script), "%s", CALLS), to = 0;

    if (left_out())
        return;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        at += snprintf(script + at, sizeof(script) - (size_t)at, "call('%s', %s)\n", rows[i].name,
                       rows[i].arguments);
        to += snprintf(want + to, sizeof(want) - (size_t)to, "%s ENOSYS\n", rows[i].name);
    }
    expect_by("calls", script, &usual, 0, want);
}
#endif

static void test_sockets_are_pairs(void)
{
    static const char script[] =
        PYTHON "import errno, socket\n"
               "for family in 1, 2, 10, 16, 17, 38, 40, 44:\n"
               "    for kind in 1, 2, 3, 5:\n"
               "        try:\n"
               "            socket.socket(family, kind)\n"
               "            print('answers', family, kind)\n"
               "        except OSError as e:\n"
               "            if e.errno != errno.EAFNOSUPPORT: print(family, kind, e)\n"
               "for kind in 1, 5, 2:\n"
               "    try:\n"
               "        a, b = socket.socketpair(socket.AF_UNIX, kind)\n"
               "        a.send(b'x')\n"
               "        print(kind, b.recv(1))\n"
               "    except OSError as e:\n"
               "        print(kind, 'refused')\n";

    if (!left_out())
        expect_by("sockets", script, &usual, 0, "1 b'x'\n5 b'x'\n2 refused\n");
}

/* 600 MB of each kind, against 128 MB per process and 256 MB in total. */
static void test_memory_of_every_kind_is_bounded(void)
{
    static const struct {
        const char *label, *script;
    } rows[] = {
        {"private", "x = bytearray(600 << 20)\n"},
        {"shared", "m = mmap.mmap(-1, 600 << 20); m[::4096] = b'x' * (600 << 8)\n"},
        {"growing", "m = mmap.mmap(-1, 600 << 20, flags=mmap.MAP_PRIVATE|0x20|0x100)\n"
                    "m[::4096] = b'x' * (600 << 8)\n"},
        {"/dev/zero", "m = mmap.mmap(os.open('/dev/zero', os.O_RDWR), 600 << 20)\n"
                      "m[::4096] = b'x' * (600 << 8)\n"
                      "import time; time.sleep(1)\n"},
        {"/dev/shm",
         "for i in range(60): open('/dev/shm/%d' % i, 'wb').write(b'x' * (10 << 20))\n"},
        {"/tmp", "for i in range(60): open('/tmp/%d' % i, 'wb').write(b'x' * (10 << 20))\n"},
        {"/dev", "for i in range(60): open('/dev/x%d' % i, 'wb').write(b'x' * (10 << 20))\n"},
        {"processes", "import time\n"
                      "for i in range(7):\n"
                      "    if os.fork() == 0:\n"
                      "        x = bytearray(b'x') * (85 << 20); time.sleep(20); os._exit(0)\n"
                      "for i in range(7): os.wait()\n"},
    };

    if (left_out())
        return;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char script[1000], said[SAID_SIZE];
        struct run run;
        int status;

        snprintf(script, sizeof(script),
                 PYTHON "import mmap, os\ntry:\n    exec('''%s''')\n    print('had it')\n"
                        "except (OSError, MemoryError):\n    print('refused')\n",
                 rows[i].script);
        run = start(script, &usual, -1);
        status = finish(&run, said);
        UNIT_CHECK((status == 0 && strcmp(said, "refused\n") == 0) ||
                       (status == 128 + SIGKILL && said[0] == '\0'),
                   "%s: %d, \"%s\"", rows[i].label, status, said);
    }
}

static void test_shared_pages_count_once(void)
{
    static const char script[] = PYTHON "import os, time\n"
                                        "x = bytearray(b'x') * (60 << 20)\n"
                                        "for i in range(8):\n"
                                        "    if os.fork() == 0: time.sleep(0.5); os._exit(0)\n"
                                        "for i in range(8): os.wait()\n"
                                        "print('done')\n";

    if (!left_out())
        expect_by("shared pages", script, &usual, 0, "done\n");
}

static void test_processes_are_few(void)
{
    static const char script[] = PYTHON "import os, time\n"
                                        "n = 0\n"
                                        "try:\n"
                                        "    while n < 1000:\n"
                                        "        if os.fork() == 0: time.sleep(60); os._exit(0)\n"
                                        "        n += 1\n"
                                        "except OSError: pass\n"
                                        "print('few' if 8 < n < 100 else n)\n";

    if (!left_out())
        expect_by("fork", script, &usual, 0, "few\n");
}

static void test_nothing_of_the_caller_is_reached(void)
{
    static const struct timespec at_once;
    struct unit_dir dir = unit_dir_make();
    char script[4000];
    struct stat status;
    sigset_t kick;

    if (left_out()) {
        unit_dir_remove(&dir);
        return;
    }
    chmod(dir.path, 0777);
    chmod(unit_dir_write(&dir, "file", "secret\n"), 0666);
    snprintf(script, sizeof(script),
             CALLS "path, caller = '%s/file', %d\n"
                   "def attempt(name, act):\n"
                   "    try:\n"
                   "        act()\n"
                   "        print(name, 'done')\n"
                   "    except OSError: pass\n"
                   "attempt('read', lambda: open(path).read())\n"
                   "attempt('write', lambda: open(path, 'w'))\n"
                   "attempt('truncate', lambda: os.truncate(path, 0))\n"
                   "attempt('cut', lambda: os.open(path, os.O_TRUNC | 3))\n"
                   "attempt('cut by reading', lambda: os.open(path, os.O_TRUNC))\n"
                   "attempt('chmod', lambda: os.chmod(path, 0))\n"
                   "attempt('utime', lambda: os.utime(path))\n"
                   "attempt('unlink', lambda: os.unlink(path))\n"
                   "attempt('rename', lambda: os.rename(path, path + '2'))\n"
                   "attempt('list', lambda: os.listdir('/var'))\n"
                   "attempt('create', lambda: open(path + '3', 'w'))\n"
                   "attempt('home', lambda: os.listdir('/root'))\n"
                   "signal.signal(signal.SIGUSR1, signal.SIG_IGN)\n"
                   "try:\n"
                   "    os.kill(caller, signal.SIGUSR1)\n"
                   "except OSError: pass\n"
                   "attempt('memory', lambda: open('/proc/%%d/maps' %% caller).read())\n"
                   "attempt('arguments', lambda: open('/proc/%%d/cmdline' %% caller).read())\n"
                   "print('end')\n",
             dir.path, (int)getpid());
    /* The signal goes to this process's pid. In a container, a process of the program can have the
     * same pid, so only the signal's arrival here proves anything. */
    sigemptyset(&kick);
    sigaddset(&kick, SIGUSR1);
    sigprocmask(SIG_BLOCK, &kick, NULL);
    expect_by("caller", script, &usual, 0, "end\n");
    UNIT_CHECK(sigtimedwait(&kick, NULL, &at_once) < 0, "%s", "it sends a signal to its caller");
    sigprocmask(SIG_UNBLOCK, &kick, NULL);
    CU_ASSERT_STRING_EQUAL(unit_dir_read(&dir, "file"), "secret\n");
    CU_ASSERT_EQUAL(stat(unit_dir_write(&dir, "file", "secret\n"), &status), 0);
    CU_ASSERT_EQUAL(status.st_mode & 0777, 0666);
    unit_dir_remove(&dir);
}

/* Returns the uid of the program, its keeper's only child. */
static uid_t program_uid(const struct run *run)
{
    char path[80], child[32] = "";
    struct stat status = {0};
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", run->confined.pid, run->confined.pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    CU_ASSERT_TRUE(fd >= 0 && read(fd, child, sizeof(child) - 1) > 0);
    close(fd);
    snprintf(path, sizeof(path), "/proc/%d", atoi(child));
    CU_ASSERT_EQUAL(stat(path, &status), 0);
    return status.st_uid;
}

/* The program's uid has a key in the session keyring with which the program started. */
static void test_its_keyring_is_its_own(void)
{
    char users[8192] = "", line[32], said[SAID_SIZE];
    FILE *file = fopen("/proc/key-users", "re");
    struct run run;

    if (file)
        fclose(file);
    if (left_out())
        return;
    if (geteuid() != 0 || !file || syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3, 0) < 0) {
        unit_leave_out("this needs root and a kernel that lets it use keyrings");
        return;
    }
    run = start("#!/bin/sh\nsleep 60\n", &usual, -1);
    snprintf(line, sizeof(line), "%5u: ", program_uid(&run));
    file = fopen("/proc/key-users", "re");
    users[fread(users, 1, sizeof(users) - 1, file)] = '\0';
    fclose(file);
    UNIT_CHECK(strstr(users, line), "%s in %s", line, users);
    confine_kill(&run.confined);
    (void)finish(&run, said);
}

static void test_descriptors_are_handed_over(void)
{
    static const char script[] =
        PYTHON "import array, os, socket\n"
               "def is_open(fd):\n"
               "    try: return bool(os.fstat(fd))\n"
               "    except OSError: return False\n"
               "print([fd for fd in range(5, 250) if is_open(fd)])\n"
               "s = socket.socket(fileno=0)\n"
               "data, extra, flags, address = s.recvmsg(1, socket.CMSG_SPACE(4))\n"
               "fd = array.array('i', extra[0][2])[0]\n"
               "print(os.read(fd, 100).decode(), end='')\n";
    int pair[2], file = script_fd("handed over\n");
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    char byte = 'x', said[SAID_SIZE];
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    struct run run;

    if (left_out())
        return;
    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    control.align = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(&control.align), &file, sizeof(file));
    run = start(script, &usual, pair[1]);
    CU_ASSERT_EQUAL(sendmsg(pair[0], &message, 0), 1);
    CU_ASSERT_EQUAL(finish(&run, said), 0);
    CU_ASSERT_STRING_EQUAL(said, "[]\nhanded over\n");
    close(pair[0]);
    close(pair[1]);
    close(file);
}

static size_t count_processes(const char *words, size_t size)
{
    DIR *processes = opendir("/proc");
    const struct dirent *process;
    size_t count = 0;

    while (processes && (process = readdir(processes))) {
        char path[300], text[200];
        int fd;

        snprintf(path, sizeof(path), "/proc/%s/cmdline", process->d_name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        count += read(fd, text, sizeof(text)) == (ssize_t)size && memcmp(text, words, size) == 0;
        close(fd);
    }
    if (processes)
        closedir(processes);
    return count;
}

/* Child processes in their own sessions end with the program, whether it is killed or exits. */
static void test_all_of_it_ends(void)
{
    char script[400], words[64], said[SAID_SIZE];
    struct run run;
    int size;

    if (left_out())
        return;
    size = snprintf(words, sizeof(words), "sleep%c81.%d", 0, (int)getpid()) + 1;
    snprintf(script, sizeof(script),
             PYTHON "import os, subprocess, time\n"
                    "print('forks', flush=True)\n"
                    "for new in True, False:\n"
                    "    subprocess.Popen(['sleep', '81.%d'], start_new_session=new, "
                    "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
                    "os.read(0, 1)\n",
             (int)getpid());
    for (int killed = 0; killed < 2; killed++) {
        int input[2];

        CU_ASSERT_EQUAL_FATAL(pipe2(input, O_CLOEXEC), 0);
        run = start(script, &usual, input[0]);
        for (int i = 0; i < 300 && count_processes(words, (size_t)size) < 2; i++)
            usleep(20000);
        CU_ASSERT_EQUAL(count_processes(words, (size_t)size),
                        2); /* these children are visible while they run */
        if (killed)
            confine_kill(&run.confined);
        else
            CU_ASSERT_EQUAL(write(input[1], "x", 1), 1);
        CU_ASSERT_EQUAL(finish(&run, said), killed ? 128 + SIGKILL : 0);
        CU_ASSERT_STRING_EQUAL(said, "forks\n");
        CU_ASSERT_EQUAL(count_processes(words, (size_t)size), 0);
        close(input[0]);
        close(input[1]);
    }
}

static void test_it_ends_with_its_caller(void)
{
    char script[100], words[64];
    pid_t caller;
    int size;

    if (left_out())
        return;
    size = snprintf(words, sizeof(words), "sleep%c82.%d", 0, (int)getpid()) + 1;
    snprintf(script, sizeof(script), "#!/bin/sh\nsleep 82.%d & sleep 82.%d\n", (int)getpid(),
             (int)getpid());
    caller = fork();
    if (caller == 0) {
        (void)start(script, &usual, -1);
        pause();
    }
    for (int i = 0; i < 300 && count_processes(words, (size_t)size) < 2; i++)
        usleep(20000);
    CU_ASSERT_EQUAL(count_processes(words, (size_t)size), 2);
    kill(caller, SIGKILL);
    waitpid(caller, NULL, 0);
    for (int i = 0; i < 200 && count_processes(words, (size_t)size) > 0; i++)
        usleep(20000);
    CU_ASSERT_EQUAL(count_processes(words, (size_t)size), 0);
}

static const struct unit_case cases[] = {
    CASE(test_status_and_output),
    CASE(test_a_program_is_started_again),
#ifdef __x86_64__
    CASE(test_calls_of_the_kernel_are_listed),
#endif
    CASE(test_sockets_are_pairs),
    CASE(test_memory_of_every_kind_is_bounded),
    CASE(test_shared_pages_count_once),
    CASE(test_processes_are_few),
    CASE(test_nothing_of_the_caller_is_reached),
    CASE(test_its_keyring_is_its_own),
    CASE(test_descriptors_are_handed_over),
    CASE(test_all_of_it_ends),
    CASE(test_it_ends_with_its_caller),
};

int main(void)
{
    int failed = 0;

    confine = confine_new();
    for (means = 0; means < CONFINE_LIMITS; means++) {
        struct error err;

        error_init(&err, NULL);
        missing = confine_try(confine, means, &err) == 0 ? NULL : missing_text;
        snprintf(missing_text, sizeof(missing_text), "%s: %s %s", confine_means_names[means],
                 err.message, err.detail);
        failed |= unit_run(confine_means_names[means], cases, ARRAY_SIZE(cases));
    }
    confine_destroy(&confine);
    return failed;
}
