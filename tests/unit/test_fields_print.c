/*
 * test_fields_print.c - responses printed in one pass equal jansson's; and valid JSON.
 */
#include <string.h>

#include "common/wire/codec.h"
#include "common/wire/fields.h"
#include "tests/support/unit.h"

struct leaf {
    const char *text;
    int64_t number;
};
struct all {
    const char *text, *nullable, *absent, *otherwise, *internal, *json, *object_json;
    struct uuid id;
    int64_t number, when;
    bool yes;
    enum tristate maybe;
    const struct leaf *leaf, *no_leaf;
    struct field_list leaves, no_leaves, omitted;
    struct field_texts words;
};

static const struct field leaf_rows[] = {
    FIELD_TEXT(struct leaf, text, 0, 100, 0, "Text", "x"),
    FIELD_INT(struct leaf, number, INT64_MIN, INT64_MAX, 0, 0, "Number", "1"),
};
static FIELD_TABLE(leaf);

static const struct field all_rows[] = {
    FIELD_TEXT(struct all, text, 0, 100, 0, "Text", "x"),
    FIELD_TEXT(struct all, nullable, 0, 100, FIELD_NULLABLE, "Text", "x"),
    FIELD_TEXT(struct all, absent, 0, 100, 0, "Text", "x"),
    FIELD_TEXT_OR(struct all, otherwise, 0, 100, "\"none\"", 0, "Text", "x"),
    FIELD_TEXT(struct all, internal, 0, 100, FIELD_INTERNAL, "Text", "x"),
    FIELD_UUID(struct all, id, 0, "Id"),
    FIELD_JSON(struct all, json, 1000, 0, "Any", "1"),
    FIELD_JSON_OBJECT(struct all, object_json, 1000, 0, "Object", "{}"),
    FIELD_INT(struct all, number, INT64_MIN, INT64_MAX, 0, 0, "Number", "1"),
    FIELD_TIME(struct all, when, 0, "Time"),
    FIELD_BOOL(struct all, yes, false, 0, "Yes"),
    FIELD_TRISTATE(struct all, maybe, 0, "Maybe"),
    FIELD_OBJECT(struct all, leaf, leaf, 0, "Leaf"),
    FIELD_OBJECT(struct all, no_leaf, leaf, FIELD_NULLABLE, "Leaf"),
    FIELD_OBJECTS(struct all, leaves, leaf, 10, 0, "Leaves"),
    FIELD_OBJECTS(struct all, no_leaves, leaf, 10, 0, "Leaves"),
    FIELD_OBJECTS(struct all, omitted, leaf, 10, FIELD_OMIT_EMPTY, "Leaves"),
    FIELD_TEXTS(struct all, words, 0, 100, 10, 0, "Words", "x"),
};
static FIELD_TABLE(all);

struct whole_body {
    const char *name;
    const char *input;
};
static const struct field whole_body_rows[] = {
    FIELD_TEXT(struct whole_body, name, 0, 100, FIELD_QUERY, "Name", "x"),
    FIELD_JSON_OBJECT(struct whole_body, input, 1000, FIELD_REQUIRED | FIELD_BODY, "Any", "{}"),
};
static FIELD_TABLE(whole_body);

