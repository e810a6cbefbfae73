/*
 * webhook.h - what the files of webhooks share.
 *
 * A project's events are read from the other daemons' audit logs (webhook_event.c). Each statement
 * that changes data also writes its audit row, so no event is lost. webhook_post.c posts
 * deliveries, in order for each account, until the receiver takes them or three days have passed.
 */
#ifndef ATRIUM_MAILD_WEBHOOK_WEBHOOK_H
#define ATRIUM_MAILD_WEBHOOK_WEBHOOK_H

#include "maild/maild.h"

#define WEBHOOK_SECRET_PURPOSE "webhook secret"

enum {
    WEBHOOK_SOURCES = 3,
    WEBHOOK_SOURCE_IDLE_MS = 5000, /* pause while no webhook is enabled */
};

#define WEBHOOK_LIFE_MS DAYS(3) /* a delivery that waits longer has failed */

struct webhooks {
    struct work *work;
    struct curl_loop *curl;
    bool ended;
    int64_t idle_until_mono_ms[WEBHOOK_SOURCES]; /* no log is read before this time */
    uint64_t *delivered, *retried, *refused, *gone, *events;
};

/* ---- webhook.c ---- */

/* Checks that the caller can change a webhook: ERR_NOT_FOUND, then ERR_STEP_UP_REQUIRED. Parks. */
int webhook_check_change(struct maild *d, const struct request *req, struct uuid id,
                         struct error *err) MUST_USE;

/* ---- webhook_caep.c ---- */

/* Security Event Tokens (RFC 8417, RFC 8935), signed by authd with the project's issuer key. */
#define WEBHOOK_CAEP "caep"

struct webhook_in;
struct fetch_answer;

int webhook_format_check(const struct webhook_in *in, const char *format, bool is_new,
                         struct error *err) MUST_USE;

struct caep_event {
    struct uuid project, id;
    int64_t at; /* contract time */
    const char *audience;
    const char *body;
};

/* `jti` and `iat` stay the same. Parks. Fails: UNAVAILABLE, DEADLINE, OVERLOADED (authd), NOT_FOUND
 * (no issuer). */
int webhook_caep_token(struct maild *d, const struct request *req, const struct caep_event *event,
                       const char **ret, struct error *err) MUST_USE;

/* True for 202 (RFC 8935, section 2.2). */
bool webhook_caep_taken(const struct fetch_answer *answer);

/* Returns a registered `err` of a 400 (RFC 8935, section 2.4), or NULL. *ret_final: do not
 * retry. */
const char *webhook_caep_refusal(const struct fetch_answer *answer, bool *ret_final);

/* ---- webhook_event.c ---- */

void webhook_event_start(struct maild *d);

/* Returns an event's JSON: identifiers only, no names or addresses. subject: NULL for none. */
struct audit_event;
const char *webhook_event_body(struct arena *arena, const struct audit_event *row, const char *type,
                               const char *subject);

/* Reads audit logs within half a second. */
void webhook_event_wake(struct maild *d);

/* ---- webhook_post.c ---- */

/* -1: no fiber is left. */
int webhook_post_start(struct maild *d, struct error *err) MUST_USE;

/* Looks for due deliveries now instead of within a second. */
void webhook_post_kick(struct maild *d);

/* Waits up to 10 s. Parks. */
void webhook_post_drain(struct maild *d);
void webhook_post_stop(struct maild *d);

#endif
