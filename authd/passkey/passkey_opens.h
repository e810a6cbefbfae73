/*
 * passkey_opens.h - the projects that a passkey opens: its project and those below, or all.
 *
 * Its project is that of the session in which it was made; the installation's own pages make
 * passkeys for all. Relying parties don't decide, because tenants choose their application's URL.
 * passkey.opens_id is the nil UUID for all and the max UUID for none. In passkeys of older releases
 * it is null and stands for the lowest common ancestor of the account's memberships. If there is
 * none, they open nothing, and the owner gets an email.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_OPENS_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_OPENS_H

#include "authd/authd.h"

#define PASSKEY_OPENS_ALL UUID_NIL
#define PASSKEY_OPENS_NONE "ffffffff-ffff-ffff-ffff-ffffffffffff"

/* True if the passkey opens all projects, as the installation's own pages require. */
bool passkey_opens_all(const struct uuid *opens);

/* Returns login.within_id for a login with this passkey; not set: all. */
struct uuid passkey_opens_within(const struct uuid *opens);

/* Checks if the passkey opens the project. Parks. */
int passkey_opens(struct authd *d, const struct request *req, struct uuid opens,
                  struct uuid project, bool *ret, struct error *err) MUST_USE;

/* Keeps the tenants that the passkey opens. Parks. */
int passkey_opens_tenants(struct authd *d, const struct request *req, struct uuid opens,
                          struct field_list *tenants, struct error *err) MUST_USE;

/* Lists the account's passkeys that open the project (not set: all). Parks. */
struct sql_passkey_list_rows;
int passkey_opens_list(struct authd *d, const struct request *req, struct uuid account,
                       struct uuid project, struct sql_passkey_list_rows *ret,
                       struct error *err) MUST_USE;

/* Determines and stores what an older passkey opens. Parks. */
int passkey_opens_settle(struct authd *d, const struct request *req, struct uuid passkey,
                         struct uuid account, struct uuid *opens, struct error *err) MUST_USE;

int passkey_opens_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
