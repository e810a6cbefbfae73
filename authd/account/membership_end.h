/*
 * membership_end.h - the end of memberships, scheduled by DELETE /auth/delete in a session of a
 * tenant that does not own the account: of its project and those below. The account stays; only the
 * installation's page deletes it.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_MEMBERSHIP_END_H
#define ATRIUM_AUTHD_ACCOUNT_MEMBERSHIP_END_H

#include "authd/authd.h"

struct deletion_schedule_in;
struct deletion_scheduled;

/* Schedules it, in place of an earlier schedule, and mails the owner. Fails: CONFLICT (the last
 * admin of one of these projects), STEP_UP_REQUIRED (with no days). Parks. */
int membership_end_schedule(struct authd *d, const struct request *req,
                            const struct deletion_schedule_in *in, struct deletion_scheduled *out,
                            struct error *err) MUST_USE;

/* Ends the memberships of a schedule, if it stands: else nothing. Fails with ERR_CONFLICT before
 * its date. Returns when every gateway refuses their tokens. Parks. */
int membership_end_execute(struct authd *d, const struct request *req, struct uuid account,
                           struct uuid schedule, struct error *err) MUST_USE;

#endif
