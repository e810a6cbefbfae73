/*
 * bus_wire.c - frames (WIRE.md), written into one buffer and read in place. Reading allocates
 * nothing and checks each length.
 */
#include <limits.h>

#include "common/base/log.h"
#include "common/bus/bus_private.h"

enum {
    FRAME_LARGE = 32 * 1024, /* larger frames are moved, not copied */
    FRAME_KEPT = 64 * 1024,  /* larger buffers are freed after use */
};

/* Last member of a REPLY's map after a counted limit; no operation uses this name. */
#define LIMIT_MEMBER "RateLimit"

/* ---- reading ---- */

static uint64_t read_bytes(struct bus_reader *self, size_t count)
{
    uint64_t value = 0;

    if (self->bad || (size_t)(self->end - self->at) < count) {
        self->bad = true;
        return 0;
    }
    while (count-- > 0)
        value = value << 8 | *self->at++;
    return value;
}

static uint64_t read_uint(struct bus_reader *self)
{
    uint8_t tag = (uint8_t)read_bytes(self, 1);

    if (tag < 0x80)
        return tag;
    if (tag >= 0xcc && tag <= 0xcf)
        return read_bytes(self, (size_t)1 << (tag - 0xcc));
    self->bad = true;
    return 0;
}

static int64_t read_int(struct bus_reader *self)
{
    uint64_t value;

    if (self->bad || self->at == self->end) {
        self->bad = true;
        return 0;
    }
    switch (*self->at) {
    case 0xd0:
        self->at++;
        return (int8_t)read_bytes(self, 1);
    case 0xd1:
        self->at++;
        return (int16_t)read_bytes(self, 2);
    case 0xd2:
        self->at++;
        return (int32_t)read_bytes(self, 4);
    case 0xd3:
        self->at++;
        return (int64_t)read_bytes(self, 8);
    default:
        break;
    }
    if (*self->at >= 0xe0)
        return (int8_t)*self->at++;
    value = read_uint(self);
    if (value > INT64_MAX)
        self->bad = true;
    return self->bad ? 0 : (int64_t)value;
}

static bool read_bool(struct bus_reader *self)
{
    uint8_t tag = (uint8_t)read_bytes(self, 1);

    if (tag != 0xc2 && tag != 0xc3)
        self->bad = true;
    return tag == 0xc3;
}

static size_t read_array(struct bus_reader *self)
{
    uint8_t tag = (uint8_t)read_bytes(self, 1);

    if ((tag & 0xf0) == 0x90)
        return tag & 0x0f;
    if (tag == 0xdc)
        return read_bytes(self, 2);
    self->bad = true; /* the grammar has no larger arrays */
    return 0;
}

static struct bus_slice read_slice(struct bus_reader *self, size_t size)
{
    struct bus_slice slice = {"", 0};

    if (self->bad || (size_t)(self->end - self->at) < size) {
        self->bad = true;
        return slice;
    }
    slice.bytes = (const char *)self->at;
    slice.size = size;
    self->at += size;
    return slice;
}

static struct bus_slice read_text(struct bus_reader *self, size_t max)
{
    uint8_t tag = (uint8_t)read_bytes(self, 1);
    struct bus_slice slice = {"", 0};
    size_t size = 0;

    if ((tag & 0xe0) == 0xa0)
        size = tag & 0x1f;
    else if (tag >= 0xd9 && tag <= 0xdb)
        size = read_bytes(self, (size_t)1 << (tag - 0xd9));
    else
        self->bad = true;
    if (size > max)
        self->bad = true;
    if (!self->bad)
        slice = read_slice(self, size);
    if (!self->bad && !codec_is_text(slice.bytes, slice.size))
        self->bad = true;
    return slice;
}

static struct bus_slice read_bin(struct bus_reader *self)
{
    uint8_t tag = (uint8_t)read_bytes(self, 1);

    if (tag < 0xc4 || tag > 0xc6)
        self->bad = true;
    return read_slice(self, self->bad ? 0 : read_bytes(self, (size_t)1 << (tag - 0xc4)));
}

/* Returns the number of elements of a frame; -1: the version has no such kind. */
static int element_count(uint64_t version, uint64_t kind)
{
    static const int8_t counts[] = {
        [BUS_HELLO] = 3,   [BUS_WELCOME] = 6, [BUS_REQUEST] = 8,  [BUS_REPLY] = 1, [BUS_ERROR] = 9,
        [BUS_REFUSED] = 1, [BUS_DRAIN] = 0,   [BUS_ANNOUNCE] = 2, [BUS_ACK] = 0,   [BUS_PING] = 0,
    };
    if (version == BUS_VERSION_TRACED)
        return kind == BUS_REQUEST ? counts[kind] + 2 : -1;
    return version != BUS_VERSION || kind == 0 || kind >= ARRAY_SIZE(counts) ? -1 : counts[kind];
}

