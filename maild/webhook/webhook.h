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
    uint64_t *delivered, *retried, *refused, *gone, *events;
};

/* ---- webhook.c ---- */

/* Checks that the caller may change this webhook: ERR_NOT_FOUND, then ERR_STEP_UP_REQUIRED without
 * fresh proof. Parks. */
int webhook_check_change(struct maild *d, const struct request *req, struct uuid id,
                         struct error *err) MUST_USE;

/* ---- webhook_caep.c ---- */

/* Security Event Tokens (RFC 8417), pushed by RFC 8935, signed by authd with the project's issuer
 * key. */
#define WEBHOOK_CAEP "caep"

struct webhook_in;
struct fetch_answer;

int webhook_format_check(const struct webhook_in *in, const char *format, bool is_new,
                         struct error *err) MUST_USE;

struct caep_event {
    struct uuid project, id;
    int64_t at; /* contract time, ms */
    const char *audience;
    const char *body; /* as webhook_event.c made it */
};

/* Has the token signed, in the request's arena; `jti` and `iat` stay the same. Parks. Fails:
 * UNAVAILABLE, DEADLINE, OVERLOADED (authd), NOT_FOUND (the project has no issuer). */
int webhook_caep_token(struct maild *d, const struct request *req, const struct caep_event *event,
                       const char **ret, struct error *err) MUST_USE;

/* Whether the receiver has taken the token: 202 (RFC 8935, section 2.2). */
bool webhook_caep_taken(const struct fetch_answer *answer);

/* The registered `err` of a 400 (RFC 8935, sections 2.3 and 2.4), so that nothing the receiver
 * chose is stored; NULL otherwise. *ret_final: it would refuse the token again. */
const char *webhook_caep_refusal(const struct fetch_answer *answer, bool *ret_final);

/* ---- webhook_event.c ---- */

void webhook_event_start(struct maild *d);

/* Looks at the trails within half a second. */
void webhook_event_wake(struct maild *d);

/* ---- webhook_post.c ---- */

/* -1 when no fiber is left. */
int webhook_post_start(struct maild *d, struct error *err) MUST_USE;

/* Looks for what is due now instead of within a second. */
void webhook_post_kick(struct maild *d);

/* Stops claiming and waits up to 10 seconds. Parks. */
void webhook_post_drain(struct maild *d);
void webhook_post_stop(struct maild *d);

#endif
