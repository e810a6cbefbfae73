/*
 * maild_api.h - the inputs and outputs of maild, for itself and the daemons that send mail.
 */
#ifndef ATRIUM_MAILD_MAILD_API_H
#define ATRIUM_MAILD_MAILD_API_H

#include "common/bus/method.h"
#include "common/service/erasure.h"
#include "common/service/purge.h"
#include "common/wire/fields.h"

/* ---- routes ---- */

struct email_template_in {
    const char *name; /* path */
    const char *language, *subject, *html, *text;
    const char *ifMatch, *ifNoneMatch; /* headers */
};
FIELD_DECLARE(email_template_in);

struct email_template_get_in {
    const char *name;     /* path */
    const char *language; /* query; NULL, "": the one without */
};
FIELD_DECLARE(email_template_get_in);

struct email_template_delete_in {
    const char *name;     /* path */
    const char *language; /* query; NULL: all languages, "": the one without */
};
FIELD_DECLARE(email_template_delete_in);

struct email_template_preview_in {
    const char *name; /* path */
    const char *language;
};
FIELD_DECLARE(email_template_preview_in);

struct email_template_preview {
    const char *subject, *html, *text;
};
FIELD_DECLARE(email_template_preview);

struct webhook_in {
    struct uuid id; /* path, absent on create */
    const char *url;
    struct field_texts events;
    bool enabled;
    const char *format;   /* NULL: "standard"; of one that is replaced, the one it has */
    const char *audience; /* NULL: none; of one that is replaced, the one it has */
    const char *ifMatch;  /* header, of a replacement */
};
FIELD_DECLARE(webhook_in);

struct webhook_id_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(webhook_id_in);

struct webhook_exchange_in {
    struct uuid id; /* path */
    int64_t previousHours;
};
FIELD_DECLARE(webhook_exchange_in);

struct webhook {
    struct uuid id;
    const char *url, *events; /* JSON array of texts */
    bool enabled;
    const char *format, *audience; /* audience: NULL: none, of the format standard */
    const char *secret;            /* in the answers that make one, alone */
    int64_t previousSecretUntil;   /* 0: only one secret signs */
    int64_t goneAt;                /* 0: it was not switched off by its receiver */
    int64_t failingSince;          /* real time; 0: the last that was posted was delivered */
    int64_t createdAt, lastUpdated;
    const char *etag; /* the ETag header, quoted; not in lists */
};
FIELD_DECLARE(webhook);

struct webhooks_in {
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(webhooks_in);

struct webhook_list {
    struct field_list resources; /* struct webhook */
    const char *next;
};
FIELD_DECLARE(webhook_list);

struct webhook_deliveries_in {
    struct uuid id;    /* path */
    const char *state; /* NULL: all */
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(webhook_deliveries_in);

struct webhook_delivery {
    int64_t id;        /* their order is that of the events */
    struct uuid event; /* of the header webhook-id */
    const char *type, *state;
    int64_t attempts, happenedAt;
    int64_t triedAt, nextAt; /* 0: not yet; it has ended */
    int64_t status;          /* HTTP; 0: no answer */
    const char *error;       /* why there was none; NULL: there was one, or no attempt */
};
FIELD_DECLARE(webhook_delivery);

struct webhook_delivery_list {
    struct field_list resources; /* struct webhook_delivery */
    const char *next;
};
FIELD_DECLARE(webhook_delivery_list);

struct webhook_redeliver_in {
    struct uuid id;   /* path */
    int64_t delivery; /* 0: all that were given up */
};
FIELD_DECLARE(webhook_redeliver_in);

struct webhook_redeliver_out {
    int64_t count;
};
FIELD_DECLARE(webhook_redeliver_out);

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

/* ---- between daemons ---- */

/* One mail to one person. Dropped silently when the project maps no such template, unless `builtin`
 * says that the installation's own takes its place. Without a project it goes by the installation's
 * own, and projectName is what the installation is called. The id is the key: the same one again
 * does nothing. `variables` is a JSON object of text; projectName, tenantCode, recipientName and
 * recipientEmail are always among a template's names and are given here too. */
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

/* Whether a mail by this template would be sent, in whatever language. */
struct template_mapped_in {
    struct uuid projectId;
    const char *name;
};
FIELD_DECLARE(template_mapped_in);

struct template_mapped_out {
    bool mapped;
};
FIELD_DECLARE(template_mapped_out);

struct template_put_in {
    struct uuid projectId;
    const char *name, *language, *subject, *html, *text;
};
FIELD_DECLARE(template_put_in);

struct template_record {
    const char *name, *language, *subject, *html, *text;
    int64_t lastUpdated;
    const char *etag; /* the ETag header, quoted; not in lists */
};
FIELD_DECLARE(template_record);

struct template_list_in {
    struct uuid projectId;
};
FIELD_DECLARE(template_list_in);

struct template_delete_in {
    struct uuid projectId;
    const char *name;
    const char *language; /* NULL: all languages, "": the one without */
};
FIELD_DECLARE(template_delete_in);

struct template_preview_in {
    struct uuid projectId;
    const char *name, *language;
};
FIELD_DECLARE(template_preview_in);

struct template_records {
    struct field_list resources; /* struct template_record */
};
FIELD_DECLARE(template_records);

/* In which languages a project has a template. */
struct template_mapping {
    const char *name;
    bool mapped;                  /* in some language, or without one */
    bool anyLanguage;             /* one without a language is there */
    struct field_texts languages; /* those that have one of their own, in their order */
};
FIELD_DECLARE(template_mapping);

struct template_mappings {
    struct field_list templates; /* struct template_mapping: every name that there is */
};
FIELD_DECLARE(template_mappings);

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

/* Both limits may be absent. */
struct mail_retry_all_in {
    struct uuid projectId;
    int64_t since; /* real time of the enqueue, ms */
};
FIELD_DECLARE(mail_retry_all_in);

struct mail_retry_all_out {
    int64_t due; /* messages that would have waited longer */
};
FIELD_DECLARE(mail_retry_all_out);

/* Something to be done at a time: authd is asked to, with these ids. The id is the key: the same
 * one again does nothing. What waits for the schedule `replaces` is dropped. */
struct job_put_in {
    struct uuid id;
    const char *kind; /* "account-delete", "account-reminder" */
    int64_t dueAt;    /* contract time, ms */
    struct uuid account, schedule, projectId;
    struct uuid replaces; /* absent: nothing */
};
FIELD_DECLARE(job_put_in);

struct job_list_in {
    const char *state; /* "waiting" (default) or "done" */
    int64_t count;
};
FIELD_DECLARE(job_list_in);

struct job_row {
    struct uuid id, account;
    const char *kind, *state, *lastError;
    int64_t attempts, dueAt, createdAt; /* dueAt: contract time */
};
FIELD_DECLARE(job_row);

struct job_list_out {
    int64_t total;
    struct field_list jobs; /* struct job_row */
};
FIELD_DECLARE(job_list_out);

struct job_run_due_out {
    int64_t due, left; /* before; after a while */
};
FIELD_DECLARE(job_run_due_out);

#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
