/*
 * fuzz_msgpack.c - a message's bytes, measured before allocation as msgpack-c reads them. Input:
 * the bytes.
 */
#include <string.h>

#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"

static size_t packed(struct arena *arena, msgpack_object object, const uint8_t **ret)
{
    struct codec_buffer buffer;
    msgpack_packer packer;

    codec_buffer_init(&buffer, arena);
    msgpack_packer_init(&packer, &buffer, codec_write);
    FUZZ_REQUIRE(msgpack_pack_object(&packer, object) == 0);
    *ret = buffer.bytes;
    return buffer.size;
}

static size_t count_values(const msgpack_object *object, int depth)
{
    size_t count = 1;

    FUZZ_REQUIRE(depth <= CODEC_DEPTH_MAX);
    if (object->type == MSGPACK_OBJECT_STR)
        FUZZ_REQUIRE(codec_is_text(object->via.str.ptr, object->via.str.size));
    if (object->type == MSGPACK_OBJECT_ARRAY)
        for (uint32_t i = 0; i < object->via.array.size; i++)
            count += count_values(&object->via.array.ptr[i], depth + 1);
    if (object->type == MSGPACK_OBJECT_MAP)
        for (uint32_t i = 0; i < object->via.map.size; i++)
            count += count_values(&object->via.map.ptr[i].key, depth + 1) +
                     count_values(&object->via.map.ptr[i].val, depth + 1);
    return count;
}

static void require_like_library(struct arena *arena, const void *bytes, size_t size,
                                 const uint8_t *ours, size_t ours_size)
{
    msgpack_unpacked library;
    const uint8_t *theirs;
    size_t offset = 0;

    msgpack_unpacked_init(&library);
    FUZZ_REQUIRE(msgpack_unpack_next(&library, bytes, size, &offset) == MSGPACK_UNPACK_SUCCESS);
    FUZZ_REQUIRE(packed(arena, library.data, &theirs) == ours_size);
    FUZZ_REQUIRE(memcmp(ours, theirs, ours_size) == 0);
    msgpack_unpacked_destroy(&library);
}

int fuzz_msgpack(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) void *bytes = fuzz_bytes(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const uint8_t *first, *second;
    msgpack_object object, in_place;
    struct error err;
    size_t packed_size;

    error_init(&err, arena);
    if (codec_unpack(bytes, size, arena, &object, &err) < 0) {
        fuzz_require_error(&err);
        FUZZ_REQUIRE(arena_used(arena) == 0);
        return 0;
    }
    /* Each value needs at least one byte. */
    FUZZ_REQUIRE(count_values(&object, 0) <= size);
    packed_size = packed(arena, object, &first);
    FUZZ_REQUIRE(packed_size <= size);
    require_like_library(arena, bytes, size, first, packed_size);
    FUZZ_REQUIRE(codec_unpack_in_place(bytes, size, arena, &in_place, &err) == 0);
    FUZZ_REQUIRE(packed(arena, in_place, &second) == packed_size);
    FUZZ_REQUIRE(memcmp(first, second, packed_size) == 0);
    FUZZ_REQUIRE(codec_unpack(first, packed_size, arena, &object, &err) == 0);
    FUZZ_REQUIRE(packed(arena, object, &second) == packed_size);
    FUZZ_REQUIRE(memcmp(first, second, packed_size) == 0);
    return 0;
}
