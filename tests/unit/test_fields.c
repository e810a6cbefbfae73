/*
 * test_fields.c - fields.h: one table reads, checks, packs, answers and documents a struct.
 */
#include <string.h>

#include "authd/signin/sign_in_api.h"
#include "common/wire/codec.h"
#include "maild/mail_api.h"
#include "settingsd/project_api.h"
#include "settingsd/tenant_api.h"
#include "tests/support/unit.h"

struct part {
    const char *label;
    int64_t weight;
};
FIELD_DECLARE(part);
static const struct field part_rows[] = {
    FIELD_TEXT(struct part, label, 1, 4, FIELD_REQUIRED, "Label.", "ab"),
    FIELD_INT(struct part, weight, 0, 0, 5, 0, "Any number.", "5"),
};
FIELD_TABLE(part);

enum tint { TINT_NONE, TINT_RED, TINT_GREEN };

struct whole {
    const char *text, *name, *choice, *checked, *email;
    enum tint tint;
    struct uuid id;
    int64_t number, zero;
    bool flag;
    enum tristate maybe, loose;
    int64_t at;
    const struct part *part;
    struct field_list parts, rare;
    struct field_texts words, filled;
    struct field_bytes bytes;
    const char *json, *object, *internal, *nullable;
};
FIELD_DECLARE(whole);

static int check_even(const char *value, char why[static 96])
{
    if (strlen(value) % 2 == 0)
        return 0;
    strcpy(why, "must have an even length");
    return -1;
}

static const char *const colours[] = {"red", "green", NULL};
static const struct field whole_rows[] = {
    FIELD_TEXT(struct whole, text, 1, 8, FIELD_REQUIRED | FIELD_SECRET, "Bytes.", "hidden"),
    FIELD_TEXT(struct whole, name, 1, 4, FIELD_CHARACTERS, "Characters.", "Ana"),
    FIELD_CHOICE(struct whole, choice, colours, 0, "Colour.", "red"),
    FIELD_ENUM(struct whole, tint, tint, colours, 0, "Shade.", "red"),
    FIELD_CHECKED(struct whole, checked, 0, 8, check_even, 0, "Even.", "ab"),
    FIELD_EMAIL(struct whole, email, 0, "Address.", "ana@example.org"),
    FIELD_UUID(struct whole, id, 0, "Identifier."),
    FIELD_INT(struct whole, number, -5, 10, 3, 0, "Number.", "4"),
    FIELD_INT(struct whole, zero, 0, INT64_MAX, 0, FIELD_OMIT_ZERO, "Left out.", "1"),
    FIELD_BOOL(struct whole, flag, true, 0, "Flag."),
    FIELD_TRISTATE(struct whole, maybe, 0, "Perhaps."),
    FIELD_TRISTATE(struct whole, loose, FIELD_LOOSE_BOOL, "Also as text."),
    FIELD_TIME(struct whole, at, 0, "When."),
    FIELD_OBJECT(struct whole, part, part, 0, "A part."),
    FIELD_OBJECTS(struct whole, parts, part, 3, 0, "Parts."),
    FIELD_OBJECTS(struct whole, rare, part, 3, FIELD_OMIT_EMPTY, "Left out."),
    FIELD_TEXTS(struct whole, words, 1, 5, 3, 0, "Words.", "word"),
    FIELD_TEXTS_FILLED(struct whole, filled, 1, 5, 3, 0, "Some.", "word"),
    FIELD_BYTES(struct whole, bytes, 4, 0, "Raw."),
    FIELD_JSON(struct whole, json, 16, 0, "Anything.", "[1]"),
    FIELD_JSON_OBJECT(struct whole, object, 16, 0, "Any object.", "{}"),
    FIELD_TEXT(struct whole, internal, 0, 8, FIELD_INTERNAL, "Unseen.", "x"),
    FIELD_TEXT(struct whole, nullable, 0, 8, FIELD_NULLABLE, "Or null.", "x"),
};
FIELD_TABLE(whole);

#define ID "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
#define FULL                                                                                      \
    "{\"text\":\"hello\",\"name\":\"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\",\"choice\":\"green\","     \
    "\"tint\":\"green\",\"checked\":\"ab\",\"email\":\"ana@example.org\",\"id\":\"" ID            \
    "\",\"number\":-5,"                                                                           \
    "\"zero\":1,\"flag\":false,\"maybe\":false,\"loose\":true,"                                   \
    "\"at\":\"2026-01-31T09:30:00.123Z\",\"part\":{\"label\":\"x\",\"weight\":-9},"               \
    "\"parts\":[{\"label\":\"a\",\"weight\":5},{\"label\":\"b\",\"weight\":6}],"                  \
    "\"rare\":[{\"label\":\"c\",\"weight\":7}],\"words\":[\"one\",\"two\"],\"json\":[1,null,{}]," \
    "\"object\":{\"k\":\"v\"},\"nullable\":\"here\"}"
#define MINIMAL \
    "{\"text\":\"x\",\"number\":3,\"flag\":true,\"parts\":[],\"words\":[],\"nullable\":null}"

/* ---- helpers ---- */

struct fixture {
    struct arena *arena;
    struct error err;
    struct whole whole;
};

