/*
 * test_codec.c - codec.h with untrusted bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "common/wire/codec.h"
#include "tests/support/unit.h"

#define BYTES(literal) (literal), sizeof(literal) - 1

struct bytes_case {
    const char *label;
    const char *bytes;
    size_t size;
};

static const struct bytes_case good_messages[] = {
    {"nil", BYTES("\xc0")},
    {"fixint", BYTES("\x7f")},
    {"negative fixint", BYTES("\xe0")},
    {"uint64", BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff")},
    {"int8", BYTES("\xd0\x80")},
    {"uint8", BYTES("\xcc\xff")},
    {"uint16", BYTES("\xcd\x80\x01")},
    {"uint32", BYTES("\xce\x80\x00\x00\x01")},
    {"int16", BYTES("\xd1\x80\x01")},
    {"int16 above zero", BYTES("\xd1\x00\x01")},
    {"int32", BYTES("\xd2\x80\x00\x00\x01")},
    {"int64", BYTES("\xd3\x80\x00\x00\x00\x00\x00\x00\x01")},
    {"float32", BYTES("\xca\xbf\x99\x99\x9a")},
    {"float64", BYTES("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00")},
    {"true", BYTES("\xc3")},
    {"empty map", BYTES("\x80")},
    {"empty array32", BYTES("\xdd\x00\x00\x00\x00")},
    {"map of two", BYTES("\x82\xa1"
                         "a\x01\xa1"
                         "b\x92\xc2\xc3")},
    {"array of maps", BYTES("\x92\x81\x01\x90\x81\x80\x02")},
    {"array16", BYTES("\xdc\x00\x02\x01\xa1z")},
    {"map16", BYTES("\xde\x00\x01\x01\x02")},
    {"str8", BYTES("\xd9\x02\xc3\xa9")},
    {"str16", BYTES("\xda\x00\x02hi")},
    {"bin16", BYTES("\xc5\x00\x01\xff")},
    {"bin8 with NUL", BYTES("\xc4\x03\x00\xff\x00")},
    {"fixext1 of type 1", BYTES("\xd4\x01"
                                "1")},
    {"ext8 of type 1", BYTES("\xc7\x02\x01[]")},
};

static const struct bytes_case bad_messages[] = {
    {"nothing", BYTES("")},
    {"never used type", BYTES("\xc1")},
    {"array16 lie", BYTES("\xdc\xff\xff")},
    {"array32 lie", BYTES("\xdd\xff\xff\xff\xff")},
    {"map16 lie", BYTES("\xde\xff\xff")},
    {"map32 lie", BYTES("\xdf\xff\xff\xff\xff")},
    {"map32 lie whose double overflows 32 bits", BYTES("\xdf\x80\x00\x00\x01\xc0\xc0")},
    {"str32 lie", BYTES("\xdb\xff\xff\xff\xff")},
    {"bin32 lie", BYTES("\xc6\xff\xff\xff\xff")},
    {"ext32 lie", BYTES("\xc9\xff\xff\xff\xff\x01")},
    {"fixstr lie", BYTES("\xa5"
                         "ab")},
    {"map with a key and no value", BYTES("\x81\xa1"
                                          "a")},
    {"ext of another type", BYTES("\xd4\x02"
                                  "1")},
    {"timestamp", BYTES("\xd6\xff\x00\x00\x00\x00")},
    {"ext8 without type", BYTES("\xc7\x00")},
    {"two values", BYTES("\xc0\xc0")},
    {"str with NUL", BYTES("\xa3"
                           "a\0b")},
    {"str of a lone continuation", BYTES("\xa1\x80")},
    {"str of an overlong slash", BYTES("\xa2\xc0\xaf")},
    {"str of an overlong three", BYTES("\xa3\xe0\x80\xaf")},
    {"str of a surrogate", BYTES("\xa3\xed\xa0\x80")},
    {"str beyond U+10FFFF", BYTES("\xa4\xf4\x90\x80\x80")},
    {"str cut within a character", BYTES("\xa2\xe2\x82")},
    {"map key that is not UTF-8", BYTES("\x81\xa1\xff\xc0")},
};

static int unpack(const void *bytes, size_t size, struct arena *arena, msgpack_object *ret)
{
    struct error err;

    error_init(&err, arena);
    if (codec_unpack(bytes, size, arena, ret, &err) == 0)
        return 0;
    UNIT_CHECK(err.code == ERR_BAD_REQUEST, "%s", err.message);
    return -1;
}

/* Reads from a heap block of exactly this size, so that a checker detects an overrun. */
static int unpack_exact(const void *bytes, size_t size, struct arena *arena, msgpack_object *ret)
{
    char *copy = malloc(size);
    int result;

    if (size > 0)
        memcpy(copy, bytes, size);
    result = unpack(copy, size, arena, ret);
    memset(copy, 0xa5, size); /* the result must not point into it */
    free(copy);
    return result;
}

