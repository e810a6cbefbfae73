/*
 * fields.h - field tables, which define the shape of a request or answer once.
 *
 * From a table the gateway validates JSON (reporting all problems), both sides encode and decode
 * msgpack, and answers and the OpenAPI page are written. The compiler compares row and member
 * types. The member's name is the wire key, unless the row has FIELD_AS().
 *
 *     static const struct field login_start_in_rows[] = {
 *         FIELD_EMAIL(struct login_start_in, email, FIELD_REQUIRED, "Address.", "ana@example.org"),
 *         FIELD_TEXT(struct login_start_in, tenantCode, 1, 64, FIELD_REQUIRED, "Tenant.", "demo"),
 *     };
 *     FIELD_TABLE(login_start_in);
 *
 * Members and absence:
 *     TEXT EMAIL   const char *          NULL when absent or null
 *     ENUM         enum x                0 when absent or null; n is the text choices[n - 1]
 *     UUID         struct uuid           "" when absent; const struct uuid in outputs alike
 *     INT, BOOL    int64_t, bool         `fallback` when absent
 *     TRISTATE     enum tristate         TRISTATE_UNSET when absent
 *     TIME         int64_t               ms since the epoch, ISO 8601 text in JSON; 0 when absent
 *     OBJECT       const struct x *      table of x; NULL when absent
 *     OBJECTS      struct field_list     items are contiguous structs of the table's size
 *     TEXTS        struct field_texts    array of strings
 *     BYTES        struct field_bytes    raw bytes: between daemons only, never in JSON
 *     JSON         const char *          any JSON value as compact text; NULL when absent
 *     JSON_OBJECT  const char *          a JSON object (anything else is a 422)
 * Numbers in the last two keep their text after codec_parse_exact(); on the bus: ext type 1.
 *
 * Outputs write an absent member as the row's `absent`, as null with FIELD_NULLABLE, or leave it
 * out; an empty list is [] without FIELD_OMIT_EMPTY.
 */
#ifndef ATRIUM_COMMON_WIRE_FIELDS_H
#define ATRIUM_COMMON_WIRE_FIELDS_H

#include <jansson.h>
#include <msgpack.h>

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"
#include "common/base/uuid.h"

enum field_type {
    FIELD_TYPE_TEXT,
    FIELD_TYPE_EMAIL, /* trimmed, lower-cased, IDNA 2008 domain, at most 254 bytes */
    FIELD_TYPE_ENUM,  /* text on the wire */
    FIELD_TYPE_UUID,
    FIELD_TYPE_INT,
    FIELD_TYPE_BOOL,
    FIELD_TYPE_TRISTATE,
    FIELD_TYPE_TIME,
    FIELD_TYPE_OBJECT,
    FIELD_TYPE_OBJECTS,
    FIELD_TYPE_TEXTS,
    FIELD_TYPE_BYTES,
    FIELD_TYPE_JSON,
    FIELD_TYPE_JSON_OBJECT,
};

enum field_flags {
    FIELD_REQUIRED = 1 << 0,       /* absent (or null) is a problem */
    FIELD_NULLABLE = 1 << 1,       /* input: null means absent; output: absent becomes null */
    FIELD_SECRET = 1 << 2,         /* wiped after the request; never logged */
    FIELD_PATH = 1 << 3,           /* from the path's {name} */
    FIELD_QUERY = 1 << 4,          /* from the query string, INT and BOOL as text */
    FIELD_HEADER = 1 << 5,         /* from the request header `header` */
    FIELD_LOOSE_BOOL = 1 << 6,     /* TRISTATE or BOOL, also as "true" and "false" */
    FIELD_OMIT_EMPTY = 1 << 7,     /* output: leaves out an empty list */
    FIELD_OMIT_ZERO = 1 << 8,      /* output: leaves out an INT of 0 */
    FIELD_INTERNAL = 1 << 9,       /* between daemons only: never in JSON or OpenAPI */
    FIELD_CHARACTERS = 1 << 10,    /* TEXT, TEXTS: min and max count characters, not bytes */
    FIELD_UNLISTED = 1 << 14,      /* header that OpenAPI does not list */
    FIELD_OMIT_NEGATIVE = 1 << 12, /* output: a negative INT is absent */
    FIELD_NULL_ZERO = 1 << 13,     /* input: null is 0, not absent */
    FIELD_BODY = 1 << 11,          /* JSON, JSON_OBJECT: the whole body */
};

