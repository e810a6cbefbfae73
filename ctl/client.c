/*
 * client.c - `atriumctl client ...`: the client applications of a project.
 */
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "settingsd/settingsd_api.h"

int client_create_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct operator_client_create_in in = {.tenantCode = arguments_get(&ctl->args, "--project"),
                                           .name = arguments_get(&ctl->args, "NAME")};
    struct client out = {0};

    if (settingsd_operator_client_create(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &client_table, &out);
    return 0;
}

int client_list_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id", "name", "lastUpdated", NULL};
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct tenant_lookup_in in = tenant_lookup_from_text(arguments_get(&ctl->args, "--project"));
    struct client_list out = {0};

    if (settingsd_operator_client_list(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &client_table, &out.resources, columns);
    return 0;
}

int client_delete_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct operator_delete_in in = {.tenantCode = arguments_get(&ctl->args, "--project")};
    struct nothing out;

    if (uuid_parse(arguments_get(&ctl->args, "ID"), &in.id) < 0)
        return error_set(err, ERR_BAD_REQUEST, "ID: must be a uuid");
    if (settingsd_operator_client_delete(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The client application is deleted: its id is unknown from now on.");
    return 0;
}
