/* ports.c - see ports.h. */
#include "dev/ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

/* Reports errno, and how to choose another port if another program has this one. */
static int refused(int port, const char *host, struct error *err)
{
    return error_set(err, ERR_CONFLICT, "port %d of %s: %s%s", port, host, strerror(errno),
                     errno == EADDRINUSE ? "; choose another with --port N (make run PORT=N)" : "");
}

/* Binds a socket. `shared`: the suite's other sockets can bind the same port. */
static int bound_socket(int *port, bool shared, struct error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof(address);
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (fd >= 0 && shared)
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0) {
        refused(*port, "127.0.0.1", err);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

/* Browsers try localhost as ::1 first: another program there would get this suite's data. */
static int check_ipv6(int port, struct error *err)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6,
                                   .sin6_addr = IN6ADDR_LOOPBACK_INIT,
                                   .sin6_port = htons((uint16_t)port)};
    int one = 1, result = 0, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return 0;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 && errno == EADDRINUSE)
        result = refused(port, "::1", err);
    close(fd);
    return result;
}

/* Checks that no other suite has the port, which SO_REUSEPORT would share. */
static int check_free(int port, struct error *err)
{
    int probe = bound_socket(&port, false, err);

    if (probe < 0)
        return -1;
    if (listen(probe, 1) < 0) {
        refused(port, "127.0.0.1", err);
        close(probe);
        return -1;
    }
    close(probe);
    return check_ipv6(port, err);
}

int ports_listen(int *port, int *sockets, size_t count, struct error *err)
{
    if (*port != 0 && check_free(*port, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        sockets[i] = bound_socket(port, count > 1, err);
        if (sockets[i] >= 0 && listen(sockets[i], BACKLOG) == 0)
            continue;
        if (sockets[i] >= 0)
            refused(*port, "127.0.0.1", err);
        for (size_t opened = 0; opened <= i; opened++) {
            if (sockets[opened] >= 0)
                close(sockets[opened]);
        }
        return -1;
    }
    return 0;
}