static void fixture_init(struct fixture *self)
{
    memset(self, 0, sizeof(*self));
    self->arena = arena_new();
    error_init(&self->err, self->arena);
    memset(&self->whole, 0xa5, sizeof(self->whole)); /* every member must be set */
}

static void fixture_destroy(struct fixture *self)
{
    arena_destroy(&self->arena);
}

static int read_body(struct fixture *f, const struct field_table *table, const char *text,
                     void *out)
{
    json_t *body = codec_parse_exact(text, strlen(text), false, &f->err);
    struct field_source source = {.body = body};
    int result;

    UNIT_CHECK(body != NULL, "test's own JSON: %s", text);
    result = fields_read(table, &source, f->arena, out, &f->err);
    json_decref(body);
    return result;
}

static msgpack_object pack(struct fixture *f, const struct field_table *table, const void *in)
{
    struct codec_buffer buffer;
    msgpack_object object = {.type = MSGPACK_OBJECT_NIL};

    codec_buffer_init(&buffer, f->arena);
    fields_pack(table, in, &buffer);
    UNIT_CHECK(codec_unpack(buffer.bytes, buffer.size, f->arena, &object, &f->err) == 0, "%s",
               f->err.message);
    return object;
}

static const char *answer(struct fixture *f, const struct field_table *table, const void *in)
{
    msgpack_object object = pack(f, table, in);
    json_t *json = fields_to_json(table, &object);
    const char *text = codec_dump_json(f->arena, json);

    json_decref(json);
    return text;
}

static const char *problems(struct fixture *f)
{
    const char *text = "";

    for (const struct error_item *item = f->err.problems; item; item = item->next)
        text =
            arena_printf(f->arena, "%s%s%s %s", text, *text ? "; " : "", item->name, item->value);
    return text;
}

/* ---- reading JSON ---- */

