/* fields_schema.c - field tables as JSON Schema (2020-12) and examples for OpenAPI. */
#include "common/wire/fields.h"

/* ---- examples ---- */

/* An example is text in the table: "null" for none, one item for a list. */
static json_t *value_of(const struct field *row)
{
    if (row->flags & FIELD_NULLABLE && strcmp(row->example, "null") == 0)
        return json_null();
    switch (row->type) {
    case FIELD_TYPE_INT:
        return json_integer(strtoll(row->example, NULL, 10));
    case FIELD_TYPE_BOOL:
    case FIELD_TYPE_TRISTATE:
        return json_boolean(strcmp(row->example, "true") == 0);
    case FIELD_TYPE_TEXTS:
        return json_pack("[s]", row->example);
    case FIELD_TYPE_OBJECT:
    case FIELD_TYPE_OBJECTS:
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        return json_loads(row->example, JSON_DECODE_ANY, NULL);
    default:
        return json_string(row->example);
    }
}

static json_t *row_example(const struct field *row, unsigned omit)
{
    if (row->type == FIELD_TYPE_OBJECT && !row->example)
        return fields_example(row->table, omit);
    if (row->type == FIELD_TYPE_OBJECTS && !row->example)
        return json_pack("[o]", fields_example(row->table, omit));
    /* An empty example text means no example. */
    return row->example && row->example[0] ? value_of(row) : NULL;
}

json_t *fields_row_example(const struct field *row)
{
    return row_example(row, 0);
}

json_t *fields_example(const struct field_table *table, unsigned omit)
{
    const unsigned elsewhere = FIELD_PATH | FIELD_QUERY | FIELD_HEADER | FIELD_INTERNAL;
    const struct field *body = fields_body(table);
    json_t *example;

    if (body)
        return row_example(body, omit);
    if (table->variants)
        return fields_example(table->variants[0], omit);
    example = json_object();
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        json_t *value;

        if (row->flags & elsewhere || row->type == FIELD_TYPE_BYTES ||
            (row->flags & omit && !(row->flags & FIELD_REQUIRED)))
            continue;
        value = row_example(row, omit);
        if (value)
            json_object_set_new(example, row->name, value);
    }
    return example;
}

/* ---- schemas ---- */

static const char *type_name(const struct field *row)
{
    switch (row->type) {
    case FIELD_TYPE_INT:
        return "integer";
    case FIELD_TYPE_BOOL:
    case FIELD_TYPE_TRISTATE:
        return "boolean";
    case FIELD_TYPE_OBJECTS:
    case FIELD_TYPE_TEXTS:
        return "array";
    case FIELD_TYPE_JSON_OBJECT:
        return "object";
    case FIELD_TYPE_JSON:
        return row->table || row->of_texts ? "array" : NULL; /* otherwise any type */
    case FIELD_TYPE_OBJECT:
        return NULL;
    default:
        return "string";
    }
}

static const char *format_name(enum field_type type)
{
    switch (type) {
    case FIELD_TYPE_EMAIL:
        return "email";
    case FIELD_TYPE_UUID:
        return "uuid";
    case FIELD_TYPE_TIME:
        return "date-time";
    case FIELD_TYPE_INT:
        return "int64";
    default:
        return NULL;
    }
}

static json_t *reference_to(const struct field_table *table)
{
    return json_pack("{s:s+}", "$ref", "#/components/schemas/", table->name);
}

/* ---- bounds ---- */

/* True for text without pattern or choices, whose limits are in bytes. */
static bool counts_bytes(const struct field *row)
{
    bool text = row->type == FIELD_TYPE_TEXT || row->type == FIELD_TYPE_TEXTS ||
                row->type == FIELD_TYPE_EMAIL;
    bool json = row->type == FIELD_TYPE_JSON || row->type == FIELD_TYPE_JSON_OBJECT;

    return row->max > 0 &&
           (json || (text && !(row->flags & FIELD_CHARACTERS) && !row->pattern && !row->choices));
}

