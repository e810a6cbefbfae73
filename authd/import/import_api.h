/*
 * import_api.h - imports of accounts: docs/import.md has the form of a line.
 */
#ifndef ATRIUM_AUTHD_IMPORT_IMPORT_API_H
#define ATRIUM_AUTHD_IMPORT_IMPORT_API_H

#include "common/domain/role.h"
#include "common/wire/fields.h"

enum {
    IMPORT_LINES_MAX = 2000,        /* of a batch */
    IMPORT_LINE_MAX = 64 * 1024,    /* bytes of one */
    IMPORT_BATCH_MAX = 1024 * 1024, /* bytes of a batch */
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
    const char *credentialId, *publicKey, *userHandle; /* base64url; the key as COSE has it */
    const char *rpId, *name;
    int64_t signCount;
    bool backedUp;
    struct field_texts transports; /* not kept */
};
FIELD_DECLARE(import_passkey);

/* What is wrong with a line whose address an account has. */
#define IMPORT_EXISTING "there is an account with this address, which stays as it is"

/* One account. */
struct import_line {
    enum role role; /* ROLE_NONE: a patient */
    const char *email, *firstName, *lastName;
    const char *passwordHash; /* see common/domain/password_scheme.h */
    int64_t createdAt;
    const struct import_totp *totp;
    struct field_list passkeys; /* struct import_passkey */
};
FIELD_DECLARE(import_line);

/* A line that made no account. */
struct import_refusal {
    int64_t line;      /* the first is 1 */
    const char *email; /* NULL: it has none that can be read */
    bool existing;     /* there is an account with this address, which stays as it is */
    const char *why;
};
FIELD_DECLARE(import_refusal);

struct account_import_in {
    const char *accounts; /* JSON, an array of import_line */
};
FIELD_DECLARE(account_import_in);

struct account_import_out {
    int64_t imported, invited, existing, refused;
    struct field_list lines; /* struct import_refusal */
};
FIELD_DECLARE(account_import_out);

/* A batch of an import. The same batch of the same import, asked for again, is answered as at first
 * and does nothing. */
struct operator_import_in {
    struct uuid projectId;
    struct field_bytes import; /* IMPORT_ID_SIZE bytes: a hash of the file and of what was asked */
    int64_t firstLine;         /* number of the batch's first line */
    struct field_bytes lines;  /* NDJSON */
    bool verified;             /* the addresses count as proven, and factors come along */
    bool dryRun;               /* nothing is written */
};
FIELD_DECLARE(operator_import_in);

struct operator_import_out {
    int64_t imported;        /* or would be */
    struct field_list lines; /* struct import_refusal */
    /* With dryRun, of each line that would make an account: its number (8 bytes, big-endian) and a
     * hash of role and address (8 bytes), for who asks to find two with one address. */
    struct field_bytes addresses;
};
FIELD_DECLARE(operator_import_out);

/* The import is complete: its batches are forgotten. */
struct operator_import_end_in {
    struct field_bytes import;
};
FIELD_DECLARE(operator_import_end_in);

#endif