static void read_request(struct bus_reader *reader, bool traced, struct bus_incoming *ret)
{
    ret->boot = read_uint(reader);
    ret->name = read_text(reader, BUS_OPERATION_MAX);
    ret->mono_ms = read_int(reader);
    ret->trace = read_text(reader, BUS_TRACE_MAX);
    ret->address = read_text(reader, BUS_ADDRESS_MAX);
    ret->agent = read_text(reader, BUS_AGENT_MAX);
    ret->caller = read_bin(reader);
    ret->body = read_bin(reader);
    if (!traced)
        return;
    ret->traceparent = read_text(reader, BUS_TRACEPARENT_MAX);
    ret->state = read_text(reader, TRACESTATE_MAX);
}

static void read_elements(struct bus_reader *reader, bool traced, struct bus_incoming *ret)
{
    switch (ret->kind) {
    case BUS_HELLO:
        ret->service = read_text(reader, BUS_NAME_MAX);
        ret->instance = read_text(reader, BUS_NAME_MAX);
        ret->boot = read_uint(reader);
        break;
    case BUS_WELCOME:
        ret->service = read_text(reader, BUS_NAME_MAX);
        ret->instance = read_text(reader, BUS_NAME_MAX);
        ret->boot = read_uint(reader);
        ret->version = read_text(reader, 64);
        ret->mono_ms = read_int(reader);
        ret->draining = read_bool(reader);
        break;
    case BUS_REQUEST:
        read_request(reader, traced, ret);
        break;
    case BUS_REPLY:
        ret->body = read_bin(reader);
        break;
    case BUS_ERROR: /* the waiting fiber reads it, see bus_read_error() */
        ret->error = *reader;
        reader->at = reader->end;
        break;
    case BUS_REFUSED:
        ret->boot = read_uint(reader);
        break;
    case BUS_ANNOUNCE:
        ret->name = read_text(reader, BUS_TOPIC_MAX);
        ret->body = read_bin(reader);
        break;
    case BUS_DRAIN:
    case BUS_ACK:
    case BUS_PING:
        break;
    }
}

int bus_read(const void *bytes, size_t size, struct bus_incoming *ret)
{
    struct bus_reader reader = {.at = bytes, .end = (const uint8_t *)bytes + size};
    size_t count = read_array(&reader);
    uint64_t version = read_uint(&reader), kind = read_uint(&reader);

    memset(ret, 0, sizeof(*ret));
    ret->id = read_uint(&reader);
    if (reader.bad || element_count(version, kind) < 0 ||
        count != (size_t)element_count(version, kind) + 3)
        return -1;
    ret->kind = (enum bus_kind)kind;
    read_elements(&reader, version == BUS_VERSION_TRACED, ret);
    return reader.bad || reader.at != reader.end ? -1 : 0;
}

bool bus_slice_is(struct bus_slice slice, const char *text)
{
    return strlen(text) == slice.size && memcmp(slice.bytes, text, slice.size) == 0;
}

bool bus_error_is(struct bus_reader reader, enum error_code code)
{
    return bus_slice_is(read_text(&reader, 64), error_kind(code)->wire);
}

struct error_head {
    char wire[65];
    struct bus_slice message;
    int64_t retry, limit, remaining, reset, count;
};

static void read_error_head(struct bus_reader *reader, struct error_head *ret)
{
    struct bus_slice wire = read_text(reader, 64);

    memcpy(ret->wire, wire.bytes, wire.size);
    ret->wire[wire.size] = '\0';
    ret->message = read_text(reader, 255);
    ret->retry = read_int(reader);
    ret->limit = read_int(reader);
    ret->remaining = read_int(reader);
    ret->reset = read_int(reader);
    ret->count = read_int(reader);
}

/* Reads the items into err. If err is NULL, it only checks them. */
static void read_items(struct bus_reader *reader, bool problems, struct error *err)
{
    size_t count = read_array(reader);

    if (count > ERROR_ITEMS_MAX)
        reader->bad = true;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        size_t pair = read_array(reader);
        struct bus_slice name = read_text(reader, BUS_ITEM_NAME_MAX);
        struct bus_slice value = read_text(reader, BUS_ITEM_VALUE_MAX);

        if (pair != 2)
            reader->bad = true;
        if (!err || !err->arena || reader->bad)
            continue;
        char *key = arena_strndup(err->arena, name.bytes, name.size);
        if (problems)
            error_problem(err, key, "%.*s", (int)value.size, value.bytes);
        else
            error_member(err, key, arena_strndup(err->arena, value.bytes, value.size));
    }
}

