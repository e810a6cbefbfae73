/*
 * api_key.c - API keys, for admins and for gateways.
 *
 * A key belongs to the project, not to its maker. Gateways treat its id like a session's, so its
 * revocation reaches all of them before the answer.
 */
#include "authd/member/api_key.h"

#include <string.h>

#include "authd/member/api_key_api.h"
#include "authd/operation_api.h"
#include "authd/session/change.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/api_key.h"
#include "authd/sql/lock.h"
#include "authd/tenant.h"
#include "common/base/address.h"
#include "common/service/audit.h"
#include "common/service/page_cursor.h"
#include "settingsd/tenant_api.h"

enum { KEY_BYTES = 32 }; /* 256 random bits */

#define USE_NOTED HOURS(1) /* at most one use is recorded in this time */

/* `rows`: result of the statement that looks for the key. */
static int require_key(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "API key not found.");
}

static struct sql_audit key_audit(const struct request *req, const char *action,
                                  struct uuid project, struct uuid id)
{
    return audit_row(
        req, &(struct audit){.action = action, .project = project, .type = "ApiKey", .id = id});
}

static int list_page(struct authd *d, const struct request *req, struct uuid project,
                     const char *cursor, int64_t count, struct api_key_list *out, struct error *err)
{
    const char *key = arena_printf(req->arena, "api keys %s", project.text);
    struct sql_api_key_list_in list = {.project = project, .most = count + 1};
    struct page_cursor at;

    if (page_cursor_read(req->arena, &d->svc.seal, key, req->now_ms, cursor, &at, err) < 0)
        return -1;
    list.after = at.id;
    if (sql_api_key_list(d->svc.db, req, &list, &out->resources, err) < 0)
        return -1;
    out->next = PAGE_CURSOR_CUT(req, &d->svc.seal, key, count, api_key, &out->resources);
    return 0;
}

int api_keys(struct authd *d, const struct request *req, const struct api_keys_in *in,
             struct api_key_list *out, struct error *err)
{
    return list_page(d, req, request_project(req), in->_cursor, in->_count, out, err);
}

int api_key_networks(const struct request *req, const struct field_texts *addresses,
                     struct db_array *ret, struct error *err)
{
    struct address_network network;
    int result = 0;

    *ret = db_array_new(req->arena, addresses->count, API_KEY_NETWORK_MAX);
    for (size_t i = 0; i < addresses->count; i++) {
        if (address_network_parse(addresses->items[i], &network) < 0)
            result = error_problem(err, arena_printf(req->arena, "addresses.%zu", i),
                                   "must be an IP network such as 192.0.2.0/24");
        else
            db_array_add(ret, addresses->items[i]);
    }
    return result;
}

static int store_key(struct authd *d, const struct request *req,
                     const struct sql_api_key_insert_in *insert, struct api_key *out,
                     struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_name_lock_in lock = {
        .name = arena_printf(req->arena, "api keys %s", insert->project.text)};

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_name_lock(tx, req, &lock, err) < 0 ||
        sql_require(sql_api_key_insert(tx, req, insert, out, err), err, ERR_CONFLICT,
                    "The project has 50 API keys already.") < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* At most 50 keys. */
int api_key_create(struct authd *d, const struct request *req, const struct api_key_create_in *in,
                   struct api_key *out, struct error *err)
{
    const char *key =
        arena_printf(req->arena, API_KEY_PREFIX "%s", secret_random_text(req->arena, KEY_BYTES));
    uint8_t hash[SECRET_HASH_SIZE];
    struct sql_api_key_insert_in insert = {.project = req->caller->project,
                                           .id = uuid_ordered(req->now_ms),
                                           .name = in->name,
                                           .hash = {hash, sizeof(hash)},
                                           .membership = req->caller->membership,
                                           .profile = req->caller->profile,
                                           .now = req->now_ms,
                                           .expires = req->now_ms + in->days * DAYS(1)};

    secret_hash(key, hash);
    insert.audit = key_audit(req, "api-key.create", insert.project, insert.id);
    if (api_key_networks(req, &in->addresses, &insert.addresses, err) < 0 ||
        tenant_policy_of(d, req, req->caller->project, in->accessPolicy, &insert.policy, err) < 0 ||
        store_key(d, req, &insert, out, err) < 0)
        return -1;
    out->key = key;
    return 0;
}

/* Waits until all gateways reject the key. Operators need no fresh proof. */
int api_key_delete(struct authd *d, const struct request *req, const struct api_key_id_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    struct uuid project = request_project(req);
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_api_key_revoke_in revoke = {
        .project = project,
        .id = in->id,
        .now = req->now_ms,
        .change = {.until = req->now_ms + CHANGE_SESSION_LIFE},
        .audit = key_audit(req, "api-key.delete", project, in->id)};
    struct change change = {.kind = "session", .id = in->id, .until = revoke.change.until};
    struct sql_api_key_revoke_row row;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        require_key(sql_api_key_revoke(tx, req, &revoke, &row, err), err) < 0 ||
        (req->caller && step_up_check(d, tx, req, err) < 0) || db_commit(&tx, err) < 0)
        return -1;
    change.sequence = row.sequence;
    return invalidation_wait(d, req, row.sequence, &change, 1, err);
}

int api_key_find(struct authd *d, const struct request *req, const struct api_key_find_in *in,
                 struct api_key_found *out, struct error *err)
{
    const struct sql_api_key_find_in find = {.hash = in->hash, .now = req->now_ms};
    struct sql_api_key_find_row row;

    if (sql_require(sql_api_key_find(d->svc.db, req, &find, &row, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    *out = (struct api_key_found){row.project, row.id, row.expires};
    return 0;
}

/* Records the use, at most once an hour. The key works even if that fails. */
static void touch(struct authd *d, const struct request *req, const struct api_key_get_in *in)
{
    const struct sql_api_key_touch_in touch = {.project = in->project,
                                               .id = in->id,
                                               .now = req->now_ms,
                                               .before = req->now_ms - USE_NOTED};
    struct error ignored;

    error_init(&ignored, req->arena);
    (void)!sql_api_key_touch(d->svc.db, req, &touch, &ignored);
}

int api_key_get(struct authd *d, const struct request *req, const struct api_key_get_in *in,
                struct api_key_rights *out, struct error *err)
{
    const struct sql_api_key_get_in get = {
        .project = in->project, .id = in->id, .now = req->now_ms};
    struct sql_api_key_get_row row;

    if (sql_require(sql_api_key_get(d->svc.db, req, &get, &row, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    if (!row.last_used || *row.last_used < req->now_ms - USE_NOTED)
        touch(d, req, in);
    *out = (struct api_key_rights){row.name, row.policy, row.address_rules, row.expires};
    return 0;
}
