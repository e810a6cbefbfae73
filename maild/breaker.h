/*
 * breaker.h - a circuit breaker for the mail server.
 *
 * Closed: up to `limit` deliveries in parallel. Open: none until the pause ends (1 s, doubled with
 * each failure up to a minute, varied at random by a quarter), then one email as a probe. An answer
 * closes it; the number of deliveries then doubles from one with each sent email, so that a
 * recovering server is not flooded. Times are monotonic ms.
 */
#ifndef ATRIUM_MAILD_BREAKER_H
#define ATRIUM_MAILD_BREAKER_H

#include "common/base/base.h"

enum {
    BREAKER_PAUSE_MIN_MS = 1000,
    BREAKER_PAUSE_MAX_MS = 60000,
    BREAKER_STREAK_MAX = 3, /* failures of a server that also took email recently */
    BREAKER_RECENT_MS = 5000,
    BREAKER_REFUSALS_MAX = 20, /* temporary refusals in a row */
    BREAKER_REASON_MAX = 96,
};

/* Values of the metric atrium_mail_server_state. */
enum breaker_state { BREAKER_CLOSED = 0, BREAKER_PROBING = 1, BREAKER_OPEN = 2 };

struct breaker {
    int64_t limit;
    int64_t allowed; /* parallel deliveries now */
    bool open;
    int64_t opened_at, retry_at;
    int pauses;         /* number since the last sent email; decides their length */
    int streak;         /* failures since the last success */
    int refusals;       /* temporary refusals since the last sent email */
    int64_t success_at; /* 0: none */
    /* last failure; "": none since the last success */
    char reason[BREAKER_REASON_MAX];
};

struct breaker breaker_new(int64_t limit);

int64_t breaker_room(const struct breaker *self, int64_t active, int64_t now_ms);

/* Returns half-open (PROBING) when the breaker is open and its probe is due. */
enum breaker_state breaker_state(const struct breaker *self, int64_t now_ms);

/* Records that the server accepted or permanently refused an email. True when that closed the
 * breaker. */
bool breaker_succeed(struct breaker *self, int64_t now_ms);

/* Records that the server refused temporarily. True when that closed the breaker. */
bool breaker_refuse(struct breaker *self, const char *reason, int64_t now_ms);

/* Records that the server was not reached, takes no email, or that the outcome is unknown. */
void breaker_fail(struct breaker *self, const char *reason, int64_t now_ms);

/* Lets the next email probe now. */
void breaker_hurry(struct breaker *self, int64_t now_ms);

#endif
