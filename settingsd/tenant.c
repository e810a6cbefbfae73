/* tenant.c - see tenant.h. */
#include "settingsd/tenant.h"

#include <string.h>

#include "common/wire/codec.h"
#include "settingsd/access_policy_check.h"
#include "settingsd/sql/tenant.h"

#define FIRST_ID "{\"id\":\"" UUID_NIL "\"}"

/* Returns a member's text, or NULL for null. */
static const char *json_of(struct arena *arena, const json_t *row, const char *name)
{
    json_t *value = json_object_get(row, name);

    return value && !json_is_null(value) ? codec_dump_json(arena, value) : NULL;
}

/* Checks a policy, whose rules gateways read for each request. */
static int check_policy(struct arena *arena, const char *row, struct error *err)
{
    json_auto_t *json = codec_parse_json(row, strlen(row), true, err);
    const char *resource, *rules;

    if (!json)
        return -1;
    resource = json_of(arena, json, "resource");
    rules = json_of(arena, json, "ip_access_rule");
    if (!resource)
        return error_problem(err, "resource", "is required");
    return access_policy_check(arena, &resource, &rules, err);
}

/* The project is first, since the others refer to it. */
const struct tenant_table settingsd_tenant_tables[] = {
    {"project", FIRST_ID, 1, TENANT_TABLE(project)},
    {"tenant_code", "{\"code\":\"\"}", 1, TENANT_TABLE(tenant_code)},
    {"access_policy", FIRST_ID, 100, TENANT_TABLE(access_policy), .check = check_policy},
    {"client", FIRST_ID, 500, TENANT_TABLE(client)},
    {"setting_history", "{\"version\":-1,\"name\":\"\"}", 500, TENANT_TABLE(setting_history)},
    TENANT_STAYS("outbox", "what it holds is for the daemons of its own installation"),
    TENANT_ERASURE_STAYS,
    TENANT_STAYS("project_deletion", "what is being deleted does not travel"),
    {.name = NULL},
};
