/*
 * test_loop.c - descriptors, ZeroMQ sockets, timers, signals and turn hooks.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/runtime/loop.h"
#include "tests/support/unit.h"

struct timer_run {
    struct loop *loop;
    int64_t last_ms;
    size_t fired, wanted;
    bool in_order, never_early;
};

struct timer_entry {
    struct timer_run *run;
    struct loop_timer *timer;
    int64_t at_ms;
    bool fired, cancelled;
};

static void timer_fired(void *arg)
{
    struct timer_entry *entry = arg;
    struct timer_run *run = entry->run;

    entry->fired = true;
    entry->timer = NULL;
    run->in_order = run->in_order && entry->at_ms >= run->last_ms;
    run->never_early = run->never_early && clock_mono_ms() >= entry->at_ms;
    run->last_ms = entry->at_ms;
    if (++run->fired == run->wanted)
        loop_stop(run->loop);
}

static void test_timers_fire_in_order_cancelled_ones_never(void)
{
    enum { COUNT = 2000 };
    struct timer_entry *entries = calloc(COUNT, sizeof(*entries));
    struct timer_run run = {.loop = loop_new(), .in_order = true, .never_early = true};
    int64_t now = clock_mono_ms();

    srand(42);
    for (size_t i = 0; i < COUNT; i++) {
        entries[i].run = &run;
        entries[i].at_ms = now + rand() % 60 - 5;
        entries[i].timer = loop_at(run.loop, entries[i].at_ms, timer_fired, &entries[i]);
        entries[i].cancelled = i % 3 == 0;
    }
    for (size_t i = 0; i < COUNT; i++)
        if (entries[i].cancelled)
            loop_cancel(run.loop, &entries[i].timer);
        else
            run.wanted++;
    CU_ASSERT(loop_run(run.loop) == 0);
    CU_ASSERT(run.in_order && run.never_early && run.fired == run.wanted);
    for (size_t i = 0; i < COUNT; i++)
        if (entries[i].fired == entries[i].cancelled)
            UNIT_CHECK(false, "timer %zu", i);
    loop_destroy(&run.loop);
    free(entries);
}

struct chain {
    struct loop *loop;
    int left;
    int rounds;
};

static void chain_link(void *arg)
{
    struct chain *chain = arg;

    if (--chain->left == 0)
        loop_stop(chain->loop);
    else
        loop_at(chain->loop, clock_mono_ms() - 1000, chain_link, chain);
}

static void count_turn(void *arg)
{
    ((struct chain *)arg)->rounds++;
}

static void test_a_due_timer_armed_by_a_timer_yields(void)
{
    struct chain chain = {.loop = loop_new(), .left = 10};

    loop_each_turn(chain.loop, count_turn, &chain);
    loop_at(chain.loop, 0, chain_link, &chain);
    CU_ASSERT(loop_run(chain.loop) == 0);
    UNIT_CHECK(chain.rounds == 10, "a timer armed by a timer waits for the next turn: %d",
               chain.rounds);
    loop_destroy(&chain.loop);
}

static void stop_loop(void *arg)
{
    loop_stop(arg);
}

static void test_no_event_no_turn(void)
{
    struct chain chain = {.loop = loop_new()};
    zsock_t *sockets[4];
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

    loop_watch(chain.loop, fd, ZMQ_POLLIN, NULL, NULL);
    loop_unwatch(chain.loop, fd);
    for (size_t i = 0; i < ARRAY_SIZE(sockets); i++) {
        sockets[i] = zsock_new(ZMQ_ROUTER);
        loop_watch_socket(chain.loop, sockets[i], stop_loop, chain.loop);
    }
    loop_each_turn(chain.loop, count_turn, &chain);
    loop_at(chain.loop, clock_mono_ms() + 200, stop_loop, chain.loop);
    CU_ASSERT(loop_run(chain.loop) == 0);
    UNIT_CHECK(chain.rounds <= 2, "%d turns in 200 ms without an event", chain.rounds);
    for (size_t i = 0; i < ARRAY_SIZE(sockets); i++) {
        loop_unwatch_socket(chain.loop, sockets[i]);
        zsock_destroy(&sockets[i]);
    }
    close(fd);
    loop_destroy(&chain.loop);
}

struct fd_run {
    struct loop *loop;
    int fds[2];
    int calls, other_calls;
    short revents;
};

static void fd_count(void *arg, short revents)
{
    struct fd_run *run = arg;

    run->revents = revents;
    if (++run->calls == 3)
        loop_stop(run->loop);
}

static void fd_other(void *arg, short revents UNUSED)
{
    ((struct fd_run *)arg)->other_calls++;
}

static void test_descriptors_are_level_triggered(void)
{
    struct fd_run run = {.loop = loop_new()};

    CU_ASSERT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, run.fds) == 0);
    loop_watch(run.loop, run.fds[0], ZMQ_POLLIN, fd_other, &run);
    loop_watch(run.loop, run.fds[0], ZMQ_POLLIN, fd_count, &run);
    CU_ASSERT(write(run.fds[1], "x", 1) == 1);
    CU_ASSERT(loop_run(run.loop) == 0);
    UNIT_CHECK(run.calls == 3 && run.other_calls == 0, "what is not read is told again");
    CU_ASSERT(run.revents == ZMQ_POLLIN);

    run.calls = 2;
    loop_watch(run.loop, run.fds[0], ZMQ_POLLOUT, fd_count, &run);
    CU_ASSERT(loop_run(run.loop) == 0 && run.revents == ZMQ_POLLOUT);

    run.calls = 2;
    close(run.fds[1]);
    CU_ASSERT(loop_run(run.loop) == 0);
    CU_ASSERT(run.revents == (ZMQ_POLLOUT | ZMQ_POLLERR));
    loop_unwatch(run.loop, run.fds[0]);
    loop_unwatch(run.loop, run.fds[0]);
    loop_unwatch(run.loop, -1);
    close(run.fds[0]);
    loop_destroy(&run.loop);
}

static void fd_swap(void *arg, short revents);

static void fd_unexpected(void *arg, short revents)
{
    (void)arg, (void)revents;
    UNIT_CHECK(false, "an event of a descriptor that is watched no more");
}

static void fd_swap(void *arg, short revents UNUSED)
{
    struct fd_run *run = arg;
    /* Both are ready; the first to run replaces both by quiet ones with the same numbers. */
    for (size_t i = 0; i < ARRAY_SIZE(run->fds); i++) {
        int quiet = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

        loop_unwatch(run->loop, run->fds[i]);
        dup3(quiet, run->fds[i], O_CLOEXEC);
        close(quiet);
        loop_watch(run->loop, run->fds[i], ZMQ_POLLIN, fd_unexpected, run);
    }
    run->calls++;
}

