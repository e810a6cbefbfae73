/*
 * test_gateway_openapi.c - the OpenAPI document is consistent and true: valid references, accepted
 * examples, and the tables' names and shapes.
 */
#include <stdlib.h>
#include <string.h>

#include "authd/signin/sign_in_api.h"
#include "gateway/endpoint/openapi.h"
#include "gateway/endpoint/openapi_private.h"
#include "settingsd/setting_api.h"
#include "tests/support/unit.h"

static struct arena *arena;
static struct openapi page, older_page;
static const char *page_text;
static json_t *root, *schemas, *older_root;
static const struct endpoint *endpoints;
static size_t endpoint_count;

/* Resolves a pointer such as "#/components/schemas/error"; NULL for none. */
static json_t *follow(const char *reference)
{
    char *path = arena_strdup(arena, reference), *rest = NULL;
    json_t *at = root;

    if (strncmp(path, "#/", 2) != 0)
        return NULL;
    for (char *part = strtok_r(path + 2, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
        at = json_object_get(at, part);
    return at;
}

static void check_references(const json_t *json)
{
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
            UNIT_CHECK(follow(text) != NULL, "%s", text);
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
    for (size_t i = 0; i < endpoint_count; i++) {
        const char *since = endpoints[i].route.since, *summary = endpoints[i].route.summary;
        size_t length = strlen(summary);
        unsigned major, minor;

        UNIT_CHECK(length >= 8 && length <= 72 && summary[length - 1] != '.', "%s", summary);
        UNIT_CHECK(summary[0] >= 'A' && summary[0] <= 'Z', "%s", summary);
        UNIT_CHECK(sscanf(since, "%u.%u", &major, &minor) == 2, "%s", since);
    }
}

static bool is_tag(const char *name)
{
    for (const struct openapi_tag *tag = openapi_tags; tag->name; tag++)
        if (strcmp(tag->name, name) == 0)
            return true;
    return false;
}

static void subjects_and_codes_are_explained(void)
{
    for (size_t i = 0; i < endpoint_count; i++) {
        const struct route_doc *doc = endpoints[i].doc;

        UNIT_CHECK(is_tag(doc->tag), "%s", doc->tag);
        UNIT_CHECK(strlen(doc->description) > 10, "%s", endpoints[i].route.operation);
        for (const enum error_code *code = doc->codes; *code != ERR_NONE; code++)
            UNIT_CHECK(error_kind(*code)->shown, "%s", error_kind(*code)->wire);
    }
    for (int code = ERR_NONE + 1; code < ERROR_CODE_COUNT; code++)
        UNIT_CHECK(error_kind((enum error_code)code)->shown ==
                       (openapi_code_meaning((enum error_code)code) != NULL),
                   "%s", error_kind((enum error_code)code)->wire);
}

static const char *example_text(const void *context, unsigned where UNUSED, const char *name)
{
    const struct field_table *table = context;

    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].header ? table->rows[i].header : table->rows[i].name, name) == 0)
            return table->rows[i].example;
    return NULL;
}

static void examples_are_accepted(void)
{
    for (size_t i = 0; i < endpoint_count; i++) {
        const struct field_table *input = endpoints[i].route.input;
        const char *patch = endpoints[i].example ? endpoints[i].example->input : NULL;
        json_t *body = endpoints[i].takes_body ? openapi_example(input, 0, patch, NULL) : NULL;
        struct field_source source = {body, example_text, input};
        struct error err;

        error_init(&err, arena);
        if (fields_read(input, &source, arena, arena_alloc(arena, input->size), &err) < 0)
            UNIT_CHECK(false, "%s: %s %s", endpoints[i].route.operation,
                       err.problems ? err.problems->name : err.message,
                       err.problems ? err.problems->value : "");
        json_decref(body);
    }
}

static bool is_among(const json_t *list, const json_t *value)
{
    const json_t *each;
    size_t index;

    json_array_foreach(list, index, each) if (json_equal(each, value)) return true;
    return !list;
}

