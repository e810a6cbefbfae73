/* openapi_operation.c - see openapi_private.h. */
#include "gateway/endpoint/openapi_private.h"

#include <assert.h>

/* A shared input can have path members that this route's path lacks. */
static bool is_parameter(const struct route *route, const struct field *row)
{
    const char *found;

    if (row->flags & FIELD_UNLISTED)
        return false;
    if (!(row->flags & FIELD_PATH))
        return row->flags & (FIELD_QUERY | FIELD_HEADER);
    found = strstr(route->path, row->name);
    return found && found[-1] == '{' && found[strlen(row->name)] == '}';
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

/* The other fields stay untyped, because a type for them would also have to fit the file. */
static json_t *form_content(void)
{
    return json_pack("{s:{s:{s:s, s:s, s:[s], s:{s:{s:s, s:s, s:s}}, s:b}}}", "multipart/form-data",
                     "schema", "type", "object", "description",
                     "Every entry of uploadOptions.fields as a text, then the file.", "required",
                     "file", "properties", "file", "type", "string", "format", "binary",
                     "description", "The bytes, as the last field.", "additionalProperties", true);
}

/* PATCH always merges, so both media types mean the same (RFC 7396). */
static json_t *json_content(const struct route *route)
{
    json_t *content = openapi_json_content(route->input->name, fields_example(route->input));

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
                     form ? form_content() : json_content(route));
}

static const char *access_text(const struct route *route)
{
    if (route->flags & R_OPTIONAL_TOKEN)
        return "No token needed; one that is presented must be live and says who calls.";
    if (route->flags & R_KEY)
        return "For any signed-in user, and for API keys.";
    switch (route->access) {
    case ACCESS_PUBLIC:
        return "No token needed.";
    case ACCESS_PRACTITIONER:
        return "For practitioners.";
    case ACCESS_ADMIN:
        return "For practitioners who administer the project.";
    case ACCESS_LOGOUT:
        return "For any signed-in user; repeating it with the same token is fine.";
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
