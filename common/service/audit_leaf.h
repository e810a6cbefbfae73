/*
 * audit_leaf.h - audit rows as leaves of the projects' trees (docs/audit.md) in authd: the
 * operations audit_leaves and audit_rows.
 *
 * A leaf is this text, without white space outside the event; the statement audit_leaves hashes the
 * same:
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

/* Projects' rows up to `sequence`; more can follow unless `end` is set. */
struct audit_leaves_out {
    int64_t sequence, end;
    struct field_bytes leaves;
};
FIELD_DECLARE(audit_leaves_out);

/* Filters of a project's rows, last first. NULL or 0: any. */
struct audit_rows_in {
    struct uuid project;
    int64_t first, last, since, until, most;
    const char *actor;         /* "Practitioner/<id>", "Account/<id>" */
    const char *actorAccount;  /* account id, if known */
    const char *action;        /* or a noun: "session" */
    const char *target;        /* entity */
    const char *targetAccount; /* account id of a target that is a person ... */
    const char *targetProfile; /* ... and profile, "Patient/<id>" */
    const char *account;       /* account that acted or is affected */
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

/* Reads this daemon's own log. Parks. */
int audit_leaves(struct service *self, const struct request *req, const struct audit_leaves_in *in,
                 struct audit_leaves_out *out, struct error *err) MUST_USE;
int audit_rows(struct service *self, const struct request *req, const struct audit_rows_in *in,
               struct audit_rows_out *out, struct error *err) MUST_USE;

#endif
