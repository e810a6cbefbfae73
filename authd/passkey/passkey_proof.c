/*
 * passkey_proof.c - see passkey_proof.h.
 */
#include "authd/passkey/passkey_proof.h"

#include <string.h>

#include "authd/mail.h"
#include "authd/passkey/passkey_api.h"
#include "authd/passkey/passkey_opens.h"
#include "authd/session/address_key.h"
#include "authd/sql/passkey.h"
#include "authd/sql/signin.h"
#include "settingsd/tenant_api.h"

/* True if the answer has no user handle, or the enrolled one. */
static bool handle_matches(const struct request *req, const char *text, struct field_bytes want,
                           bool *ret_there)
{
    struct field_bytes handle;

    *ret_there = text != NULL;
    return !text || (passkey_bytes(req->arena, text, PASSKEY_HANDLE_SIZE, &handle) &&
                     handle.size == want.size && memcmp(handle.bytes, want.bytes, want.size) == 0);
}

static int check(struct authd *d, const struct request *req,
                 const struct passkey_ceremony *ceremony,
                 const struct passkey_credential *credential, struct passkey_proof *ret,
                 const char **ret_wrong, struct error *err)
{
    struct sql_passkey_get_in get = {
        .rp_id = ceremony->rp.id, .role = ceremony->role, .now = req->now_ms};
    struct sql_passkey_get_row row;
    int found;

    *ret = (struct passkey_proof){.former_count = 0};
    *ret_wrong = "credential";
    if (!passkey_bytes(req->arena, credential->id, WEBAUTHN_CREDENTIAL_ID_MAX, &get.credential_id))
        return 0;
    found = sql_passkey_get(d->svc.db, req, &get, &row, err);
    if (found <= 0)
        return found;
    address_key_load(d, req, row.account);
    *ret = (struct passkey_proof){.passkey = row.id,
                                  .account = row.account,
                                  .opens = row.opens,
                                  .account_project = row.account_project,
                                  .email = row.email,
                                  .name = row.name,
                                  .former_count = row.sign_count};
    if (!handle_matches(req, credential->response->userHandle, row.user_handle, &ret->has_handle)) {
        *ret_wrong = "user-handle";
        return 0;
    }
    if (!uuid_is_set(&row.opens) &&
        passkey_opens_settle(d, req, row.id, row.account, &ret->opens, err) < 0)
        return -1;
    return passkey_ceremony_check(d, req, ceremony, (enum webauthn_algorithm)row.algorithm,
                                  row.public_key, credential, &ret->shown, ret_wrong, err);
}

int passkey_proof_check(struct authd *d, const struct request *req,
                        const struct passkey_ceremony *ceremony,
                        const struct passkey_credential *credential, struct passkey_proof *ret,
                        const char **ret_wrong, struct error *err)
{
    if (check(d, req, ceremony, credential, ret, ret_wrong, err) < 0)
        return -1;
    ++*(*ret_wrong ? d->count.passkey_bad : d->count.passkey_good);
    return 0;
}

/* True if the signature counter didn't grow. 0 means that the authenticator doesn't count (Web
 * Authentication Level 3, section 6.1.1). */
static bool has_fallen(const struct passkey_proof *proof)
{
    return (proof->former_count > 0 || proof->shown.sign_count > 0) &&
           proof->shown.sign_count <= proof->former_count;
}

void passkey_proof_report(struct authd *d, const struct request *req, const struct tenant *tenant,
                          const struct passkey_proof *proof, const char *display)
{
    const struct audit audit = {.action = "passkey.counter",
                                .project = tenant->projectId,
                                .account = proof->account,
                                .type = "Passkey",
                                .id = proof->passkey};
    const struct sql_sign_in_refuse_in note = {.audit = audit_row(req, &audit)};
    char when[25];
    struct mail mail = {.template = "PASSKEY_COUNTER",
                        .tenant = uuid_is_set(&tenant->projectId) ? tenant : NULL,
                        .builtin = true,
                        .to = proof->email,
                        .display = display,
                        .variables = {{"when", when}, {"passkey", proof->name}}};
    struct error err;

    if (!has_fallen(proof))
        return;
    clock_format_iso(req->now_ms, when);
    error_init(&err, req->arena);
    if (sql_sign_in_refuse(d->svc.db, req, &note, &err) < 0 || mail_queue(d, req, &mail, &err) < 0)
        log_event(LOG_WARNING, "passkey",
                  "the owner could not be told that a passkey's counter fell", "trace", req->trace,
                  NULL);
}
