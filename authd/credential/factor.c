/*
 * factor.c - see factor.h.
 */
#include "authd/credential/factor.h"

#include <sodium.h>
#include <string.h>

#include "authd/credential/throttle.h"

void factor_wipe(struct factor *self)
{
    sodium_memzero(self->secret, sizeof(self->secret));
}

/* Names the account, so that no row's secret can be put into another's. */
static const char *purpose(const struct request *req, struct uuid account)
{
    return arena_printf(req->arena, "%s %s", FACTOR_SEAL_PURPOSE, account.text);
}

struct sealed factor_seal_new(struct authd *d, const struct request *req, struct uuid account)
{
    uint8_t secret[TOTP_SECRET_SIZE];
    struct sealed sealed;

    randombytes_buf(secret, sizeof(secret));
    sealed = seal_value(req->arena, &d->svc.seal, purpose(req, account), secret, sizeof(secret));
    sodium_memzero(secret, sizeof(secret));
    return sealed;
}

int factor_open(struct authd *d, const struct request *req, struct uuid account,
                struct sealed sealed, uint8_t ret[static TOTP_SECRET_SIZE], struct error *err)
{
    uint8_t *plain;
    size_t size;

    if (seal_open(req->arena, &d->svc.seal, purpose(req, account), sealed, &plain, &size) < 0 ||
        size != TOTP_SECRET_SIZE) {
        error_set(err, ERR_INTERNAL, "The second factor cannot be read.");
        return error_detail(err, "account=%s sealed with another key", account.text);
    }
    memcpy(ret, plain, TOTP_SECRET_SIZE);
    sodium_memzero(plain, size);
    return 0;
}

/* A row of SQL_FACTOR_LOCK or SQL_FACTOR_PENDING_LOCK, if there is one. */
static int read_factor(struct authd *d, const struct request *req, const struct db_result *res,
                       struct factor *ret, struct error *err)
{
    struct field_bytes sealed;

    if (db_rows(res) == 0)
        return 0;
    ret->found = true;
    ret->enrolled = db_bool(res, 0, 1);
    ret->limit_at = db_int(res, 0, 2);
    sealed = db_bytes(res, 0, 0);
    return factor_open(d, req, ret->account, (struct sealed){sealed.bytes, sealed.size},
                       ret->secret, err);
}

int factor_lock(struct authd *d, struct db_tx *tx, const struct request *req, struct uuid account,
                struct factor *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    *ret = (struct factor){.account = account};
    if (db_tx_query(tx, SQL_FACTOR_LOCK, &res, err, DB_UUID(account), DB_INT(req->now_ms),
                    DB_INT(FACTOR_WINDOW), DB_INT(FACTOR_FAILURES_MAX)) < 0)
        return -1;
    return read_factor(d, req, res, ret, err);
}

int factor_lock_pending(struct authd *d, struct db_tx *tx, const struct request *req,
                        struct factor *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    *ret = (struct factor){.account = req->caller->account, .pending = true};
    if (db_tx_query(tx, SQL_FACTOR_PENDING_LOCK, &res, err, DB_UUID(req->caller->session),
                    DB_UUID(req->caller->account), DB_INT(req->now_ms), DB_INT(FACTOR_WINDOW),
                    DB_INT(FACTOR_FAILURES_MAX)) < 0)
        return -1;
    return read_factor(d, req, res, ret, err);
}

int factor_check_limit(const struct request *req, const struct factor *factor, struct error *err)
{
    if (factor->limit_at == 0)
        return 0;
    return throttle_refuse(req, factor->limit_at, FACTOR_WINDOW, FACTOR_FAILURES_MAX, err);
}

/* Keyed with a seal key of the daemon: 50 bits alone would be found from the hash. */
static void hash_recovery(const struct secret *key, struct uuid account, const char *code,
                          uint8_t ret[static SECRET_HASH_SIZE])
{
    crypto_generichash_state state;

    crypto_generichash_init(&state, key->bytes, key->length, SECRET_HASH_SIZE);
    crypto_generichash_update(&state, (const uint8_t *)"mfa recovery", sizeof("mfa recovery"));
    crypto_generichash_update(&state, (const uint8_t *)account.text, strlen(account.text));
    crypto_generichash_update(&state, (const uint8_t *)code, strlen(code));
    crypto_generichash_final(&state, ret, SECRET_HASH_SIZE);
    sodium_memzero(&state, sizeof(state));
}

