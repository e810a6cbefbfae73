/*
 * outbox.h - what one daemon must tell another and must not lose.
 *
 * The row is written in the caller's transaction; a fiber relays it, at least once, to an operation
 * whose input has the row's id as de-duplication key. Bodies are sealed: they may hold one-time
 * secrets. Each schema's first migration makes the table; created_at and due_at are real time,
 * unmoved by a test clock.
 */
#ifndef ATRIUM_COMMON_SERVICE_OUTBOX_H
#define ATRIUM_COMMON_SERVICE_OUTBOX_H

#include "common/bus/bus.h"
#include "common/pg/db.h"
#include "common/service/seal_keys.h"
#include "common/service/sql_part.h"

struct outbox;

/* Starts the relay, after db_prepare(). `methods` (NULL-ended): the operations of rows. keys
 * (borrowed) seal the bodies. Retries after 200 ms .. 60 s; every hour, with a log line, when the
 * receiver blames the request (4xx but 429). A dead instance's work is taken up within 5 s. */
struct outbox *outbox_new(struct loop *loop, struct db *db, struct bus *bus,
                          struct metrics *metrics, const struct bus_method *const *methods,
                          const struct seal_keys *keys);

/* On a fiber it waits 3 s at most for the call in progress; elsewhere its fiber has ended. */
void outbox_destroy(struct outbox **self_p);

/* For the part "outbox". The id must be the key in `in`; times are real time, ms. */
struct sql_outbox outbox_row(struct outbox *self, struct arena *arena,
                             const struct bus_method *method, struct uuid id, const void *in);

/* What waits; at most OUTBOX_COUNT_MAX rows are looked at, those that are due first. Parks. */
enum { OUTBOX_COUNT_MAX = 10000 };
struct outbox_state {
    int64_t waiting;
    int64_t oldest_at; /* real time when the oldest of them was made, ms; 0: there is none */
};
int outbox_state(struct outbox *self, const struct request *req, struct outbox_state *ret,
                 struct error *err) MUST_USE;

/* Call after the commit: relays now instead of within a second. Returns at once. */
void outbox_wake(struct outbox *self);

#endif