static void check_full(const struct whole *w)
{
    const struct part *parts = w->parts.items;

    CU_ASSERT_STRING_EQUAL(w->text, "hello");
    CU_ASSERT_STRING_EQUAL(w->name, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f");
    CU_ASSERT_STRING_EQUAL(w->choice, "green");
    CU_ASSERT_EQUAL(w->tint, TINT_GREEN);
    CU_ASSERT_STRING_EQUAL(w->email, "ana@example.org");
    CU_ASSERT_STRING_EQUAL(w->id.text, ID);
    CU_ASSERT(w->number == -5 && w->zero == 1 && !w->flag);
    CU_ASSERT(w->maybe == TRISTATE_FALSE && w->loose == TRISTATE_TRUE);
    CU_ASSERT(w->at == 1769851800123);
    CU_ASSERT(w->part && w->part->weight == -9);
    CU_ASSERT(w->parts.count == 2 && parts[1].weight == 6 && strcmp(parts[1].label, "b") == 0);
    CU_ASSERT(w->words.count == 2 && strcmp(w->words.items[1], "two") == 0);
    CU_ASSERT_STRING_EQUAL(w->json, "[1,null,{}]");
    CU_ASSERT_STRING_EQUAL(w->object, "{\"k\":\"v\"}");
}

static void test_reads_every_type(void)
{
    CLEANUP(fixture_destroy) struct fixture f;

    fixture_init(&f);
    UNIT_REQUIRE(read_body(&f, &whole_table, FULL, &f.whole) == 0, "%s", problems(&f));
    check_full(&f.whole);
}

static void test_reads_what_is_left_out(void)
{
    CLEANUP(fixture_destroy) struct fixture f;
    const struct whole *w = &f.whole;

    fixture_init(&f);
    UNIT_REQUIRE(read_body(&f, &whole_table,
                           "{\"text\":\"x\",\"unknown\":[{}],\"nullable\":null,"
                           "\"internal\":\"smuggled\",\"bytes\":\"smuggled\"}",
                           &f.whole) == 0,
                 "%s", problems(&f));
    CU_ASSERT(!w->name && !w->choice && w->tint == TINT_NONE && !w->email && !w->part && !w->json &&
              !w->nullable);
    CU_ASSERT(!w->internal && !w->bytes.bytes && !uuid_is_set(&w->id));
    CU_ASSERT(w->number == 3 && w->flag && w->at == 0);
    UNIT_REQUIRE(read_body(&f, &whole_table, "{\"text\":\"x\",\"number\":-4.0}", &f.whole) == 0,
                 "%s", problems(&f));
    CU_ASSERT_EQUAL(w->number, -4);
    CU_ASSERT(w->maybe == TRISTATE_UNSET && w->loose == TRISTATE_UNSET);
    CU_ASSERT(w->parts.count == 0 && w->words.count == 0);
}

struct problem_case {
    const char *body, *want;
};

/* Each type with every other kind of JSON value, and each limit from both sides. */
static const struct problem_case problem_cases[] = {
    {"{}", "text is required"},
    {"{\"text\":null}", "text is required"},
    {"{\"text\":1}", "text must be a string"},
    {"{\"text\":true}", "text must be a string"},
    {"{\"text\":[]}", "text must be a string"},
    {"{\"text\":{}}", "text must be a string"},
    {"{\"text\":\"\"}", "text must be at least 1 character"},
    {"{\"text\":\"123456789\"}", "text must be at most 8 characters"},
    {"{\"text\":\"1234567\xc3\xa4\"}", "text must be at most 8 bytes"},
    {"{\"text\":\"x\",\"name\":null}", "name must be a string"},
    {"{\"text\":\"x\",\"name\":\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}",
     "name must be at most 4 characters"},
    {"{\"text\":\"x\",\"choice\":\"blue\"}", "choice must be one of red, green"},
    {"{\"text\":\"x\",\"choice\":\"\"}", "choice must be one of red, green"},
    {"{\"text\":\"x\",\"choice\":1}", "choice must be a string"},
    {"{\"text\":\"x\",\"tint\":\"Red\"}", "tint must be one of red, green"},
    {"{\"text\":\"x\",\"tint\":1}", "tint must be a string"},
    {"{\"text\":\"x\",\"checked\":\"abc\"}", "checked must have an even length"},
    {"{\"text\":\"x\",\"email\":\"ana\"}", "email must be a valid e-mail address"},
    {"{\"text\":\"x\",\"email\":\"\"}", "email must be a valid e-mail address"},
    {"{\"text\":\"x\",\"email\":7}", "email must be a string"},
    {"{\"text\":\"x\",\"id\":\"" ID "0\"}", "id must be a UUID"},
    {"{\"text\":\"x\",\"id\":\"\"}", "id must be a UUID"},
    {"{\"text\":\"x\",\"id\":7}", "id must be a UUID"},
    {"{\"text\":\"x\",\"id\":{}}", "id must be a UUID"},
    {"{\"text\":\"x\",\"number\":1.5}", "number must be an integer"},
    {"{\"text\":\"x\",\"number\":1e300}", "number must be an integer"},
    {"{\"text\":\"x\",\"number\":11.0}", "number must be at most 10"},
    {"{\"text\":\"x\",\"number\":1e400}", "number must be an integer"},
    {"{\"text\":\"x\",\"number\":9223372036854775807}", "number must be at most 10"},
    {"{\"text\":\"x\",\"number\":9223372036854775808}", "number must be an integer"},
    {"{\"text\":5.40}", "text must be a string"},
    {"{\"text\":\"x\",\"email\":5.40}", "email must be a string"},
    {"{\"text\":\"x\",\"id\":5.40}", "id must be a UUID"},
    {"{\"text\":\"x\",\"loose\":1.0}", "loose must be a boolean"},
    {"{\"text\":\"x\",\"at\":5.40}", "at must be a time in ISO 8601 form"},
    {"{\"text\":\"x\",\"part\":5.40}", "part must be an object"},
    {"{\"text\":\"x\",\"words\":[5.40]}", "words.0 must be a string"},
    {"{\"text\":\"x\",\"object\":5.40}", "object must be an object"},
    {"{\"text\":\"x\",\"json\":1234567890.123456}", "json must be at most 16 bytes of JSON"},
    {"{\"text\":\"x\",\"number\":\"1\"}", "number must be an integer"},
    {"{\"text\":\"x\",\"number\":true}", "number must be an integer"},
    {"{\"text\":\"x\",\"number\":null}", "number must be an integer"},
    {"{\"text\":\"x\",\"number\":-6}", "number must be at least -5"},
    {"{\"text\":\"x\",\"number\":11}", "number must be at most 10"},
    {"{\"text\":\"x\",\"flag\":1}", "flag must be a boolean"},
    {"{\"text\":\"x\",\"flag\":\"true\"}", "flag must be a boolean"},
    {"{\"text\":\"x\",\"maybe\":\"false\"}", "maybe must be a boolean"},
    {"{\"text\":\"x\",\"loose\":\"TRUE\"}", "loose must be a boolean"},
    {"{\"text\":\"x\",\"at\":1769851800123}", "at must be a time in ISO 8601 form"},
    {"{\"text\":\"x\",\"at\":\"yesterday\"}", "at must be a time in ISO 8601 form"},
    {"{\"text\":\"x\",\"part\":[]}", "part must be an object"},
    {"{\"text\":\"x\",\"part\":\"x\"}", "part must be an object"},
    {"{\"text\":\"x\",\"part\":{}}", "part.label is required"},
    {"{\"text\":\"x\",\"part\":{\"label\":\"12345\",\"weight\":\"\"}}",
     "part.label must be at most 4 characters; part.weight must be an integer"},
    {"{\"text\":\"x\",\"parts\":{}}", "parts must be an array"},
    {"{\"text\":\"x\",\"parts\":[{\"label\":\"a\"},1,{\"label\":2}]}",
     "parts.1 must be an object; parts.2.label must be a string"},
    {"{\"text\":\"x\",\"parts\":[1,2,3,4]}", "parts must have at most 3 items"},
    {"{\"text\":\"x\",\"words\":\"one\"}", "words must be an array"},
    {"{\"text\":\"x\",\"words\":[\"a\",null,\"\"]}",
     "words.1 must be a string; words.2 must be at least 1 character"},
    {"{\"text\":\"x\",\"filled\":[]}", "filled must have at least 1 item"},
    {"{\"text\":\"x\",\"json\":\"123456789012345\"}", "json must be at most 16 bytes of JSON"},
    {"{\"text\":\"x\",\"object\":[]}", "object must be an object"},
    {"{\"text\":\"x\",\"object\":\"{}\"}", "object must be an object"},
    {"{\"name\":\"\",\"number\":99,\"flag\":0,\"words\":[7]}",
     "text is required; name must be at least 1 character; number must be at most 10; "
     "flag must be a boolean; words.0 must be a string"},
};

static void test_names_every_problem(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(problem_cases); i++) {
        CLEANUP(fixture_destroy) struct fixture f;
        const struct problem_case *row = &problem_cases[i];

        fixture_init(&f);
        UNIT_CHECK(read_body(&f, &whole_table, row->body, &f.whole) < 0, "%s", row->body);
        UNIT_CHECK(f.err.code == ERR_VALIDATION, "%s", row->body);
        UNIT_CHECK(strcmp(problems(&f), row->want) == 0, "%s: %s", row->body, problems(&f));
    }
}