int bus_read_error(struct bus_reader *reader, struct error *err)
{
    struct error_head head;
    struct bus_reader items;

    read_error_head(reader, &head);
    items = *reader;
    read_items(reader, true, NULL);
    read_items(reader, false, NULL);
    if (reader->bad || reader->at != reader->end || head.count < 0 || head.count > INT_MAX)
        return -1;
    error_clear(err);
    read_items(&items, true, err);
    read_items(&items, false, err);
    /* Last, because error_problem() sets code and message. */
    error_set(err, error_from_wire(head.wire), "%.*s", (int)head.message.size, head.message.bytes);
    err->problem_count = (int)head.count;
    err->retry_after_s = head.retry;
    err->limit = head.limit;
    err->remaining = head.remaining;
    err->reset_s = head.reset;
    return 0;
}

/* ---- writing ---- */

static void put(struct codec_buffer *self, const void *bytes, size_t size)
{
    (void)codec_write(self, bytes, size);
}

static void put_tag(struct codec_buffer *self, uint8_t tag, uint64_t value, size_t width)
{
    uint8_t *at;

    codec_buffer_reserve(self, 9);
    at = self->bytes + self->size;
    *at++ = tag;
    for (size_t i = width; i-- > 0;)
        *at++ = (uint8_t)(value >> (8 * i));
    self->size += 1 + width;
}

void bus_write_uint(struct codec_buffer *self, uint64_t value)
{
    if (value < 0x80)
        put_tag(self, (uint8_t)value, 0, 0);
    else if (value <= UINT32_MAX)
        put_tag(self, 0xce, value, 4);
    else
        put_tag(self, 0xcf, value, 8);
}

void bus_write_int(struct codec_buffer *self, int64_t value)
{
    if (value >= 0)
        bus_write_uint(self, (uint64_t)value);
    else
        put_tag(self, 0xd3, (uint64_t)value, 8);
}

void bus_write_bool(struct codec_buffer *self, bool value)
{
    put_tag(self, value ? 0xc3 : 0xc2, 0, 0);
}

static void write_array(struct codec_buffer *self, size_t count)
{
    if (count < 16)
        put_tag(self, (uint8_t)(0x90 | count), 0, 0);
    else
        put_tag(self, 0xdc, count, 2);
}

/* Cuts to `max` bytes between characters. Returns 0 for invalid UTF-8 (a Latin-1 User-Agent), for
 * which the receiver would drop the frame. */
static size_t sendable(const char *text, size_t max)
{
    size_t size = !text ? 0 : strnlen(text, max);

    for (int cut = 0; cut < 4 && size > 0; cut++, size--)
        if (codec_is_text(text, size))
            return size;
    return 0;
}

void bus_write_text(struct codec_buffer *self, const char *text, size_t max)
{
    size_t size = sendable(text, max);

    if (size < 32)
        put_tag(self, (uint8_t)(0xa0 | size), 0, 0);
    else
        put_tag(self, 0xda, size, 2);
    put(self, text, size);
}

void bus_write_bytes(struct codec_buffer *self, const void *bytes, size_t size)
{
    put_tag(self, 0xc6, size, 4);
    put(self, bytes, size);
}

static size_t begin_bytes(struct codec_buffer *self)
{
    put_tag(self, 0xc6, 0, 4);
    return self->size;
}

static void end_bytes(struct codec_buffer *self, size_t start)
{
    size_t size = self->size - start;

    for (size_t i = 0; i < 4; i++)
        self->bytes[start - 1 - i] = (uint8_t)(size >> (8 * i));
}

void bus_write_fields(struct codec_buffer *self, const struct field_table *table, const void *in)
{
    size_t start = begin_bytes(self);

    fields_pack(table, in, self);
    end_bytes(self, start);
}

void bus_write_of_project(struct codec_buffer *self, const struct field_table *table,
                          const void *in, const struct request *req)
{
    size_t start = begin_bytes(self);

    fields_pack_more(table, in, 1, self);
    bus_write_text(self, req->tenant ? "tenantCode" : "projectId", BUS_TENANT_MAX);
    bus_write_text(self, req->tenant ? req->tenant : req->project.text, BUS_TENANT_MAX);
    end_bytes(self, start);
}

