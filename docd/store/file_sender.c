/* file_sender.c - see file_sender.h. */
#include "docd/store/file_sender.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/descriptors.h"
#include "common/base/file_pass.h"
#include "common/base/memory.h"
#include "common/domain/content.h"

enum {
    RECEIVERS_MAX = 32, /* further gateways get files over the bus */
    AGAIN_MS = 1000,    /* pause after a failed accept */
    SPARE = 4,          /* descriptors that must stay free to accept */
};

struct receiver {
    struct file_sender *sender;
    int socket;                         /* -1: free */
    char id[CONTENT_RECEIVER_SIZE + 1]; /* "": not received yet */
};

struct file_sender {
    struct loop *loop;
    int socket;
    struct loop_timer *again; /* NULL: the socket is watched */
    int64_t last;
    struct receiver receivers[RECEIVERS_MAX];
};

static void hang_up(struct receiver *receiver)
{
    loop_unwatch(receiver->sender->loop, receiver->socket);
    close(receiver->socket);
    receiver->socket = -1;
    receiver->id[0] = '\0';
}

static void on_receiver(void *arg, short revents UNUSED)
{
    struct receiver *receiver = arg;
    char id[CONTENT_RECEIVER_SIZE + 1];
    ssize_t size = recv(receiver->socket, id, sizeof(id), MSG_DONTWAIT);

    if (size != CONTENT_RECEIVER_SIZE || receiver->id[0] || memchr(id, '\0', (size_t)size)) {
        hang_up(receiver);
        return;
    }
    memcpy(receiver->id, id, (size_t)size);
    receiver->id[size] = '\0';
}

static struct receiver *free_receiver(struct file_sender *self)
{
    for (size_t i = 0; i < RECEIVERS_MAX; i++)
        if (self->receivers[i].socket < 0)
            return &self->receivers[i];
    return NULL;
}

static void watch(struct file_sender *self);

static void on_again(void *arg)
{
    struct file_sender *self = arg;

    self->again = NULL;
    watch(self);
}

/* Pauses accepting with a timer, because the socket stays readable. */
static void accept_later(struct file_sender *self)
{
    loop_unwatch(self->loop, self->socket);
    self->again = loop_at(self->loop, loop_mono_ms(self->loop) + AGAIN_MS, on_again, self);
}

static void on_connection(void *arg, short revents UNUSED)
{
    struct file_sender *self = arg;
    struct receiver *receiver = free_receiver(self);
    int socket = receiver && descriptors_available(SPARE)
                     ? accept4(self->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)
                     : -1;

    if (socket < 0) {
        accept_later(self);
        return;
    }
    receiver->socket = socket;
    loop_watch(self->loop, socket, ZMQ_POLLIN, on_receiver, receiver);
}

static void watch(struct file_sender *self)
{
    loop_watch(self->loop, self->socket, ZMQ_POLLIN, on_connection, self);
}

static const struct receiver *find(const struct file_sender *self, const char *id)
{
    for (size_t i = 0; i < RECEIVERS_MAX; i++)
        if (self->receivers[i].id[0] && strcmp(self->receivers[i].id, id) == 0)
            return &self->receivers[i];
    return NULL;
}

bool file_sender_knows(const struct file_sender *self, const char *receiver)
{
    return self && receiver && find(self, receiver);
}

int64_t file_sender_send(struct file_sender *self, const char *receiver, int file)
{
    const struct receiver *to = find(self, receiver);

    if (!to || !file_pass_send(to->socket, self->last + 1, file))
        return 0;
    return ++self->last;
}

struct file_sender *file_sender_new(struct loop *loop, struct bus *bus, struct error *err)
{
    struct file_sender *self = memory_new(sizeof(*self));

    self->loop = loop;
    /* Numbers start at a random one, because a gateway has files of several docds. */
    randombytes_buf(&self->last, sizeof(self->last));
    self->last &= INT64_MAX >> 1;
    for (size_t i = 0; i < RECEIVERS_MAX; i++)
        self->receivers[i] = (struct receiver){.sender = self, .socket = -1};
    self->socket = bus_listen_beside(bus, CONTENT_FILES_SOCKET, "gateway", err);
    if (self->socket < 0) {
        free(self);
        return NULL;
    }
    watch(self);
    return self;
}

void file_sender_destroy(struct file_sender **self_p)
{
    struct file_sender *self = *self_p;

    if (!self)
        return;
    for (size_t i = 0; i < RECEIVERS_MAX; i++)
        if (self->receivers[i].socket >= 0)
            hang_up(&self->receivers[i]);
    loop_cancel(self->loop, &self->again);
    loop_unwatch(self->loop, self->socket);
    close(self->socket);
    free(self);
    *self_p = NULL;
}