static void check_fits(const json_t *value, const json_t *schema, const char *where);

static void check_object_fits(const json_t *value, const json_t *schema, const char *where)
{
    const json_t *properties = json_object_get(schema, "properties"), *each;
    const char *key;
    size_t index;

    json_object_foreach((json_t *)(uintptr_t)value, key, each)
    {
        const json_t *property = json_object_get(properties, key);

        UNIT_CHECK(property || !properties, "%s: %s is not in its schema", where, key);
        if (property)
            check_fits(each, property, where);
    }
    json_array_foreach(json_object_get(schema, "required"), index, each)
        UNIT_CHECK(json_object_get(value, json_string_value(each)) != NULL, "%s: no %s", where,
                   json_string_value(each));
}

/* A validator of JSON Schema, as far as field tables use it. */
static void check_fits(const json_t *value, const json_t *schema, const char *where)
{
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    const char *type = json_string_value(json_object_get(schema, "type"));
    const json_t *items = json_object_get(schema, "items"), *each;
    size_t index;

    if (reference)
        schema = follow(reference);
    UNIT_CHECK(is_among(json_object_get(schema, "enum"), value), "%s: not in its enum", where);
    if (json_is_object(value))
        check_object_fits(value, schema, where);
    if (items)
        json_array_foreach(value, index, each) check_fits(each, items, where);
    if (type)
        UNIT_CHECK(strcmp(type, "array") != 0 || json_is_array(value), "%s: no list", where);
}

static void example_rows_belong_to_routes(void)
{
    size_t count = 0;

    for (size_t i = 0; i < endpoint_count; i++) {
        const struct route_example *example = endpoints[i].example;
        const char *const patches[] = {example ? example->input : NULL,
                                       example ? example->answer : NULL};

        for (size_t p = 0; p < ARRAY_SIZE(patches); p++) {
            json_t *patch = patches[p] ? json_loads(patches[p], 0, NULL) : NULL;

            UNIT_CHECK(!patches[p] || json_is_object(patch), "%s", patches[p]);
            count += patch != NULL;
            json_decref(patch);
        }
    }
    CU_ASSERT_TRUE(count > 10);
}

static const json_t *answer_content(const json_t *operation)
{
    json_t *success = json_object_get(json_object_get(operation, "responses"), "200");

    return json_object_get(json_object_get(success, "content"), "application/json");
}

static void answer_examples_fit_their_schema(void)
{
    const char *path, *method, *name;
    json_t *item, *operation, *each;
    size_t checked = 0;

    json_object_foreach(json_object_get(root, "paths"), path, item)
        json_object_foreach(item, method, operation)
    {
        const json_t *content = answer_content(operation);
        const json_t *example = json_object_get(content, "example");

        if (example)
            check_fits(example, json_object_get(content, "schema"), path);
        json_object_foreach(json_object_get(content, "examples"), name, each)
            check_fits(json_object_get(each, "value"), json_object_get(schemas, name), path);
        checked += content != NULL;
    }
    CU_ASSERT_TRUE(checked > 80);
}

