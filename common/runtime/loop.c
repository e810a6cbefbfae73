/*
 * loop.c - epoll, ZeroMQ sockets, timers and signals of one thread.
 *
 * A ZeroMQ descriptor only fires when libzmq has news, which any call on the socket can consume;
 * then only ZMQ_EVENTS shows waiting messages. So a socket is QUIET (checked and untouched since:
 * the descriptor will fire), SUSPECT (check before sleeping) or READABLE.
 */
#include "common/runtime/loop.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/loop_private.h"

enum { EVENTS_PER_TURN = 128, FIBERS_PER_TURN = 10000 };

struct loop_watch {
    void (*fn)(void *arg, short revents); /* NULL: not watched */
    void *arg;
    uint32_t generation; /* distinguishes events of an fd's earlier watch */
    short events;
};

enum socket_state { SOCKET_QUIET, SOCKET_SUSPECT, SOCKET_READABLE };

struct loop_socket {
    zsock_t *socket;
    int fd;
    enum socket_state state;
    void (*fn)(void *arg); /* NULL: unwatched */
    void *arg;
};

struct loop_hook {
    void (*fn)(void *arg);
    void *arg;
};

static void *grow(void *array, size_t old_count, size_t count, size_t size)
{
    uint8_t *larger = memory_resize(array, count, size);

    memset(larger + old_count * size, 0, (count - old_count) * size);
    return larger;
}

/* ---- timers: a binary heap from position 1, p has children 2p and 2p + 1 ---- */

static void timer_place(struct loop *self, struct loop_timer *timer, size_t position)
{
    self->timers[position - 1] = timer;
    timer->position = position;
}

static void timer_sift_up(struct loop *self, struct loop_timer *timer, size_t position)
{
    while (position > 1 && self->timers[position / 2 - 1]->at_ms > timer->at_ms) {
        timer_place(self, self->timers[position / 2 - 1], position);
        position /= 2;
    }
    timer_place(self, timer, position);
}

static void timer_sift_down(struct loop *self, struct loop_timer *timer, size_t position)
{
    for (;;) {
        size_t child = position * 2;

        if (child < self->timer_count &&
            self->timers[child]->at_ms < self->timers[child - 1]->at_ms)
            child++;
        if (child > self->timer_count || self->timers[child - 1]->at_ms >= timer->at_ms)
            break;
        timer_place(self, self->timers[child - 1], position);
        position = child;
    }
    timer_place(self, timer, position);
}

void loop_timer_arm(struct loop *self, struct loop_timer *timer, int64_t at_ms)
{
    if (self->timer_count == self->timer_capacity) {
        size_t capacity = MAX(self->timer_capacity * 2, (size_t)64);

        self->timers =
            grow(self->timers, self->timer_capacity, capacity, sizeof(struct loop_timer *));
        self->timer_capacity = capacity;
    }
    timer->at_ms = at_ms;
    timer_sift_up(self, timer, ++self->timer_count);
}

void loop_timer_disarm(struct loop *self, struct loop_timer *timer)
{
    size_t position = timer->position;
    struct loop_timer *last;

    if (position == 0)
        return;
    timer->position = 0;
    last = self->timers[--self->timer_count];
    if (last == timer)
        return;
    if (position > 1 && self->timers[position / 2 - 1]->at_ms > last->at_ms)
        timer_sift_up(self, last, position);
    else
        timer_sift_down(self, last, position);
}

struct loop_timer *loop_at(struct loop *self, int64_t at_ms, void (*fn)(void *arg), void *arg)
{
    struct loop_timer *timer = memory_new(sizeof(*timer));

    timer->fn = fn;
    timer->arg = arg;
    timer->allocated = true;
    loop_timer_arm(self, timer, at_ms);
    return timer;
}

void loop_cancel(struct loop *self, struct loop_timer **timer_p)
{
    if (!*timer_p)
        return;
    loop_timer_disarm(self, *timer_p);
    free(*timer_p);
    *timer_p = NULL;
}

static void run_due_timers(struct loop *self)
{
    /* timers armed by these functions wait for the next turn, even if they are due */
    for (size_t left = self->timer_count; left > 0 && self->timer_count > 0; left--) {
        struct loop_timer *timer = self->timers[0];
        void (*fn)(void *arg) = timer->fn;
        void *arg = timer->arg;

        if (timer->at_ms > self->now_ms)
            break;
        loop_timer_disarm(self, timer);
        if (timer->allocated)
            free(timer);
        fn(arg);
    }
}

/* ---- descriptors ---- */

static struct loop_watch *watch_get(struct loop *self, int fd)
{
    if ((size_t)fd >= self->watch_count) {
        size_t count = MAX(self->watch_count * 2, (size_t)fd + 32);

        self->watches = grow(self->watches, self->watch_count, count, sizeof(*self->watches));
        self->watch_count = count;
    }
    return &self->watches[fd];
}