static void test_an_event_of_an_earlier_watch_is_dropped(void)
{
    struct fd_run run = {.loop = loop_new()};

    for (size_t i = 0; i < ARRAY_SIZE(run.fds); i++) {
        run.fds[i] = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
        loop_watch(run.loop, run.fds[i], ZMQ_POLLIN, fd_swap, &run);
    }
    loop_at(run.loop, clock_mono_ms() + 20, stop_loop, run.loop);
    CU_ASSERT(loop_run(run.loop) == 0 && run.calls == 1);
    for (size_t i = 0; i < ARRAY_SIZE(run.fds); i++) {
        loop_unwatch(run.loop, run.fds[i]);
        close(run.fds[i]);
    }
    loop_destroy(&run.loop);
}

/* A library can close a watched descriptor and get its number again. */
static void test_a_watched_descriptor_was_closed_and_its_number_is_back(void)
{
    struct fd_run run = {.loop = loop_new(), .calls = 2};
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), ready;

    loop_watch(run.loop, fd, ZMQ_POLLIN, fd_unexpected, &run);
    close(fd);
    ready = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    CU_ASSERT(ready == fd);
    loop_watch(run.loop, ready, ZMQ_POLLIN, fd_count, &run);
    CU_ASSERT(loop_run(run.loop) == 0 && run.calls == 3);
    loop_unwatch(run.loop, ready);
    close(ready);
    loop_destroy(&run.loop);
}

