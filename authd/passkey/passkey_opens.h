/*
 * passkey_opens.h - which projects a passkey opens.
 *
 * A passkey opens the project in whose session it was made, and those below it: as sign-in, step-up
 * and second factor. One that was made in a session of the installation's own pages opens every
 * membership. The relying party does not decide: a tenant chooses its application's address, and an
 * HTTP client writes any origin it likes.
 *
 * passkey.opens_id: the project; the nil UUID for all, the max UUID for none. Null is of a build
 * that did not record it: such a passkey opens the lowest project above all memberships of its
 * account. Where there is none it opens nothing, and its owner is emailed. A task settles these
 * after an upgrade; a use before that settles its own.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_OPENS_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_OPENS_H

#include "authd/authd.h"

#define PASSKEY_OPENS_ALL UUID_NIL
#define PASSKEY_OPENS_NONE "ffffffff-ffff-ffff-ffff-ffffffffffff"

/* Whether a passkey opens everything, as the installation's own pages ask. */
bool passkey_opens_all(const struct uuid *opens);

/* What a login that was begun by it stays within (login.within_id); absent: it opens all. */
struct uuid passkey_opens_within(const struct uuid *opens);

/* Whether it opens the project. Parks. */
int passkey_opens(struct authd *d, const struct request *req, struct uuid opens,
                  struct uuid project, bool *ret, struct error *err) MUST_USE;

/* Keeps those of the tenants (struct tenant) that it opens. Parks. */
int passkey_opens_tenants(struct authd *d, const struct request *req, struct uuid opens,
                          struct field_list *tenants, struct error *err) MUST_USE;

/* The account's passkeys that open the project; absent: all. Parks. */
struct sql_passkey_list_rows;
int passkey_opens_list(struct authd *d, const struct request *req, struct uuid account,
                       struct uuid project, struct sql_passkey_list_rows *ret,
                       struct error *err) MUST_USE;

/* Finds out what a passkey of before opens (*opens absent), and writes it. Parks. */
int passkey_opens_settle(struct authd *d, const struct request *req, struct uuid passkey,
                         struct uuid account, struct uuid *opens, struct error *err) MUST_USE;

/* Does so for some of those that are left: the task. */
int passkey_opens_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
