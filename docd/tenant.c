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
    TENANT_STAYS("object", "made anew with the documents that show it"),
    TENANT_STAYS("upload", "a form is signed by its own installation, which gets what it brings"),
    TENANT_STAYS("content_word", "counted anew where translations are added"),
    TENANT_STAYS("content_usage", "counted anew where translations are added"),
    TENANT_STAYS("document_usage", "counted anew where documents are added"),
    TENANT_ERASURE_STAYS,
    TENANT_STAYS("export", "made anew where it is asked for"),
    {.name = NULL},
};
