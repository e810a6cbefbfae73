/* mhd_socket.c - see mhd_socket.h. */
#include "gateway/http/mhd_socket.h"

#include <errno.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "gateway/http/connection.h"

enum {
    FIRST_SIZE = 1024,
    FILE_PIECE = 1024 * 1024, /* bytes per call, so that others don't wait long */
};

/* Connections by descriptor, per thread: ZeroMQ's threads see none. */
static _Thread_local struct {
    struct connection **items;
    size_t size;
} watched;

struct connection *mhd_socket_connection(int fd)
{
    return fd >= 0 && (size_t)fd < watched.size ? watched.items[fd] : NULL;
}

void mhd_socket_watch(int fd, struct connection *connection)
{
    size_t size = MAX(watched.size, (size_t)FIRST_SIZE);

    if (fd < 0)
        return;
    while (size <= (size_t)fd)
        size *= 2;
    if (size > watched.size) {
        watched.items = memory_resize(watched.items, size, sizeof(struct connection *));
        memset(watched.items + watched.size, 0,
               (size - watched.size) * sizeof(struct connection *));
        watched.size = size;
    }
    watched.items[fd] = connection;
}

void mhd_socket_unwatch(int fd)
{
    if (mhd_socket_connection(fd))
        watched.items[fd] = NULL;
}

/* ---- system calls ---- */

static ssize_t call_recv(int fd, void *bytes, size_t size, int flags)
{
    return syscall(SYS_recvfrom, fd, bytes, size, flags, NULL, NULL);
}

static ssize_t call_send(int fd, const void *bytes, size_t size, int flags)
{
    return syscall(SYS_sendto, fd, bytes, size, flags, NULL, 0);
}

