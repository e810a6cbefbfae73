/*
 * audit_leaf.h - audit rows as leaves of the projects' trees (docs/audit.md), which authd keeps:
 * the operations audit_leaves and audit_rows.
 *
 * A leaf is this text without white space but that in the event; the statement audit_leaves hashes
 * the same:
 *
 *     {"daemon":"authd","sequence":17,"id":17,"at":1767225600000,
 *      "project":"5f0c...","entity":null,"event":{...}}
 */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_LEAF_H
#define ATRIUM_COMMON_SERVICE_AUDIT_LEAF_H

#include "common/base/merkle.h"
#include "common/bus/bus.h"
#include "common/service/audit_chain.h"

const char *audit_leaf_text(struct arena *arena, const char *daemon,
                            const struct audit_record *record);

struct audit_leaves_in {
    int64_t after; /* sequence */
};
FIELD_DECLARE(audit_leaves_in);

/* AUDIT_LEAF_SIZE bytes, numbers big-endian. */
struct audit_leaf {
    struct uuid project;
    int64_t sequence, at;
    struct merkle_hash hash;
};
enum { AUDIT_LEAF_SIZE = 16 + 8 + 8 + MERKLE_HASH_SIZE, AUDIT_LEAVES_MAX = 5000 };

void audit_leaf_read(const uint8_t bytes[static AUDIT_LEAF_SIZE], struct audit_leaf *ret);

/* All rows of projects behind `after` up to `sequence`; there may be more when it is not `end`. */
struct audit_leaves_out {
    int64_t sequence, end;
    struct field_bytes leaves;
};
FIELD_DECLARE(audit_leaves_out);

/* Rows of a project between two sequence numbers, last first. NULL or 0: any. */
struct audit_rows_in {
    struct uuid project;
    int64_t first, last, since, until, most;
    const char *actor;         /* "Practitioner/<id>", "Account/<id>" */
    const char *actorAccount;  /* the id of the actor's account, where that is known */
    const char *action;        /* "session.end", or "session" */
    const char *target;        /* entity */
    const char *targetAccount; /* of a target that is a person: the id of the account, */
    const char *targetProfile; /* and the profile, "Patient/<id>" */
    const char *account;       /* that acted, or that it is about */
};
FIELD_DECLARE(audit_rows_in);

enum { AUDIT_ROWS_MAX = 4096 };

struct audit_rows_out {
    struct field_list rows; /* struct audit_record */
};
FIELD_DECLARE(audit_rows_out);

struct bus_method audit_leaves_method(const char *service);
struct bus_method audit_rows_method(const char *service);

struct service;

/* The same of this daemon's own trail. Park. */
int audit_leaves(struct service *self, const struct request *req, const struct audit_leaves_in *in,
                 struct audit_leaves_out *out, struct error *err) MUST_USE;
int audit_rows(struct service *self, const struct request *req, const struct audit_rows_in *in,
               struct audit_rows_out *out, struct error *err) MUST_USE;

#endif
