/* fields_read.c - JSON or msgpack as a checked struct. */
#include <errno.h>

#include "common/base/clock.h"
#include "common/wire/codec.h"
#include "common/wire/fields_value.h"

enum { EMAIL_RAW_MAX = 1024, PATH_MAX_SIZE = 256 };

/* The position in the input, formatted as "settings.0.name" only for problems. */
struct place {
    const struct place *parent;
    const char *name; /* NULL: list element */
    size_t index;
};

struct reader {
    struct arena *arena;
    struct error *err;
    const struct field_source *source; /* source of the outermost table; NULL: msgpack */
    bool failed;
};

static void read_table(struct reader *reader, const struct field_table *table,
                       const struct value *from, const struct place *parent, void *out);

/* ---- problems ---- */

static size_t render_place(const struct place *place, char *text, size_t size)
{
    size_t used = place->parent ? render_place(place->parent, text, size) : 0;
    const char *dot = used > 0 ? "." : "";
    int wrote;

    if (place->name)
        wrote = snprintf(text + used, size - used, "%s%s", dot, place->name);
    else
        wrote = snprintf(text + used, size - used, "%s%zu", dot, place->index);
    return MIN(used + (size_t)MAX(wrote, 0), size - 1);
}

static void PRINTF_LIKE(3, 4)
    problem(struct reader *reader, const struct place *place, const char *format, ...)
{
    char path[PATH_MAX_SIZE], what[256];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    render_place(place, path, sizeof(path));
    error_problem(reader->err, path, "%s", what);
    reader->failed = true;
}

/* ---- text ---- */

static bool check_length(struct reader *reader, const struct field *row, const struct value *value,
                         const struct place *place)
{
    size_t length =
        row->flags & FIELD_CHARACTERS ? codec_characters(value->text, value->size) : value->size;
    bool too_short = length < (size_t)row->min;
    int64_t bound = too_short ? row->min : row->max;
    const char *unit;

    if (!too_short && length <= (size_t)row->max)
        return true;
    unit = length == codec_characters(value->text, value->size) ? "character" : "byte";
    problem(reader, place, "must be at %s %jd %s%s", too_short ? "least" : "most", (intmax_t)bound,
            unit, bound == 1 ? "" : "s");
    return false;
}

static bool check_choice(struct reader *reader, const struct field *row, const char *text,
                         const struct place *place)
{
    const char *list = "";

    if (fields_choice(row->choices, text) > 0)
        return true;
    for (const char *const *choice = row->choices; *choice; choice++)
        list = arena_printf(reader->arena, "%s%s%s", list, *list ? ", " : "", *choice);
    problem(reader, place, "must be one of %s", list);
    return false;
}

static const char *read_text(struct reader *reader, const struct field *row,
                             const struct value *value, const struct place *place)
{
    char why[96] = "is not valid";
    const char *text;

    if (value->kind != VALUE_TEXT) {
        problem(reader, place, "must be a string");
        return NULL;
    }
    if (value->loose && !codec_is_text(value->text, value->size)) {
        problem(reader, place, "must be valid UTF-8");
        return NULL;
    }
    if (!check_length(reader, row, value, place))
        return NULL;
    text = arena_strndup(reader->arena, value->text, value->size);
    if (row->choices && !check_choice(reader, row, text, place))
        return NULL;
    if (row->check && row->check(text, why) < 0) {
        problem(reader, place, "%s", why);
        return NULL;
    }
    return text;
}

static const char *read_email(struct reader *reader, const struct value *value,
                              const struct place *place)
{
    const char *email = NULL;

    if (value->kind != VALUE_TEXT) {
        problem(reader, place, "must be a string");
        return NULL;
    }
    if (value->size <= EMAIL_RAW_MAX && codec_is_text(value->text, value->size))
        email = fields_email(reader->arena, arena_strndup(reader->arena, value->text, value->size));
    if (!email)
        problem(reader, place, "must be a valid e-mail address");
    return email;
}

