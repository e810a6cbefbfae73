/* audit_page.c - see audit_page.h. */
#include "ctl/audit/audit_page.h"

#include "ctl/ctl_bus.h"

int audit_page_fetch(struct ctl *ctl, const char *service, const struct audit_page_in *in,
                     struct arena *arena, struct audit_page_out *ret, struct error *err)
{
    const struct bus_method method = audit_page_method(service);
    struct request req = ctl_bus_request(ctl->bus, arena);

    *ret = (struct audit_page_out){.kept = false};
    return bus_call(ctl->bus->bus, &method, &req, in, ret, err);
}
