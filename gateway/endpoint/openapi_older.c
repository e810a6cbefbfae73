/*
 * openapi_older.c - OpenAPI 3.1 as 3.0, for generators that do not know JSON Schema 2020-12.
 *
 * Converts the keywords that field tables use; see the differences in the announcement of 3.1.
 */
#include "gateway/endpoint/openapi_private.h"

static void convert(json_t *json);

static bool is_null_type(const json_t *schema)
{
    const char *type = json_string_value(json_object_get(schema, "type"));

    return type && strcmp(type, "null") == 0;
}

/* {"type": ["string", "null"]} to {"type": "string", "nullable": true} */
static void convert_type(json_t *schema)
{
    json_t *types = json_object_get(schema, "type");

    if (!json_is_array(types))
        return;
    json_object_set_new(schema, "nullable", json_true());
    json_object_set(schema, "type", json_array_get(types, 0)); /* frees the list */
}

/* Removes a final {"type": "null"} from "anyOf". If two or more others are left, the first becomes
 * nullable. If one is left, a $ref, it becomes a nullable object with that $ref in "allOf", because
 * "nullable" needs a type beside it. */
static void convert_any_of(json_t *schema)
{
    json_t *list = json_object_get(schema, "anyOf"), *first = json_array_get(list, 0);
    size_t last = json_array_size(list) - 1;

    if (!list || !is_null_type(json_array_get(list, last)))
        return;
    json_array_remove(list, last);
    if (last > 1) {
        json_object_set_new(first, "nullable", json_true());
        return;
    }
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "nullable", json_true());
    json_object_set(schema, "allOf", list);
    json_object_del(schema, "anyOf");
}

/* A $ref hides its neighbors in 3.0: {"$ref": r, "description": d} becomes an allOf with d. */
static void convert_reference(json_t *schema)
{
    json_t *reference = json_object_get(schema, "$ref");

    if (!reference || json_object_size(schema) == 1)
        return;
    json_object_set_new(schema, "allOf", json_pack("[{s:O}]", "$ref", reference));
    json_object_del(schema, "$ref");
}

static void convert_schema(json_t *schema)
{
    json_t *examples = json_object_get(schema, "examples");

    convert_type(schema);
    convert_any_of(schema);
    convert_reference(schema);
    if (json_is_array(examples)) { /* the examples of a media type are an object */
        json_object_set(schema, "example", json_array_get(examples, 0));
        json_object_del(schema, "examples");
    }
}

/* True for keys that contain values, which aren't schemas and stay as they are. */
static bool holds_values(const char *key)
{
    return strcmp(key, "example") == 0 || strcmp(key, "examples") == 0 ||
           strcmp(key, "enum") == 0 || strcmp(key, "default") == 0;
}

static void convert_each(json_t *json)
{
    const char *key;
    json_t *value;

    json_object_foreach(json, key, value) convert(value);
}

static void convert(json_t *json)
{
    const char *key;
    json_t *value;
    size_t i;

    json_array_foreach(json, i, value) convert(value);
    if (!json_is_object(json))
        return;
    convert_schema(json);
    json_object_foreach(json, key, value)
    {
        if (strcmp(key, "properties") == 0)
            convert_each(value); /* its keys are names, such as "example" */
        else if (!holds_values(key))
            convert(value);
    }
}

void openapi_make_older(json_t *root)
{
    json_t *info = json_object_get(root, "info");
    json_t *license = json_object_get(info, "license");

    json_object_set_new(root, "openapi", json_string("3.0.3"));
    json_object_del(info, "summary");
    json_object_del(license, "identifier");
    json_object_set_new(license, "url", json_string("https://www.apache.org/licenses/LICENSE-2.0"));
    convert(json_object_get(root, "paths"));
    convert_each(json_object_get(json_object_get(root, "components"), "schemas"));
    convert_each(json_object_get(json_object_get(root, "components"), "responses"));
    convert_each(json_object_get(json_object_get(root, "components"), "headers"));
}
