/*
 * breaker.h - when a mail server that fails is tried again, and with how many mails.
 *
 * Closed: up to `limit` deliveries at the same time.  Open: none until the pause is over (1 s,
 * doubled with each failure up to a minute, each a quarter shorter or longer by chance), then one
 * mail as a probe.  A mail that the server answers closes it; the number of deliveries then doubles
 * with each mail sent, from one up to the limit, so that a server that has just come back is not
 * flooded.
 *
 * Time is monotonic, in ms, and a parameter.  Each instance has its own breaker for its mail
 * server.
 */
#ifndef ATRIUM_MAILD_BREAKER_H
#define ATRIUM_MAILD_BREAKER_H

#include "common/base/base.h"

enum {
    BREAKER_PAUSE_MIN_MS = 1000,
    BREAKER_PAUSE_MAX_MS = 60000,
    BREAKER_STREAK_MAX = 3,    /* failures of a server that also took mail lately */
    BREAKER_RECENT_MS = 5000,  /* "lately" */
    BREAKER_REFUSALS_MAX = 20, /* mails in a row that were refused for now */
    BREAKER_REASON_MAX = 96,
};

/* Values of the metric atrium_mail_server_state. */
enum breaker_state { BREAKER_CLOSED = 0, BREAKER_PROBING = 1, BREAKER_OPEN = 2 };

struct breaker {
    int64_t limit;   /* deliveries at the same time */
    int64_t allowed; /* of these now */
    bool open;
    int64_t opened_at, retry_at;
    int pauses;         /* since a mail was sent: their length */
    int streak;         /* failures since the last success */
    int refusals;       /* mails refused for now since the last one sent */
    int64_t success_at; /* 0: none yet */
    /* of the last failure; "" when there was none since the last success */
    char reason[BREAKER_REASON_MAX];
};

struct breaker breaker_new(int64_t limit);

int64_t breaker_room(const struct breaker *self, int64_t active, int64_t now_ms);

/* Open and due for its probe: half open. */
enum breaker_state breaker_state(const struct breaker *self, int64_t now_ms);

/* The server accepted or permanently refused a mail. True when that closed the breaker. */
bool breaker_succeed(struct breaker *self, int64_t now_ms);

/* The server answered with a temporary refusal. True when that closed the breaker. */
bool breaker_refuse(struct breaker *self, const char *reason, int64_t now_ms);

/* The server was not reached, takes no mail, or the outcome is unknown. */
void breaker_fail(struct breaker *self, const char *reason, int64_t now_ms);

/* The next mail may probe now. */
void breaker_hurry(struct breaker *self, int64_t now_ms);

#endif
