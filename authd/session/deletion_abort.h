/*
 * deletion_abort.h - a new session cancels the account's scheduled deletion.
 */
#ifndef ATRIUM_AUTHD_SESSION_DELETION_ABORT_H
#define ATRIUM_AUTHD_SESSION_DELETION_ABORT_H

#include "authd/authd.h"
#include "authd/session/change.h"
#include "authd/sql_part.h"

struct sql_deletion_abort deletion_abort_values(const struct request *req, struct uuid account,
                                                enum role role);

/* Makes gateways drop the account from their caches. Parks. */
int deletion_settle(struct authd *d, const struct request *req, int64_t sequence,
                    struct uuid account, struct error *err) MUST_USE;

/* Calls deletion_settle() with the statement's sequence; 0: no deletion was scheduled. Parks. */
int deletion_abort_publish(struct authd *d, const struct request *req, int64_t sequence,
                           struct uuid account, struct error *err) MUST_USE;

#endif
