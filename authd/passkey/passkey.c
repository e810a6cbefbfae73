/*
 * passkey.c - managing an account's passkeys, by its owner.
 *
 * Adding or deleting one changes the credential: it needs a fresh proof, ends other sessions and
 * emails the owner.
 */
#include "authd/passkey/passkey.h"

#include <sodium.h>
#include <string.h>

#include "authd/account/account_api.h"
#include "authd/account/credential.h"
#include "authd/account/ownership.h"
#include "authd/passkey/passkey_api.h"
#include "authd/passkey/passkey_ceremony.h"
#include "authd/passkey/passkey_opens.h"
#include "authd/session/account_session.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/account.h"
#include "authd/sql/passkey.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"

enum { ACCOUNT_PASSKEYS_MAX = 20 };

static const char what[] = "Passkey", kind[] = "enroll", default_name[] = "Passkey";

/* `why`: reason of a failure, in one word. */
static struct sql_audit passkey_audit(const struct request *req, const char *action,
                                      struct uuid passkey, const char *why)
{
    return audit_row(req,
                     &(struct audit){.action = action,
                                     .failure = why != NULL,
                                     .type = uuid_is_set(&passkey) ? "Passkey" : "Account",
                                     .id = uuid_is_set(&passkey) ? passkey : req->caller->account,
                                     .detail = why});
}

static int too_many(struct error *err)
{
    return error_set(err, ERR_CONFLICT, "You can have at most %d passkeys. Remove one first.",
                     ACCOUNT_PASSKEYS_MAX);
}

static int not_found(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Passkey not found.");
}

static struct field_list algorithms(struct arena *arena)
{
    static const int64_t numbers[] = {WEBAUTHN_ES256, WEBAUTHN_EDDSA, WEBAUTHN_RS256};
    struct passkey_parameter *list = arena_calloc(arena, ARRAY_SIZE(numbers), sizeof(*list));

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        list[i] = (struct passkey_parameter){.type = "public-key", .alg = numbers[i]};
    return (struct field_list){list, ARRAY_SIZE(numbers)};
}

/* Keeps the handle that the authenticator has for the account and relying party. */
static void choose_handle(const struct sql_passkey_list_rows *rows,
                          struct passkey_ceremony *ceremony)
{
    randombytes_buf(ceremony->user_handle, sizeof(ceremony->user_handle));
    for (size_t i = 0; i < rows->count; i++) {
        const struct field_bytes *handle = &rows->items[i].user_handle;

        if (strcmp(rows->items[i].rp_id, ceremony->rp.id) == 0 &&
            handle->size == sizeof(ceremony->user_handle))
            memcpy(ceremony->user_handle, handle->bytes, handle->size);
    }
}

static const struct passkey_creation_options *creation_options(
    struct arena *arena, const struct passkey_ceremony *ceremony,
    const struct credential_owner *owner, struct field_list exclude)
{
    static const struct passkey_selection selection = {
        .residentKey = "required", .userVerification = "required", .requireResidentKey = true};
    struct {
        struct passkey_creation_options options;
        struct passkey_party rp;
        struct passkey_user user;
    } *all = arena_calloc(arena, 1, sizeof(*all));

    all->rp = (struct passkey_party){ceremony->rp.id, ceremony->rp.name};
    all->user = (struct passkey_user){.id = secret_encode(arena, ceremony->user_handle,
                                                          sizeof(ceremony->user_handle)),
                                      .name = owner->email,
                                      .displayName = owner->display};
    all->options = (struct passkey_creation_options){
        .rp = &all->rp,
        .user = &all->user,
        .challenge = secret_encode(arena, ceremony->challenge, sizeof(ceremony->challenge)),
        .pubKeyCredParams = algorithms(arena),
        .timeout = PASSKEY_CEREMONY_LIFE,
        .excludeCredentials = exclude,
        .authenticatorSelection = &selection,
        .attestation = "none"};
    return &all->options;
}

/* Starts an enrollment. BAD_REQUEST: no application has passkeys. CONFLICT: the account has 20
 * passkeys. */
