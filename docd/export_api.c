/* export_api.c - field tables of export_api.h. See docd_api.c. */
#include "docd/export_api.h"

#include "common/domain/name.h"

static const char *const export_states[] = {"pending", "ready", "failed", NULL};

static const struct field account_export_rows[] = {
    FIELD_UUID(struct account_export, id, FIELD_REQUIRED, "ID of the export."),
    FIELD_UUID(struct account_export, account, FIELD_REQUIRED,
               "ID of the account whose data is exported.", "019a0b52-6e1d-7a34-9c87-5b2f1d8e6a09"),
    FIELD_CHOICE(struct account_export, state, export_states, FIELD_REQUIRED,
                 "Whether the file is ready.", "pending"),
    FIELD_TIME(struct account_export, createdAt, FIELD_REQUIRED, "When the export was requested."),
    FIELD_INT(struct account_export, size, 0, INT64_MAX, -1, FIELD_OMIT_NEGATIVE | FIELD_NULLABLE,
              "Size of the file in bytes; null until it is ready.", "null"),
    FIELD_TIME(struct account_export, expiresAt, FIELD_NULLABLE,
               "When the file is removed; null until it is ready.", "null"),
};
FIELD_TABLE(account_export);

static const struct field account_exports_rows[] = {
    FIELD_OBJECTS(struct account_exports, resources, account_export, 100, FIELD_REQUIRED,
                  "Exports, newest first.",
                  "[{\"id\":\"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\",\"account\":\"019a0b52-6e1d-"
                  "7a34-9c87-5b2f1d8e6a09\",\"state\":\"ready\",\"createdAt\":\"2026-01-31T09:30:"
                  "00.000Z\",\"size\":52428,\"expiresAt\":\"2026-02-07T09:30:00.000Z\"}]"),
};
FIELD_TABLE(account_exports);

static const struct field export_content_in_rows[] = {
    FIELD_UUID(struct export_content_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the export."),
};
FIELD_TABLE(export_content_in);

static const struct field project_account_export_in_rows[] = {
    FIELD_UUID(struct project_account_export_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CHECKED(struct project_account_export_in, reason, 1, 500, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Reason, which the audit log records.",
                  "Ticket 4711: asked for by letter"),
};
FIELD_TABLE(project_account_export_in);

static const struct field exports_delete_in_rows[] = {
    FIELD_UUID(struct exports_delete_in, key, FIELD_REQUIRED, "Idempotency key."),
    FIELD_UUID(struct exports_delete_in, account, FIELD_REQUIRED, "ID of the deleted account."),
    FIELD_BOOL(struct exports_delete_in, counted, false, 0,
               "Whether the account's erasure receipt counts the exports."),
};
FIELD_TABLE(exports_delete_in);

static const struct field visitor_export_in_rows[] = {
    FIELD_OBJECT(struct visitor_export_in, caller, caller, FIELD_REQUIRED,
                 "The person who makes the request."),
    FIELD_UUID(struct visitor_export_in, id, 0, "ID of the export."),
};
FIELD_TABLE(visitor_export_in);
