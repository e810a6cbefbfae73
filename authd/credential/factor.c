/*
 * factor.c - see factor.h.
 */
#include "authd/credential/factor.h"

#include <sodium.h>
#include <string.h>

#include "authd/credential/throttle.h"
#include "authd/sql/credential.h"

void factor_wipe(struct factor *self)
{
    sodium_memzero(self->secret, sizeof(self->secret));
}

/* Returns the purpose of a secret's seal. It contains the account, so that one row's secret can't
 * be moved to another's. */
static const char *purpose(const struct request *req, struct uuid account)
{
    return arena_printf(req->arena, "%s %s", FACTOR_SEAL_PURPOSE, account.text);
}

struct sealed factor_seal(struct authd *d, const struct request *req, struct uuid account,
                          const uint8_t *secret, size_t size)
{
    return seal_value(req->arena, &d->svc.seal, purpose(req, account), secret, size);
}

struct sealed factor_seal_new(struct authd *d, const struct request *req, struct uuid account)
{
    uint8_t secret[TOTP_SECRET_SIZE];
    struct sealed sealed;

    randombytes_buf(secret, sizeof(secret));
    sealed = factor_seal(d, req, account, secret, sizeof(secret));
    sodium_memzero(secret, sizeof(secret));
    return sealed;
}

int factor_open(struct authd *d, const struct request *req, struct sealed sealed,
                struct factor *ret, struct error *err)
{
    uint8_t *plain;
    size_t size;

    if (seal_open(req->arena, &d->svc.seal, purpose(req, ret->account), sealed, &plain, &size) <
            0 ||
        size < TOTP_SECRET_MIN || size > TOTP_SECRET_MAX) {
        error_set(err, ERR_INTERNAL, "The second factor cannot be read.");
        return error_detail(err, "account=%s sealed with another key", ret->account.text);
    }
    memcpy(ret->secret, plain, size);
    ret->secret_size = size;
    sodium_memzero(plain, size);
    return 0;
}

/* Result of factor_lock.sql and factor_pending_lock.sql. */
struct factor_row {
    struct field_bytes secretSealed;
    bool enrolled;
    int64_t limitAt; /* 0: below the limit */
};

static const struct field factor_row_rows[] = {
    FIELD_BYTES(struct factor_row, secretSealed, INT32_MAX, FIELD_REQUIRED, "The sealed secret"),
    FIELD_BOOL(struct factor_row, enrolled, false, FIELD_REQUIRED, "In use"),
    FIELD_INT(struct factor_row, limitAt, 0, 0, 0, 0, "What keeps it at its limit", "0"),
};
FIELD_TABLE(factor_row);

static int read_factor(struct authd *d, const struct request *req, int found,
                       const struct factor_row *row, struct factor *ret, struct error *err)
{
    if (found <= 0)
        return found;
    ret->found = true;
    ret->enrolled = row->enrolled;
    ret->limit_at = row->limitAt;
    return factor_open(d, req, (struct sealed){row->secretSealed.bytes, row->secretSealed.size},
                       ret, err);
}

int factor_lock(struct authd *d, struct db_tx *tx, const struct request *req, struct uuid account,
                struct factor *ret, struct error *err)
{
    const struct sql_factor_lock_in lock = {.account = account,
                                            .now = req->now_ms,
                                            .window = FACTOR_WINDOW,
                                            .most = FACTOR_FAILURES_MAX};
    struct factor_row row = {.enrolled = false};

    *ret = (struct factor){.account = account};
    return read_factor(d, req, sql_factor_lock(tx, req, &lock, &row, err), &row, ret, err);
}

int factor_lock_pending(struct authd *d, struct db_tx *tx, const struct request *req,
                        struct factor *ret, struct error *err)
{
    const struct sql_factor_pending_lock_in lock = {.session = req->caller->session,
                                                    .account = req->caller->account,
                                                    .now = req->now_ms,
                                                    .window = FACTOR_WINDOW,
                                                    .most = FACTOR_FAILURES_MAX};
    struct factor_row row = {.enrolled = false};

    *ret = (struct factor){.account = req->caller->account, .pending = true};
    return read_factor(d, req, sql_factor_pending_lock(tx, req, &lock, &row, err), &row, ret, err);
}

int factor_check_limit(const struct request *req, const struct factor *factor, struct error *err)
{
    if (factor->limit_at == 0)
        return 0;
    return throttle_refuse(req, factor->limit_at, FACTOR_WINDOW, FACTOR_FAILURES_MAX, err);
}

/* 50 bits alone could be found from a hash. The factor's secret is the key: it is sealed, moves
 * with the factor to another installation, and makes recovery codes unnecessary for anyone who has
 * it. */