int passkey_enroll_start(struct authd *d, const struct request *req,
                         const struct nothing *in UNUSED, struct passkey_enrollment *out,
                         struct error *err)
{
    struct passkey_ceremony ceremony = {.kind = kind, .role = req->caller->role};
    const struct sql_passkey_list_in list = {.account = req->caller->account};
    struct sql_passkey_list_rows rows;
    struct credential_owner owner;
    struct field_list exclude;

    if (credential_owner_find(d, req, &owner, err) < 0 ||
        passkey_rp_find(d, req, &owner.tenant, req->caller->role, &ceremony.rp, err) < 0 ||
        sql_passkey_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    if (rows.count >= ACCOUNT_PASSKEYS_MAX)
        return too_many(err);
    exclude = passkey_descriptors(req->arena, &rows, ceremony.rp.id);
    choose_handle(&rows, &ceremony);
    if (step_up_check(d, NULL, req, err) < 0 || passkey_ceremony_begin(d, req, &ceremony, err) < 0)
        return -1;
    out->enrollmentId = ceremony.id;
    out->options = creation_options(req->arena, &ceremony, &owner, exclude);
    return 0;
}

static int refuse_new(struct authd *d, const struct request *req, const char *why,
                      struct error *err)
{
    const struct sql_sign_in_refuse_in refuse = {
        .audit = passkey_audit(req, "passkey.add", (struct uuid){""}, why)};

    if (sql_sign_in_refuse(d->svc.db, req, &refuse, err) < 0)
        return -1;
    return error_set(err, ERR_BAD_REQUEST, "The passkey was not accepted.");
}

static int write_new(struct authd *d, const struct request *req,
                     const struct passkey_ceremony *ceremony, struct credential_owner *owner,
                     const struct webauthn_credential *made, const struct passkey *passkey,
                     struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_credential_invalidate_in invalidate = {.account = owner->account};
    const struct sql_passkey_create_in create = {
        .id = passkey->id,
        .account = owner->account,
        .rp_id = ceremony->rp.id,
        .project = ceremony->rp.project,
        .opens = account_session_is(req) ? (struct uuid){PASSKEY_OPENS_ALL} : req->caller->project,
        .credential_id = {made->id, made->id_size},
        .user_handle = {ceremony->user_handle, sizeof(ceremony->user_handle)},
        .algorithm = made->algorithm,
        .public_key = {made->key, made->key_size},
        .sign_count = made->sign_count,
        .backed_up = made->backed_up,
        .name = passkey->name,
        .now = req->now_ms,
        .most = ACCOUNT_PASSKEYS_MAX,
        .session_project = req->caller->project,
        .session = req->caller->session,
        .audit = passkey_audit(req, "passkey.add", passkey->id, NULL)};
    int created;

    /* Check with the lock held, because a reset may have ended the session. */
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        ownership_hold_caller(d, tx, req, err) < 0 ||
        sql_credential_invalidate(tx, req, &invalidate, err) < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    created = sql_passkey_create(tx, req, &create, err);
    if (created < 0 && err->code == ERR_CONFLICT)
        return error_set(err, ERR_CONFLICT, "This passkey is already registered.");
    if (created <= 0)
        return created < 0 ? -1 : too_many(err);
    owner->joined = req->caller->membership; /* tells gateways that the session has a factor */
    return credential_change_commit(d, req, &tx, owner, what, req->caller->session, err);
}

int passkey_enroll_finish(struct authd *d, const struct request *req,
                          const struct passkey_enroll_finish_in *in, struct passkey *out,
                          struct error *err)
{
    struct passkey_ceremony ceremony;
    struct webauthn_credential made;
    struct credential_owner owner;
    const char *wrong;

    if (credential_owner_find(d, req, &owner, err) < 0 ||
        passkey_ceremony_spend(d, req, kind, req->caller->role, in->enrollmentId, &ceremony, err) <
            0 ||
        passkey_ceremony_find_rp(d, req, NULL, &ceremony, err) < 0 ||
        passkey_ceremony_check_new(d, req, &ceremony, in->credential, &made, &wrong, err) < 0)
        return -1;
    if (wrong)
        return refuse_new(d, req, wrong, err);
    *out = (struct passkey){.id = uuid_ordered(req->now_ms),
                            .name = in->name ? in->name : default_name,
                            .rpId = ceremony.rp.id,
                            .backedUp = made.backed_up,
                            .createdAt = req->now_ms};
    return write_new(d, req, &ceremony, &owner, &made, out, err);
}

static struct passkey shown(const struct sql_passkey_list_row *row)
{
    return (struct passkey){.id = row->id,
                            .name = row->name,
                            .rpId = row->rp_id,
                            .backedUp = row->backed_up,
                            .createdAt = row->created_at,
                            .lastUsedAt = row->last_used_at ? *row->last_used_at : 0};
}

static struct field_list shown_list(struct arena *arena, const struct sql_passkey_list_rows *rows)
{
    struct passkey *items = arena_calloc(arena, rows->count, sizeof(*items));

