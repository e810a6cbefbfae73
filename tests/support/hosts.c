/*
 * hosts.c - see hosts.h.
 */
#include "tests/support/hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/suite_command.h"

enum { PACKET_MAX = 65536, TAP_BUFFER = 64 << 20, TAP_WAIT_US = 100000, WORDS_MAX = 8 };

/* A namespace lives as long as its process or an open descriptor of it. */
struct space {
    pid_t pid;
    int fd;
};

struct hosts {
    struct space hub, hosts[HOSTS_MAX];
    size_t count;
};

static void stay(int ready)
{
    char word = '1';

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (unshare(CLONE_NEWNET) == 0 && write(ready, &word, 1) == 1)
        for (;;)
            pause();
    _exit(1);
}

static bool space_make(struct space *self)
{
    char path[64], word;
    int ready[2];

    if (pipe2(ready, O_CLOEXEC) < 0 || (self->pid = fork()) < 0)
        abort();
    if (self->pid == 0)
        stay(ready[1]);
    close(ready[1]);
    if (read(ready[0], &word, 1) == 1) {
        snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)self->pid);
        self->fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    close(ready[0]);
    return self->fd > 0;
}

static void space_end(struct space *self)
{
    if (self->pid > 0) {
        kill(self->pid, SIGKILL);
        waitpid(self->pid, NULL, 0);
    }
    if (self->fd > 0)
        close(self->fd);
}

static void enter(const struct space *space)
{
    if (setns(space->fd, CLONE_NEWNET) < 0) {
        perror("hosts: setns");
        abort();
    }
}

void hosts_enter(const struct hosts *self, int host)
{
    enter(host == HOSTS_SWITCH ? &self->hub : &self->hosts[host]);
}

/* Runs commands of ip(8), one per line, in a namespace. */
static bool ip(const struct space *space, const char *lines)
{
    char target[64];
    const char *const argv[] = {"/usr/bin/nsenter", target, "/bin/ip", "-batch", "-", NULL};

    snprintf(target, sizeof(target), "--net=/proc/%d/ns/net", (int)space->pid);
    PROGRAM run = program_run(argv, lines);
    if (run->code != 0)
        fprintf(stderr, "hosts: ip: %s", run->err);
    return run->code == 0;
}

static bool plug_in(struct hosts *self, size_t i)
{
    char lines[256];

    if (!space_make(&self->hosts[i]))
        return false;
    snprintf(lines, sizeof(lines),
             "link add line%zu type veth peer name eth0 netns %d\n"
             "link set line%zu master hub up\n",
             i, (int)self->hosts[i].pid, i);
    if (!ip(&self->hub, lines))
        return false;
    snprintf(lines, sizeof(lines),
             "link set lo up\naddress add 10.77.0.%zu/24 dev eth0\nlink set eth0 up\n", i + 1);
    return ip(&self->hosts[i], lines);
}

struct hosts *hosts_new(size_t count)
{
    struct hosts *self = calloc(1, sizeof(*self));
    bool good;

    good = geteuid() == 0 && space_make(&self->hub) &&
           ip(&self->hub, "link set lo up\nlink add hub type bridge\n"
                          "address add 10.77.0.254/24 dev hub\nlink set hub up\n");
    while (good && self->count < count)
        good = plug_in(self, self->count++);
    if (good)
        return self;
    fprintf(stderr, "hosts: no network namespaces with a bridge can be made here (%s)\n",
            geteuid() == 0 ? "the kernel forbids them" : "this needs root");
    hosts_destroy(&self);
    return NULL;
}

void hosts_destroy(struct hosts **self_p)
{
    struct hosts *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++)
        space_end(&self->hosts[i]);
    space_end(&self->hub);
    free(self);
}

void hosts_cut(const struct hosts *self, int host, bool cut)
{
    char line[64];

    snprintf(line, sizeof(line), "link set line%d %s\n", host, cut ? "down" : "up");
    if (!ip(&self->hub, line))
        abort();
}

/* Resolves the other host to an unused link address. */
static void misdirect(const struct hosts *self, int from, int to, bool part)
{
    char line[128];

    snprintf(line, sizeof(line), "neighbour %s 10.77.0.%d dev eth0%s\n",
             part ? "replace" : "delete", to + 1,
             part ? " lladdr 02:00:00:00:00:fe nud permanent" : "");
    if (!ip(&self->hosts[from], line))
        abort();
}

void hosts_part(const struct hosts *self, int one, int other, bool part)
{
    misdirect(self, one, other, part);
    misdirect(self, other, one, part);
}

struct hosts_tap {
    pthread_t thread;
    atomic_bool stop;
    int fd;
    uint64_t bytes;
    const char *const *words;
    size_t found[WORDS_MAX];
};

static void look_at(struct hosts_tap *self, const char *packet, size_t size)
{
    self->bytes += size;
    for (size_t i = 0; self->words[i]; i++)
        self->found[i] += memmem(packet, size, self->words[i], strlen(self->words[i])) != NULL;
}

static void *tap_thread(void *arg)
{
    struct hosts_tap *self = arg;
    char *packet = malloc(PACKET_MAX);

    while (!atomic_load(&self->stop)) {
        ssize_t size = recv(self->fd, packet, PACKET_MAX, 0);

        if (size > 0)
            look_at(self, packet, (size_t)size);
    }
    free(packet);
    return NULL;
}

/* The socket stays in the switch's namespace, where it was made, when the thread returns. */
static int tap_open(const struct hosts *self)
{
    const struct timeval wait = {.tv_usec = TAP_WAIT_US};
    const int room = TAP_BUFFER;
    int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), fd;

    enter(&self->hub);
    fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0 ||
        setns(home, CLONE_NEWNET) < 0) {
        perror("hosts: tap");
        abort();
    }
    close(home);
    return fd;
}

struct hosts_tap *hosts_tap_start(const struct hosts *self, const char *const *words)
{
    struct hosts_tap *tap = calloc(1, sizeof(*tap));

    tap->words = words;
    tap->fd = tap_open(self);
    if (pthread_create(&tap->thread, NULL, tap_thread, tap) != 0)
        abort();
    return tap;
}

uint64_t hosts_tap_stop(struct hosts_tap **self_p, size_t *ret)
{
    struct hosts_tap *self = TAKE_PTR(*self_p);
    uint64_t bytes;

    atomic_store(&self->stop, true);
    pthread_join(self->thread, NULL);
    close(self->fd);
    for (size_t i = 0; self->words[i]; i++)
        ret[i] = self->found[i];
    bytes = self->bytes;
    free(self);
    return bytes;
}