static void test_takes_every_kind_of_value(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(good_messages); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const struct bytes_case *row = &good_messages[i];
        msgpack_object object;

        UNIT_CHECK(unpack_exact(row->bytes, row->size, arena, &object) == 0, "%s", row->label);
    }
}

/* Compares both printed, because NaN is not equal to itself. */
static void check_like_library(const char *label, const void *bytes, size_t size)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct codec_buffer mine, theirs;
    msgpack_packer packer;
    msgpack_object object;
    msgpack_unpacked library;
    size_t offset = 0;

    UNIT_REQUIRE(unpack_exact(bytes, size, arena, &object) == 0, "%s", label);
    msgpack_unpacked_init(&library);
    CU_ASSERT_EQUAL(msgpack_unpack_next(&library, bytes, size, &offset), MSGPACK_UNPACK_SUCCESS);
    UNIT_CHECK(msgpack_object_equal(object, library.data), "%s", label);
    codec_buffer_init(&mine, arena);
    codec_buffer_init(&theirs, arena);
    msgpack_packer_init(&packer, &mine, codec_write);
    msgpack_pack_object(&packer, object);
    msgpack_packer_init(&packer, &theirs, codec_write);
    msgpack_pack_object(&packer, library.data);
    UNIT_CHECK(mine.size == theirs.size && memcmp(mine.bytes, theirs.bytes, mine.size) == 0, "%s",
               label);
    msgpack_unpacked_destroy(&library);
}

static void test_refuses_lies_junk_and_bad_text_without_allocating(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(bad_messages); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const struct bytes_case *row = &bad_messages[i];
        msgpack_object object;

        UNIT_CHECK(unpack_exact(row->bytes, row->size, arena, &object) < 0, "%s", row->label);
        UNIT_CHECK(arena_used(arena) == 0, "%s: nothing is allocated", row->label);
    }
}

static int unpack_nested(size_t depth, uint8_t opener)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    size_t step = opener == 0x81 ? 2 : 1; /* a map needs a key */
    char *bytes = arena_alloc(arena, depth * step + 1);
    msgpack_object object;
    struct error err;

    for (size_t i = 0; i < depth; i++) {
        bytes[i * step] = (char)opener;
        if (step == 2)
            bytes[i * step + 1] = 0x01;
    }
    bytes[depth * step] = (char)0xc0;
    error_init(&err, arena);
    if (codec_unpack(bytes, depth * step + 1, arena, &object, &err) == 0)
        return 0;
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "nested too deep"));
    return -1;
}

static void test_bounds_the_depth(void)
{
    static const uint8_t openers[] = {0x91, 0x81};

    for (size_t i = 0; i < ARRAY_SIZE(openers); i++) {
        CU_ASSERT(unpack_nested(CODEC_DEPTH_MAX, openers[i]) == 0);
        CU_ASSERT(unpack_nested(CODEC_DEPTH_MAX + 1, openers[i]) < 0);
        CU_ASSERT(unpack_nested(1000, openers[i]) < 0);
        CU_ASSERT(unpack_nested(1000000, openers[i]) < 0);
    }
}

static int unpack_nils(uint32_t count)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct codec_buffer buffer;
    msgpack_packer packer;
    msgpack_object object;

    codec_buffer_init(&buffer, arena);
    msgpack_packer_init(&packer, &buffer, codec_write);
    msgpack_pack_array(&packer, count);
    for (uint32_t i = 0; i < count; i++)
        msgpack_pack_nil(&packer);
    return unpack(buffer.bytes, buffer.size, arena, &object);
}

static void test_bounds_the_count(void)
{
    CU_ASSERT(unpack_nils(CODEC_ITEMS_MAX - 1) == 0);
    CU_ASSERT(unpack_nils(CODEC_ITEMS_MAX) < 0);
}

