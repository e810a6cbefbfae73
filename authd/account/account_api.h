/*
 * account_api.h - what people change in their own account.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_ACCOUNT_API_H
#define ATRIUM_AUTHD_ACCOUNT_ACCOUNT_API_H

#include "common/domain/role.h"
#include "common/wire/fields.h"

struct change_password_in {
    const char *oldPassword, *newPassword;
};
FIELD_DECLARE(change_password_in);

struct reset_password_in {
    const char *email, *tenantCode;
    enum role type; /* ROLE_NONE: accounts of either role */
};
FIELD_DECLARE(reset_password_in);

struct set_password_in {
    struct uuid id; /* id and secret are from the emailed link */
    const char *secret, *password;
};
FIELD_DECLARE(set_password_in);

/* A request to verify the caller's address or, without a token, the address of an account in a
 * tenant. */
struct email_verify_send_in {
    const char *email, *tenantCode;
    enum role type; /* ROLE_NONE: accounts of either role */
};
FIELD_DECLARE(email_verify_send_in);

struct email_change_in {
    const char *email;
};
FIELD_DECLARE(email_change_in);

struct email_undo_in {
    struct uuid id; /* id and secret are from the emailed link */
    const char *secret;
};
FIELD_DECLARE(email_undo_in);

struct email_verify_in {
    struct uuid id; /* id and secret are from the emailed link */
    const char *secret;
    const char *password; /* NULL: needs a session of the account */
};
FIELD_DECLARE(email_verify_in);

struct message_out {
    const char *message;
};
FIELD_DECLARE(message_out);

struct mfa_status_out {
    bool enrolled;
    const char *otpauthUrl, *qrCodeDataUrl; /* NULL once enrolled */
};
FIELD_DECLARE(mfa_status_out);

struct mfa_token_in {
    const char *token; /* six digits or, except to enroll, a recovery code */
};
FIELD_DECLARE(mfa_token_in);

/* The proof: a passkey, a second-factor code if the account has a second factor, or otherwise the
 * password. */
struct step_up_in {
    const char *password, *mfaToken;
    struct uuid loginId; /* from /auth/step-up/start; needed with `credential` */
    const struct passkey_credential *credential;
    const char *sessionCode, *codeVerifier; /* an answer of the identity provider */
};
FIELD_DECLARE(step_up_in);

struct mfa_enroll_out {
    bool ok;
    struct field_texts recoveryCodes;
};
FIELD_DECLARE(mfa_enroll_out);

struct ok_out {
    bool ok;
};
FIELD_DECLARE(ok_out);

struct deletion_schedule_in {
    int64_t days;
    bool wipe; /* also erase the account's data in other daemons */
};
FIELD_DECLARE(deletion_schedule_in);

struct deletion_user {
    const char *resourceType;
    struct uuid id;
    const char *firstName, *lastName, *email;
};
FIELD_DECLARE(deletion_user);

struct deletion_scheduled {
    int64_t scheduled; /* deletion date */
    const struct deletion_user *user;
};
FIELD_DECLARE(deletion_scheduled);

#endif