/* Unknown members stay unchanged in the struct, on the bus and in a response. */
static void test_keeps_the_numbers_of_json(void)
{
    CLEANUP(fixture_destroy) struct fixture f;
    struct whole back;
    msgpack_object object;
    size_t size;

    fixture_init(&f);
    UNIT_REQUIRE(read_body(&f, &whole_table,
                           "{\"text\":\"x\",\"number\":1e1,\"zero\":9223372036854775807,"
                           "\"json\":[5.40, 1e400 ],\"object\":{\"n\":-0.0}}",
                           &f.whole) == 0,
                 "%s", problems(&f));
    CU_ASSERT(f.whole.number == 10 && f.whole.zero == INT64_MAX);
    CU_ASSERT_STRING_EQUAL(f.whole.json, "[5.40,1e400]");
    f.whole.bytes = (struct field_bytes){0};
    object = pack(&f, &whole_table, &f.whole);
    UNIT_REQUIRE(fields_unpack(&whole_table, &object, f.arena, &back, &f.err) == 0, "%s",
                 problems(&f));
    CU_ASSERT_STRING_EQUAL(back.json, "[5.40,1e400]");
    CU_ASSERT_STRING_EQUAL(back.object, "{\"n\":-0.0}");
    CU_ASSERT_PTR_NOT_NULL(strstr(fields_print(&whole_table, &object, f.arena, &size),
                                  "\"json\":[5.40,1e400],\"object\":{\"n\":-0.0}"));
    CU_ASSERT_PTR_NOT_NULL(strstr(answer(&f, &whole_table, &f.whole),
                                  "\"json\":[5.40,1e400],\"object\":{\"n\":-0.0}"));
}

static void test_bounds_the_list_of_problems(void)
{
    CLEANUP(fixture_destroy) struct fixture f;
    struct tenants_of_in in;
    json_t *list = json_array(), *body = json_pack("{s:o}", "projectIds", list);
    struct field_source source = {.body = body};

    for (int i = 0; i < 1000; i++)
        json_array_append_new(list, json_integer(i));
    fixture_init(&f);
    CU_ASSERT(fields_read(&tenants_of_in_table, &source, f.arena, &in, &f.err) < 0);
    CU_ASSERT(f.err.problem_count == 1000);
    CU_ASSERT(arena_used(f.arena) < 64 * 1024);
    json_decref(body);
}

/* ---- keys ---- */

struct keyed {
    const char *observed, *daemon;
    struct field_list parts;
};
FIELD_DECLARE(keyed);
static const struct field keyed_rows[] = {
    FIELD_TEXT(struct keyed, FIELD_AS(observed, "seen"), 1, 8, FIELD_REQUIRED, "What it is.", "x"),
    FIELD_TEXT(struct keyed, daemon, 0, 8, 0, "Where.", "x"),
    FIELD_OBJECTS(struct keyed, FIELD_AS(parts, "pieces"), part, 2, 0, "Of it."),
};
FIELD_TABLE(keyed);

static void row_may_name_another_key_than_its_member(void)
{
    CLEANUP(fixture_destroy) struct fixture f;
    struct keyed in = {0}, back = {0};
    msgpack_object object;
    size_t size;

    fixture_init(&f);
    CU_ASSERT_STRING_EQUAL(keyed_rows[0].name, "seen");
    CU_ASSERT_STRING_EQUAL(keyed_rows[1].name, "daemon");
    CU_ASSERT(keyed_rows[0].offset == offsetof(struct keyed, observed));
    CU_ASSERT(read_body(&f, &keyed_table, "{\"observed\":\"a\"}", &in) < 0);
    CU_ASSERT_STRING_EQUAL(f.err.problems->name, "seen");
    error_clear(&f.err);
    CU_ASSERT(read_body(&f, &keyed_table,
                        "{\"seen\":\"a\",\"daemon\":\"b\",\"pieces\":[{\"label\":\"c\"}]}",
                        &in) == 0);
    CU_ASSERT_STRING_EQUAL(in.observed, "a");
    object = pack(&f, &keyed_table, &in);
    CU_ASSERT(fields_unpack(&keyed_table, &object, f.arena, &back, &f.err) == 0);
    CU_ASSERT_STRING_EQUAL(back.observed, "a");
    CU_ASSERT_STRING_EQUAL(back.daemon, "b");
    CU_ASSERT(back.parts.count == 1);
    CU_ASSERT_STRING_EQUAL(
        fields_print(&keyed_table, &object, f.arena, &size),
        "{\"seen\":\"a\",\"daemon\":\"b\",\"pieces\":[{\"label\":\"c\",\"weight\":5}]}");
}

