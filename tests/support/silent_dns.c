/*
 * silent_dns.c - see silent_dns.h.
 */
#include "tests/support/silent_dns.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DNS_PORT = 53, HEADER_SIZE = 12, MESSAGE_MAX = 512, TYPE_A = 1, NXDOMAIN = 3 };

struct silent_dns {
    int fd;
    pthread_t thread;
    atomic_bool silent, stop;
    atomic_size_t queries;
};

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return done;
}

/* An ordinary user keeps its uid, so that PostgreSQL and daemons find their files. */
static bool enter_namespaces(void)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    char map[64];

    if (uid == 0)
        return unshare(CLONE_NEWNET | CLONE_NEWNS) == 0;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) < 0)
        return false;
    snprintf(map, sizeof(map), "%u %u 1", uid, uid);
    if (!write_text("/proc/self/uid_map", map) || !write_text("/proc/self/setgroups", "deny"))
        return false;
    snprintf(map, sizeof(map), "%u %u 1", gid, gid);
    return write_text("/proc/self/gid_map", map);
}

static bool bring_up_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool done = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;

    if (fd >= 0)
        close(fd);
    return done;
}

/* Uses resolv.conf(5)'s defaults: two attempts of five seconds each. */
static bool replace_resolv_conf(void)
{
    char path[] = "/tmp/atrium-resolv-XXXXXX";
    int fd = mkstemp(path);
    bool done = fd >= 0 && dprintf(fd, "nameserver 127.0.0.1\n") > 0 && fchmod(fd, 0644) == 0 &&
                mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
                mount(path, "/etc/resolv.conf", "none", MS_BIND, NULL) == 0;

    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    return done;
}

static bool is_absent(const uint8_t *bytes, size_t end)
{
    static const char below[] = "\6absent\7example";

    return end >= sizeof(below) && memmem(bytes, end, below, sizeof(below));
}

/* RFC 1035: the response repeats the question. Its TTL is 0. */
static size_t answer(struct silent_dns *self, uint8_t *bytes, size_t size)
{
    static const uint8_t record[] = {0xc0, HEADER_SIZE, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1};
    size_t end = HEADER_SIZE;
    bool absent, address;

    while (end < size && bytes[end])
        end += bytes[end] + 1u;
    end += 5;
    if (end > size || end + sizeof(record) > MESSAGE_MAX)
        return 0;
    address = bytes[end - 3] == TYPE_A;
    atomic_fetch_add(&self->queries, address);
    absent = is_absent(bytes, end);
    bytes[2] = 0x84;
    bytes[3] = absent ? NXDOMAIN : 0;
    memset(bytes + 6, 0, 6);
    if (absent || !address)
        return end;
    bytes[7] = 1;
    memcpy(bytes + end, record, sizeof(record));
    return end + sizeof(record);
}

static void *server_main(void *arg)
{
    struct silent_dns *self = arg;
    struct pollfd ready = {self->fd, POLLIN, 0};

    while (!atomic_load(&self->stop)) {
        uint8_t bytes[MESSAGE_MAX];
        struct sockaddr_in from;
        socklen_t from_size = sizeof(from);
        ssize_t size;

        if (poll(&ready, 1, 50) <= 0)
            continue;
        size = recvfrom(self->fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &from_size);
        if (size < HEADER_SIZE)
            continue;
        size = (ssize_t)answer(self, bytes, (size_t)size);
        if (!atomic_load(&self->silent))
            (void)!sendto(self->fd, bytes, (size_t)size, 0, (struct sockaddr *)&from, from_size);
    }
    return NULL;
}

static int listen_dns(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(DNS_PORT),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
        return fd;
    perror("silent_dns");
    exit(1);
}

struct silent_dns *silent_dns_start(const char **ret_reason)
{
    struct silent_dns *self;

    if (!enter_namespaces() || !bring_up_loopback() || !replace_resolv_conf()) {
        *ret_reason = "no namespaces of network and mounts for this user";
        return NULL;
    }
    self = calloc(1, sizeof(*self));
    if (!self)
        exit(1);
    self->fd = listen_dns();
    if (pthread_create(&self->thread, NULL, server_main, self) != 0)
        exit(1);
    return self;
}

void silent_dns_stop(struct silent_dns **self_p)
{
    struct silent_dns *self = *self_p;

    if (!self)
        return;
    atomic_store(&self->stop, true);
    pthread_join(self->thread, NULL);
    close(self->fd);
    free(self);
    *self_p = NULL;
}

void silent_dns_set(struct silent_dns *self, bool silent)
{
    atomic_store(&self->silent, silent);
}

size_t silent_dns_asked(const struct silent_dns *self)
{
    return atomic_load(&self->queries);
}
