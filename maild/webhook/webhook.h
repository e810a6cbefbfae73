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
    uint64_t *delivered, *retried, *refused, *gone, *events;
};

/* ---- webhook.c ---- */

/* Whether the caller may change this webhook of the project now: ERR_NOT_FOUND, and
 * ERR_STEP_UP_REQUIRED without a fresh proof of who they are, which is asked for last. Parks. */
int webhook_check_change(struct maild *d, const struct request *req, struct uuid id,
                         struct error *err) MUST_USE;

/* ---- webhook_caep.c ---- */

/* The format of webhooks that are posted Security Event Tokens (RFC 8417), pushed by RFC 8935; they
 * are made by authd, which has the keys of the project's issuer. */
#define WEBHOOK_CAEP "caep"

struct webhook_in;
struct fetch_answer;

/* Whether what an admin says of a webhook of this format fits it; of a new one all of it. */
int webhook_format_check(const struct webhook_in *in, const char *format, bool is_new,
                         struct error *err) MUST_USE;

struct caep_event {
    struct uuid project, id;
    int64_t at; /* contract time, ms */
    const char *audience;
    const char *body; /* as webhook_event.c made it */
};

/* The token, from the arena of the request, signed anew each time, with the same `jti` and `iat`.
 * Parks. Fails: UNAVAILABLE, DEADLINE, OVERLOADED (authd), NOT_FOUND (the project has no issuer:
 * it is suspended or gone, or there is no public_url). */
int webhook_caep_token(struct maild *d, const struct request *req, const struct caep_event *event,
                       const char **ret, struct error *err) MUST_USE;

/* Whether the receiver has taken the token: 202 (RFC 8935, section 2.2). */
bool webhook_caep_taken(const struct fetch_answer *answer);

/* Why it has refused it: the `err` of a 400 (section 2.3), a text of the registry of section 2.4,
 * so that nothing is kept that the receiver chose. NULL: it has not, or says something else.
 * *ret_final: it would refuse the same token again. */
const char *webhook_caep_refusal(const struct fetch_answer *answer, bool *ret_final);

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
