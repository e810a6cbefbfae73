/* deliver_backoff.h - when a message is retried. */
#ifndef ATRIUM_MAILD_DELIVER_BACKOFF_H
#define ATRIUM_MAILD_DELIVER_BACKOFF_H

#include "common/base/base.h"
#include "common/base/clock.h"

enum {
    DELIVER_ANSWERS_MAX = 20, /* temporary refusals */
    DELIVER_UNKNOWNS_MAX = 6, /* copies the server may have taken without an answer */
    DELIVER_BACKOFF_MIN_MS = 1000,
    DELIVER_BACKOFF_MAX_MS = HOURS(1),
    DELIVER_UNREACHED_MAX_MS = MINUTES(1),
};

/* Returns the pause after the nth refusal: 1 s, doubled up to 1 h. */
static inline int64_t deliver_backoff_ms(int64_t answers)
{
    int64_t doublings = MIN(MAX(answers - 1, (int64_t)0), (int64_t)12);

    return MIN((int64_t)DELIVER_BACKOFF_MIN_MS << doublings, (int64_t)DELIVER_BACKOFF_MAX_MS);
}

/* Returns the pause after the nth attempt without a server: at most a minute. */
static inline int64_t deliver_unreached_ms(int64_t attempts)
{
    return MIN(deliver_backoff_ms(attempts), (int64_t)DELIVER_UNREACHED_MAX_MS);
}

/* Returns the pause after the nth unknown outcome: the time limit, times four up to 1 h, because
 * the server may still work on its copy. */
static inline int64_t deliver_unknown_ms(int64_t limit_ms, int64_t unknowns)
{
    int64_t times = MIN(MAX(unknowns - 1, (int64_t)0), (int64_t)6);
    int64_t pause = MIN(limit_ms << 2 * times, (int64_t)DELIVER_BACKOFF_MAX_MS);

    return MAX(pause, limit_ms);
}

#endif
