/*
 * single_use.c - see single_use.h.
 */
#include "authd/oauth/single_use.h"

#include "authd/settings_cache.h"
#include "authd/sql/oauth.h"
#include "common/base/secret.h"

/* Hashes an id with its kind and subject. No part contains a line feed: subjects are ids or
 * thumbprints. */
static void hash_of(const struct request *req, const char *kind, const char *subject,
                    const char *id, uint8_t ret[static SECRET_HASH_SIZE])
{
    secret_hash(arena_printf(req->arena, "%s\n%s\n%s", kind, subject, id), ret);
}

int single_use_spend(struct authd *d, struct db_tx *tx, const struct request *req, const char *kind,
                     const char *subject, const char *id, int64_t expires_ms, bool *ret_first,
                     struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_once_insert_in in = {.hash = {hash, sizeof(hash)}, .expires_at = expires_ms};
    struct sql_once_insert_row row;
    int found;

    hash_of(req, kind, subject, id, hash);
    found = tx ? sql_once_insert_tx(tx, req, &in, &row, err)
               : sql_once_insert(d->svc.db, req, &in, &row, err);
    if (found < 0)
        return -1;
    *ret_first = found > 0;
    return 0;
}

int single_use_is_spent(struct authd *d, const struct request *req, struct settings_view *view,
                        const char *kind, const char *subject, const char *id, bool *ret,
                        struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_once_find_in in = {.hash = {hash, sizeof(hash)}};
    struct sql_once_find_row row = {.spent = true};

    hash_of(req, kind, subject, id, hash);
    if (sql_once_find(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    *ret = row.spent;
    return settings_view_compare(view, row.change, err);
}