    for (size_t i = 0; i < rows->count; i++)
        items[i] = shown(&rows->items[i]);
    return (struct field_list){items, rows->count};
}

/* Lists only passkeys that open the session's project, unless that owns the account. */
int passkeys(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
             struct passkey_list *out, struct error *err)
{
    struct uuid project = req->caller->project;
    struct sql_passkey_list_rows rows;
    bool own;

    if (ownership_of_caller(d, req, &own, err) < 0 ||
        passkey_opens_list(d, req, req->caller->account, own ? (struct uuid){""} : project, &rows,
                           err) < 0)
        return -1;
    out->passkeys = shown_list(req->arena, &rows);
    return 0;
}

int passkey_list_of(struct authd *d, const struct request *req, struct uuid account,
                    struct passkey_list *out, struct error *err)
{
    const struct sql_passkey_list_in list = {.account = account};
    struct sql_passkey_list_rows rows;

    if (sql_passkey_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    out->passkeys = shown_list(req->arena, &rows);
    return 0;
}

int passkey_rename(struct authd *d, const struct request *req, const struct passkey_rename_in *in,
                   struct passkey *out, struct error *err)
{
    const struct sql_passkey_list_in list = {.account = req->caller->account};
    const struct sql_passkey_rename_in rename = {.id = in->id,
                                                 .account = req->caller->account,
                                                 .name = in->name,
                                                 .audit = passkey_audit(req, "passkey.rename",
                                                                        in->id, NULL)};
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_passkey_list_rows rows;
    size_t at = 0;

    if (sql_passkey_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    while (at < rows.count && !uuid_equal(&rows.items[at].id, &in->id))
        at++;
    if (not_found(at < rows.count, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        ownership_hold_caller(d, tx, req, err) < 0 || step_up_check(d, tx, req, err) < 0 ||
        not_found(sql_passkey_rename(tx, req, &rename, err), err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    *out = shown(&rows.items[at]);
    out->name = in->name;
    return 0;
}

int passkey_delete(struct authd *d, const struct request *req, const struct passkey_delete_in *in,
                   struct ok_out *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_passkey_delete_in delete = {.id = in->id,
                                                 .account = req->caller->account,
                                                 .audit = passkey_audit(req, "passkey.remove",
                                                                        in->id, NULL)};
    struct credential_owner owner;

    /* Check after deleting: an unknown passkey must fail first, and a refusal rolls back. */
    if (credential_owner_find(d, req, &owner, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        ownership_hold_caller(d, tx, req, err) < 0 ||
        not_found(sql_passkey_delete(tx, req, &delete, err), err) < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    /* gateways must learn whether the caller's session has a factor */
    owner.joined = req->caller->membership;
    if (credential_change_commit(d, req, &tx, &owner, what, req->caller->session, err) < 0)
        return -1;
    out->ok = true;
    return 0;
}

int passkey_remove(struct authd *d, const struct request *req, struct db_tx **tx_p,
                   const struct credential_owner *owner, struct uuid passkey, const char *reason,
                   struct error *err)
{
    const struct sql_passkey_delete_in delete = {
        .id = passkey,
        .account = owner->account,
        .audit = audit_row(req, &(struct audit){.action = "passkey.remove",
                                                .account = owner->account,
                                                .role = ROLE_PRACTITIONER,
                                                .type = "Passkey",
                                                .id = passkey,
                                                .reason = reason})};

    if (not_found(sql_passkey_delete(*tx_p, req, &delete, err), err) < 0)
        return -1;
    return credential_change_commit(d, req, tx_p, owner, what, (struct uuid){""}, err);
}
