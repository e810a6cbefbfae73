/*
 * membership_end.h - the scheduled end of memberships, by DELETE /auth/delete in a session of a
 * tenant that does not own the account, in its project and those below. Only the installation's
 * page deletes the account.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_MEMBERSHIP_END_H
#define ATRIUM_AUTHD_ACCOUNT_MEMBERSHIP_END_H

#include "authd/authd.h"

struct deletion_schedule_in;
struct deletion_scheduled;

/* Schedules the end, replaces an earlier schedule, and emails the owner. Fails: CONFLICT (last
 * admin of a project), STEP_UP_REQUIRED (no days). Parks. */
int membership_end_schedule(struct authd *d, const struct request *req,
                            const struct deletion_schedule_in *in, struct deletion_scheduled *out,
                            struct error *err) MUST_USE;

/* Ends a valid schedule's memberships. Fails: ERR_CONFLICT before its date. Returns when every
 * gateway rejects their tokens. Parks. */
int membership_end_execute(struct authd *d, const struct request *req, struct uuid account,
                           struct uuid schedule, struct error *err) MUST_USE;

#endif
