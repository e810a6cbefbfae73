/* mail_api.c - field tables of mail_api.h. See maild_api.c. */
#include "maild/mail_api.h"

#include "common/domain/language.h"
#include "common/service/page_cursor.h"

enum {
    VARIABLES_MAX = 65536,
    QUEUE_MAX = 1000,
    FAILURES_PAGE = 50,
    FAILURES_PAGE_MAX = 100,
};

static const char *const queue_states[] = {"queued", "dead", NULL};

static const char *const failure_states[] = {"retrying", "failed", NULL};

static const struct field mail_failures_in_rows[] = {
    FIELD_CURSOR(struct mail_failures_in,
                 "`next` of the previous page; absent for the first page."),
    FIELD_INT(struct mail_failures_in, _count, 1, FAILURES_PAGE_MAX, FAILURES_PAGE, FIELD_QUERY,
              "Maximum number of emails to return.", "50"),
};
FIELD_TABLE(mail_failures_in);

static const struct field mail_failure_rows[] = {
    FIELD_UUID(struct mail_failure, id, FIELD_REQUIRED,
               "ID of the email, as in `atriumctl mail queue`."),
    FIELD_TEXT(struct mail_failure, template, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_CHOICE(struct mail_failure, state, failure_states, FIELD_REQUIRED,
                 "`retrying`: another attempt follows; `failed`: no more attempts.", "retrying"),
    FIELD_TEXT(struct mail_failure, error, 0, 4096, FIELD_REQUIRED,
               "Last error: the mail server's status, or why there was no response.",
               "smtp: answered 451"),
    FIELD_INT(struct mail_failure, attempts, 0, INT64_MAX, 0, FIELD_REQUIRED, "Attempts so far.",
              "2"),
    FIELD_TIME(struct mail_failure, createdAt, FIELD_REQUIRED,
               "When the email was queued and first tried."),
    FIELD_TIME(struct mail_failure, triedAt, FIELD_NULLABLE,
               "When the last attempt started; null if unknown."),
    FIELD_TIME(struct mail_failure, nextAt, FIELD_NULLABLE,
               "Earliest time of the next attempt; null if there is none, or it is in progress."),
};
FIELD_TABLE(mail_failure);

static const struct field mail_failure_list_rows[] = {
    FIELD_OBJECTS(struct mail_failure_list, resources, mail_failure, FAILURES_PAGE_MAX,
                  FIELD_REQUIRED, "Emails, newest first."),
    FIELD_NEXT(struct mail_failure_list),
};
FIELD_TABLE(mail_failure_list);

static const struct field mail_enqueue_in_rows[] = {
    FIELD_UUID(struct mail_enqueue_in, id, FIELD_REQUIRED, "Idempotency key."),
    FIELD_UUID(struct mail_enqueue_in, projectId, 0,
               "Project whose template is used; absent for the installation's own."),
    FIELD_BOOL(struct mail_enqueue_in, builtin, false, 0,
               "Whether to use the built-in template if the project has none."),
    FIELD_TEXT(struct mail_enqueue_in, template, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct mail_enqueue_in, language, 0, LANGUAGE_TAG_MAX, 0, "Preferred language.",
               "en"),
    FIELD_EMAIL(struct mail_enqueue_in, to, FIELD_REQUIRED | FIELD_SECRET,
                "Email address of the recipient.", "ana@example.org"),
    FIELD_JSON_OBJECT(struct mail_enqueue_in, variables, VARIABLES_MAX,
                      FIELD_REQUIRED | FIELD_SECRET, "Value of each variable in the template.",
                      "{\"projectName\":\"Lakeside Clinic\"}"),
    FIELD_TEXT(struct mail_enqueue_in, defaultLanguage, 0, LANGUAGE_TAG_MAX, 0,
               "Default language of the project.", "en"),
    FIELD_INT(struct mail_enqueue_in, expiresAt, 0, INT64_MAX, 0, 0,
              "When the link in the email expires; the email is not sent after that.",
              "1769851800000"),
};
FIELD_TABLE(mail_enqueue_in);

static const struct field mail_enqueue_out_rows[] = {
    FIELD_BOOL(struct mail_enqueue_out, queued, false, FIELD_REQUIRED,
               "Whether the email was queued: false if the project has no such template, or the "
               "email was queued before."),
};
FIELD_TABLE(mail_enqueue_out);

static const struct field mail_queue_in_rows[] = {
    FIELD_CHOICE(struct mail_queue_in, state, queue_states, 0,
                 "Return only messages in this state.", "queued"),
    FIELD_INT(struct mail_queue_in, count, 1, QUEUE_MAX, 100, 0,
              "Maximum number of messages to return.", "100"),
};
FIELD_TABLE(mail_queue_in);

static const struct field mail_queue_row_rows[] = {
    FIELD_UUID(struct mail_queue_row, id, FIELD_REQUIRED, "ID of the message."),
    FIELD_UUID(struct mail_queue_row, projectId, FIELD_REQUIRED, "Project of the message."),
    FIELD_TEXT(struct mail_queue_row, template, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct mail_queue_row, state, 1, 32, FIELD_REQUIRED, "State of the message.",
               "queued"),
    FIELD_TEXT(struct mail_queue_row, lastError, 0, 4096, FIELD_NULLABLE,
               "Last error from the mail server.", "451 try again later"),
    FIELD_INT(struct mail_queue_row, attempts, 0, INT64_MAX, 0, FIELD_REQUIRED, "Attempts so far.",
              "2"),
    FIELD_TIME(struct mail_queue_row, createdAt, FIELD_REQUIRED, "When the message was queued."),
    FIELD_TIME(struct mail_queue_row, dueAt, 0, "When the next attempt is due."),
};
FIELD_TABLE(mail_queue_row);

static const struct field mail_queue_out_rows[] = {
    FIELD_INT(struct mail_queue_out, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of messages in this state.", "3"),
    FIELD_OBJECTS(struct mail_queue_out, messages, mail_queue_row, QUEUE_MAX, FIELD_REQUIRED,
                  "Messages, oldest first."),
};
FIELD_TABLE(mail_queue_out);

static const struct field mail_id_in_rows[] = {
    FIELD_UUID(struct mail_id_in, id, FIELD_REQUIRED, "ID of the message."),
};
FIELD_TABLE(mail_id_in);

static const struct field mail_retry_all_in_rows[] = {
    FIELD_UUID(struct mail_retry_all_in, projectId, 0, "Retry only messages of this project."),
    FIELD_INT(struct mail_retry_all_in, since, 0, INT64_MAX, 0, 0,
              "Retry only messages that were queued since then.", "1769851800000"),
};
FIELD_TABLE(mail_retry_all_in);

static const struct field mail_retry_all_out_rows[] = {
    FIELD_INT(struct mail_retry_all_out, due, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of messages that are retried earlier than planned.", "3"),
};
FIELD_TABLE(mail_retry_all_out);
