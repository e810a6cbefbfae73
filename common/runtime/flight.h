/*
 * flight.h - equal work once: the first fiber that wants a key does it, the others that want the
 * same key meanwhile wait for its end.
 *
 *     int rc = flight_begin(&self->flight, name, req->deadline_mono_ms, &call, err);
 *
 *     if (rc != FLIGHT_LEADS)
 *         return rc;
 *     rc = fetch(self, name, err);
 *     flight_end(&call, rc, err);
 *     return rc;
 *
 * Nothing is kept of a result: the next fiber that comes after the end leads again.  What the
 * others want to see lies in a cache, a file or a row by then.
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

/* On the stack of the fiber that leads, or in memory of its own. */
struct flight_call {
    struct flight *owner;
    struct flight_call *next;
    const char *key;
    struct flight_waiter *waiters;
};

void flight_init(struct flight *self, struct loop *loop);

/* FLIGHT_LEADS: this fiber does the work and ends `call`, which borrows `key`. Else parks and
 * returns what the leader gave flight_end(), or -1: ERR_DEADLINE, ERR_UNAVAILABLE (shutdown). */
int flight_begin(struct flight *self, const char *key, int64_t deadline_mono_ms,
                 struct flight_call *call, struct error *err) MUST_USE;

/* The halves of flight_begin(), for work on a fiber of its own. The key must not be under way. */
void flight_lead(struct flight *self, const char *key, struct flight_call *call);

/* The call of the key that is under way, or NULL; and the wait for its end. */
struct flight_call *flight_find(const struct flight *self, const char *key);
int flight_wait(struct flight_call *call, int64_t deadline_mono_ms, struct error *err) MUST_USE;

/* The waiters return `result`, below 0 with a copy of `err`. For a failure that need not hit them
 * pass 0 and NULL: the first of them leads. None runs within this call. */
void flight_end(struct flight_call *call, int result, const struct error *err);

/* Refuses all that wait (ERR_UNAVAILABLE), for a stop that does not wait for the calls. */
void flight_refuse(struct flight *self);

#endif
