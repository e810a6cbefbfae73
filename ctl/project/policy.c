/*
 * policy.c - `atriumctl policy ...`: the access policies of a project.
 */
#include "common/wire/codec.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/files.h"
#include "ctl/output.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

static const char *member_text(struct ctl *ctl, const json_t *policy, const char *name)
{
    const json_t *value = json_object_get(policy, name);

    return value ? codec_dump_json(ctl->arena, value) : NULL;
}

/* The file has the form that `policy list --json` and the interface show: {name, resource,
 * ipAccessRule?}. */
int policy_put_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const char *path = arguments_get(&ctl->args, "FILE.json"),
               *id = arguments_get(&ctl->args, "--id");
    char *text = files_read(ctl->arena, path, err);
    json_auto_t *policy = text ? codec_parse_exact(text, strlen(text), true, err) : NULL;
    struct operator_policy_put_in in = {.tenantCode = arguments_get(&ctl->args, "--project")};
    struct access_policy out = {0};

    if (!policy)
        return -1;
    if (id && uuid_parse(id, &in.id) < 0)
        return error_set(err, ERR_BAD_REQUEST, "--id: must be a uuid");
    in.name = json_string_value(json_object_get(policy, "name"));
    in.resource = member_text(ctl, policy, "resource");
    in.ipAccessRule = member_text(ctl, policy, "ipAccessRule");
    if (settingsd_operator_policy_put(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &access_policy_table, &out);
    return 0;
}

int policy_list_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id", "name", "resource", NULL};
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct tenant_lookup_in in = tenant_lookup_from_text(arguments_get(&ctl->args, "--project"));
    struct access_policy_list out = {0};

    if (settingsd_operator_policy_list(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &access_policy_table, &out.resources, columns);
    return 0;
}

int policy_delete_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct operator_delete_in in = {.tenantCode = arguments_get(&ctl->args, "--project")};
    struct nothing out;

    if (uuid_parse(arguments_get(&ctl->args, "ID"), &in.id) < 0)
        return error_set(err, ERR_BAD_REQUEST, "ID: must be a uuid");
    if (settingsd_operator_policy_delete(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The access policy is deleted.");
    return 0;
}
