/*
 * maild_api.c - the shapes of maild's inputs and outputs.
 *
 * Linked into every program: programs that send mail pack by these tables.
 */
#include "maild/maild_api.h"

#include <stdio.h>
#include <string.h>

#include "common/domain/language.h"
#include "common/service/page_cursor.h"

enum {
    TEMPLATE_NAME_MAX = 4096, /* a name that is too long is not found, like any unknown one */
    VARIABLES_MAX = 65536,
    SUBJECT_MAX = 998, /* one header line, RFC 5322, section 2.1.1 */
    PART_MAX = 262144,
    PREVIEW_MAX = 1048576, /* a part, with sample values twice its length at most */
    TEMPLATES_MAX = 1000,
    QUEUE_MAX = 1000,
    URL_MAX = 2048,
    EVENTS_MAX = 16,
    AUDIENCE_MAX = 255,
    WEBHOOK_PAGE = 50,
    WEBHOOK_PAGE_MAX = 100,
    FAILURES_PAGE = 50,
    FAILURES_PAGE_MAX = 100,
    PREVIOUS_HOURS = 24,
    PREVIOUS_HOURS_MAX = 168,
};

static const char *const job_kinds[] = {"account-delete", "account-reminder", NULL};
static const char *const job_states[] = {"waiting", "done", NULL};
static const char *const queue_states[] = {"queued", "dead", NULL};

static const char *const failure_states[] = {"retrying", "failed", NULL};

static const char *const delivery_states[] = {"waiting", "delivered", "failed", NULL};

/* See webhook_event.c for what becomes each of them. */
static const char *const webhook_events[] = {"account.created",  "account.deleted",
                                             "session.created",  "session.revoked",
                                             "member.added",     "settings.changed",
                                             "document.created", NULL};

static const char *const webhook_formats[] = {"standard", "caep", NULL};

/* An absolute https URL (RFC 3986) of printable ASCII, without user or fragment. */
static int webhook_url_check(const char *value, char why[static 96])
{
    static const char scheme[] = "https://";
    const char *host = value + sizeof(scheme) - 1, *end;

    snprintf(why, 96, "must be an absolute https URL without user and fragment");
    if (strncmp(value, scheme, sizeof(scheme) - 1) != 0 || strchr(value, '#'))
        return -1;
    for (const char *c = value; *c; c++) {
        if (*c <= ' ' || *c > '~')
            return -1;
    }
    end = host + strcspn(host, "/?");
    return end == host || memchr(host, '@', (size_t)(end - host)) ? -1 : 0;
}

/* ---- routes ---- */

static const struct field email_template_in_rows[] = {
    FIELD_TEXT(struct email_template_in, name, 1, TEMPLATE_NAME_MAX, FIELD_PATH | FIELD_REQUIRED,
               "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct email_template_in, language, 0, LANGUAGE_TAG_MAX, FIELD_NULLABLE,
               "Language (BCP 47); absent: for all that have no template of their own.", "en"),
    FIELD_TEXT(struct email_template_in, subject, 1, SUBJECT_MAX, FIELD_REQUIRED,
               "Subject line; {{name}} stands for a variable, here and in the parts.",
               "Welcome to {{projectName}}"),
    FIELD_TEXT(struct email_template_in, html, 0, PART_MAX, FIELD_NULLABLE,
               "HTML part; values are escaped in it.", "<p>Welcome, {{recipientName}}.</p>"),
    FIELD_TEXT(struct email_template_in, text, 1, PART_MAX, FIELD_REQUIRED, "Text part.",
               "Welcome, {{recipientName}}."),
    FIELD_IF_MATCH(struct email_template_in, "the template"),
    FIELD_IF_NONE_MATCH(struct email_template_in, "the template"),
};
FIELD_TABLE(email_template_in);

static const struct field email_template_get_in_rows[] = {
    FIELD_TEXT(struct email_template_get_in, name, 1, TEMPLATE_NAME_MAX,
               FIELD_PATH | FIELD_REQUIRED, "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct email_template_get_in, language, 0, LANGUAGE_TAG_MAX, FIELD_QUERY,
               "Language of the template; absent or empty: the one without a language.", "en"),
};
FIELD_TABLE(email_template_get_in);

static const struct field email_template_delete_in_rows[] = {
    FIELD_TEXT(struct email_template_delete_in, name, 1, TEMPLATE_NAME_MAX,
               FIELD_PATH | FIELD_REQUIRED, "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct email_template_delete_in, language, 0, LANGUAGE_TAG_MAX, FIELD_QUERY,
               "Language to unmap; absent: all of them; empty: the one without a language.", "en"),
};
FIELD_TABLE(email_template_delete_in);

