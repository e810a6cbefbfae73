/* webhook_api.c - field tables of webhook_api.h. See maild_api.c. */
#include "maild/webhook_api.h"

#include <stdio.h>
#include <string.h>

#include "common/domain/uri.h"
#include "common/service/page_cursor.h"

enum {
    URL_MAX = 2048,
    EVENTS_MAX = 16,
    AUDIENCE_MAX = 255,
    WEBHOOK_PAGE = 50,
    WEBHOOK_PAGE_MAX = 100,
    PREVIOUS_HOURS = 24,
    PREVIOUS_HOURS_MAX = 168,
    PAYLOAD_MAX = 4096,
    WEBHOOK_ATTEMPTS_MAX = 20, /* see webhook_delivery_record.sql */
};

static const char *const delivery_states[] = {"waiting", "delivered", "failed", NULL};

/* See webhook_event.c. */
static const char *const webhook_events[] = {"account.created",  "account.deleted",
                                             "session.created",  "session.revoked",
                                             "member.added",     "settings.changed",
                                             "document.created", NULL};

static const char *const webhook_formats[] = {"standard", "caep", NULL};

static const struct field webhook_in_rows[] = {
    FIELD_UUID(struct webhook_in, id, FIELD_PATH, "ID of the webhook to replace."),
    FIELD_PATTERN(struct webhook_in, url, 9, URL_MAX, uri_receiver_check,
                  "^[Hh][Tt][Tt][Pp][Ss]?://", FIELD_REQUIRED,
                  "Absolute https URL that receives the events. If the operator permits it, as "
                  "`atriumctl dev` does, also http on 127.0.0.1, [::1] or localhost.",
                  "https://hooks.example.com/atrium"),
    FIELD_ROW(struct webhook_in, events, FIELD_TYPE_TEXTS, struct field_texts, .max = 64,
              .choices = webhook_events, .min_items = 1, .max_items = EVENTS_MAX,
              .flags = FIELD_REQUIRED, .doc = "Events to post.", .example = "session.created"),
    FIELD_BOOL(struct webhook_in, enabled, true, 0,
               "Whether events are posted. While it is false, events are not kept for later."),
    FIELD_CHOICE(
        struct webhook_in, format, webhook_formats, FIELD_NULLABLE,
        "Format: `standard` (the default), JSON events signed with a secret; `caep`, Security "
        "Event Tokens of the issuer for `session.revoked` only. It can't be changed later.",
        "standard"),
    FIELD_TEXT(struct webhook_in, audience, 1, AUDIENCE_MAX, FIELD_NULLABLE,
               "Audience of the tokens (`aud`), for the format `caep`. If absent from a PUT, it "
               "doesn't change.",
               ""),
    FIELD_IF_MATCH(struct webhook_in, "the webhook"),
};
FIELD_TABLE(webhook_in);

