/* stream.c - see stream.h. */
#include "gateway/transfer/stream.h"

#include "common/base/memory.h"

enum { RETRY_MS = 50 };

static bool is_much(const struct gateway *gateway)
{
    return gateway->streams_size > STREAM_MUCH;
}

size_t stream_piece_size(const struct gateway *gateway)
{
    return is_much(gateway) ? STREAM_PIECE_SMALL : CONTENT_PIECE_MAX;
}

size_t stream_window(const struct gateway *gateway)
{
    return is_much(gateway) ? 1 : STREAM_WINDOW;
}

struct piece *piece_new(struct gateway *gateway, void *owner, int64_t offset, size_t size)
{
    struct piece *self = memory_new(sizeof(*self));

    *self = (struct piece){.arena = arena_new(), .owner = owner, .offset = offset, .held = size};
    gateway->streams_size += size;
    gateway->has_streamed = true;
    return self;
}

void piece_destroy(struct gateway *gateway, struct piece **self_p)
{
    struct piece *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    gateway->streams_size -= self->held;
    arena_destroy(&self->arena);
    free(self);
}

int stream_call(struct gateway *gateway, const char *service, const struct request *req,
                struct arena *arena, const struct stream_call *call, struct error *err)
{
    struct bus_method method = {service, call->operation, R_SAFE, call->input, call->output};
    struct request own = *req;

    own.arena = arena;
    own.deadline_mono_ms = clock_mono_ms() + call->timeout_ms;
    while (bus_call(gateway->service.bus, &method, &own, call->in, call->out, err) < 0) {
        struct error stopped;

        if (err->code != ERR_UNAVAILABLE || bus_has_peer(gateway->service.bus, method.service) ||
            clock_mono_ms() + RETRY_MS >= own.deadline_mono_ms)
            return -1;
        error_init(&stopped, NULL);
        if (fiber_sleep_until(gateway->service.loop, clock_mono_ms() + RETRY_MS, &stopped) < 0)
            return -1;
        error_clear(err);
    }
    return 0;
}
