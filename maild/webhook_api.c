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
};

static const char *const delivery_states[] = {"waiting", "delivered", "failed", NULL};

/* See webhook_event.c. */
static const char *const webhook_events[] = {"account.created",  "account.deleted",
                                             "session.created",  "session.revoked",
                                             "member.added",     "settings.changed",
                                             "document.created", NULL};

static const char *const webhook_formats[] = {"standard", "caep", NULL};

static const struct field webhook_in_rows[] = {
    FIELD_UUID(struct webhook_in, id, FIELD_PATH, "The webhook to replace."),
    FIELD_PATTERN(struct webhook_in, url, 9, URL_MAX, uri_https_check, "^[Hh][Tt][Tt][Pp][Ss]://",
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
