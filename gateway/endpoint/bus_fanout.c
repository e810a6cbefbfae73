/* bus_fanout.c - see bus_fanout.h. */
#include "gateway/endpoint/bus_fanout.h"

#include "common/base/clock.h"
#include "gateway/gateway.h"

struct fanout {
    struct gateway *gateway;
    struct bus_method (*method)(const char *service);
    struct arena *arena;
    int64_t deadline_ms;
    size_t left;
    struct fiber *parent;
};

struct fanout_call {
    struct fanout *all;
    struct fanout_reply *answer;
};

static void ask(void *arg)
{
    struct fanout_call *self = arg;
    struct fanout *all = self->all;
    const char *peer = self->answer->peer;
    const char *service = arena_strndup(all->arena, peer, strcspn(peer, "."));
    struct bus_method method = all->method(service);
    struct request req = {.arena = all->arena,
                          .service = "gateway",
                          .trace = method.operation,
                          .address = "",
                          .userAgent = "",
                          .now_ms = clock_now_ms(all->gateway->service.clock),
                          .deadline_mono_ms = all->deadline_ms};
    void *out = arena_alloc(all->arena, method.output->size);
    struct error err;

    error_init(&err, all->arena);
    if (bus_call_instance(all->gateway->service.bus, peer, &method, &req, &(struct nothing){0}, out,
                          &err) == 0)
        self->answer->out = out;
    if (--all->left == 0)
        fiber_wake(all->parent);
}

static size_t keep_wanted(const struct gateway *gateway, const char **peers,
                          bool (*wanted)(const struct gateway *gateway, const char *peer))
{
    size_t count = 0;

    for (size_t i = 0; peers[i]; i++)
        if (!wanted || wanted(gateway, peers[i]))
            peers[count++] = peers[i];
    return count;
}

struct fanout_reply *bus_fanout(struct gateway *gateway,
                                struct bus_method (*method)(const char *service),
                                bool (*wanted)(const struct gateway *gateway, const char *peer),
                                int64_t timeout_ms, struct arena *arena)
{
    struct loop *loop = gateway->service.loop;
    const char **peers = bus_peers(gateway->service.bus, NULL, arena);
    struct fanout all = {.gateway = gateway,
                         .method = method,
                         .arena = arena,
                         .deadline_ms = clock_mono_ms() + timeout_ms,
                         .parent = fiber_self(loop)};
    struct fanout_reply *answers;
    struct error err;
    size_t count = keep_wanted(gateway, peers, wanted);

    error_init(&err, arena);
    answers = arena_calloc(arena, count + 1, sizeof(*answers));
    for (size_t i = 0; i < count; i++) {
        struct fanout_call *question = arena_alloc(arena, sizeof(*question));

        answers[i].peer = peers[i];
        *question = (struct fanout_call){&all, &answers[i]};
        all.left++;
        if (fiber_start(loop, ask, question, &err) < 0)
            all.left--;
    }
    /* The questions are on this stack, so wait for all of them. Each has a deadline. */
    while (all.left > 0)
        (void)!fiber_park(loop, INT64_MAX);
    return answers;
}
