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
    FIELD_UUID(struct webhook_in, id, FIELD_PATH, "ID of the webhook to replace."),
    FIELD_PATTERN(struct webhook_in, url, 9, URL_MAX, uri_https_check, "^[Hh][Tt][Tt][Pp][Ss]://",
                  FIELD_REQUIRED, "Absolute https URL that receives the events.",
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
    FIELD_TIME(struct webhook, createdAt, FIELD_REQUIRED, "When it was created.",
               "2026-01-12T08:00:00.000Z"),
    FIELD_TIME(struct webhook, lastUpdated, FIELD_REQUIRED, "When it was last changed."),
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
                  "Oldest first."),
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

static const struct field webhook_delivery_rows[] = {
    FIELD_INT(struct webhook_delivery, id, 1, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of the delivery; later events have greater numbers.", "4711"),
    FIELD_UUID(struct webhook_delivery, event, FIELD_REQUIRED,
               "ID of the event. The header `webhook-id` is `msg_` and this ID."),
    FIELD_TEXT(struct webhook_delivery, type, 1, 64, FIELD_REQUIRED, "Type of the event.",
               "session.created"),
    FIELD_CHOICE(struct webhook_delivery, state, delivery_states, FIELD_REQUIRED,
                 "`waiting` for its next attempt, `delivered`, or `failed` after the last attempt.",
                 "delivered"),
    FIELD_INT(struct webhook_delivery, attempts, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Attempts so far.", "1"),
    FIELD_TIME(struct webhook_delivery, happenedAt, FIELD_REQUIRED, "When the event happened."),
    FIELD_TIME(struct webhook_delivery, triedAt, FIELD_NULLABLE,
               "When the last attempt ended; null if there was none."),
    FIELD_TIME(struct webhook_delivery, nextAt, FIELD_NULLABLE,
               "Earliest time of the next attempt; null if there is none.", "null"),
    FIELD_INT(struct webhook_delivery, status, 0, 999, 0, FIELD_OMIT_ZERO,
              "HTTP status of the last response; absent if there was none.", "204"),
    FIELD_TEXT(struct webhook_delivery, error, 0, 64, FIELD_NULLABLE,
               "Why the last attempt failed: `DEADLINE` (timeout), `UNAVAILABLE` (no connection, "
               "or no valid certificate), `FORBIDDEN` (address not allowed), `TOO_LARGE` (response "
               "too large). With the format `caep`, also why the receiver rejected the token with "
               "400 (RFC 8935): `invalid_request`, `invalid_issuer` and `invalid_audience`, which "
               "are not retried, or `invalid_key`, `authentication_failed`, `access_denied`.",
               "null"),
};
FIELD_TABLE(webhook_delivery);

static const struct field webhook_delivery_list_rows[] = {
    FIELD_OBJECTS(struct webhook_delivery_list, resources, webhook_delivery, WEBHOOK_PAGE_MAX,
                  FIELD_REQUIRED, "Latest event first."),
    FIELD_NEXT(struct webhook_delivery_list),
};
FIELD_TABLE(webhook_delivery_list);

static const struct field webhook_redeliver_in_rows[] = {
    FIELD_UUID(struct webhook_redeliver_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the webhook."),
    FIELD_INT(struct webhook_redeliver_in, delivery, 0, INT64_MAX, 0, 0,
              "Number of a delivered or failed delivery; 0 or absent for all failed ones.", "4711"),
};
FIELD_TABLE(webhook_redeliver_in);

static const struct field webhook_redeliver_out_rows[] = {
    FIELD_INT(struct webhook_redeliver_out, count, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of deliveries that are posted again.", "3"),
};
FIELD_TABLE(webhook_redeliver_out);
