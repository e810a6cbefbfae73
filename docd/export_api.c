/* export_api.c - field tables of export_api.h. See docd_api.c. */
#include "docd/export_api.h"

#include "common/domain/name.h"

static const char *const export_states[] = {"pending", "ready", "failed", NULL};

static const struct field account_export_rows[] = {
    FIELD_UUID(struct account_export, id, FIELD_REQUIRED, "The export."),
    FIELD_UUID(struct account_export, account, FIELD_REQUIRED, "The account whose data it is."),
    FIELD_CHOICE(struct account_export, state, export_states, FIELD_REQUIRED,
                 "Whether the file is there.", "ready"),
    FIELD_TIME(struct account_export, createdAt, FIELD_REQUIRED, "When it was asked for."),
    FIELD_INT(struct account_export, size, 0, INT64_MAX, -1, FIELD_OMIT_NEGATIVE | FIELD_NULLABLE,
              "Bytes of the file; null while it is not there.", "52428"),
    FIELD_TIME(struct account_export, expiresAt, FIELD_NULLABLE,
               "When the file is removed; null while it is not there."),
};
FIELD_TABLE(account_export);

static const struct field account_exports_rows[] = {
    FIELD_OBJECTS(struct account_exports, resources, account_export, 100, FIELD_REQUIRED,
                  "The newest first."),
};
FIELD_TABLE(account_exports);

static const struct field export_content_in_rows[] = {
    FIELD_UUID(struct export_content_in, id, FIELD_PATH | FIELD_REQUIRED, "The export."),
};
FIELD_TABLE(export_content_in);

static const struct field project_account_export_in_rows[] = {
    FIELD_UUID(struct project_account_export_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CHECKED(struct project_account_export_in, reason, 1, 500, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Why; it is kept in the audit trail.",
                  "Ticket 4711: asked for by letter"),
};
FIELD_TABLE(project_account_export_in);

static const struct field exports_delete_in_rows[] = {
    FIELD_UUID(struct exports_delete_in, key, FIELD_REQUIRED,
               "Names the call when it is repeated."),
    FIELD_UUID(struct exports_delete_in, account, FIELD_REQUIRED, "The account that is gone."),
    FIELD_BOOL(struct exports_delete_in, counted, false, 0,
               "Whether it is counted for the erasure of the account."),
};
FIELD_TABLE(exports_delete_in);

static const struct field visitor_export_in_rows[] = {
    FIELD_OBJECT(struct visitor_export_in, caller, caller, FIELD_REQUIRED, "Who asks."),
    FIELD_UUID(struct visitor_export_in, id, 0, "The export."),
};
FIELD_TABLE(visitor_export_in);