static const struct field webhook_id_in_rows[] = {
    FIELD_UUID(struct webhook_id_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the webhook."),
};
FIELD_TABLE(webhook_id_in);

static const struct field webhook_exchange_in_rows[] = {
    FIELD_UUID(struct webhook_exchange_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the webhook."),
    FIELD_INT(struct webhook_exchange_in, previousHours, 0, PREVIOUS_HOURS_MAX, PREVIOUS_HOURS, 0,
              "Hours for which events are also signed with the previous secret; 0 for none.", "24"),
};
FIELD_TABLE(webhook_exchange_in);

static const struct field webhook_rows[] = {
    FIELD_UUID(struct webhook, id, FIELD_REQUIRED, "ID of the webhook.",
               "019ad812-6b35-7f04-8c51-2e9d7a0b4f63"),
    FIELD_TEXT(struct webhook, url, 1, URL_MAX, FIELD_REQUIRED, "URL that receives the events.",
               "https://hooks.example.com/atrium"),
    FIELD_JSON_TEXTS(struct webhook, events, 1024, FIELD_REQUIRED, "Events to post.",
                     "[\"session.created\"]"),
    FIELD_BOOL(struct webhook, enabled, false, FIELD_REQUIRED, "Whether events are posted."),
    FIELD_CHOICE(struct webhook, format, webhook_formats, FIELD_REQUIRED, "Format of the events.",
                 "standard"),
    FIELD_TEXT(struct webhook, audience, 1, AUDIENCE_MAX, FIELD_NULLABLE,
               "Audience of the tokens (format `caep`); null for other formats.", "null"),
    FIELD_TEXT(
        struct webhook, secret, 0, 64, FIELD_SECRET,
        "Secret with which the receiver verifies signatures; only in the responses that create it.",
        "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"),
    FIELD_TIME(struct webhook, previousSecretUntil, FIELD_NULLABLE,
               "Until when events are also signed with the previous secret; null if they are not.",
               "null"),
    FIELD_TIME(struct webhook, goneAt, FIELD_NULLABLE,
               "When the receiver returned 410, which disabled the webhook; null if it didn't.",
               "null"),
    FIELD_TIME(
        struct webhook, failingSince, FIELD_NULLABLE,
        "Since when all attempts have failed; null if the last one succeeded, or there was none.",
        "null"),
    FIELD_TIME(struct webhook, createdAt, FIELD_REQUIRED, "When the webhook was created.",
               "2026-01-12T08:00:00.000Z"),
    FIELD_TIME(struct webhook, lastUpdated, FIELD_REQUIRED, "When the webhook was last changed."),
    FIELD_ETAG(struct webhook),
};
FIELD_TABLE(webhook);

#define FIRST_PAGE "`next` of the previous page; absent for the first page."

static const struct field webhooks_in_rows[] = {
    FIELD_CURSOR(struct webhooks_in, FIRST_PAGE),
    FIELD_INT(struct webhooks_in, _count, 1, WEBHOOK_PAGE_MAX, WEBHOOK_PAGE, FIELD_QUERY,
              "Maximum number of webhooks to return.", "50"),
};
FIELD_TABLE(webhooks_in);

static const struct field webhook_list_rows[] = {
    FIELD_OBJECTS(struct webhook_list, resources, webhook, WEBHOOK_PAGE_MAX, FIELD_REQUIRED,
                  "Webhooks, oldest first."),
    FIELD_NEXT(struct webhook_list),
};
FIELD_TABLE(webhook_list);

static const struct field webhook_deliveries_in_rows[] = {
    FIELD_UUID(struct webhook_deliveries_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the webhook."),
    FIELD_CHOICE(struct webhook_deliveries_in, state, delivery_states, FIELD_QUERY,
                 "Return only deliveries in this state.", "failed"),
    FIELD_CURSOR(struct webhook_deliveries_in, FIRST_PAGE),
    FIELD_INT(struct webhook_deliveries_in, _count, 1, WEBHOOK_PAGE_MAX, WEBHOOK_PAGE, FIELD_QUERY,
              "Maximum number of deliveries to return.", "50"),
};
FIELD_TABLE(webhook_deliveries_in);

#define ERROR_DOC                                                                                \
    "`DEADLINE` (timeout), `UNAVAILABLE` (no connection, or no valid certificate), `FORBIDDEN` " \
    "(address not allowed), `TOO_LARGE` (response too large). With the format `caep`, also why " \
    "the receiver rejected the token with 400 (RFC 8935): `invalid_request`, `invalid_issuer` "  \
    "and `invalid_audience`, which are not retried, or `invalid_key`, `authentication_failed`, " \
    "`access_denied`."

/* Rows of struct webhook_delivery, which is s or, with `at`, its member. */
#define DELIVERY_ROWS(s, at)                                                                      \
    FIELD_INT(s, FIELD_AS(at id, "id"), 1, INT64_MAX, 0, FIELD_REQUIRED,                          \
              "Number of the delivery; later events have greater numbers.", "4711"),              \
        FIELD_UUID(s, FIELD_AS(at event, "event"), FIELD_REQUIRED,                                \
                   "ID of the event. The header `webhook-id` is `msg_` and this ID."),            \
        FIELD_TEXT(s, FIELD_AS(at type, "type"), 1, 64, FIELD_REQUIRED, "Type of the event.",     \
                   "session.created"),                                                            \
        FIELD_CHOICE(                                                                             \
            s, FIELD_AS(at state, "state"), delivery_states, FIELD_REQUIRED,                      \
            "`waiting` for its next attempt, `delivered`, or `failed` after the last attempt.",   \
            "delivered"),                                                                         \
        FIELD_INT(s, FIELD_AS(at attempts, "attempts"), 0, INT64_MAX, 0, FIELD_REQUIRED,          \
                  "Attempts so far.", "1"),                                                       \
        FIELD_TIME(s, FIELD_AS(at happenedAt, "happenedAt"), FIELD_REQUIRED,                      \
                   "When the event happened."),                                                   \
        FIELD_TIME(s, FIELD_AS(at triedAt, "triedAt"), FIELD_NULLABLE,                            \
                   "When the last attempt ended; null if there was none."),                       \
        FIELD_INT(s, FIELD_AS(at duration, "duration"), -1, INT32_MAX, 0, FIELD_OMIT_NEGATIVE,    \
                  "Duration of the last attempt, in milliseconds; absent if there was none, or "  \
                  "if it is older than Atrium 0.4.",                                              \
                  "84"),                                                                          \
        FIELD_TIME(s, FIELD_AS(at nextAt, "nextAt"), FIELD_NULLABLE,                              \
                   "Earliest time of the next attempt; null if there is none.", "null"),          \
        FIELD_TIME(s, FIELD_AS(at expiresAt, "expiresAt"), FIELD_NULLABLE,                        \
                   "When a waiting delivery fails; null if the delivery has ended.", "null"),     \
        FIELD_INT(s, FIELD_AS(at waitsFor, "waitsFor"), 0, INT64_MAX, 0, FIELD_OMIT_ZERO,         \
                  "Number of the same account's earlier delivery that is being retried and must " \
                  "end first; absent if there is none.",                                          \
                  "4700"),                                                                        \
        FIELD_INT(s, FIELD_AS(at status, "status"), 0, 999, 0, FIELD_OMIT_ZERO,                   \
                  "HTTP status of the last response; absent if there was none.", "204"),          \
        FIELD_TEXT(s, FIELD_AS(at error, "error"), 0, 64, FIELD_NULLABLE,                         \
                   "Why the last attempt failed: " ERROR_DOC, "null")

static const struct field webhook_delivery_rows[] = {DELIVERY_ROWS(struct webhook_delivery, )};
FIELD_TABLE(webhook_delivery);

static const struct field webhook_delivery_id_in_rows[] = {
    FIELD_UUID(struct webhook_delivery_id_in, id, FIELD_PATH | FIELD_REQUIRED,
               "ID of the webhook."),
    FIELD_INT(struct webhook_delivery_id_in, delivery, 1, INT64_MAX, 0, FIELD_PATH | FIELD_REQUIRED,
              "Number of the delivery.", "4711"),
};
FIELD_TABLE(webhook_delivery_id_in);

static const struct field webhook_attempt_rows[] = {
    FIELD_TIME(struct webhook_attempt, at, FIELD_REQUIRED, "When the attempt ended."),
    FIELD_INT(
        struct webhook_attempt, duration, -1, INT32_MAX, 0, FIELD_OMIT_NEGATIVE,
        "Duration of the attempt in milliseconds; absent if the attempt is older than Atrium 0.4.",
        "84"),
    FIELD_INT(struct webhook_attempt, status, 0, 999, 0, FIELD_OMIT_ZERO,
              "HTTP status of the response; absent if there was none.", "204"),
    FIELD_TEXT(struct webhook_attempt, error, 0, 64, FIELD_NULLABLE,
               "Why it failed; null if there was a response. " ERROR_DOC, "null"),
};
FIELD_TABLE(webhook_attempt);

static const struct field webhook_delivery_detail_rows[] = {
    DELIVERY_ROWS(struct webhook_delivery_detail, delivery.),
    FIELD_TEXT(struct webhook_delivery_detail, payload, 1, PAYLOAD_MAX, FIELD_REQUIRED,
               "The event, exactly as it is posted. With the format `caep`, each attempt posts a "
               "token that is made from it.",
               "{\"type\":\"session.created\"}"),
    FIELD_OBJECTS(struct webhook_delivery_detail, history, webhook_attempt, WEBHOOK_ATTEMPTS_MAX,
                  FIELD_REQUIRED,
                  "The last attempts, at most 20, newest first. Redelivering doesn't delete them."),
};
FIELD_TABLE(webhook_delivery_detail);

static const struct field webhook_test_out_rows[] = {
    FIELD_INT(struct webhook_test_out, delivery, 1, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of the test event's delivery.", "4711"),
};
FIELD_TABLE(webhook_test_out);

static const struct field webhook_delivery_list_rows[] = {
    FIELD_OBJECTS(struct webhook_delivery_list, resources, webhook_delivery, WEBHOOK_PAGE_MAX,
                  FIELD_REQUIRED, "Deliveries, the one of the latest event first."),
    FIELD_NEXT(struct webhook_delivery_list),
};
FIELD_TABLE(webhook_delivery_list);

static const struct field webhook_redeliver_in_rows[] = {
    FIELD_UUID(struct webhook_redeliver_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the webhook."),
    FIELD_INT(struct webhook_redeliver_in, delivery, 0, INT64_MAX, 0, 0,
              "Number of a delivered or failed delivery, or of one that is being retried, which is "
              "then tried now; 0 or absent for all failed ones.",
              "4711"),
};
FIELD_TABLE(webhook_redeliver_in);

static const struct field webhook_redeliver_out_rows[] = {
    FIELD_INT(struct webhook_redeliver_out, count, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of deliveries that are posted again.", "3"),
};
FIELD_TABLE(webhook_redeliver_out);
