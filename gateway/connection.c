/*
 * connection.c - keeps track of the open sockets of a listener.  Called by exchange.c as requests pass through
 * their phases, and by site.c's sweep every few seconds.
 */
#include <stdlib.h>
#include <sys/socket.h>

#include "common/log.h"
#include "gateway/connection.h"

enum {
    IDLE_MAX_MS = 60000, /* 30 s of silence (libmicrohttpd closes then), and 30 s for a header */
    READING_MAX_MS = 30000,
    WRITING_MAX_MS = 60000,
    SLOWEST = 4096, /* bytes a second */
};

struct connection *connection_new(struct connections *all, struct MHD_Connection *connection,
                                  int64_t mono_ms)
{
    struct connection *self = calloc(1, sizeof(*self));
    const union MHD_ConnectionInfo *info;

    if (!self)
        log_die("connection", "out of memory");
    info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    self->fd = info ? info->connect_fd : -1;
    info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    address_from_socket(info ? info->client_addr : NULL, &self->peer);
    self->since_ms = mono_ms;
    self->next = all->head;
    self->link = &all->head;
    if (self->next)
        self->next->link = &self->next;
    all->head = self;
    return self;
}

void connection_destroy(struct connection **self_p)
{
    struct connection *self = *self_p;

    if (!self)
        return;
    *self->link = self->next;
    if (self->next)
        self->next->link = self->link;
    free(self);
    *self_p = NULL;
}

void connection_enter(struct connection *self, enum connection_phase phase, int64_t mono_ms)
{
    self->phase = phase;
    self->since_ms = mono_ms;
    self->more_ms = 0;
}

void connection_allow(struct connection *self, int64_t bytes)
{
    self->more_ms = bytes * 1000 / SLOWEST;
}

/* Whether the client will send no more while more is needed.  libmicrohttpd 0.9.75 misses an end that arrives
 * together with the bytes before it, because epoll reports it only once. */
static bool is_over(const struct connection *self)
{
    char byte;

    return (self->phase == CONNECTION_IDLE || self->phase == CONNECTION_READING) &&
           recv(self->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void connections_sweep(struct connections *all, int64_t mono_ms)
{
    static const int64_t longest_ms[] = {
        [CONNECTION_IDLE] = IDLE_MAX_MS,
        [CONNECTION_READING] = READING_MAX_MS,
        [CONNECTION_WORKING] = INT64_MAX,
        [CONNECTION_WRITING] = WRITING_MAX_MS,
    };

    for (struct connection *each = all->head; each; each = each->next)
        if (mono_ms - each->since_ms - each->more_ms > longest_ms[each->phase] || is_over(each))
            shutdown(each->fd, SHUT_RDWR);
}
