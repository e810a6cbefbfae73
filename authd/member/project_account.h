/*
 * project_account.h - the accounts of the caller's project, as its admins see them.
 *
 * An account is one person; a practitioner's may be a member of other projects, too. What is shown
 * here is this project's alone, and an account that is no member of it is not found.
 */
#ifndef ATRIUM_AUTHD_MEMBER_PROJECT_ACCOUNT_H
#define ATRIUM_AUTHD_MEMBER_PROJECT_ACCOUNT_H

#include "authd/authd.h"

struct project_account;
struct tenant;

/* The caller's project, and an account of it. ERR_NOT_FOUND when it is no member. Parks. */
int project_account_open(struct authd *d, const struct request *req, struct uuid account,
                         struct tenant *ret_tenant, struct project_account *ret,
                         struct error *err) MUST_USE;

#endif
