/* tenant.c - see tenant.h. */
#include "botd/tenant.h"

#include "botd/bot/bot.h"
#include "botd/sql/tenant.h"

#define FIRST_ID "{\"id\":\"" UUID_NIL "\"}"
#define MEMORY_STAYS \
    "texts are translated anew; what they are found by is made with the sender's key"

const struct tenant_table botd_tenant_tables[] = {
    {.name = "bot",
     .first = FIRST_ID,
     .rows = 100,
     TENANT_TABLE(bot),
     .sealed = {{"secrets_sealed", BOT_SECRETS_PURPOSE, NULL, NULL, NULL},
                {"signing_sealed", BOT_SIGNING_PURPOSE, NULL, bot_signing_missing, "id"}}},
    {"execution", FIRST_ID, 500, TENANT_TABLE(execution)},
    {"translation_day", "{\"day\":-1}", 500, TENANT_TABLE(translation_day)},
    TENANT_STAYS("bot_identifier", "made of the identifiers of the bots that travel"),
    TENANT_ERASURE_STAYS,
    TENANT_STAYS("translation_memory", MEMORY_STAYS),
    TENANT_STAYS("translation_memory_size", MEMORY_STAYS),
    {.name = NULL},
};