/* ---- path, query, header ---- */

struct sourced_in {
    const char *option, *search, *etag;
    int64_t count;
    bool all;
};
static const struct field sourced_in_rows[] = {
    FIELD_TEXT(struct sourced_in, option, 1, 8, FIELD_PATH | FIELD_REQUIRED, "Path.", "x"),
    FIELD_TEXT(struct sourced_in, search, 0, 8, FIELD_QUERY, "Query.", "x"),
    FIELD_INT(struct sourced_in, count, 1, 10, 5, FIELD_QUERY, "Query.", "5"),
    FIELD_BOOL(struct sourced_in, all, false, FIELD_QUERY, "Query."),
    FIELD_HEADER_TEXT(struct sourced_in, etag, "If-Match", 8, "Header."),
};
FIELD_DECLARE(sourced_in);
FIELD_TABLE(sourced_in);

struct request_texts {
    const char *option, *search, *count, *all, *if_match;
};

static const char *lookup(const void *context, unsigned where, const char *name)
{
    const struct request_texts *texts = context;

    if (where == FIELD_PATH)
        return strcmp(name, "option") == 0 ? texts->option : NULL;
    if (where == FIELD_HEADER)
        return strcmp(name, "If-Match") == 0 ? texts->if_match : NULL;
    if (strcmp(name, "count") == 0)
        return texts->count;
    return strcmp(name, "all") == 0 ? texts->all : texts->search;
}

static int read_texts_of(struct fixture *f, const struct request_texts *texts,
                         struct sourced_in *in)
{
    json_t *body = json_pack("{s:s, s:i}", "option", "body", "count", 7);
    struct field_source source = {.body = body, .lookup = lookup, .context = texts};
    int result = fields_read(&sourced_in_table, &source, f->arena, in, &f->err);

    json_decref(body);
    return result;
}

static void test_reads_path_query_and_header(void)
{
    static const struct request_texts full = {"path", "query", "10", "true", "\"1\""};
    static const struct request_texts none = {.option = "path"};
    CLEANUP(fixture_destroy) struct fixture f;
    struct sourced_in in;

    fixture_init(&f);
    CU_ASSERT(read_texts_of(&f, &full, &in) == 0);
    CU_ASSERT_STRING_EQUAL(in.option, "path");
    CU_ASSERT_STRING_EQUAL(in.etag, "\"1\"");
    CU_ASSERT(in.count == 10 && in.all);
    CU_ASSERT(read_texts_of(&f, &none, &in) == 0);
    CU_ASSERT(in.count == 5 && !in.all && !in.search && !in.etag);
}