static void recovery_key(const struct factor *factor, struct secret *ret)
{
    static const char purpose[] = "mfa recovery";
    crypto_generichash_state state;

    ret->length = SEAL_KEY_SIZE;
    crypto_generichash_init(&state, NULL, 0, SEAL_KEY_SIZE);
    crypto_generichash_update(&state, (const uint8_t *)purpose, sizeof(purpose));
    crypto_generichash_update(&state, factor->secret, factor->secret_size);
    crypto_generichash_final(&state, ret->bytes, SEAL_KEY_SIZE);
    sodium_memzero(&state, sizeof(state));
}

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

/* Hashes a code with each possible key. Earlier releases used a seal key. */
static struct db_array hash_recovery_all(const struct authd *d, const struct request *req,
                                         const struct factor *factor, const char *code)
{
    CLEANUP(secret_wipe) struct secret own;
    const struct seal_keys *keys = &d->svc.seal;
    struct db_array all =
        db_array_new(req->arena, keys->count + 1, DB_ARRAY_BYTES(SECRET_HASH_SIZE));
    uint8_t hash[SECRET_HASH_SIZE];

    recovery_key(factor, &own);
    hash_recovery(&own, factor->account, code, hash);
    db_array_add_bytes(&all, hash, sizeof(hash));
    for (size_t i = 0; i < keys->count; i++) {
        hash_recovery(&keys->items[i].secret, factor->account, code, hash);
        db_array_add_bytes(&all, hash, sizeof(hash));
    }
    return all;
}

static int take_totp(struct db_tx *tx, const struct request *req, const struct factor *factor,
                     const char *token, bool *ret_taken, struct error *err)
{
    const struct sql_factor_use_step_in use = {
        .account = factor->account,
        .step = totp_step(factor->secret, factor->secret_size, token, req->now_ms)};
    int used;

    if (use.step < 0)
        return 0;
    used = sql_factor_use_step(tx, req, &use, err);
    *ret_taken = used > 0;
    return MIN(used, 0);
}

/* Ignores case, because people type codes from paper. */
static int take_recovery(struct authd *d, struct db_tx *tx, const struct request *req,
                         const struct factor *factor, const char *token, bool *ret_taken,
                         struct error *err)
{
    const struct audit audit = {.action = "mfa.recover",
                                .project = factor->project,
                                .account = factor->account,
                                .type = "Account",
                                .id = factor->account};
    struct sql_factor_recover_in recover = {
        .account = factor->account, .now = req->now_ms, .audit = audit_row(req, &audit)};
    char *code = arena_strdup(req->arena, token);
    int used;

    for (char *at = code; *at != '\0'; at++) {
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
    }
    recover.hashes = hash_recovery_all(d, req, factor, code);
    secret_wipe_text(code);
    used = sql_factor_recover(tx, req, &recover, err);
    *ret_taken = used > 0;
    return MIN(used, 0);
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
    const struct sql_factor_fail_in fail = {.account = factor->account,
                                            .now = req->now_ms,
                                            .window = FACTOR_WINDOW,
                                            .most = FACTOR_FAILURES_MAX,
                                            .audit = *audit};
    struct sql_factor_pending_fail_in pending = {
        .now = fail.now, .window = fail.window, .most = fail.most, .audit = fail.audit};
    int counted;

    if (factor->pending)
        pending.session = req->caller->session;
    counted = factor->pending ? sql_factor_pending_fail(*tx_p, req, &pending, err)
                              : sql_factor_fail(*tx_p, req, &fail, err);

    if (counted < 0 || db_commit(tx_p, err) < 0)
        return -1;
    return error_set(err, ERR_BAD_REQUEST, "The code is incorrect.");
}

void factor_recovery_new(const struct request *req, const struct factor *factor,
                         struct factor_recovery *ret)
{
    CLEANUP(secret_wipe) struct secret key;
    /* no letters that look like digits */
    static const char symbols[] = "0123456789abcdefghjkmnpqrstvwxyz";

    recovery_key(factor, &key);
    for (size_t i = 0; i < FACTOR_RECOVERY_CODES; i++) {
        char *code = arena_alloc(req->arena, FACTOR_RECOVERY_LENGTH + 1);

        for (size_t at = 0; at < FACTOR_RECOVERY_LENGTH; at++)
            code[at] = symbols[randombytes_uniform(sizeof(symbols) - 1)];
        hash_recovery(&key, factor->account, code, ret->hashes + i * SECRET_HASH_SIZE);
        ret->codes[i] = code;
    }
}