static void a_body_may_be_one_value(void)
{
    static const struct {
        const char *body, *want; /* NULL: refused */
    } rows[] = {
        {"{\"input\":1,\"b\":[2]}", "{\"input\":1,\"b\":[2]}"},
        {"{}", "{}"},
        {"[]", NULL},
        {"7", NULL},
        {NULL, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        json_t *json = rows[i].body ? json_loads(rows[i].body, JSON_DECODE_ANY, NULL) : NULL;
        struct field_source source = {.body = json};
        struct whole_body in;
        struct codec_buffer buffer;
        msgpack_object map;
        struct error err;
        size_t size;
        int rc;

        error_init(&err, arena);
        rc = fields_read(&whole_body_table, &source, arena, &in, &err);
        UNIT_CHECK((rc == 0) == (rows[i].want != NULL), "%s", rows[i].body ? rows[i].body : "none");
        json_decref(json);
        if (rc < 0 || !rows[i].want)
            continue;
        codec_buffer_init(&buffer, arena);
        fields_pack(&whole_body_table, &in, &buffer);
        UNIT_REQUIRE(codec_unpack(buffer.bytes, buffer.size, arena, &map, &err) == 0, "unpacks");
        UNIT_CHECK(strcmp(fields_print(&whole_body_table, &map, arena, &size), rows[i].want) == 0,
                   "%s", rows[i].want);
    }
}

static void check_same(const struct all *in, struct arena *arena)
{
    struct codec_buffer buffer;
    msgpack_object map;
    struct error err;
    json_t *tree;
    char *printed, *want;
    size_t size;

    error_init(&err, arena);
    codec_buffer_init(&buffer, arena);
    fields_pack(&all_table, in, &buffer);
    CU_ASSERT_EQUAL_FATAL(codec_unpack(buffer.bytes, buffer.size, arena, &map, &err), 0);
    tree = fields_to_json(&all_table, &map);
    want = codec_dump_json(arena, tree);
    printed = fields_print(&all_table, &map, arena, &size);
    CU_ASSERT_STRING_EQUAL(printed, want);
    CU_ASSERT_EQUAL(size, strlen(printed));
    json_decref(tree);
}

/* Strings are scanned eight bytes at a time: tests each position, with neighboring characters. */
static void any_place_of_a_text_is_escaped(void)
{
    static const char bytes[] = "\x01\x1f !\"#[\\]\x7f";

    for (size_t size = 1; size <= 20; size++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();

        for (size_t place = 0; place < size * (sizeof(bytes) - 1); place++) {
            char text[24] = "";
            const char *words[] = {text};
            struct all in = {.maybe = TRISTATE_UNSET, .words = {words, 1}};

            memset(text, 'a', size);
            text[place % size] = bytes[place / size];
            check_same(&in, arena);
        }
    }
}

static void printed_is_as_dumped(void)
{
    static const struct leaf leaves[] = {{"a", 1}, {NULL, -2}, {"\xc3\xa9", INT64_MIN}};
    static const char *words[] = {"", "\"quoted\" \\ / \b\f\n\r\t\x01\x1f\x7f", "\xf0\x9f\x98\x80"};
    struct arena *arena = arena_new();
    struct all in = {.maybe = TRISTATE_UNSET};

    check_same(&in, arena);
    in = (struct all){.text = "\"\\\n",
                      .nullable = "there",
                      .internal = "never",
                      .json = "[1,{\"a\":null}]",
                      .object_json = "{\"b\":\"c\"}",
                      .number = INT64_MAX,
                      .when = 1700000000123,
                      .yes = true,
                      .maybe = TRISTATE_FALSE,
                      .leaf = &leaves[0],
                      .leaves = {leaves, ARRAY_SIZE(leaves)},
                      .words = {words, ARRAY_SIZE(words)}};
    CU_ASSERT_EQUAL(uuid_parse("5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", &in.id), 0);
    check_same(&in, arena);
    arena_destroy(&arena);
}

static void mistyped_values_are_absent(void)
{
    struct arena *arena = arena_new();
    struct codec_buffer buffer;
    msgpack_packer packer;
    msgpack_object map;
    struct error err;
    size_t size;

    error_init(&err, arena);
    codec_buffer_init(&buffer, arena);
    msgpack_packer_init(&packer, &buffer, codec_write);
    msgpack_pack_map(&packer, 4);
    codec_pack_text(&packer, "text");
    msgpack_pack_int64(&packer, 7);
    codec_pack_text(&packer, "number");
    codec_pack_text(&packer, "7");
    codec_pack_text(&packer, "json");
    msgpack_pack_ext(&packer, 9, 1);
    msgpack_pack_ext_body(&packer, "1}],\"x\":1", 9);
    codec_pack_text(&packer, "leaf");
    msgpack_pack_true(&packer);
    CU_ASSERT_EQUAL_FATAL(codec_unpack(buffer.bytes, buffer.size, arena, &map, &err), 0);
    CU_ASSERT_STRING_EQUAL(fields_print(&all_table, &map, arena, &size),
                           "{\"nullable\":null,\"otherwise\":\"none\",\"no_leaf\":null,\"leaves\":["
                           "],\"no_leaves\":[],\"words\":[]}");
    CU_ASSERT_STRING_EQUAL(fields_print(&all_table, NULL, arena, &size),
                           "{\"nullable\":null,\"otherwise\":\"none\",\"no_leaf\":null,\"leaves\":["
                           "],\"no_leaves\":[],\"words\":[]}");
    arena_destroy(&arena);
}

static void json_is_distinguished_from_other_text(void)
{
    static const struct {
        const char *text;
        bool want;
    } rows[] = {
        {"null", true},
        {"true", true},
        {"false", true},
        {"0", true},
        {"-0.5e+10", true},
        {"12E-3", true},
        {"\"\"", true},
        {"\"\\u00e9\\n\\/\"", true},
        {"[]", true},
        {"{}", true},
        {" [ 1 , \"a\" , { \"b\" : [ ] } ] ", true},
        {"{\"a\":{\"b\":{}},\"c\":[[]]}", true},
        {"", false},
        {" ", false},
        {"nul", false},
        {"nulll", false},
        {"01", false},
        {"1.", false},
        {".5", false},
        {"-", false},
        {"1e", false},
        {"+1", false},
        {"NaN", false},
        {"'a'", false},
        {"\"", false},
        {"\"\\x\"", false},
        {"\"\\u12\"", false},
        {"\"\\", false},
        {"\"\n\"", false},
        {"\"\xff\"", false},
        {"[", false},
        {"[1", false},
        {"[1,]", false},
        {"[,1]", false},
        {"[1 2]", false},
        {"{", false},
        {"{\"a\"}", false},
        {"{\"a\":}", false},
        {"{\"a\":1,}", false},
        {"{a:1}", false},
        {"{1:1}", false},
        {"{}}", false},
        {"1}],\"x\":1", false},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", true},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(codec_is_json(rows[i].text, strlen(rows[i].text)) == rows[i].want, "%s",
                   rows[i].text);
    CU_ASSERT_FALSE(codec_is_json("\"a\0b\"", 5));
    CU_ASSERT_FALSE(codec_is_json("1\0", 2));
}

static const struct unit_case cases[] = {
    CASE(printed_is_as_dumped),
    CASE(any_place_of_a_text_is_escaped),
    CASE(mistyped_values_are_absent),
    CASE(a_body_may_be_one_value),
    CASE(json_is_distinguished_from_other_text),
};

int main(void)
{
    return unit_run("fields print", cases, ARRAY_SIZE(cases));
}
