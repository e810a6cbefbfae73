/*
 * outbox.h - messages between daemons that must not be lost.
 *
 * The caller's transaction writes a row; a fiber relays it, at least once, to an operation whose
 * input has the row's id as de-duplication key. Bodies are sealed, since they can hold one-time
 * secrets. created_at and due_at are real time, which a test clock does not move.
 */
#ifndef ATRIUM_COMMON_SERVICE_OUTBOX_H
#define ATRIUM_COMMON_SERVICE_OUTBOX_H

#include "common/bus/bus.h"
#include "common/pg/db.h"
#include "common/service/seal_keys.h"
#include "common/service/sql_part.h"

struct outbox;

/* Starts the relay, after db_prepare(). `methods` (NULL-ended) are the rows' operations; borrowed
 * keys seal the bodies. Retries after 200 ms .. 60 s, or hourly, with a log line, if the receiver
 * blames the request (4xx except 429). A dead instance's rows continue within 5 s. */
struct outbox *outbox_new(struct loop *loop, struct db *db, struct bus *bus,
                          struct metrics *metrics, const struct bus_method *const *methods,
                          const struct seal_keys *keys);

/* Ends the relay. On a fiber, waits at most 3 s for the current call. */
void outbox_destroy(struct outbox **self_p);

/* Returns a row for the part "outbox". The id must be the key in `in`; times are real, in ms. */
struct sql_outbox outbox_row(struct outbox *self, struct arena *arena,
                             const struct bus_method *method, struct uuid id, const void *in);

enum { OUTBOX_COUNT_MAX = 10000 };
struct outbox_state {
    int64_t waiting;
    int64_t oldest_at; /* oldest one's real time of creation in ms, or 0 */
};

/* Counts at most OUTBOX_COUNT_MAX waiting rows. Parks. */
int outbox_state(struct outbox *self, const struct request *req, struct outbox_state *ret,
                 struct error *err) MUST_USE;

/* Relays now instead of within a second, after the commit. */
void outbox_wake(struct outbox *self);

#endif