static void read_uuid(struct reader *reader, const struct value *value, const struct place *place,
                      struct uuid *ret)
{
    char text[sizeof(ret->text)] = "";

    if (value->kind == VALUE_TEXT && value->size < sizeof(text))
        memcpy(text, value->text, value->size);
    if (uuid_parse(text, ret) < 0)
        problem(reader, place, "must be a UUID");
}

/* ---- numbers, booleans, times ---- */

static bool parse_int(const char *text, int64_t *ret)
{
    const char *digits = text + (*text == '-');
    char *end;
    long long number;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    number = strtoll(text, &end, 10);
    if (*end || errno)
        return false;
    *ret = number;
    return true;
}

static void read_int(struct reader *reader, const struct field *row, const struct value *value,
                     const struct place *place, int64_t *ret)
{
    bool bounded = row->min != 0 || row->max != 0;
    int64_t number = value->integer;

    if (value->kind != VALUE_INT && !(value->loose && parse_int(value->text, &number)))
        problem(reader, place, "must be an integer");
    else if (bounded && number < row->min)
        problem(reader, place, "must be at least %jd", (intmax_t)row->min);
    else if (bounded && number > row->max)
        problem(reader, place, "must be at most %jd", (intmax_t)row->max);
    else
        *ret = number;
}

static bool read_bool(struct reader *reader, const struct field *row, const struct value *value,
                      const struct place *place, bool *ret)
{
    bool spelt = value->kind == VALUE_TEXT && (value->loose || row->flags & FIELD_LOOSE_BOOL);
    bool is_true = spelt && value->size == 4 && memcmp(value->text, "true", 4) == 0;
    bool is_false = spelt && value->size == 5 && memcmp(value->text, "false", 5) == 0;

    if (value->kind != VALUE_BOOL && !is_true && !is_false) {
        problem(reader, place, "must be a boolean");
        return false;
    }
    *ret = value->kind == VALUE_BOOL ? value->boolean : is_true;
    return true;
}

/* Clients write text, daemons milliseconds. */
static void read_time(struct reader *reader, const struct value *value, const struct place *place,
                      int64_t *ret)
{
    char text[40] = "";
    int64_t ms = value->integer;
    bool read = value->packed && value->kind == VALUE_INT;

    if (!value->packed && value->kind == VALUE_TEXT && value->size < sizeof(text)) {
        memcpy(text, value->text, value->size);
        read = clock_parse_iso(text, &ms) == 0;
    }
    if (!read || ms < 0 || ms > VALUE_TIME_MAX)
        problem(reader, place, "must be a time in ISO 8601 form");
    else
        *ret = ms;
}

/* ---- JSON, bytes, lists, objects ---- */

/* Checks a daemon's JSON text without a tree: each request has a policy. */
static bool is_json(const struct value *value, bool object)
{
    const char *end = value->text + value->size, *first = value->text;

    while (first < end && strchr(" \t\n\r", *first) && *first != '\0')
        first++;
    return (!object || (first < end && *first == '{')) && codec_is_json(value->text, value->size);
}

static const char *read_json(struct reader *reader, const struct field *row,
                             const struct value *value, const struct place *place)
{
    bool object = row->type == FIELD_TYPE_JSON_OBJECT;
    const char *text;

    if (value->packed &&
        (value->kind != VALUE_JSON || value->size > (size_t)row->max || !is_json(value, object))) {
        problem(reader, place, object ? "must be a JSON object" : "must be JSON");
        return NULL;
    }
    if (value->packed)
        return arena_strndup(reader->arena, value->text, value->size);
    if (!value->json || (object && value->kind != VALUE_OBJECT)) {
        problem(reader, place, "must be an object");
        return NULL;
    }
    text = codec_dump_json(reader->arena, value->json);
    if (strlen(text) > (size_t)row->max) {
        problem(reader, place, "must be at most %jd bytes of JSON", (intmax_t)row->max);
        return NULL;
    }
    return text;
}

