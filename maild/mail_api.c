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
    FIELD_CURSOR(struct mail_failures_in, "`next` of the page before; absent: the first page."),
    FIELD_INT(struct mail_failures_in, _count, 1, FAILURES_PAGE_MAX, FAILURES_PAGE, FIELD_QUERY,
              "Mails at most.", "50"),
};
FIELD_TABLE(mail_failures_in);

static const struct field mail_failure_rows[] = {
    FIELD_UUID(struct mail_failure, id, FIELD_REQUIRED,
               "The mail, as operators name it in `atriumctl mail queue`."),
    FIELD_TEXT(struct mail_failure, template, 1, 64, FIELD_REQUIRED, "Name of its template.",
               "PATIENT_WELCOME"),
    FIELD_CHOICE(struct mail_failure, state, failure_states, FIELD_REQUIRED,
                 "`retrying`: it is tried again; `failed`: it was given up.", "retrying"),
    FIELD_TEXT(struct mail_failure, error, 0, 4096, FIELD_REQUIRED,
               "What failed last: the status of the mail server's answer, or why there was none.",
               "smtp: answered 451"),
    FIELD_INT(struct mail_failure, attempts, 0, INT64_MAX, 0, FIELD_REQUIRED, "Attempts so far.",
              "2"),
    FIELD_TIME(struct mail_failure, createdAt, FIELD_REQUIRED,
               "When it was queued, which is when it was tried first."),
    FIELD_TIME(struct mail_failure, triedAt, FIELD_NULLABLE,
               "When the last attempt began; null: that was not recorded."),
    FIELD_TIME(
        struct mail_failure, nextAt, FIELD_NULLABLE,
        "When the next attempt is due at the earliest; null: there is none, or it is under way."),
};
FIELD_TABLE(mail_failure);

static const struct field mail_failure_list_rows[] = {
    FIELD_OBJECTS(struct mail_failure_list, resources, mail_failure, FAILURES_PAGE_MAX,
                  FIELD_REQUIRED, "The newest first."),
    FIELD_NEXT(struct mail_failure_list),
};
FIELD_TABLE(mail_failure_list);

static const struct field mail_enqueue_in_rows[] = {
    FIELD_UUID(struct mail_enqueue_in, id, FIELD_REQUIRED, "Key: the same mail is queued once."),
    FIELD_UUID(struct mail_enqueue_in, projectId, 0,
               "Project whose template is used; absent: the installation's own."),
    FIELD_BOOL(struct mail_enqueue_in, builtin, false, 0,
               "Whether the installation's own is used where the project maps none."),
    FIELD_TEXT(struct mail_enqueue_in, template, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct mail_enqueue_in, language, 0, LANGUAGE_TAG_MAX, 0, "Preferred language.",
               "en"),
    FIELD_EMAIL(struct mail_enqueue_in, to, FIELD_REQUIRED | FIELD_SECRET, "Who gets it.",
                "ana@example.org"),
    FIELD_JSON_OBJECT(struct mail_enqueue_in, variables, VARIABLES_MAX,
                      FIELD_REQUIRED | FIELD_SECRET, "Text for each name in the template.",
                      "{\"projectName\":\"Lakeside Clinic\"}"),
    FIELD_TEXT(struct mail_enqueue_in, defaultLanguage, 0, LANGUAGE_TAG_MAX, 0,
               "Default language of the project.", "en"),
    FIELD_INT(struct mail_enqueue_in, expiresAt, 0, INT64_MAX, 0, 0,
              "Not sent from then on: its link is of no use any more.", "1769851800000"),
};
FIELD_TABLE(mail_enqueue_in);

static const struct field mail_enqueue_out_rows[] = {
    FIELD_BOOL(struct mail_enqueue_out, queued, false, FIELD_REQUIRED,
               "False when the project maps no such template, or the mail is known already."),
};
FIELD_TABLE(mail_enqueue_out);

static const struct field mail_queue_in_rows[] = {
    FIELD_CHOICE(struct mail_queue_in, state, queue_states, 0, "Which part of the queue.",
                 "queued"),
    FIELD_INT(struct mail_queue_in, count, 1, QUEUE_MAX, 100, 0, "Messages at most.", "100"),
};
FIELD_TABLE(mail_queue_in);

static const struct field mail_queue_row_rows[] = {
    FIELD_UUID(struct mail_queue_row, id, FIELD_REQUIRED, "The message."),
    FIELD_UUID(struct mail_queue_row, projectId, FIELD_REQUIRED, "Its project."),
    FIELD_TEXT(struct mail_queue_row, template, 1, 64, FIELD_REQUIRED, "Its template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct mail_queue_row, state, 1, 32, FIELD_REQUIRED, "Where it stands.", "queued"),
    FIELD_TEXT(struct mail_queue_row, lastError, 0, 4096, FIELD_NULLABLE,
               "What the server said last.", "451 try again later"),
    FIELD_INT(struct mail_queue_row, attempts, 0, INT64_MAX, 0, FIELD_REQUIRED, "Tries so far.",
              "2"),
    FIELD_TIME(struct mail_queue_row, createdAt, FIELD_REQUIRED, "When it was queued."),
    FIELD_TIME(struct mail_queue_row, dueAt, 0, "When it is tried next."),
};
FIELD_TABLE(mail_queue_row);

static const struct field mail_queue_out_rows[] = {
    FIELD_INT(struct mail_queue_out, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Messages in that state.", "3"),
    FIELD_OBJECTS(struct mail_queue_out, messages, mail_queue_row, QUEUE_MAX, FIELD_REQUIRED,
                  "The oldest of them."),
};
FIELD_TABLE(mail_queue_out);

static const struct field mail_id_in_rows[] = {
    FIELD_UUID(struct mail_id_in, id, FIELD_REQUIRED, "The message."),
};
FIELD_TABLE(mail_id_in);

static const struct field mail_retry_all_in_rows[] = {
    FIELD_UUID(struct mail_retry_all_in, projectId, 0, "Messages of this project only."),
    FIELD_INT(struct mail_retry_all_in, since, 0, INT64_MAX, 0, 0, "Messages made since then only.",
              "1769851800000"),
};
FIELD_TABLE(mail_retry_all_in);

static const struct field mail_retry_all_out_rows[] = {
    FIELD_INT(struct mail_retry_all_out, due, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Messages that are due now and would have waited longer.", "3"),
};
FIELD_TABLE(mail_retry_all_out);
