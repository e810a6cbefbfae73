/*
 * audit_chain.h - the audit trail's chain: each row of the table `audit` gets, within a second, its
 * sequence number and a hash over itself and the row before it, so that nothing can be altered,
 * removed, moved or put in between unseen.
 *
 * The chain's order is the order in which the chainer found the rows, in which rows of earlier
 * rounds come first: what was committed before a round comes before what was committed after it.
 * Within a round it is the order of their ids. Neither is an order of time: a clock may jump.
 *
 * The hash is SHA-256 over these fields, each as the number of its bytes (8 bytes, big-endian) and
 * its bytes; of a null, 8 bytes 0xff and nothing:
 *
 *     "atrium audit 1"
 *     the hash of the row before: 32 bytes, none for the first row
 *     sequence, id, at: 8 bytes each, big-endian, two's complement
 *     project: its 36 characters, or null
 *     entity: UTF-8, or null
 *     event: UTF-8, as it is stored
 */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_CHAIN_H
#define ATRIUM_COMMON_SERVICE_AUDIT_CHAIN_H

#include "common/base/metrics.h"
#include "common/domain/request.h"
#include "common/pg/db.h"

enum { AUDIT_HASH_SIZE = 32 };

/* A row of the chain. */
struct audit_record {
    int64_t sequence, id, at; /* at: contract time, ms */
    struct uuid project;      /* absent: of the whole installation */
    const char *entity;       /* NULL: none */
    const char *event;        /* JSON, see audit.h */
    struct field_bytes hash;
};
FIELD_DECLARE(audit_record);

/* What the record's hash must be behind a row with the hash `previous` (size 0: it is the
 * first). */
void audit_hash(const struct audit_record *record, struct field_bytes previous,
                uint8_t ret[static AUDIT_HASH_SIZE]);

struct audit_chain;

/* The chain of a daemon whose schema has the table; before db_prepare(), so that its statements are
 * verified. Lives in the arena. */
struct audit_chain *audit_chain_new(struct arena *arena, struct db *db, struct metrics *metrics);

/* Makes the partitions of this month and the next, as far as locks can be had; called by
 * audit_chain_run(), and before the first row is written. Parks. */
int audit_chain_months(struct audit_chain *self, const struct request *req,
                       struct error *err) MUST_USE;

/* One round: gives every row that is committed by now its place, unless another instance is at it.
 * AUDIT_PERIOD_MS apart, rounds keep within the second. Parks. */
enum { AUDIT_PERIOD_MS = 250 };
int audit_chain_run(struct audit_chain *self, const struct request *req,
                    struct error *err) MUST_USE;

/* The end of the chain, and how many rows are not sealed yet (at most a million are counted).
 * Parks. */
struct audit_state {
    int64_t sequence, unsealed;
    int64_t
        waiting_since; /* contract time of the first row that is not sealed, ms; 0: there is none */
    struct field_bytes hash;
};
int audit_chain_state(struct audit_chain *self, const struct request *req, struct audit_state *ret,
                      struct error *err) MUST_USE;

/* At most `count` rows (struct audit_record) behind `after`, in order; of one project, or all.
 * Parks. */
int audit_chain_page(struct audit_chain *self, const struct request *req, struct uuid project,
                     int64_t after, int64_t count, struct field_list *ret,
                     struct error *err) MUST_USE;

/* What happened, by the sealed rows of the trail: whatever wrote them pays nothing for a daemon
 * that reads them here. Identifiers only: no client address and no reason of an admin. */
struct audit_event {
    int64_t sequence, at; /* at: contract time, ms */
    struct uuid project;
    const char *entity, *action; /* entity: "Session/<id>"; NULL: none */
    const char *account, *role;  /* whom it is about; NULL: not known */
    const char *actor;           /* the account that did it; NULL: none */
};
FIELD_DECLARE(audit_event);

/* The same of some actions that succeeded, between two places of the chain: struct audit_event,
 * at most `count`. projects: an array of ids, text NULL: of all. Parks. */
int audit_chain_events(struct audit_chain *self, const struct request *req, int64_t after,
                       int64_t last, struct db_array actions, struct db_array projects,
                       int64_t count, struct field_list *ret, struct error *err) MUST_USE;

/* The sequence number of the end of the chain. Parks. */
int audit_chain_end(struct audit_chain *self, const struct request *req, int64_t *ret,
                    struct error *err) MUST_USE;

/* The place in the chain before what was written `since`, at most `end`; since 0: the end.
 * Parks. */
int audit_chain_place(struct audit_chain *self, const struct request *req, int64_t since,
                      int64_t end, int64_t *ret, struct error *err) MUST_USE;

/* A stretch that audit_drop() removed. */
struct audit_gap {
    int64_t first, last;
    struct field_bytes hash; /* of the last */
};
FIELD_DECLARE(audit_gap);

/* The gaps (struct audit_gap) that reach behind `after`, in order, at most `count`. Parks. */
int audit_chain_gaps(struct audit_chain *self, const struct request *req, int64_t after,
                     int64_t count, struct field_list *ret, struct error *err) MUST_USE;

#endif
