/* instances.c - see instances.h. */
#include "ctl/suite/instances.h"

#include <string.h>

#include "common/base/clock.h"
#include "ctl/ctl_bus.h"

enum { WAIT_MS = 1000, POLL_MS = 5 };

const char *instances_up_time(struct arena *arena, int64_t ms)
{
    long long s = ms / 1000;

    if (s < 60)
        return arena_printf(arena, "%llds", s);
    if (s < 3600)
        return arena_printf(arena, "%lldm %llds", s / 60, s % 60);
    if (s < 86400)
        return arena_printf(arena, "%lldh %lldm", s / 3600, s / 60 % 60);
    return arena_printf(arena, "%lldd %lldh", s / 86400, s / 3600 % 24);
}

static void add(const struct ctl *ctl, const char *service, struct instances *list)
{
    const char **names = ctl_bus_instances(ctl->bus, service, ctl->arena);

    for (; *names && list->count < INSTANCES_SHOWN_MAX; names++)
        list->items[list->count++] =
            (struct instance){.service = service,
                              .instance = *names,
                              .name = arena_printf(ctl->arena, "%s.%s", service, *names)};
}

static bool is_connected(const struct ctl *ctl, const struct instance *instance)
{
    const char **peers = bus_peers(ctl->bus->bus, instance->service, ctl->arena);

    for (; *peers; peers++) {
        if (strcmp(*peers, instance->name) == 0)
            return true;
    }
    return false;
}

const struct instances *instances_find(struct ctl *ctl, struct error *err)
{
    struct instances *list = arena_alloc(ctl->arena, sizeof(*list));
    int64_t deadline = clock_mono_ms() + WAIT_MS;

    for (size_t i = 0; ctl_bus_services[i]; i++)
        add(ctl, ctl_bus_services[i], list);
    for (size_t i = 0; i < list->count; i++) {
        while (!(list->items[i].connected = is_connected(ctl, &list->items[i])) &&
               clock_mono_ms() < deadline) {
            if (fiber_sleep_until(ctl->bus->loop, clock_mono_ms() + POLL_MS, err) < 0)
                return NULL;
        }
    }
    return list;
}
