/*
 * passkey_step_up.c - see passkey_step_up.h.  Handler: step_up_start.
 */
#include "authd/passkey/passkey_step_up.h"

#include <string.h>

#include "authd/authd_api.h"
#include "authd/sql/passkey.h"
#include "authd/tenant.h"
#include "settingsd/settingsd_api.h"

static const char kind[] = "step-up";

/* Gives out a challenge for the caller's passkeys. Fails: BAD_REQUEST (it has none here). */
int step_up_start(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                  struct passkey_request *out, struct error *err)
{
    struct passkey_ceremony ceremony = {.kind = kind, .role = req->caller->role};
    const struct sql_passkey_list_in list = {.account = req->caller->account};
    struct passkey_descriptor *allow;
    struct sql_passkey_list_rows rows;
    struct tenant tenant;
    size_t count = 0;

    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0 ||
        passkey_rp_find(d, req, &tenant, req->caller->role, &ceremony.rp, err) < 0 ||
        sql_passkey_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    allow = arena_calloc(req->arena, rows.count, sizeof(*allow));
    for (size_t i = 0; i < rows.count; i++) {
        const struct sql_passkey_list_row *row = &rows.items[i];

        if (strcmp(row->rp_id, ceremony.rp.id) == 0)
            allow[count++] = (struct passkey_descriptor){
                .type = "public-key",
                .id = secret_encode(req->arena, row->credential_id.bytes, row->credential_id.size)};
    }
    if (count == 0)
        return error_set(err, ERR_BAD_REQUEST, "The account has no passkey here.");
    if (passkey_ceremony_begin(d, req, &ceremony, err) < 0)
        return -1;
    out->loginId = ceremony.id;
    out->options =
        passkey_ceremony_options(req->arena, &ceremony, (struct field_list){allow, count});
    return 0;
}

int passkey_step_up(struct authd *d, const struct request *req, const struct step_up_in *in,
                    struct passkey_proof *ret, const char **ret_wrong, struct error *err)
{
    struct passkey_ceremony ceremony;
    bool within;

    if (passkey_ceremony_spend(d, req, kind, req->caller->role, in->loginId, &ceremony, err) < 0 ||
        passkey_ceremony_find_rp(d, req, &ceremony, err) < 0 ||
        passkey_proof_check(d, req, &ceremony, in->credential, ret, ret_wrong, err) < 0)
        return -1;
    if (!*ret_wrong && !uuid_equal(&ret->account, &req->caller->account))
        *ret_wrong = "credential";
    if (*ret_wrong || !uuid_is_set(&ret->project))
        return 0;
    if (tenant_is_within(d, req, req->caller->project, ret->project, &within, err) < 0)
        return -1;
    if (!within)
        *ret_wrong = "reach";
    return 0;
}