struct codec_buffer;

struct field_list {
    const void *items; /* contiguous, stride table->size */
    size_t count;
};

struct field_texts {
    const char **items;
    size_t count;
};

struct field_bytes {
    const uint8_t *bytes;
    size_t size;
};

enum { FIELDS_MAX = 64 };

struct field_table;

/* Returns -1 with the fault ("must be ...") in why. */
typedef int field_check(const char *value, char why[static 96]);

struct field {
    const char *name;
    size_t name_size;
    enum field_type type;
    unsigned flags;
    size_t offset;
    /* TEXT, each of TEXTS, BYTES, JSON: bytes (see FIELD_CHARACTERS); INT: value, both 0: any */
    int64_t min, max;
    size_t min_items, max_items; /* OBJECTS, TEXTS; min_items only if present */
    int64_t fallback;            /* INT, BOOL */
    const char *header;
    const char *const *choices; /* allowed TEXT, TEXTS or ENUM, NULL-ended */
    const char *const *known;   /* existing TEXT values; the handler rejects others */
    field_check *check;
    const char *pattern;             /* ECMA-262, for OpenAPI: matches all that `check` accepts */
    const struct field_table *table; /* OBJECT, OBJECTS; JSON: an array of these */
    bool of_texts;                   /* JSON: array of texts; JSON_OBJECT: map of texts */
    const char *absent;              /* answers' JSON for absent; NULL: see above */
    const char *doc, *example;
};

struct field_table {
    const char *name;
    size_t size;
    const struct field *rows;
    size_t count;
    const struct field_table *const *variants; /* NULL-ended; an answer is exactly one of them */
};

/* Another key than the member's name: FIELD_TEXT(struct report, FIELD_AS(remedy, "mend"), ...) */
#define FIELD_AS(member, key) (member, key)

/* Member and key of `member` or FIELD_AS(). FIELD_AS()'s pair becomes arguments of
 * FIELD_PAIR_...(), which puts one in fourth place, where a plain member has the default. */
#define FIELD_MEMBER(member) FIELD_FOURTH(FIELD_PAIR_MEMBER member, ~, ~, member, ~)
#define FIELD_KEY(member) FIELD_FOURTH(FIELD_PAIR_KEY member, ~, ~, FIELD_STRING(member), ~)
#define FIELD_PAIR_MEMBER(member, key) ~, ~, ~, member
#define FIELD_PAIR_KEY(member, key) ~, ~, ~, key
#define FIELD_FOURTH(...) FIELD_FOURTH_(__VA_ARGS__)
#define FIELD_FOURTH_(a, b, c, d, ...) d
#define FIELD_STRING(member) #member

