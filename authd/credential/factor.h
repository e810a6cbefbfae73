/*
 * factor.h - an account's second factor: TOTP or a recovery code.
 *
 * Each check of a code locks the factor's row in one transaction. So a code works once, and
 * concurrent guesses don't exceed the limit.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_FACTOR_H
#define ATRIUM_AUTHD_CREDENTIAL_FACTOR_H

#include "authd/authd.h"
#include "authd/credential/totp.h"

enum {
    FACTOR_RECOVERY_CODES = 10,
    FACTOR_RECOVERY_LENGTH = 10, /* 5 bits each */
    FACTOR_FAILURES_MAX = 20,    /* wrong codes per account in a window */
};
#define FACTOR_SEAL_PURPOSE "mfa factor" /* followed by the account */
#define FACTOR_WINDOW MINUTES(15)
#define FACTOR_PENDING_LIFE MINUTES(15) /* lifetime of a secret that isn't enrolled */

struct factor {
    struct uuid account;
    struct uuid project; /* for audit rows; not set: the caller's project */
    bool found, enrolled, pending;
    uint8_t secret[TOTP_SECRET_MAX];
    size_t secret_size;
    int64_t limit_at; /* time of the failure that keeps the account at its limit; 0: below it */
};

/* For CLEANUP. */
void factor_wipe(struct factor *self);

/* factor_seal() seals a secret for its account, factor_seal_new() a new one, and factor_open()
 * opens it again. ERR_INTERNAL: sealed with another key. */
struct sealed factor_seal(struct authd *d, const struct request *req, struct uuid account,
                          const uint8_t *secret, size_t size);
struct sealed factor_seal_new(struct authd *d, const struct request *req, struct uuid account);
int factor_open(struct authd *d, const struct request *req, struct sealed sealed,
                struct factor *ret, struct error *err) MUST_USE;

/* Reads and locks the account's factor. Returns 0 even if there is none. Parks. */
int factor_lock(struct authd *d, struct db_tx *tx, const struct request *req, struct uuid account,
                struct factor *ret, struct error *err) MUST_USE;

/* Like factor_lock(), for the secret that the caller's session can enroll. Parks. */
int factor_lock_pending(struct authd *d, struct db_tx *tx, const struct request *req,
                        struct factor *ret, struct error *err) MUST_USE;

/* Fails with ERR_THROTTLED at the limit. */
int factor_check_limit(const struct request *req, const struct factor *factor,
                       struct error *err) MUST_USE;

/* Uses a code. *ret_method: "totp", "recovery", or NULL for a wrong or used code. ERR_THROTTLED: at
 * the limit. Parks. */
int factor_consume(struct authd *d, struct db_tx *tx, const struct request *req,
                   const struct factor *factor, const char *token, const char **ret_method,
                   struct error *err) MUST_USE;

/* Counts a wrong code with its audit row, commits, and fails with ERR_BAD_REQUEST. Parks. */
int factor_refuse(struct db_tx **tx_p, const struct request *req, const struct factor *factor,
                  const struct sql_audit *audit, struct error *err) MUST_USE;

/* New recovery codes, and their concatenated hashes, keyed with the factor's secret. */
struct factor_recovery {
    const char *codes[FACTOR_RECOVERY_CODES];
    uint8_t hashes[FACTOR_RECOVERY_CODES * SECRET_HASH_SIZE];
};
void factor_recovery_new(const struct request *req, const struct factor *factor,
                         struct factor_recovery *ret);

#endif
