/*
 * outbox.h - what one daemon must tell another and must not lose.
 *
 * The row is written in the caller's own transaction; a fiber relays it, at least once, to an
 * operation whose input carries the row's id as its de-duplication key.  Bodies are sealed with the
 * daemon's key, because they may hold one-time secrets; the trace of a request that is sampled lies
 * in them too.  Every schema that uses it has this table (made by its first migration):
 *
 *     create table outbox (id uuid primary key, method text not null, body bytea not null,
 *                          created_at bigint not null, attempts int not null default 0, due_at
 *                          bigint not null);
 *     create index outbox_due on outbox (due_at);
 *
 * created_at and due_at are real time (not contract time: back-off is not moved by a test clock).
 */
#ifndef ATRIUM_COMMON_SERVICE_OUTBOX_H
#define ATRIUM_COMMON_SERVICE_OUTBOX_H

#include "common/bus/bus.h"
#include "common/pg/db.h"
#include "common/service/seal_keys.h"
#include "common/service/sql_part.h"

struct outbox;

/* Starts the relay; call it when db_prepare() has made the table. `methods` (NULL-ended) are the
 * operations that rows may name; rows whose service has no instance wait unharmed. keys (borrowed)
 * seal the bodies. A failed call is tried again after 200 ms .. 60 s; what the receiver calls wrong
 * (4xx but 429) is logged, kept, and tried again every hour. The work of a dead instance is taken
 * up within 5 s. */
struct outbox *outbox_new(struct loop *loop, struct db *db, struct bus *bus,
                          struct metrics *metrics, const struct bus_method *const *methods,
                          const struct seal_keys *keys);

/* Ends the relay: on a fiber it waits for the call in progress (parks, at most 3 s), elsewhere its
 * fiber must have been cancelled and have unwound. */
void outbox_destroy(struct outbox **self_p);

/* What the caller's statement inserts by the part "outbox". The id must be the one that `in`
 * carries as its key; times are real time, ms. */
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
