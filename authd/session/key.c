/*
 * key.c - see key.h. Also the handlers keys_get (gateway), keys_list and keys_rotate (operator).
 */
#include "authd/session/key.h"

#include <openssl/crypto.h>
#include <string.h>

#include "authd/operation_api.h"
#include "authd/session/change.h"
#include "authd/session/issuer_key.h"
#include "authd/session/key_api.h"
#include "authd/session/key_ring.h"
#include "authd/sql/key.h"

int key_reload(struct authd *d, const struct request *req, struct error *err)
{
    return key_ring_read(d, req, sql_key_list_statement, KEY_SEAL_PURPOSE, d->keyring, err);
}

/* Creates a key and lets older ones retire. Unless `anyway` is set, does nothing if there is one
 * already that does not retire; ret->sequence is then 0. */
static int key_create(struct authd *d, const struct request *req, bool anyway, int64_t active_at,
                      struct change *ret, struct error *err)
{
    CLEANUP(jws_key_destroy) struct jws_key *key = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_key_create_in create = {.now = req->now_ms,
                                       .active_at = active_at,
                                       .retire_at = active_at + ACCESS_TOKEN_LIFE + HOURS(1),
                                       .anyway = anyway,
                                       .until = req->now_ms + CHANGE_EVENT_LIFE};
    struct sql_key_create_row row = {.sequence = 0};
    struct sealed sealed = {.bytes = NULL};
    uint8_t *der = NULL;
    size_t size = 0;

    if (jws_key_generate(JWS_ES256, &der, &size) == 0)
        key = jws_key_parse(JWS_ES256, der, size);
    if (key)
        sealed = seal_value(req->arena, &d->svc.seal, KEY_SEAL_PURPOSE, der, size);
    OPENSSL_clear_free(der, size);
    if (!key)
        return error_set(err, ERR_INTERNAL, "A signing key cannot be created.");
    *ret = (struct change){.kind = "keys", .id = uuid_ordered(req->now_ms)};
    create.kid = key->kid;
    create.private_sealed = (struct field_bytes){sealed.bytes, sealed.size};
    create.public_pem = key->pem;
    create.x = key->x;
    create.y = key->y;
    create.change = ret->id;
    create.audit = audit_row(req, &(struct audit){.action = "key.create", .detail = key->kid});
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_key_lock(tx, req, err) < 0 || sql_key_create(tx, req, &create, &row, err) < 0)
        return -1;
    ret->sequence = row.sequence;
    return db_commit(&tx, err);
}

int key_open(struct authd *d, const struct request *req, struct error *err)
{
    struct change made;

    d->keyring = arena_alloc(d->svc.arena, sizeof(*d->keyring));
    if (key_reload(d, req, err) < 0)
        return -1;
    if (d->keyring->count > 0)
        return 0;
    if (key_create(d, req, false, req->now_ms, &made, err) < 0 || key_reload(d, req, err) < 0)
        return -1;
    if (d->keyring->count == 0)
        return error_set(err, ERR_INTERNAL, "There is no signing key.");
    return 0;
}

void key_close(struct authd *d)
{
    if (d->keyring)
        key_ring_clear(d->keyring);
}

const struct jws_key *key_current(const struct authd *d, int64_t now_ms)
{
    return key_ring_current(d->keyring, JWS_ES256, now_ms);
}

static struct field_list ring_list(const struct authd *d, const struct request *req)
{
    const struct key_ring *ring = d->keyring;
    struct public_key *list = arena_calloc(req->arena, ring->count, sizeof(*list));
    const struct jws_key *current = key_current(d, req->now_ms);

    for (size_t i = 0; i < ring->count; i++) {
        const struct jws_key *key = ring->keys[i];

        list[i] = (struct public_key){.kid = arena_strdup(req->arena, key->kid),
                                      .x = arena_strdup(req->arena, key->x),
                                      .y = arena_strdup(req->arena, key->y),
                                      .pem = arena_strdup(req->arena, key->pem),
                                      .active = key == current,
                                      .createdAt = key->created_at,
                                      .retireAt = key->retire_at};
    }
    return (struct field_list){list, ring->count};
}

/* Returns the keys of all tokens that can be valid. */
int keys_get(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
             struct keys_get_out *out, struct error *err)
{
    const char *public_url = d->svc.common->public_url;

    if (key_reload(d, req, err) < 0 || (public_url && issuer_key_reload(d, req, err) < 0))
        return -1;
    *out = (struct keys_get_out){.issuer = d->config->issuer,
                                 .audience = d->config->audience,
                                 .keys = ring_list(d, req),
                                 .issuerKeys = issuer_key_public(d, req),
                                 .publicUrl = public_url};
    return 0;
}

static struct field_list lists_join(const struct request *req, struct field_list one,
                                    struct field_list other)
{
    struct public_key *all = arena_calloc(req->arena, one.count + other.count, sizeof(*all));

    memcpy(all, one.items, one.count * sizeof(*all));
    memcpy(all + one.count, other.items, other.count * sizeof(*all));
    return (struct field_list){all, one.count + other.count};
}

int keys_list(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
              struct key_list *out, struct error *err)
{
    if (key_reload(d, req, err) < 0 || issuer_key_reload(d, req, err) < 0)
        return -1;
    out->keys = lists_join(req, ring_list(d, req), issuer_key_list(d, req));
    return 0;
}

/* Creates a new key. The older keys retire when their last token has expired. */
int keys_rotate(struct authd *d, const struct request *req, const struct keys_rotate_in *in,
                struct key_list *out, struct error *err)
{
    const struct nothing all = {0};
    struct change made;

    if (in->issuer)
        return issuer_key_rotate(d, req, err) < 0 ? -1 : keys_list(d, req, &all, out, err);
    if (key_reload(d, req, err) < 0)
        return -1;
    if (d->keyring->count >= KEYS_MAX - 1)
        return error_set(err, ERR_CONFLICT, "Too many keys are live. Wait until one retires.");
    if (key_create(d, req, true, req->now_ms + KEY_LEAD, &made, err) < 0 ||
        invalidation_wait(d, req, made.sequence, &made, 1, err) < 0)
        return -1;
    return keys_list(d, req, &all, out, err);
}
