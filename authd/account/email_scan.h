/*
 * email_scan.h - proofs of e-mail addresses from before there was a record of them: a password that
 * was set by a mailed link, as the audit trail shows it, proved the address of its account.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_SCAN_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_SCAN_H

#include "authd/authd.h"

/* A task, see service_every(): reads the trail in parts until it came to the row that was the
 * last one when the record was introduced, in one of the instances or in turns; after that it
 * does nothing. Parks. */
int email_scan_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
