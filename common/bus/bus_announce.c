/*
 * bus_announce.c - announcements to all callers, sent every 50 ms until each has acknowledged.
 * authd announces to each gateway before it answers its own client.
 */
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/bus/bus_private.h"

struct listener {
    struct bus_socket *socket;
    uint32_t route;
    bool acked;
    char name[BUS_PEER_NAME_MAX];
};

struct bus_announcement {
    struct bus *bus;
    struct bus_announcement *next, **link;
    uint64_t id;
    uint8_t *frame;
    size_t frame_size;
    struct listener *listeners;
    size_t count, capacity, waiting;
    int64_t resend_ms;
    struct fiber_queue queue;
};

static void announce_send(struct bus_announcement *self, const struct listener *listener)
{
    bus_write_again(&self->bus->frame, self->frame, self->frame_size);
    bus_listener_send(listener->socket, listener->route);
}

static struct listener *listener_find(struct bus_announcement *self,
                                      const struct bus_socket *socket, uint32_t route)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->listeners[i].socket == socket && self->listeners[i].route == route)
            return &self->listeners[i];
    return NULL;
}

static void listener_add(struct bus_announcement *self, struct bus_socket *socket, uint32_t route,
                         const char *name)
{
    struct listener *listener;

    if (self->count == self->capacity) {
        self->capacity = MAX(self->capacity * 2, (size_t)8);
        self->listeners = memory_resize(self->listeners, self->capacity, sizeof(*self->listeners));
    }
    listener = &self->listeners[self->count++];
    *listener = (struct listener){.socket = socket, .route = route};
    snprintf(listener->name, sizeof(listener->name), "%s", name);
    self->waiting++;
}

void bus_announce_caller_connect(struct bus_socket *socket, uint32_t route, const char *caller)
{
    struct bus_announcement *next;

    for (struct bus_announcement *news = socket->bus->announcements; news; news = next) {
        next = news->next;
        listener_add(news, socket, route, caller);
        announce_send(news, &news->listeners[news->count - 1]);
    }
}

void bus_announce_caller_disconnect(struct bus_socket *socket, uint32_t route)
{
    for (struct bus_announcement *news = socket->bus->announcements; news; news = news->next) {
        struct listener *listener = listener_find(news, socket, route);

        if (!listener || listener->acked)
            continue;
        *listener = news->listeners[--news->count];
        news->waiting--;
        fiber_queue_wake_all(&news->queue);
    }
}

void bus_announce_ack_receive(struct bus_socket *socket, uint32_t route, uint64_t id)
{
    for (struct bus_announcement *news = socket->bus->announcements; news; news = news->next) {
        struct listener *listener = news->id == id ? listener_find(news, socket, route) : NULL;

        if (!listener || listener->acked)
            continue;
        listener->acked = true;
        news->waiting--;
        fiber_queue_wake_all(&news->queue);
        return;
    }
    /* The acknowledgement is a duplicate or came too late. */
    bus_drop(socket->bus, socket->bus->late, NULL);
}

static void resend_due(struct bus_announcement *self, int64_t now)
{
    if (self->resend_ms > now)
        return;
    self->resend_ms = now + BUS_RESEND_MS;
    /* Backwards, because a lost listener is replaced by the last one. */
    for (size_t i = self->count; i-- > 0;)
        if (!self->listeners[i].acked)
            announce_send(self, &self->listeners[i]);
}

static void on_resend(void *arg)
{
    struct bus *self = arg;
    int64_t now = clock_mono_ms(), next = INT64_MAX;

    self->resend = NULL;
    for (struct bus_announcement *news = self->announcements; news; news = news->next) {
        if (news->waiting > 0)
            resend_due(news, now);
        if (news->waiting > 0)
            next = MIN(next, news->resend_ms);
    }
    if (next != INT64_MAX)
        self->resend = loop_at(self->loop, next, on_resend, self);
}

struct bus_announcement *bus_announce(struct bus *self, const char *topic,
                                      const struct field_table *table, const void *body)
{
    struct bus_announcement *news = memory_new(sizeof(*news));

    news->bus = self;
    news->id = ++self->last_id;
    bus_write(&self->frame, BUS_ANNOUNCE, news->id, 2);
    bus_write_text(&self->frame, topic, BUS_TOPIC_MAX);
    bus_write_fields(&self->frame, table, body);
    news->frame = memory_raw(self->frame.size);
    memcpy(news->frame, self->frame.bytes, self->frame.size);
    news->frame_size = self->frame.size;
    for (size_t i = 0; i < self->socket_count; i++) {
        struct bus_socket *socket = &self->sockets[i];

        for (size_t j = 0; j < socket->count; j++)
            listener_add(news, socket, socket->callers[j].route, socket->callers[j].name);
    }
    news->next = self->announcements;
    news->link = &self->announcements;
    if (news->next)
        news->next->link = &news->next;
    self->announcements = news;
    resend_due(news, clock_mono_ms());
    if (news->waiting > 0 && !self->resend)
        self->resend = loop_at(self->loop, news->resend_ms, on_resend, self);
    return news;
}

bool bus_announce_acked(const struct bus_announcement *self, const char *caller)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->listeners[i].acked && strcmp(self->listeners[i].name, caller) == 0)
            return true;
    return false;
}

bool bus_announce_complete(const struct bus_announcement *self)
{
    return self->waiting == 0;
}

void bus_announce_wait(struct bus_announcement *self, int64_t deadline_mono_ms)
{
    enum fiber_wake wake = fiber_queue_wait(self->bus->loop, &self->queue, deadline_mono_ms);

    (void)wake; /* the caller checks its condition after any wake-up */
}

void bus_announce_destroy(struct bus_announcement **self_p)
{
    struct bus_announcement *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    *self->link = self->next;
    if (self->next)
        self->next->link = self->link;
    free(self->listeners);
    free(self->frame);
    free(self);
}

void bus_on_announce(struct bus *self, const char *topic,
                     void (*fn)(void *arg, const msgpack_object *body, struct arena *arena),
                     void *arg)
{
    if (self->topic_count == BUS_TOPICS_MAX)
        log_die("bus", "too many topics");
    self->topics[self->topic_count++] = (struct bus_topic){topic, fn, arg};
}

void bus_announce_receive(struct bus_peer *peer, const struct bus_incoming *incoming)
{
    struct bus *self = peer->bus;
    msgpack_object body;
    struct error err;

    error_init(&err, NULL);
    if (codec_unpack(incoming->body.bytes, incoming->body.size, self->news, &body, &err) < 0 ||
        body.type != MSGPACK_OBJECT_MAP) {
        arena_reset(self->news);
        bus_drop(self, self->malformed, "malformed announcement");
        return;
    }
    for (size_t i = 0; i < self->topic_count; i++)
        if (bus_slice_is(incoming->name, self->topics[i].name))
            self->topics[i].fn(self->topics[i].arg, &body, self->news);
    arena_reset(self->news);
    bus_write(&self->frame, BUS_ACK, incoming->id, 0);
    if (bus_send(self, peer->dealer, NULL) < 0)
        bus_drop(self, self->unsent,
                 "ACK not sent"); /* the instance sends the announcement again */
}