static void test_checks_path_query_and_header(void)
{
    static const struct {
        struct request_texts texts;
        const char *want;
    } rows[] = {
        {{NULL, NULL, NULL, NULL, NULL}, "option is required"},
        {{"\xff", "\xc3", NULL, NULL, NULL},
         "option must be valid UTF-8; search must be valid UTF-8"},
        {{"x", NULL, "", NULL, NULL}, "count must be an integer"},
        {{"x", NULL, " 1", NULL, NULL}, "count must be an integer"},
        {{"x", NULL, "+1", NULL, NULL}, "count must be an integer"},
        {{"x", NULL, "1e1", NULL, NULL}, "count must be an integer"},
        {{"x", NULL, "0x1", NULL, NULL}, "count must be an integer"},
        {{"x", NULL, "99999999999999999999", NULL, NULL}, "count must be an integer"},
        {{"x", NULL, "11", "1", "\"12345678\""},
         "count must be at most 10; all must be a boolean; If-Match must be at most 8 characters"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(fixture_destroy) struct fixture f;
        struct sourced_in in;

        fixture_init(&f);
        UNIT_CHECK(read_texts_of(&f, &rows[i].texts, &in) < 0, "%s", rows[i].want);
        UNIT_CHECK(strcmp(problems(&f), rows[i].want) == 0, "%s: %s", rows[i].want, problems(&f));
    }
}

/* ---- the wire ---- */

static void test_packs_unpacks_and_answers_the_same(void)
{
    CLEANUP(fixture_destroy) struct fixture f;
    struct whole back;
    msgpack_object object;

    fixture_init(&f);
    UNIT_REQUIRE(read_body(&f, &whole_table, FULL, &f.whole) == 0, "%s", problems(&f));
    f.whole.internal = "unseen";
    f.whole.bytes = (struct field_bytes){(const uint8_t *)"\0\xff", 2};
    object = pack(&f, &whole_table, &f.whole);
    UNIT_REQUIRE(fields_unpack(&whole_table, &object, f.arena, &back, &f.err) == 0, "%s",
                 problems(&f));
    check_full(&back);
    CU_ASSERT_STRING_EQUAL(back.internal, "unseen");
    CU_ASSERT(back.bytes.size == 2 && memcmp(back.bytes.bytes, "\0\xff", 2) == 0);
    CU_ASSERT_STRING_EQUAL(answer(&f, &whole_table, &back), FULL);
}

static void test_leaves_out_what_is_absent(void)
{
    CLEANUP(fixture_destroy) struct fixture f;
    json_t *json;

    fixture_init(&f);
    CU_ASSERT(read_body(&f, &whole_table, "{\"text\":\"x\"}", &f.whole) == 0);
    CU_ASSERT_STRING_EQUAL(answer(&f, &whole_table, &f.whole), MINIMAL);
    json = fields_to_json(&nothing_table, NULL);
    CU_ASSERT(json_is_object(json) && json_object_size(json) == 0);
    json_decref(json);
}

static void pack_as(msgpack_packer *packer, int kind)
{
    switch (kind) {
    case 0:
        codec_pack_text(packer, "a text that is too long for any");
        break;
    case 1:
        msgpack_pack_uint64(packer, UINT64_MAX);
        break;
    case 2:
        msgpack_pack_int64(packer, INT64_MIN);
        break;
    case 3:
        msgpack_pack_double(packer, 1.0);
        break;
    case 4:
        msgpack_pack_bin(packer, 9);
        msgpack_pack_bin_body(packer, "012345678", 9);
        break;
    case 5:
        msgpack_pack_ext_with_body(packer, "{", 1, 1);
        break;
    case 6:
        msgpack_pack_array(packer, 4);
        for (int i = 0; i < 4; i++)
            msgpack_pack_nil(packer);
        break;
    case 7:
        msgpack_pack_ext_with_body(packer, "[\"longer than sixteen bytes\"]", 29, 1);
        break;
    default:
        msgpack_pack_map(packer, 1);
        msgpack_pack_int(packer, 1);
        msgpack_pack_int(packer, 2);
        break;
    }
}

static msgpack_object hostile(struct fixture *f, const char *member, int kind)
{
    struct codec_buffer buffer;
    msgpack_packer packer;
    msgpack_object object;

    codec_buffer_init(&buffer, f->arena);
    msgpack_packer_init(&packer, &buffer, codec_write);
    msgpack_pack_map(&packer, 3);
    msgpack_pack_int(&packer, 1);
    msgpack_pack_int(&packer, 1);
    codec_pack_text(&packer, "text");
    codec_pack_text(&packer, "x");
    codec_pack_text(&packer, member);
    pack_as(&packer, kind);
    UNIT_CHECK(codec_unpack(buffer.bytes, buffer.size, f->arena, &object, &f->err) == 0, "%s %d",
               member, kind);
    return object;
}

static void test_trusts_no_peer(void)
{
    for (size_t i = 1; i < whole_table.count; i++) {
        const struct field *row = &whole_table.rows[i];

        for (int kind = 0; kind < 9; kind++) {
            CLEANUP(fixture_destroy) struct fixture f;
            msgpack_object object;
            json_t *json;

            fixture_init(&f);
            object = hostile(&f, row->name, kind);
            UNIT_CHECK(fields_unpack(&whole_table, &object, f.arena, &f.whole, &f.err) < 0,
                       "%s as kind %d", row->name, kind);
            json = fields_to_json(&whole_table, &object);
            UNIT_CHECK(json != NULL, "%s as kind %d", row->name, kind);
            json_decref(json);
        }
    }
}

/* A daemon's JSON, for a row of any JSON and for one of objects. */
static void test_takes_json_from_a_daemon_only_where_it_is_some(void)
{
    static const struct {
        const char *text;
        bool any, object;
    } rows[] = {
        {"{}", true, true},    {" \t\r\n{\"a\":1} ", true, true},
        {"[1]", true, false},  {"\"{}\"", true, false},
        {"7", true, false},    {"{", false, false},
        {"{}}", false, false}, {" ", false, false},
        {"", false, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows) * 2; i++) {
        CLEANUP(fixture_destroy) struct fixture f;
        bool object = i % 2 == 1;
        struct codec_buffer buffer;
        msgpack_packer packer;
        msgpack_object map;

        fixture_init(&f);
        codec_buffer_init(&buffer, f.arena);
        msgpack_packer_init(&packer, &buffer, codec_write);
        msgpack_pack_map(&packer, 2);
        codec_pack_text(&packer, "text");
        codec_pack_text(&packer, "x");
        codec_pack_text(&packer, object ? "object" : "json");
        msgpack_pack_ext_with_body(&packer, rows[i / 2].text, strlen(rows[i / 2].text), 1);
        UNIT_REQUIRE(codec_unpack(buffer.bytes, buffer.size, f.arena, &map, &f.err) == 0, "own");
        UNIT_CHECK((fields_unpack(&whole_table, &map, f.arena, &f.whole, &f.err) == 0) ==
                       (object ? rows[i / 2].object : rows[i / 2].any),
                   "%s as %s", rows[i / 2].text, object ? "object" : "json");
    }
}

static void test_refuses_what_is_no_map(void)
{
    CLEANUP(fixture_destroy) struct fixture f;
    msgpack_object object = {.type = MSGPACK_OBJECT_ARRAY}, nil = {.type = MSGPACK_OBJECT_NIL};
    struct nothing nothing;

    fixture_init(&f);
    CU_ASSERT(fields_unpack(&whole_table, &object, f.arena, &f.whole, &f.err) < 0);
    CU_ASSERT(f.err.code == ERR_BAD_REQUEST);
    error_clear(&f.err);
    CU_ASSERT(fields_unpack(&whole_table, NULL, f.arena, &f.whole, &f.err) < 0);
    CU_ASSERT_STRING_EQUAL(problems(&f), "text is required");
    error_clear(&f.err);
    CU_ASSERT(fields_unpack(&nothing_table, &nil, f.arena, &nothing, &f.err) == 0);
}

static void test_takes_any_order(void)
{
    CLEANUP(fixture_destroy) struct fixture f;
    struct codec_buffer buffer;
    msgpack_packer packer;
    msgpack_object object;

    fixture_init(&f);
    codec_buffer_init(&buffer, f.arena);
    msgpack_packer_init(&packer, &buffer, codec_write);
    msgpack_pack_map(&packer, 4);
    codec_pack_text(&packer, "number");
    msgpack_pack_int(&packer, 4);
    codec_pack_text(&packer, "future");
    msgpack_pack_array(&packer, 0);
    codec_pack_text(&packer, "choice");
    codec_pack_text(&packer, "red");
    codec_pack_text(&packer, "text");
    codec_pack_text(&packer, "x");
    UNIT_REQUIRE(codec_unpack(buffer.bytes, buffer.size, f.arena, &object, &f.err) == 0, "own");
    CU_ASSERT(fields_unpack(&whole_table, &object, f.arena, &f.whole, &f.err) == 0);
    CU_ASSERT_STRING_EQUAL(f.whole.choice, "red");
    CU_ASSERT(f.whole.number == 4);
}

/* ---- schema, secrets ---- */

static void check_schema(const char *member, const char *want)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    json_t *schema = fields_to_schema(&whole_table, FIELDS_REQUEST);
    json_t *got = json_object_get(json_object_get(schema, "properties"), member);
    const char *text = got ? codec_dump_json(arena, got) : "absent";

    UNIT_CHECK(strcmp(text, want) == 0, "%s: %s", member, text);
    json_decref(schema);
}