enum { MESSAGES = 20000, BATCH = 7 };

struct socket_run {
    struct loop *loop;
    zsock_t *near, *far;
    int sent, received, echoed;
};

static int read_some(zsock_t *socket, int max)
{
    char byte;
    int count = 0;

    while (count < max && zmq_recv(zsock_resolve(socket), &byte, 1, ZMQ_DONTWAIT) == 1)
        count++;
    return count;
}

static void near_readable(void *arg)
{
    struct socket_run *run = arg;

    run->received += read_some(run->near, BATCH);
    if (run->received >= MESSAGES)
        loop_stop(run->loop);
}

static void far_readable(void *arg)
{
    struct socket_run *run = arg;
    int count = read_some(run->far, BATCH);

    for (int i = 0; i < count; i++)
        CU_ASSERT(zmq_send(zsock_resolve(run->far), "e", 1, ZMQ_DONTWAIT) == 1);
    run->echoed += count;
}

/* Sends outside the sockets' callbacks, as a fiber does. Each send can consume libzmq's
 * edge-triggered event. */
static void send_some(void *arg)
{
    struct socket_run *run = arg;

    while (run->sent < MESSAGES && run->sent - run->received < 100) {
        if (zmq_send(zsock_resolve(run->near), "m", 1, ZMQ_DONTWAIT) != 1)
            break;
        run->sent++;
    }
    loop_socket_used(run->loop, run->near);
}

static void give_up(void *arg)
{
    struct socket_run *run = arg;

    UNIT_CHECK(false, "stuck: sent %d, echoed %d, received %d", run->sent, run->echoed,
               run->received);
    loop_stop(run->loop);
}

static void run_sockets(const char *endpoint)
{
    struct socket_run run = {.loop = loop_new()};
    struct loop_timer *deadline;

    run.near = zsock_new(ZMQ_PAIR);
    run.far = zsock_new(ZMQ_PAIR);
    CU_ASSERT(zsock_bind(run.far, "%s", endpoint) != -1);
    CU_ASSERT(zsock_connect(run.near, "%s", endpoint) == 0);
    loop_watch_socket(run.loop, run.near, near_readable, &run);
    loop_watch_socket(run.loop, run.far, far_readable, &run);
    loop_each_turn(run.loop, send_some, &run);
    deadline = loop_at(run.loop, clock_mono_ms() + 20000, give_up, &run);
    CU_ASSERT(loop_run(run.loop) == 0);
    CU_ASSERT(run.received == MESSAGES && run.echoed == MESSAGES);
    if (run.received == MESSAGES)
        loop_cancel(run.loop, &deadline);
    loop_unwatch_socket(run.loop, run.near);
    loop_unwatch_socket(run.loop, run.far);
    zsock_destroy(&run.near);
    zsock_destroy(&run.far);
    loop_destroy(&run.loop);
}

static void test_no_message_of_a_zeromq_socket_is_left_behind(void)
{
    struct unit_dir dir = unit_dir_make();
    char endpoint[128];

    run_sockets("inproc://test-loop");
    snprintf(endpoint, sizeof(endpoint), "ipc://%s/socket", dir.path);
    run_sockets(endpoint);
    unit_dir_remove(&dir);
}

/* Lets libzmq process its events without reading the messages, as a send can. The descriptor does
 * not become readable for them again. */
static void swallow_news(void *arg)
{
    struct socket_run *run = arg;
    int events;
    size_t size = sizeof(events);

    CU_ASSERT(zmq_send(zsock_resolve(run->far), "m", 1, 0) == 1);
    CU_ASSERT(zmq_getsockopt(zsock_resolve(run->near), ZMQ_EVENTS, &events, &size) == 0);
    CU_ASSERT((events & ZMQ_POLLIN) != 0);
    loop_socket_used(run->loop, run->near);
}

