/* audit_address.c - see audit_address.h. */
#include "ctl/audit/audit_address.h"

#include <string.h>

#include "authd/authd_api.h"
#include "authd/trail/trail_api.h"
#include "common/service/audit_chain.h"
#include "ctl/ctl_bus.h"

static int open_page(struct ctl *ctl, struct arena *arena, const struct audit_sealed *sealed,
                     size_t count, const char **ret, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, arena);
    struct audit_sealed *page = arena_calloc(arena, count, sizeof(*page));
    struct operator_addresses_open_in in = {.addresses = {page, count}};
    struct operator_addresses_open_out out;

    memcpy(page, sealed, count * sizeof(*page));
    if (authd_operator_addresses_open(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    if (out.addresses.count != count)
        return error_set(err, ERR_INTERNAL, "authd decrypted %zu of %zu addresses",
                         out.addresses.count, count);
    for (size_t i = 0; i < count; i++)
        ret[i] = out.addresses.items[i];
    return 0;
}

int audit_addresses_open(struct ctl *ctl, struct arena *arena, const struct audit_sealed *sealed,
                         size_t count, const char **ret, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        ret[i] = NULL;
    if (count == 0 || !*ctl_bus_instances(ctl->bus, "authd", arena))
        return 0;
    if (ctl_bus_wait(ctl->bus, "authd", CTL_BUS_PEER_MS, err) < 0)
        return -1;
    for (size_t at = 0; at < count; at += ADDRESSES_OPEN_MAX)
        if (open_page(ctl, arena, sealed + at, MIN(count - at, (size_t)ADDRESSES_OPEN_MAX),
                      ret + at, err) < 0)
            return -1;
    return 0;
}

int audit_addresses_show(struct ctl *ctl, struct arena *arena, struct field_list *records,
                         struct error *err)
{
    struct audit_record *items = arena_calloc(arena, records->count + 1, sizeof(*items));
    struct audit_sealed *sealed = arena_calloc(arena, records->count + 1, sizeof(*sealed));
    const char **addresses = arena_calloc(arena, records->count + 1, sizeof(*addresses));
    size_t *of = arena_calloc(arena, records->count + 1, sizeof(*of)), count = 0;

    if (records->count > 0)
        memcpy(items, records->items, records->count * sizeof(*items));
    for (size_t i = 0; i < records->count; i++)
        if (audit_sealed_of(arena, items[i].event, &sealed[count]))
            of[count++] = i;
    if (audit_addresses_open(ctl, arena, sealed, count, addresses, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (addresses[i])
            items[of[i]].event = audit_address_show(arena, items[of[i]].event, addresses[i]);
    records->items = items;
    return 0;
}
