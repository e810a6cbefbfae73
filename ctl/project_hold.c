/* project_hold.c - see project_hold.h. */
#include "ctl/project_hold.h"

#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "common/service/project_read_only.h"
#include "common/service/service.h"
#include "ctl/ctl_bus.h"
#include "settingsd/project_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum { LOCK_TRIES_MS = 20000 /* time for settingsd to get its locks */ };

static const char *const services[] = {"settingsd", "authd", "docd", "maild", "botd", NULL};

static int ask(struct ctl *ctl, const char *service, const struct bus_method *method,
               const void *in, void *out, struct error *err)
{
    return ctl_bus_wait(ctl->bus, service, CTL_BUS_PEER_MS, err) < 0
               ? -1
               : ctl_bus_call(ctl->bus, ctl->arena, method, in, out, err);
}

/* Makes all daemons read-only. Waits for those that are down or get no locks (CTL_BUS_RETRY_MS).
 * Does not undo. Parks. */
static int hold_all(struct ctl *ctl, struct uuid project, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct tenant_lookup_in top = {.projectId = project};
    struct tenant_hold_in in = {.holder = project, .held = true};
    struct project_tree_out tree = {.projectIds = {NULL, 0}};
    struct nothing nothing;

    if (settingsd_project_tree(ctl->bus->bus, &req, &top, &tree, err) < 0)
        return -1;
    in.projectIds = tree.projectIds;
    for (const char *const *service = services; *service; service++) {
        const struct bus_method method = tenant_hold_method(*service);

        if (ask(ctl, *service, &method, &in, &nothing, err) < 0)
            return -1;
    }
    return 0;
}

int project_release(struct ctl *ctl, struct uuid project, struct error *err)
{
    const struct tenant_hold_in in = {.holder = project, .held = false};
    struct nothing nothing;

    for (const char *const *service = services + 1; *service; service++) {
        const struct bus_method method = tenant_hold_method(*service);

        if (ask(ctl, *service, &method, &in, &nothing, err) < 0)
            return -1;
    }
    return 0;
}

int project_hold_check(struct ctl *ctl, struct uuid project, struct error *err)
{
    const struct tenant_held_in in = {.projectId = project};

    for (const char *const *service = services; *service; service++) {
        const struct bus_method method = tenant_held_method(*service);
        struct tenant_held_out out = {.held = false};

        if (ask(ctl, *service, &method, &in, &out, err) < 0)
            return -1;
        if (!out.held)
            return error_set(err, ERR_CONFLICT,
                             "The project is not read-only in %s: `project suspend --read-only` "
                             "was interrupted. Run it again.",
                             *service);
    }
    return 0;
}

int project_hold_suspend(struct ctl *ctl, const struct project_suspend_in *in, struct tenant *ret,
                         struct error *err)
{
    int64_t since = clock_mono_ms();
    struct request req;

    do {
        req = ctl_bus_request(ctl->bus, ctl->arena);
        *ret = (struct tenant){.name = NULL};
        if (settingsd_project_suspend(ctl->bus->bus, &req, in, ret, err) == 0)
            return 0;
    } while (err->code == ERR_UNAVAILABLE && clock_mono_ms() - since < LOCK_TRIES_MS &&
             ctl_bus_retry(ctl->bus, since, err) == 0);
    return -1;
}

static const char *name_of(struct ctl *ctl, const struct tenant *tenant)
{
    return arena_strdup(ctl->arena,
                        tenant->tenantCode ? tenant->tenantCode : tenant->projectId.text);
}

int project_hold_end(struct ctl *ctl, struct tenant *tenant, struct error *err)
{
    const struct project_suspend_in open = {.tenantCode = name_of(ctl, tenant)};

    if (project_release(ctl, tenant->projectId, err) < 0)
        return -1;
    return project_hold_suspend(ctl, &open, tenant, err);
}

int project_hold_undo(struct ctl *ctl, const struct tenant *tenant, struct error *err)
{
    struct tenant opened = *tenant;
    struct error later;

    fiber_cancel_end(ctl->bus->loop); /* the next interruption also ends the undoing */
    error_init(&later, ctl->arena);
    if (project_hold_end(ctl, &opened, &later) < 0)
        return error_set(err, err->code,
                         "%s The project is read-only in some daemons: run the command again, or "
                         "`project suspend %s --resume`.",
                         err->message, name_of(ctl, tenant));
    return -1;
}

/* Waits for all calls, because a cancelled one could take effect after its undo. */
static int begin_without_interruption(struct ctl *ctl, struct tenant *tenant, bool *ret_begun,
                                      struct error *err)
{
    const struct project_suspend_in in = {.tenantCode = name_of(ctl, tenant), .readOnly = true};
    const struct tenant before = *tenant;
    int rc;

    ctl->bus->interruption_waits = true;
    rc = project_hold_suspend(ctl, &in, tenant, err);
    *ret_begun = (rc == 0 || err->code == ERR_UNCERTAIN) && !before.readOnly && !before.suspended;
    if (rc == 0)
        rc = hold_all(ctl, before.projectId, err);
    ctl->bus->interruption_waits = false;
    return rc == 0 && ctl->bus->interrupted ? error_set(err, ERR_UNAVAILABLE, "Interrupted.") : rc;
}

int project_hold_begin(struct ctl *ctl, struct tenant *tenant, bool *ret_begun, struct error *err)
{
    const struct tenant before = *tenant;
    bool begun;

    if (begin_without_interruption(ctl, tenant, &begun, err) < 0)
        return begun ? project_hold_undo(ctl, &before, err) : -1;
    *ret_begun = begun;
    return 0;
}
