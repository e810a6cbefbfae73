/* tenant.c - see tenant.h. */
#include "maild/tenant.h"

#include "maild/sql/tenant.h"
#include "maild/webhook/webhook.h"

const struct tenant_table maild_tenant_tables[] = {
    {"template", "{\"name\":\"\",\"language\":\"\"}", 10, TENANT_TABLE(template)},
    {"job", "{\"id\":\"" UUID_NIL "\"}", 500, TENANT_TABLE(job)},
    {"webhook", "{\"id\":\"" UUID_NIL "\"}", 20, TENANT_TABLE(webhook),
     .sealed = {{"secret_sealed", WEBHOOK_SECRET_PURPOSE, NULL, NULL, NULL},
                {"previous_sealed", WEBHOOK_SECRET_PURPOSE, NULL, NULL, NULL}}},
    TENANT_ERASURE_STAYS,
    TENANT_STAYS("webhook_delivery", "events are posted by the installation where they happened"),
    TENANT_STAYS("webhook_queue", "what is posted next, to what has travelled"),
    TENANT_STAYS("webhook_source", "of the installation"),
    TENANT_STAYS("message", "mail is sent by the installation that its links lead to"),
    {.name = NULL},
};
