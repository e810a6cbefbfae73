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
    TENANT_STAYS("webhook_delivery", "events are sent by the installation where they happened"),
    TENANT_STAYS("webhook_queue", "the next event to send, of a webhook that is moved"),
    TENANT_STAYS("webhook_source", "belongs to the installation"),
    TENANT_STAYS("message", "emails are sent by the installation that their links lead to"),
    {.name = NULL},
};