/* Copies nothing, because bytes can be many. */
static void read_bytes(struct reader *reader, const struct field *row, const struct value *value,
                       const struct place *place, struct field_bytes *ret)
{
    if (value->kind != VALUE_BYTES || value->size > (size_t)row->max) {
        problem(reader, place, "must be at most %jd bytes", (intmax_t)row->max);
        return;
    }
    ret->bytes = (const uint8_t *)value->text;
    ret->size = value->size;
}

static bool check_list(struct reader *reader, const struct field *row, const struct value *value,
                       const struct place *place)
{
    if (value->kind != VALUE_ARRAY)
        problem(reader, place, "must be an array");
    else if (value->size > row->max_items)
        problem(reader, place, "must have at most %zu items", row->max_items);
    else if (value->size < row->min_items)
        problem(reader, place, "must have at least %zu item%s", row->min_items,
                row->min_items == 1 ? "" : "s");
    else
        return value->size > 0;
    return false;
}

static void read_texts(struct reader *reader, const struct field *row, const struct value *value,
                       const struct place *parent, struct field_texts *ret)
{
    if (!check_list(reader, row, value, parent))
        return;
    ret->items = arena_calloc(reader->arena, value->size, sizeof(*ret->items));
    ret->count = value->size;
    for (size_t i = 0; i < value->size; i++) {
        struct value element = value_element(value, i);
        struct place place = {.parent = parent, .index = i};

        ret->items[i] = read_text(reader, row, &element, &place);
    }
}

static void read_objects(struct reader *reader, const struct field *row, const struct value *value,
                         const struct place *parent, struct field_list *ret)
{
    char *items;

    if (!check_list(reader, row, value, parent))
        return;
    items = arena_calloc(reader->arena, value->size, row->table->size);
    *ret = (struct field_list){items, value->size};
    for (size_t i = 0; i < value->size; i++) {
        struct value element = value_element(value, i);
        struct place place = {.parent = parent, .index = i};

        if (element.kind != VALUE_OBJECT)
            problem(reader, &place, "must be an object");
        else
            read_table(reader, row->table, &element, &place, items + i * row->table->size);
    }
}

/* Copies the pointer as bytes, since the member is `const struct x *` for any x. */
static void read_object(struct reader *reader, const struct field *row, const struct value *value,
                        const struct place *place, void *member)
{
    void *object;

    if (value->kind != VALUE_OBJECT) {
        problem(reader, place, "must be an object");
        return;
    }
    object = arena_alloc(reader->arena, row->table->size);
    read_table(reader, row->table, value, place, object);
    memcpy(member, &object, sizeof(object));
}

/* ---- rows ---- */

static void set_fallback(const struct field *row, void *member)
{
    if (row->type == FIELD_TYPE_INT)
        *(int64_t *)member = row->fallback;
    else if (row->type == FIELD_TYPE_BOOL)
        *(bool *)member = row->fallback != 0;
    else if (row->type == FIELD_TYPE_TRISTATE)
        *(enum tristate *)member = TRISTATE_UNSET;
}

