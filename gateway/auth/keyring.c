/*
 * keyring.c - fetches the public keys when they are missing, announced as changed, or unknown to
 * us. Called by authenticate.c and jwks.c on fibers; keyring_forget() by changes.c.
 */
#include "authd/authd_api.h"
#include "common/base/clock.h"
#include "gateway/gateway.h"

enum { REFETCH_MS = 1000 };

/* Takes the fetched set over. Tokens that the old one verified stay verified unless something
 * differs. */
static void keyring_take(struct gateway *gateway, struct key_set *set, uint64_t changes)
{
    struct keyring *self = &gateway->keyring;

    if (!self->set || !key_set_equal(self->set, set))
        token_cache_clear(gateway->tokens);
    key_set_destroy(&self->set);
    self->set = set;
    self->fetched = changes;
}

static int keyring_fetch(struct gateway *gateway, const struct request *req, struct error *err)
{
    struct keyring *self = &gateway->keyring;
    uint64_t changes = self->changes;
    struct keys_get_out out = {0};
    struct key_set *set = NULL;

    self->fetching = true;
    self->tried_ms = clock_mono_ms();
    if (authd_keys_get(gateway->service.bus, req, &(struct nothing){0}, &out, err) == 0)
        set = key_set_new(&out, err);
    self->fetching = false;
    fiber_queue_wake_all(&self->waiters);
    if (!set)
        return -1;
    keyring_take(gateway, set, changes);
    return 0;
}

/* Waits for the fetch of another fiber. */
static int keyring_wait(struct gateway *gateway, const struct request *req, struct error *err)
{
    enum fiber_wake wake =
        fiber_queue_wait(gateway->service.loop, &gateway->keyring.waiters, req->deadline_mono_ms);

    if (wake == FIBER_WOKEN)
        return 0;
    return error_set(err, wake == FIBER_TIMEOUT ? ERR_DEADLINE : ERR_UNAVAILABLE, "%s", "");
}

int keyring_ensure(struct gateway *gateway, const struct request *req, struct error *err)
{
    struct keyring *self = &gateway->keyring;

    while (!self->set || self->fetched != self->changes) {
        int result =
            self->fetching ? keyring_wait(gateway, req, err) : keyring_fetch(gateway, req, err);

        if (result < 0)
            return -1;
    }
    return 0;
}

int keyring_refetch(struct gateway *gateway, const struct request *req, struct error *err)
{
    struct keyring *self = &gateway->keyring;

    if (self->fetching)
        return keyring_wait(gateway, req, err);
    if (clock_mono_ms() - self->tried_ms < REFETCH_MS)
        return 0;
    return keyring_fetch(gateway, req, err);
}

void keyring_forget(struct gateway *gateway)
{
    gateway->keyring.changes++;
    token_cache_clear(gateway->tokens);
}
