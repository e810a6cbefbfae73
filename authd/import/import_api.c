/*
 * import_api.c - see import_api.h.
 */
#include "authd/import/import_api.h"

#include "authd/shape_api.h"
#include "common/domain/name.h"
#include "common/domain/password_scheme.h"

enum {
    IMPORT_KEY_MAX = 800, /* COSE; RSA 2048 has 272 bytes */
};

static const char *const totp_algorithms[] = {"SHA1", NULL};

static const struct field import_totp_rows[] = {
    FIELD_TEXT(struct import_totp, secret, 16, 128, FIELD_REQUIRED | FIELD_SECRET,
               "Shared secret of 10 to 64 bytes in base32 (RFC 4648).",
               "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
    FIELD_CHOICE(struct import_totp, algorithm, totp_algorithms, FIELD_NULLABLE,
                 "Hash algorithm; only `SHA1` is supported.", "SHA1"),
    FIELD_INT(struct import_totp, digits, 6, 6, 6, 0, "Digits of a code; only 6 is supported.",
              "6"),
    FIELD_INT(struct import_totp, period, 30, 30, 30, 0,
              "Seconds that a code is valid; only 30 is supported.", "30"),
};
FIELD_TABLE(import_totp);

static const struct field import_passkey_rows[] = {
    FIELD_PATTERN(struct import_passkey, credentialId, 1, PASSKEY_ID_MAX, shape_check_base64url,
                  BASE64URL_PATTERN, FIELD_REQUIRED, "Credential ID in base64url.",
                  "AQIDBAUGBwgJCgsMDQ4PEA"),
    FIELD_PATTERN(struct import_passkey, publicKey, 1, IMPORT_KEY_MAX, shape_check_base64url,
                  BASE64URL_PATTERN, FIELD_REQUIRED,
                  "Public key as a COSE key (RFC 9052, section 7) in base64url.", "pQECAyYgASFYIA"),
    FIELD_PATTERN(struct import_passkey, userHandle, 1, PASSKEY_HANDLE_MAX, shape_check_base64url,
                  BASE64URL_PATTERN, FIELD_REQUIRED,
                  "User handle with which the passkey was created, in base64url.",
                  "AQIDBAUGBwgJCgsMDQ4PEA"),
    FIELD_TEXT(struct import_passkey, rpId, 1, RP_ID_MAX, FIELD_REQUIRED,
               "Relying party ID; must match the project's application for the role.",
               "my.lakeside.example"),
    FIELD_CHECKED(struct import_passkey, name, 1, PASSKEY_NAME_MAX, name_check,
                  FIELD_NULLABLE | FIELD_CHARACTERS,
                  "Name that its owner chose; the default is `Passkey`.", "Phone"),
    FIELD_INT(struct import_passkey, signCount, 0, UINT32_MAX, 0, 0,
              "Last value of the signature counter.", "0"),
    FIELD_BOOL(struct import_passkey, backedUp, false, 0,
               "Whether the passkey is synced between devices."),
    FIELD_TEXTS(struct import_passkey, transports, 1, 32, 16, 0,
                "Transports of the passkey; ignored.", "internal"),
};
FIELD_TABLE(import_passkey);

static const struct field import_line_rows[] = {
    FIELD_ENUM(struct import_line, role, role, account_roles, FIELD_NULLABLE,
               "Role of the new account; the default is `Patient`.", "Patient"),
    FIELD_EMAIL(struct import_line, email, FIELD_REQUIRED,
                "Email address to sign in with; stored in lower case.", "ana@example.org"),
    FIELD_CHECKED(struct import_line, firstName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Ana"),
    FIELD_CHECKED(struct import_line, lastName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Lima"),
    FIELD_TEXT(struct import_line, passwordHash, 1, PASSWORD_SCHEME_TEXT_MAX, FIELD_NULLABLE,
               "Password hash in a format of docs/import.md. If absent, the owner sets a password "
               "with an emailed link.",
               "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"),
    FIELD_TIME(struct import_line, createdAt, FIELD_NULLABLE,
               "When the account was created; the default is now."),
    FIELD_OBJECT(struct import_line, totp, import_totp, FIELD_NULLABLE,
                 "TOTP second factor. Only operators can import it, with addresses that they "
                 "declare verified."),
    FIELD_OBJECTS(
        struct import_line, passkeys, import_passkey, PASSKEYS_MAX, FIELD_OMIT_EMPTY,
        "Passkeys. Only operators can import them, with addresses that they declare verified."),
};
FIELD_TABLE(import_line);

static const struct field import_refusal_rows[] = {
    FIELD_INT(struct import_refusal, line, 0, 0, 0, FIELD_REQUIRED, "Number of the line, from 1.",
              "2"),
    FIELD_TEXT(struct import_refusal, email, 0, IMPORT_LINE_MAX, 0,
               "Email address in the line, if any.", "bea@example.org"),
    FIELD_BOOL(struct import_refusal, existing, false, FIELD_REQUIRED,
               "Whether an account with this address already exists; it was not changed."),
    FIELD_TEXT(struct import_refusal, why, 0, 1024, FIELD_REQUIRED, "Why no account was created.",
               "there is an account with this address, which stays as it is"),
};
FIELD_TABLE(import_refusal);

static const struct field account_import_in_rows[] = {
    FIELD_JSON_LIST(
        struct account_import_in, accounts, import_line, IMPORT_BATCH_MAX, FIELD_REQUIRED,
        "The accounts, at most 2,000.",
        "[{\"email\":\"ana@example.org\",\"firstName\":\"Ana\",\"lastName\":\"Lima\"},"
        "{\"email\":\"bea@example.org\",\"firstName\":\"Bea\",\"lastName\":\"Novak\"}]"),
};
FIELD_TABLE(account_import_in);

static const struct field account_import_out_rows[] = {
    FIELD_INT(struct account_import_out, imported, 0, 0, 0, FIELD_REQUIRED,
              "Patient accounts that were created.", "1"),
    FIELD_INT(struct account_import_out, invited, 0, 0, 0, FIELD_REQUIRED,
              "Practitioners who were invited.", "0"),
    FIELD_INT(struct account_import_out, existing, 0, 0, 0, FIELD_REQUIRED,
              "Accounts that already existed; they were not changed.", "1"),
    FIELD_INT(struct account_import_out, refused, 0, 0, 0, FIELD_REQUIRED,
              "Lines that were rejected.", "0"),
    FIELD_OBJECTS(struct account_import_out, lines, import_refusal, IMPORT_LINES_MAX, 0,
                  "Lines that created no account, each with the reason."),
};
FIELD_TABLE(account_import_out);

static const struct field operator_import_in_rows[] = {
    FIELD_UUID(struct operator_import_in, projectId, FIELD_REQUIRED, "Where."),
    FIELD_BYTES(struct operator_import_in, import, IMPORT_ID_SIZE, FIELD_REQUIRED, "Which."),
    FIELD_INT(struct operator_import_in, firstLine, 1, INT64_MAX, 1, FIELD_REQUIRED,
              "Number of the first line.", "1"),
    FIELD_BYTES(struct operator_import_in, lines, IMPORT_BATCH_MAX + 2 * IMPORT_LINE_MAX,
                FIELD_REQUIRED, "NDJSON."),
    FIELD_BOOL(struct operator_import_in, verified, false, 0,
               "Whether the email addresses are verified."),
    FIELD_BOOL(struct operator_import_in, dryRun, false, 0,
               "Whether to only check the lines, without creating accounts."),
};
FIELD_TABLE(operator_import_in);

static const struct field operator_import_out_rows[] = {
    FIELD_INT(struct operator_import_out, imported, 0, 0, 0, FIELD_REQUIRED,
              "Number of imported accounts.", "1"),
    FIELD_OBJECTS(struct operator_import_out, lines, import_refusal, IMPORT_LINES_MAX, 0,
                  "Lines that created no account, each with the reason."),
    FIELD_BYTES(struct operator_import_out, addresses, IMPORT_LINES_MAX *IMPORT_ADDRESS_SIZE, 0,
                "Hashes of the addresses in a dry run."),
};
FIELD_TABLE(operator_import_out);

static const struct field operator_import_end_in_rows[] = {
    FIELD_BYTES(struct operator_import_end_in, import, IMPORT_ID_SIZE, FIELD_REQUIRED, "Which."),
};
FIELD_TABLE(operator_import_end_in);
