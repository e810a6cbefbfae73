/*
 * codec.h - bounded msgpack and JSON.
 *
 * A peer's bytes are checked whole (lengths, counts, depth) before msgpack-c allocates; otherwise
 * five bytes could claim four billion elements.
 */
#ifndef ATRIUM_COMMON_WIRE_CODEC_H
#define ATRIUM_COMMON_WIRE_CODEC_H

#include <jansson.h>
#include <msgpack.h>

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

enum {
    CODEC_DEPTH_MAX = 32,     /* nesting of JSON and msgpack */
    CODEC_ITEMS_MAX = 200000, /* values per message */
    CODEC_FRAME_MAX = 4 * 1024 * 1024
};

/* Reads exactly one value, each str valid UTF-8 without U+0000, into the arena. -1
 * (ERR_BAD_REQUEST): nothing was allocated. */
int codec_unpack(const void *bytes, size_t size, struct arena *arena, msgpack_object *ret,
                 struct error *err) MUST_USE;

/* Like codec_unpack(), without a copy: *ret points into `bytes`, which must outlive the arena. */
int codec_unpack_in_place(const void *bytes, size_t size, struct arena *arena, msgpack_object *ret,
                          struct error *err) MUST_USE;

const msgpack_object *codec_member(const msgpack_object *map, const char *name);

/* A word with the byte repeated. */
#define EIGHT_TIMES(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Target of msgpack_packer_init(&p, &buffer, codec_write). Without an arena it uses malloc(), wipes
 * old bytes, and needs free(). */
struct codec_buffer {
    struct arena *arena;
    uint8_t *bytes;
    size_t size, capacity;
};
void codec_buffer_init(struct codec_buffer *self, struct arena *arena);
void codec_buffer_grow(struct codec_buffer *self, size_t size);

static inline void codec_buffer_reserve(struct codec_buffer *self, size_t size)
{
    if (size > self->capacity - self->size)
        codec_buffer_grow(self, size);
}

static inline int codec_write(void *buffer, const char *bytes, size_t size)
{
    struct codec_buffer *self = buffer;

    codec_buffer_reserve(self, size);
    if (size > 0)
        memcpy(self->bytes + self->size, bytes, size);
    self->size += size;
    return 0;
}

void codec_pack_text(msgpack_packer *packer, const char *text); /* NULL packs nil */

/* Parses one JSON text (RFC 8259): UTF-8, no duplicate keys, no U+0000, bounded depth, optional
 * byte order mark. Returns a new reference, or ERR_BAD_REQUEST with the position. */
json_t *codec_parse_json(const char *text, size_t size, bool must_be_object, struct error *err);

/* Parses JSON to pass on: numbers keep their text (json_number.h). Read it with fields_read(). */
json_t *codec_parse_exact(const char *text, size_t size, bool must_be_object, struct error *err);

/* True for one JSON value, nested at most CODEC_DEPTH_MAX deep. Builds nothing. */
bool codec_is_json(const char *text, size_t size);

size_t codec_number_size(const char *at, const char *end);

/* Skips a byte order mark (RFC 8259, section 8.1). */
void codec_skip_mark(const char **text, size_t *size);

char *codec_dump_json(struct arena *arena, const json_t *json);

/* Adds nothing for NULL and "". */
void codec_set_text(json_t *object, const char *name, const char *text);

bool codec_is_text(const char *bytes, size_t size);
bool codec_is_ascii(const char *text);
size_t codec_characters(const char *text, size_t size);

#endif
