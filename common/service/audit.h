/*
 * audit.h - who did what: one row for each change of state and each sign-in, written by the
 * statement that makes the change, into the daemon's own table `audit`
 * (common/service/schema/audit.sql).
 *
 * A statement includes the part "audit", whose parameters are its member `audit`:
 *
 *     -- include: audit(from = inserted)
 *
 *     insert.audit = audit_row(req, &(struct audit){.action = "thing.create", ...});
 *
 * What is never in it: passwords, tokens, codes, e-mail addresses, names of people, content of
 * documents; and the network address of a person in the open. That is sealed for the account of the
 * caller, or, where a request has none, for the account that the row is about (audit_address.h).
 * Without a key for it the address is left out. It is open where no account is known: of a sign-in
 * with an unknown e-mail address, of an API key.
 */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_H
#define ATRIUM_COMMON_SERVICE_AUDIT_H

#include "common/domain/request.h"
#include "common/pg/db.h"
#include "common/service/sql_part.h"

/* What happened. Texts are constants of the program, borrowed until audit_row() returns. */
struct audit {
    const char *action;  /* "session.create": noun.verb */
    bool failure;        /* it was tried and refused: a wrong password */
    struct uuid project; /* absent: the caller's, or none */
    struct uuid account; /* whom it is about, where that is not the caller; absent: the caller */
    const char *role; /* that account's, where it is not the caller's: "Patient"; NULL: unknown */
    const char *type; /* "Session": the entity is type/id; NULL: none, or the statement knows */
    struct uuid id;
    const char *detail; /* one more word about it ("password", a setting's name); NULL: none */
    const char *reason; /* why, in the words of the admin who did it; NULL: none were asked for */
};

/* The row of what a request does; texts from its arena. The agent is the caller of the request
 * (membership and profile), else the service that asks; its trace id goes along, and the address of
 * the client, where that asks by itself: what a daemon asks of another has its address in the row
 * of the first. */
struct sql_audit audit_row(const struct request *req, const struct audit *what);

#endif
