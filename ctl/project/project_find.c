/* project_find.c - finds a command's project. */
#include "ctl/ctl_bus.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

int project_find(struct ctl *ctl, const char *code, struct tenant *ret, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct tenant_lookup_in in = tenant_lookup_from_text(code);

    return settingsd_tenant_lookup(ctl->bus->bus, &req, &in, ret, err);
}

int project_find_kept(struct ctl *ctl, const char *code, struct tenant *ret, struct error *err)
{
    if (project_find(ctl, code, ret, err) < 0)
        return -1;
    return ret->deleting ? error_set(err, ERR_CONFLICT, "The project is being deleted.") : 0;
}

int project_from_args(struct ctl *ctl, struct uuid *ret, struct error *err)
{
    struct tenant tenant = {0};

    if (ctl_bus_wait(ctl->bus, "settingsd", CTL_BUS_PEER_MS, err) < 0 ||
        project_find_kept(ctl, arguments_get(&ctl->args, "--project"), &tenant, err) < 0)
        return -1;
    *ret = tenant.projectId;
    return 0;
}

int project_audited(struct ctl *ctl, struct uuid *ret, struct error *err)
{
    const char *text = arguments_get(&ctl->args, "--project");

    return uuid_parse(text, ret) == 0 ? 0 : project_from_args(ctl, ret, err);
}