static const struct field email_template_preview_in_rows[] = {
    FIELD_TEXT(struct email_template_preview_in, name, 1, TEMPLATE_NAME_MAX,
               FIELD_PATH | FIELD_REQUIRED, "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct email_template_preview_in, language, 0, LANGUAGE_TAG_MAX, FIELD_NULLABLE,
               "Language of the recipient.", "en"),
};
FIELD_TABLE(email_template_preview_in);

static const struct field email_template_preview_rows[] = {
    FIELD_TEXT(struct email_template_preview, subject, 0, PREVIEW_MAX, FIELD_REQUIRED,
               "Subject line with sample values.", "Welcome to Lakeside Clinic"),
    FIELD_TEXT(struct email_template_preview, html, 0, PREVIEW_MAX, FIELD_NULLABLE,
               "HTML part with sample values.", "<p>Welcome, Ana Lima.</p>"),
    FIELD_TEXT(struct email_template_preview, text, 0, PREVIEW_MAX, FIELD_REQUIRED,
               "Text part with sample values.", "Welcome, Ana Lima."),
};
FIELD_TABLE(email_template_preview);

static const struct field webhook_in_rows[] = {
    FIELD_UUID(struct webhook_in, id, FIELD_PATH, "The webhook to replace."),
    FIELD_PATTERN(struct webhook_in, url, 9, URL_MAX, webhook_url_check, "^https://",
                  FIELD_REQUIRED, "Where events are posted to: an absolute https URL.",
                  "https://hooks.example.com/atrium"),
    FIELD_ROW(struct webhook_in, events, FIELD_TYPE_TEXTS, struct field_texts, .max = 64,
              .choices = webhook_events, .min_items = 1, .max_items = EVENTS_MAX,
              .flags = FIELD_REQUIRED, .doc = "Events that are posted.",
              .example = "session.created"),
    FIELD_BOOL(struct webhook_in, enabled, true, 0,
               "Whether events are posted; while it is false they are not kept for later."),
    FIELD_CHOICE(struct webhook_in, format, webhook_formats, FIELD_NULLABLE,
                 "What is posted: `standard`, events as JSON that are signed with a secret (the "
                 "default), or `caep`, Security Event Tokens of the issuer, of `session.revoked` "
                 "alone. It stays.",
                 "caep"),
    FIELD_TEXT(struct webhook_in, audience, 1, AUDIENCE_MAX, FIELD_NULLABLE,
               "Whom the tokens of the format `caep` are for, their claim `aud`; absent from a "
               "PUT, it stays.",
               "https://events.example.com"),
    FIELD_IF_MATCH(struct webhook_in, "the webhook"),
};
FIELD_TABLE(webhook_in);

static const struct field webhook_id_in_rows[] = {
    FIELD_UUID(struct webhook_id_in, id, FIELD_PATH | FIELD_REQUIRED, "The webhook."),
};
FIELD_TABLE(webhook_id_in);

static const struct field webhook_exchange_in_rows[] = {
    FIELD_UUID(struct webhook_exchange_in, id, FIELD_PATH | FIELD_REQUIRED, "The webhook."),
    FIELD_INT(struct webhook_exchange_in, previousHours, 0, PREVIOUS_HOURS_MAX, PREVIOUS_HOURS, 0,
              "For how long the secret before signs, too; 0: not any more.", "24"),
};
FIELD_TABLE(webhook_exchange_in);

static const struct field webhook_rows[] = {
    FIELD_UUID(struct webhook, id, FIELD_REQUIRED, "Identifier of the webhook."),
    FIELD_TEXT(struct webhook, url, 1, URL_MAX, FIELD_REQUIRED, "Where events are posted to.",
               "https://hooks.example.com/atrium"),
    FIELD_JSON_TEXTS(struct webhook, events, 1024, FIELD_REQUIRED, "Events that are posted.",
                     "[\"session.created\"]"),
    FIELD_BOOL(struct webhook, enabled, false, FIELD_REQUIRED, "Whether events are posted."),
    FIELD_CHOICE(struct webhook, format, webhook_formats, FIELD_REQUIRED, "What is posted.",
                 "standard"),
    FIELD_TEXT(struct webhook, audience, 1, AUDIENCE_MAX, FIELD_NULLABLE,
               "Whom the tokens of the format `caep` are for; null: it has another format.",
               "https://events.example.com"),
    FIELD_TEXT(struct webhook, secret, 0, 64, FIELD_SECRET,
               "What the receiver verifies signatures with; only in the answers that make it.",
               "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"),
    FIELD_TIME(struct webhook, previousSecretUntil, FIELD_NULLABLE,
               "Until when the secret before signs, too; null: it does not."),
    FIELD_TIME(struct webhook, goneAt, FIELD_NULLABLE,
               "When its receiver answered 410, which switched it off; null: it did not."),
    FIELD_TIME(struct webhook, failingSince, FIELD_NULLABLE,
               "Since when no attempt has been delivered; null: the last one was, or there was "
               "none."),
    FIELD_TIME(struct webhook, createdAt, FIELD_REQUIRED, "When it was created."),
    FIELD_TIME(struct webhook, lastUpdated, FIELD_REQUIRED, "When it was last changed."),
    FIELD_ETAG(struct webhook),
};
FIELD_TABLE(webhook);

