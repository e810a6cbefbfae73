/*
 * account_api.c - see account_api.h.
 */
#include "authd/account/account_api.h"

#include "authd/credential/pkce.h"
#include "authd/passkey/passkey_api.h"
#include "authd/shape_api.h"

enum {
    RECOVERY_CODES_MAX = 10,
    OTPAUTH_URL_MAX = 8192,
    QR_URL_MAX = 65536,
};

static const char *const user_type[] = {"User", NULL};

#define EXAMPLE_NEW_PASSWORD "another correct horse battery staple"
#define EXAMPLE_OTPAUTH "otpauth://totp/Lakeside:ana@example.org?secret=JBSWY3DPEHPK3PXP"
#define EXAMPLE_QR "data:image/png;base64,iVBORw0KGgo="

static const struct field change_password_in_rows[] = {
    FIELD_TEXT(struct change_password_in, oldPassword, 0, ANY_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "Current password.", EXAMPLE_PASSWORD),
    FIELD_TEXT(struct change_password_in, newPassword, 1, NEW_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET,
               "The new password, subject to the project's password rules.", EXAMPLE_NEW_PASSWORD),
};
FIELD_TABLE(change_password_in);

static const struct field reset_password_in_rows[] = {
    FIELD_EMAIL(struct reset_password_in, email, FIELD_REQUIRED, "Email address of the account.",
                "ana@example.org"),
    FIELD_TEXT(struct reset_password_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the account's project.", "demo"),
    FIELD_ENUM(struct reset_password_in, type, role, account_roles, FIELD_NULLABLE,
               "Role of the account. If absent, each account with this address gets a link.",
               "Patient"),
};
FIELD_TABLE(reset_password_in);

static const struct field set_password_in_rows[] = {
    FIELD_LINK(struct set_password_in),
    FIELD_TEXT(struct set_password_in, password, 1, NEW_PASSWORD_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "The new password, subject to the project's password rules.", EXAMPLE_PASSWORD),
};
FIELD_TABLE(set_password_in);

static const struct field email_verify_send_in_rows[] = {
    FIELD_EMAIL(struct email_verify_send_in, email, FIELD_NULLABLE,
                "Email address of the account; only without an access token.", "ana@example.org"),
    FIELD_TEXT(struct email_verify_send_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_NULLABLE,
               "Tenant code of the account's project; only without an access token.", "demo"),
    FIELD_ENUM(struct email_verify_send_in, type, role, account_roles, FIELD_NULLABLE,
               "Role of the account. If absent, each account with this address gets a link.",
               "Patient"),
};
FIELD_TABLE(email_verify_send_in);

static const struct field email_change_in_rows[] = {
    FIELD_EMAIL(struct email_change_in, email, FIELD_REQUIRED, "New email address.",
                "ana@example.net"),
};
FIELD_TABLE(email_change_in);

static const struct field email_undo_in_rows[] = {
    FIELD_LINK(struct email_undo_in),
};
FIELD_TABLE(email_undo_in);

static const struct field email_verify_in_rows[] = {
    FIELD_LINK(struct email_verify_in),
    FIELD_TEXT(struct email_verify_in, password, 0, ANY_PASSWORD_MAX, FIELD_NULLABLE | FIELD_SECRET,
               "Password of the account; only without its access token.", EXAMPLE_PASSWORD),
};
FIELD_TABLE(email_verify_in);

static const struct field message_out_rows[] = {
    FIELD_TEXT(struct message_out, message, 1, DISPLAY_MAX, FIELD_REQUIRED,
               "A message for people; it can change.",
               "If there is such an account, a link to set a new password has been mailed."),
};
FIELD_TABLE(message_out);

static const struct field mfa_status_out_rows[] = {
    FIELD_BOOL(struct mfa_status_out, enrolled, 0, FIELD_REQUIRED,
               "Whether the account has an authenticator as its second factor.", "false"),
    FIELD_TEXT(struct mfa_status_out, otpauthUrl, 1, OTPAUTH_URL_MAX, FIELD_SECRET,
               "Key for an authenticator app, as an `otpauth:` URL; absent once enrolled.",
               EXAMPLE_OTPAUTH),
    FIELD_TEXT(struct mfa_status_out, qrCodeDataUrl, 1, QR_URL_MAX, FIELD_SECRET,
               "The same URL as a QR code: a PNG image in a data URL.", EXAMPLE_QR),
};
FIELD_TABLE(mfa_status_out);

static const struct field mfa_token_in_rows[] = {
    FIELD_TEXT(struct mfa_token_in, token, MFA_TOKEN_MIN, MFA_TOKEN_MAX,
               FIELD_REQUIRED | FIELD_SECRET | FIELD_CHARACTERS,
               "Six-digit code from the authenticator. To disable the second factor, you can also "
               "send a recovery code.",
               "123456"),
};
FIELD_TABLE(mfa_token_in);

static const struct field step_up_in_rows[] = {
    FIELD_TEXT(struct step_up_in, password, 0, ANY_PASSWORD_MAX, FIELD_SECRET,
               "Password of the account. Accounts with a second factor send `mfaToken` or "
               "`credential` instead.",
               EXAMPLE_PASSWORD),
    FIELD_TEXT(
        struct step_up_in, mfaToken, MFA_TOKEN_MIN, MFA_TOKEN_MAX, FIELD_SECRET | FIELD_CHARACTERS,
        "Six-digit code from the authenticator, or a recovery code; each is valid once.", "123456"),
    FIELD_UUID(struct step_up_in, loginId, 0,
               "With `credential`: `loginId` from `/auth/step-up/start`.", ""),
    FIELD_OBJECT(struct step_up_in, credential, passkey_credential, 0,
                 "A passkey's response to the challenge, instead of `password` and `mfaToken`.",
                 ""),
    FIELD_TEXT(struct step_up_in, sessionCode, 1, CODE_MAX, FIELD_SECRET,
               "`sessionCode` with which the browser returned from the identity provider, instead "
               "of the other proofs. See `/auth/step-up/federated/start`.",
               EXAMPLE_CODE),
    FIELD_PATTERN(
        struct step_up_in, codeVerifier, PKCE_VERIFIER_MIN, PKCE_VERIFIER_MAX, pkce_verifier_check,
        VERIFIER_PATTERN, FIELD_SECRET,
        "With `sessionCode`: PKCE verifier that matches the `codeChallenge` of the start.",
        EXAMPLE_VERIFIER),
};
FIELD_TABLE(step_up_in);

static const struct field mfa_enroll_out_rows[] = {
    FIELD_BOOL(struct mfa_enroll_out, ok, 0, FIELD_REQUIRED, "Always `true`."),
    FIELD_TEXTS(struct mfa_enroll_out, recoveryCodes, MFA_TOKEN_MIN, MFA_TOKEN_MAX,
                RECOVERY_CODES_MAX, FIELD_REQUIRED,
                "Recovery codes; each replaces one code from the authenticator, once. They are not "
                "shown again.",
                "k3v09xr2fa"),
};
FIELD_TABLE(mfa_enroll_out);

static const struct field ok_out_rows[] = {
    FIELD_BOOL(struct ok_out, ok, 0, FIELD_REQUIRED, "Always `true`."),
};
FIELD_TABLE(ok_out);

static const struct field deletion_schedule_in_rows[] = {
    FIELD_INT(struct deletion_schedule_in, days, 0, DELETION_DAYS_MAX, DELETION_DAYS,
              FIELD_NULLABLE, "Days until the deletion; 0 deletes immediately.", "30"),
    FIELD_BOOL(struct deletion_schedule_in, wipe, false, FIELD_NULLABLE,
               "Also erase everything the account owns, such as documents."),
};
FIELD_TABLE(deletion_schedule_in);

static const struct field deletion_user_rows[] = {
    FIELD_CHOICE(struct deletion_user, resourceType, user_type, FIELD_REQUIRED, "Always User.",
                 "User"),
    FIELD_UUID(struct deletion_user, id, FIELD_REQUIRED, "The account."),
    FIELD_TEXT(struct deletion_user, firstName, 0, NAME_MAX_LENGTH,
               FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Ana"),
    FIELD_TEXT(struct deletion_user, lastName, 0, NAME_MAX_LENGTH,
               FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Lima"),
    FIELD_TEXT(struct deletion_user, email, 1, 254, FIELD_REQUIRED, "Email address of the account.",
               "ana@example.org"),
};
FIELD_TABLE(deletion_user);

static const struct field deletion_scheduled_rows[] = {
    FIELD_TIME(struct deletion_scheduled, scheduled, FIELD_REQUIRED,
               "When the account will be deleted, unless its owner signs in first."),
    FIELD_OBJECT(struct deletion_scheduled, user, deletion_user, FIELD_REQUIRED, "The account."),
};
FIELD_TABLE(deletion_scheduled);
