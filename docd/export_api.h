/* export_api.h - the exports of a person's data. */
#ifndef ATRIUM_DOCD_EXPORT_API_H
#define ATRIUM_DOCD_EXPORT_API_H

#include "common/domain/request.h"
#include "common/wire/fields.h"

struct account_export {
    struct uuid id, account;
    const char *state; /* "pending", "ready", "failed" */
    int64_t createdAt;
    int64_t size;      /* bytes of the file; -1: it is not there yet */
    int64_t expiresAt; /* 0: it is not there yet */
};
FIELD_DECLARE(account_export);

struct account_exports {
    struct field_list resources; /* struct account_export */
};
FIELD_DECLARE(account_exports);

struct export_content_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(export_content_in);

struct project_account_export_in {
    struct uuid id; /* path */
    const char *reason;
};
FIELD_DECLARE(project_account_export_in);

/* Removes the exports of a deleted account, and those it asked for. Idempotent. */
struct exports_delete_in {
    struct uuid key; /* of the caller's outbox row */
    struct uuid account;
    bool counted; /* for the erasure of the account */
};
FIELD_DECLARE(exports_delete_in);

/* An export on the hosted pages: authd knows the person by the cookie. */
struct visitor_export_in {
    const struct caller *caller;
    struct uuid id; /* which one; to fetch it alone */
};
FIELD_DECLARE(visitor_export_in);

#endif
