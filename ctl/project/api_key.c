/*
 * api_key.c - `atriumctl api-key ...`: the keys by which machines use a project.
 */
#include "authd/authd_api.h"
#include "authd/member/api_key_api.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

int api_key_list_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id",        "name",       "accessPolicy",
                                          "expiresAt", "lastUsedAt", NULL};
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct operator_api_keys_in in = {.tenantCode = arguments_get(&ctl->args, "--project")};
    struct api_key_list out = {0};

    if (authd_operator_api_keys(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &api_key_table, &out.resources, columns);
    return 0;
}

int api_key_revoke_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct operator_api_key_in in = {.tenantCode = arguments_get(&ctl->args, "--project")};
    struct nothing out;

    if (uuid_parse(arguments_get(&ctl->args, "ID"), &in.id) < 0)
        return error_set(err, ERR_BAD_REQUEST, "ID: must be a uuid");
    if (authd_operator_api_key_revoke(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The API key is revoked: every gateway refuses it.");
    return 0;
}
