/*
 * throttle.h - limits on failed sign-ins and registrations, exact for all instances.
 *
 * A failure counts after the password was verified. Reserving it before would refuse concurrent
 * honest sign-ins. Many wrong guesses can be hashed at the same time, but the count under the row's
 * lock decides which ones learn the outcome. All times are contract time (common/base/clock.h).
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_THROTTLE_H
#define ATRIUM_AUTHD_CREDENTIAL_THROTTLE_H

#include "authd/authd.h"
#include "authd/sql_part.h"
#include "common/base/address.h"

enum {
    THROTTLE_KEY_SIZE = 32,
    THROTTLE_MOVE_KEYS = 5, /* keys that one throttle_move can rename together */
    THROTTLE_ADDRESSES_SIZE = 3 * (DB_ARRAY_BYTES(THROTTLE_KEY_SIZE) + 1) + sizeof("{}"),
    THROTTLE_PAIR_MAX = 10,        /* failures per address and account */
    THROTTLE_WIDE_MAX = 100,       /* failures per address, and per account */
    THROTTLE_REGISTER_MAX = 5,     /* registrations per address */
    THROTTLE_CODE_SENDER_MAX = 30, /* emails with a tenant code per member */
    THROTTLE_CODE_MAILBOX_MAX = 5, /* emails of that kind to one mailbox, from all projects */
};
#define THROTTLE_SIGN_IN_WINDOW MINUTES(15)
#define THROTTLE_PAIR_KEPT DAYS(1) /* consecutive failures; see the part throttle_limits */
#define THROTTLE_LONGEST DAYS(181) /* a known address is kept for 180 days; see arrival.h */
#define THROTTLE_REGISTER_WINDOW SECONDS(60)
#define THROTTLE_CODE_WINDOW MINUTES(15)

/* Keyed hashes under which a failed sign-in is counted. */
struct throttle_keys {
    uint8_t pair[THROTTLE_KEY_SIZE]; /* account and address; also names a known address */
    uint8_t address[THROTTLE_KEY_SIZE];
    uint8_t account[THROTTLE_KEY_SIZE]; /* hash of (realm, email), for unknown accounts too */
    bool wide;                          /* IPv6, so the /48 counts too */
    uint8_t wide_pair[THROTTLE_KEY_SIZE], wide_address[THROTTLE_KEY_SIZE];
    /* text array: address, wide pair, wide address */
    char addresses[THROTTLE_ADDRESSES_SIZE];
};

/* During a key rotation, renames rows of older keys' hashes before use, so that no count
 * restarts. */
struct throttle_move {
    struct db_array olds, news;
    size_t keys;
};
struct throttle_move throttle_move_new(const struct authd *d, const struct request *req);
void throttle_move_run(struct authd *d, const struct request *req,
                       struct throttle_move *move); /* parks */

/* Makes a key from the parts; pass "" for unused ones. At most THROTTLE_MOVE_KEYS per move. */
void throttle_key(const struct authd *d, struct throttle_move *move, const char *kind,
                  const char *a, const char *b, const char *c,
                  uint8_t ret[static THROTTLE_KEY_SIZE]);

/* Makes the keys of an account, even an unknown one, and an address; see address_subjects(). Only
 * patients have a project, because practitioners share one account in all projects. Parks during a
 * key rotation. */
void throttle_keys(struct authd *d, const struct request *req, enum role role, struct uuid project,
                   const char *email, const char *address, struct throttle_keys *ret);

/* Returns the input of a statement with the part throttle_limits. Borrows the keys. */
struct sql_throttle_limits throttle_limit_values(const struct request *req,
                                                 const struct throttle_keys *keys);

/* Checks the statement's answer: the times until which pair, address and account are at their
 * limits, or NULL. Fails with ERR_THROTTLED and Retry-After. After a sign-in from this address in
 * the last 30 days only the pair's limit counts, because a clinic's members share an address and
 * must not lock each other out. A pair with a hundred consecutive failures waits for 24 hours. */
int throttle_result(struct authd *d, const struct request *req, const int64_t *pair,
                    const int64_t *address, const int64_t *account, struct error *err) MUST_USE;

/* Queries and checks the limits. Parks. */
int throttle_check(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                   struct error *err) MUST_USE;

/* Fails with 429. A retry makes sense once the attempt at `at_ms`, one of the `limit` counted ones,
 * has left the window. */
int throttle_refuse(const struct request *req, int64_t at_ms, int64_t window_ms, int64_t limit,
                    struct error *err);

/* Counts a failure and audits it. ERR_THROTTLED: over the limit, so hide the outcome. Parks. */
int throttle_fail(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                  const struct sql_audit *audit, struct error *err) MUST_USE;

/* Counts one failure for each of two accounts that were tried from one address. */
int throttle_fail_both(struct authd *d, const struct request *req, const struct throttle_keys *one,
                       const struct throttle_keys *two, const struct sql_audit *audit,
                       struct error *err) MUST_USE;

/* Counts an action of a kind ("reset mailbox") by a subject. At `limit` per window, doesn't count
 * and sets *ret_admitted to false. Parks. */
int throttle_admit(struct authd *d, const struct request *req, const char *kind,
                   const char *subject, int64_t window_ms, int64_t limit, bool *ret_admitted,
                   struct error *err) MUST_USE;

/* Like throttle_admit(), but fails with ERR_THROTTLED and Retry-After at the limit. Parks. */
int throttle_limit(struct authd *d, const struct request *req, const char *kind,
                   const char *subject, int64_t window_ms, int64_t limit,
                   struct error *err) MUST_USE;

/* Like throttle_limit(), for the caller's own subjects: success reports what is left
 * (error_limit()). Not for mailboxes, which others use too. */
int throttle_limit_own(struct authd *d, const struct request *req, const char *kind,
                       const char *subject, int64_t window_ms, int64_t limit,
                       struct error *err) MUST_USE;

/* Fails with ERR_THROTTLED if throttle_limit() would, without counting. Parks. */
int throttle_check_act(struct authd *d, const struct request *req, const char *kind,
                       const char *subject, int64_t window_ms, int64_t limit,
                       struct error *err) MUST_USE;

/* throttle_admit_tx() does what throttle_admit() does, within a transaction that then holds the
 * count locked; throttle_withdraw_tx() takes that count back. Both park. Make the key before the
 * transaction, because throttle_act_key() can park for another connection. */
void throttle_act_key(struct authd *d, const struct request *req, const char *kind,
                      const char *subject, uint8_t ret[static THROTTLE_KEY_SIZE]);
int throttle_admit_tx(struct db_tx *tx, const struct request *req,
                      const uint8_t key[static THROTTLE_KEY_SIZE], int64_t window_ms, int64_t limit,
                      bool *ret_admitted, struct error *err) MUST_USE;
int throttle_withdraw_tx(struct db_tx *tx, const struct request *req,
                         const uint8_t key[static THROTTLE_KEY_SIZE], struct error *err) MUST_USE;

/* Like throttle_admit() and throttle_limit(), for the client that sent the request, see
 * address_subjects(). `limit`: for one /64. */
int throttle_admit_client(struct authd *d, const struct request *req, const char *kind,
                          int64_t window_ms, int64_t limit, bool *ret_admitted,
                          struct error *err) MUST_USE;
int throttle_limit_client(struct authd *d, const struct request *req, const char *kind,
                          const char *address, int64_t window_ms, int64_t limit,
                          struct error *err) MUST_USE;

#endif
