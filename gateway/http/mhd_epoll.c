/* mhd_epoll.c - see mhd_epoll.h. */
#include "gateway/http/mhd_epoll.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/log.h"
#include "gateway/http/connection.h"
#include "gateway/http/mhd_socket.h"

/* Marks connection pointers among libmicrohttpd's event data. */
enum { OURS = 1 };

/* Per thread, because only the loop's thread uses libmicrohttpd. */
static _Thread_local struct {
    int descriptors[EPOLLS_MAX];
    bool quiet[EPOLLS_MAX]; /* see mhd_epoll_ask() */
    size_t count;
} library;

static ssize_t library_find(int epoll)
{
    for (size_t i = 0; i < library.count; i++)
        if (library.descriptors[i] == epoll)
            return (ssize_t)i;
    return -1;
}

void mhd_epoll_use(int epoll)
{
    if (library.count == EPOLLS_MAX)
        log_die("mhd_epoll", "too many listeners");
    library.quiet[library.count] = false;
    library.descriptors[library.count++] = epoll;
}

void mhd_epoll_forget(int epoll)
{
    ssize_t i = library_find(epoll);

    if (i < 0)
        return;
    library.count--;
    library.descriptors[i] = library.descriptors[library.count];
    library.quiet[i] = library.quiet[library.count];
}

void mhd_epoll_ask(int epoll, bool ask)
{
    ssize_t i = library_find(epoll);

    if (i >= 0)
        library.quiet[i] = !ask;
}

static int call_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    return (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
}

/* Sets the kernel's events. Without EPOLLRDHUP, an end that arrives with bytes is reported only
 * once. */
static int kernel_set(struct connection *connection, int operation, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLRDHUP,
                                .data.u64 = (uint64_t)(uintptr_t)connection | OURS};

    return call_ctl(connection->edge.epoll, operation, fd, &event);
}

static void repeat(struct connection *connection, int fd)
{
    if (connection->edge.in_kernel)
        (void)kernel_set(connection, EPOLL_CTL_MOD, fd, connection->edge.events);
}

/* Adds a socket for libmicrohttpd. EPOLL_CTL_MOD makes the kernel report missed events. */
static int library_add(struct connection *connection, int fd, const struct epoll_event *event)
{
    struct mhd_epoll *self = &connection->edge;
    int result = 0;

    self->data = event->data.ptr;
    self->events = event->events;
    self->repeat = repeat;
    if (!self->in_kernel || self->missed)
        result = kernel_set(connection, self->in_kernel ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd,
                            event->events);
    if (result < 0)
        return -1;
    self->in_kernel = self->in_library = true;
    self->missed = false;
    return 0;
}

static bool take_event(struct epoll_event *event)
{
    struct connection *connection;
    struct mhd_epoll *self;

    if ((event->data.u64 & OURS) == 0)
        return true;
    connection = (struct connection *)(uintptr_t)(event->data.u64 & ~(uint64_t)OURS);
    self = &connection->edge;
    if (event->events & ~(uint32_t)EPOLLOUT)
        self->drained = false;
    if (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        self->over = true;
    if (!self->in_library) {
        self->missed = true;
        return false;
    }
    event->events &= ~(uint32_t)EPOLLRDHUP;
    event->data.ptr = self->data;
    return true;
}

/* libmicrohttpd removes sockets itself, except those it believes removed. */
void mhd_epoll_end(struct mhd_epoll *self, int fd)
{
    if (self->in_kernel && !self->in_library)
        (void)call_ctl(self->epoll, EPOLL_CTL_DEL, fd, NULL);
    self->in_kernel = false;
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    struct connection *connection = mhd_socket_connection(fd);

    if (!connection || library_find(epoll) < 0)
        return call_ctl(epoll, operation, fd, event);
    if (operation == EPOLL_CTL_ADD) {
        connection->edge.epoll = epoll;
        return library_add(connection, fd, event);
    }
    if (operation == EPOLL_CTL_DEL && connection->edge.in_kernel) {
        connection->edge.in_library = false;
        return 0;
    }
    return call_ctl(epoll, operation, fd, event);
}

int epoll_wait(int epoll, struct epoll_event *events, int max, int timeout)
{
    ssize_t index = library_find(epoll);
    int count, kept = 0;

    if (index >= 0 && library.quiet[index])
        return 0;
    count = (int)syscall(SYS_epoll_wait, epoll, events, max, timeout);
    if (index < 0)
        return count;
    for (int i = 0; i < count; i++) {
        struct epoll_event event = events[i];

        if (take_event(&event))
            events[kept++] = event;
    }
    return count < 0 ? count : kept;
}