static void test_describes_itself(void)
{
    check_schema("text", "{\"type\":\"string\",\"minLength\":1,\"maxLength\":8,"
                         "\"x-maxBytes\":8,\"description\":\"Bytes. At most 8 bytes of UTF-8.\","
                         "\"examples\":[\"hidden\"]}");
    check_schema("choice", "{\"type\":\"string\",\"enum\":[\"red\",\"green\"],"
                           "\"description\":\"Colour.\",\"examples\":[\"red\"]}");
    check_schema("tint", "{\"type\":\"string\",\"enum\":[\"red\",\"green\"],"
                         "\"description\":\"Shade.\",\"examples\":[\"red\"]}");
    check_schema("number", "{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":-5,"
                           "\"maximum\":10,\"default\":3,\"description\":\"Number.\","
                           "\"examples\":[4]}");
    check_schema("flag", "{\"type\":\"boolean\",\"default\":true,\"description\":\"Flag.\","
                         "\"examples\":[true]}");
    check_schema("part", "{\"$ref\":\"#/components/schemas/part\",\"description\":\"A part.\"}");
    check_schema("parts", "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/part\"},"
                          "\"maxItems\":3,\"description\":\"Parts.\"}");
    check_schema("words", "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1,"
                          "\"maxLength\":5},\"maxItems\":3,\"x-maxBytes\":5,"
                          "\"description\":\"Words. At most 5 bytes of UTF-8 each.\","
                          "\"examples\":[[\"word\"]]}");
    check_schema(
        "filled",
        "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1,"
        "\"maxLength\":5},\"minItems\":1,\"maxItems\":3,\"x-maxBytes\":5,"
        "\"description\":\"Some. At most 5 bytes of UTF-8 each.\",\"examples\":[[\"word\"]]}");
    check_schema(
        "json",
        "{\"x-maxBytes\":16,"
        "\"description\":\"Anything. At most 16 bytes of compact JSON.\",\"examples\":[[1]]}");
    check_schema("nullable",
                 "{\"type\":[\"string\",\"null\"],\"maxLength\":8,\"x-maxBytes\":8,"
                 "\"description\":\"Or null. At most 8 bytes of UTF-8.\",\"examples\":[\"x\"]}");
    check_schema("loose", "{\"anyOf\":[{\"type\":\"boolean\"},"
                          "{\"type\":\"string\",\"enum\":[\"true\",\"false\"]}],"
                          "\"description\":\"Also as text.\",\"examples\":[true]}");
    check_schema("object", "{\"type\":\"object\",\"additionalProperties\":true,\"x-maxBytes\":16,"
                           "\"description\":\"Any object. At most 16 bytes of compact JSON.\","
                           "\"examples\":[{}]}");
    check_schema("internal", "absent");
    check_schema("bytes", "absent");
}

