/* connection.c - see connection.h. */
#include "gateway/http/connection.h"

#include <sys/socket.h>

#include "common/base/memory.h"
#include "gateway/http/mhd_socket.h"

enum {
    HEAD_MAX_MS = 30000, /* first byte of a header to its last */
    READING_MAX_MS = 30000,
    WRITING_MAX_MS = 60000,
    QUIET_MAX_MS = 30000, /* the client reads nothing */
    STALL_MS = 5000,      /* a body must bring STALL_BYTES in this time */
    STALL_BYTES = STALL_MS / 1000 * 1024,
    SLOWEST = 4096,         /* bytes per second */
    SPARE_MS = 1000,        /* minimum idle time of closed connections, unless crowded */
    FULL_TENTHS = 9,        /* tenths of `max` above which the listener is crowded */
    DRAIN_MAX = 256 * 1024, /* bytes read before a close */
};

static void idle_add(struct idle_list *list, struct connection *self, size_t level)
{
    struct idle_link *link = &self->idle[level];

    *link = (struct idle_link){list, list->tail, NULL};
    if (list->tail)
        list->tail->idle[level].next = self;
    else
        list->head = self;
    list->tail = self;
}

static void idle_remove(struct connection *self, size_t level)
{
    struct idle_link *link = &self->idle[level];

    if (!link->list)
        return;
    if (link->previous)
        link->previous->idle[level].next = link->next;
    else
        link->list->head = link->next;
    if (link->next)
        link->next->idle[level].previous = link->previous;
    else
        link->list->tail = link->previous;
    *link = (struct idle_link){0};
}

static void idle_begin(struct connection *self)
{
    if (self->client)
        idle_add(&self->client->idle, self, 0);
    if (self->client && self->client->wide)
        idle_add(&self->client->wide->idle, self, 1);
    idle_add(self->client ? &self->all->idle : &self->all->idle_trusted, self, 2);
}

static void idle_end(struct connection *self)
{
    for (size_t i = 0; i < IDLE_LISTS; i++)
        idle_remove(self, i);
}

static void count(struct connection *self, int by)
{
    self->all->count += (size_t)by;
    for (struct http_client *each = self->client; each; each = each->wide)
        each->connections += (size_t)by;
}

static void uncount(struct connection *self)
{
    if (self->closing)
        return;
    self->closing = true;
    idle_end(self);
    count(self, -1);
}

static void shut(struct connection *self)
{
    uncount(self);
    mhd_socket_shutdown(self->fd);
}

static void evict(struct connections *all, struct connection *longest)
{
    if (!longest)
        return;
    shut(longest);
    ++*all->evicted;
}

/* Closes a client's longest idle connections above its limit. Spares those idle for less than
 * `spare_ms`, which can have unread requests of a burst. */
static void trim(struct connections *all, const struct http_client *client, int64_t mono_ms,
                 int64_t spare_ms)
{
    for (; client; client = client->wide)
        while (all->client_max > 0 &&
               client->connections > all->client_max * (size_t)client->factor &&
               client->idle.head && mono_ms - client->idle.head->since_ms >= spare_ms)
            evict(all, client->idle.head);
}

static bool is_crowded(const struct connections *all)
{
    return all->count > all->max * FULL_TENTHS / 10;
}

/* Closes idle connections above the limits. If none is idle, the new connection is closed. */
static void make_room(struct connections *all, const struct http_client *client, int64_t mono_ms)
{
    trim(all, client, mono_ms, is_crowded(all) ? 0 : SPARE_MS);
    if (is_crowded(all))
        evict(all, all->idle.head ? all->idle.head : all->idle_trusted.head);
}

