/*
 * bus_endpoint.c - the bus's paths, directories, lock and listening sockets.
 *
 * libzmq gets listening descriptors. If it bound paths itself, it would unlink any file there, even
 * a living peer's socket, and again after the close.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/acl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/bus/bus_private.h"

enum { LISTEN_BACKLOG = 128 };

static int path_format(char *path, size_t room, struct error *err, const char *format, ...)
    PRINTF_LIKE(4, 5);

static int path_format(char *path, size_t room, struct error *err, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(path, room, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= room)
        return error_set(
            err, ERR_INTERNAL,
            "The socket path would have %d bytes, a socket's can have %zu: shorten run_dir.",
            length, room - 1);
    return 0;
}

int bus_socket_path(char path[static BUS_PATH_SIZE], const char *run_dir, const char *service,
                    const char *caller, const char *instance, struct error *err)
{
    return path_format(path, BUS_PATH_SIZE, err, "%s/bus/%s/%s.%s", run_dir, service, caller,
                       instance);
}

/* Keeps an existing directory's mode: the installation sets its owner. */
static int make_one(const char *path, struct error *err)
{
    if (mkdir(path, 0770) == 0 || errno == EEXIST)
        return 0;
    return error_set(err, ERR_INTERNAL, "Cannot make the directory %s: %s.", path, strerror(errno));
}

int bus_make_directory(const char *run_dir, const char *service, struct error *err)
{
    char path[BUS_PATH_SIZE];

    if (make_one(run_dir, err) < 0 || path_format(path, sizeof(path), err, "%s/bus", run_dir) < 0 ||
        make_one(path, err) < 0 ||
        path_format(path, sizeof(path), err, "%s/bus/%s", run_dir, service) < 0)
        return -1;
    return make_one(path, err);
}

/* Locks a file for this instance. The file is never unlinked, because a successor could otherwise
 * lock a second file of this name. */
int bus_lock_acquire(struct bus *self, struct error *err)
{
    const struct bus_options *options = self->options;
    char path[BUS_PATH_SIZE];
    int fd;

    if (path_format(path, sizeof(path), err, "%s/bus/%s/%s.lock", options->run_dir,
                    options->service, options->instance) < 0)
        return -1;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0660);
    if (fd < 0)
        return error_set(err, ERR_INTERNAL, "Cannot open %s: %s.", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return error_set(err, ERR_CONFLICT, "Instance %s of %s is running already (%s is locked).",
                         options->instance, options->service, path);
    }
    self->lock = fd;
    return 0;
}

void bus_lock_drop(struct bus *self)
{
    if (self->lock >= 0)
        close(self->lock);
    self->lock = -1;
}

/* Lets the caller's group connect, with an access list: chown would need membership of that group,
 * which would allow impersonation. A suite of one user needs no list; without one only the owner
 * connects. */
static void give_to_caller(const char *path, const char *caller)
{
    char text[BUS_NAME_MAX + sizeof("u::rw,g::rw,g:atrium-:rw,m::rw,o::-")];
    acl_t list;

    snprintf(text, sizeof(text), "u::rw,g::rw,g:atrium-%s:rw,m::rw,o::-", caller);
    list = acl_from_text(text);
    if (!list)
        return;
    acl_set_file(path, ACL_TYPE_ACCESS, list);
    acl_free(list);
}

/* Listens at a path, which appears only when clients can connect. */
static int listen_at(int type, const char *path, const char *temporary, const char *caller,
                     struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    memcpy(address.sun_path, temporary, strlen(temporary) + 1);
    unlink(temporary);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
        goto failed;
    if (chmod(temporary, 0660) != 0)
        goto failed;
    give_to_caller(temporary, caller);
    if (listen(fd, LISTEN_BACKLOG) != 0 || rename(temporary, path) != 0)
        goto failed;
    return fd;
failed:
    error_set(err, ERR_INTERNAL, "Cannot listen at %s: %s.", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

int bus_endpoint_listen(struct bus_socket *socket, struct error *err)
{
    const struct bus_options *options = socket->bus->options;
    char temporary[BUS_PATH_SIZE], endpoint[BUS_PATH_SIZE + sizeof("ipc://")];
    int fd;

    if (path_format(temporary, sizeof(temporary), err, "%s/bus/%s/.%s", options->run_dir,
                    options->service, options->instance) < 0)
        return -1;
    fd = listen_at(SOCK_STREAM, socket->path, temporary, socket->service, err);
    if (fd < 0)
        return -1;
    socket->router = bus_socket_new(ZMQ_ROUTER, options->serve_max + BUS_QUEUE_SLACK);
    bus_socket_option(socket->router, ZMQ_LINGER, BUS_LINGER_MS);
    bus_socket_option(socket->router, ZMQ_ROUTER_MANDATORY, 1);
    bus_socket_option(socket->router, ZMQ_USE_FD, fd);
    snprintf(endpoint, sizeof(endpoint), "ipc://%s", socket->path);
    if (zmq_bind(zsock_resolve(socket->router), endpoint) != 0) {
        error_set(err, ERR_INTERNAL, "Cannot bind %s: %s.", endpoint, zmq_strerror(zmq_errno()));
        close(fd);
        return -1;
    }
    return 0;
}

int bus_listen_beside(struct bus *self, const char *name, const char *caller, struct error *err)
{
    const struct bus_options *options = self->options;
    char temporary[BUS_PATH_SIZE], path[BUS_PATH_SIZE];
    int fd;

    if (bus_socket_path(path, options->run_dir, options->service, name, options->instance, err) <
            0 ||
        path_format(temporary, sizeof(temporary), err, "%s/bus/%s/.%s", options->run_dir,
                    options->service, options->instance) < 0)
        return -1;
    fd = listen_at(SOCK_SEQPACKET, path, temporary, caller, err);
    if (fd >= 0)
        memcpy(self->beside, path, sizeof(path));
    return fd;
}

int bus_connect_beside(const struct bus *self, const char *peer, const char *name)
{
    const char *dot = strchr(peer, '.');
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct error err;
    int fd;

    error_init(&err, NULL);
    if (!dot || path_format(address.sun_path, sizeof(address.sun_path), &err, "%s/bus/%.*s/%s.%s",
                            self->options->run_dir, (int)(dot - peer), peer, name, dot + 1) < 0)
        return -1;
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    close(fd);
    return -1;
}