void mhd_socket_send(int fd, const char *bytes, size_t size)
{
    (void)!call_send(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void mhd_socket_drain(int fd, size_t max)
{
    char bytes[4096];
    ssize_t got = 1;

    for (size_t size = 0; size < max && got > 0; size += (size_t)MAX(got, (ssize_t)0))
        got = call_recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
}

bool mhd_socket_is_over(int fd)
{
    char byte;

    return call_recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void mhd_socket_shutdown(int fd)
{
    (void)syscall(SYS_shutdown, fd, SHUT_RDWR);
}

/* ---- calls of libmicrohttpd ---- */

/* Parses an answer made by libmicrohttpd, "HTTP/1.1 400 ". */
static int status_of(const char *bytes, size_t size)
{
    static const char version[] = "HTTP/1.";
    const size_t at = sizeof("HTTP/1.1 ") - 1;

    if (size < at + 4 || memcmp(bytes, version, sizeof(version) - 1) != 0)
        return 0;
    return (int)strtol(bytes + at, NULL, 10);
}

static bool is_dropped(struct connection *connection, const char *bytes, size_t size)
{
    int status;

    if (!connection || connection->answering)
        return false;
    if (connection->cut)
        return true;
    status = status_of(bytes, size);
    if (status < 200)
        return false;
    connection->all->refused(connection, status);
    return true;
}

/* True after a short read, which empties an edge-triggered socket. */
static bool is_drained(const struct mhd_epoll *edge, ssize_t got, size_t size)
{
    bool none = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);

    return edge->in_kernel && !edge->over && (none || (got > 0 && (size_t)got < size));
}

/* Returns how many bytes libmicrohttpd gets. *ret_got: as recv(). */
static size_t receive(struct connection *connection, uint8_t *bytes, size_t size, int flags,
                      ssize_t *ret_got)
{
    size_t held = connection->framing.held_size;

    *ret_got = call_recv(connection->fd, bytes + held, size - held, flags);
    connection->edge.drained = is_drained(&connection->edge, *ret_got, size - held);
    if (*ret_got <= 0) {
        connection->over |= *ret_got == 0;
        return 0;
    }
    connection->begun = true;
    connection->moved += (uint64_t)*ret_got;
    return framing_filter(&connection->framing, bytes, (size_t)*ret_got);
}

void mhd_socket_check(struct connection *connection)
{
    const struct framing *framing = &connection->framing;

    if (framing->status && !connection->cut && connection->ended == framing->requests)
        connection->all->refused(connection, framing->status);
}

/* libmicrohttpd stops reading after a short read. So after dropped bytes, read again, and if the
 * buffer was too small, make epoll report the rest again. Nothing is read after malformed bytes. */
static ssize_t receive_all(struct connection *connection, uint8_t *bytes, size_t size, int flags)
{
    const struct framing *framing = &connection->framing;
    size_t kept = 0, wanted;
    ssize_t got;

    do {
        wanted = size - kept - framing->held_size;
        kept += receive(connection, bytes + kept, size - kept, flags, &got);
    } while (got == (ssize_t)wanted && !framing->status && kept + framing->held_size < size);
    if (got == (ssize_t)wanted && kept < size && connection->edge.repeat)
        connection->edge.repeat(connection, connection->fd);
    if (kept > 0 || got <= 0)
        return kept > 0 ? (ssize_t)kept : got;
    errno = EAGAIN;
    return -1;
}

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    struct connection *connection = mhd_socket_connection(fd);
    ssize_t got;

    if (!connection || (flags & MSG_PEEK))
        return call_recv(fd, bytes, size, flags);
    if (connection->framing.held_size >= size && size > 0)
        connection->all->refused(connection, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE);
    if (connection->cut)
        return 0;
    if (connection->framing.status || connection->edge.drained) {
        errno = EAGAIN;
        return -1;
    }
    got = receive_all(connection, bytes, size, flags);
    mhd_socket_check(connection);
    if (connection->cut)
        return 0;
    /* libmicrohttpd would close without answering. connections_sweep() answers incomplete requests
     * and closes idle connections. */
    if (got == 0 && connection->phase != CONNECTION_IDLE) {
        errno = EAGAIN;
        return -1;
    }
    return got;
}

static ssize_t sent(struct connection *connection, ssize_t size)
{
    if (connection && size > 0)
        connection->moved += (uint64_t)size;
    return size;
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
    struct connection *connection = mhd_socket_connection(fd);

    if (is_dropped(connection, bytes, size))
        return (ssize_t)size;
    return sent(connection, call_send(fd, bytes, size, flags));
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct connection *connection = mhd_socket_connection(fd);
    size_t size = 0;

    for (size_t i = 0; i < message->msg_iovlen; i++)
        size += message->msg_iov[i].iov_len;
    if (message->msg_iovlen > 0 &&
        is_dropped(connection, message->msg_iov[0].iov_base, message->msg_iov[0].iov_len))
        return (ssize_t)size;
    return sent(connection, syscall(SYS_sendmsg, fd, message, flags));
}

/* Returns how much of a file to send. libmicrohttpd asks for 128 KiB per turn and accepts more. The
 * file's last piece keeps the size that it asked for, because it flushes the socket (TCP_CORK) only
 * after that piece. */
static size_t file_piece(const struct connection *connection, off64_t offset, size_t size)
{
    off64_t more = connection ? connection->file_end - offset - (off64_t)size : 0;

    if (more <= (off64_t)size)
        return size;
    return more < FILE_PIECE ? (size_t)more : MAX(size, (size_t)FILE_PIECE);
}

/* Fails for a truncated file, because libmicrohttpd would wait for the client. */
ssize_t sendfile64(int fd, int file, off64_t *offset, size_t size)
{
    struct connection *connection = mhd_socket_connection(fd);
    ssize_t done;

    if (connection && connection->cut)
        return (ssize_t)size;
    done = sent(connection,
                syscall(SYS_sendfile, fd, file, offset, file_piece(connection, *offset, size)));
    if (done == 0 && size > 0) {
        errno = EBADF;
        return -1;
    }
    return done;
}

/* libmicrohttpd closes silently if the bytes aren't a request, so answer 400 first. */
int shutdown(int fd, int how)
{
    struct connection *connection = mhd_socket_connection(fd);

    if (connection && connection->phase == CONNECTION_IDLE && connection->begun &&
        !connection->over && !connection->cut && !connection->closing)
        connection->all->refused(connection, 400);
    return (int)syscall(SYS_shutdown, fd, how);
}