void loop_watch(struct loop *self, int fd, short events, void (*fn)(void *arg, short revents),
                void *arg)
{
    struct loop_watch *watch = watch_get(self, fd);
    struct epoll_event event = {.events = ((events & ZMQ_POLLIN) != 0 ? EPOLLIN : 0) |
                                          ((events & ZMQ_POLLOUT) != 0 ? EPOLLOUT : 0)};
    int operation = !watch->fn ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;

    if (!watch->fn)
        watch->generation = ++self->generation;
    watch->fn = fn;
    watch->arg = arg;
    watch->events = events;
    event.data.u64 = (uint64_t)watch->generation << 32 | (uint32_t)fd;
    if (epoll_ctl(self->epoll_fd, operation, fd, &event) == 0)
        return;
    /* A library can have closed the descriptor and got its number again, unknown to epoll. */
    if (errno != ENOENT || epoll_ctl(self->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
        log_die("loop", "a descriptor cannot be watched");
}

void loop_unwatch(struct loop *self, int fd)
{
    if (fd < 0 || (size_t)fd >= self->watch_count || !self->watches[fd].fn)
        return;
    self->watches[fd].fn = NULL;
    /* Fails for a closed descriptor, which epoll has removed. */
    (void)epoll_ctl(self->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static void deliver(struct loop *self, const struct epoll_event *event)
{
    const struct loop_watch *watch = &self->watches[(uint32_t)event->data.u64];
    short revents = 0;

    if (!watch->fn || watch->generation != (uint32_t)(event->data.u64 >> 32))
        return; /* a handler of this turn removed the watch */
    if ((event->events & EPOLLIN) != 0)
        revents |= ZMQ_POLLIN;
    if ((event->events & EPOLLOUT) != 0)
        revents |= ZMQ_POLLOUT;
    if ((event->events & (EPOLLERR | EPOLLHUP)) != 0)
        revents = (short)(revents | ZMQ_POLLERR | watch->events);
    watch->fn(watch->arg, revents);
}

/* ---- ZeroMQ sockets ---- */

static struct loop_socket *socket_find(struct loop *self, const zsock_t *socket)
{
    for (size_t i = 0; i < self->socket_count; i++)
        if (self->sockets[i]->socket == socket && self->sockets[i]->fn)
            return self->sockets[i];
    return NULL;
}

static void socket_fired(void *arg, short revents UNUSED)
{
    struct loop_socket *socket = arg;

    socket->state = SOCKET_SUSPECT;
}

static bool socket_is_readable(const struct loop_socket *socket)
{
    int events = 0;
    size_t size = sizeof(events);

    return zmq_getsockopt(zsock_resolve(socket->socket), ZMQ_EVENTS, &events, &size) == 0 &&
           (events & ZMQ_POLLIN) != 0;
}

void loop_watch_socket(struct loop *self, zsock_t *socket, void (*fn)(void *arg), void *arg)
{
    struct loop_socket *watched = memory_new(sizeof(*watched));

    assert(!socket_find(self, socket));
    if (self->socket_count == self->socket_capacity) {
        self->sockets = grow(self->sockets, self->socket_capacity, self->socket_capacity + 16,
                             sizeof(struct loop_socket *));
        self->socket_capacity += 16;
    }
    *watched = (struct loop_socket){.socket = socket,
                                    .fd = (int)zsock_fd(socket),
                                    .state = SOCKET_SUSPECT,
                                    .fn = fn,
                                    .arg = arg};
    self->sockets[self->socket_count++] = watched;
    loop_watch(self, watched->fd, ZMQ_POLLIN, socket_fired, watched);
}

void loop_unwatch_socket(struct loop *self, zsock_t *socket)
{
    struct loop_socket *watched = socket_find(self, socket);

    if (!watched)
        return;
    loop_unwatch(self, watched->fd);
    watched->fn = NULL; /* fn can be running: freed at the end of the turn */
}

void loop_socket_used(struct loop *self, zsock_t *socket)
{
    struct loop_socket *watched = socket_find(self, socket);

    if (watched)
        watched->state = SOCKET_SUSPECT;
}

static void read_sockets(struct loop *self)
{
    for (size_t i = 0; i < self->socket_count; i++) {
        struct loop_socket *socket = self->sockets[i];

        if (!socket->fn || socket->state == SOCKET_QUIET)
            continue;
        if (socket->state == SOCKET_SUSPECT && !socket_is_readable(socket)) {
            socket->state = SOCKET_QUIET;
            continue;
        }
        socket->state = SOCKET_SUSPECT;
        socket->fn(socket->arg);
    }
}

/* Checks sockets that were used in this turn. Returns true if a message waits. */
static bool settle_sockets(struct loop *self)
{
    size_t kept = 0;
    bool waits = false;

    for (size_t i = 0; i < self->socket_count; i++) {
        struct loop_socket *socket = self->sockets[i];

        if (!socket->fn) {
            free(socket);
            continue;
        }
        if (socket->state == SOCKET_SUSPECT)
            socket->state = socket_is_readable(socket) ? SOCKET_READABLE : SOCKET_QUIET;
        waits |= socket->state == SOCKET_READABLE;
        self->sockets[kept++] = socket;
    }
    self->socket_count = kept;
    return waits;
}

/* ---- signals ---- */

static void drain_signals(struct loop *self)
{
    struct signalfd_siginfo info;

    while (read(self->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (self->signal_fn)
            self->signal_fn(self->signal_arg, (int)info.ssi_signo);
}

static void signal_arrived(void *arg, short revents UNUSED)
{
    drain_signals(arg);
}

void loop_on_signal(struct loop *self, void (*fn)(void *arg, int signo), void *arg)
{
    self->signal_fn = fn;
    self->signal_arg = arg;
    loop_watch(self, self->signal_fd, ZMQ_POLLIN, signal_arrived, self);
}

/* ---- the loop ---- */

void loop_each_turn(struct loop *self, void (*fn)(void *arg), void *arg)
{
    self->hooks = grow(self->hooks, self->hook_count, self->hook_count + 1, sizeof(*self->hooks));
    self->hooks[self->hook_count++] = (struct loop_hook){fn, arg};
}

void loop_each_turn_stop(struct loop *self, void (*fn)(void *arg), const void *arg)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->hook_count; i++)
        if (self->hooks[i].fn != fn || self->hooks[i].arg != arg)
            self->hooks[kept++] = self->hooks[i];
    self->hook_count = kept;
}

int64_t loop_mono_ms(const struct loop *self)
{
    return self->now_ms;
}

static int sleep_ms(const struct loop *self, bool work_left)
{
    int64_t left;

    if (work_left || self->fibers.ready.head)
        return 0;
    if (self->timer_count == 0)
        return -1;
    left = self->timers[0]->at_ms - clock_mono_ms();
    return (int)MIN(MAX(left, (int64_t)0), (int64_t)INT_MAX);
}

int loop_run(struct loop *self)
{
    struct epoll_event events[EVENTS_PER_TURN];
    bool work_left = true; /* earlier work gets a first turn without event */

    while (!self->stopped) {
        int count = epoll_wait(self->epoll_fd, events, EVENTS_PER_TURN, sleep_ms(self, work_left));

        if (count < 0 && errno != EINTR)
            return -1;
        self->now_ms = clock_mono_ms();
        for (int i = 0; i < count; i++)
            deliver(self, &events[i]);
        read_sockets(self);
        run_due_timers(self);
        fiber_run_ready(self, FIBERS_PER_TURN);
        for (size_t i = 0; i < self->hook_count; i++)
            self->hooks[i].fn(self->hooks[i].arg);
        work_left = settle_sockets(self);
    }
    self->stopped = false;
    return 0;
}

void loop_stop(struct loop *self)
{
    self->stopped = true;
}

struct loop *loop_new(void)
{
    struct loop *self = memory_new(sizeof(*self));
    sigset_t signals;

    /* czmq would catch SIGINT and SIGTERM itself and make every wait return immediately. */
    setenv("ZSYS_SIGHANDLER", "false", 1);
    zsys_init();
    zsys_set_linger(0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, &self->signals_before);
    self->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    self->signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    if (self->epoll_fd < 0 || self->signal_fd < 0)
        log_die("loop", "no descriptor left");
    self->now_ms = clock_mono_ms();
    fiber_state_init(&self->fibers);
    return self;
}

void loop_destroy(struct loop **self_p)
{
    struct loop *self = *self_p;

    if (!self)
        return;
    assert(self->fibers.count == 0);
    fiber_state_free(&self->fibers);
    /* A failed start can leave some. */
    while (self->timer_count > 0) {
        struct loop_timer *timer = self->timers[0];

        loop_cancel(self, &timer);
    }
    (void)settle_sockets(self);
    assert(self->socket_count == 0);
    /* A pending signal must not kill the process when the mask is restored. */
    self->signal_fn = NULL;
    drain_signals(self);
    pthread_sigmask(SIG_SETMASK, &self->signals_before, NULL);
    close(self->signal_fd);
    close(self->epoll_fd);
    free(self->sockets);
    free(self->watches);
    free(self->timers);
    free(self->hooks);
    free(self);
    *self_p = NULL;
}
