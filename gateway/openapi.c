/*
 * openapi.c - writes the OpenAPI page from route rows and field tables.  Built once at start by gateway.c: the
 * page cannot differ from what is served, because both come from the same rows.
 */
#include <ctype.h>
#include <string.h>

#include <sodium.h>

#include "common/codec.h"
#include "gateway/exchange.h"
#include "gateway/openapi.h"

/* ---- schemas ---- */

static void add_schema(json_t *schemas, const struct field_table *table)
{
    if (json_object_get(schemas, table->name))
        return;
    json_object_set_new(schemas, table->name, fields_to_schema(table));
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].table && !(table->rows[i].flags & FIELD_INTERNAL))
            add_schema(schemas, table->rows[i].table);
}

/* Bytes of any kind. */
static json_t *file_content(void)
{
    return json_pack("{s:{s:{s:s, s:s}}}", "*/*", "schema", "type", "string", "format", "binary");
}

/* A form with fields that somebody gave, and the file. */
static json_t *form_content(void)
{
    return json_pack("{s:{s:{s:s, s:[s], s:{s:{s:s, s:s}}, s:{s:s}}}}", "multipart/form-data",
                     "schema", "type", "object", "required", "file", "properties", "file", "type",
                     "string", "format", "binary", "additionalProperties", "type", "string");
}

static json_t *schema_reference(const char *name)
{
    return json_pack("{s:{s:{s:s+}}}", "application/json", "schema", "$ref",
                     "#/components/schemas/", name);
}

/* The two bodies that every error has. */
static void add_error_schemas(json_t *schemas)
{
    json_object_set_new(schemas, "error",
                        json_pack("{s:s, s:[s,s], s:{s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}}}", "type",
                                  "object", "required", "statusCode", "message", "properties",
                                  "statusCode", "type", "integer", "message", "type", "string",
                                  "error", "type", "string", "code", "type", "string"));
    json_object_set_new(
        schemas, "validation_error",
        json_pack(
            "{s:s, s:[s,s], s:{s:{s:s}, s:{s:s, s:{s:s, s:[s,s], s:{s:{s:s, s:s}, s:{s:s}}}}, "
            "s:{s:s}, s:{s:s}}}",
            "type", "object", "required", "statusCode", "message", "properties", "statusCode",
            "type", "integer", "message", "type", "array", "items", "type", "object", "required",
            "path", "message", "properties", "path", "type", "string", "description",
            "Dotted path of the field", "message", "type", "string", "error", "type", "string",
            "code", "type", "string"));
}

/* ---- one operation ---- */

/* An input shared by several routes may have a path member that this path lacks. */
static bool is_parameter(const struct route *route, const struct field *row)
{
    const char *found;

    if (!(row->flags & FIELD_PATH))
        return row->flags & (FIELD_QUERY | FIELD_HEADER);
    found = strstr(route->path, row->name);
    return found && found[-1] == '{' && found[strlen(row->name)] == '}';
}

static json_t *parameters_json(const struct route *route)
{
    json_t *list = json_array();

    for (size_t i = 0; i < route->input->count; i++) {
        const struct field *row = &route->input->rows[i];
        bool path = row->flags & FIELD_PATH, header = row->flags & FIELD_HEADER;

        if (!is_parameter(route, row))
            continue;
        json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:o}", "name",
                                              header ? row->header : row->name, "in",
                                              path     ? "path"
                                              : header ? "header"
                                                       : "query",
                                              "required", path || (row->flags & FIELD_REQUIRED),
                                              "schema", fields_row_schema(row)));
    }
    return list;
}

/* The message of an example: of a 422 the list of problems, here with a field of this very input. */
static json_t *example_message(const struct route *route, int status)
{
    if (status != 422)
        return json_string(error_status_name(status));
    return json_pack("[{s:s, s:s}]", "path", route->input->rows[0].name, "message", "is required");
}

static void add_error_response(json_t *responses, const struct route *route, int status)
{
    char key[8];
    const char *name = error_status_name(status);
    json_t *content = schema_reference(status == 422 ? "validation_error" : "error");

    json_object_set_new(json_object_get(content, "application/json"), "example",
                        json_pack("{s:i, s:o, s:s}", "statusCode", status, "message",
                                  example_message(route, status), "error", name));
    snprintf(key, sizeof(key), "%d", status);
    json_object_set_new(responses, key,
                        json_pack("{s:s, s:o}", "description", name, "content", content));
}

/* What a route of this shape may answer besides success; what its subject adds is the daemon's to say. */
static void add_error_responses(json_t *responses, const struct endpoint *endpoint)
{
    const struct route *route = &endpoint->route;
    bool open = route->access == ACCESS_PUBLIC;
    const struct {
        bool applies;
        int status;
    } rows[] = {
        {true, 400},
        {true, 401}, /* of the open routes: a refresh token's */
        {route->access != ACCESS_LOGOUT, 403},
        {true, 404},
        {!open && route->access != ACCESS_LOGOUT && !(route->flags & R_SAFE), 409},
        {endpoint->takes_body, 413},
        {endpoint->takes_body || route->flags & R_FORM, 415},
        {route->flags & R_CONTENT, 416},
        {route->input->count > 0, 422},
        {open || route->flags & R_LIMITED, 429},
        {true, 500},
        {true, 503},
        {true, 504},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].applies)
            add_error_response(responses, route, rows[i].status);
}

/* A file may also be answered in part, or not at all when the client has it. */
static void add_file_responses(json_t *responses, json_t *success)
{
    json_object_set_new(success, "content", file_content());
    json_object_set_new(responses, "206",
                        json_pack("{s:s, s:o}", "description", "The range that was asked for",
                                  "content", file_content()));
    json_object_set_new(responses, "304", json_pack("{s:s}", "description", "Not modified"));
}

