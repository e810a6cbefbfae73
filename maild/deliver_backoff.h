/*
 * deliver_backoff.h - when a message is tried again.
 */
#ifndef ATRIUM_MAILD_DELIVER_BACKOFF_H
#define ATRIUM_MAILD_DELIVER_BACKOFF_H

#include "common/base.h"

enum {
    DELIVER_ATTEMPTS_MAX = 20,
    DELIVER_BACKOFF_MIN_MS = 1000,
    DELIVER_BACKOFF_MAX_MS = 3600 * 1000,
};

/* Pause after the attempts-th failed attempt (from 1 on): 1 s, doubled each time, at most 1 h. */
static inline int64_t deliver_backoff_ms(int64_t attempts)
{
    int64_t doublings = MIN(MAX(attempts - 1, (int64_t)0), (int64_t)12);

    return MIN((int64_t)DELIVER_BACKOFF_MIN_MS << doublings, (int64_t)DELIVER_BACKOFF_MAX_MS);
}

#endif
