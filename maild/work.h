/*
 * work.h - rows of a table that wait to be worked on, shared by all instances: for deliver.c
 * (messages) and job.c.
 *
 * One fiber claims what is due, under a lease, and starts a fiber for each row; it also renews the
 * leases of what is under way.  A claimed row is not due for anybody else, so no two instances work
 * on the same one; the lease of an instance that died runs out and its work is taken up by the
 * instance that looks next.
 */
#ifndef ATRIUM_MAILD_WORK_H
#define ATRIUM_MAILD_WORK_H

#include "maild/maild.h"

enum {
    WORK_POLL_MS =
        1000, /* what another instance queued, or a back-off that ended, waits at most so long */
    WORK_LEASE_MS = 3000,  /* with the poll: work of a dead instance goes on within 4 s */
    WORK_RECORD_MS = 2000, /* to write down how it ended */
};

/* A claimed row, for as long as its fiber runs. First member of what a kind of work knows of it. */
struct work_item {
    struct work_item *next;
    struct work *work;
    struct request *req; /* its arena holds the item */
    struct uuid id;
};

/* One claim: at most `room` rows, all times real. */
struct work_claim {
    int64_t now, until; /* end of the lease */
    struct uuid lease;
    int64_t room;
};

/* The rows under way, whose lease ends at a later time from now on. */
struct work_renewal {
    struct uuid lease;
    struct db_array ids;
    int64_t until;
};

struct work;

struct work_kind {
    size_t item_size;
    int64_t poll_ms; /* at most WORK_POLL_MS */
    int64_t (*timeout_ms)(const struct maild *d);
    /* How many more to claim now, while `active` are under way. */
    int64_t (*room)(struct maild *d, int64_t active);
    /* Claims rows, and makes (work_item_new) and starts an item of each. Returns how many, or -1.
     * Parks. */
    int (*claim)(struct work *work, struct maild *d, const struct request *req,
                 const struct work_claim *claim, struct error *err);
    /* Extends leases. -1 when that failed. Parks. */
    int (*renew)(struct maild *d, const struct request *req, const struct work_renewal *renewal,
                 struct error *err);
    /* Works on it, on a fiber of its own, and ends with work_end(). */
    void (*run)(struct work_item *item);
};

/* Copies `kind`. -1 when no fiber is left. */
int work_start(struct maild *d, const struct work_kind *kind, struct work **ret,
               struct error *err) MUST_USE;

/* Looks for due rows now instead of within its poll. */
void work_kick(struct work *self);

/* Stops claiming and waits up to wait_ms. Parks. True when all have ended. */
bool work_stop(struct work *self, int64_t wait_ms);

/* A zeroed item for a claimed row; it and what it points to live in its request's arena. NULL:
 * already in progress here, after its lease ran out in a stall. */
struct work_item *work_item_new(struct work *self, struct uuid id) MUST_USE;

/* Without a free fiber the item goes and its lease runs out. */
void work_item_start(struct work_item *item);

/* Marks what this process has claimed. */
struct uuid work_lease(const struct work_item *item);
struct maild *work_maild(const struct work_item *item);

/* Pauses between attempts to record an outcome, which must not be lost. False when the daemon
 * stops. Parks. */
bool work_pause(const struct work_item *item);

/* Frees a recorded item; looks for more. */
void work_end(struct work_item *item);

#endif