/* The member below of a path such as "tenants/0/project". */
static const json_t *member_at(const json_t *json, const char *path)
{
    char *text = arena_strdup(arena, path), *rest = NULL;

    for (char *part = strtok_r(text, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
        json = json_is_array(json) ? json_array_get(json, strtoul(part, NULL, 10))
                                   : json_object_get(json, part);
    return json;
}

static const json_t *example_at(const char *path, const char *method, const char *variant)
{
    json_t *operation =
        json_object_get(json_object_get(json_object_get(root, "paths"), path), method);
    const json_t *content = answer_content(operation);

    if (strcmp(variant, "request") == 0) {
        json_t *body = json_object_get(operation, "requestBody");

        content = json_object_get(json_object_get(body, "content"), "application/json");
        return json_object_get(content, "example");
    }
    return *variant
               ? json_object_get(json_object_get(json_object_get(content, "examples"), variant),
                                 "value")
               : json_object_get(content, "example");
}

/* want: start of the member's text or JSON; NULL: no such member. */
static void examples_make_sense(void)
{
    static const struct {
        const char *path, *method, *variant, *member, *want;
    } rows[] = {
        {"/auth/tenant/Patient/login/start", "post", "login_challenge",
         "tenants/0/project/reference", "\"Project/"},
        {"/auth/tenant/Patient/login/start", "post", "login_challenge",
         "tenants/0/profile/reference", "\"Patient/"},
        {"/auth/tenant/Patient/login/token", "post", "", "project/reference", "\"Project/"},
        {"/auth/tenant/Practitioner/login/start", "post", "login_challenge",
         "tenants/0/profile/reference", "\"Practitioner/"},
        {"/auth/tenant/Practitioner/login/token", "post", "", "profile/reference",
         "\"Practitioner/"},
        {"/auth/tenant/Practitioner/register", "post", "token_response", "profile/display",
         "\"Rui Costa\""},
        {"/auth/tenant/Practitioner/code/start", "post", "request", "email", "\"rui@"},
        {"/auth/b2b/login", "post", "", "profile/reference", "\"Practitioner/"},
        {"/auth/tenant/Patient/login/mfa", "post", "request", "mfaToken", "\"123456\""},
        {"/auth/tenant/Patient/login/mfa", "post", "request", "credential", NULL},
        {"/auth/step-up", "post", "request", "credential", NULL},
        {"/auth/change-email", "post", "", "message", "\"If the address can be yours"},
        {"/auth/mfa/status", "get", "", "enrolled", "false"},
        {"/auth/mfa/status", "get", "", "otpauthUrl", "\"otpauth:"},
        {"/auth/me", "get", "", "membership/admin", "false"},
        {"/v1/project/api-keys", "post", "", "key", "\"atk_"},
        {"/v1/project/api-keys", "get", "", "resources/0/key", NULL},
        {"/v1/project/clients", "post", "", "secret", "\"atcs_"},
        {"/v1/project/clients/{id}", "get", "", "secret", NULL},
        {"/v1/project/clients", "post", "request", "jwks", NULL},
        {"/v1/project/webhooks/{id}", "get", "", "secret", NULL},
        {"/v1/project/bots/{id}", "get", "", "program", NULL},
        {"/v1/project/audit", "get", "", "resources/0/resourceType", "\"AuditEvent\""},
        {"/v1/project/readiness", "get", "", "flows/0/ready", "false"},
        {"/document", "get", "", "resources/0/uploadOptions", NULL},
        {"/document", "post", "", "uploadOptions/url", "\"https://"},
        {"/cms/{type}/map/{language}", "get", "", "resources/0/target/language", "\"de\""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const json_t *at =
            member_at(example_at(rows[i].path, rows[i].method, rows[i].variant), rows[i].member);
        char *text = at ? json_dumps(at, JSON_ENCODE_ANY) : NULL;

        UNIT_CHECK(rows[i].want ? text && strncmp(text, rows[i].want, strlen(rows[i].want)) == 0
                                : !text,
                   "%s %s: %s is %s", rows[i].method, rows[i].path, rows[i].member, text);
        free(text);
    }
}
static void shapes_are_of_their_table(void)
{
    static const struct field_table *const tables[] = {&token_or_step_table, &login_step_table};

    for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
        const json_t *list = json_object_get(json_object_get(schemas, tables[i]->name), "oneOf");

        CU_ASSERT_EQUAL(json_array_size(list), 2);
        for (const struct field_table *const *one = tables[i]->variants; *one; one++)
            for (size_t r = 0; r < (*one)->count; r++)
                UNIT_CHECK(example_text(tables[i], 0, (*one)->rows[r].name) ||
                               (*one)->rows[r].table,
                           "%s.%s", (*one)->name, (*one)->rows[r].name);
    }
}

static bool is_setting(const char *path, const char *text)
{
    json_t *put = json_object_get(json_object_get(json_object_get(root, "paths"), path), "put");
    const json_t *parameter = json_array_get(json_object_get(put, "parameters"), 0);
    const json_t *list = json_object_get(json_object_get(parameter, "schema"), "enum"), *each;
    size_t index;

    json_array_foreach(list, index,
                       each) if (strcmp(json_string_value(each), text) == 0) return true;
    return false;
}

static void settings_are_named(void)
{
    for (size_t i = 0; i < settings_values_table.count; i++) {
        const struct field *row = &settings_values_table.rows[i];
        bool is_switch = row->type == FIELD_TYPE_BOOL;

        UNIT_CHECK(is_setting("/v1/project/settings/{name}", row->name) == is_switch, "%s",
                   row->name);
        UNIT_CHECK(is_setting("/v1/project/settings/values/{name}", row->name) == !is_switch, "%s",
                   row->name);
    }
}

static const char *text_at(const char *path, const char *method, const char *status,
                           const char *member)
{
    json_t *operation =
        json_object_get(json_object_get(json_object_get(root, "paths"), path), method);
    json_t *at =
        status ? json_object_get(json_object_get(operation, "responses"), status) : operation;
    const char *reference = json_string_value(json_object_get(at, "$ref"));

    if (reference)
        at = follow(reference);
    at = json_object_get(at, member);
    return at ? json_dumps(at, JSON_ENCODE_ANY) : strdup("");
}

/* Each of these was missing once. */
static void answers_are_described(void)
{
    static const struct {
        const char *path, *method, *status, *member, *want;
    } rows[] = {
        {"/v2/auth/login", "post", "401", "content", "mfa_required"},
        {"/v2/auth/login", "post", "401", "description", "MFA_REQUIRED"},
        {"/auth/change-password", "post", "422", "description", "PASSWORD_REFUSED"},
        {"/v1/project/settings", "get", "403", "description", "MFA_ENROLLMENT_REQUIRED"},
        {"/v1/project/settings", "get", "200", "headers", "ETag"},
        {"/document/{id}", "get", "304", "headers", "ETag"},
        {"/auth/tenant/Patient/register", "post", "429", "headers", "RateLimit-Reset"},
        {"/auth/tenant/Patient/register", "post", "200", "headers", "RateLimit-Remaining"},
        {"/auth/tenant/Patient/register", "post", "429", "headers", "Retry-After"},
        {"/auth/me", "get", "503", "headers", "Retry-After"},
        {"/document", "post", "503", "description", "PROJECT_READ_ONLY"},
        {"/auth/refresh-token", "post", "503", "description", "PROJECT_READ_ONLY"},
        {"/v1/auth/logout", "post", NULL, "deprecated", "true"},
        {"/v1/auth/logout", "post", NULL, "operationId", "logout_v1_auth_logout"},
        {"/auth/logout", "post", NULL, "operationId", "\"logout\""},
        {"/auth/logout", "post", NULL, "deprecated", ""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *text = text_at(rows[i].path, rows[i].method, rows[i].status, rows[i].member);

        UNIT_CHECK(*rows[i].want ? strstr(text, rows[i].want) != NULL : *text == '\0', "%s %s: %s",
                   rows[i].path, rows[i].member, text);
        free((char *)(uintptr_t)text);
    }
    CU_ASSERT_PTR_NULL(strstr(page_text, "\"name\":\"Host\""));
}

static void internal_operations_are_not_there(void)
{
    CU_ASSERT_PTR_NULL(strstr(page_text, "identity_get"));
    CU_ASSERT_PTR_NOT_NULL(strstr(page_text, "\"/auth/me\""));
    CU_ASSERT_EQUAL(strlen(page_text), page.size);
    CU_ASSERT_EQUAL(strlen(page.etag), 34);
}

/* Checks a part of the older document, and counts the keywords that only OpenAPI 3.0 has. */
static size_t check_older(const json_t *json, const char *where)
{
    const char *key;
    json_t *value;
    size_t index, count = 0;

    if (json_is_array(json))
        json_array_foreach(json, index, value) count += check_older(value, where);
    if (!json_is_object(json))
        return count;
    UNIT_CHECK(!json_is_array(json_object_get(json, "type")), "%s: a list of types", where);
    UNIT_CHECK(!json_is_array(json_object_get(json, "examples")), "%s: examples", where);
    UNIT_CHECK(!json_object_get(json, "const"), "%s: const", where);
    UNIT_CHECK(!json_object_get(json, "$ref") || json_object_size(json) == 1, "%s: $ref", where);
    count += json_is_true(json_object_get(json, "nullable"));
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        const char *type = json_string_value(value);

        UNIT_CHECK(strcmp(key, "type") != 0 || !type || strcmp(type, "null") != 0, "%s", where);
        if (strcmp(key, "example") != 0 && strcmp(key, "examples") != 0)
            count += check_older(value, key);
    }
    return count;
}

static void the_older_page_has_the_same_operations_in_older_words(void)
{
    json_t *info = json_object_get(older_root, "info");

    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(older_root, "openapi")), "3.0.3");
    CU_ASSERT_PTR_NULL(json_object_get(info, "summary"));
    CU_ASSERT_PTR_NULL(json_object_get(json_object_get(info, "license"), "identifier"));
    CU_ASSERT_EQUAL(check_older(json_object_get(older_root, "paths"), "paths"), 0);
    CU_ASSERT_TRUE(check_older(json_object_get(older_root, "components"), "components") > 50);
    CU_ASSERT_EQUAL(json_object_size(json_object_get(older_root, "paths")),
                    json_object_size(json_object_get(root, "paths")));
    CU_ASSERT_STRING_NOT_EQUAL(older_page.etag, page.etag);
}

