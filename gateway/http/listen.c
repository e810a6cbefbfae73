/* listen.c - see listen.h. */
#include "gateway/http/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

enum { BACKLOG = 4096 };

static int set_option(int fd, int level, int option)
{
    int on = 1;

    return setsockopt(fd, level, option, &on, sizeof(on));
}

/* Opens a listening socket, from which accepted sockets inherit TCP_NODELAY. */
static int open_socket(const struct addrinfo *info, const char *address, struct error *err)
{
    int fd = socket(info->ai_family, info->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd >= 0 && set_option(fd, SOL_SOCKET, SO_REUSEADDR) == 0 &&
        set_option(fd, SOL_SOCKET, SO_REUSEPORT) == 0 &&
        set_option(fd, IPPROTO_TCP, TCP_NODELAY) == 0 &&
        bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    (void)error_set(err, ERR_INTERNAL, "cannot listen on %s: %s", address, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Listens on a numeric address: a name would need a resolver at the start. */
static int listen_on(const char *address, struct error *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *info = NULL;
    char host[64];
    const char *colon = strrchr(address, ':');
    size_t length = colon ? (size_t)(colon - address) : 0;
    int fd;

    if (length > 2 && address[0] == '[' && address[length - 1] == ']') {
        address++;
        length -= 2;
    }
    if (!colon || length >= sizeof(host))
        return error_set(err, ERR_INTERNAL, "\"%s\" is not ADDRESS:PORT", address);
    memcpy(host, address, length);
    host[length] = '\0';
    if (getaddrinfo(length > 0 ? host : NULL, colon + 1, &hints, &info) != 0)
        return error_set(err, ERR_INTERNAL, "\"%s\" is not ADDRESS:PORT", address);
    fd = open_socket(info, address, err);
    freeaddrinfo(info);
    return fd;
}

static int take_passed(struct listen_socket ret[static LISTEN_MAX], size_t *ret_count,
                       struct error *err)
{
    char **names = NULL;
    int count = sd_listen_fds_with_names(1, &names);

    for (int i = 0; i < count && i < LISTEN_MAX - 2; i++)
        ret[(*ret_count)++] =
            (struct listen_socket){SD_LISTEN_FDS_START + i, strcmp(names[i], "admin") == 0};
    for (int i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
    if (count < 0 || count > LISTEN_MAX - 2)
        return error_set(err, ERR_INTERNAL, "cannot use the passed sockets (%d)", count);
    return 0;
}

static bool has(const struct listen_socket *sockets, size_t count, bool admin)
{
    for (size_t i = 0; i < count; i++)
        if (sockets[i].admin == admin)
            return true;
    return false;
}

int listen_sockets(const char *public_address, const char *admin_address,
                   struct listen_socket ret[static LISTEN_MAX], size_t *ret_count,
                   struct error *err)
{
    const char *const addresses[] = {public_address, admin_address};

    *ret_count = 0;
    if (take_passed(ret, ret_count, err) < 0)
        return -1;
    for (int admin = 0; admin < 2; admin++) {
        if (has(ret, *ret_count, admin) || !addresses[admin] || addresses[admin][0] == '\0')
            continue;
        ret[*ret_count].fd = listen_on(addresses[admin], err);
        if (ret[*ret_count].fd < 0)
            return -1;
        ret[(*ret_count)++].admin = admin;
    }
    return 0;
}
