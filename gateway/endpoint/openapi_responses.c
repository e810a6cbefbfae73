/* openapi_responses.c - see openapi_private.h. Shared errors appear once. */
#include "gateway/endpoint/openapi_private.h"

#include <ctype.h>

#define REQUEST_ID "X-Request-Id"

json_t *openapi_json_content(const char *schema, json_t *example)
{
    json_t *media = json_pack("{s:{s:s+}}", "schema", "$ref", "#/components/schemas/", schema);

    if (example)
        json_object_set_new(media, "example", example);
    return json_pack("{s:o}", "application/json", media);
}

static const struct {
    const char *name, *type, *description, *example;
} headers[] = {
    {REQUEST_ID, "string", "ID of the request in the operator's logs.",
     "4bf92f3577b34da6a3ce929d0e0e4736"},
    {"ETag", "string", "Version of the resource; send it as `If-Match` or `If-None-Match`.",
     "\"17\""},
    {"Retry-After", "integer", "Seconds to wait before you retry.", "30"},
    {"RateLimit-Limit", "integer", "Requests allowed per window.", "5"},
    {"RateLimit-Remaining", "integer", "Requests left in this window.", "0"},
    {"RateLimit-Reset", "integer", "Seconds until the window ends.", "30"},
    {"WWW-Authenticate", "string", "How to authenticate (RFC 6750, RFC 9470).", "Bearer"},
    {"Content-Range", "string", "Range of bytes in the response, and the file's size.",
     "bytes 0-499/48213"},
    {"Accept-Ranges", "string", "Always `bytes`: range requests are supported.", "bytes"},
    {"Content-Disposition", "string", "File name.", "inline; filename=\"x-ray.png\""},
};

json_t *openapi_headers(void)
{
    json_t *all = json_object();

    for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
        bool number = strcmp(headers[i].type, "integer") == 0;
        json_t *example = number ? json_integer(strtol(headers[i].example, NULL, 10))
                                 : json_string(headers[i].example);

        json_object_set_new(all, headers[i].name,
                            json_pack("{s:s, s:{s:s}, s:o}", "description", headers[i].description,
                                      "schema", "type", headers[i].type, "example", example));
    }
    return all;
}

static void add_header(json_t *response, const char *name)
{
    json_t *list = json_object_get(response, "headers");

    if (!list) {
        list = json_object();
        json_object_set_new(response, "headers", list);
    }
    json_object_set_new(list, name, json_pack("{s:s+}", "$ref", "#/components/headers/", name));
}

static void add_error_headers(json_t *response, int status)
{
    static const struct {
        int status;
        const char *name;
    } rows[] = {
        {401, "WWW-Authenticate"},    {429, "Retry-After"},     {429, "RateLimit-Limit"},
        {429, "RateLimit-Remaining"}, {429, "RateLimit-Reset"}, {503, "Retry-After"},
    };

    add_header(response, REQUEST_ID);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].status == status)
            add_header(response, rows[i].name);
}

