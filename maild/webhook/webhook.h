/*
 * webhook.h - what the files of webhooks share.
 *
 * A project's webhook is a URL that is told of what happens in the project. What happened is read
 * from the audit trails of the other daemons (webhook_event.c): their rows are written by the
 * statements that change something, so no event is lost, and a statement pays nothing for a
 * webhook. What a webhook wants becomes a delivery; webhook_post.c posts deliveries, in order for
 * each account, until the receiver has taken them or three days are over.
 */
#ifndef ATRIUM_MAILD_WEBHOOK_WEBHOOK_H
#define ATRIUM_MAILD_WEBHOOK_WEBHOOK_H

#include "maild/maild.h"

/* What secrets of webhooks are sealed for. */
#define WEBHOOK_SECRET_PURPOSE "webhook secret"

enum {
    WEBHOOK_SOURCES = 3,
    WEBHOOK_SOURCE_IDLE_MS = 5000, /* between two looks at trails while no webhook is on */
};

struct webhooks {
    struct work *work;
    struct curl_loop *curl;
    bool ended;                                  /* nothing is posted any more */
    int64_t idle_until_mono_ms[WEBHOOK_SOURCES]; /* trails are not looked at before */
    uint64_t *delivered, *retried, *gone, *events;
};

/* ---- webhook.c ---- */

/* Whether the caller may change this webhook of the project now: ERR_NOT_FOUND, and
 * ERR_STEP_UP_REQUIRED without a fresh proof of who they are, which is asked for last. Parks. */
int webhook_check_change(struct maild *d, const struct request *req, struct uuid id,
                         struct error *err) MUST_USE;

/* ---- webhook_event.c ---- */

/* Follows the trails from now on. */
void webhook_event_start(struct maild *d);

/* There is a webhook that is on: looks at the trails within half a second. */
void webhook_event_wake(struct maild *d);

/* ---- webhook_post.c ---- */

/* Posts what is due from now on. -1 when no fiber is left. */
int webhook_post_start(struct maild *d, struct error *err) MUST_USE;

/* Looks for what is due now instead of within a second. */
void webhook_post_kick(struct maild *d);

/* Claims nothing more and waits for what is under way, 10 seconds at most. Parks. */
void webhook_post_drain(struct maild *d);
void webhook_post_stop(struct maild *d);

#endif
