/*
 * credential.h - what every change of a password or a second factor has in common: credential.c
 * and mfa.c.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_CREDENTIAL_H
#define ATRIUM_AUTHD_ACCOUNT_CREDENTIAL_H

#include "authd/credential/throttle.h"
#include "common/domain/role.h"
#include "settingsd/tenant_api.h"

/* Whose credential changes, and the project that its mail comes from. */
struct credential_owner {
    struct uuid account;
    const char *email, *display, *hash;
    int64_t changes;
    struct tenant tenant;
    struct uuid organization; /* that a proof by the link counts for, see email_verified.h */
    struct uuid joined;       /* membership that changes along; absent: none */
    bool revived;             /* its scheduled deletion was taken back along */
    bool installation;        /* the link was mailed by the installation */
    bool shared;              /* no single project owns it: the installation mails about it */
};

/* The audit row of what happened to an account's password; why: of a failure, one word. */
struct sql_audit credential_audit(const struct request *req, const char *action,
                                  struct uuid project, struct uuid account, const char *why);

/* Whom a link to set a password is for. */
struct credential_link_owner {
    struct uuid id;
    enum role role;
    const char *email, *name, *surname;
};

/* Makes a link for one account and queues its mail; nothing for a project without the address of
 * an application that the link could lead to, or when the account is deleted at this moment. Where
 * the installation mails but has no such pages, the mail has the link's id and secret. tenant: that
 * it was asked for in; NULL: on the installation's own page, which mails it then. reason: of the
 * admin who sends it; NULL: the owner has asked for it. Parks. */
int credential_send_link(struct authd *d, const struct request *req, const struct tenant *tenant,
                         const struct credential_link_owner *account, const char *reason,
                         struct error *err) MUST_USE;

/* Finds by whom the owner of an account is mailed when no project's session acts: the lowest
 * project that owns it (owner->tenant), or the installation (owner->shared). Parks. */
int credential_owner_mailed(struct authd *d, const struct request *req,
                            struct credential_owner *owner, struct error *err) MUST_USE;

/* The caller of the request. ERR_UNAUTHORIZED when its account is gone. Parks. */
int credential_owner_find(struct authd *d, const struct request *req, struct credential_owner *ret,
                          struct error *err) MUST_USE;

/* Verifies a password, counted by the limits of sign-in (`keys`); a wrong one writes the audit row.
 * Wipes the password. *ret_right is set on success. Fails: THROTTLED. Parks. */
int credential_verify(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                      const char *hash, const char *password, const struct sql_audit *failure,
                      bool *ret_right, struct error *err) MUST_USE;

/* Verifies the caller's password, counted by the limits of sign-in. A failure is audited as
 * `action` and refused with the text `wrong`: ERR_BAD_REQUEST, ERR_THROTTLED. Wipes the password.
 * Parks. */
int credential_prove(struct authd *d, const struct request *req,
                     const struct credential_owner *owner, const char *password, const char *action,
                     const char *wrong, struct error *err) MUST_USE;

/* The last part of a change: ends the account's sessions but `except` (absent: none is kept),
 * queues the mail that tells the owner of `what` ("Password"), commits, and waits until every
 * gateway refuses the tokens of what ended and knows the membership that changed and the account
 * that stays. Parks. */
int credential_change_commit(struct authd *d, const struct request *req, struct db_tx **tx_p,
                             const struct credential_owner *owner, const char *what,
                             struct uuid except, struct error *err) MUST_USE;

#endif
