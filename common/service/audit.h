/*
 * audit.h - rows of the table `audit` (common/service/schema/audit.sql): who did what.
 *
 * The statement of a change also writes its row: -- include: audit(from = inserted), with
 * insert.audit = audit_row(req, &(struct audit){...}).
 *
 * Rows hold no passwords, tokens, codes, email addresses, names or document content. A person's
 * network address is sealed for the caller's account, or for the row's (audit_address.h). It is
 * left out if the account has no key, and stored in plain text only if no account is known.
 */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_H
#define ATRIUM_COMMON_SERVICE_AUDIT_H

#include "common/domain/request.h"
#include "common/pg/db.h"
#include "common/service/sql_part.h"

/* An action. Texts are constants, borrowed until audit_row() returns. */
struct audit {
    const char *action;  /* noun.verb: "session.create" */
    bool failure;        /* failed attempt, such as a wrong password */
    struct uuid project; /* absent: the caller's project, or none */
    struct uuid account; /* affected account; absent: the caller */
    enum role role;      /* role of the affected account, or ROLE_NONE */
    const char
        *type; /* "Session" of entity "Session/<id>"; NULL: none, or known to the statement */
    struct uuid id;
    const char *detail; /* one word ("password", a setting's name) or NULL */
    const char *reason; /* admin's own words, or NULL */
};

/* Returns the row. Only the first daemon's row has the client's address, not those of daemons that
 * it calls. */
struct sql_audit audit_row(const struct request *req, const struct audit *what);

#endif
