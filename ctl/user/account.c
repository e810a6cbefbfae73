/*
 * account.c - `atriumctl account ...`: what an operator does for practitioners who belong to
 * several organizations, where the installation has no pages on which they could do it themselves.
 */
#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "authd/passkey/passkey_api.h"
#include "authd/shape_api.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

static struct operator_account_in account_given(const struct ctl *ctl)
{
    return (struct operator_account_in){.email = arguments_get(&ctl->args, "--email"),
                                        .reason = arguments_get(&ctl->args, "--reason")};
}

int account_send_reset_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct operator_account_in in = account_given(ctl);
    struct nothing out;

    if (authd_operator_account_reset(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "An email to set a new password is on its way. It is valid for an hour.");
    return 0;
}

int account_reset_mfa_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct operator_account_in in = account_given(ctl);
    struct nothing out;

    if (authd_operator_account_mfa_reset(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The account has no second factor, and all its sessions are ended.");
    return 0;
}

static int list_passkeys(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id", "name", "rpId", "createdAt", "lastUsedAt", NULL};
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct operator_account_in in = account_given(ctl);
    struct passkey_list out = {0};

    if (authd_operator_account_passkeys(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &passkey_table, &out.passkeys, columns);
    return 0;
}

/* Lists the passkeys when none is named. */
int account_passkey_remove_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct operator_account_in who = account_given(ctl);
    struct operator_account_passkey_in in = {.email = who.email, .reason = who.reason};
    const char *id = arguments_get(&ctl->args, "--id");
    struct nothing out;

    if (!id)
        return list_passkeys(ctl, err);
    if (uuid_parse(id, &in.id) < 0)
        return error_set(err, ERR_BAD_REQUEST, "--id: must be the id of a passkey");
    if (authd_operator_account_passkey_remove(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The passkey is removed, and all sessions of the account are ended.");
    return 0;
}

int account_leave_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct operator_account_in who = account_given(ctl);
    const struct operator_account_leave_in in = {.email = who.email,
                                                 .reason = who.reason,
                                                 .tenantCode =
                                                     arguments_get(&ctl->args, "--tenant")};
    struct nothing out;

    if (authd_operator_account_leave(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The membership has ended, and its sessions with it.");
    return 0;
}

int account_schedule_deletion_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct operator_account_in who = account_given(ctl);
    struct operator_account_delete_in in = {
        .email = who.email, .reason = who.reason, .wipe = arguments_has(&ctl->args, "--wipe")};
    struct nothing out;

    if (arguments_int(&ctl->args, "--days", DELETION_DAYS, 1, DELETION_DAYS_MAX, &in.days, err) <
            0 ||
        authd_operator_account_delete(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The account is deleted in %lld days, unless its owner signs in before.",
                (long long)in.days);
    return 0;
}
