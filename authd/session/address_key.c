/*
 * address_key.c - see address_key.h. Handler: operator_addresses_open.
 */
#include "authd/session/address_key.h"

#include <sodium.h>
#include <string.h>

#include "authd/sql/address_key.h"
#include "authd/trail/trail_api.h"
#include "common/base/log.h"
#include "common/service/audit_chain.h"

static const char *purpose(const struct request *req, struct uuid account)
{
    return arena_printf(req->arena, ADDRESS_KEY_PURPOSE " %s", account.text);
}

/* ---- keys ---- */

static struct sql_address_key_insert new_keys(struct authd *d, const struct request *req,
                                              struct uuid account)
{
    CLEANUP(secret_wipe) struct secret secret = {.length = 0};
    const char *public_key = audit_address_key_new(req->arena, &secret);
    struct sealed sealed =
        seal_value(req->arena, &d->svc.seal, purpose(req, account), secret.bytes, secret.length);

    return (struct sql_address_key_insert){.public_key = public_key,
                                           .secret_sealed = {sealed.bytes, sealed.size}};
}

static void remember(const struct request *req, struct uuid account, const char *key)
{
    struct address_key *each;

    if (!req->addressKeys || !key)
        return;
    each = arena_alloc(req->arena, sizeof(*each));
    *each = (struct address_key){account, arena_strdup(req->arena, key), *req->addressKeys};
    *req->addressKeys = each;
}

static int find(struct authd *d, const struct request *req, struct uuid account, const char **ret,
                struct error *err)
{
    const struct sql_address_key_get_in in = {.account = account};
    struct sql_address_key_get_row row;
    int found = sql_address_key_get(d->svc.db, req, &in, &row, err);

    *ret = found > 0 ? row.public_key : NULL;
    return MIN(found, 0);
}

/* Makes an account's keys; a concurrent request finds the same ones. *ret is NULL if the account
 * was deleted or is locked. */
static int make(struct authd *d, const struct request *req, struct uuid account, const char **ret,
                struct error *err)
{
    const struct sql_address_key_insert keys = new_keys(d, req, account);
    const struct sql_address_key_make_in in = {
        .account = account, .public_key = keys.public_key, .secret_sealed = keys.secret_sealed};
    struct sql_address_key_make_row row;
    int made = sql_address_key_make(d->svc.db, req, &in, &row, err);

    if (made == 0)
        return find(d, req, account, ret, err);
    *ret = made > 0 ? row.public_key : NULL;
    return MIN(made, 0);
}

/* Finds or makes an account's public key. Only logs a failure, after which the row lacks the
 * address. absent: the account is known to have no keys. */
static const char *obtain(struct authd *d, const struct request *req, struct uuid account,
                          bool absent)
{
    const char *key = NULL;
    struct error err;

    error_init(&err, req->arena);
    if ((!absent && find(d, req, account, &key, &err) < 0) ||
        (!key && make(d, req, account, &key, &err) < 0))
        log_event(LOG_WARNING, "address-key", "rows have no network address", "trace", req->trace,
                  "error", err.detail[0] != '\0' ? err.detail : err.message, NULL);
    return key;
}

/* True if audit_row() may need the account's key. */
static bool is_missing(const struct request *req, struct uuid account)
{
    const struct address_key *each = req->addressKeys ? *req->addressKeys : NULL;

    while (each && !uuid_equal(&each->account, &account))
        each = each->next;
    return !req->caller && req->addressKeys && uuid_is_set(&account) && !each;
}

void address_key_load(struct authd *d, const struct request *req, struct uuid account)
{
    if (is_missing(req, account))
        remember(req, account, obtain(d, req, account, false));
}

void address_key_adopt(struct authd *d, const struct request *req, struct uuid account,
                       const char *key)
{
    if (is_missing(req, account))
        remember(req, account, key ? key : obtain(d, req, account, true));
}

void address_key_complete(struct authd *d, const struct request *req, struct caller *caller)
{
    if (!caller->addressKey && uuid_is_set(&caller->account))
        caller->addressKey = obtain(d, req, caller->account, true);
}

