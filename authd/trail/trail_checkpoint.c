/*
 * trail_checkpoint.c - signed roots of projects' trees (https://c2sp.org/tlog-checkpoint,
 * https://c2sp.org/signed-note).
 *
 *     lakeside.example/t/north/audit
 *     1203
 *     <root, base64>
 *
 *     - lakeside.example/t/north/audit <key hash and Ed25519 signature, base64>
 *
 * (The last line begins with an em dash.) One key signs for all projects; the first line names the
 * project.
 */
#include <sodium.h>
#include <string.h>

#include "authd/sql/trail.h"
#include "authd/trail/trail.h"
#include "common/base/note.h"
#include "common/domain/uri.h"
#include "common/service/audit.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

/* ---- key ---- */

int trail_key_open(struct authd *d, const struct request *req, struct error *err)
{
    uint8_t public[NOTE_PUBLIC_SIZE], secret[NOTE_SECRET_SIZE];
    struct sql_trail_key_make_in make = {
        .public = {public, sizeof(public)},
        .audit = audit_row(req, &(struct audit){.action = "key.create", .detail = "trail"})};
    struct sql_trail_key_get_row row;
    struct sealed sealed;
    int found = sql_trail_key_get(d->svc.db, req, &row, err);

    if (found != 0)
        return MIN(found, 0);
    crypto_sign_keypair(public, secret);
    sealed = seal_value(req->arena, &d->svc.seal, TRAIL_KEY_PURPOSE, secret, sizeof(secret));
    sodium_memzero(secret, sizeof(secret));
    make.secret = (struct field_bytes){sealed.bytes, sealed.size};
    return MIN(sql_trail_key_make(d->svc.db, req, &make, err), 0);
}

int trail_note_sign(struct authd *d, const struct request *req, const char *name, const char *text,
                    const char **ret_note, const char **ret_key, struct error *err)
{
    struct sql_trail_key_get_row row;
    uint8_t *secret = NULL;
    size_t size = 0;

    if (sql_require(sql_trail_key_get(d->svc.db, req, &row, err), err, ERR_INTERNAL,
                    "There is no key that signs checkpoints.") < 0)
        return -1;
    if (row.public.size != NOTE_PUBLIC_SIZE ||
        seal_open(req->arena, &d->svc.seal, TRAIL_KEY_PURPOSE,
                  (struct sealed){row.secret.bytes, row.secret.size}, &secret, &size) < 0 ||
        size != NOTE_SECRET_SIZE)
        return error_set(err, ERR_INTERNAL, "The key that signs checkpoints cannot be decrypted.");
    *ret_note = note_sign(req->arena, name, text, row.public.bytes, secret);
    *ret_key = note_key(req->arena, name, row.public.bytes);
    sodium_memzero(secret, size);
    return 0;
}

/* ---- note ---- */

const char *trail_host(struct authd *d, struct arena *arena)
{
    const char *url = d->svc.common->public_url ? d->svc.common->public_url : d->config->issuer;
    bool secure;
    const char *host = uri_after_http(url, &secure);

    if (!host)
        host = url;
    return arena_strndup(arena, host, strcspn(host, "/ +"));
}

/* Returns "<host>/t/<tenantCode>/audit", or the project's id without a code. */
static const char *origin_of(struct authd *d, const struct request *req,
                             const struct tenant *tenant)
{
    return arena_printf(req->arena, "%s/t/%s/audit", trail_host(d, req->arena),
                        tenant->tenantCode ? tenant->tenantCode : tenant->projectId.text);
}

int trail_checkpoint(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     const char **ret_note, const char **ret_key, struct error *err)
{
    const struct tenant_lookup_in which = {.projectId = project};
    struct tenant tenant = {0};
    const char *origin, *text;
    struct merkle_hash root;

    if (settingsd_tenant_lookup(d->svc.bus, req, &which, &tenant, err) < 0 ||
        trail_root(d, req, project, size, &root, err) < 0)
        return -1;
    origin = origin_of(d, req, &tenant);
    text = arena_printf(req->arena, "%s\n%lld\n%s\n", origin, (long long)size,
                        note_base64(req->arena, root.bytes, sizeof(root.bytes)));
    return trail_note_sign(d, req, origin, text, ret_note, ret_key, err);
}
