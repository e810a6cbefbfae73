/* warm_up.c - lets requests wait while the gateway finds its daemons. */
#include "gateway/auth/warm_up.h"
#include "common/base/clock.h"
#include "gateway/gateway.h"

static bool is_warm(const struct gateway *gateway)
{
    for (const char *const *service = gateway->daemons; *service; service++)
        if (!bus_has_peer(gateway->service.bus, *service))
            return false;
    return lease_is_live(&gateway->lease);
}

void warm_up_start(struct gateway *gateway)
{
    gateway->warm_up.until_ms = clock_mono_ms() + WARM_UP_MS;
}

void warm_up_check(struct gateway *gateway)
{
    struct warm_up *self = &gateway->warm_up;

    if (self->over || (clock_mono_ms() < self->until_ms && !is_warm(gateway)))
        return;
    self->over = true;
    fiber_queue_wake_all(&self->waiters);
}

void warm_up_wait(struct gateway *gateway)
{
    struct warm_up *self = &gateway->warm_up;

    warm_up_check(gateway);
    if (!self->over)
        (void)!fiber_queue_wait(gateway->service.loop, &self->waiters, self->until_ms);
}
