/*
 * audit_chain.h - the audit trail's chain: within a second each row of `audit` gets a sequence
 * number and a hash over itself and the row before, so that no change goes unseen.
 *
 * The order is that of the rounds, then of the ids; neither is an order of time: a clock may jump.
 *
 * The hash is SHA-256 over these, each after its length (8 bytes, big-endian; 0xff bytes for null):
 * "atrium audit 1"; the hash of the row before (32 bytes, none for the first); sequence, id, at (8
 * bytes each, big-endian, two's complement); project (36 characters or null); entity (UTF-8 or
 * null); event (UTF-8, as stored)
 */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_CHAIN_H
#define ATRIUM_COMMON_SERVICE_AUDIT_CHAIN_H

#include "common/base/metrics.h"
#include "common/domain/request.h"
#include "common/pg/db.h"

enum { AUDIT_HASH_SIZE = 32 };

struct audit_record {
    int64_t sequence, id, at; /* at: contract time, ms */
    struct uuid project;      /* absent: of the whole installation */
    const char *entity;       /* NULL: none */
    const char *event;        /* JSON, see audit.h */
    struct field_bytes hash;
};
FIELD_DECLARE(audit_record);

/* The record's hash after a row with the hash `previous` (size 0: it is the first). */
void audit_hash(const struct audit_record *record, struct field_bytes previous,
                uint8_t ret[static AUDIT_HASH_SIZE]);

struct audit_chain;

/* Lives in the arena. Before db_prepare(), which verifies its statements. */
struct audit_chain *audit_chain_new(struct arena *arena, struct db *db, struct metrics *metrics);

/* Makes this month's and the next partition, if locks allow; also before the first row. Parks. */
int audit_chain_months(struct audit_chain *self, const struct request *req,
                       struct error *err) MUST_USE;

/* One round: places every committed row, unless another instance does. Rounds every AUDIT_PERIOD_MS
 * keep within the second. Parks. */
enum { AUDIT_PERIOD_MS = 250 };
int audit_chain_run(struct audit_chain *self, const struct request *req,
                    struct error *err) MUST_USE;

/* The chain's end, and how many rows are unsealed (counted to a million). Parks. */
struct audit_state {
    int64_t sequence, unsealed;
    int64_t
        waiting_since; /* contract time of the first row that is not sealed, ms; 0: there is none */
    struct field_bytes hash;
};
int audit_chain_state(struct audit_chain *self, const struct request *req, struct audit_state *ret,
                      struct error *err) MUST_USE;

/* At most `count` rows (struct audit_record) after `after`, of one project or all. Parks. */
int audit_chain_page(struct audit_chain *self, const struct request *req, struct uuid project,
                     int64_t after, int64_t count, struct field_list *ret,
                     struct error *err) MUST_USE;

/* What happened, from sealed rows. Identifiers only: no client address, no admin's reason. */
struct audit_event {
    int64_t sequence, at; /* at: contract time, ms */
    struct uuid project;
    const char *entity, *action; /* entity: "Session/<id>"; NULL: none */
    const char *account, *role;  /* whom it is about; NULL: not known */
    const char *actor;           /* the account that did it; NULL: none */
};
FIELD_DECLARE(audit_event);

/* Successful actions between two places: at most `count` struct audit_event. projects: ids; text
 * NULL: of all. Parks. */
int audit_chain_events(struct audit_chain *self, const struct request *req, int64_t after,
                       int64_t last, struct db_array actions, struct db_array projects,
                       int64_t count, struct field_list *ret, struct error *err) MUST_USE;

/* The sequence number of the end of the chain. Parks. */
int audit_chain_end(struct audit_chain *self, const struct request *req, int64_t *ret,
                    struct error *err) MUST_USE;

/* The place before what was written `since`, at most `end`; since 0: the end. Parks. */
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
