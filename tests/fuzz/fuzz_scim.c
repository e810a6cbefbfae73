/*
 * fuzz_scim.c - filters, paths and values of SCIM. Input: a line with a filter or path, and a JSON
 * value.
 */
#include <string.h>
#include <strings.h>

#include "authd/federation/scim_patch.h"
#include "tests/fuzz/fuzz.h"

static json_t *user(void)
{
    return json_pack("{s:s, s:s, s:b, s:{s:s}, s:[{s:s, s:s}, {s:s}]}", "id", "U", "userName",
                     "ana", "active", 1, "name", "givenName", "Ana", "emails", "type", "work",
                     "value", "a@x.example", "type", "home");
}

static void check_filter(struct arena *arena, const char *text, const json_t *resource)
{
    const struct scim_filter *filter;
    const char *key;
    struct error err;

    error_init(&err, arena);
    if (scim_filter_read(arena, text, &filter, &err) < 0) {
        fuzz_require_error(&err);
        return;
    }
    FUZZ_REQUIRE(strlen(text) <= SCIM_FILTER_MAX);
    key = scim_filter_key(filter, "userName", NULL);
    if (scim_filter_match(filter, resource) && key)
        FUZZ_REQUIRE(strcasecmp(key, "ana") == 0);
}

static void check_path(struct arena *arena, const char *text, json_t *value, json_t *resource)
{
    struct scim_operation operation = {.value = value};
    struct error err;

    error_init(&err, arena);
    if (scim_path_read(arena, text, &operation.path, &err) < 0) {
        fuzz_require_error(&err);
        return;
    }
    FUZZ_REQUIRE(operation.path.attribute[0] != '\0');
    for (operation.op = SCIM_ADD; operation.op <= SCIM_REMOVE; operation.op++) {
        char *after;

        scim_patch_apply(&operation, resource);
        after = json_dumps(resource, 0);
        FUZZ_REQUIRE(json_is_object(resource) && after);
        free(after);
    }
    if (!operation.path.filter && !operation.path.sub)
        FUZZ_REQUIRE(!scim_member(resource, operation.path.attribute));
}

int fuzz_scim(const uint8_t *data, size_t size)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(memory_free) char *text = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *rest = fuzz_text(data, size);
    json_auto_t *value = json_loads(rest, JSON_DECODE_ANY, NULL), *resource = user();

    check_filter(arena, text, resource);
    check_path(arena, text, value, resource);
    return 0;
}
