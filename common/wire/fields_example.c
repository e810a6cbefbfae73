/* fields_example.c - a body made of a field table's examples, for the OpenAPI page. */

#include "common/wire/fields.h"

/* The example is written in the table as text; a list's is one of its items. */
static json_t *value_of(const struct field *row)
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

json_t *fields_row_example(const struct field *row)
{
    if (row->type == FIELD_TYPE_OBJECT)
        return fields_example(row->table);
    if (row->type == FIELD_TYPE_OBJECTS)
        return json_pack("[o]", fields_example(row->table));
    /* A row without an example, or with an empty one, has none: "" would be a bad one. */
    return row->example && row->example[0] ? value_of(row) : NULL;
}

json_t *fields_example(const struct field_table *table)
{
    const unsigned elsewhere = FIELD_PATH | FIELD_QUERY | FIELD_HEADER | FIELD_INTERNAL;
    const struct field *body = fields_body(table);
    json_t *example;

    if (body)
        return fields_row_example(body);
    if (table->variants)
        return fields_example(table->variants[0]);
    example = json_object();
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        json_t *value;

        if (row->flags & elsewhere || row->type == FIELD_TYPE_BYTES)
            continue;
        value = fields_row_example(row);
        if (value)
            json_object_set_new(example, row->name, value);
    }
    return example;
}
