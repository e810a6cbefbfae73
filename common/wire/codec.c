/* codec.c - msgpack from untrusted peers: everything is measured before anything is allocated. */
#include "common/wire/codec.h"

#include <assert.h>

#include "common/base/memory.h"

enum {
    BUFFER_FIRST = 512,     /* arena buffer's bytes */
    HEAP_FIRST = 4096,      /* malloc() buffer's bytes */
    HEAP_LARGE = 32 * 1024, /* a larger addition does not double a malloc() buffer */
    EXT_JSON = 1,
};

/* ---- text ---- */

/* Returns a UTF-8 sequence's length (RFC 3629: shortest form, no surrogates), or 0. */
static size_t sequence_length(const uint8_t *at, size_t left)
{
    uint8_t lead = at[0], low = 0x80, high = 0xbf;
    size_t length;

    if (lead >= 0xc2 && lead <= 0xdf) {
        length = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
        length = 3;
        low = lead == 0xe0 ? 0xa0 : 0x80;
        high = lead == 0xed ? 0x9f : 0xbf;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
        length = 4;
        low = lead == 0xf0 ? 0x90 : 0x80;
        high = lead == 0xf4 ? 0x8f : 0xbf;
    } else {
        return 0;
    }
    if (length > left || at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

static inline bool are_ascii(const char *bytes)
{
    uint64_t eight;

    memcpy(&eight, bytes, sizeof(eight));
    return (((eight - EIGHT_TIMES(1)) | eight) & EIGHT_TIMES(0x80)) == 0;
}

static size_t ascii_length(const char *bytes, size_t size)
{
    size_t length = 0;

    while (size - length >= 8 && are_ascii(bytes + length))
        length += 8;
    return length;
}

/* From eight bytes on, checks a word at a time; the last word can overlap the one before. */
static bool is_ascii(const char *bytes, size_t size)
{
    if (size >= 8)
        return ascii_length(bytes, size) == size - size % 8 && are_ascii(bytes + size - 8);
    for (size_t i = 0; i < size; i++)
        if ((signed char)bytes[i] <= 0)
            return false;
    return true;
}

bool codec_is_text(const char *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;
    size_t i = 0;

    if (is_ascii(bytes, size))
        return true;
    while (i < size) {
        size_t length = 1;

        i += ascii_length(bytes + i, size - i);
        if (i == size)
            break;
        if (at[i] == 0)
            return false;
        if (at[i] >= 0x80)
            length = sequence_length(at + i, size - i);
        if (length == 0)
            return false;
        i += length;
    }
    return true;
}

bool codec_is_ascii(const char *text)
{
    while (*text != '\0' && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

size_t codec_characters(const char *text, size_t size)
{
    size_t count = 0;

    for (size_t i = 0; i < size; i++)
        count += ((uint8_t)text[i] & 0xc0) != 0x80; /* not a continuation byte */
    return count;
}

/* ---- msgpack ---- */

struct head {
    enum { HEAD_SCALAR, HEAD_STR, HEAD_BIN, HEAD_EXT, HEAD_ARRAY, HEAD_MAP } kind;
    size_t size; /* payload bytes, or elements or pairs */
};

struct scan {
    const uint8_t *at;
    size_t left;
    size_t items;
    size_t pending[CODEC_DEPTH_MAX]; /* missing values per open container */
    size_t depth;
};

static bool scan_length(struct scan *self, size_t width, size_t *ret)
{
    size_t value = 0;

    if (self->left < width)
        return false;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | self->at[i];
    self->at += width;
    self->left -= width;
    *ret = value;
    return true;
}

static inline bool scan_head(struct scan *self, struct head *ret)
{
    static const uint8_t scalar_size[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8}; /* 0xca .. 0xd3 */
    uint8_t byte;

    if (self->left == 0)
        return false;
    byte = *self->at++;
    self->left--;
    if ((byte & 0xe0) == 0xa0) { /* short text, the most common value */
        *ret = (struct head){HEAD_STR, byte & 0x1f};
        return true;
    }
    *ret = (struct head){HEAD_SCALAR, 0};
    if (byte <= 0x7f || byte >= 0xe0 || byte == 0xc0 || byte == 0xc2 || byte == 0xc3)
        return true;
    if (byte <= 0x8f) {
        *ret = (struct head){HEAD_MAP, byte & 0x0f};
    } else if (byte <= 0x9f) {
        *ret = (struct head){HEAD_ARRAY, byte & 0x0f};
    } else if (byte >= 0xca && byte <= 0xd3) {
        ret->size = scalar_size[byte - 0xca];
    } else if (byte >= 0xc4 && byte <= 0xc6) {
        ret->kind = HEAD_BIN;
        return scan_length(self, (size_t)1 << (byte - 0xc4), &ret->size);
    } else if (byte >= 0xc7 && byte <= 0xc9) {
        ret->kind = HEAD_EXT;
        return scan_length(self, (size_t)1 << (byte - 0xc7), &ret->size);
    } else if (byte >= 0xd4 && byte <= 0xd8) {
        *ret = (struct head){HEAD_EXT, (size_t)1 << (byte - 0xd4)};
    } else if (byte >= 0xd9 && byte <= 0xdb) {
        ret->kind = HEAD_STR;
        return scan_length(self, (size_t)1 << (byte - 0xd9), &ret->size);
    } else if (byte == 0xdc || byte == 0xdd) {
        ret->kind = HEAD_ARRAY;
        return scan_length(self, byte == 0xdc ? 2 : 4, &ret->size);
    } else if (byte == 0xde || byte == 0xdf) {
        ret->kind = HEAD_MAP;
        return scan_length(self, byte == 0xde ? 2 : 4, &ret->size);
    } else {
        return false; /* 0xc1 is unused */
    }
    return true;
}

/* Opens a container, whose values, at least a byte each, must fit into the rest. */
static const char *scan_open(struct scan *self, size_t count, size_t values_each)
{
    if (count > self->left / values_each)
        return "a container claims more than there is";
    if (self->depth == CODEC_DEPTH_MAX)
        return "nested too deep";
    self->pending[self->depth++] = count * values_each;
    return NULL;
}

static const char *scan_value(struct scan *self)
{
    struct head head;

    if (!scan_head(self, &head))
        return "truncated or of no known type";
    if (++self->items > CODEC_ITEMS_MAX)
        return "too many values";
    if (head.kind == HEAD_ARRAY)
        return scan_open(self, head.size, 1);
    if (head.kind == HEAD_MAP)
        return scan_open(self, head.size, 2);
    if (head.kind == HEAD_EXT && (self->left == 0 || *self->at != EXT_JSON))
        return "an extension of unknown type";
    if (head.kind == HEAD_EXT) {
        self->at++;
        self->left--;
    }
    if (head.size > self->left)
        return "a value claims more than there is";
    if (head.kind == HEAD_STR && !codec_is_text((const char *)self->at, head.size))
        return "a text that is not UTF-8";
    self->at += head.size;
    self->left -= head.size;
    return NULL;
}

/* Checks for exactly one value and counts all values. Returns NULL or the fault. */
static const char *scan_all(const void *bytes, size_t size, size_t *ret_items)
{
    struct scan scan = {.at = bytes, .left = size};
    const char *wrong = scan_value(&scan);

    while (!wrong && scan.depth > 0) {
        if (scan.pending[scan.depth - 1] == 0) {
            scan.depth--;
            continue;
        }
        scan.pending[scan.depth - 1]--;
        wrong = scan_value(&scan);
    }
    if (!wrong && scan.left > 0)
        wrong = "bytes behind the value";
    *ret_items = scan.items;
    return wrong;
}

static int check_message(const void *bytes, size_t size, size_t *ret_items, struct error *err)
{
    const char *wrong = size > CODEC_FRAME_MAX ? "too large" : scan_all(bytes, size, ret_items);

    return wrong ? error_set(err, ERR_BAD_REQUEST, "Malformed message: %s.", wrong) : 0;
}

/* Builds msgpack-c's objects. Its own reader does not know the number of values, allocates zones of
 * 8 KiB and takes twice as long. */
struct build {
    struct scan scan;
    msgpack_object *spare; /* one per missing value */
};

static uint64_t build_bits(const uint8_t *at, size_t width)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < width; i++)
        bits = bits << 8 | at[i];
    return bits;
}

static void build_int(int64_t value, msgpack_object *ret)
{
    ret->type = value < 0 ? MSGPACK_OBJECT_NEGATIVE_INTEGER : MSGPACK_OBJECT_POSITIVE_INTEGER;
    ret->via.i64 = value;
}

static void build_float(uint8_t byte, uint64_t bits, msgpack_object *ret)
{
    uint32_t narrow = (uint32_t)bits;
    float single;

    ret->type = byte == 0xcb ? MSGPACK_OBJECT_FLOAT64 : MSGPACK_OBJECT_FLOAT32;
    memcpy(&single, &narrow, sizeof(single));
    memcpy(&ret->via.f64, &bits, sizeof(bits));
    if (byte == 0xca)
        ret->via.f64 = (double)single;
}

static void build_scalar(uint8_t byte, const uint8_t *at, size_t width, msgpack_object *ret)
{
    uint64_t bits = build_bits(at, width);

    ret->type = MSGPACK_OBJECT_NIL;
    if (byte <= 0x7f || byte >= 0xe0) {
        build_int((int8_t)byte, ret);
    } else if (byte == 0xc2 || byte == 0xc3) {
        ret->type = MSGPACK_OBJECT_BOOLEAN;
        ret->via.boolean = byte == 0xc3;
    } else if (byte == 0xca || byte == 0xcb) {
        build_float(byte, bits, ret);
    } else if (byte >= 0xcc && byte <= 0xcf) {
        ret->type = MSGPACK_OBJECT_POSITIVE_INTEGER;
        ret->via.u64 = bits;
    } else if (byte >= 0xd0 && byte <= 0xd3) {
        assert(width > 0);
        build_int((int64_t)(bits << (64 - 8 * width)) >> (64 - 8 * width), ret);
    }
}

static void build_value(struct build *self, msgpack_object *ret);

static void build_container(struct build *self, const struct head *head, msgpack_object *ret)
{
    size_t count = head->kind == HEAD_MAP ? 2 * head->size : head->size;
    msgpack_object *elements = self->spare;

    _Static_assert(sizeof(msgpack_object_kv) == 2 * sizeof(msgpack_object),
                   "a pair is two of them");
    self->spare += count;
    for (size_t i = 0; i < count; i++)
        build_value(self, &elements[i]);
    if (head->kind == HEAD_MAP) {
        ret->type = MSGPACK_OBJECT_MAP;
        ret->via.map = (msgpack_object_map){(uint32_t)head->size, (void *)elements};
    } else {
        ret->type = MSGPACK_OBJECT_ARRAY;
        ret->via.array = (msgpack_object_array){(uint32_t)head->size, elements};
    }
}

static void build_text(struct build *self, size_t size, msgpack_object *ret)
{
    ret->type = MSGPACK_OBJECT_STR;
    ret->via.str = (msgpack_object_str){(uint32_t)size, (const char *)self->scan.at};
    self->scan.at += size;
    self->scan.left -= size;
}

static void build_bytes(struct build *self, const struct head *head, msgpack_object *ret)
{
    const char *bytes = (const char *)self->scan.at;
    bool ext = head->kind == HEAD_EXT;

    ret->type = ext ? MSGPACK_OBJECT_EXT : MSGPACK_OBJECT_BIN;
    if (ext)
        ret->via.ext = (msgpack_object_ext){(int8_t)bytes[0], (uint32_t)head->size, bytes + 1};
    else
        ret->via.bin = (msgpack_object_bin){(uint32_t)head->size, bytes};
    self->scan.at += head->size + ext;
    self->scan.left -= head->size + ext;
}

static void build_value(struct build *self, msgpack_object *ret)
{
    uint8_t first = *self->scan.at;
    struct head head = {HEAD_SCALAR, 0};

    (void)scan_head(&self->scan, &head);
    switch (head.kind) {
    case HEAD_SCALAR:
        build_scalar(first, self->scan.at, head.size, ret);
        self->scan.at += head.size;
        self->scan.left -= head.size;
        break;
    case HEAD_STR:
        build_text(self, head.size, ret);
        break;
    case HEAD_BIN:
    case HEAD_EXT:
        build_bytes(self, &head, ret);
        break;
    case HEAD_ARRAY:
    case HEAD_MAP:
        build_container(self, &head, ret);
        break;
    }
}

static void build_all(const void *bytes, size_t size, size_t items, struct arena *arena,
                      msgpack_object *ret)
{
    struct build build = {.scan = {.at = bytes, .left = size}};

    build.spare = arena_alloc_raw(arena, items * sizeof(*build.spare));
    build_value(&build, ret);
}

int codec_unpack(const void *bytes, size_t size, struct arena *arena, msgpack_object *ret,
                 struct error *err)
{
    size_t items;

    if (check_message(bytes, size, &items, err) < 0)
        return -1;
    build_all(arena_memdup(arena, bytes, size), size, items, arena, ret);
    return 0;
}

int codec_unpack_in_place(const void *bytes, size_t size, struct arena *arena, msgpack_object *ret,
                          struct error *err)
{
    size_t items;

    if (check_message(bytes, size, &items, err) < 0)
        return -1;
    build_all(bytes, size, items, arena, ret);
    return 0;
}

const msgpack_object *codec_member(const msgpack_object *map, const char *name)
{
    size_t length = strlen(name);

    if (!map || map->type != MSGPACK_OBJECT_MAP)
        return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *pair = &map->via.map.ptr[i];

        if (pair->key.type == MSGPACK_OBJECT_STR && pair->key.via.str.size == length &&
            memcmp(pair->key.via.str.ptr, name, length) == 0)
            return &pair->val;
    }
    return NULL;
}

void codec_buffer_init(struct codec_buffer *self, struct arena *arena)
{
    *self = (struct codec_buffer){.arena = arena};
}

static size_t grown_capacity(const struct codec_buffer *self, size_t size)
{
    size_t first = self->arena ? BUFFER_FIRST : HEAP_FIRST;
    size_t capacity = MAX(self->capacity * 2, first);

    if (!self->arena && size >= HEAP_LARGE)
        return self->size + size + HEAP_FIRST;
    while (capacity - self->size < size)
        capacity *= 2;
    return capacity;
}

void codec_buffer_grow(struct codec_buffer *self, size_t size)
{
    size_t capacity = grown_capacity(self, size);
    uint8_t *grown = self->arena ? arena_alloc_raw(self->arena, capacity) : memory_raw(capacity);

    if (self->size > 0)
        memcpy(grown, self->bytes, self->size);
    if (!self->arena && self->bytes) {
        explicit_bzero(self->bytes, self->size);
        free(self->bytes);
    }
    self->bytes = grown;
    self->capacity = capacity;
}

void codec_pack_text(msgpack_packer *packer, const char *text)
{
    size_t length;

    if (!text) {
        msgpack_pack_nil(packer);
        return;
    }
    length = strlen(text);
    msgpack_pack_str(packer, length);
    msgpack_pack_str_body(packer, text, length);
}