/* A character has one to four bytes: n bytes are n / 4 to n characters. */
static void add_text_bounds(json_t *schema, const struct field *row)
{
    int64_t min = counts_bytes(row) ? (row->min + 3) / 4 : row->min;

    if (min > 0)
        json_object_set_new(schema, "minLength", json_integer(min));
    if (row->max > 0)
        json_object_set_new(schema, "maxLength", json_integer(row->max));
    if (row->pattern)
        json_object_set_new(schema, "pattern", json_string(row->pattern));
}

static void add_bounds(json_t *schema, const struct field *row, enum fields_way way)
{
    bool int_bounded = row->type == FIELD_TYPE_INT && (row->min != 0 || row->max != 0);

    if ((row->type == FIELD_TYPE_TEXT && !row->choices && !row->known) ||
        row->type == FIELD_TYPE_EMAIL)
        add_text_bounds(schema, row);
    if (int_bounded && row->min > INT64_MIN)
        json_object_set_new(schema, "minimum", json_integer(row->min));
    if (int_bounded && row->max < INT64_MAX)
        json_object_set_new(schema, "maximum", json_integer(row->max));
    if (row->min_items > 0)
        json_object_set_new(schema, "minItems", json_integer((json_int_t)row->min_items));
    if (row->max_items > 0)
        json_object_set_new(schema, "maxItems", json_integer((json_int_t)row->max_items));
    if (way == FIELDS_REQUEST && counts_bytes(row) && !row->known)
        json_object_set_new(schema, "x-maxBytes", json_integer(row->max));
}

/* ---- values ---- */

static void add_choices(json_t *schema, const struct field *row)
{
    const char *const *choice = row->choices ? row->choices : row->known;
    json_t *list;

    if (!choice || row->type == FIELD_TYPE_TEXTS)
        return;
    list = json_array();
    for (; *choice; choice++)
        json_array_append_new(list, json_string(*choice));
    if (row->flags & FIELD_NULLABLE)
        json_array_append_new(list, json_null());
    json_object_set_new(schema, "enum", list);
}

static json_t *text_items(const struct field *row)
{
    json_t *items = json_pack("{s:s}", "type", "string");
    json_t *list;

    if (!row->choices) {
        if (row->type == FIELD_TYPE_TEXTS)
            add_text_bounds(items, row);
        return items;
    }
    list = json_array();
    for (const char *const *choice = row->choices; *choice; choice++)
        json_array_append_new(list, json_string(*choice));
    json_object_set_new(items, "enum", list);
    return items;
}

static void add_items(json_t *schema, const struct field *row)
{
    if (row->type == FIELD_TYPE_JSON_OBJECT)
        json_object_set_new(schema, "additionalProperties",
                            row->of_texts ? text_items(row) : json_true());
    else if (row->type == FIELD_TYPE_TEXTS || (row->type == FIELD_TYPE_JSON && row->of_texts))
        json_object_set_new(schema, "items", text_items(row));
    else if (row->table && row->type != FIELD_TYPE_OBJECT)
        json_object_set_new(schema, "items", reference_to(row->table));
}

static void add_default(json_t *schema, const struct field *row, enum fields_way way)
{
    if (way != FIELDS_REQUEST ||
        row->flags & (FIELD_REQUIRED | FIELD_OMIT_ZERO | FIELD_OMIT_NEGATIVE))
        return;
    if (row->type == FIELD_TYPE_INT)
        json_object_set_new(schema, "default", json_integer(row->fallback));
    else if (row->type == FIELD_TYPE_BOOL)
        json_object_set_new(schema, "default", json_boolean(row->fallback != 0));
}

/* Writes a $ref, with null only as one of two possibilities. */
static void add_object(json_t *schema, const struct field *row)
{
    if (row->type != FIELD_TYPE_OBJECT)
        return;
    if (row->flags & FIELD_NULLABLE)
        json_object_set_new(schema, "anyOf",
                            json_pack("[o, {s:s}]", reference_to(row->table), "type", "null"));
    else
        json_object_update_new(schema, reference_to(row->table));
}