struct connection *connection_new(struct connections *all, struct MHD_Connection *connection,
                                  int64_t mono_ms)
{
    struct connection *self = memory_new(sizeof(*self));
    const union MHD_ConnectionInfo *info;

    self->all = all;
    self->mhd = connection;
    info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    self->fd = info ? info->connect_fd : -1;
    info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    address_from_socket(info ? info->client_addr : NULL, &self->peer);
    self->since_ms = self->moved_ms = mono_ms;
    self->next = all->head;
    self->link = &all->head;
    if (self->next)
        self->next->link = &self->next;
    all->head = self;
    if (all->client_max > 0 && !address_networks_have(all->trusted, &self->peer))
        self->client = client_use(all->clients, &self->peer);
    count(self, 1);
    idle_begin(self);
    mhd_socket_watch(self->fd, self);
    make_room(all, self->client, mono_ms);
    return self;
}

void connection_destroy(struct connection **self_p)
{
    struct connection *self = *self_p;

    if (!self)
        return;
    mhd_epoll_end(&self->edge, self->fd);
    mhd_socket_unwatch(self->fd);
    uncount(self);
    client_leave(&self->client);
    *self->link = self->next;
    if (self->next)
        self->next->link = self->link;
    free(self);
    *self_p = NULL;
}

void connection_enter(struct connection *self, enum connection_phase phase, int64_t mono_ms)
{
    if (!self->closing && (phase == CONNECTION_IDLE) != (self->phase == CONNECTION_IDLE)) {
        if (phase == CONNECTION_IDLE)
            idle_begin(self);
        else
            idle_end(self);
    }
    self->phase = phase;
    self->since_ms = self->moved_ms = mono_ms;
    self->more_ms = self->head_ms = 0;
    self->moved = self->counted = 0;
}

void connection_allow(struct connection *self, int64_t bytes)
{
    self->more_ms = bytes * 1000 / SLOWEST;
}

/* Sends the last bytes, reads what the client still sends, and closes: unread bytes would turn the
 * close into a reset, and the client would lose the answer. */
void connection_cut(struct connection *self, const char *bytes, size_t size)
{
    if (self->cut)
        return;
    self->cut = true;
    mhd_socket_send(self->fd, bytes, size);
    mhd_socket_drain(self->fd, DRAIN_MAX);
    shut(self);
}

/* True if a body brings less than STALL_BYTES, or an answer makes no progress. */
static bool is_stalled(struct connection *self, int64_t mono_ms)
{
    bool reading = self->phase == CONNECTION_READING;
    uint64_t moved = self->moved - self->counted;

    if (moved >= (reading ? STALL_BYTES : 1)) {
        self->moved_ms = mono_ms;
        self->counted = self->moved;
        return false;
    }
    return mono_ms - self->moved_ms > (reading ? STALL_MS : QUIET_MAX_MS);
}

static bool is_late(struct connection *self, int64_t mono_ms)
{
    int64_t spent_ms = mono_ms - self->since_ms - self->more_ms;

    switch (self->phase) {
    case CONNECTION_IDLE:
        if (!self->begun)
            return spent_ms > self->all->keep_alive_ms;
        if (self->head_ms == 0)
            self->head_ms = mono_ms;
        return mono_ms - self->head_ms > HEAD_MAX_MS;
    case CONNECTION_READING:
        return spent_ms > READING_MAX_MS || is_stalled(self, mono_ms);
    case CONNECTION_WRITING:
        return spent_ms > WRITING_MAX_MS || is_stalled(self, mono_ms);
    case CONNECTION_WORKING:
        break;
    }
    return false;
}

/* libmicrohttpd 0.9.75 misses a client's end of input that arrives with bytes, because epoll
 * reports it once. Idle connections are many, so only thorough sweeps ask them. */
static bool is_over(const struct connection *self, bool thorough)
{
    return (self->phase == CONNECTION_READING || (self->phase == CONNECTION_IDLE && thorough)) &&
           mhd_socket_is_over(self->fd);
}

void connections_sweep(struct connections *all, int64_t mono_ms, bool thorough)
{
    for (struct connection *each = all->head; each; each = each->next) {
        trim(all, each->client, mono_ms, SPARE_MS);
        if (!is_late(each, mono_ms) && !is_over(each, thorough))
            continue;
        if (each->phase != CONNECTION_READING || each->cut || all->unfinished(each))
            shut(each);
    }
}
