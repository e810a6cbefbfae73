/* mail_api.h - queued and failed emails. */
#ifndef ATRIUM_MAILD_MAIL_API_H
#define ATRIUM_MAILD_MAIL_API_H

#include "common/wire/fields.h"

struct mail_failures_in {
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(mail_failures_in);

/* Times are real time. */
struct mail_failure {
    struct uuid id;
    const char *template, *state; /* "retrying", "failed" */
    const char *error;
    int64_t attempts, createdAt;
    int64_t triedAt, nextAt; /* nextAt 0: failed, or being tried */
};
FIELD_DECLARE(mail_failure);

struct mail_failure_list {
    struct field_list resources; /* struct mail_failure, newest first */
    const char *next;
};
FIELD_DECLARE(mail_failure_list);

/* An email to one person. If the project has no template, it is dropped, unless `builtin` allows
 * the installation's own text, which an email without a project uses too. Idempotent by id.
 * `variables` is a JSON object of texts with projectName, tenantCode, recipientName and
 * recipientEmail; brandName, if the branding has a name, is also the sender's name. */
struct mail_enqueue_in {
    struct uuid id, projectId;
    bool builtin;
    const char *template, *language /* BCP 47, optional */;
    const char *to;
    const char *variables;
    const char *defaultLanguage; /* used if no template has `language`; optional */
    int64_t expiresAt;           /* contract time, optional: not sent after that */
};
FIELD_DECLARE(mail_enqueue_in);

struct mail_enqueue_out {
    bool queued; /* false: no such template, or queued before */
};
FIELD_DECLARE(mail_enqueue_out);

struct mail_queue_in {
    const char *state; /* "queued" (default) or "dead" */
    int64_t count;
};
FIELD_DECLARE(mail_queue_in);

/* Contains no personal data such as an address. */
struct mail_queue_row {
    struct uuid id, projectId;
    const char *template, *state, *lastError;
    int64_t attempts, createdAt, dueAt;
};
FIELD_DECLARE(mail_queue_row);

struct mail_queue_out {
    int64_t total;
    struct field_list messages; /* struct mail_queue_row */
};
FIELD_DECLARE(mail_queue_out);

struct mail_id_in {
    struct uuid id;
};
FIELD_DECLARE(mail_id_in);

struct mail_retry_all_in {
    struct uuid projectId;
    int64_t since; /* real time of queueing */
};
FIELD_DECLARE(mail_retry_all_in);

struct mail_retry_all_out {
    int64_t due; /* messages made due early */
};
FIELD_DECLARE(mail_retry_all_out);

#endif
