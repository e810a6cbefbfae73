/* mail_api.h - mails: queued, failed, tried again. */
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
    int64_t triedAt, nextAt; /* 0: before that was kept; it was given up, or is being tried */
};
FIELD_DECLARE(mail_failure);

struct mail_failure_list {
    struct field_list resources; /* struct mail_failure, the newest first */
    const char *next;
};
FIELD_DECLARE(mail_failure_list);

/* One mail to one person; dropped when the project maps no such template, unless `builtin` allows
 * the installation's own, which is also used without a project (projectName is then the
 * installation's name). Idempotent by id. `variables` is a JSON object of texts that has
 * projectName, tenantCode, recipientName and recipientEmail. */
struct mail_enqueue_in {
    struct uuid id, projectId;
    bool builtin;
    const char *template, *language /* BCP 47, optional */;
    const char *to;              /* e-mail address */
    const char *variables;       /* JSON object: name -> text */
    const char *defaultLanguage; /* of the project, optional: where the recipient's is not mapped */
    int64_t expiresAt; /* contract time, optional: of no use from then on, and not sent any more */
};
FIELD_DECLARE(mail_enqueue_in);

struct mail_enqueue_out {
    bool queued; /* false: there is no such template, or the mail is known already */
};
FIELD_DECLARE(mail_enqueue_out);

struct mail_queue_in {
    const char *state; /* "queued" (default) or "dead" */
    int64_t count;
};
FIELD_DECLARE(mail_queue_in);

/* No address and no content: those are personal data. */
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
    int64_t since; /* real time of the enqueue, ms */
};
FIELD_DECLARE(mail_retry_all_in);

struct mail_retry_all_out {
    int64_t due; /* messages that would have waited longer */
};
FIELD_DECLARE(mail_retry_all_out);

#endif
