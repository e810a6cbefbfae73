/*
 * bus_raw.c - see bus_raw.h.
 */
#include "tests/support/bus_raw.h"

#include <CUnit/CUnit.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/clock.h"

size_t raw_pack(char *frame, int kind, uint64_t id, const char *elements, ...)
{
    msgpack_sbuffer buffer;
    msgpack_packer packer;
    va_list args;
    size_t size;

    msgpack_sbuffer_init(&buffer);
    msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
    msgpack_pack_array(&packer, 3 + strlen(elements));
    msgpack_pack_int(&packer, 1);
    msgpack_pack_int(&packer, kind);
    msgpack_pack_uint64(&packer, id);
    va_start(args, elements);
    for (const char *at = elements; *at != '\0'; at++) {
        if (*at == 's')
            codec_pack_text(&packer, va_arg(args, const char *));
        else if (*at == 'u')
            msgpack_pack_uint64(&packer, va_arg(args, uint64_t));
        else if (*at == 'i')
            msgpack_pack_int64(&packer, va_arg(args, int64_t));
        else if (*at == 'f')
            msgpack_pack_false(&packer);
        else if (*at == 'b')
            msgpack_pack_bin_with_body(&packer, "\x80", 1);
        else
            msgpack_pack_bin(&packer, 0);
    }
    va_end(args);
    size = buffer.size;
    memcpy(frame, buffer.data, size);
    msgpack_sbuffer_destroy(&buffer);
    return size;
}

size_t raw_pack_request(char *frame, uint64_t id, uint64_t boot, const char *operation)
{
    return raw_pack(frame, 3, id, "usisssnb", boot, operation, clock_mono_ms() + 5000, "t", "", "");
}

bool raw_open(struct raw *self, const struct kit *kit, int type, const char *path)
{
    const int patience = 2000, none = 0;
    char endpoint[160];

    self->context = zmq_ctx_new();
    self->socket = zmq_socket(self->context, type);
    zmq_setsockopt(self->socket, ZMQ_RCVTIMEO, &patience, sizeof(patience));
    zmq_setsockopt(self->socket, ZMQ_LINGER, &none, sizeof(none));
    zmq_setsockopt(self->socket, ZMQ_SNDHWM, &none, sizeof(none));
    zmq_setsockopt(self->socket, ZMQ_RCVHWM, &none,
                   sizeof(none)); /* 0: no limit; otherwise the bus rightly drops responses */
    snprintf(endpoint, sizeof(endpoint), "ipc://%s/bus/%s", kit->dir.path, path);
    return (type == ZMQ_ROUTER ? zmq_bind(self->socket, endpoint)
                               : zmq_connect(self->socket, endpoint)) == 0;
}

void raw_close(struct raw *self)
{
    zmq_close(self->socket);
    zmq_ctx_term(self->context);
}

void raw_send(struct raw *self, const void *bytes, size_t size)
{
    CU_ASSERT(zmq_send(self->socket, bytes, size, 0) == (int)size);
}

int raw_receive(struct raw *self, uint64_t *ret_id)
{
    struct arena *arena = arena_new();
    char bytes[4096];
    msgpack_object object;
    struct error err;
    int kind = -1, size = zmq_recv(self->socket, bytes, sizeof(bytes), 0);

    error_init(&err, arena);
    if (size >= 0 && codec_unpack(bytes, (size_t)size, arena, &object, &err) == 0) {
        kind = (int)object.via.array.ptr[1].via.u64;
        *ret_id = object.via.array.ptr[2].via.u64;
        if (kind == 2)
            self->boot = object.via.array.ptr[5].via.u64;
        if (kind == 5)
            snprintf(self->code, sizeof(self->code), "%.*s",
                     (int)object.via.array.ptr[3].via.str.size,
                     object.via.array.ptr[3].via.str.ptr);
    }
    arena_destroy(&arena);
    return kind;
}

bool raw_hello(struct raw *self, const char *service, const char *instance)
{
    char frame[256];
    uint64_t id;

    raw_send(self, frame, raw_pack(frame, 1, 0, "ssu", service, instance, (uint64_t)getpid()));
    return raw_receive(self, &id) == 2;
}
