/* webhook_api.h - the webhooks of a project, and what was delivered to them. */
#ifndef ATRIUM_MAILD_WEBHOOK_API_H
#define ATRIUM_MAILD_WEBHOOK_API_H

#include "common/wire/fields.h"

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

#endif