struct sql_address_key_insert address_key_draft(struct authd *d, const struct request *req,
                                                struct uuid account)
{
    const struct sql_address_key_insert keys = new_keys(d, req, account);

    remember(req, account, keys.public_key);
    return keys;
}

/* ---- opening ---- */

static int read_keys(struct authd *d, const struct request *req, const struct audit_sealed *sealed,
                     size_t count, struct sql_address_key_list_rows *ret, struct error *err)
{
    struct sql_address_key_list_in in = {.accounts =
                                             db_array_new(req->arena, count, sizeof(struct uuid))};

    /* most rows are of few accounts */
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !uuid_equal(&sealed[i].account, &sealed[i - 1].account))
            db_array_add(&in.accounts, sealed[i].account.text);
    return sql_address_key_list(d->svc.db, req, &in, ret, err) < 0 ? -1 : 0;
}

static const struct sql_address_key_list_row *keys_of(const struct sql_address_key_list_rows *all,
                                                      struct uuid account)
{
    for (size_t i = 0; i < all->count; i++)
        if (uuid_equal(&all->items[i].account, &account))
            return &all->items[i];
    return NULL;
}

/* Returns "" if the account was deleted, or the address has another key. */
static int open_one(struct authd *d, const struct request *req, const struct audit_sealed *sealed,
                    const struct sql_address_key_list_row *keys, const char **ret,
                    struct error *err)
{
    CLEANUP(secret_wipe) struct secret secret = {.length = 0};
    const char *address;
    uint8_t *plain;
    size_t size;

    *ret = "";
    if (!keys)
        return 0;
    if (seal_open(req->arena, &d->svc.seal, purpose(req, sealed->account),
                  (struct sealed){keys->secret_sealed.bytes, keys->secret_sealed.size}, &plain,
                  &size) < 0 ||
        size > sizeof(secret.bytes))
        return error_set(err, ERR_INTERNAL, "A key for addresses cannot be opened.");
    memcpy(secret.bytes, plain, secret.length = size);
    sodium_memzero(plain, size);
    address = audit_address_open(req->arena, keys->public_key, &secret, sealed->sealed);
    *ret = address ? address : "";
    return 0;
}

/* Returns "" for addresses without a key. */
static int open_all(struct authd *d, const struct request *req, const struct audit_sealed *sealed,
                    size_t count, const char ***ret, struct error *err)
{
    struct sql_address_key_list_rows keys = {.count = 0};

    *ret = arena_calloc(req->arena, count + 1, sizeof(**ret));
    if (count > 0 && read_keys(d, req, sealed, count, &keys, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (open_one(d, req, &sealed[i], keys_of(&keys, sealed[i].account), &(*ret)[i], err) < 0)
            return -1;
    return 0;
}

int addresses_show(struct authd *d, const struct request *req, struct audit_record *const *records,
                   size_t count, struct error *err)
{
    struct audit_sealed *sealed = arena_calloc(req->arena, count + 1, sizeof(*sealed));
    struct audit_record **of = arena_calloc(req->arena, count + 1, sizeof(*of));
    const char **addresses;
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (audit_sealed_of(req->arena, records[i]->event, &sealed[found]))
            of[found++] = records[i];
    if (open_all(d, req, sealed, found, &addresses, err) < 0)
        return -1;
    for (size_t i = 0; i < found; i++)
        of[i]->event = audit_address_show(req->arena, of[i]->event, addresses[i]);
    return 0;
}

/* ---- handler ---- */

int operator_addresses_open(struct authd *d, const struct request *req,
                            const struct operator_addresses_open_in *in,
                            struct operator_addresses_open_out *out, struct error *err)
{
    const char **addresses;

    if (open_all(d, req, in->addresses.items, in->addresses.count, &addresses, err) < 0)
        return -1;
    out->addresses = (struct field_texts){addresses, in->addresses.count};
    return 0;
}
