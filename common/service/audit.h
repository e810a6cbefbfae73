/*
 * audit.h - who did what: one row of the daemon's table `audit` (common/service/schema/audit.sql)
 * per change of state and sign-in, written by the statement that makes the change.
 *
 * -- include: audit(from = inserted), with insert.audit = audit_row(req, &(struct audit){...}).
 *
 * It never holds passwords, tokens, codes, email addresses, names or document content. A person's
 * network address is sealed for the caller's account, else for the account that the row is about
 * (audit_address.h), and left out without its key; it is open only where no account is known.
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
    enum role role;      /* that account's, where it is not the caller's; ROLE_NONE: unknown */
    const char *type;    /* "Session": the entity is type/id; NULL: none, or the statement knows */
    struct uuid id;
    const char *detail; /* one more word about it ("password", a setting's name); NULL: none */
    const char *reason; /* why, in the words of the admin who did it; NULL: none were asked for */
};

/* Texts are from the request's arena. The agent is the request's caller, else the asking service.
 * The client's address is only in the first daemon's row, not in those of daemons it asks. */
struct sql_audit audit_row(const struct request *req, const struct audit *what);

#endif