static void test_bounds_the_size(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    uint32_t length = CODEC_FRAME_MAX - 5;
    uint8_t *bytes = calloc(1, CODEC_FRAME_MAX + 1);
    msgpack_object object;

    bytes[0] = 0xc6;
    for (int i = 0; i < 4; i++)
        bytes[1 + i] = (uint8_t)(length >> (24 - 8 * i));
    CU_ASSERT(unpack(bytes, CODEC_FRAME_MAX, arena, &object) == 0);
    bytes[4]++;
    CU_ASSERT(unpack(bytes, CODEC_FRAME_MAX + 1, arena, &object) < 0);
    free(bytes);
}

static void pack_sample(struct codec_buffer *buffer)
{
    msgpack_packer packer;

    msgpack_packer_init(&packer, buffer, codec_write);
    msgpack_pack_map(&packer, 6);
    codec_pack_text(&packer, "text");
    codec_pack_text(&packer, "gr\xc3\xbc\xc3\x9f"
                             "e");
    codec_pack_text(&packer, "null");
    codec_pack_text(&packer, NULL);
    codec_pack_text(&packer, "number");
    msgpack_pack_int64(&packer, INT64_MIN);
    codec_pack_text(&packer, "list");
    msgpack_pack_array(&packer, 2);
    msgpack_pack_true(&packer);
    msgpack_pack_double(&packer, 1.5);
    codec_pack_text(&packer, "bytes");
    msgpack_pack_bin(&packer, 2);
    msgpack_pack_bin_body(&packer, "\0\xff", 2);
    codec_pack_text(&packer, "json");
    msgpack_pack_ext_with_body(&packer, "{}", 2, 1);
}

static void test_refuses_every_prefix_and_every_tail(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct codec_buffer buffer;
    msgpack_object object;

    codec_buffer_init(&buffer, arena);
    pack_sample(&buffer);
    for (size_t size = 0; size < buffer.size; size++)
        UNIT_CHECK(unpack_exact(buffer.bytes, size, arena, &object) < 0, "first %zu bytes", size);
    CU_ASSERT(unpack_exact(buffer.bytes, buffer.size, arena, &object) == 0);
    codec_write(&buffer, "\xc0", 1);
    CU_ASSERT(unpack_exact(buffer.bytes, buffer.size, arena, &object) < 0);
}

static void test_reads_what_msgpack_c_reads(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct codec_buffer buffer;

    for (size_t i = 0; i < ARRAY_SIZE(good_messages); i++)
        check_like_library(good_messages[i].label, good_messages[i].bytes, good_messages[i].size);
    codec_buffer_init(&buffer, arena);
    pack_sample(&buffer);
    check_like_library("sample", buffer.bytes, buffer.size);
}

/* Eight bytes are checked at a time, and the last eight again. */
static void test_looks_at_every_byte_of_a_text(void)
{
    char bytes[33];

    memset(bytes, 'x', sizeof(bytes));
    for (size_t size = 0; size < sizeof(bytes); size++) {
        UNIT_CHECK(codec_is_text(bytes, size), "%zu bytes", size);
        for (size_t i = 0; i < size; i++) {
            bytes[i] = '\0';
            UNIT_CHECK(!codec_is_text(bytes, size), "zero at %zu of %zu", i, size);
            bytes[i] = '\xff';
            UNIT_CHECK(!codec_is_text(bytes, size), "0xff at %zu of %zu", i, size);
            bytes[i] = 'x';
        }
    }
}

static void test_keeps_what_a_growing_buffer_holds(void)
{
    struct codec_buffer buffer = {0};
    size_t size = 0;

    for (size_t i = 1; i < 100000; size += i, i += i / 2 + 1)
        for (size_t j = 0; j < i; j++)
            codec_write(&buffer, &"atrium"[j % 6], 1);
    CU_ASSERT_EQUAL(buffer.size, size);
    CU_ASSERT(memcmp(buffer.bytes, "aatatr", 6) == 0);
    free(buffer.bytes);
}

