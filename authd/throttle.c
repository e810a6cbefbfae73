/*
 * throttle.c - see throttle.h.  The handler register_admit is the gateway's: it asks before it
 * looks at anything else of a registration.
 */
#include "authd/throttle.h"

#include <sodium.h>
#include <string.h>

/* A keyed hash of its parts, each with its NUL, so that ("ab", "c") and ("a", "bc") differ. */
static void make_key(const struct authd *d, const char *kind, const char *a, const char *b,
                     const char *c, uint8_t ret[static THROTTLE_KEY_SIZE])
{
    const char *parts[] = {kind, a, b, c};
    crypto_generichash_state state;

    crypto_generichash_init(&state, d->svc.seal_key.bytes, d->svc.seal_key.length,
                            THROTTLE_KEY_SIZE);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        crypto_generichash_update(&state, (const uint8_t *)parts[i], strlen(parts[i]) + 1);
    crypto_generichash_final(&state, ret, THROTTLE_KEY_SIZE);
    sodium_memzero(&state, sizeof(state));
}

void throttle_keys(const struct authd *d, const char *role, struct uuid project, const char *email,
                   const char *address, struct throttle_keys *ret)
{
    const char *realm = strcmp(role, "Patient") == 0 ? project.text : "practitioner";

    make_key(d, "pair", realm, email, address, ret->pair);
    make_key(d, "address", address, "", "", ret->address);
    make_key(d, "account", realm, email, "", ret->account);
}

int throttle_refuse(const struct request *req, int64_t at_ms, int64_t window_ms, int64_t limit,
                    struct error *err)
{
    int64_t wait_s = (at_ms + window_ms - req->now_ms + 999) / 1000;

    error_retry(err, ERR_THROTTLED, MAX(wait_s, (int64_t)1), "Too many requests. Try again later.");
    err->limit = limit;
    err->remaining = 0;
    err->reset_s = err->retry_after_s;
    return -1;
}

int throttle_verdict(struct authd *d, const struct request *req, const struct db_result *res,
                     int column, struct error *err)
{
    int64_t latest = 0;
    int which = -1;

    for (int i = 0; i < 3; i++) {
        if (!db_is_null(res, 0, column + i) && db_int(res, 0, column + i) > latest) {
            latest = db_int(res, 0, column + i);
            which = i;
        }
    }
    if (which < 0)
        return 0;
    ++*d->count.sign_in_throttled;
    return throttle_refuse(req, latest, THROTTLE_SIGN_IN_WINDOW,
                           which == 0 ? THROTTLE_PAIR_MAX : THROTTLE_WIDE_MAX, err);
}

int throttle_check(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                   struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_THROTTLE_STATE, &res, err, DB_THROTTLE(req, keys)) < 0)
        return -1;
    return throttle_verdict(d, req, res, 0, err);
}

int throttle_fail(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                  const struct audit_row *audit, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(
            d->svc.db, req, SQL_THROTTLE_FAIL, &res, err, DB_BYTES(keys->pair, THROTTLE_KEY_SIZE),
            DB_BYTES(keys->address, THROTTLE_KEY_SIZE), DB_BYTES(keys->account, THROTTLE_KEY_SIZE),
            DB_INT(req->now_ms), DB_INT(THROTTLE_SIGN_IN_WINDOW), DB_AUDIT(*audit)) < 0)
        return -1;
    if (db_int(res, 0, 0) <= THROTTLE_PAIR_MAX && db_int(res, 1, 0) <= THROTTLE_WIDE_MAX &&
        db_int(res, 2, 0) <= THROTTLE_WIDE_MAX)
        return 0;
    /* one too many: the check knows for whom it counts and until when */
    return throttle_check(d, req, keys, err);
}

int throttle_fail_both(struct authd *d, const struct request *req, const struct throttle_keys *one,
                       const struct throttle_keys *two, const struct audit_row *audit,
                       struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    bool within = true;

    if (db_query(d->svc.db, req, SQL_THROTTLE_FAIL_BOTH, &res, err,
                 DB_BYTES(one->pair, THROTTLE_KEY_SIZE), DB_BYTES(two->pair, THROTTLE_KEY_SIZE),
                 DB_BYTES(one->address, THROTTLE_KEY_SIZE),
                 DB_BYTES(one->account, THROTTLE_KEY_SIZE),
                 DB_BYTES(two->account, THROTTLE_KEY_SIZE), DB_INT(req->now_ms),
                 DB_INT(THROTTLE_SIGN_IN_WINDOW), DB_AUDIT(*audit)) < 0)
        return -1;
    for (size_t row = 0; row < 5; row++)
        within = within && db_int(res, row, 0) <= (row < 2 ? THROTTLE_PAIR_MAX : THROTTLE_WIDE_MAX);
    if (within)
        return 0;
    if (throttle_check(d, req, one, err) < 0)
        return -1;
    return throttle_check(d, req, two, err);
}

static int admit(struct authd *d, const struct request *req,
                 const uint8_t key[static THROTTLE_KEY_SIZE], int64_t window_ms, int64_t limit,
                 bool *ret_admitted, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_THROTTLE_ADMIT, &res, err, DB_BYTES(key, THROTTLE_KEY_SIZE),
                 DB_INT(req->now_ms), DB_INT(window_ms), DB_INT(limit)) < 0)
        return -1;
    *ret_admitted = db_affected(res) > 0;
    return 0;
}

int throttle_admit(struct authd *d, const struct request *req, const char *kind,
                   const char *subject, int64_t window_ms, int64_t limit, bool *ret_admitted,
                   struct error *err)
{
    uint8_t key[THROTTLE_KEY_SIZE];

    make_key(d, kind, subject, "", "", key);
    return admit(d, req, key, window_ms, limit, ret_admitted, err);
}

int throttle_limit(struct authd *d, const struct request *req, const char *kind,
                   const char *subject, int64_t window_ms, int64_t limit, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *state = NULL;
    uint8_t key[THROTTLE_KEY_SIZE];
    bool admitted;

    make_key(d, kind, subject, "", "", key);
    if (admit(d, req, key, window_ms, limit, &admitted, err) < 0)
        return -1;
    if (admitted)
        return 0;
    if (db_query(d->svc.db, req, SQL_THROTTLE_AT_LIMIT, &state, err, DB_BYTES(key, sizeof(key)),
                 DB_INT(req->now_ms), DB_INT(window_ms), DB_INT(limit)) < 0)
        return -1;
    /* the window may have moved on between the two statements: then the next try succeeds */
    return throttle_refuse(req,
                           db_is_null(state, 0, 0) ? req->now_ms - window_ms : db_int(state, 0, 0),
                           window_ms, limit, err);
}

/* Counts one registration for an address. Refused ones are not counted. */
int register_admit(struct authd *d, const struct request *req, const struct register_admit_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    return throttle_limit(d, req, "register", in->address, THROTTLE_REGISTER_WINDOW,
                          THROTTLE_REGISTER_MAX, err);
}

/* Counts one mail with a tenant code: first for its sender, so that who is at the limit cannot use
 * up what others' mailboxes may get. */
int code_mail_admit(struct authd *d, const struct request *req, const struct code_mail_admit_in *in,
                    struct nothing *out UNUSED, struct error *err)
{
    if (throttle_limit(d, req, "code sender", in->membership.text, THROTTLE_CODE_WINDOW,
                       THROTTLE_CODE_SENDER_MAX, err) < 0)
        return -1;
    return throttle_limit(d, req, "code mailbox", in->email, THROTTLE_CODE_WINDOW,
                          THROTTLE_CODE_MAILBOX_MAX, err);
}