static void read_member(struct reader *reader, const struct field *row, const struct value *value,
                        const struct place *place, void *member)
{
    bool yes;

    switch (row->type) {
    case FIELD_TYPE_TEXT:
        *(const char **)member = read_text(reader, row, value, place);
        break;
    case FIELD_TYPE_EMAIL:
        *(const char **)member = read_email(reader, value, place);
        break;
    case FIELD_TYPE_ENUM:
        *(unsigned *)member = fields_choice(row->choices, read_text(reader, row, value, place));
        break;
    case FIELD_TYPE_UUID:
        read_uuid(reader, value, place, member);
        break;
    case FIELD_TYPE_INT:
        read_int(reader, row, value, place, member);
        break;
    case FIELD_TYPE_BOOL:
        read_bool(reader, row, value, place, member);
        break;
    case FIELD_TYPE_TRISTATE:
        if (read_bool(reader, row, value, place, &yes))
            *(enum tristate *)member = yes ? TRISTATE_TRUE : TRISTATE_FALSE;
        break;
    case FIELD_TYPE_TIME:
        read_time(reader, value, place, member);
        break;
    case FIELD_TYPE_OBJECT:
        read_object(reader, row, value, place, member);
        break;
    case FIELD_TYPE_OBJECTS:
        read_objects(reader, row, value, place, member);
        break;
    case FIELD_TYPE_TEXTS:
        read_texts(reader, row, value, place, member);
        break;
    case FIELD_TYPE_BYTES:
        read_bytes(reader, row, value, place, member);
        break;
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        *(const char **)member = read_json(reader, row, value, place);
        break;
    }
}

/* Returns a row's value; FIELD_INTERNAL ones are always absent over HTTP. */
static struct value http_value(const struct field_source *source, json_t *object,
                               const struct field *row)
{
    unsigned where = row->flags & (FIELD_PATH | FIELD_QUERY | FIELD_HEADER);

    if (row->flags & FIELD_INTERNAL || row->type == FIELD_TYPE_BYTES)
        return (struct value){.kind = VALUE_ABSENT};
    if (row->flags & FIELD_BODY)
        return value_of_json(source->body);
    if (!where)
        return value_of_json(json_object_get(object, row->name));
    if (!source->lookup)
        return (struct value){.kind = VALUE_ABSENT};
    return value_of_text(
        source->lookup(source->context, where, where == FIELD_HEADER ? row->header : row->name));
}

void fields_set_fallbacks(const struct field_table *table, void *ret)
{
    for (size_t i = 0; i < table->count; i++)
        set_fallback(&table->rows[i], (char *)ret + table->rows[i].offset);
}

static void read_table(struct reader *reader, const struct field_table *table,
                       const struct value *from, const struct place *parent, void *out)
{
    uint32_t cursor = 0;

    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        struct place place = {.parent = parent,
                              .name = row->flags & FIELD_HEADER ? row->header : row->name};
        void *member = (char *)out + row->offset;
        struct value value;

        if (reader->source)
            value = http_value(reader->source, from->json, row);
        else
            value = value_of_packed(value_packed_member(from->packed, row, &cursor));
        set_fallback(row, member);
        if (value.kind == VALUE_NULL && row->flags & FIELD_NULL_ZERO)
            value = (struct value){.kind = VALUE_INT};
        if (value.kind == VALUE_NULL && row->flags & (FIELD_NULLABLE | FIELD_REQUIRED))
            value.kind = VALUE_ABSENT;
        if (value.kind != VALUE_ABSENT)
            read_member(reader, row, &value, &place, member);
        else if (row->flags & FIELD_REQUIRED)
            problem(reader, &place, "is required");
    }
}

int fields_read(const struct field_table *table, const struct field_source *source,
                struct arena *arena, void *out, struct error *err)
{
    struct reader reader = {.arena = arena, .err = err, .source = source};
    struct value from = value_of_json(source->body);

    memset(out, 0, table->size);
    read_table(&reader, table, &from, NULL, out);
    return reader.failed ? -1 : 0;
}

int fields_unpack(const struct field_table *table, const msgpack_object *map, struct arena *arena,
                  void *out, struct error *err)
{
    struct reader reader = {.arena = arena, .err = err};
    struct value from = value_of_packed(map);

    memset(out, 0, table->size);
    if (from.kind != VALUE_OBJECT && from.kind != VALUE_ABSENT)
        return error_set(err, ERR_BAD_REQUEST, "Malformed message: a map is expected.");
    read_table(&reader, table, &from, NULL, out);
    return reader.failed ? -1 : 0;
}