#define FIRST_PAGE "`next` of the page before; absent: the first page."

static const struct field webhooks_in_rows[] = {
    FIELD_CURSOR(struct webhooks_in, FIRST_PAGE),
    FIELD_INT(struct webhooks_in, _count, 1, WEBHOOK_PAGE_MAX, WEBHOOK_PAGE, FIELD_QUERY,
              "Webhooks at most.", "50"),
};
FIELD_TABLE(webhooks_in);

static const struct field webhook_list_rows[] = {
    FIELD_OBJECTS(struct webhook_list, resources, webhook, WEBHOOK_PAGE_MAX, FIELD_REQUIRED,
                  "The oldest first."),
    FIELD_NEXT(struct webhook_list),
};
FIELD_TABLE(webhook_list);

static const struct field webhook_deliveries_in_rows[] = {
    FIELD_UUID(struct webhook_deliveries_in, id, FIELD_PATH | FIELD_REQUIRED, "The webhook."),
    FIELD_CHOICE(struct webhook_deliveries_in, state, delivery_states, FIELD_QUERY,
                 "Only those in this state.", "failed"),
    FIELD_CURSOR(struct webhook_deliveries_in, FIRST_PAGE),
    FIELD_INT(struct webhook_deliveries_in, _count, 1, WEBHOOK_PAGE_MAX, WEBHOOK_PAGE, FIELD_QUERY,
              "Deliveries at most.", "50"),
};
FIELD_TABLE(webhook_deliveries_in);