static void test_finds_members(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct codec_buffer buffer;
    const msgpack_object *text;
    msgpack_object object, nil = {.type = MSGPACK_OBJECT_NIL};

    codec_buffer_init(&buffer, arena);
    pack_sample(&buffer);
    UNIT_REQUIRE(unpack_exact(buffer.bytes, buffer.size, arena, &object) == 0, "sample");
    text = codec_member(&object, "text");
    UNIT_REQUIRE(text && text->type == MSGPACK_OBJECT_STR, "member is there");
    CU_ASSERT(text->via.str.size == 7 && memcmp(text->via.str.ptr, "gr\xc3\xbc\xc3\x9f", 6) == 0);
    CU_ASSERT(codec_member(&object, "null")->type == MSGPACK_OBJECT_NIL);
    CU_ASSERT(codec_member(&object, "number")->via.i64 == INT64_MIN);
    CU_ASSERT(!codec_member(&object, "tex"));
    CU_ASSERT(!codec_member(&object, "texts"));
    CU_ASSERT(!codec_member(&nil, "text"));
    CU_ASSERT(!codec_member(NULL, "text"));
}

/* Damages a valid message randomly but repeatably: no result may do harm. */
static void test_survives_random_damage(void)
{
    uint32_t random = 1;
    int accepted = 0;

    for (int round = 0; round < 20000; round++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct codec_buffer buffer;
        msgpack_object object;

        codec_buffer_init(&buffer, arena);
        pack_sample(&buffer);
        for (int i = 0; i < 1 + round % 4; i++) {
            random = random * 1664525 + 1013904223;
            buffer.bytes[(random >> 8) % buffer.size] = (uint8_t)(random >> 24);
        }
        accepted += unpack_exact(buffer.bytes, buffer.size, arena, &object) == 0;
    }
    CU_ASSERT(accepted > 0 && accepted < 20000);
}

static void test_knows_utf_8(void)
{
    CU_ASSERT(codec_is_text("", 0));
    CU_ASSERT(codec_is_text(BYTES("a\n\x7f")));
    CU_ASSERT(codec_is_text(BYTES("\xf0\x9f\x98\x80\xe2\x82\xac\xed\x9f\xbf")));
    CU_ASSERT(!codec_is_text(BYTES("a\0")));
    CU_ASSERT(!codec_is_text(BYTES("\xff")));
    CU_ASSERT(!codec_is_text(BYTES("\xf0\x9f\x98")));
    CU_ASSERT(!codec_is_text(BYTES("\xf5\x80\x80\x80")));
    CU_ASSERT(!codec_is_text(BYTES("\xe2\x28\xa1")));
    CU_ASSERT_EQUAL(codec_characters(BYTES("")), 0);
    CU_ASSERT_EQUAL(codec_characters(BYTES("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")), 4);
    for (size_t size = 1; size <= 20; size++) { /* in steps of eight, and the rest */
        for (size_t place = 0; place < size; place++) {
            char text[20];

            memset(text, 0x7f, sizeof(text));
            CU_ASSERT(codec_is_text(text, size));
            text[place] = '\0';
            CU_ASSERT(!codec_is_text(text, size));
            text[place] = (char)0x80;
            CU_ASSERT(!codec_is_text(text, size));
        }
    }
}

struct json_case {
    const char *label;
    const char *text;
    size_t size;
    bool any, object; /* accepted where any value is allowed; where an object is */
};

static const struct json_case json_cases[] = {
    {"object", BYTES("{\"a\":1}"), true, true},
    {"blanks around", BYTES(" \n{} \t"), true, true},
    {"array", BYTES("[1]"), true, false},
    {"scalar", BYTES("3"), true, false},
    {"null", BYTES("null"), true, false},
    {"same key in different objects", BYTES("{\"a\":{\"a\":1}}"), true, true},
    {"brackets in a string", BYTES("{\"a\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[\"}"),
     true, true},
    {"largest integer", BYTES("{\"a\":9223372036854775807}"), true, true},
    {"nothing", BYTES(""), false, false},
    {"blank", BYTES(" "), false, false},
    {"cut", BYTES("{\"a\":"), false, false},
    {"text behind", BYTES("{} {}"), false, false},
    {"trailing comma", BYTES("{\"a\":1,}"), false, false},
    {"comment", BYTES("{}//"), false, false},
    {"single quotes", BYTES("{'a':1}"), false, false},
    {"NaN", BYTES("{\"a\":NaN}"), false, false},
    {"leading zero", BYTES("{\"a\":01}"), false, false},
    {"duplicate key", BYTES("{\"a\":1,\"a\":1}"), false, false},
    {"duplicate key, escaped", BYTES("{\"a\":1,\"\\u0061\":1}"), false, false},
    {"duplicate key, nested", BYTES("{\"b\":[{\"a\":1,\"a\":2}]}"), false, false},
    {"escaped NUL", BYTES("{\"a\":\"\\u0000\"}"), false, false},
    {"escaped NUL in a key", BYTES("{\"\\u0000\":1}"), false, false},
    {"raw NUL", BYTES("{\"a\":\"\0\"}"), false, false},
    {"NUL behind", BYTES("{}\0"), false, false},
    {"byte order mark", BYTES("\xef\xbb\xbf{\"a\":1}"), true, true},
    {"byte order mark alone", BYTES("\xef\xbb\xbf"), false, false},
    {"raw control character", BYTES("{\"a\":\"\n\"}"), false, false},
    {"invalid UTF-8", BYTES("{\"a\":\"\xff\"}"), false, false},
    {"lone surrogate", BYTES("{\"a\":\"\\ud800\"}"), false, false},
    {"integer beyond int64", BYTES("{\"a\":9223372036854775808}"), false, false},
    {"real beyond double", BYTES("{\"a\":1e999}"), false, false},
};

