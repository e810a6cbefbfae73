/*
 * flight.h - single flight: the first fiber with a key does the work, others wait for its end.
 *
 *     if ((rc = flight_begin(&self->flight, name, deadline, &call, err)) != FLIGHT_LEADS)
 *         return rc;
 *     rc = fetch(self, name, err);
 *     flight_end(&call, rc, err);
 *
 * The work leaves its result in a cache, file or row.
 */
#ifndef ATRIUM_COMMON_RUNTIME_FLIGHT_H
#define ATRIUM_COMMON_RUNTIME_FLIGHT_H

#include "common/runtime/fiber.h"

enum { FLIGHT_LEADS = 1 };

struct flight_waiter;

struct flight {
    struct loop *loop;
    struct flight_call *calls;
};

struct flight_call {
    struct flight *owner;
    struct flight_call *next;
    const char *key;
    struct flight_waiter *waiters;
};

void flight_init(struct flight *self, struct loop *loop);

/* FLIGHT_LEADS: this fiber does the work and ends `call`, which borrows `key`. Otherwise parks and
 * returns the leader's result, or -1: ERR_DEADLINE, ERR_UNAVAILABLE (shutdown). */
int flight_begin(struct flight *self, const char *key, int64_t deadline_mono_ms,
                 struct flight_call *call, struct error *err) MUST_USE;

/* Starts a call for work on another fiber. The key must have none. */
void flight_lead(struct flight *self, const char *key, struct flight_call *call);

/* flight_find() returns the running call or NULL; flight_wait() waits for its end. */
struct flight_call *flight_find(const struct flight *self, const char *key);
int flight_wait(struct flight_call *call, int64_t deadline_mono_ms, struct error *err) MUST_USE;

/* Ends the call. Waiters return `result`, if negative with a copy of `err`. If `result` is 0 and
 * `err` NULL (for a failure that need not affect them), the first waiter leads. */
void flight_end(struct flight_call *call, int result, const struct error *err);

/* Fails waiters with ERR_UNAVAILABLE, for a stop that does not wait. */
void flight_refuse(struct flight *self);

#endif