static void the_server_is_the_public_url(void)
{
    const json_t *const roots[] = {root, older_root};
    struct openapi plain, plain_older;

    for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
        json_t *server = json_array_get(json_object_get(roots[i], "servers"), 0);

        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(server, "url")),
                               "https://api.example");
    }
    openapi_build(&plain, &plain_older, arena, endpoints, endpoint_count, NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(openapi_text(&plain, arena), "\"servers\":[{\"url\":\"/\""));
}

static const struct unit_case cases[] = {
    CASE(references_lead_somewhere),
    CASE(path_parameters_are_described),
    CASE(operation_ids_are_unique),
    CASE(routes_say_what_they_do),
    CASE(subjects_and_codes_are_explained),
    CASE(examples_are_accepted),
    CASE(example_rows_belong_to_routes),
    CASE(answer_examples_fit_their_schema),
    CASE(examples_make_sense),
    CASE(shapes_are_of_their_table),
    CASE(settings_are_named),
    CASE(answers_are_described),
    CASE(internal_operations_are_not_there),
    CASE(the_older_page_has_the_same_operations_in_older_words),
    CASE(the_server_is_the_public_url),
};

/* Pages and standard endpoints are not operations. */
static void leave_pages_out(void)
{
    struct endpoint *kept = arena_calloc(arena, endpoint_count, sizeof(*kept));
    size_t count = 0;

    for (size_t i = 0; i < endpoint_count; i++) {
        if (endpoints[i].route.summary)
            kept[count++] = endpoints[i];
    }
    endpoints = kept;
    endpoint_count = count;
}

int main(void)
{
    int result;

    arena = arena_new();
    endpoints = routes_all(arena, &endpoint_count);
    openapi_build(&page, &older_page, arena, endpoints, endpoint_count, "https://api.example");
    page_text = arena_strndup(arena, openapi_text(&page, arena), page.size);
    leave_pages_out();
    root = json_loads(page_text, JSON_REJECT_DUPLICATES, NULL);
    schemas = json_object_get(json_object_get(root, "components"), "schemas");
    older_root = json_loadb(openapi_text(&older_page, arena), older_page.size, 0, NULL);
    result = unit_run("gateway openapi", cases, ARRAY_SIZE(cases));
    json_decref(root);
    json_decref(older_root);
    arena_destroy(&arena);
    return result;
}
