/*
 * scim_token.c - tokens of a project's directory, for admins. Handlers: scim_tokens,
 * scim_token_create, scim_token_delete.
 */
#include <string.h>

#include "authd/authd.h"
#include "authd/federation/scim_api.h"
#include "authd/member/api_key.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/lock.h"
#include "authd/sql/scim.h"
#include "common/base/clock.h"
#include "common/base/secret.h"
#include "common/service/audit.h"

enum { TOKEN_BYTES = 32 }; /* 256 random bits */

static struct sql_audit token_audit(const struct request *req, const char *action, struct uuid id)
{
    return audit_row(req, &(struct audit){.action = action, .type = "ScimToken", .id = id});
}

int scim_tokens(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                struct scim_token_list *out, struct error *err)
{
    const struct sql_scim_token_list_in list = {.project = req->caller->project};

    return MIN(sql_scim_token_list(d->svc.db, req, &list, &out->resources, err), 0);
}

static int store(struct authd *d, const struct request *req,
                 const struct sql_scim_token_insert_in *insert, struct scim_token *out,
                 struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_name_lock_in lock = {
        .name = arena_printf(req->arena, "scim tokens %s", insert->project.text)};

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_name_lock(tx, req, &lock, err) < 0 ||
        sql_require(sql_scim_token_insert(tx, req, insert, out, err), err, ERR_CONFLICT,
                    "The project has two SCIM tokens already.") < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Two tokens, so that a directory can change to the new one without a pause. */
int scim_token_create(struct authd *d, const struct request *req,
                      const struct scim_token_create_in *in, struct scim_token *out,
                      struct error *err)
{
    const char *token = arena_printf(req->arena, SCIM_TOKEN_PREFIX "%s",
                                     secret_random_text(req->arena, TOKEN_BYTES));
    uint8_t hash[SECRET_HASH_SIZE];
    struct sql_scim_token_insert_in insert = {.project = req->caller->project,
                                              .id = uuid_ordered(req->now_ms),
                                              .name = in->name,
                                              .hash = {hash, sizeof(hash)},
                                              .membership = req->caller->membership,
                                              .now = req->now_ms,
                                              .expires = req->now_ms + in->days * DAYS(1)};

    secret_hash(token, hash);
    insert.audit = token_audit(req, "scim.token-create", insert.id);
    if (api_key_networks(req, &in->addresses, &insert.addresses, err) < 0 ||
        store(d, req, &insert, out, err) < 0)
        return -1;
    out->token = token;
    return 0;
}

/* Each request of the directory looks for its token, so no gateway accepts it any more. */
int scim_token_delete(struct authd *d, const struct request *req, const struct scim_token_id_in *in,
                      struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_scim_token_delete_in delete = {.project = req->caller->project,
                                                    .id = in->id,
                                                    .audit = token_audit(req, "scim.token-delete",
                                                                         in->id)};

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_require(sql_scim_token_delete(tx, req, &delete, err), err, ERR_NOT_FOUND,
                    "SCIM token not found.") < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    return db_commit(&tx, err);
}
