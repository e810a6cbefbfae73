/*
 * account.c - `atriumctl account ...`: practitioners of several organizations.
 */
#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "authd/passkey/passkey_api.h"
#include "ctl/call.h"
#include "ctl/output.h"

static int list_passkeys(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id", "name", "rpId", "createdAt", "lastUsedAt", NULL};
    struct operator_account_in in = {0};
    struct passkey_list out;

    if (call(ctl, &authd_operator_account_passkeys_method, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &passkey_table, &out.passkeys, columns);
    return 0;
}

/* Lists the passkeys when none is named. */
int account_passkey_remove_command(struct ctl *ctl, struct error *err)
{
    const char *id = arguments_get(&ctl->args, "--id");
    struct operator_account_passkey_in in = {0};
    struct nothing out;

    if (!id)
        return list_passkeys(ctl, err);
    if (uuid_parse(id, &in.id) < 0)
        return error_set(err, ERR_BAD_REQUEST, "--id: must be the id of a passkey");
    if (call(ctl, &authd_operator_account_passkey_remove_method, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The passkey is removed, and all sessions of the account are ended.");
    return 0;
}

int account_schedule_deletion_command(struct ctl *ctl, struct error *err)
{
    struct operator_account_delete_in in = {0};
    struct nothing out;

    if (call(ctl, &authd_operator_account_delete_method, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The account is deleted in %lld days, unless its owner signs in before.",
                (long long)in.days);
    return 0;
}
