/*
 * fields_schema.c - a field table as a JSON Schema (2020-12), for the OpenAPI page.
 *
 * Called by the gateway once, when it writes /openapi.json.
 */
#include <stdlib.h>
#include <string.h>

#include "common/fields.h"

static const char *type_name(enum field_type type)
{
    switch (type) {
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
    case FIELD_TYPE_OBJECT:
        return NULL; /* anything; or named by its $ref */
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

/* The example is written in the table as text; a list's is one of its items. */
static json_t *example_of(const struct field *row)
{
    switch (row->type) {
    case FIELD_TYPE_INT:
        return json_integer(strtoll(row->example, NULL, 10));
    case FIELD_TYPE_BOOL:
    case FIELD_TYPE_TRISTATE:
        return json_boolean(strcmp(row->example, "true") == 0);
    case FIELD_TYPE_TEXTS:
        return json_pack("[s]", row->example);
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        return json_loads(row->example, JSON_DECODE_ANY, NULL);
    default:
        return json_string(row->example);
    }
}

static void add_text_bounds(json_t *schema, const struct field *row)
{
    if (row->min > 0)
        json_object_set_new(schema, "minLength", json_integer(row->min));
    if (row->max > 0)
        json_object_set_new(schema, "maxLength", json_integer(row->max));
}

static void add_bounds(json_t *schema, const struct field *row)
{
    bool int_bounded = row->type == FIELD_TYPE_INT && (row->min != 0 || row->max != 0);

    if ((row->type == FIELD_TYPE_TEXT && !row->choices) || row->type == FIELD_TYPE_EMAIL)
        add_text_bounds(schema, row);
    if (int_bounded && row->min > INT64_MIN)
        json_object_set_new(schema, "minimum", json_integer(row->min));
    if (int_bounded && row->max < INT64_MAX)
        json_object_set_new(schema, "maximum", json_integer(row->max));
    if (row->min_items > 0)
        json_object_set_new(schema, "minItems", json_integer((json_int_t)row->min_items));
    if (row->max_items > 0)
        json_object_set_new(schema, "maxItems", json_integer((json_int_t)row->max_items));
}

static void add_choices(json_t *schema, const struct field *row)
{
    json_t *list;

    if (!row->choices)
        return;
    list = json_array();
    for (const char *const *choice = row->choices; *choice; choice++)
        json_array_append_new(list, json_string(*choice));
    if (row->flags & FIELD_NULLABLE)
        json_array_append_new(list, json_null());
    json_object_set_new(schema, "enum", list);
}

static void add_items(json_t *schema, const struct field *row)
{
    json_t *items;

    if (row->type == FIELD_TYPE_OBJECTS) {
        json_object_set_new(schema, "items", reference_to(row->table));
    } else if (row->type == FIELD_TYPE_TEXTS) {
        items = json_pack("{s:s}", "type", "string");
        add_text_bounds(items, row);
        json_object_set_new(schema, "items", items);
    }
}

/* What the service takes when a client says nothing. */
static void add_default(json_t *schema, const struct field *row)
{
    if (row->flags & (FIELD_REQUIRED | FIELD_OMIT_ZERO | FIELD_OMIT_NEGATIVE))
        return;
    if (row->type == FIELD_TYPE_INT)
        json_object_set_new(schema, "default", json_integer(row->fallback));
    else if (row->type == FIELD_TYPE_BOOL)
        json_object_set_new(schema, "default", json_boolean(row->fallback != 0));
}

/* One object by $ref, which may be null as one of two possibilities only. */
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

json_t *fields_row_schema(const struct field *row)
{
    json_t *schema = json_object();
    const char *type = type_name(row->type), *format = format_name(row->type);
    json_t *example = NULL;

    if (type && row->flags & (FIELD_NULLABLE | FIELD_NULL_ZERO))
        json_object_set_new(schema, "type", json_pack("[s, s]", type, "null"));
    else if (type)
        json_object_set_new(schema, "type", json_string(type));
    if (format)
        json_object_set_new(schema, "format", json_string(format));
    add_object(schema, row);
    add_items(schema, row);
    add_choices(schema, row);
    add_bounds(schema, row);
    add_default(schema, row);
    if (row->doc)
        json_object_set_new(schema, "description", json_string(row->doc));
    if (row->example && !(row->flags & FIELD_SECRET))
        example = example_of(row);
    if (example)
        json_object_set_new(schema, "examples", json_pack("[o]", example));
    return schema;
}

json_t *fields_to_schema(const struct field_table *table)
{
    const struct field *body = fields_body(table);
    json_t *properties, *required, *schema;

    if (body)
        return fields_row_schema(body);
    properties = json_object();
    required = json_array();
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];

        if (row->flags & (FIELD_PATH | FIELD_QUERY | FIELD_HEADER | FIELD_INTERNAL) ||
            row->type == FIELD_TYPE_BYTES)
            continue;
        json_object_set_new(properties, row->name, fields_row_schema(row));
        if (row->flags & FIELD_REQUIRED)
            json_array_append_new(required, json_string(row->name));
    }
    schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);
    if (json_array_size(required) > 0)
        json_object_set(schema, "required", required);
    json_decref(required);
    return schema;
}
