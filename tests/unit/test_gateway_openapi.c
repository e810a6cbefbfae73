/*
 * test_gateway_openapi.c - the OpenAPI page holds together: every reference has its schema, every operation its
 * own id, every parameter of a path its description.
 */
#include <string.h>

#include "gateway/openapi.h"
#include "tests/unit/unit.h"

static struct arena *arena;
static struct openapi page;
static json_t *root, *schemas;

/* Calls for each "$ref" anywhere below. */
static void check_references(const json_t *json)
{
    static const char prefix[] = "#/components/schemas/";
    const char *key;
    json_t *value;
    size_t index;

    if (json_is_array(json))
        json_array_foreach(json, index, value) check_references(value);
    if (!json_is_object(json))
        return;
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        const char *text = json_string_value(value);

        if (text && strcmp(key, "$ref") == 0)
            UNIT_CHECK(strncmp(text, prefix, sizeof(prefix) - 1) == 0 &&
                           json_object_get(schemas, text + sizeof(prefix) - 1),
                       "%s", text);
        check_references(value);
    }
}

static void references_lead_somewhere(void)
{
    CU_ASSERT_TRUE(json_object_size(schemas) > 20);
    check_references(root);
}

static bool has_parameter(const json_t *operation, const char *name)
{
    const json_t *parameter;
    size_t index;

    json_array_foreach(json_object_get(operation, "parameters"), index,
                       parameter) if (strcmp(json_string_value(json_object_get(parameter, "name")),
                                             name) == 0) return true;
    return false;
}

static size_t count_path_parameters(const json_t *operation)
{
    const json_t *parameter;
    size_t index, count = 0;

    json_array_foreach(json_object_get(operation, "parameters"), index, parameter) count +=
        strcmp(json_string_value(json_object_get(parameter, "in")), "path") == 0;
    return count;
}

static void path_parameters_are_described(void)
{
    const char *path, *method;
    json_t *item, *operation;

    json_object_foreach(json_object_get(root, "paths"), path, item)
        json_object_foreach(item, method, operation)
    {
        size_t count = 0;

        for (const char *open = strchr(path, '{'); open; open = strchr(open + 1, '{')) {
            char *name = arena_strndup(arena, open + 1, strcspn(open + 1, "}"));

            UNIT_CHECK(has_parameter(operation, name), "%s %s: %s", method, path, name);
            count++;
        }
        UNIT_CHECK(count_path_parameters(operation) == count, "%s %s", method, path);
    }
}

static void operation_ids_are_unique(void)
{
    const char *path, *method;
    json_t *item, *operation, *seen = json_object();

    json_object_foreach(json_object_get(root, "paths"), path, item)
        json_object_foreach(item, method, operation)
    {
        const char *id = json_string_value(json_object_get(operation, "operationId"));

        UNIT_CHECK(id && !json_object_get(seen, id), "%s %s", method, path);
        json_object_set_new(seen, id, json_true());
    }
    json_decref(seen);
}

static void routes_say_what_they_do(void)
{
    size_t count;
    struct endpoint *all = routes_all(arena, &count);

    for (size_t i = 0; i < count; i++) {
        const char *since = all[i].route.since, *summary = all[i].route.summary;
        size_t length = strlen(summary);
        unsigned major, minor;

        UNIT_CHECK(length >= 8 && length <= 72 && summary[length - 1] != '.', "%s", summary);
        UNIT_CHECK(summary[0] >= 'A' && summary[0] <= 'Z', "%s", summary);
        UNIT_CHECK(sscanf(since, "%u.%u", &major, &minor) == 2, "%s", since);
    }
}

static void internal_operations_are_not_there(void)
{
    CU_ASSERT_PTR_NULL(strstr(page.text, "identity_get"));
    CU_ASSERT_PTR_NOT_NULL(strstr(page.text, "\"/auth/me\""));
    CU_ASSERT_EQUAL(strlen(page.text), page.size);
    CU_ASSERT_EQUAL(strlen(page.etag), 34);
}

static const struct unit_case cases[] = {
    {"references lead somewhere", references_lead_somewhere},
    {"path parameters are described", path_parameters_are_described},
    {"operation ids are unique", operation_ids_are_unique},
    {"routes say what they do", routes_say_what_they_do},
    {"internal operations are not there", internal_operations_are_not_there},
};

int main(void)
{
    size_t count;
    struct endpoint *all;
    int result;

    arena = arena_new();
    all = routes_all(arena, &count);
    openapi_build(&page, arena, all, count);
    root = json_loads(page.text, JSON_REJECT_DUPLICATES, NULL);
    schemas = json_object_get(json_object_get(root, "components"), "schemas");
    result = unit_run("gateway openapi", cases, ARRAY_SIZE(cases));
    json_decref(root);
    arena_destroy(&arena);
    return result;
}
