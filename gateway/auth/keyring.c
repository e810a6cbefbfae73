/* keyring.c - see keyring.h. */
#include "authd/authd_api.h"
#include "authd/session/key_api.h"
#include "common/base/clock.h"
#include "gateway/gateway.h"

enum { REFETCH_MS = 1000 };

static const char fetch_key[] = "";

void keyring_init(struct keyring *self, struct loop *loop)
{
    flight_init(&self->fetch, loop);
}

/* Replaces the key set. If the keys are the same, verified tokens stay cached. */
static void keyring_replace(struct gateway *gateway, struct key_set *set, uint64_t changes)
{
    struct keyring *self = &gateway->keyring;

    if (!self->set || !key_set_equal(self->set, set))
        cache_remove_if(gateway->tokens, NULL, NULL);
    key_set_destroy(&self->set);
    self->set = set;
    self->fetched = changes;
}

/* Fetches the keys. The leader's failure isn't passed on, so waiters check the key set
 * themselves. */
static int keyring_fetch(struct gateway *gateway, const struct request *req, struct error *err)
{
    struct keyring *self = &gateway->keyring;
    uint64_t changes = self->changes;
    struct keys_get_out out = {0};
    struct key_set *set = NULL;
    struct flight_call call;
    int rc = flight_begin(&self->fetch, fetch_key, req->deadline_mono_ms, &call, err);

    if (rc != FLIGHT_LEADS)
        return rc;
    self->tried_ms = clock_mono_ms();
    if (authd_keys_get(gateway->service.bus, req, &(struct nothing){0}, &out, err) == 0)
        set = key_set_new(&out, err);
    if (set)
        keyring_replace(gateway, set, changes);
    flight_end(&call, 0, NULL);
    return set ? 0 : -1;
}

int keyring_ensure(struct gateway *gateway, const struct request *req, struct error *err)
{
    struct keyring *self = &gateway->keyring;

    while (!self->set || self->fetched != self->changes)
        if (keyring_fetch(gateway, req, err) < 0)
            return -1;
    return 0;
}

int keyring_refetch(struct gateway *gateway, const struct request *req, struct error *err)
{
    struct keyring *self = &gateway->keyring;

    if (!flight_find(&self->fetch, fetch_key) && clock_mono_ms() - self->tried_ms < REFETCH_MS)
        return 0;
    return keyring_fetch(gateway, req, err);
}

void keyring_forget(struct gateway *gateway)
{
    gateway->keyring.changes++;
    cache_remove_if(gateway->tokens, NULL, NULL);
}
