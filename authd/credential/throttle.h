/*
 * throttle.h - limits on failed sign-ins and on registrations: durable, exact, shared by all
 * instances, in contract time.
 *
 * Why a failure is counted after the password was verified, and not reserved before: a reservation
 * would refuse honest sign-ins that merely run at the same time, and would be lost or left behind
 * when an instance dies. What must be bounded is what a guesser learns.  Of 64 wrong guesses at
 * once all may be hashed, but each answer is decided by the count that its own failure got under
 * the row's lock: exactly ten are told "wrong", the rest 429; and a right one is told so only while
 * the key was below its limit after the hash was done.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_THROTTLE_H
#define ATRIUM_AUTHD_CREDENTIAL_THROTTLE_H

#include "authd/authd.h"
#include "authd/sql_part.h"
#include "common/base/address.h"

enum {
    THROTTLE_KEY_SIZE = 32,
    THROTTLE_MOVE_KEYS = 5, /* hashes that are needed together */
    THROTTLE_ADDRESSES_SIZE = 3 * (DB_ARRAY_BYTES(THROTTLE_KEY_SIZE) + 1) + sizeof("{}"),
    THROTTLE_PAIR_MAX = 10,        /* failures of one address with one account */
    THROTTLE_WIDE_MAX = 100,       /* failures of an address, and of an account, as a whole */
    THROTTLE_REGISTER_MAX = 5,     /* registrations of one address */
    THROTTLE_CODE_SENDER_MAX = 30, /* mails with a tenant code of one member */
    THROTTLE_CODE_MAILBOX_MAX = 5, /* of them to one mailbox, from all projects */
};
#define THROTTLE_SIGN_IN_WINDOW MINUTES(15)
#define THROTTLE_PAIR_KEPT \
    DAYS(1) /* failures in a row: with the next one, see the part throttle_limits */
#define THROTTLE_LONGEST DAYS(181) /* an address is known for 180, see arrival.h */
#define THROTTLE_REGISTER_WINDOW SECONDS(60)
#define THROTTLE_CODE_WINDOW MINUTES(15)

/* What a sign-in is counted by: hashes keyed with the daemon's seal key. */
struct throttle_keys {
    uint8_t pair[THROTTLE_KEY_SIZE]; /* account and address; also names the known address */
    uint8_t address[THROTTLE_KEY_SIZE];
    uint8_t account
        [THROTTLE_KEY_SIZE]; /* of (realm, e-mail), whether or not there is such an account */
    bool wide;               /* the address is of IPv6, which counts as its /48, too */
    uint8_t wide_pair[THROTTLE_KEY_SIZE], wide_address[THROTTLE_KEY_SIZE];
    /* the text of an array: the address, the wide pair, the wide address */
    char addresses[THROTTLE_ADDRESSES_SIZE];
};

/* While seal keys are exchanged: rows that a hash of an older key names get the name of the one
 * that writes, before they are looked at, so that no count starts anew. Nothing is done while there
 * is one key. */
struct throttle_move {
    struct db_array olds, news;
    size_t keys;
};
struct throttle_move throttle_move_new(const struct authd *d, const struct request *req);
void throttle_move_run(struct authd *d, const struct request *req,
                       struct throttle_move *move); /* parks */

/* A hash of the parts, keyed with the seal key that writes. Unused parts are "". At most
 * THROTTLE_MOVE_KEYS for a move. */
void throttle_key(const struct authd *d, struct throttle_move *move, const char *kind,
                  const char *a, const char *b, const char *c,
                  uint8_t ret[static THROTTLE_KEY_SIZE]);

/* The keys of an account (which need not exist) and an address, see address_subjects(). A
 * practitioner is one account in all projects, so the project counts for patients only. Parks while
 * seal keys are exchanged. */
void throttle_keys(struct authd *d, const struct request *req, enum role role, struct uuid project,
                   const char *email, const char *address, struct throttle_keys *ret);

