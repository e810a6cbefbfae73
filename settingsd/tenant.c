/*
 * tenant.c - what settingsd keeps of a project, as it travels to another installation.
 */
#include "settingsd/tenant.h"

#include "settingsd/sql/tenant.h"

TENANT_STATEMENTS(project)
TENANT_STATEMENTS(tenant_code)
TENANT_STATEMENTS(access_policy)
TENANT_STATEMENTS(client)
TENANT_STATEMENTS(setting_history)

#define FIRST_ID "{\"id\":\"" UUID_NIL "\"}"

/* The project first: the others refer to it. */
const struct tenant_table settingsd_tenant_tables[] = {
    {"project", FIRST_ID, 1, TENANT_TABLE(project)},
    {"tenant_code", "{\"code\":\"\"}", 1, TENANT_TABLE(tenant_code)},
    {"access_policy", FIRST_ID, 100, TENANT_TABLE(access_policy)},
    {"client", FIRST_ID, 500, TENANT_TABLE(client)},
    {"setting_history", "{\"version\":-1,\"name\":\"\"}", 500, TENANT_TABLE(setting_history)},
    TENANT_STAYS("outbox", "what it holds is for the daemons of its own installation"),
    TENANT_ERASURE_STAYS,
    TENANT_STAYS("project_deletion", "what is being deleted does not travel"),
    {.name = NULL},
};
