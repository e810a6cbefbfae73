/*
 * work.h - divides due rows among instances, for deliver.c, job.c and webhook_post.c.
 *
 * One fiber claims rows under a lease, starts a fiber for each, and renews the leases. Other
 * instances skip a claimed row until its lease expires, after a crash.
 */
#ifndef ATRIUM_MAILD_WORK_H
#define ATRIUM_MAILD_WORK_H

#include "maild/maild.h"

enum {
    WORK_POLL_MS = 1000,   /* longest wait of a row that becomes due */
    WORK_LEASE_MS = 3000,  /* after a crash, work continues within 4 s */
    WORK_RECORD_MS = 2000, /* time to record the outcome */
};

/* First member of each kind's own struct. */
struct work_item {
    struct work_item *next;
    struct work *work;
    struct request *req; /* its arena holds the item */
    struct uuid id;
};

/* Times are real. */
struct work_claim {
    int64_t now, until; /* end of the lease */
    struct uuid lease;
    int64_t room;
};

/* Rows in progress, and the new end of their leases. */
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
    /* Returns how many more to claim. */
    int64_t (*room)(struct maild *d, int64_t active);
    /* Creates (work_item_new) and starts an item per row. Returns how many, or -1. Parks. */
    int (*claim)(struct work *work, struct maild *d, const struct request *req,
                 const struct work_claim *claim, struct error *err);
    /* Renews the leases of rows in progress. -1: failed. Parks. */
    int (*renew)(struct maild *d, const struct request *req, const struct work_renewal *renewal,
                 struct error *err);
    /* Runs on its own fiber and calls work_end(). */
    void (*run)(struct work_item *item);
};

/* Copies `kind`. -1: no fiber is left. */
int work_start(struct maild *d, const struct work_kind *kind, struct work **ret,
               struct error *err) MUST_USE;

void work_kick(struct work *self);

/* Waits up to wait_ms. Parks. True when all have ended. */
bool work_stop(struct work *self, int64_t wait_ms);

/* Returns a zeroed item in its request's arena. NULL: in progress here, after a stall. */
struct work_item *work_item_new(struct work *self, struct uuid id) MUST_USE;

/* Starts the item's fiber. If no fiber is free, its lease expires. */
void work_item_start(struct work_item *item);

/* Identifies this process's claims. */
struct uuid work_lease(const struct work_item *item);
struct maild *work_maild(const struct work_item *item);

/* Waits before recording an outcome again. False: the daemon stops. Parks. */
bool work_pause(const struct work_item *item);

void work_end(struct work_item *item);

#endif
