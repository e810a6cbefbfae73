/*
 * membership_end.h - the scheduled end of memberships, by DELETE /auth/delete in a session of a
 * tenant that does not own the account. It ends the memberships of the tenant's project and of
 * projects below it. Only the installation's page deletes the account.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_MEMBERSHIP_END_H
#define ATRIUM_AUTHD_ACCOUNT_MEMBERSHIP_END_H

#include "authd/authd.h"

struct deletion_schedule_in;
struct deletion_scheduled;

/* Schedules the end, replaces an earlier schedule, and emails the owner. Fails: CONFLICT (last
 * admin of one of these projects), STEP_UP_REQUIRED (with no days). Parks. */
int membership_end_schedule(struct authd *d, const struct request *req,
                            const struct deletion_schedule_in *in, struct deletion_scheduled *out,
                            struct error *err) MUST_USE;

/* Ends the memberships of a schedule that is still valid. Fails: ERR_CONFLICT before its date.
 * Returns when every gateway rejects their tokens. Parks. */
int membership_end_execute(struct authd *d, const struct request *req, struct uuid account,
                           struct uuid schedule, struct error *err) MUST_USE;

#endif