/* The hashes of a code by every key that may have made it. */
static struct db_array hash_recovery_all(const struct authd *d, const struct request *req,
                                         struct uuid account, const char *code)
{
    const struct seal_keys *keys = &d->svc.seal;
    struct db_array all = db_array_new(req->arena, keys->count, DB_ARRAY_BYTES(SECRET_HASH_SIZE));
    uint8_t hash[SECRET_HASH_SIZE];

    for (size_t i = 0; i < keys->count; i++) {
        hash_recovery(&keys->items[i].secret, account, code, hash);
        db_array_add_bytes(&all, hash, sizeof(hash));
    }
    return all;
}

static int take_totp(struct db_tx *tx, const struct request *req, const struct factor *factor,
                     const char *token, bool *ret_taken, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    int64_t step = totp_step(factor->secret, token, req->now_ms);

    if (step < 0)
        return 0;
    if (db_tx_query(tx, SQL_FACTOR_STEP, &res, err, DB_UUID(factor->account), DB_INT(step)) < 0)
        return -1;
    *ret_taken = db_affected(res) > 0;
    return 0;
}

/* In either case: people type them from paper. */
static int take_recovery(struct authd *d, struct db_tx *tx, const struct request *req,
                         const struct factor *factor, const char *token, bool *ret_taken,
                         struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const struct sql_audit audit = audit_row(req, &(struct audit){.action = "mfa.recover",
                                                                  .project = factor->project,
                                                                  .account = factor->account,
                                                                  .type = "Account",
                                                                  .id = factor->account});
    char *code = arena_strdup(req->arena, token);
    struct db_array hashes;

    for (char *at = code; *at != '\0'; at++) {
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
    }
    hashes = hash_recovery_all(d, req, factor->account, code);
    secret_wipe_text(code);
    if (db_tx_query(tx, SQL_FACTOR_RECOVER, &res, err, DB_UUID(factor->account),
                    DB_TEXT(hashes.text), DB_INT(req->now_ms), DB_AUDIT(audit)) < 0)
        return -1;
    *ret_taken = db_affected(res) > 0;
    return 0;
}

int factor_consume(struct authd *d, struct db_tx *tx, const struct request *req,
                   const struct factor *factor, const char *token, const char **ret_method,
                   struct error *err)
{
    bool recovery = strlen(token) == FACTOR_RECOVERY_LENGTH, taken = false;
    int rc;

    if (factor_check_limit(req, factor, err) < 0)
        return -1;
    if (recovery)
        rc = take_recovery(d, tx, req, factor, token, &taken, err);
    else
        rc = take_totp(tx, req, factor, token, &taken, err);
    if (rc < 0)
        return -1;
    *ret_method = !taken ? NULL : recovery ? "recovery" : "totp";
    return 0;
}

int factor_refuse(struct db_tx **tx_p, const struct request *req, const struct factor *factor,
                  const struct sql_audit *audit, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_tx_query(*tx_p, factor->pending ? SQL_FACTOR_PENDING_FAIL : SQL_FACTOR_FAIL, &res, err,
                    DB_UUID(factor->pending ? req->caller->session : factor->account),
                    DB_INT(req->now_ms), DB_INT(FACTOR_WINDOW), DB_INT(FACTOR_FAILURES_MAX),
                    DB_AUDIT(*audit)) < 0 ||
        db_commit(tx_p, err) < 0)
        return -1;
    return error_set(err, ERR_BAD_REQUEST, "The code is incorrect.");
}

void factor_recovery_new(const struct authd *d, const struct request *req, struct uuid account,
                         struct factor_recovery *ret)
{
    /* without letters that look like digits */
    static const char symbols[] = "0123456789abcdefghjkmnpqrstvwxyz";

    for (size_t i = 0; i < FACTOR_RECOVERY_CODES; i++) {
        char *code = arena_alloc(req->arena, FACTOR_RECOVERY_LENGTH + 1);

        for (size_t at = 0; at < FACTOR_RECOVERY_LENGTH; at++)
            code[at] = symbols[randombytes_uniform(sizeof(symbols) - 1)];
        hash_recovery(seal_keys_current(&d->svc.seal), account, code,
                      ret->hashes + i * SECRET_HASH_SIZE);
        ret->codes[i] = code;
    }
}
