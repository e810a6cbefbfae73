/* file_receiver.c - see file_receiver.h. */
#include "gateway/transfer/file_receiver.h"

#include <sodium.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/file_pass.h"
#include "common/base/memory.h"
#include "common/domain/content.h"

enum {
    SENDERS_MAX = 32,
    SENDER_NAME_MAX = 66, /* "docd.1" and NUL, as the bus limits it */
    UNCLAIMED_MAX = 64,
    UNCLAIMED_MS = 15000, /* longer than any request's deadline */
};

struct sender {
    struct file_receiver *receiver;
    int socket; /* -1: unused */
    char name[SENDER_NAME_MAX];
};

struct unclaimed {
    int64_t number, since_ms;
    int file;
};

struct file_receiver {
    struct loop *loop;
    struct bus *bus;
    char id[CONTENT_RECEIVER_SIZE + 1];
    size_t places, taken;
    size_t connected;
    struct sender senders[SENDERS_MAX];
    struct unclaimed unclaimed[UNCLAIMED_MAX]; /* oldest first */
    size_t unclaimed_count;
};

static void forget(struct file_receiver *self, size_t i)
{
    self->unclaimed_count--;
    memmove(&self->unclaimed[i], &self->unclaimed[i + 1],
            (self->unclaimed_count - i) * sizeof(self->unclaimed[0]));
}

static void put_aside(struct file_receiver *self, int64_t number, int file)
{
    if (file < 0)
        return;
    if (self->unclaimed_count == UNCLAIMED_MAX) {
        close(self->unclaimed[0].file);
        forget(self, 0);
    }
    self->unclaimed[self->unclaimed_count++] =
        (struct unclaimed){number, loop_mono_ms(self->loop), file};
}

static void hang_up(struct sender *sender)
{
    loop_unwatch(sender->receiver->loop, sender->socket);
    close(sender->socket);
    sender->socket = -1;
    sender->receiver->connected--;
}

/* Receives files up to `wanted`. Numbers start at 1, so 0 receives all. */
static bool receive_until(struct sender *sender, int64_t wanted, int *ret_file)
{
    enum file_pass result;
    int64_t number;
    int file;

    while ((result = file_pass_receive(sender->socket, &number, &file)) == FILE_PASS_ONE) {
        if (ret_file && number == wanted) {
            *ret_file = file;
            return true;
        }
        put_aside(sender->receiver, number, file);
    }
    if (result == FILE_PASS_END)
        hang_up(sender);
    return false;
}

int file_receiver_claim(struct file_receiver *self, int64_t number)
{
    int file;

    for (size_t i = 0; i < self->unclaimed_count; i++) {
        if (self->unclaimed[i].number != number)
            continue;
        file = self->unclaimed[i].file;
        forget(self, i);
        return file;
    }
    for (size_t i = 0; i < SENDERS_MAX; i++)
        if (self->senders[i].socket >= 0 && receive_until(&self->senders[i], number, &file))
            return file;
    return -1;
}

const char *file_receiver_ask(struct file_receiver *self)
{
    if (self->connected == 0 || self->taken >= self->places)
        return NULL;
    self->taken++;
    return self->id;
}

void file_receiver_release(struct file_receiver *self)
{
    self->taken--;
}

/* Receives the daemon's last files, which may still be in the socket, and closes it. */
static void on_hang_up(void *arg, short revents UNUSED)
{
    (void)receive_until(arg, 0, NULL);
}

static struct sender *find_or_free(struct file_receiver *self, const char *name)
{
    struct sender *unused = NULL;

    for (size_t i = 0; i < SENDERS_MAX; i++)
        if (self->senders[i].socket < 0)
            unused = &self->senders[i];
        else if (strcmp(self->senders[i].name, name) == 0)
            return &self->senders[i];
    return unused;
}

static void connect_to(struct file_receiver *self, const char *name)
{
    struct sender *sender = find_or_free(self, name);
    int socket;

    if (!sender || sender->socket >= 0 || strlen(name) >= sizeof(sender->name))
        return;
    socket = bus_connect_beside(self->bus, name, CONTENT_FILES_SOCKET);
    if (socket < 0)
        return;
    if (send(socket, self->id, CONTENT_RECEIVER_SIZE, MSG_NOSIGNAL) != CONTENT_RECEIVER_SIZE) {
        close(socket);
        return;
    }
    sender->socket = socket;
    strcpy(sender->name, name);
    self->connected++;
    loop_watch(self->loop, socket, 0, on_hang_up, sender);
}

void file_receiver_sweep(struct file_receiver *self, const char *service)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    int64_t now_ms = loop_mono_ms(self->loop);

    for (size_t i = 0; i < SENDERS_MAX; i++)
        if (self->senders[i].socket >= 0)
            (void)receive_until(&self->senders[i], 0, NULL);
    while (self->unclaimed_count > 0 && now_ms - self->unclaimed[0].since_ms > UNCLAIMED_MS) {
        close(self->unclaimed[0].file);
        forget(self, 0);
    }
    if (self->places == 0)
        return;
    for (const char **peer = bus_peers(self->bus, service, arena); *peer; peer++)
        connect_to(self, *peer);
}

struct file_receiver *file_receiver_new(struct loop *loop, struct bus *bus, size_t places)
{
    struct file_receiver *self = memory_new(sizeof(*self));
    uint8_t random[CONTENT_RECEIVER_SIZE / 2];

    self->loop = loop;
    self->bus = bus;
    self->places = places;
    randombytes_buf(random, sizeof(random));
    sodium_bin2hex(self->id, sizeof(self->id), random, sizeof(random));
    for (size_t i = 0; i < SENDERS_MAX; i++)
        self->senders[i] = (struct sender){.receiver = self, .socket = -1};
    return self;
}

void file_receiver_destroy(struct file_receiver **self_p)
{
    struct file_receiver *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    for (size_t i = 0; i < SENDERS_MAX; i++)
        if (self->senders[i].socket >= 0)
            hang_up(&self->senders[i]);
    for (size_t i = 0; i < self->unclaimed_count; i++)
        close(self->unclaimed[i].file);
    free(self);
}
