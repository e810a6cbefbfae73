/*
 * import_line.h - the lines of an import: reading them, and what the statements are given of those
 * that are good. Computes only; runs on a thread, for a batch takes tens of milliseconds.
 *
 * What a line may say is what a registration may: the same rules for names and addresses. A key
 * that is not known is refused by its name, since what it was meant to do would be lost.
 */
#ifndef ATRIUM_AUTHD_IMPORT_IMPORT_LINE_H
#define ATRIUM_AUTHD_IMPORT_IMPORT_LINE_H

#include "authd/credential/totp.h"
#include "authd/import/import_api.h"
#include "authd/passkey/webauthn.h"
#include "common/base/secret.h"
#include "common/pg/db.h"

/* What a batch may bring. */
struct import_rules {
    int64_t now_ms;
    bool verified; /* second factors and passkeys may come along */
    bool invites;  /* practitioners are invited: their hash is passed over */
    bool patient_policy, practitioner_policy;       /* the project has a default for them */
    const char *patient_rp_id, *practitioner_rp_id; /* of passkeys; NULL: it can have none */
};

/* A passkey of a line. */
struct import_key {
    const struct import_passkey *in;
    struct webauthn_credential credential;
    uint8_t handle[64]; /* Web Authentication Level 3, section 5.4.3 */
    size_t handle_size;
};

struct import_account {
    int64_t line;
    const char *why; /* it makes no account; NULL: nothing is wrong with it */
    bool existing;   /* because there is one with the address */
    bool invited;    /* it was a practitioner's: nothing of it is left to do */
    bool patient;
    const char *email; /* also of a line that is refused, if it can be read; else NULL */
    struct import_line in;
    struct uuid id, membership, profile; /* of a good one, new */
    uint8_t totp[TOTP_SECRET_MAX];       /* wiped by import_batch_wipe() */
    size_t totp_size;
    struct sealed totp_sealed; /* set by the caller */
    struct import_key *keys;
    size_t key_count;
};

struct import_batch {
    struct arena *arena; /* of the request */
    struct import_rules rules;
    const char *hash; /* for accounts without a password: none has it */
    struct uuid_pool ids;
    struct import_account items[IMPORT_LINES_MAX];
    size_t count;
    /* The good ones as they were read, in the order of their addresses; so are their ids. */
    struct import_account *order[IMPORT_LINES_MAX];
    size_t order_count;
    bool over; /* there are more lines than a batch may have; the rest was not read */
};

/* What import_create.sql and import_check.sql are given of the good lines: of each array an
 * item, in the order of ids, which is that of addresses. */
struct import_rows {
    struct db_array lines, ids, memberships, profiles, roles, emails, names, surnames, hashes,
        created, totps;
};

/* Reads NDJSON; lines of white space alone are passed over. first_line: number of the first. */
void import_read_lines(struct import_batch *self, struct field_bytes text, int64_t first_line);

/* Reads a JSON array, whose first item is line 1. False: it is none. */
bool import_read_array(struct import_batch *self, const char *json);

/* The line of that number, NULL when it is not one of them. */
struct import_account *import_find(struct import_batch *self, int64_t line);

/* Refuses a line for a reason that is found later. */
void import_refuse(struct import_account *self, bool existing, const char *why);

/* How many lines are good, and those that are not (struct import_refusal). */
size_t import_good(const struct import_batch *self);
struct field_list import_refusals(const struct import_batch *self);

/* The parameters of import_create.sql and import_check.sql, of the good lines, `passkeys` among
 * them; and those of import_batch_complete.sql, of the others. */
struct import_rows import_rows(const struct import_batch *self);
const char *import_passkey_rows(const struct import_batch *self);
const char *import_refusal_rows(const struct import_batch *self);

/* operator_import_out.addresses. */
struct field_bytes import_addresses(const struct import_batch *self);

/* Wipes the secrets of second factors. For CLEANUP: takes a pointer to the pointer. */
void import_batch_wipe(struct import_batch **self_p);

#endif
