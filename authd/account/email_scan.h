/*
 * email_scan.h - recovers verifications from before authd recorded them: an audit row about a
 * password set with an emailed link verifies the account's address.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_SCAN_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_SCAN_H

#include "authd/authd.h"

/* Reads the audit log in parts, up to the row that was last when authd began to record
 * verifications. For service_every(); instances can share the work. Parks. */
int email_scan_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
