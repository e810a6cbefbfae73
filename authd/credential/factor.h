/*
 * factor.h - the second factor of an account (TOTP, or a recovery code): for mfa.c and login_mfa.c.
 *
 * Everything that depends on a code happens in one transaction that holds the factor's row: of many
 * requests with one code, at whatever instances, one finds it unspent, and a guesser is told no
 * more than the limit, however many guesses are sent at once.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_FACTOR_H
#define ATRIUM_AUTHD_CREDENTIAL_FACTOR_H

#include "authd/authd.h"
#include "authd/credential/totp.h"

enum {
    FACTOR_RECOVERY_CODES = 10,
    FACTOR_RECOVERY_LENGTH = 10, /* characters, of 5 bits each */
    FACTOR_FAILURES_MAX = 20,    /* wrong codes of an account in a window */
};
#define FACTOR_SEAL_PURPOSE "mfa factor" /* and the account */
#define FACTOR_WINDOW MINUTES(15)
#define FACTOR_PENDING_LIFE MINUTES(15) /* of a secret that was shown, until it is enrolled */

struct factor {
    struct uuid account;
    struct uuid project; /* for audit rows, set by who knows it; absent: the caller's */
    bool found, enrolled, pending;
    uint8_t secret[TOTP_SECRET_MAX];
    size_t secret_size;
    int64_t limit_at; /* the failure that must leave the window first; 0: below the limit */
};

/* Usable with CLEANUP on a struct factor variable. */
void factor_wipe(struct factor *self);

/* A secret, and a new one, sealed for its account; and back, into the factor of that account:
 * ERR_INTERNAL when it was sealed with another key. */
struct sealed factor_seal(struct authd *d, const struct request *req, struct uuid account,
                          const uint8_t *secret, size_t size);
struct sealed factor_seal_new(struct authd *d, const struct request *req, struct uuid account);
int factor_open(struct authd *d, const struct request *req, struct sealed sealed,
                struct factor *ret, struct error *err) MUST_USE;

/* Reads the factor of an account and holds it for the transaction. Found or not, 0. Parks. */
int factor_lock(struct authd *d, struct db_tx *tx, const struct request *req, struct uuid account,
                struct factor *ret, struct error *err) MUST_USE;

/* The same of the secret that the caller's session may enrol: never `enrolled`. Found or not, 0.
 * Parks. */
int factor_lock_pending(struct authd *d, struct db_tx *tx, const struct request *req,
                        struct factor *ret, struct error *err) MUST_USE;

/* ERR_THROTTLED at the limit. */
int factor_check_limit(const struct request *req, const struct factor *factor,
                       struct error *err) MUST_USE;

/* Spends a code. *ret_method: "totp" or "recovery"; NULL when it is wrong or was spent before.
 * ERR_THROTTLED at the limit. Parks. */
int factor_consume(struct authd *d, struct db_tx *tx, const struct request *req,
                   const struct factor *factor, const char *token, const char **ret_method,
                   struct error *err) MUST_USE;

/* Counts a wrong code, writes its audit row, commits and refuses: ERR_BAD_REQUEST. Parks. */
int factor_refuse(struct db_tx **tx_p, const struct request *req, const struct factor *factor,
                  const struct sql_audit *audit, struct error *err) MUST_USE;

/* New recovery codes of a factor (texts from the arena), and their hashes, keyed with its secret,
 * one after the other. */
struct factor_recovery {
    const char *codes[FACTOR_RECOVERY_CODES];
    uint8_t hashes[FACTOR_RECOVERY_CODES * SECRET_HASH_SIZE];
};
void factor_recovery_new(const struct request *req, const struct factor *factor,
                         struct factor_recovery *ret);

#endif