void bus_write_reply(struct codec_buffer *self, uint64_t id, const struct field_table *table,
                     const void *out, const struct error *err)
{
    bool limited = err->code == ERR_NONE && err->limit > 0;
    size_t start;

    bus_write(self, BUS_REPLY, id, 1);
    start = begin_bytes(self);
    fields_pack_more(table, out, limited, self);
    if (limited) {
        bus_write_text(self, LIMIT_MEMBER, sizeof(LIMIT_MEMBER) - 1);
        put_tag(self, 0x93, 0, 0);
        bus_write_int(self, err->limit);
        bus_write_int(self, err->remaining);
        bus_write_int(self, err->reset_s);
    }
    end_bytes(self, start);
}

void bus_read_limit(const msgpack_object *reply, struct error *err)
{
    const msgpack_object_map *map = &reply->via.map;
    const msgpack_object_kv *last = map->size > 0 ? &map->ptr[map->size - 1] : NULL;
    const msgpack_object_array *list = last ? &last->val.via.array : NULL;
    int64_t values[3];

    if (!last || last->val.type != MSGPACK_OBJECT_ARRAY || list->size != ARRAY_SIZE(values) ||
        last->key.type != MSGPACK_OBJECT_STR ||
        last->key.via.str.size != sizeof(LIMIT_MEMBER) - 1 ||
        memcmp(last->key.via.str.ptr, LIMIT_MEMBER, sizeof(LIMIT_MEMBER) - 1) != 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        if (list->ptr[i].type != MSGPACK_OBJECT_POSITIVE_INTEGER ||
            list->ptr[i].via.u64 > INT64_MAX)
            return;
        values[i] = (int64_t)list->ptr[i].via.u64;
    }
    error_limit(err, values[0], values[1], values[2]);
}

void bus_write_version(struct codec_buffer *self, unsigned version, enum bus_kind kind, uint64_t id,
                       unsigned elements)
{
    self->size = 0;
    write_array(self, elements + 3);
    bus_write_uint(self, version);
    bus_write_uint(self, kind);
    bus_write_uint(self, id);
}

void bus_write(struct codec_buffer *self, enum bus_kind kind, uint64_t id, unsigned elements)
{
    bus_write_version(self, BUS_VERSION, kind, id, elements);
}

void bus_write_again(struct codec_buffer *self, const void *bytes, size_t size)
{
    self->size = 0;
    put(self, bytes, size);
}

static void write_items(struct codec_buffer *self, const struct error_item *items)
{
    size_t count = 0;

    for (const struct error_item *i = items; i && count < ERROR_ITEMS_MAX; i = i->next)
        count++;
    write_array(self, count);
    for (; count > 0; count--, items = items->next) {
        write_array(self, 2);
        bus_write_text(self, items->name, BUS_ITEM_NAME_MAX);
        bus_write_text(self, items->value, BUS_ITEM_VALUE_MAX);
    }
}

void bus_write_error(struct codec_buffer *self, uint64_t id, const struct error *err)
{
    bus_write(self, BUS_ERROR, id, 9);
    bus_write_text(self, error_kind(err->code)->wire, 64);
    bus_write_text(self, err->message, 255);
    bus_write_int(self, err->retry_after_s);
    bus_write_int(self, err->limit);
    bus_write_int(self, err->remaining);
    bus_write_int(self, err->reset_s);
    bus_write_int(self, err->problem_count);
    write_items(self, err->problems);
    write_items(self, err->members);
}

static void free_frame(void *bytes, void *hint UNUSED)
{
    free(bytes);
}

static void hand_over(struct codec_buffer *self, zmq_msg_t *ret)
{
    if (zmq_msg_init_data(ret, self->bytes, self->size, free_frame, NULL) != 0)
        log_die("bus", "out of memory");
    *self = (struct codec_buffer){0};
}

int bus_write_end(struct codec_buffer *self, zmq_msg_t *ret)
{
    bool fits = self->size <= CODEC_FRAME_MAX;

    if (fits && self->size >= FRAME_LARGE) {
        hand_over(self, ret);
        return 0;
    }
    if (fits) {
        if (zmq_msg_init_size(ret, self->size) != 0)
            log_die("bus", "out of memory");
        memcpy(zmq_msg_data(ret), self->bytes, self->size);
    }
    explicit_bzero(self->bytes, self->size);
    self->size = 0;
    if (self->capacity > FRAME_KEPT)
        bus_frame_free(self);
    return fits ? 0 : -1;
}

void bus_frame_free(struct codec_buffer *self)
{
    free(self->bytes);
    *self = (struct codec_buffer){0};
}