static const struct field webhook_delivery_rows[] = {
    FIELD_INT(struct webhook_delivery, id, 1, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of the delivery; a later event has a greater one.", "4711"),
    FIELD_UUID(struct webhook_delivery, event, FIELD_REQUIRED,
               "Identifier of the event; with `msg_` before it the header `webhook-id`."),
    FIELD_TEXT(struct webhook_delivery, type, 1, 64, FIELD_REQUIRED, "What happened.",
               "session.created"),
    FIELD_CHOICE(struct webhook_delivery, state, delivery_states, FIELD_REQUIRED,
                 "`waiting` for its first or next attempt, `delivered`, or `failed`: given up.",
                 "delivered"),
    FIELD_INT(struct webhook_delivery, attempts, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Attempts so far.", "1"),
    FIELD_TIME(struct webhook_delivery, happenedAt, FIELD_REQUIRED, "When it happened."),
    FIELD_TIME(struct webhook_delivery, triedAt, FIELD_NULLABLE,
               "When the last attempt ended; null: there was none."),
    FIELD_TIME(struct webhook_delivery, nextAt, FIELD_NULLABLE,
               "When the next attempt is due at the earliest; null: there is none."),
    FIELD_INT(struct webhook_delivery, status, 0, 999, 0, FIELD_OMIT_ZERO,
              "HTTP status of the last answer; absent: there was none.", "204"),
    FIELD_TEXT(struct webhook_delivery, error, 0, 64, FIELD_NULLABLE,
               "Why the last attempt had no answer: `DEADLINE` (none in time), `UNAVAILABLE` (no "
               "connection, no certificate of the host), `FORBIDDEN` (an address that is not "
               "allowed), `TOO_LARGE` (the answer). With the format `caep` also why the receiver "
               "has refused the token with 400: `invalid_request`, `invalid_issuer`, "
               "`invalid_audience`, which are final, `invalid_key`, `authentication_failed`, "
               "`access_denied` (RFC 8935).",
               "DEADLINE"),
};
FIELD_TABLE(webhook_delivery);

static const struct field webhook_delivery_list_rows[] = {
    FIELD_OBJECTS(struct webhook_delivery_list, resources, webhook_delivery, WEBHOOK_PAGE_MAX,
                  FIELD_REQUIRED, "The latest event first."),
    FIELD_NEXT(struct webhook_delivery_list),
};
FIELD_TABLE(webhook_delivery_list);

static const struct field webhook_redeliver_in_rows[] = {
    FIELD_UUID(struct webhook_redeliver_in, id, FIELD_PATH | FIELD_REQUIRED, "The webhook."),
    FIELD_INT(struct webhook_redeliver_in, delivery, 0, INT64_MAX, 0, 0,
              "Number of a delivery that has ended; 0 or absent: all that were given up.", "4711"),
};
FIELD_TABLE(webhook_redeliver_in);

static const struct field webhook_redeliver_out_rows[] = {
    FIELD_INT(struct webhook_redeliver_out, count, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Deliveries that are posted again.", "3"),
};
FIELD_TABLE(webhook_redeliver_out);

static const struct field mail_failures_in_rows[] = {
    FIELD_CURSOR(struct mail_failures_in, FIRST_PAGE),
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

/* ---- between daemons ---- */

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

static const struct field template_mapped_in_rows[] = {
    FIELD_UUID(struct template_mapped_in, projectId, FIELD_REQUIRED, "The project."),
    FIELD_TEXT(struct template_mapped_in, name, 1, TEMPLATE_NAME_MAX, FIELD_REQUIRED,
               "The template.", "PATIENT_WELCOME"),
};
FIELD_TABLE(template_mapped_in);

static const struct field template_mapped_out_rows[] = {
    FIELD_BOOL(struct template_mapped_out, mapped, false, FIELD_REQUIRED,
               "The project has the template, in some language."),
};
FIELD_TABLE(template_mapped_out);

static const struct field template_put_in_rows[] = {
    FIELD_UUID(struct template_put_in, projectId, FIELD_REQUIRED, "Project that maps it."),
    FIELD_TEXT(struct template_put_in, name, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct template_put_in, language, 0, LANGUAGE_TAG_MAX, 0,
               "Language; absent: for all that have none of their own.", "en"),
    FIELD_TEXT(struct template_put_in, subject, 1, SUBJECT_MAX, FIELD_REQUIRED, "Subject line.",
               "Welcome to {{projectName}}"),
    FIELD_TEXT(struct template_put_in, html, 0, PART_MAX, 0, "HTML part.",
               "<p>Welcome, {{recipientName}}.</p>"),
    FIELD_TEXT(struct template_put_in, text, 1, PART_MAX, FIELD_REQUIRED, "Text part.",
               "Welcome, {{recipientName}}."),
};
FIELD_TABLE(template_put_in);

static const struct field template_record_rows[] = {
    FIELD_TEXT(struct template_record, name, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct template_record, language, 0, LANGUAGE_TAG_MAX, FIELD_NULLABLE, "Language.",
               "en"),
    FIELD_TEXT(struct template_record, subject, 1, SUBJECT_MAX, FIELD_REQUIRED, "Subject line.",
               "Welcome to {{projectName}}"),
    FIELD_TEXT(struct template_record, html, 0, PART_MAX, FIELD_NULLABLE, "HTML part.",
               "<p>Welcome, {{recipientName}}.</p>"),
    FIELD_TEXT(struct template_record, text, 0, PART_MAX, FIELD_REQUIRED, "Text part.",
               "Welcome, {{recipientName}}."),
    FIELD_TIME(struct template_record, lastUpdated, FIELD_REQUIRED, "When it was written."),
    FIELD_ETAG(struct template_record),
};
FIELD_TABLE(template_record);

static const struct field template_mapping_rows[] = {
    FIELD_TEXT(struct template_mapping, name, 1, TEMPLATE_NAME_MAX, FIELD_REQUIRED,
               "Name of the template.", "PATIENT_WELCOME"),
    FIELD_BOOL(struct template_mapping, mapped, false, FIELD_REQUIRED, "The project has it."),
    FIELD_BOOL(struct template_mapping, anyLanguage, false, FIELD_REQUIRED,
               "One is there for recipients whose language has none of its own."),
    FIELD_TEXTS(struct template_mapping, languages, 1, LANGUAGE_TAG_MAX, TEMPLATES_MAX,
                FIELD_REQUIRED, "Languages that have one of their own.", "en"),
};
FIELD_TABLE(template_mapping);

static const struct field template_mappings_rows[] = {
    FIELD_OBJECTS(struct template_mappings, templates, template_mapping, TEMPLATES_MAX,
                  FIELD_REQUIRED, "Every template that there is."),
};
FIELD_TABLE(template_mappings);

static const struct field template_list_in_rows[] = {
    FIELD_UUID(struct template_list_in, projectId, FIELD_REQUIRED, "Project asked for."),
};
FIELD_TABLE(template_list_in);

static const struct field template_delete_in_rows[] = {
    FIELD_UUID(struct template_delete_in, projectId, FIELD_REQUIRED, "Project that maps it."),
    FIELD_TEXT(struct template_delete_in, name, 1, TEMPLATE_NAME_MAX, FIELD_REQUIRED,
               "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct template_delete_in, language, 0, LANGUAGE_TAG_MAX, 0,
               "Language to unmap; absent: all of them; empty: the one without a language.", "en"),
};
FIELD_TABLE(template_delete_in);

static const struct field template_preview_in_rows[] = {
    FIELD_UUID(struct template_preview_in, projectId, FIELD_REQUIRED, "Project that maps it."),
    FIELD_TEXT(struct template_preview_in, name, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct template_preview_in, language, 0, LANGUAGE_TAG_MAX, 0,
               "Language of the recipient.", "en"),
};
FIELD_TABLE(template_preview_in);

static const struct field template_records_rows[] = {
    FIELD_OBJECTS(struct template_records, resources, template_record, TEMPLATES_MAX,
                  FIELD_REQUIRED, "Its templates, by name and language."),
};
FIELD_TABLE(template_records);

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

static const struct field job_put_in_rows[] = {
    FIELD_UUID(struct job_put_in, id, FIELD_REQUIRED, "Key: the same job is taken once."),
    FIELD_CHOICE(struct job_put_in, kind, job_kinds, FIELD_REQUIRED, "What is to be done.",
                 "account-delete"),
    FIELD_INT(struct job_put_in, dueAt, 0, INT64_MAX, 0, FIELD_REQUIRED, "When.", "1769851800000"),
    FIELD_UUID(struct job_put_in, account, FIELD_REQUIRED, "The account that it is about."),
    FIELD_UUID(struct job_put_in, schedule, FIELD_REQUIRED, "Void unless this is its schedule."),
    FIELD_UUID(struct job_put_in, projectId, FIELD_REQUIRED, "Project of its mail."),
    FIELD_UUID(struct job_put_in, replaces, 0, "Schedule whose jobs are dropped."),
};
FIELD_TABLE(job_put_in);

static const struct field job_list_in_rows[] = {
    FIELD_CHOICE(struct job_list_in, state, job_states, 0, "Which jobs.", "waiting"),
    FIELD_INT(struct job_list_in, count, 1, QUEUE_MAX, 100, 0, "Jobs at most.", "100"),
};
FIELD_TABLE(job_list_in);

static const struct field job_row_rows[] = {
    FIELD_UUID(struct job_row, id, FIELD_REQUIRED, "The job."),
    FIELD_TEXT(struct job_row, kind, 1, 64, FIELD_REQUIRED, "What is to be done.",
               "account-delete"),
    FIELD_UUID(struct job_row, account, FIELD_REQUIRED, "The account that it is about."),
    FIELD_TEXT(struct job_row, state, 1, 32, FIELD_REQUIRED, "Where it stands.", "waiting"),
    FIELD_TEXT(struct job_row, lastError, 0, 64, FIELD_NULLABLE, "Why the last try failed.",
               "UNAVAILABLE"),
    FIELD_INT(struct job_row, attempts, 0, INT64_MAX, 0, FIELD_REQUIRED, "Tries so far.", "0"),
    FIELD_TIME(struct job_row, dueAt, FIELD_REQUIRED, "When."),
    FIELD_TIME(struct job_row, createdAt, FIELD_REQUIRED, "When it was queued."),
};
FIELD_TABLE(job_row);

static const struct field job_list_out_rows[] = {
    FIELD_INT(struct job_list_out, total, 0, INT64_MAX, 0, FIELD_REQUIRED, "Jobs in that state.",
              "3"),
    FIELD_OBJECTS(struct job_list_out, jobs, job_row, QUEUE_MAX, FIELD_REQUIRED,
                  "Those that are due first."),
};
FIELD_TABLE(job_list_out);

static const struct field job_run_due_out_rows[] = {
    FIELD_INT(struct job_run_due_out, due, 0, INT64_MAX, 0, FIELD_REQUIRED, "Jobs that were due.",
              "2"),
    FIELD_INT(struct job_run_due_out, left, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Those that are due still.", "0"),
};
FIELD_TABLE(job_run_due_out);

#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
