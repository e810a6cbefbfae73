/*
 * deletion_abort.h - a scheduled deletion of an account that is taken back by whatever makes a
 * session.
 */
#ifndef ATRIUM_AUTHD_SESSION_DELETION_ABORT_H
#define ATRIUM_AUTHD_SESSION_DELETION_ABORT_H

#include "authd/authd.h"
#include "authd/session/change.h"
#include "authd/sql_part.h"

/* What a statement writes by the part deletion_abort. */
struct sql_deletion_abort deletion_abort_values(const struct request *req, struct uuid account,
                                                enum role role);

/* Gateways forget what they know of the account, and so its date or that it has none any more.
 * Parks. */
int deletion_settle(struct authd *d, const struct request *req, int64_t sequence,
                    struct uuid account, struct error *err) MUST_USE;

/* Call it with the sequence that the statement yields, 0 when no deletion was scheduled: returns
 * when every gateway knows that the account stays. Parks. */
int deletion_abort_publish(struct authd *d, const struct request *req, int64_t sequence,
                           struct uuid account, struct error *err) MUST_USE;

#endif