/* What a statement with the part throttle_limits asks about. Borrows the keys. */
struct sql_throttle_limits throttle_limit_values(const struct request *req,
                                                 const struct throttle_keys *keys);

/* Its answer, the times that keep pair, address and account at their limits, or NULL: ERR_THROTTLED
 * with Retry-After while one is. From an address with a good sign-in to the account in the last 30
 * days only the pair's limit holds: a clinic is one address, and its members are not locked out by
 * each other's failures. A pair that failed a hundred times in a row waits for 24 hours. */
int throttle_result(struct authd *d, const struct request *req, const int64_t *pair,
                    const int64_t *address, const int64_t *account, struct error *err) MUST_USE;

/* Asks that. Parks. */
int throttle_check(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                   struct error *err) MUST_USE;

/* 429 until the hit of `at_ms`, one of `limit`, has left the window. Returns -1. */
int throttle_refuse(const struct request *req, int64_t at_ms, int64_t window_ms, int64_t limit,
                    struct error *err);

/* Counts a failure and writes its audit row. ERR_THROTTLED when it was one too many, so that its
 * outcome must not be told. Parks. */
int throttle_fail(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                  const struct sql_audit *audit, struct error *err) MUST_USE;

/* The same for a sign-in that tried two accounts from one address, which has failed once. */
int throttle_fail_both(struct authd *d, const struct request *req, const struct throttle_keys *one,
                       const struct throttle_keys *two, const struct sql_audit *audit,
                       struct error *err) MUST_USE;

/* Counts one act of a kind ("reset mailbox") on a subject, unless `limit` of them lie in the
 * window: then *ret_admitted is false and nothing is counted. Exact for all instances together.
 * Parks. */
int throttle_admit(struct authd *d, const struct request *req, const char *kind,
                   const char *subject, int64_t window_ms, int64_t limit, bool *ret_admitted,
                   struct error *err) MUST_USE;

/* The same, but what is not admitted is refused: ERR_THROTTLED with Retry-After. Parks. */
int throttle_limit(struct authd *d, const struct request *req, const char *kind,
                   const char *subject, int64_t window_ms, int64_t limit,
                   struct error *err) MUST_USE;

/* The same for a subject that is the caller or the caller's own: an answer that succeeds says what
 * is left (error_limit()). Of a mailbox it must not, which others write to as well. */
int throttle_limit_own(struct authd *d, const struct request *req, const char *kind,
                       const char *subject, int64_t window_ms, int64_t limit,
                       struct error *err) MUST_USE;

/* Whether one more would be: ERR_THROTTLED with Retry-After if not. Counts nothing. Parks. */
int throttle_check_act(struct authd *d, const struct request *req, const char *kind,
                       const char *subject, int64_t window_ms, int64_t limit,
                       struct error *err) MUST_USE;

/* throttle_admit() within a transaction, which holds the count's row from then on, and what takes
 * that act back in the same transaction. Both park. The key is made before the transaction begins:
 * that parks for another connection while seal keys are exchanged. */
void throttle_act_key(struct authd *d, const struct request *req, const char *kind,
                      const char *subject, uint8_t ret[static THROTTLE_KEY_SIZE]);
int throttle_admit_tx(struct db_tx *tx, const struct request *req,
                      const uint8_t key[static THROTTLE_KEY_SIZE], int64_t window_ms, int64_t limit,
                      bool *ret_admitted, struct error *err) MUST_USE;
int throttle_withdraw_tx(struct db_tx *tx, const struct request *req,
                         const uint8_t key[static THROTTLE_KEY_SIZE], struct error *err) MUST_USE;

/* throttle_admit() and throttle_limit() for the client of the request, see address_subjects():
 * `limit` is that of one /64. */
int throttle_admit_client(struct authd *d, const struct request *req, const char *kind,
                          int64_t window_ms, int64_t limit, bool *ret_admitted,
                          struct error *err) MUST_USE;
int throttle_limit_client(struct authd *d, const struct request *req, const char *kind,
                          const char *address, int64_t window_ms, int64_t limit,
                          struct error *err) MUST_USE;

#endif