static void near_one(void *arg)
{
    struct socket_run *run = arg;

    run->received += read_some(run->near, 1);
    loop_stop(run->loop);
}

static void test_news_that_a_call_on_the_socket_has_swallowed(void)
{
    struct socket_run run = {.loop = loop_new()};

    run.near = zsock_new(ZMQ_PAIR);
    run.far = zsock_new(ZMQ_PAIR);
    CU_ASSERT(zsock_bind(run.far, "inproc://test-news") != -1);
    CU_ASSERT(zsock_connect(run.near, "inproc://test-news") == 0);
    loop_watch_socket(run.loop, run.near, near_one, &run);
    loop_at(run.loop, clock_mono_ms() + 5, swallow_news, &run);
    loop_at(run.loop, clock_mono_ms() + 500, stop_loop, run.loop);
    CU_ASSERT(loop_run(run.loop) == 0);
    CU_ASSERT(run.received == 1);
    loop_unwatch_socket(run.loop, run.near);
    zsock_destroy(&run.near);
    zsock_destroy(&run.far);
    loop_destroy(&run.loop);
}

static void unwatch_itself(void *arg)
{
    struct socket_run *run = arg;

    loop_unwatch_socket(run->loop, run->near);
    zsock_destroy(&run->near);
    run->received++;
}

static void test_a_socket_may_end_its_own_watch(void)
{
    struct socket_run run = {.loop = loop_new()};

    run.near = zsock_new(ZMQ_PAIR);
    run.far = zsock_new(ZMQ_PAIR);
    CU_ASSERT(zsock_bind(run.far, "inproc://test-unwatch") != -1);
    CU_ASSERT(zsock_connect(run.near, "inproc://test-unwatch") == 0);
    loop_watch_socket(run.loop, run.near, unwatch_itself, &run);
    CU_ASSERT(zmq_send(zsock_resolve(run.far), "m", 1, 0) == 1);
    loop_at(run.loop, clock_mono_ms() + 30, stop_loop, run.loop);
    CU_ASSERT(loop_run(run.loop) == 0 && run.received == 1);
    zsock_destroy(&run.far);
    loop_destroy(&run.loop);
}

static void on_signal(void *arg, int signo)
{
    int *last = arg;

    *last = signo;
}

static void test_signals(void)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
        struct loop *loop = loop_new();
        int last = 0;

        loop_on_signal(loop, on_signal, &last);
        CU_ASSERT(kill(getpid(), signals[i]) == 0);
        loop_at(loop, clock_mono_ms() + 10, stop_loop, loop);
        CU_ASSERT(loop_run(loop) == 0);
        UNIT_CHECK(last == signals[i], "signal %d came as %d", signals[i], last);
        /* a signal still pending at the end does not kill the process */
        CU_ASSERT(kill(getpid(), signals[i]) == 0);
        loop_destroy(&loop);
    }
}

static void test_stop_before_run(void)
{
    struct loop *loop = loop_new();

    loop_stop(loop);
    CU_ASSERT(loop_run(loop) == 0);
    loop_at(loop, clock_mono_ms() + 5, stop_loop, loop);
    UNIT_CHECK(loop_run(loop) == 0, "it can run again");
    loop_destroy(&loop);
    loop_destroy(&loop);
}

static const struct unit_case cases[] = {
    CASE(test_timers_fire_in_order_cancelled_ones_never),
    CASE(test_a_due_timer_armed_by_a_timer_yields),
    CASE(test_no_event_no_turn),
    CASE(test_descriptors_are_level_triggered),
    CASE(test_an_event_of_an_earlier_watch_is_dropped),
    CASE(test_a_watched_descriptor_was_closed_and_its_number_is_back),
    CASE(test_no_message_of_a_zeromq_socket_is_left_behind),
    CASE(test_news_that_a_call_on_the_socket_has_swallowed),
    CASE(test_a_socket_may_end_its_own_watch),
    CASE(test_signals),
    CASE(test_stop_before_run),
};

int main(void)
{
    return unit_run("loop", cases, ARRAY_SIZE(cases));
}
