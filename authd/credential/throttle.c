/*
 * throttle.c - see throttle.h. The gateway calls register_admit first for each registration.
 */
#include "authd/credential/throttle.h"

#include <sodium.h>
#include <string.h>

#include "authd/operation_api.h"
#include "authd/sql/throttle.h"

/* Hashes the parts, each with its NUL, so that ("ab", "c") and ("a", "bc") differ. */
static void hash_parts(const struct secret *secret, const char *const parts[static 4],
                       uint8_t ret[static THROTTLE_KEY_SIZE])
{
    crypto_generichash_state state;

    crypto_generichash_init(&state, secret->bytes, secret->length, THROTTLE_KEY_SIZE);
    for (size_t i = 0; i < 4; i++)
        crypto_generichash_update(&state, (const uint8_t *)parts[i], strlen(parts[i]) + 1);
    crypto_generichash_final(&state, ret, THROTTLE_KEY_SIZE);
    sodium_memzero(&state, sizeof(state));
}

struct throttle_move throttle_move_new(const struct authd *d, const struct request *req)
{
    enum { PER_KEY = THROTTLE_MOVE_KEYS * (SEAL_KEYS_MAX - 1) };
    struct throttle_move self = {
        .keys = seal_keys_hashing(&d->svc.seal, req->now_ms, THROTTLE_LONGEST)};

    if (self.keys > 1) {
        self.olds = db_array_new(req->arena, PER_KEY, DB_ARRAY_BYTES(THROTTLE_KEY_SIZE));
        self.news = db_array_new(req->arena, PER_KEY, DB_ARRAY_BYTES(THROTTLE_KEY_SIZE));
    }
    return self;
}

void throttle_key(const struct authd *d, struct throttle_move *move, const char *kind,
                  const char *a, const char *b, const char *c,
                  uint8_t ret[static THROTTLE_KEY_SIZE])
{
    const char *const parts[] = {kind, a, b, c};
    const struct seal_keys *keys = &d->svc.seal;

    hash_parts(seal_keys_current(keys), parts, ret);
    for (size_t i = 1; i < move->keys; i++) {
        uint8_t old[THROTTLE_KEY_SIZE];

        hash_parts(&keys->items[i].secret, parts, old);
        db_array_add_bytes(&move->olds, old, sizeof(old));
        db_array_add_bytes(&move->news, ret, THROTTLE_KEY_SIZE);
    }
}

/* If two moves are concurrent, one can fail, but the other has moved the row. */
void throttle_move_run(struct authd *d, const struct request *req, struct throttle_move *move)
{
    const struct sql_throttle_move_in in = {.olds = move->olds, .news = move->news};
    struct error err;

    if (move->keys < 2)
        return;
    error_init(&err, req->arena);
    if (sql_throttle_move(d->svc.db, req, &in, &err) < 0)
        log_event(LOG_INFO, "throttle", "counts of an older seal key could not be moved", "trace",
                  req->trace, NULL);
}

/* Appends a key to the array `text` of THROTTLE_ADDRESSES_SIZE bytes. */
static void add_key(char *text, const uint8_t key[static THROTTLE_KEY_SIZE])
{
    char hex[2 * THROTTLE_KEY_SIZE + 1];
    size_t length = strlen(text);

    sodium_bin2hex(hex, sizeof(hex), key, THROTTLE_KEY_SIZE);
    snprintf(text + length, THROTTLE_ADDRESSES_SIZE - length, "%c\\\\x%s", length > 0 ? ',' : '{',
             hex);
}

