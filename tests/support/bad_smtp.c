/*
 * bad_smtp.c - see bad_smtp.h.
 */
#include "tests/support/bad_smtp.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"

enum { CONNECTIONS_MAX = 256, ID_SIZE = 128, STEP_MS = 20 };

/* An email's number of acceptances. `id` must be first, because known() compares by it. */
struct known_mail {
    char id[ID_SIZE];
    long copies;
};

struct bad_smtp {
    int listener;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards all that follows */
    pthread_cond_t ended;
    enum bad_smtp_manner manner;
    int delay_ms;
    struct bad_smtp_counts counts;
    void *mails; /* tree of struct known_mail */
    size_t open;
    bool stopping;
};

struct conversation {
    struct bad_smtp *server;
    int fd;
    char buffer[16384];
    size_t begin, end;
};

static int compare_ids(const void *a, const void *b)
{
    return strcmp(a, b);
}

static enum bad_smtp_manner manner_of(struct bad_smtp *self, int *ret_delay_ms)
{
    enum bad_smtp_manner manner;

    pthread_mutex_lock(&self->mutex);
    manner = self->manner;
    if (ret_delay_ms)
        *ret_delay_ms = self->delay_ms;
    pthread_mutex_unlock(&self->mutex);
    return manner;
}

static bool is_stopping(struct bad_smtp *self)
{
    bool stopping;

    pthread_mutex_lock(&self->mutex);
    stopping = self->stopping;
    pthread_mutex_unlock(&self->mutex);
    return stopping;
}

/* Waits. Returns false if the server stops or the client disconnects. INT_MAX: no limit. */
static bool wait_ms(struct conversation *self, int64_t ms)
{
    int64_t until = clock_mono_ms() + ms;

    while (clock_mono_ms() < until) {
        struct pollfd gone = {.fd = self->fd, .events = POLLRDHUP};

        if (is_stopping(self->server) || poll(&gone, 1, STEP_MS) > 0)
            return false;
    }
    return true;
}

static bool say(const struct conversation *self, const char *line)
{
    size_t length = strlen(line);

    return send(self->fd, line, length, MSG_NOSIGNAL) == (ssize_t)length;
}

/* Reads a line without its line ending. Returns false if the client disconnected or the server
 * stops. */
static bool hear(struct conversation *self, char *ret, size_t size)
{
    for (;;) {
        char *start = self->buffer + self->begin;
        char *end = memchr(start, '\n', self->end - self->begin);
        struct pollfd ready = {.fd = self->fd, .events = POLLIN};
        ssize_t count;

        if (end) {
            size_t length = (size_t)(end - start);

            self->begin += length + 1;
            length -= length > 0 && start[length - 1] == '\r';
            length = MIN(length, size - 1);
            memcpy(ret, start, length);
            ret[length] = '\0';
            return true;
        }
        memmove(self->buffer, start, self->end - self->begin);
        self->end -= self->begin;
        self->begin = 0;
        while (poll(&ready, 1, STEP_MS) == 0)
            if (is_stopping(self->server))
                return false;
        count = recv(self->fd, self->buffer + self->end, sizeof(self->buffer) - self->end, 0);
        if (count <= 0)
            return false;
        self->end += (size_t)count;
    }
}

static void count_mail(struct bad_smtp *self, const char *id)
{
    struct known_mail *mail = calloc(1, sizeof(*mail)), **found;

    if (!mail)
        abort();
    snprintf(mail->id, sizeof(mail->id), "%s", id);
    pthread_mutex_lock(&self->mutex);
    found = tsearch(mail, &self->mails, compare_ids);
    if (*found == mail)
        self->counts.different++;
    else
        free(mail);
    self->counts.accepted++;
    self->counts.most = MAX(self->counts.most, ++(*found)->copies);
    pthread_mutex_unlock(&self->mutex);
}

static bool hear_mail(struct conversation *self, char id[static ID_SIZE])
{
    char line[2048];

    id[0] = '\0';
    for (;;) {
        if (!hear(self, line, sizeof(line)))
            return false;
        if (strcmp(line, ".") == 0)
            return true;
        if (strncasecmp(line, "Message-ID:", 11) == 0)
            snprintf(id, ID_SIZE, "%.100s", line + 11);
    }
}