static json_t *responses_json(const struct endpoint *endpoint)
{
    const struct route *route = &endpoint->route;
    json_t *responses = json_object();
    json_t *success = json_pack("{s:s}", "description", "Done");

    if (route->flags & R_CONTENT)
        add_file_responses(responses, success);
    else if (!(route->flags & R_NO_CONTENT))
        json_object_set_new(success, "content", schema_reference(route->output->name));
    if (route->flags & (R_ETAG | R_CONTENT))
        json_object_set_new(success, "headers",
                            json_pack("{s:{s:{s:s}}}", "ETag", "schema", "type", "string"));
    json_object_set_new(responses, route->flags & R_NO_CONTENT ? "204" : "200", success);
    add_error_responses(responses, endpoint);
    return responses;
}

static const char *access_text(enum access access)
{
    switch (access) {
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

/* Unique also for the second path of an operation: "logout", "logout_v1_auth_logout". */
static char *operation_id(struct arena *arena, const struct route *route, const json_t *used)
{
    char *id = arena_strdup(arena, route->operation);

    if (json_object_get(used, id))
        id = arena_printf(arena, "%s%s", route->operation, route->path);
    for (char *c = id; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return id;
}

static json_t *operation_json(const struct endpoint *endpoint, const char *id)
{
    const struct route *route = &endpoint->route;
    json_t *operation =
        json_pack("{s:s, s:s, s:[s], s:s, s:o}", "operationId", id, "summary", route->summary,
                  "tags", route->service, "description", access_text(route->access), "responses",
                  responses_json(endpoint));
    json_t *parameters = parameters_json(route);

    if (json_array_size(parameters) > 0)
        json_object_set(operation, "parameters", parameters);
    json_decref(parameters);
    if (endpoint->takes_body)
        json_object_set_new(operation, "requestBody",
                            json_pack("{s:b, s:o}", "required", !(route->flags & R_OPTIONAL_BODY),
                                      "content", schema_reference(route->input->name)));
    if (route->flags & R_FORM)
        json_object_set_new(operation, "requestBody",
                            json_pack("{s:b, s:o}", "required", true, "content", form_content()));
    if (route->alias)
        json_object_set_new(operation, "deprecated", json_true());
    if (route->access != ACCESS_PUBLIC)
        json_object_set_new(operation, "security", json_pack("[{s:[]}]", "bearer"));
    return operation;
}

/* The gateway's own endpoints have neither input nor output tables. */
static json_t *own_operation_json(const struct endpoint *endpoint, const char *id)
{
    return json_pack("{s:s, s:[s], s:s, s:{s:{s:s}}}", "operationId", id, "tags", "gateway",
                     "description", endpoint->doc, "responses", "200", "description", "Done");
}

static void add_operation(json_t *paths, json_t *schemas, json_t *used, struct arena *arena,
                          const struct endpoint *endpoint)
{
    const struct route *route = &endpoint->route;
    json_t *path = json_object_get(paths, route->path);
    char *method = arena_strdup(arena, route->method);
    char *id = operation_id(arena, route, used);

    for (char *c = method; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (!path) {
        path = json_object();
        json_object_set_new(paths, route->path, path);
    }
    json_object_set_new(used, id, json_true());
    if (!route->input) {
        json_object_set_new(path, method, own_operation_json(endpoint, id));
        return;
    }
    json_object_set_new(path, method, operation_json(endpoint, id));
    if (endpoint->takes_body)
        add_schema(schemas, route->input);
    if (!(route->flags & (R_NO_CONTENT | R_CONTENT)))
        add_schema(schemas, route->output);
}

static void etag_fill(struct openapi *self)
{
    uint8_t hash[crypto_generichash_BYTES_MIN];
    char hex[2 * sizeof(hash) + 1];

    crypto_generichash(hash, sizeof(hash), (const uint8_t *)self->text, self->size, NULL, 0);
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    snprintf(self->etag, sizeof(self->etag), "\"%s\"", hex);
}

void openapi_build(struct openapi *self, struct arena *arena, const struct endpoint *endpoints,
                   size_t count)
{
    json_t *paths = json_object(), *schemas = json_object(), *used = json_object(), *page;

    add_error_schemas(schemas);
    for (size_t i = 0; i < count; i++)
        add_operation(paths, schemas, used, arena, &endpoints[i]);
    json_decref(used);
    /* The server is named relatively: whoever fetched the page knows its own way here. */
    page =
        json_pack("{s:s, s:{s:s, s:s}, s:[{s:s}], s:o, s:{s:o, s:{s:{s:s, s:s, s:s}}}}", "openapi",
                  "3.1.0", "info", "title", "Atrium", "version", ATRIUM_VERSION, "servers", "url",
                  "/", "paths", paths, "components", "schemas", schemas, "securitySchemes",
                  "bearer", "type", "http", "scheme", "bearer", "bearerFormat", "JWT");
    self->text = codec_dump_json(arena, page);
    self->size = strlen(self->text);
    json_decref(page);
    etag_fill(self);
}

void openapi_serve(struct exchange *exchange)
{
    const struct openapi *self = &exchange->gateway->openapi;
    const char *known = exchange->head.if_none_match;
    bool same = known && (strcmp(known, "*") == 0 || strstr(known, self->etag));
    struct answer answer = {.status = same ? 304 : 200, .cache = "no-cache", .etag = self->etag};

    if (!same) {
        answer.body = self->text;
        answer.size = self->size;
    }
    exchange_reply(exchange, &answer);
}