/* 0, or a compile error for a member of another type. */
#define FIELD_IS(s, member, type)                                                         \
    (0 * sizeof(struct {                                                                  \
         _Static_assert(__builtin_types_compatible_p(__typeof__(((s *)0)->member), type), \
                        "the row of " #s "." #member " needs a member of type " #type);   \
         char unused;                                                                     \
     }))

#define FIELD_ROW(s, member, ...) \
    FIELD_ROW_(s, FIELD_MEMBER(member), FIELD_KEY(member), __VA_ARGS__)
#define FIELD_ROW_(s, member, key, kind, ctype, ...)                            \
    {                                                                           \
        .name = (key), .name_size = sizeof(key) - 1, .type = (kind),            \
        .offset = offsetof(s, member) + FIELD_IS(s, member, ctype), __VA_ARGS__ \
    }

#define FIELD_TEXT(s, member, min_, max_, flags_, doc_, example_)                     \
    FIELD_ROW(s, member, FIELD_TYPE_TEXT, const char *, .min = (min_), .max = (max_), \
              .flags = (flags_), .doc = (doc_), .example = (example_))
#define FIELD_CHECKED(s, member, min_, max_, check_, flags_, doc_, example_)          \
    FIELD_ROW(s, member, FIELD_TYPE_TEXT, const char *, .min = (min_), .max = (max_), \
              .check = (check_), .flags = (flags_), .doc = (doc_), .example = (example_))
#define FIELD_PATTERN(s, member, min_, max_, check_, pattern_, flags_, doc_, example_)    \
    FIELD_ROW(s, member, FIELD_TYPE_TEXT, const char *, .min = (min_), .max = (max_),     \
              .check = (check_), .pattern = (pattern_), .flags = (flags_), .doc = (doc_), \
              .example = (example_))
#define FIELD_KNOWN(s, member, min_, max_, known_, flags_, doc_, example_)            \
    FIELD_ROW(s, member, FIELD_TYPE_TEXT, const char *, .min = (min_), .max = (max_), \
              .known = (known_), .flags = (flags_), .doc = (doc_), .example = (example_))
#define FIELD_CHOICE(s, member, choices_, flags_, doc_, example_)                         \
    FIELD_ROW(s, member, FIELD_TYPE_TEXT, const char *, .max = 64, .choices = (choices_), \
              .flags = (flags_), .doc = (doc_), .example = (example_))
#define FIELD_ENUM(s, member, enum_, choices_, flags_, doc_, example_)                  \
    FIELD_ROW(s, member, FIELD_TYPE_ENUM, enum enum_, .max = 64, .choices = (choices_), \
              .flags = (flags_), .doc = (doc_), .example = (example_))
#define FIELD_HEADER_TEXT(s, member, header_, max_, ...)                                    \
    FIELD_ROW(s, member, FIELD_TYPE_TEXT, const char *, .header = (header_), .max = (max_), \
              .flags = FIELD_HEADER, FIELD_DOC("\"17\"", __VA_ARGS__))
/* `etag` becomes the ETag header of a read (R_ETAG); `ifMatch` is for etag_admits(). */
#define FIELD_ETAG(s)                                                                      \
    FIELD_ROW(s, etag, FIELD_TYPE_TEXT, const char *, .max = 256, .flags = FIELD_INTERNAL, \
              .doc = "State of what is read; sent as the ETag header.", .example = "\"17\"")
#define FIELD_IF_MATCH(s, what)                    \
    FIELD_HEADER_TEXT(s, ifMatch, "If-Match", 256, \
                      "ETag of " what " at your last read; 409 if another change came first.")
/* `ifNoneMatch` of a PUT that can create, for etag_check(). */
#define FIELD_IF_NONE_MATCH(s, what)                                                          \
    FIELD_HEADER_TEXT(s, ifNoneMatch, "If-None-Match", 256,                                   \
                      "`*` to create " what " but not replace it: 409 if it exists. With an " \
                      "ETag: 409 if that is its current state.")
#define FIELD_EMAIL(s, member, flags_, doc_, example_)                                            \
    FIELD_ROW(s, member, FIELD_TYPE_EMAIL, const char *, .min = 3, .max = 254, .flags = (flags_), \
              .doc = (doc_), .example = (example_))
/* Description and example of a row whose `...` is "description" or "description", "example". */
#define FIELD_DOC(usual, ...) \
    .doc = FIELD_FIRST(__VA_ARGS__, ~), .example = FIELD_SECOND(__VA_ARGS__, usual, ~)
#define FIELD_FIRST(first, ...) first
#define FIELD_SECOND(first, second, ...) second

#define FIELD_UUID(s, member, flags_, ...)                                \
    FIELD_ROW(s, member, FIELD_TYPE_UUID, struct uuid, .flags = (flags_), \
              FIELD_DOC("5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", __VA_ARGS__))
#define FIELD_INT(s, member, min_, max_, fallback_, flags_, doc_, example_)     \
    FIELD_ROW(s, member, FIELD_TYPE_INT, int64_t, .min = (min_), .max = (max_), \
              .fallback = (fallback_), .flags = (flags_), .doc = (doc_), .example = (example_))
#define FIELD_BOOL(s, member, fallback_, flags_, ...)                                       \
    FIELD_ROW(s, member, FIELD_TYPE_BOOL, bool, .fallback = (fallback_), .flags = (flags_), \
              FIELD_DOC("true", __VA_ARGS__))
#define FIELD_TRISTATE(s, member, flags_, ...)                                  \
    FIELD_ROW(s, member, FIELD_TYPE_TRISTATE, enum tristate, .flags = (flags_), \
              FIELD_DOC("true", __VA_ARGS__))
#define FIELD_TIME(s, member, flags_, ...)                            \
    FIELD_ROW(s, member, FIELD_TYPE_TIME, int64_t, .flags = (flags_), \
              FIELD_DOC("2026-01-31T09:30:00.000Z", __VA_ARGS__))
/* Without an example of its own, an object has that of its table. */
#define FIELD_OBJECT(s, member, type_, flags_, ...)                                        \
    FIELD_ROW(s, member, FIELD_TYPE_OBJECT, const struct type_ *, .table = &type_##_table, \
              .flags = (flags_), FIELD_DOC(NULL, __VA_ARGS__))
#define FIELD_OBJECTS(s, member, type_, max_items_, flags_, ...)                         \
    FIELD_ROW(s, member, FIELD_TYPE_OBJECTS, struct field_list, .table = &type_##_table, \
              .max_items = (max_items_), .flags = (flags_), FIELD_DOC(NULL, __VA_ARGS__))
#define FIELD_TEXTS(s, member, min_, max_, max_items_, flags_, doc_, example_)               \
    FIELD_ROW(s, member, FIELD_TYPE_TEXTS, struct field_texts, .min = (min_), .max = (max_), \
              .max_items = (max_items_), .flags = (flags_), .doc = (doc_), .example = (example_))
/* An optional list that must not be empty. */
#define FIELD_TEXTS_FILLED(s, member, min_, max_, max_items_, flags_, doc_, example_)          \
    FIELD_ROW(s, member, FIELD_TYPE_TEXTS, struct field_texts, .min = (min_), .max = (max_),   \
              .min_items = 1, .max_items = (max_items_), .flags = (flags_) | FIELD_OMIT_EMPTY, \
              .doc = (doc_), .example = (example_))
#define FIELD_BYTES(s, member, max_, flags_, doc_)                                               \
    FIELD_ROW(s, member, FIELD_TYPE_BYTES, struct field_bytes, .max = (max_), .flags = (flags_), \
              .doc = (doc_))
#define FIELD_JSON(s, member, max_, flags_, doc_, example_)                               \
    FIELD_ROW(s, member, FIELD_TYPE_JSON, const char *, .max = (max_), .flags = (flags_), \
              .doc = (doc_), .example = (example_))
#define FIELD_JSON_OBJECT(s, member, max_, flags_, doc_, example_)                               \
    FIELD_ROW(s, member, FIELD_TYPE_JSON_OBJECT, const char *, .max = (max_), .flags = (flags_), \
              .doc = (doc_), .example = (example_))

/* `absent_` is the JSON of an absent text or object that answers always have. */
#define FIELD_TEXT_OR(s, member, min_, max_, absent_, flags_, doc_, example_)         \
    FIELD_ROW(s, member, FIELD_TYPE_TEXT, const char *, .min = (min_), .max = (max_), \
              .absent = (absent_), .flags = (flags_), .doc = (doc_), .example = (example_))
#define FIELD_OBJECT_OR(s, member, type_, absent_, flags_, doc_)                           \
    FIELD_ROW(s, member, FIELD_TYPE_OBJECT, const struct type_ *, .table = &type_##_table, \
              .absent = (absent_), .flags = (flags_), .doc = (doc_))

/* An array of a table's objects or of texts, stored unchanged; a map of texts. */
#define FIELD_JSON_LIST(s, member, type_, max_, flags_, doc_, example_)                         \
    FIELD_ROW(s, member, FIELD_TYPE_JSON, const char *, .table = &type_##_table, .max = (max_), \
              .flags = (flags_), .doc = (doc_), .example = (example_))
#define FIELD_JSON_TEXTS(s, member, max_, flags_, doc_, example_)                        \
    FIELD_ROW(s, member, FIELD_TYPE_JSON, const char *, .of_texts = true, .max = (max_), \
              .flags = (flags_), .doc = (doc_), .example = (example_))
#define FIELD_JSON_MAP(s, member, max_, flags_, doc_, example_)                                 \
    FIELD_ROW(s, member, FIELD_TYPE_JSON_OBJECT, const char *, .of_texts = true, .max = (max_), \
              .flags = (flags_), .doc = (doc_), .example = (example_))

/* Number of rows, or a compile error when fields_pack() has too few bits. */
#define FIELD_COUNT(rows) \
    (ARRAY_SIZE(rows) + 0 * sizeof(char[ARRAY_SIZE(rows) <= FIELDS_MAX ? 1 : -1]))

#define FIELD_DECLARE(x) extern const struct field_table x##_table

#define FIELD_TABLE(x)                     \
    const struct field_table x##_table = { \
        .name = #x, .size = sizeof(struct x), .rows = x##_rows, .count = FIELD_COUNT(x##_rows)}

/* Table of an answer that has one of several shapes. FIELD_VARIANT() is the table of one such
 * shape, with struct s's rows. */
#define FIELD_TABLE_ONE_OF(x, ...)                                               \
    static const struct field_table *const x##_variants[] = {__VA_ARGS__, NULL}; \
    const struct field_table x##_table = {.name = #x,                            \
                                          .size = sizeof(struct x),              \
                                          .rows = x##_rows,                      \
                                          .count = FIELD_COUNT(x##_rows),        \
                                          .variants = x##_variants}
#define FIELD_VARIANT(x, s)                       \
    static const struct field_table x##_table = { \
        .name = #x, .size = sizeof(s), .rows = x##_rows, .count = FIELD_COUNT(x##_rows)}

struct nothing {
    char unused;
};
FIELD_DECLARE(nothing);

/* Sources of an input's values; path, query and header values are looked up by name. */
struct field_source {
    json_t *body; /* borrowed JSON object or NULL */
    const char *(*lookup)(const void *context, unsigned where,
                          const char *name); /* for FIELD_PATH, _QUERY, _HEADER */
    const void *context;
};

/* Reports all problems, then returns -1 (ERR_VALIDATION). Ignores unknown members. Texts are in
 * `arena`. */
int fields_read(const struct field_table *table, const struct field_source *source,
                struct arena *arena, void *out, struct error *err) MUST_USE;

/* Pack `in` without its absent members. fields_pack_more() leaves space for `more` further
 * members. */
void fields_pack(const struct field_table *table, const void *in, struct codec_buffer *out);
void fields_pack_more(const struct field_table *table, const void *in, size_t more,
                      struct codec_buffer *out);

/* Checks as fields_read() does, since other daemons are not trusted. Copies texts; BYTES point into
 * the map. */
int fields_unpack(const struct field_table *table, const msgpack_object *map, struct arena *arena,
                  void *out, struct error *err) MUST_USE;

/* Prints a fields_pack() map of this table (NULL: no members) in table order. A member of another
 * type is absent; FIELD_INTERNAL is left out. */
char *fields_print(const struct field_table *table, const msgpack_object *map, struct arena *arena,
                   size_t *ret_size);

/* Returns NULL if the struct has values that the bus rejects. */
char *fields_text(const struct field_table *table, const void *in, struct arena *arena);

json_t *fields_to_json(const struct field_table *table, const msgpack_object *map);

/* Use of a schema: answers always have some members, requests have defaults; FIELDS_EITHER is for
 * both. */
enum fields_way { FIELDS_REQUEST, FIELDS_ANSWER, FIELDS_EITHER };

/* Returns a JSON Schema (2020-12) of the body's members, nested tables as $ref
 * "#/components/schemas/<name>"; fields_row_schema() has parameters. Byte limits are in
 * "x-maxBytes" and the description, since maxLength is not enough. New references. */
json_t *fields_to_schema(const struct field_table *table, enum fields_way way);

/* Returns NULL for a body with members. */
const struct field *fields_body(const struct field_table *table);

const struct field *fields_find(const struct field_table *table, const char *name);

/* Returns the position from 1, a FIELD_TYPE_ENUM's value; 0 for NULL or another text. */
unsigned fields_choice(const char *const *choices, const char *text);

void fields_set_fallbacks(const struct field_table *table, void *ret);

json_t *fields_row_schema(const struct field *row, enum fields_way way);

/* Returns an example of the table's rows, without optional rows with a flag of `omit`. New
 * reference. */
json_t *fields_example(const struct field_table *table, unsigned omit);
json_t *fields_row_example(const struct field *row);

void fields_wipe(const struct field_table *table, void *in);

/* Returns the canonical form (FIELD_TYPE_EMAIL), or NULL for no email address. */
const char *fields_email(struct arena *arena, const char *text);

/* Returns lower-case IDNA 2008 ASCII without final dot; NULL for none, an IP address or a single
 * label. */
const char *fields_domain(struct arena *arena, const char *text);

struct field_texts field_texts_split(struct arena *arena, const char *list);

#endif
