/*
 * audit_chain.h - the audit log's chain. Within a second after its commit, each row of `audit` gets
 * a sequence number and a hash of itself and its predecessor, so that every change is noticed. Rows
 * are ordered by round, then id; neither follows time, since clocks can jump.
 *
 * The hash is SHA-256 of these, each after its length (8 bytes, big-endian; 0xff bytes for null):
 * "atrium audit 1"; the predecessor's hash (32 bytes, none for the first); sequence, id, at (8
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
    struct uuid project;      /* absent: the installation */
    const char *entity;       /* or NULL */
    const char *event;        /* JSON, see audit.h */
    struct field_bytes hash;
};
FIELD_DECLARE(audit_record);

/* Computes a record's hash; `previous` has size 0 for the first. */
void audit_hash(const struct audit_record *record, struct field_bytes previous,
                uint8_t ret[static AUDIT_HASH_SIZE]);

struct audit_chain;

/* Creates the chain before db_prepare(), which verifies its statements. */
struct audit_chain *audit_chain_new(struct arena *arena, struct db *db, struct metrics *metrics);

/* Creates this and the next month's partitions if locks allow. Parks. */
int audit_chain_months(struct audit_chain *self, const struct request *req,
                       struct error *err) MUST_USE;

enum { AUDIT_PERIOD_MS = 250 };

/* Seals all committed rows unless another instance does. Run it every AUDIT_PERIOD_MS, so that rows
 * are sealed within a second. Parks. */
int audit_chain_run(struct audit_chain *self, const struct request *req,
                    struct error *err) MUST_USE;

struct audit_state {
    int64_t sequence, unsealed;
    int64_t waiting_since; /* contract time of the first unsealed row in ms, or 0 */
    struct field_bytes hash;
};

/* Reads the chain's end, and counts unsealed rows up to a million. Parks. */
int audit_chain_state(struct audit_chain *self, const struct request *req, struct audit_state *ret,
                      struct error *err) MUST_USE;

/* Reads at most `count` struct audit_record after `after`, of one project or all. Parks. */
int audit_chain_page(struct audit_chain *self, const struct request *req, struct uuid project,
                     int64_t after, int64_t count, struct field_list *ret,
                     struct error *err) MUST_USE;

/* An action from a sealed row: identifiers, no client address or admin's reason. */
struct audit_event {
    int64_t sequence, at; /* at: contract time, ms */
    struct uuid project;
    const char *entity, *action; /* entity: "Session/<id>" or NULL */
    const char *account, *role;  /* the affected account and its role; NULL: unknown */
    const char *actor;           /* acting account, or NULL */
};
FIELD_DECLARE(audit_event);

/* Reads at most `count` struct audit_event of successful actions. projects: ids; text NULL: all.
 * Parks. */
int audit_chain_events(struct audit_chain *self, const struct request *req, int64_t after,
                       int64_t last, struct db_array actions, struct db_array projects,
                       int64_t count, struct field_list *ret, struct error *err) MUST_USE;

int audit_chain_end(struct audit_chain *self, const struct request *req, int64_t *ret,
                    struct error *err) MUST_USE;

/* Finds the last sequence number before `since`, at most `end`; since 0: the end. Parks. */
int audit_chain_place(struct audit_chain *self, const struct request *req, int64_t since,
                      int64_t end, int64_t *ret, struct error *err) MUST_USE;

/* Rows that audit_drop() removed. */
struct audit_gap {
    int64_t first, last;
    struct field_bytes hash; /* hash of the last row */
};
FIELD_DECLARE(audit_gap);

/* Reads at most `count` struct audit_gap that end after `after`. Parks. */
int audit_chain_gaps(struct audit_chain *self, const struct request *req, int64_t after,
                     int64_t count, struct field_list *ret, struct error *err) MUST_USE;

#endif
