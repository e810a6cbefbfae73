/* openapi_operation.c - see openapi_private.h. */
#include "gateway/endpoint/openapi_private.h"

#include <assert.h>

/* True for a parameter of this route: a shared input can have path members that this route's path
 * lacks. */
static bool is_parameter(const struct route *route, const struct field *row)
{
    size_t length = strlen(row->name);

    if (row->flags & FIELD_UNLISTED)
        return false;
    if (!(row->flags & FIELD_PATH))
        return row->flags & (FIELD_QUERY | FIELD_HEADER);
    for (const char *open = strchr(route->path, '{'); open; open = strchr(open + 1, '{'))
        if (strncmp(open + 1, row->name, length) == 0 && open[1 + length] == '}')
            return true;
    return false;
}

static json_t *parameter_json(const struct field *row)
{
    bool path = row->flags & FIELD_PATH, header = row->flags & FIELD_HEADER;
    json_t *schema = fields_row_schema(row, FIELDS_REQUEST);
    json_t *parameter =
        json_pack("{s:s, s:s, s:b, s:O}", "name", header ? row->header : row->name, "in",
                  path     ? "path"
                  : header ? "header"
                           : "query",
                  "required", path || (row->flags & FIELD_REQUIRED), "description",
                  json_object_get(schema, "description"));
    json_t *example = fields_row_example(row);

    json_object_del(schema, "description");
    json_object_del(schema, "examples");
    json_object_set_new(parameter, "schema", schema);
    if (example)
        json_object_set_new(parameter, "example", example);
    return parameter;
}

static json_t *parameters_json(const struct route *route)
{
    json_t *list = json_array();

    for (size_t i = 0; i < route->input->count; i++)
        if (is_parameter(route, &route->input->rows[i]))
            json_array_append_new(list, parameter_json(&route->input->rows[i]));
    return list;
}

/* Describes a form with a file. The other fields stay untyped, because a type for them would also
 * have to fit the file. */
static json_t *form_content(void)
{
    return json_pack("{s:{s:{s:s, s:s, s:[s], s:{s:{s:s, s:s, s:s}}, s:b}}}", "multipart/form-data",
                     "schema", "type", "object", "description",
                     "Every entry of `uploadOptions.fields` as a text, then the file.", "required",
                     "file", "properties", "file", "type", "string", "format", "binary",
                     "description", "The file, as the last field.", "additionalProperties", true);
}

/* RFC 7396, section 2. */
static void merge_patch(json_t *target, const json_t *patch)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)patch, key, value)
    {
        if (json_is_null(value))
            json_object_del(target, key);
        else if (json_is_object(value) && json_is_object(json_object_get(target, key)))
            merge_patch(json_object_get(target, key), value);
        else
            json_object_set(target, key, value);
    }
}

json_t *openapi_example(const struct field_table *table, unsigned omit, const char *patch,
                        const char *variant)
{
    json_t *example = fields_example(table, omit);
    json_t *root = patch ? json_loads(patch, 0, NULL) : NULL;

    assert(!patch || root);
    merge_patch(example, variant ? json_object_get(root, variant) : root);
    json_decref(root);
    return example;
}

/* Describes a JSON body. PATCH always merges, so both media types mean the same (RFC 7396). */
static json_t *json_content(const struct endpoint *endpoint)
{
    const struct route *route = &endpoint->route;
    const char *patch = endpoint->example ? endpoint->example->input : NULL;
    json_t *content =
        openapi_json_content(route->input->name, openapi_example(route->input, 0, patch, NULL));

    if (strcmp(route->method, "PATCH") == 0)
        json_object_set(content, "application/merge-patch+json",
                        json_object_get(content, "application/json"));
    return content;
}

static json_t *body_json(const struct endpoint *endpoint)
{
    const struct route *route = &endpoint->route;
    bool form = route->flags & R_FORM;

    if (!form && !endpoint->takes_body)
        return NULL;
    assert(form || route->input);
    return json_pack("{s:b, s:o}", "required", !(route->flags & R_OPTIONAL_BODY), "content",
                     form ? form_content() : json_content(endpoint));
}

static const char *access_text(const struct route *route)
{
    if (route->flags & R_OPTIONAL_TOKEN)
        return "No token needed. If you send one, it must be valid.";
    if (route->flags & R_KEY)
        return "For any signed-in user, and for API keys.";
    switch (route->access) {
    case ACCESS_PUBLIC:
        return "No token needed.";
    case ACCESS_PRACTITIONER:
        return "For practitioners.";
    case ACCESS_ADMIN:
        return "For admins of the project.";
    case ACCESS_LOGOUT:
        return "For any signed-in user. You can repeat the request with the same token.";
    default:
        return "For any signed-in user.";
    }
}

static json_t *security_json(const struct route *route)
{
    if (route->flags & R_OPTIONAL_TOKEN)
        return json_pack("[{}, {s:[]}]", "bearer");
    if (route->flags & R_KEY)
        return json_pack("[{s:[]}, {s:[]}]", "bearer", "apiKey");
    return route->access == ACCESS_PUBLIC ? json_array() : json_pack("[{s:[]}]", "bearer");
}

json_t *openapi_operation(const struct endpoint *endpoint, const char *id, struct arena *arena,
                          json_t *shared)
{
    const struct route *route = &endpoint->route;
    const char *description =
        arena_printf(arena, "%s\n\n%s", endpoint->doc->description, access_text(route));
    json_t *operation =
        json_pack("{s:s, s:s, s:s, s:[s], s:s, s:o}", "operationId", id, "summary", route->summary,
                  "description", description, "tags", endpoint->doc->tag, "x-since", route->since,
                  "security", security_json(route));
    json_t *parameters = route->input ? parameters_json(route) : json_array();
    json_t *body = body_json(endpoint);

    if (route->alias)
        json_object_set_new(operation, "deprecated", json_true());
    if (json_array_size(parameters) > 0)
        json_object_set(operation, "parameters", parameters);
    json_decref(parameters);
    if (body)
        json_object_set_new(operation, "requestBody", body);
    json_object_set_new(operation, "responses", openapi_responses(endpoint, arena, shared));
    return operation;
}