static void test_describes_what_is_required(void)
{
    json_t *whole = fields_to_schema(&whole_table, FIELDS_REQUEST),
           *place = fields_to_schema(&sourced_in_table, FIELDS_REQUEST);
    json_t *required = json_object_get(whole, "required");

    CU_ASSERT(json_array_size(required) == 1);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(required, 0)), "text");
    json_decref(whole);
    /* A response also requires members that are always written: zero, words and the like are only
     * some. */
    whole = fields_to_schema(&whole_table, FIELDS_ANSWER);
    required = json_object_get(whole, "required");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(required, 0)), "text");
    CU_ASSERT_EQUAL(json_array_size(required), 6); /* number, flag, parts, words, nullable */
    CU_ASSERT(json_object_size(json_object_get(place, "properties")) == 0);
    CU_ASSERT_PTR_NULL(json_object_get(place, "required"));
    json_decref(whole);
    json_decref(place);
}

static void test_wipes_secrets(void)
{
    CLEANUP(fixture_destroy) struct fixture f;

    fixture_init(&f);
    CU_ASSERT(read_body(&f, &whole_table, FULL, &f.whole) == 0);
    fields_wipe(&whole_table, &f.whole);
    CU_ASSERT(memcmp(f.whole.text, "\0\0\0\0\0", 5) == 0);
    CU_ASSERT_STRING_EQUAL(f.whole.choice, "green");
}

/* ---- the tables of the suite ---- */

struct api_case {
    const struct field_table *table;
    const char *body, *want; /* problems, "" for none */
};

#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
static const struct api_case api_cases[] = {
    {&patient_register_in_table, "{}",
     "email is required; password is required; name is required; surname is required; "
     "tenantCode is required"},
    {&patient_register_in_table,
     "{\"email\":\" ANA@Example.org \",\"password\":\"x\",\"name\":\"A\",\"surname\":\"L\","
     "\"tenantCode\":\"demo\",\"continueAsPatientToken\":null,\"extra\":{}}",
     ""},
    {&patient_login_start_in_table,
     "{\"email\":\"a@b.example\",\"password\":\"\",\"tenantCode\":\"demo\",\"codeChallenge\":"
     "\"" CHALLENGE "\"}",
     ""},
    {&patient_login_start_in_table,
     "{\"email\":\"a@b.example\",\"password\":\"\",\"tenantCode\":\"demo\",\"codeChallenge\":"
     "\"" CHALLENGE "=\"}",
     "codeChallenge must be at most 43 characters"},
    {&patient_login_start_in_table,
     "{\"email\":\"a@b.example\",\"password\":null,\"tenantCode\":\"\",\"codeChallenge\":"
     "\"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM\"}",
     "password is required; tenantCode must be at least 1 character; "
     "codeChallenge must be base64url without padding"},
    {&practitioner_login_token_in_table,
     "{\"sessionCode\":\"x\",\"codeVerifier\":\"" CHALLENGE "\"}", ""},
    {&practitioner_login_token_in_table,
     "{\"sessionCode\":\"x\",\"codeVerifier\":\"" CHALLENGE "/\"}",
     "codeVerifier must contain only letters, digits, '-', '.', '_' and '~'"},
    {&refresh_token_in_table, "{\"refresh_token\":\"\"}",
     "refresh_token must be at least 1 character"},
    {&project_child_in_table, "{\"name\":\"N\",\"tenantCode\":\"Upper\"}",
     "tenantCode must contain only lower-case letters, digits and hyphens"},
    {&mail_queue_in_table, "{\"count\":0}", "count must be at least 1"},
};

static void test_bounds_the_inputs_of_the_suite(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(api_cases); i++) {
        CLEANUP(fixture_destroy) struct fixture f;
        const struct api_case *row = &api_cases[i];
        int result;

        fixture_init(&f);
        result = read_body(&f, row->table, row->body, arena_alloc(f.arena, row->table->size));
        UNIT_CHECK((result == 0) == (*row->want == '\0'), "%s", row->body);
        UNIT_CHECK(strcmp(problems(&f), row->want) == 0, "%s: %s", row->body, problems(&f));
    }
}

static const struct unit_case cases[] = {
    CASE(test_reads_every_type),
    CASE(test_reads_what_is_left_out),
    CASE(test_names_every_problem),
    CASE(test_keeps_the_numbers_of_json),
    CASE(test_bounds_the_list_of_problems),
    CASE(test_reads_path_query_and_header),
    CASE(test_checks_path_query_and_header),
    CASE(test_packs_unpacks_and_answers_the_same),
    CASE(test_takes_json_from_a_daemon_only_where_it_is_some),
    CASE(test_leaves_out_what_is_absent),
    CASE(test_trusts_no_peer),
    CASE(test_refuses_what_is_no_map),
    CASE(test_takes_any_order),
    CASE(test_describes_itself),
    CASE(test_describes_what_is_required),
    CASE(test_wipes_secrets),
    CASE(test_bounds_the_inputs_of_the_suite),
    CASE(row_may_name_another_key_than_its_member),
};

int main(void)
{
    return unit_run("fields", cases, ARRAY_SIZE(cases));
}