static void add_limit_headers(json_t *response)
{
    static const char *const names[] = {"RateLimit-Limit", "RateLimit-Remaining",
                                        "RateLimit-Reset"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        add_header(response, names[i]);
}

/* Codes with which an operation answers a status. */
struct codes {
    int status;
    size_t count;
    enum error_code list[ROUTE_CODES_MAX + 2];
};

static json_t *shown_codes(void)
{
    json_t *list = json_array();

    for (int code = ERR_NONE + 1; code < ERROR_CODE_COUNT; code++)
        if (error_kind((enum error_code)code)->shown)
            json_array_append_new(list, json_string(error_kind((enum error_code)code)->wire));
    return list;
}

/* Consumes `message`, the schema of the error's message. */
static json_t *error_schema(json_t *message)
{
    return json_pack("{s:s, s:[s,s,s], s:{s:{s:s, s:s}, s:o, s:{s:s, s:s}, s:{s:s, s:o, s:s}, "
                     "s:{s:s, s:s, s:{s:{s:s, s:s, s:s}}}}}",
                     "type", "object", "required", "statusCode", "message", "error", "properties",
                     "statusCode", "type", "integer", "description", "The HTTP status.", "message",
                     message, "error", "type", "string", "description",
                     "The status's reason phrase.", "code", "type", "string", "enum", shown_codes(),
                     "description",
                     "A stable code that tells apart the errors of one status; see the operation.",
                     "details", "type", "object", "description", "Details of some errors.",
                     "properties", "url", "type", "string", "format", "uri", "description",
                     "With `ACCOUNT_SHARED`: the page where the owner of the account can do this.");
}

void openapi_add_error_schemas(json_t *schemas)
{
    json_t *text = json_pack("{s:s, s:s}", "type", "string", "description",
                             "A message for people; it can change.");
    json_t *problems =
        json_pack("{s:s, s:s, s:{s:s, s:[s,s], s:{s:{s:s, s:s}, s:{s:s, s:s}}}}", "type", "array",
                  "description", "Every problem with the request, one entry each.", "items", "type",
                  "object", "required", "path", "message", "properties", "path", "type", "string",
                  "description", "Dotted path of the member that is wrong.", "message", "type",
                  "string", "description", "A message for people; it can change.");
    json_t *mfa = error_schema(json_incref(text)), *properties;

    properties = json_object_get(mfa, "properties");
    json_object_set_new(json_object_get(properties, "code"), "enum",
                        json_pack("[s]", "MFA_REQUIRED"));
    json_object_set_new(properties, "loginId",
                        json_pack("{s:s, s:s, s:s}", "type", "string", "format", "uuid",
                                  "description",
                                  "The sign-in that waits for the second factor; present if the "
                                  "request had a `codeChallenge`."));
    json_array_append_new(json_object_get(mfa, "required"), json_string("code"));
    json_object_set_new(schemas, "error", error_schema(text));
    json_object_set_new(schemas, "validation_error", error_schema(problems));
    json_object_set_new(schemas, "mfa_required", mfa);
}

static json_t *error_example(int status, enum error_code code)
{
    json_t *message = status == 422
                          ? json_pack("[{s:s, s:s}]", "path", "password", "message",
                                      code == ERR_NONE ? "is required" : "is not accepted")
                          : json_string(error_status_name(status));
    json_t *body = json_pack("{s:i, s:o, s:s}", "statusCode", status, "message", message, "error",
                             error_status_name(status));

    if (code != ERR_NONE)
        json_object_set_new(body, "code", json_string(error_kind(code)->wire));
    if (code == ERR_MFA_REQUIRED)
        json_object_set_new(body, "loginId", json_string("5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"));
    return body;
}

static json_t *error_content(const struct codes *codes)
{
    const char *schema = codes->status == 422 ? "validation_error" : "error";
    json_t *content, *media, *examples;

    if (codes->count == 0)
        return openapi_json_content(schema, error_example(codes->status, ERR_NONE));
    content = openapi_json_content(schema, NULL);
    media = json_object_get(content, "application/json");
    examples = json_pack("{s:{s:o}}", "plain", "value", error_example(codes->status, ERR_NONE));
    for (size_t i = 0; i < codes->count; i++) {
        json_object_set_new(examples, error_kind(codes->list[i])->wire,
                            json_pack("{s:o}", "value",
                                      error_example(codes->status, codes->list[i])));
        if (codes->list[i] == ERR_MFA_REQUIRED)
            json_object_set_new(media, "schema",
                                json_pack("{s:[{s:s},{s:s}]}", "anyOf", "$ref",
                                          "#/components/schemas/mfa_required", "$ref",
                                          "#/components/schemas/error"));
    }
    json_object_set_new(media, "examples", examples);
    return content;
}

static const char *error_description(struct arena *arena, const struct codes *codes)
{
    const char *text = error_status_name(codes->status);

    for (size_t i = 0; i < codes->count; i++)
        text =
            arena_printf(arena, "%s%s`%s`: %s.", text, i == 0 ? ". With a `code`:\n\n- " : "\n- ",
                         error_kind(codes->list[i])->wire, openapi_code_meaning(codes->list[i]));
    return text;
}

/* Returns the name of an error response, such as "unprocessable_entity_password_refused". */
static const char *error_name(struct arena *arena, const struct codes *codes)
{
    char *name = arena_strdup(arena, error_status_name(codes->status));

    for (size_t i = 0; i < codes->count; i++)
        name = arena_printf(arena, "%s_%s", name, error_kind(codes->list[i])->wire);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    return name;
}

static void add_error(json_t *responses, const struct codes *codes, struct arena *arena,
                      json_t *shared)
{
    const char *name = error_name(arena, codes);
    char key[8];

    if (!json_object_get(shared, name)) {
        json_t *response = json_pack("{s:s, s:o}", "description", error_description(arena, codes),
                                     "content", error_content(codes));

        add_error_headers(response, codes->status);
        json_object_set_new(shared, name, response);
    }
    snprintf(key, sizeof(key), "%d", codes->status);
    json_object_set_new(responses, key,
                        json_pack("{s:s+}", "$ref", "#/components/responses/", name));
}

/* Adds codes of the route's kind: required second factor (tokens outside /auth/), shared account
 * (by reach), read-only project (writes). */
static struct codes codes_of(const struct endpoint *endpoint, int status)
{
    const struct route *route = &endpoint->route;
    struct codes codes = {.status = status};

    for (const enum error_code *code = endpoint->doc->codes; *code != ERR_NONE; code++)
        if (error_kind(*code)->status == status)
            codes.list[codes.count++] = *code;
    if (status == 403 && route->access != ACCESS_PUBLIC && route->access != ACCESS_LOGOUT &&
        strncmp(route->path, "/auth/", 6) != 0)
        codes.list[codes.count++] = ERR_MFA_ENROLLMENT_REQUIRED;
    if (status == 403 && route->reach == REACH_ACCOUNT)
        codes.list[codes.count++] = ERR_ACCOUNT_SHARED;
    if (status == 503 && route->input && route->access != ACCESS_LOGOUT && !(route->flags & R_SAFE))
        codes.list[codes.count++] = ERR_PROJECT_READ_ONLY;
    return codes;
}

static void add_errors(json_t *responses, const struct endpoint *endpoint, struct arena *arena,
                       json_t *shared)
{
    const struct route *route = &endpoint->route;
    bool own = !route->input, open = route->access == ACCESS_PUBLIC;
    bool logout = route->access == ACCESS_LOGOUT, form = route->flags & R_FORM;
    const struct {
        bool applies;
        int status;
    } rows[] = {
        {!own, 400},
        {!own, 401}, /* on public routes: invalid refresh token */
        {!own, 403}, /* on logout: caller is an API key */
        {!own, 404},
        {endpoint->takes_body || form, 408},
        {!own && !open && !logout && !(route->flags & R_SAFE), 409},
        {endpoint->takes_body || form, 413},
        {true, 414},
        {endpoint->takes_body || form, 415},
        {route->flags & R_CONTENT, 416},
        {!own && route->input->count > 0, 422},
        {!own && (open || route->flags & R_LIMITED), 429},
        {true, 431},
        {!own, 500},
        {!own || endpoint->on_fiber, 503},
        {!own || endpoint->on_fiber, 504},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct codes codes = codes_of(endpoint, rows[i].status);

        if (rows[i].applies || codes.count > 0)
            add_error(responses, &codes, arena, shared);
    }
}

static json_t *file_content(void)
{
    return json_pack("{s:{s:{s:s, s:s}}}", "*/*", "schema", "type", "string", "format", "binary");
}

/* Adds the responses of a file: also 206, and 304 if the client has the file. */
static void add_file_responses(json_t *responses, json_t *success)
{
    json_t *part =
        json_pack("{s:s, s:o}", "description", "The requested range", "content", file_content());
    json_t *same = json_pack("{s:s}", "description", "Not modified: your copy is current");

    json_object_set_new(success, "description", json_string("The file"));
    json_object_set_new(success, "content", file_content());
    add_header(success, "Accept-Ranges");
    add_header(success, "Content-Disposition");
    add_header(part, REQUEST_ID);
    add_header(part, "ETag");
    add_header(part, "Content-Range");
    add_header(same, REQUEST_ID);
    add_header(same, "ETag");
    json_object_set_new(responses, "206", part);
    json_object_set_new(responses, "304", same);
}

/* Describes an answer. Only examples of answers to POST include secrets: the client has just
 * created them. */
static json_t *answer_content(const struct endpoint *endpoint)
{
    const struct field_table *table = endpoint->route.output;
    const char *patch = endpoint->example ? endpoint->example->answer : NULL;
    unsigned omit = strcmp(endpoint->route.method, "POST") == 0 ? 0 : FIELD_SECRET;
    json_t *content, *examples;

    if (!table->variants)
        return openapi_json_content(table->name, openapi_example(table, omit, patch, NULL));
    content = openapi_json_content(table->name, NULL);
    examples = json_object();
    for (const struct field_table *const *variant = table->variants; *variant; variant++)
        json_object_set_new(examples, (*variant)->name,
                            json_pack("{s:o}", "value",
                                      openapi_example(*variant, omit, patch, (*variant)->name)));
    json_object_set_new(json_object_get(content, "application/json"), "examples", examples);
    return content;
}

json_t *openapi_responses(const struct endpoint *endpoint, struct arena *arena, json_t *shared)
{
    const struct route *route = &endpoint->route;
    bool empty = route->flags & R_NO_CONTENT;
    json_t *responses = json_object();
    json_t *success = json_pack("{s:s}", "description", empty ? "Done; no body" : "Done");

    add_header(success, REQUEST_ID);
    if (route->flags & R_CONTENT)
        add_file_responses(responses, success);
    else if (!empty && route->output)
        json_object_set_new(success, "content", answer_content(endpoint));
    if (route->flags & (R_ETAG | R_CONTENT))
        add_header(success, "ETag");
    if (route->flags & R_THROTTLE_REGISTER)
        add_limit_headers(success);
    json_object_set_new(responses, empty ? "204" : "200", success);
    add_errors(responses, endpoint, arena, shared);
    return responses;
}
