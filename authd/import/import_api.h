/*
 * import_api.h - imports of accounts; docs/import.md describes a line.
 */
#ifndef ATRIUM_AUTHD_IMPORT_IMPORT_API_H
#define ATRIUM_AUTHD_IMPORT_IMPORT_API_H

#include "common/domain/role.h"
#include "common/wire/fields.h"

enum {
    IMPORT_LINES_MAX = 2000,        /* per batch */
    IMPORT_LINE_MAX = 64 * 1024,    /* bytes */
    IMPORT_BATCH_MAX = 1024 * 1024, /* bytes */
    IMPORT_ID_SIZE = 32,            /* bytes */
    IMPORT_ADDRESS_SIZE = 16,       /* bytes, see operator_import_out */
};

struct import_totp {
    const char *secret;    /* base32 */
    const char *algorithm; /* "SHA1" */
    int64_t digits, period;
};
FIELD_DECLARE(import_totp);

struct import_passkey {
    const char *credentialId, *publicKey, *userHandle; /* base64url; the key is COSE */
    const char *rpId, *name;
    int64_t signCount;
    bool backedUp;
    struct field_texts transports; /* accepted, but ignored */
};
FIELD_DECLARE(import_passkey);

/* For a line whose address has an account. */
#define IMPORT_EXISTING "there is an account with this address, which stays as it is"

struct import_line {
    enum role role; /* ROLE_NONE: a patient */
    const char *email, *firstName, *lastName;
    const char *passwordHash; /* see common/domain/password_scheme.h */
    int64_t createdAt;
    const struct import_totp *totp;
    struct field_list passkeys; /* struct import_passkey */
};
FIELD_DECLARE(import_line);

struct import_refusal {
    int64_t line;      /* from 1 */
    const char *email; /* NULL: unreadable */
    bool existing;     /* the address has an account */
    const char *why;
};
FIELD_DECLARE(import_refusal);

struct account_import_in {
    const char *accounts; /* JSON array of import_line */
};
FIELD_DECLARE(account_import_in);

struct account_import_out {
    int64_t imported, invited, existing, refused;
    struct field_list lines; /* struct import_refusal */
};
FIELD_DECLARE(account_import_out);

/* A repeated batch gets the first answer. */
struct operator_import_in {
    struct uuid projectId;
    struct field_bytes import; /* IMPORT_ID_SIZE bytes: hash of file and options */
    int64_t firstLine;
    struct field_bytes lines; /* NDJSON */
    bool verified;            /* addresses are verified; factors are imported */
    bool dryRun;              /* writes nothing */
};
FIELD_DECLARE(operator_import_in);

struct operator_import_out {
    int64_t imported;        /* accounts; with dryRun, how many would be imported */
    struct field_list lines; /* struct import_refusal */
    /* In a dry run, to find duplicates in a file: each valid line's number (8 bytes, big-endian)
     * and a hash of role and address (8 bytes). */
    struct field_bytes addresses;
};
FIELD_DECLARE(operator_import_out);

/* Deletes a complete import's batches. */
struct operator_import_end_in {
    struct field_bytes import;
};
FIELD_DECLARE(operator_import_end_in);

#endif
