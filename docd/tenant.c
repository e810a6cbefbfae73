/* tenant.c - see tenant.h. */
#include "docd/tenant.h"

#include "docd/docd.h"
#include "docd/sql/tenant.h"

/* Content comes first: translations refer to it. */
const struct tenant_table docd_tenant_tables[] = {
    {.name = "document",
     .first = "{\"id\":\"" UUID_NIL "\"}",
     .rows = 500,
     TENANT_TABLE(document),
     .sealed = {{"public_token", DOCUMENT_TOKEN_PURPOSE, NULL, NULL, NULL}}},
    {.name = "content",
     .first = "{\"type\":\"\",\"key\":\"\"}",
     .rows = 500,
     TENANT_TABLE(content)},
    {.name = "content_translation",
     .first = "{\"type\":\"\",\"key\":\"\",\"language\":\"\"}",
     .rows = 3, /* up to 1 MiB each */
     TENANT_TABLE(content_translation)},
    {.name = "content_draft",
     .first = "{\"type\":\"\",\"key\":\"\",\"language\":\"\"}",
     .rows = 3, /* up to 1 MiB each */
     TENANT_TABLE(content_draft)},
    TENANT_STAYS("object", "is created again with the documents that show it"),
    TENANT_STAYS("upload", "a form is signed by its own installation, which receives the upload"),
    TENANT_STAYS("content_word", "is counted again when translations are added"),
    TENANT_STAYS("content_usage", "is counted again when translations are added"),
    TENANT_STAYS("document_usage", "is counted again when documents are added"),
    TENANT_ERASURE_STAYS,
    TENANT_STAYS("export", "is created again when it is needed"),
    {.name = NULL},
};
