/* export_api.h - exports of a person's data. */
#ifndef ATRIUM_DOCD_EXPORT_API_H
#define ATRIUM_DOCD_EXPORT_API_H

#include "common/domain/request.h"
#include "common/wire/fields.h"

struct account_export {
    struct uuid id, account;
    const char *state; /* "pending", "ready", "failed" */
    int64_t createdAt;
    int64_t size;      /* bytes; -1: not ready */
    int64_t expiresAt; /* 0: not ready */
};
FIELD_DECLARE(account_export);

struct account_exports {
    struct field_list resources; /* struct account_export */
};
FIELD_DECLARE(account_exports);

struct export_content_in {
    struct uuid id;
};
FIELD_DECLARE(export_content_in);

struct project_account_export_in {
    struct uuid id;
    const char *reason;
};
FIELD_DECLARE(project_account_export_in);

/* Removes exports that a deleted account has or requested. Idempotent. */
struct exports_delete_in {
    struct uuid key; /* from the caller's outbox row */
    struct uuid account;
    bool counted; /* counts them for the account's erasure */
};
FIELD_DECLARE(exports_delete_in);

/* An export on the hosted pages: authd knows the person by the cookie. */
struct visitor_export_in {
    const struct caller *caller;
    struct uuid id; /* only to fetch an export */
};
FIELD_DECLARE(visitor_export_in);

#endif