static bool parses(const char *text, size_t size, bool object)
{
    struct error err;
    json_t *json;

    error_init(&err, NULL);
    json = codec_parse_json(text, size, object, &err);
    UNIT_CHECK(json || err.code == ERR_BAD_REQUEST, "%s", err.message);
    json_decref(json);
    return json != NULL;
}

static void test_reads_strict_json(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(json_cases); i++) {
        const struct json_case *row = &json_cases[i];

        UNIT_CHECK(parses(row->text, row->size, false) == row->any, "%s", row->label);
        UNIT_CHECK(parses(row->text, row->size, true) == row->object, "%s as object", row->label);
    }
}

static bool parses_nested(size_t depth)
{
    char *text = malloc(2 * depth);
    bool result;

    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    result = parses(text, 2 * depth, false);
    free(text);
    return result;
}

static void test_bounds_the_depth_of_json(void)
{
    CU_ASSERT(parses_nested(CODEC_DEPTH_MAX));
    CU_ASSERT(!parses_nested(CODEC_DEPTH_MAX + 1));
    CU_ASSERT(!parses_nested(1000));
    CU_ASSERT(!parses_nested(500000));
}

static void test_does_not_repeat_what_it_refuses(void)
{
    static const char text[] = "{\"password\": correct-horse}";
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT(!codec_parse_json(text, strlen(text), true, &err));
    CU_ASSERT(!strstr(err.message, "horse") && !strstr(err.message, "password"));
    CU_ASSERT(strstr(err.message, "line 1") != NULL);
}

static void test_writes_compact_json(void)
{
    static const char text[] = "{\"b\":[1,-2.5,true,null,\"\\\"\xc3\xa9\"],\"a\":{}}";
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct error err;
    json_t *json;

    error_init(&err, arena);
    json = codec_parse_json(text, strlen(text), true, &err);
    UNIT_REQUIRE(json, "%s", err.message);
    CU_ASSERT_STRING_EQUAL(codec_dump_json(arena, json), text);
    json_decref(json);
    json = json_string("x");
    CU_ASSERT_STRING_EQUAL(codec_dump_json(arena, json), "\"x\"");
    json_decref(json);
}

