/*
 * import_line.h - reads the lines of an import and makes the statements' parameters. Pure; runs on
 * a thread, since a batch takes tens of milliseconds.
 *
 * Names and addresses follow the rules of registration. An unknown key is an error, since its data
 * would be lost.
 */
#ifndef ATRIUM_AUTHD_IMPORT_IMPORT_LINE_H
#define ATRIUM_AUTHD_IMPORT_IMPORT_LINE_H

#include "authd/credential/totp.h"
#include "authd/import/import_api.h"
#include "authd/passkey/webauthn.h"
#include "common/base/secret.h"
#include "common/pg/db.h"

/* What a batch can contain. */
struct import_rules {
    int64_t now_ms;
    bool verified;                                  /* second factors and passkeys */
    bool invites;                                   /* invite practitioners, without their hashes */
    bool patient_policy, practitioner_policy;       /* the project has a default */
    const char *patient_rp_id, *practitioner_rp_id; /* for passkeys; NULL: none allowed */
};

struct import_key {
    const struct import_passkey *in;
    struct webauthn_credential credential;
    uint8_t handle[64]; /* Web Authentication Level 3, section 5.4.3 */
    size_t handle_size;
};

struct import_account {
    int64_t line;
    const char *why; /* NULL: valid */
    bool existing;   /* the address has an account */
    bool invited;    /* a practitioner, who needs no account here */
    bool patient;
    const char *email; /* NULL: unreadable */
    struct import_line in;
    struct uuid id, membership, profile; /* a valid line's new ids */
    uint8_t totp[TOTP_SECRET_MAX];       /* see import_batch_wipe() */
    size_t totp_size;
    struct sealed totp_sealed; /* set by the caller */
    struct import_key *keys;
    size_t key_count;
};

struct import_batch {
    struct arena *arena; /* arena of the request */
    struct import_rules rules;
    const char *hash; /* for accounts without a password; matches none */
    struct uuid_pool ids;
    struct import_account items[IMPORT_LINES_MAX];
    size_t count;
    /* Valid lines in the order of addresses, and so of ids. */
    struct import_account *order[IMPORT_LINES_MAX];
    size_t order_count;
    bool over; /* too many lines; those after the limit are unread */
};

/* Arrays with an item per valid line, in the order of ids, for import_create.sql and
 * import_check.sql. */
struct import_rows {
    struct db_array lines, ids, memberships, profiles, roles, emails, names, surnames, hashes,
        created, totps;
};

/* Reads NDJSON and skips blank lines. first_line: number of the first. */
void import_read_lines(struct import_batch *self, struct field_bytes text, int64_t first_line);

/* Reads a JSON array, from line 1. False: not an array. */
bool import_read_array(struct import_batch *self, const char *json);

/* NULL: no such line. */
struct import_account *import_find(struct import_batch *self, int64_t line);

void import_refuse(struct import_account *self, bool existing, const char *why);

/* Return the number of valid lines, and the others (struct import_refusal). */
size_t import_good(const struct import_batch *self);
struct field_list import_refusals(const struct import_batch *self);

/* Return statements' parameters: for valid lines, those of import_create.sql and import_check.sql
 * (`passkeys` is separate); for rejected lines, those of import_batch_complete.sql. */
struct import_rows import_rows(const struct import_batch *self);
const char *import_passkey_rows(const struct import_batch *self);
const char *import_refusal_rows(const struct import_batch *self);

struct field_bytes import_addresses(const struct import_batch *self);

/* Zeroes second-factor secrets. For CLEANUP. */
void import_batch_wipe(struct import_batch **self_p);

#endif