static void add_loose_bool(json_t *schema, const struct field *row)
{
    json_t *list = json_pack("[{s:s}, {s:s, s:[s, s]}]", "type", "boolean", "type", "string",
                             "enum", "true", "false");

    if (row->flags & FIELD_NULLABLE)
        json_array_append_new(list, json_pack("{s:s}", "type", "null"));
    json_object_set_new(schema, "anyOf", list);
}

static void add_type(json_t *schema, const struct field *row)
{
    const char *type = type_name(row), *format = format_name(row->type);

    if (row->flags & FIELD_LOOSE_BOOL)
        add_loose_bool(schema, row);
    else if (type && row->flags & (FIELD_NULLABLE | FIELD_NULL_ZERO))
        json_object_set_new(schema, "type", json_pack("[s, s]", type, "null"));
    else if (type)
        json_object_set_new(schema, "type", json_string(type));
    if (format)
        json_object_set_new(schema, "format", json_string(format));
}

static void add_description(json_t *schema, const struct field *row)
{
    json_t *bytes = json_object_get(schema, "x-maxBytes");
    const char *unit = row->type == FIELD_TYPE_TEXT || row->type == FIELD_TYPE_EMAIL ? "of UTF-8"
                       : row->type == FIELD_TYPE_TEXTS ? "of UTF-8 each"
                                                       : "of compact JSON";

    if (row->doc && bytes)
        json_object_set_new(schema, "description",
                            json_sprintf("%s At most %lld bytes %s.", row->doc,
                                         (long long)json_integer_value(bytes), unit));
    else if (row->doc)
        json_object_set_new(schema, "description", json_string(row->doc));
}

json_t *fields_row_schema(const struct field *row, enum fields_way way)
{
    json_t *schema = json_object(), *example = NULL;

    add_type(schema, row);
    add_object(schema, row);
    add_items(schema, row);
    add_choices(schema, row);
    add_bounds(schema, row, way);
    add_default(schema, row, way);
    add_description(schema, row);
    if (row->type != FIELD_TYPE_OBJECT && row->type != FIELD_TYPE_OBJECTS)
        example = fields_row_example(row);
    if (example)
        json_object_set_new(schema, "examples", json_pack("[o]", example));
    return schema;
}

/* ---- objects ---- */

static bool is_always_answered(const struct field *row)
{
    switch (row->type) {
    case FIELD_TYPE_BOOL:
        return true;
    case FIELD_TYPE_INT:
        return !(row->flags & (FIELD_OMIT_ZERO | FIELD_OMIT_NEGATIVE)) ||
               row->flags & (FIELD_NULLABLE | FIELD_NULL_ZERO);
    case FIELD_TYPE_OBJECTS:
    case FIELD_TYPE_TEXTS:
        return !(row->flags & FIELD_OMIT_EMPTY);
    default:
        return row->absent || row->flags & FIELD_NULLABLE;
    }
}

static json_t *one_of(const struct field_table *const *variants)
{
    json_t *list = json_array();

    for (; *variants; variants++)
        json_array_append_new(list, reference_to(*variants));
    return json_pack("{s:o}", "oneOf", list);
}

json_t *fields_to_schema(const struct field_table *table, enum fields_way way)
{
    const struct field *body = fields_body(table);
    json_t *properties, *required, *schema;

    if (body)
        return fields_row_schema(body, way);
    if (table->variants)
        return one_of(table->variants);
    properties = json_object();
    required = json_array();
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];

        if (row->flags & (FIELD_PATH | FIELD_QUERY | FIELD_HEADER | FIELD_INTERNAL) ||
            row->type == FIELD_TYPE_BYTES)
            continue;
        json_object_set_new(properties, row->name, fields_row_schema(row, way));
        if (row->flags & FIELD_REQUIRED || (way == FIELDS_ANSWER && is_always_answered(row)))
            json_array_append_new(required, json_string(row->name));
    }
    schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);
    if (json_array_size(required) > 0)
        json_object_set(schema, "required", required);
    json_decref(required);
    return schema;
}
