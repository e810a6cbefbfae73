/*
 * changes.c - revocations and other changes, by lease and by announcement.  Started by gateway.c.
 */
#include <string.h>

#include "common/clock.h"
#include "gateway/gateway.h"

static void change_apply(struct gateway *gateway, const struct change *change)
{
    if (!change->kind)
        return;
    if (strcmp(change->kind, "session") == 0 && uuid_is_set(&change->id))
        revocations_add(gateway->revocations, &change->id, &change->token, change->until);
    else if (strcmp(change->kind, "keys") == 0)
        keyring_forget(gateway);
    else if (uuid_is_set(&change->id))
        identities_forget(gateway->identities, change->kind, &change->id);
}

/* The acknowledgement goes out when this returns: authd answers its client then. */
static void on_change(void *arg, const msgpack_object *body, struct arena *arena)
{
    struct gateway *gateway = arg;
    struct change change;
    struct error err;

    error_init(&err, arena);
    if (fields_unpack(&change_table, body, arena, &change, &err) < 0)
        log_event(LOG_WARNING, "changes", "announcement not understood", "detail", err.message,
                  NULL);
    else
        change_apply(gateway, &change);
}

void changes_start(struct gateway *gateway)
{
    struct lease *lease = &gateway->lease;

    lease->boot = uuid_random();
    snprintf(lease->gateway, sizeof(lease->gateway), "gateway.%s", gateway->service.instance);
    bus_on_announce(gateway->service.bus, "change", on_change, gateway);
}

bool lease_is_live(const struct lease *self)
{
    return clock_mono_ms() < self->valid_until_ms;
}

/* One question for changes; *ret_more: there are further ones. */
static int lease_ask(struct gateway *gateway, const struct request *req, bool *ret_more,
                     struct error *err)
{
    struct lease *lease = &gateway->lease;
    struct gateway_lease_in in = {lease->gateway, lease->boot.text, lease->since};
    struct gateway_lease_out out = {0};
    const struct change *changes;

    if (authd_gateway_lease(gateway->service.bus, req, &in, &out, err) < 0)
        return -1;
    changes = out.changes.items;
    for (size_t i = 0; i < out.changes.count; i++)
        change_apply(gateway, &changes[i]);
    lease->since = MAX(lease->since, out.sequence);
    *ret_more = out.more;
    return 0;
}

int changes_tick(void *daemon, const struct request *req, struct error *err)
{
    struct gateway *gateway = daemon;
    struct lease *lease = &gateway->lease;
    int64_t sent_ms = clock_mono_ms();
    bool was_live = lease_is_live(lease), more = true;

    if (was_live && sent_ms - lease->renewed_ms < LEASE_RENEW_MS)
        return 0;
    /* Nobody to ask: readyz and every bearer route say so; no line in the log for each tick. */
    if (!bus_has_peer(gateway->service.bus, "authd"))
        return 0;
    while (more) {
        sent_ms = clock_mono_ms();
        if (lease_ask(gateway, req, &more, err) < 0)
            return -1;
    }
    if (!was_live)
        identities_clear(gateway->identities);
    lease->renewed_ms = sent_ms;
    lease->valid_until_ms = sent_ms + LEASE_MS;
    revocations_sweep(gateway->revocations, clock_now_ms(gateway->service.clock));
    return 0;
}
