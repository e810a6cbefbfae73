/*
 * fuzz_frame.c - bus frames (common/bus/WIRE.md). Input: one frame.
 */
#include <string.h>

#include "common/bus/bus_private.h"
#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"

static void write_slice(struct codec_buffer *frame, struct arena *arena, struct bus_slice slice)
{
    bus_write_text(frame, arena_strndup(arena, slice.bytes, slice.size), slice.size);
}

static void write_frame(struct codec_buffer *frame, struct arena *arena,
                        const struct bus_incoming *in)
{
    static const uint8_t elements[] = {
        [BUS_HELLO] = 3, [BUS_WELCOME] = 6,  [BUS_REQUEST] = 8, [BUS_REPLY] = 1, [BUS_REFUSED] = 1,
        [BUS_DRAIN] = 0, [BUS_ANNOUNCE] = 2, [BUS_ACK] = 0,     [BUS_PING] = 0,
    };

    bus_write(frame, in->kind, in->id, elements[in->kind]);
    if (in->kind == BUS_HELLO || in->kind == BUS_WELCOME) {
        write_slice(frame, arena, in->service);
        write_slice(frame, arena, in->instance);
    }
    if (in->kind != BUS_ANNOUNCE && in->kind != BUS_REPLY && elements[in->kind] > 0)
        bus_write_uint(frame, in->boot);
    if (in->kind == BUS_WELCOME) {
        write_slice(frame, arena, in->version);
        bus_write_int(frame, in->mono_ms);
        bus_write_bool(frame, in->draining);
    }
    if (in->kind == BUS_REQUEST || in->kind == BUS_ANNOUNCE)
        write_slice(frame, arena, in->name);
    if (in->kind == BUS_REQUEST) {
        bus_write_int(frame, in->mono_ms);
        write_slice(frame, arena, in->trace);
        write_slice(frame, arena, in->address);
        write_slice(frame, arena, in->agent);
        bus_write_bytes(frame, in->caller.bytes, in->caller.size);
    }
    if (in->kind == BUS_REQUEST || in->kind == BUS_REPLY || in->kind == BUS_ANNOUNCE)
        bus_write_bytes(frame, in->body.bytes, in->body.size);
}

static void require_same(struct bus_slice a, struct bus_slice b)
{
    FUZZ_REQUIRE(a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0));
}

static void check_frame(struct arena *arena, const struct bus_incoming *in)
{
    struct codec_buffer frame = {0};
    struct bus_incoming again;

    write_frame(&frame, arena, in);
    FUZZ_REQUIRE(bus_read(frame.bytes, frame.size, &again) == 0);
    FUZZ_REQUIRE(in->kind == again.kind && in->id == again.id && in->boot == again.boot);
    FUZZ_REQUIRE(in->mono_ms == again.mono_ms && in->draining == again.draining);
    require_same(in->service, again.service);
    require_same(in->instance, again.instance);
    require_same(in->version, again.version);
    require_same(in->name, again.name);
    require_same(in->trace, again.trace);
    require_same(in->address, again.address);
    require_same(in->agent, again.agent);
    require_same(in->caller, again.caller);
    require_same(in->body, again.body);
    bus_frame_free(&frame);
}

/* Checks that a read and rewritten error reads the same; long ones are cut before. */
static void check_error(struct arena *arena, struct bus_incoming *in)
{
    struct codec_buffer frame = {0}, again = {0};
    struct error first, second;

    error_init(&first, arena);
    error_init(&second, arena);
    if (bus_read_error(&in->error, &first) < 0) {
        FUZZ_REQUIRE(first.code == ERR_NONE);
        return;
    }
    FUZZ_REQUIRE(codec_is_text(first.message, strlen(first.message)));
    for (const struct error_item *item = first.problems; item; item = item->next)
        FUZZ_REQUIRE(codec_is_text(item->value, strlen(item->value)));
    bus_write_error(&frame, in->id, &first);
    FUZZ_REQUIRE(bus_read(frame.bytes, frame.size, in) == 0);
    FUZZ_REQUIRE(bus_read_error(&in->error, &second) == 0);
    FUZZ_REQUIRE(first.code == second.code && strcmp(first.message, second.message) == 0);
    bus_write_error(&again, in->id, &second);
    FUZZ_REQUIRE(frame.size == again.size && memcmp(frame.bytes, again.bytes, frame.size) == 0);
    bus_frame_free(&frame);
    bus_frame_free(&again);
}

int fuzz_frame(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) void *bytes = fuzz_bytes(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct bus_incoming in;

    if (bus_read(bytes, size, &in) < 0)
        return 0;
    if (in.kind == BUS_ERROR)
        check_error(arena, &in);
    else
        check_frame(arena, &in);
    return 0;
}