static const struct {
    const char *label, *text, *want; /* NULL: refused */
} exact_cases[] = {
    {"precision", "{ \"a\" : 5.40 }", "{\"a\":5.40}"},
    {"a number alone", "1.0", "1.0"},
    {"zeros", "[0,-0,0.0,-0.0,0e0,0E+00]", "[0,-0,0.0,-0.0,0e0,0E+00]"},
    {"exponents", "[1E2,1e+2,1e-7,1e999,-1E-999]", "[1E2,1e+2,1e-7,1e999,-1E-999]"},
    {"17 to 19 digits", "[12345678901234567,123456789012345678,1234567890123456789]",
     "[12345678901234567,123456789012345678,1234567890123456789]"},
    {"beyond int64", "[9223372036854775807,9223372036854775808,-9223372036854775809]",
     "[9223372036854775807,9223372036854775808,-9223372036854775809]"},
    {"a hundred digits",
     "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678"
     "901234567890",
     "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678"
     "901234567890"},
    {"numbers in texts and keys", "{\"1.50\":\"2.50, \\\"3.50\\\" \\\\u00004.50\",\"n\":5.50}",
     "{\"1.50\":\"2.50, \\\"3.50\\\" \\\\u00004.50\",\"n\":5.50}"},
    {"a byte order mark", "\xef\xbb\xbf{\"a\":5.40}", "{\"a\":5.40}"},
    {"two of them", "\xef\xbb\xbf\xef\xbb\xbf{}", NULL},
    {"only one", "\xef\xbb\xbf", NULL},
    {"one in the text", "{\xef\xbb\xbf}", NULL},
    {"U+0000", "[5.40,\"\\u0000\"]", NULL},
    {"U+0000 before a number", "[5.40,\"\\u00006.40\"]", NULL},
    {"U+0000 in a key", "{\"a\":5.40,\"\\u0000\":1}", NULL},
    {"the same key twice", "{\"a\":5.40,\"a\":5.40}", NULL},
    {"a text without an end", "[5.40,\"", NULL},
    {"an escape without an end", "[5.40,\"\\", NULL},
    {"no digits", "[5.40,-]", NULL},
    {"leading zero", "[5.40,01]", NULL},
    {"leading zero of a fraction", "[5.40,01.50]", NULL},
    {"nothing behind the point", "[5.40,1.]", NULL},
    {"nothing before the point", "[5.40,.5]", NULL},
    {"no exponent", "[5.40,1e]", NULL},
    {"two points", "[5.40,1.5.5]", NULL},
    {"plus", "[5.40,+1.5]", NULL},
    {"a letter behind", "[5.40,1.5f]", NULL},
    {"two numbers", "5.40 5.40", NULL},
    {"a number beside a text", "[5.40\"\"]", NULL},
    {"hexadecimal", "[5.40,0x1]", NULL},
    {"NaN", "[5.40,NaN]", NULL},
};

static void test_keeps_numbers_as_they_are_written(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(exact_cases); i++) {
        const char *label = exact_cases[i].label, *want = exact_cases[i].want, *text = "";
        struct error err;
        json_t *json;

        error_init(&err, arena);
        json = codec_parse_exact(exact_cases[i].text, strlen(exact_cases[i].text), false, &err);
        if (json)
            text = codec_dump_json(arena, json);
        UNIT_CHECK(strcmp(text, want ? want : "") == 0, "%s: %s", label, text);
        UNIT_CHECK(json || err.code == ERR_BAD_REQUEST, "%s", label);
        json_decref(json);
    }
}

/* Numbers such as 5.40, which are kept as text, do not change where another mistake is reported. */
static void test_tells_where_a_mistake_is(void)
{
    static const char *const rows[] = {
        "{\"a\":5.40,\"b\":x}",
        "[1.0,2.0,\n3.0,4.0,]",
        "[1.50 2.50]",
        "[1.0,\"\xff\"]",
        "{\"a\":1.0,\"a\":1.0}",
        "[5.40",
        "5.40 x",
        "[1.0,\"\xc3\xa9\" 1.0]",
        "{1.0:2}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct error exact, plain;

        error_init(&exact, NULL);
        error_init(&plain, NULL);
        CU_ASSERT(!codec_parse_exact(rows[i], strlen(rows[i]), false, &exact));
        CU_ASSERT(!codec_parse_json(rows[i], strlen(rows[i]), false, &plain));
        UNIT_CHECK(strcmp(exact.message, plain.message) == 0, "%s: %s: %s", rows[i], exact.message,
                   plain.message);
    }
}

static const struct unit_case cases[] = {
    CASE(test_takes_every_kind_of_value),
    CASE(test_refuses_lies_junk_and_bad_text_without_allocating),
    CASE(test_bounds_the_depth),
    CASE(test_bounds_the_count),
    CASE(test_bounds_the_size),
    CASE(test_refuses_every_prefix_and_every_tail),
    CASE(test_finds_members),
    CASE(test_survives_random_damage),
    CASE(test_knows_utf_8),
    CASE(test_reads_strict_json),
    CASE(test_bounds_the_depth_of_json),
    CASE(test_does_not_repeat_what_it_refuses),
    CASE(test_writes_compact_json),
    CASE(test_keeps_numbers_as_they_are_written),
    CASE(test_tells_where_a_mistake_is),
    CASE(test_reads_what_msgpack_c_reads),
    CASE(test_looks_at_every_byte_of_a_text),
    CASE(test_keeps_what_a_growing_buffer_holds),
};

int main(void)
{
    return unit_run("codec", cases, ARRAY_SIZE(cases));
}