void throttle_keys(struct authd *d, const struct request *req, enum role role, struct uuid project,
                   const char *email, const char *address, struct throttle_keys *ret)
{
    struct throttle_move move = throttle_move_new(d, req);
    const char *realm = role == ROLE_PATIENT ? project.text : "practitioner";
    struct address_subjects subjects;

    address_subjects_of(address, &subjects);
    throttle_key(d, &move, "pair", realm, email, subjects.items[0].text, ret->pair);
    throttle_key(d, &move, "address", subjects.items[0].text, "", "", ret->address);
    throttle_key(d, &move, "account", realm, email, "", ret->account);
    ret->addresses[0] = '\0';
    add_key(ret->addresses, ret->address);
    ret->wide = subjects.count > 1;
    if (ret->wide) {
        throttle_key(d, &move, "pair", realm, email, subjects.items[1].text, ret->wide_pair);
        throttle_key(d, &move, "address", subjects.items[1].text, "", "", ret->wide_address);
        add_key(ret->addresses, ret->wide_pair);
        add_key(ret->addresses, ret->wide_address);
    }
    strcat(ret->addresses, "}");
    throttle_move_run(d, req, &move);
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

struct sql_throttle_limits throttle_limit_values(const struct request *req,
                                                 const struct throttle_keys *keys)
{
    return (struct sql_throttle_limits){.pair = {keys->pair, THROTTLE_KEY_SIZE},
                                        .addresses = {.text = (char *)(uintptr_t)keys->addresses},
                                        .account = {keys->account, THROTTLE_KEY_SIZE},
                                        .now = req->now_ms,
                                        .window = THROTTLE_SIGN_IN_WINDOW,
                                        .pair_most = THROTTLE_PAIR_MAX,
                                        .most = THROTTLE_WIDE_MAX};
}

int throttle_result(struct authd *d, const struct request *req, const int64_t *pair,
                    const int64_t *address, const int64_t *account, struct error *err)
{
    const int64_t *const times[] = {pair, address, account};
    int64_t latest = 0;
    int which = -1;

    for (int i = 0; i < (int)ARRAY_SIZE(times); i++) {
        if (times[i] && *times[i] > latest) {
            latest = *times[i];
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
    const struct sql_throttle_state_in in = {.throttle_limits = throttle_limit_values(req, keys)};
    struct sql_throttle_state_row row;

    if (sql_throttle_state(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    return throttle_result(d, req, row.pair, row.address, row.account, err);
}

/* The keys of a failure in lock order, with their limits and lifetimes. */
struct tally {
    struct db_array keys, lives;
    int64_t limits[5];
    size_t count;
};

static void tally_add(struct tally *self, const uint8_t *key, int64_t limit, int64_t life_ms)
{
    db_array_add_bytes(&self->keys, key, THROTTLE_KEY_SIZE);
    db_array_add_int(&self->lives, life_ms);
    self->limits[self->count++] = limit;
}

static struct tally tally_new(const struct request *req)
{
    enum { KEYS_MAX = ARRAY_SIZE(((struct tally *)NULL)->limits) };

    return (struct tally){.keys =
                              db_array_new(req->arena, KEYS_MAX, DB_ARRAY_BYTES(THROTTLE_KEY_SIZE)),
                          .lives = db_array_new(req->arena, KEYS_MAX, DB_ARRAY_INT)};
}

/* Counts a failure of `count` accounts from one address. */
static int fail(struct authd *d, const struct request *req, const struct throttle_keys *const *keys,
                size_t count, const struct sql_audit *audit, bool *ret_within, struct error *err)
{
    struct tally single = tally_new(req), wide = tally_new(req);
    struct sql_throttle_fail_in in = {
        .now = req->now_ms, .window = THROTTLE_SIGN_IN_WINDOW, .audit = *audit};
    struct sql_throttle_fail_rows counts;

    for (size_t i = 0; i < count; i++)
        tally_add(&single, keys[i]->pair, THROTTLE_PAIR_MAX, THROTTLE_PAIR_KEPT);
    tally_add(&single, keys[0]->address, THROTTLE_WIDE_MAX, THROTTLE_SIGN_IN_WINDOW);
    for (size_t i = 0; i < count; i++)
        tally_add(&single, keys[i]->account, THROTTLE_WIDE_MAX, THROTTLE_SIGN_IN_WINDOW);
    for (size_t i = 0; i < count && keys[0]->wide; i++)
        tally_add(&wide, keys[i]->wide_pair, ADDRESS_WIDE_FACTOR * THROTTLE_PAIR_MAX,
                  THROTTLE_SIGN_IN_WINDOW);
    if (keys[0]->wide)
        tally_add(&wide, keys[0]->wide_address, ADDRESS_WIDE_FACTOR * THROTTLE_WIDE_MAX,
                  THROTTLE_SIGN_IN_WINDOW);
    in.keys = single.keys;
    in.lives = single.lives;
    in.wide_keys = wide.keys;
    in.wide_lives = wide.lives;
    if (sql_throttle_fail(d->svc.db, req, &in, &counts, err) < 0)
        return -1;
    *ret_within = true;
    for (size_t i = 0; i < counts.count; i++)
        *ret_within &= counts.items[i].kept <=
                       (i < single.count ? single.limits[i] : wide.limits[i - single.count]);
    return 0;
}

int throttle_fail(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                  const struct sql_audit *audit, struct error *err)
{
    bool within;

    if (fail(d, req, &keys, 1, audit, &within, err) < 0)
        return -1;
    /* over the limit; throttle_check() knows until when */
    return within ? 0 : throttle_check(d, req, keys, err);
}

int throttle_fail_both(struct authd *d, const struct request *req, const struct throttle_keys *one,
                       const struct throttle_keys *two, const struct sql_audit *audit,
                       struct error *err)
{
    const struct throttle_keys *const both[] = {one, two};
    bool within;

    if (fail(d, req, both, 2, audit, &within, err) < 0)
        return -1;
    if (within)
        return 0;
    if (throttle_check(d, req, one, err) < 0)
        return -1;
    return throttle_check(d, req, two, err);
}

void throttle_act_key(struct authd *d, const struct request *req, const char *kind,
                      const char *subject, uint8_t ret[static THROTTLE_KEY_SIZE])
{
    struct throttle_move move = throttle_move_new(d, req);

    throttle_key(d, &move, kind, subject, "", "", ret);
    throttle_move_run(d, req, &move);
}

static int admit(struct authd *d, const struct request *req,
                 const uint8_t key[static THROTTLE_KEY_SIZE], int64_t window_ms, int64_t limit,
                 bool *ret_admitted, struct sql_throttle_admit_row *ret, struct error *err)
{
    const struct sql_throttle_admit_in in = {
        .key = {key, THROTTLE_KEY_SIZE}, .now = req->now_ms, .window = window_ms, .most = limit};
    int admitted = sql_throttle_admit(d->svc.db, req, &in, ret, err);

    *ret_admitted = admitted > 0;
    return MIN(admitted, 0);
}

int throttle_admit(struct authd *d, const struct request *req, const char *kind,
                   const char *subject, int64_t window_ms, int64_t limit, bool *ret_admitted,
                   struct error *err)
{
    uint8_t key[THROTTLE_KEY_SIZE];
    struct sql_throttle_admit_row row;

    throttle_act_key(d, req, kind, subject, key);
    return admit(d, req, key, window_ms, limit, ret_admitted, &row, err);
}

/* Refuses a key at its limit. */
static int refuse(struct authd *d, const struct request *req,
                  const uint8_t key[static THROTTLE_KEY_SIZE], int64_t window_ms, int64_t limit,
                  bool *ret_full, struct error *err)
{
    const struct sql_throttle_at_limit_in in = {
        .key = {key, THROTTLE_KEY_SIZE}, .now = req->now_ms, .window = window_ms, .most = limit};
    struct sql_throttle_at_limit_row row;

    if (sql_throttle_at_limit(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    *ret_full = row.at != NULL;
    throttle_refuse(req, row.at ? *row.at : req->now_ms - window_ms, window_ms, limit, err);
    return 0;
}

/* `shown`: the caller is the subject, so a success tells how many actions are left. */
static int limit_act(struct authd *d, const struct request *req, const char *kind,
                     const char *subject, int64_t window_ms, int64_t limit, bool shown,
                     struct error *err)
{
    uint8_t key[THROTTLE_KEY_SIZE];
    struct sql_throttle_admit_row row;
    bool admitted, full;

    throttle_act_key(d, req, kind, subject, key);
    if (admit(d, req, key, window_ms, limit, &admitted, &row, err) < 0)
        return -1;
    if (admitted && shown)
        error_limit(err, limit, MAX(limit - row.kept, (int64_t)0),
                    MAX((row.oldest + window_ms - req->now_ms + 999) / 1000, (int64_t)1));
    if (admitted)
        return 0;
    /* if the window has moved since, the next attempt succeeds */
    (void)!refuse(d, req, key, window_ms, limit, &full, err);
    return -1;
}

int throttle_limit(struct authd *d, const struct request *req, const char *kind,
                   const char *subject, int64_t window_ms, int64_t limit, struct error *err)
{
    return limit_act(d, req, kind, subject, window_ms, limit, false, err);
}

int throttle_limit_own(struct authd *d, const struct request *req, const char *kind,
                       const char *subject, int64_t window_ms, int64_t limit, struct error *err)
{
    return limit_act(d, req, kind, subject, window_ms, limit, true, err);
}

int throttle_check_act(struct authd *d, const struct request *req, const char *kind,
                       const char *subject, int64_t window_ms, int64_t limit, struct error *err)
{
    uint8_t key[THROTTLE_KEY_SIZE];
    bool full;

    throttle_act_key(d, req, kind, subject, key);
    if (refuse(d, req, key, window_ms, limit, &full, err) < 0 || full)
        return -1;
    error_clear(err);
    return 0;
}

int throttle_admit_tx(struct db_tx *tx, const struct request *req,
                      const uint8_t key[static THROTTLE_KEY_SIZE], int64_t window_ms, int64_t limit,
                      bool *ret_admitted, struct error *err)
{
    const struct sql_throttle_admit_in in = {
        .key = {key, THROTTLE_KEY_SIZE}, .now = req->now_ms, .window = window_ms, .most = limit};
    struct sql_throttle_admit_row row;
    int admitted = sql_throttle_admit_tx(tx, req, &in, &row, err);

    *ret_admitted = admitted > 0;
    return MIN(admitted, 0);
}

int throttle_withdraw_tx(struct db_tx *tx, const struct request *req,
                         const uint8_t key[static THROTTLE_KEY_SIZE], struct error *err)
{
    const struct sql_throttle_withdraw_in in = {.key = {key, THROTTLE_KEY_SIZE}};

    return MIN(sql_throttle_withdraw(tx, req, &in, err), 0);
}

/* Checks the wider network first, so that its refusal doesn't count for the narrower one. */
int throttle_limit_client(struct authd *d, const struct request *req, const char *kind,
                          const char *address, int64_t window_ms, int64_t limit, struct error *err)
{
    struct address_subjects subjects;
    uint8_t key[THROTTLE_KEY_SIZE];

    address_subjects_of(address, &subjects);
    for (size_t i = 1; i < subjects.count; i++) {
        bool full;

        throttle_act_key(d, req, kind, subjects.items[i].text, key);
        if (refuse(d, req, key, window_ms, limit * subjects.items[i].factor, &full, err) < 0 ||
            full)
            return -1;
        error_clear(err);
    }
    for (size_t i = 0; i < subjects.count; i++)
        if (throttle_limit_own(d, req, kind, subjects.items[i].text, window_ms,
                               limit * subjects.items[i].factor, err) < 0)
            return -1;
    return 0;
}

int throttle_admit_client(struct authd *d, const struct request *req, const char *kind,
                          int64_t window_ms, int64_t limit, bool *ret_admitted, struct error *err)
{
    *ret_admitted = throttle_limit_client(d, req, kind, req->address, window_ms, limit, err) == 0;
    if (!*ret_admitted && err->code != ERR_THROTTLED)
        return -1;
    error_clear(err);
    return 0;
}

/* Counts a registration, unless it is refused. */
int register_admit(struct authd *d, const struct request *req, const struct register_admit_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    return throttle_limit_client(d, req, "register", in->address, THROTTLE_REGISTER_WINDOW,
                                 THROTTLE_REGISTER_MAX, err);
}

/* Counts the sender first, so that a sender at the limit can't use up the limits of mailboxes. */
int code_mail_admit(struct authd *d, const struct request *req, const struct code_mail_admit_in *in,
                    struct nothing *out UNUSED, struct error *err)
{
    if (throttle_limit_own(d, req, "code sender", in->membership.text, THROTTLE_CODE_WINDOW,
                           THROTTLE_CODE_SENDER_MAX, err) < 0)
        return -1;
    return throttle_limit(d, req, "code mailbox", in->email, THROTTLE_CODE_WINDOW,
                          THROTTLE_CODE_MAILBOX_MAX, err);
}
