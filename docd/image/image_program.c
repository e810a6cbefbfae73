/*
 * image_program.c - the confined process that decodes images; see image_process.h. libvips is
 * initialized before decoders are forked, and starts its threads in them.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "docd/image/image_process.h"

enum {
    HIRE_FD = STDIN_FILENO,
    FILES = 2, /* the files `from` and `to` */
    LATE_MS = 250,
    NICE_STEP = 5, /* as in offload.h */
    MEMORY_BASE = 192 * 1024 * 1024,
    MEMORY_SHARE = 2, /* times what the image needs */
};

static const char mode[] = "--decode-images";

const char *const image_types[] = {"image/jpeg", "image/png", "image/webp", NULL};

bool image_program_wanted(int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], mode) == 0;
}

/* Receives a message; false when the peer is gone. If *ret_good is set, the message is valid, and
 * the caller closes its descriptors. */
static bool receive(int socket, void *ret, size_t size, int *files, size_t count, bool *ret_good)
{
    char room[CMSG_SPACE(FILES * sizeof(int))] __attribute__((aligned(8)));
    struct iovec place = {ret, size};
    struct msghdr message = {.msg_iov = &place,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    *ret_good = got == (ssize_t)size && header && header->cmsg_type == SCM_RIGHTS &&
                header->cmsg_len == CMSG_LEN(count * sizeof(int));
    if (*ret_good)
        memcpy(files, CMSG_DATA(header), count * sizeof(int));
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define CALL offsetof(struct seccomp_data, nr)
#define FLAGS offsetof(struct seccomp_data, args[0]) /* the low half, on a little-endian machine */
#define REFUSE(name)                                       \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/* Refuses calls that open files by name or start processes. clone() can only make threads. */
static void renounce(void)
{
    static const struct sock_filter rows[] = {
        LOAD(CALL),
#ifdef SYS_open
        REFUSE(open),
        REFUSE(creat),
        REFUSE(fork),
        REFUSE(vfork),
        REFUSE(link),
        REFUSE(mkdir),
        REFUSE(mknod),
        REFUSE(rename),
        REFUSE(rmdir),
        REFUSE(symlink),
        REFUSE(unlink),
#endif
        REFUSE(openat),
        REFUSE(linkat),
        REFUSE(mkdirat),
        REFUSE(mknodat),
        REFUSE(renameat),
        REFUSE(renameat2),
        REFUSE(symlinkat),
        REFUSE(truncate),
        REFUSE(unlinkat),
        REFUSE(execve),
        REFUSE(execveat),
        REFUSE(kill),
        REFUSE(tkill),
        REFUSE(tgkill),
        REFUSE(socketpair),
        REFUSE(sched_setscheduler),
        REFUSE(setpriority),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        LOAD(FLAGS),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {ARRAY_SIZE(rows), (struct sock_filter *)(uintptr_t)rows};

    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) < 0)
        _exit(EXIT_FAILURE);
}

static void yield_to_others(bool idle)
{
    static const struct sched_param least;

    if (idle)
        (void)sched_setscheduler(0, SCHED_IDLE, &least);
    else
        (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICE_STEP);
}

/* Sets only the soft limit: the next image may need more. */
static void limit_memory(int64_t bytes UNUSED)
{
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer's shadow memory counts */
    struct rlimit now;

    if (getrlimit(RLIMIT_DATA, &now) < 0)
        _exit(EXIT_FAILURE);
    now.rlim_cur = MIN((rlim_t)bytes, now.rlim_max);
    if (setrlimit(RLIMIT_DATA, &now) < 0)
        _exit(EXIT_FAILURE);
#else
#endif
}

/* Lets SIGALRM, which has no handler, end the process after the deadline; 0: never. */
static void limit_time(int64_t deadline_mono_ms)
{
    struct itimerval late = {0};
    int64_t left_ms = MAX(deadline_mono_ms - clock_mono_ms(), 0) + LATE_MS;

    if (deadline_mono_ms != 0)
        late.it_value =
            (struct timeval){.tv_sec = left_ms / 1000, .tv_usec = left_ms % 1000 * 1000};
    (void)setitimer(ITIMER_REAL, &late, NULL);
}

static int type_number(const char *type)
{
    int number = 0;

    while (image_types[number] && strcmp(image_types[number], type) != 0)
        number++;
    return number;
}

static struct image_report decode(const struct image_order *order, const int files[static FILES])
{
    struct image_job job = {.from = files[0],
                            .to = files[1],
                            .size = order->size,
                            .png = order->png,
                            .deadline_mono_ms = order->deadline_mono_ms,
                            .memory = order->memory,
                            .pixels = order->pixels};
    struct image_report report;

    limit_memory(MEMORY_BASE + MEMORY_SHARE * order->memory);
    limit_time(order->deadline_mono_ms);
    image_vips_run(&job);
    limit_time(0);
    memset(&report, 0, sizeof(report));
    report.status = (int)job.status;
    report.error_number = job.error_number;
    report.decoded = job.decoded;
    report.memory = job.memory;
    report.pixels = job.pixels;
    report.width = job.made.width;
    report.height = job.made.height;
    report.bytes = job.made.bytes;
    if (job.status == IMAGE_MADE)
        report.type = type_number(job.made.contentType);
    return report;
}

static NORETURN void decoder(int socket, bool idle, bool usable)
{
    struct image_report report = {.status = IMAGE_NO_LIBRARY};
    struct image_order order;
    int files[FILES];
    bool good;

    close(HIRE_FD);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    yield_to_others(idle);
    renounce();
    while (receive(socket, &order, sizeof(order), files, FILES, &good)) {
        if (!good)
            continue;
        if (usable)
            report = decode(&order, files);
        close(files[0]);
        close(files[1]);
        if (send(socket, &report, sizeof(report), MSG_NOSIGNAL) < 0)
            break;
    }
    _exit(EXIT_SUCCESS);
}

/* ---- the forking process ---- */

static void on_child(int signo UNUSED)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

int image_program(void)
{
    const struct sigaction reap = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    struct image_hire hire;
    bool usable, good;
    int socket;

    close_range(STDERR_FILENO + 1, ~0u, 0); /* also the program's own file, if it is a script */
    image_vips_prepare();
    usable = image_vips_start();
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    (void)signal(SIGALRM, SIG_DFL);
    (void)sigaction(SIGCHLD, &reap, NULL);
    while (receive(HIRE_FD, &hire, sizeof(hire), &socket, 1, &good)) {
        if (!good)
            continue;
        if (fork() == 0)
            decoder(socket, hire.idle, usable);
        close(socket); /* after a failed fork, this ends the decoder */
    }
    return EXIT_SUCCESS;
}
