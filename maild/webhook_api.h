/* webhook_api.h - a project's webhooks and deliveries. */
#ifndef ATRIUM_MAILD_WEBHOOK_API_H
#define ATRIUM_MAILD_WEBHOOK_API_H

#include "common/wire/fields.h"

struct webhook_in {
    struct uuid id; /* absent on create */
    const char *url;
    struct field_texts events;
    bool enabled;
    const char *format;   /* if NULL, create uses "standard", and replace keeps it */
    const char *audience; /* if NULL, create uses none, and replace keeps it */
    const char *ifMatch;
};
FIELD_DECLARE(webhook_in);

struct webhook_id_in {
    struct uuid id;
};
FIELD_DECLARE(webhook_id_in);

struct webhook_exchange_in {
    struct uuid id;
    int64_t previousHours;
};
FIELD_DECLARE(webhook_exchange_in);

struct webhook {
    struct uuid id;
    const char *url, *events; /* JSON array of texts */
    bool enabled;
    const char *format, *audience; /* audience NULL: format standard */
    const char *secret;            /* in responses that create one */
    int64_t previousSecretUntil;   /* 0: one secret signs */
    int64_t goneAt;                /* 0: not disabled by its receiver */
    int64_t failingSince;          /* 0: the last post succeeded */
    int64_t createdAt, lastUpdated;
    const char *etag; /* not in lists */
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
    struct uuid id;
    const char *state; /* NULL: all */
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(webhook_deliveries_in);

struct webhook_delivery {
    int64_t id;
    struct uuid event; /* header webhook-id */
    const char *type, *state;
    int64_t attempts, happenedAt;
    int64_t triedAt, nextAt; /* 0: not tried yet; no next attempt */
    int64_t expiresAt;       /* 0: ended */
    int64_t waitsFor;        /* 0: none */
    int64_t duration;        /* ms of the last attempt; -1: unknown */
    int64_t status;          /* HTTP; 0: no answer */
    const char *error;       /* NULL: answered, or untried */
};
FIELD_DECLARE(webhook_delivery);

struct webhook_delivery_list {
    struct field_list resources; /* struct webhook_delivery */
    const char *next;
};
FIELD_DECLARE(webhook_delivery_list);

struct webhook_delivery_id_in {
    struct uuid id;
    int64_t delivery;
};
FIELD_DECLARE(webhook_delivery_id_in);

struct webhook_attempt {
    int64_t at;       /* its end */
    int64_t duration; /* ms; -1: unknown */
    int64_t status;   /* HTTP; 0: no answer */
    const char *error;
};
FIELD_DECLARE(webhook_attempt);

struct webhook_delivery_detail {
    struct webhook_delivery delivery;
    const char *payload;
    struct field_list history; /* struct webhook_attempt */
};
FIELD_DECLARE(webhook_delivery_detail);

struct webhook_test_out {
    int64_t delivery;
};
FIELD_DECLARE(webhook_test_out);

struct webhook_redeliver_in {
    struct uuid id;
    int64_t delivery; /* 0: all failed */
};
FIELD_DECLARE(webhook_redeliver_in);

struct webhook_redeliver_out {
    int64_t count;
};
FIELD_DECLARE(webhook_redeliver_out);

#endif