/* Handles DATA up to the final response. Returns false when the conversation has ended. */
static bool take_mail(struct conversation *self)
{
    static const struct linger at_once = {.l_onoff = 1};
    char id[ID_SIZE];
    int delay_ms;

    if (!say(self, "354 go on\r\n") || !hear_mail(self, id))
        return false;
    count_mail(self->server, id);
    switch (manner_of(self->server, &delay_ms)) {
    case BAD_SMTP_LATE_ANSWER:
        return wait_ms(self, delay_ms) && say(self, "250 taken\r\n");
    case BAD_SMTP_NO_ANSWER:
        wait_ms(self, INT32_MAX);
        return false;
    case BAD_SMTP_RESET:
        setsockopt(self->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
        return false;
    case BAD_SMTP_ONE_EACH:
        say(self, "250 taken\r\n");
        return false;
    default:
        return say(self, "250 taken\r\n");
    }
}

static bool greet(struct conversation *self)
{
    int delay_ms;

    switch (manner_of(self->server, &delay_ms)) {
    case BAD_SMTP_REFUSE_ALL:
        say(self, "421 too busy\r\n");
        return false;
    case BAD_SMTP_LATE_GREETING:
        if (!wait_ms(self, delay_ms))
            return false;
        break;
    default:
        break;
    }
    return say(self, "220 mail.test ESMTP\r\n");
}

static void converse(struct conversation *self)
{
    char line[2048];

    while (hear(self, line, sizeof(line))) {
        bool goes_on;

        if (strncasecmp(line, "QUIT", 4) == 0) {
            say(self, "221 bye\r\n");
            return;
        }
        if (manner_of(self->server, NULL) == BAD_SMTP_REFUSE_ALL) {
            say(self, "421 too busy\r\n");
            return;
        }
        if (strncasecmp(line, "DATA", 4) == 0)
            goes_on = take_mail(self);
        else if (strncasecmp(line, "RCPT", 4) == 0 &&
                 manner_of(self->server, NULL) == BAD_SMTP_BUSY)
            goes_on = say(self, "451 not now\r\n");
        else
            goes_on = say(self, "250 fine\r\n");
        if (!goes_on)
            return;
    }
}

static void *conversation_main(void *arg)
{
    struct conversation *self = arg;
    struct bad_smtp *server = self->server;

    if (greet(self))
        converse(self);
    close(self->fd);
    free(self);
    pthread_mutex_lock(&server->mutex);
    server->open--;
    pthread_cond_broadcast(&server->ended);
    pthread_mutex_unlock(&server->mutex);
    return NULL;
}

static void conversation_start(struct bad_smtp *self, int fd)
{
    static const int on = 1;
    struct conversation *made = calloc(1, sizeof(*made));
    pthread_t thread;

    if (!made)
        abort();
    *made = (struct conversation){.server = self, .fd = fd};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    pthread_mutex_lock(&self->mutex);
    self->counts.connections++;
    self->open++;
    pthread_mutex_unlock(&self->mutex);
    if (pthread_create(&thread, NULL, conversation_main, made) != 0)
        abort();
    pthread_detach(thread);
}

static void *server_main(void *arg)
{
    struct bad_smtp *self = arg;
    struct pollfd ready = {.fd = self->listener, .events = POLLIN};

    while (!is_stopping(self)) {
        int fd =
            poll(&ready, 1, STEP_MS) > 0 ? accept4(self->listener, NULL, NULL, SOCK_CLOEXEC) : -1;

        if (fd >= 0)
            conversation_start(self, fd);
    }
    return NULL;
}

struct bad_smtp *bad_smtp_start(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct bad_smtp *self = calloc(1, sizeof(*self));
    static const int on = 1;

    if (!self)
        abort();
    self->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(self->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(self->listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(self->listener, CONNECTIONS_MAX) < 0)
        abort();
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->ended, NULL);
    if (pthread_create(&self->thread, NULL, server_main, self) != 0)
        abort();
    return self;
}

void bad_smtp_stop(struct bad_smtp **self_p)
{
    struct bad_smtp *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    pthread_mutex_lock(&self->mutex);
    self->stopping = true;
    while (self->open > 0)
        pthread_cond_wait(&self->ended, &self->mutex);
    pthread_mutex_unlock(&self->mutex);
    pthread_join(self->thread, NULL);
    close(self->listener);
    tdestroy(self->mails, free);
    pthread_cond_destroy(&self->ended);
    pthread_mutex_destroy(&self->mutex);
    free(self);
}

void bad_smtp_behave(struct bad_smtp *self, enum bad_smtp_manner manner, int delay_ms)
{
    pthread_mutex_lock(&self->mutex);
    self->manner = manner;
    self->delay_ms = delay_ms;
    pthread_mutex_unlock(&self->mutex);
}

struct bad_smtp_counts bad_smtp_counts(struct bad_smtp *self)
{
    struct bad_smtp_counts counts;

    pthread_mutex_lock(&self->mutex);
    counts = self->counts;
    pthread_mutex_unlock(&self->mutex);
    return counts;
}

void bad_smtp_reset(struct bad_smtp *self)
{
    pthread_mutex_lock(&self->mutex);
    self->counts = (struct bad_smtp_counts){.connections = 0};
    tdestroy(self->mails, free);
    self->mails = NULL;
    pthread_mutex_unlock(&self->mutex);
}

bool bad_smtp_wait(struct bad_smtp *self, long different, int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    while (bad_smtp_counts(self).different < different) {
        if (clock_mono_ms() > deadline)
            return false;
        usleep(STEP_MS * 1000);
    }
    return true;
}
