/*
 * project_account.h - accounts of the caller's project, for its admins.
 *
 * A practitioner's account can be in other projects too. Only this project's data is shown.
 */
#ifndef ATRIUM_AUTHD_MEMBER_PROJECT_ACCOUNT_H
#define ATRIUM_AUTHD_MEMBER_PROJECT_ACCOUNT_H

#include "authd/authd.h"

struct project_account;
struct tenant;

/* Finds an account of the caller's project. ERR_NOT_FOUND: not a member. Parks. */
int project_account_open(struct authd *d, const struct request *req, struct uuid account,
                         struct tenant *ret_tenant, struct project_account *ret,
                         struct error *err) MUST_USE;

#endif
