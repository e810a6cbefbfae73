/*
 * codec.c - msgpack and JSON from strangers: everything is measured before anything is allocated.
 *
 * Called by the bus for each frame and by the gateway for each body; fields_*.c builds on it.
 */
#include "common/wire/codec.h"

#include <string.h>

enum { BUFFER_FIRST = 512, EXT_JSON = 1 };

/* ---- text ---- */

/* Length of the UTF-8 sequence at `at` (RFC 3629: shortest form, no surrogates), 0 when it is
 * none. */
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
    for (size_t i = 2; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

/* How many bytes from the first are ASCII and not zero, in steps of eight. */
static size_t ascii_length(const char *bytes, size_t size)
{
    size_t length = 0;

    for (uint64_t eight; size - length >= sizeof(eight); length += sizeof(eight)) {
        memcpy(&eight, bytes + length, sizeof(eight));
        if (((eight - EIGHT_TIMES(1)) | eight) & EIGHT_TIMES(0x80))
            break;
    }
    return length;
}

bool codec_is_text(const char *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;
    size_t i = 0;

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

size_t codec_characters(const char *text, size_t size)
{
    size_t count = 0;

    for (size_t i = 0; i < size; i++)
        count += ((uint8_t)text[i] & 0xc0) != 0x80; /* no byte that goes on with one */
    return count;
}

/* ---- msgpack ---- */

/* What the first byte of a msgpack value says of the rest of it. */
struct head {
    enum { HEAD_SCALAR, HEAD_STR, HEAD_BIN, HEAD_EXT, HEAD_ARRAY, HEAD_MAP } kind;
    size_t size; /* bytes of payload, or number of elements or pairs */
};

struct scan {
    const uint8_t *at;
    size_t left;
    size_t items;
    size_t pending[CODEC_DEPTH_MAX]; /* values still to come in each open container */
    size_t depth;
};

/* A big-endian length of `width` bytes. */
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

/* Reads the type byte and the length behind it. The numbers are those of the msgpack
 * specification's table. */
static bool scan_head(struct scan *self, struct head *ret)
{
    static const uint8_t scalar_size[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8}; /* 0xca .. 0xd3 */
    uint8_t byte;

    if (self->left == 0)
        return false;
    byte = *self->at++;
    self->left--;
    *ret = (struct head){HEAD_SCALAR, 0};
    if (byte <= 0x7f || byte >= 0xe0 || byte == 0xc0 || byte == 0xc2 || byte == 0xc3)
        return true;
    if (byte <= 0x8f) {
        *ret = (struct head){HEAD_MAP, byte & 0x0f};
    } else if (byte <= 0x9f) {
        *ret = (struct head){HEAD_ARRAY, byte & 0x0f};
    } else if (byte <= 0xbf) {
        *ret = (struct head){HEAD_STR, byte & 0x1f};
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
        return false; /* 0xc1 is never used */
    }
    return true;
}

/* Opens a container whose values, a byte each at least, must fit into what is left. */
static const char *scan_open(struct scan *self, size_t count, size_t values_each)
{
    if (count > self->left / values_each)
        return "a container claims more than there is";
    if (self->depth == CODEC_DEPTH_MAX)
        return "nested too deep";
    self->pending[self->depth++] = count * values_each;
    return NULL;
}

/* Steps over one value's own bytes; a container is opened instead. NULL, or what is wrong. */
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

/* NULL when the bytes are one value and nothing else, otherwise what is wrong with them. */
static const char *scan_all(const void *bytes, size_t size)
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
    return wrong;
}

static void free_zone(void *zone)
{
    msgpack_zone_free(zone);
}

static int check_message(const void *bytes, size_t size, struct error *err)
{
    const char *wrong = size > CODEC_FRAME_MAX ? "too large" : scan_all(bytes, size);

    return wrong ? error_set(err, ERR_BAD_REQUEST, "Malformed message: %s.", wrong) : 0;
}

/* Bytes that were checked. msgpack-c's texts point into what it read. */
static int unpack_checked(const void *bytes, size_t size, struct arena *arena, msgpack_object *ret,
                          struct error *err)
{
    msgpack_unpacked unpacked;
    msgpack_unpack_return result;
    size_t offset = 0;

    msgpack_unpacked_init(&unpacked);
    result = msgpack_unpack_next(&unpacked, bytes, size, &offset);
    if (unpacked.zone)
        arena_on_destroy(arena, free_zone, msgpack_unpacked_release_zone(&unpacked));
    if (result != MSGPACK_UNPACK_SUCCESS || offset != size)
        return error_set(err, ERR_BAD_REQUEST, "Malformed message: not msgpack.");
    *ret = unpacked.data;
    return 0;
}

int codec_unpack(const void *bytes, size_t size, struct arena *arena, msgpack_object *ret,
                 struct error *err)
{
    if (check_message(bytes, size, err) < 0)
        return -1;
    return unpack_checked(arena_memdup(arena, bytes, size), size, arena, ret, err);
}

int codec_unpack_in_place(const void *bytes, size_t size, struct arena *arena, msgpack_object *ret,
                          struct error *err)
{
    return check_message(bytes, size, err) < 0 ? -1 : unpack_checked(bytes, size, arena, ret, err);
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

void codec_buffer_grow(struct codec_buffer *self, size_t size)
{
    size_t capacity = MAX(self->capacity * 2, (size_t)BUFFER_FIRST);
    uint8_t *grown;

    while (capacity - self->size < size)
        capacity *= 2;
    grown = arena_alloc_raw(self->arena, capacity);
    if (self->size > 0)
        memcpy(grown, self->bytes, self->size);
    self->bytes = grown;
    self->capacity = capacity;
}

int codec_write(void *buffer, const char *bytes, size_t size)
{
    struct codec_buffer *self = buffer;

    codec_buffer_reserve(self, size);
    if (size > 0)
        memcpy(self->bytes + self->size, bytes, size);
    self->size += size;
    return 0;
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

/* ---- JSON ---- */

/* The offset at which brackets outside of strings nest deeper than allowed, or `size`. jansson
 * would recurse 2,048 deep, which is a lot for a fiber's stack. */
static size_t json_too_deep_at(const char *text, size_t size)
{
    bool in_string = false;
    int depth = 0;

    for (size_t i = 0; i < size; i++) {
        if (in_string) {
            if (text[i] == '\\')
                i++;
            else if (text[i] == '"')
                in_string = false;
        } else if (text[i] == '"') {
            in_string = true;
        } else if (text[i] == '[' || text[i] == '{') {
            if (++depth > CODEC_DEPTH_MAX)
                return i;
        } else if (text[i] == ']' || text[i] == '}') {
            depth--;
        }
    }
    return size;
}

/* jansson's own words may quote the text, which may be a password: only its code and position are
 * told. */
static const char *json_mistake(const json_error_t *mistake)
{
    switch (json_error_code(mistake)) {
    case json_error_duplicate_key:
        return "duplicate key";
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "U+0000 is not allowed";
    case json_error_numeric_overflow:
        return "number out of range";
    case json_error_invalid_utf8:
        return "invalid UTF-8";
    case json_error_premature_end_of_input:
        return "unexpected end";
    case json_error_end_of_input_expected:
        return "text behind the value";
    default:
        return "syntax error";
    }
}

json_t *codec_parse_json(const char *text, size_t size, bool must_be_object, struct error *err)
{
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
    size_t deep = json_too_deep_at(text, size);
    const char *zero = size > 0 ? memchr(text, '\0', size) : NULL;
    json_error_t mistake;
    json_t *json;

    /* jansson steps over one that stands behind a number or a word. */
    if (zero) {
        error_set(err, ERR_BAD_REQUEST, "Invalid JSON: U+0000 is not allowed, at byte %td.",
                  zero - text);
        return NULL;
    }
    if (deep < size) {
        error_set(err, ERR_BAD_REQUEST, "Invalid JSON: nested deeper than %d at byte %zu.",
                  CODEC_DEPTH_MAX, deep);
        return NULL;
    }
    json = json_loadb(text, size, flags, &mistake);
    if (!json) {
        error_set(err, ERR_BAD_REQUEST, "Invalid JSON: %s at line %d, column %d.",
                  json_mistake(&mistake), mistake.line, mistake.column);
        return NULL;
    }
    if (must_be_object && !json_is_object(json)) {
        json_decref(json);
        error_set(err, ERR_BAD_REQUEST, "The body must be a JSON object.");
        return NULL;
    }
    return json;
}

static int write_dump(const char *bytes, size_t size, void *buffer)
{
    return codec_write(buffer, bytes, size);
}

char *codec_dump_json(struct arena *arena, const json_t *json)
{
    struct codec_buffer buffer;

    codec_buffer_init(&buffer, arena);
    if (json_dump_callback(json, write_dump, &buffer, JSON_COMPACT | JSON_ENCODE_ANY) < 0)
        return arena_strdup(arena,
                            "null"); /* only a value that jansson itself could not have read */
    codec_write(&buffer, "", 1);
    return (char *)buffer.bytes;
}
