/*
 * credential.h - common parts of password and second-factor changes.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_CREDENTIAL_H
#define ATRIUM_AUTHD_ACCOUNT_CREDENTIAL_H

#include "authd/credential/throttle.h"
#include "common/domain/role.h"
#include "settingsd/tenant_api.h"

struct credential_owner {
    struct uuid account;
    const char *email, *display, *hash;
    int64_t changes;
    struct tenant tenant;
    struct uuid organization; /* for which the link verifies the address, see email_verified.h */
    struct uuid joined;       /* membership that changes too; absent: none */
    bool revived;             /* the account's scheduled deletion was canceled */
    bool installation;        /* the installation sent the link */
    bool shared;              /* no project owns it: the installation sends emails */
};

/* Returns the audit row of a password event; `why`: why it failed, in one word. */
struct sql_audit credential_audit(const struct request *req, const char *action,
                                  struct uuid project, struct uuid account, const char *why);

struct credential_link_owner {
    struct uuid id;
    enum role role;
    const char *email, *name, *surname;
};

/* Checks a new password by the rules of the owner's projects. link: the emailed link that sets it,
 * or absent. Parks. */
int credential_check_password(struct authd *d, const struct request *req,
                              const struct credential_owner *owner, struct uuid link,
                              const char *password, struct error *err) MUST_USE;

/* Creates a link to set a password and queues its email, unless the account was deleted or the
 * tenant has no page for it. If the installation has no pages of its own, it emails the link's id
 * and secret. `tenant`: where the link was requested; NULL: on the installation's page. `reason`:
 * the admin's reason; NULL: the owner requested the link. Parks. */
int credential_send_link(struct authd *d, const struct request *req, const struct tenant *tenant,
                         const struct credential_link_owner *account, const char *reason,
                         struct error *err) MUST_USE;

/* Finds the sender of emails to an owner when the request is not in a session of a project: the
 * lowest project that owns the account (owner->tenant), or the installation (owner->shared).
 * Parks. */
int credential_owner_mailed(struct authd *d, const struct request *req,
                            struct credential_owner *owner, struct error *err) MUST_USE;

/* Finds the caller. ERR_UNAUTHORIZED if its account was deleted. Parks. */
int credential_owner_find(struct authd *d, const struct request *req, struct credential_owner *ret,
                          struct error *err) MUST_USE;

/* Verifies and zeroes a password, within the sign-in throttle (`keys`). Audits a wrong one.
 * *ret_right is set on success. Fails: THROTTLED. Parks. */
int credential_verify(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                      const char *hash, const char *password, const struct sql_audit *failure,
                      bool *ret_right, struct error *err) MUST_USE;

/* Verifies the caller's password like credential_verify(). A wrong password fails with the message
 * `wrong`. Fails: BAD_REQUEST, THROTTLED. Parks. */
int credential_prove(struct authd *d, const struct request *req,
                     const struct credential_owner *owner, const char *password, const char *action,
                     const char *wrong, struct error *err) MUST_USE;

/* Ends the account's sessions except `except` (absent: all), emails the owner about `what`
 * ("Password"), commits, and waits until every gateway rejects the ended tokens and has dropped the
 * changed membership and account from its cache. Parks. */
int credential_change_commit(struct authd *d, const struct request *req, struct db_tx **tx_p,
                             const struct credential_owner *owner, const char *what,
                             struct uuid except, struct error *err) MUST_USE;

#endif
