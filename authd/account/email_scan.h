/*
 * email_scan.h - records email addresses that were verified before authd recorded verification. If
 * the audit log shows that a password was set with an emailed link, the account's address was
 * verified.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_SCAN_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_SCAN_H

#include "authd/authd.h"

/* Reads the audit log in parts, up to the row that was last when the record was introduced; then
 * does nothing. For service_every(); several instances can share the work. Parks. */
int email_scan_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
