/* changes.c - see changes.h. */
#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/base/clock.h"
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

/* Applies an announced change. When this returns, the bus acknowledges the announcement, and authd
 * answers its client. */
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

static int lease_renew(struct gateway *gateway, const struct request *req, struct error *err)
{
    struct lease *lease = &gateway->lease;
    bool was_live = lease_is_live(lease), more = true;
    int64_t sent_ms = 0;

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
    warm_up_check(gateway);
    return 0;
}

static int tick(void *daemon, const struct request *req, struct error *err)
{
    struct gateway *gateway = daemon;
    struct lease *lease = &gateway->lease;
    int result;

    if (lease_is_live(lease) && clock_mono_ms() - lease->renewed_ms < LEASE_RENEW_MS)
        return 0;
    /* readyz and bearer routes already report a missing authd. Don't log each tick. */
    if (lease->renewing || gateway->service.stopping ||
        !bus_has_peer(gateway->service.bus, "authd"))
        return 0;
    lease->renewing = true;
    result = lease_renew(gateway, req, err);
    lease->renewing = false;
    return result;
}

/* Prefetches keys, because authd may be down when a request needs them. */
static int fetch_keys(void *daemon, const struct request *req, struct error *err)
{
    struct gateway *gateway = daemon;

    if (lease_is_live(&gateway->lease) && !gateway->service.stopping &&
        keyring_ensure(gateway, req, err) < 0)
        error_clear(err);
    return 0;
}

static void renew_now(void *arg)
{
    struct gateway *gateway = arg;
    CLEANUP(service_request_destroy)
    struct request *req = service_request_new(&gateway->service, LEASE_RENEW_MS);
    struct error err;

    error_init(&err, req->arena);
    (void)!tick(gateway, req, &err);
}

static void on_presence(void *arg, const char *service)
{
    struct gateway *gateway = arg;
    struct error err;

    error_init(&err, NULL);
    warm_up_check(gateway);
    if (strcmp(service, "authd") == 0 && !gateway->service.stopping)
        (void)!fiber_start(gateway->service.loop, renew_now, gateway, &err);
}

void changes_start(struct gateway *gateway)
{
    struct lease *lease = &gateway->lease;

    lease->boot = uuid_random();
    snprintf(lease->gateway, sizeof(lease->gateway), "gateway.%s", gateway->service.instance);
    bus_on_announce(gateway->service.bus, "change", on_change, gateway);
    bus_on_presence(gateway->service.bus, on_presence, gateway);
    service_every(&gateway->service, "lease", LEASE_TICK_MS, tick);
    service_every(&gateway->service, "keys", LEASE_RENEW_MS, fetch_keys);
}

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
