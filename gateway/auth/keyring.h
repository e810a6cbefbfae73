/* keyring.h - the key set in force, fetched from any authd. */
#ifndef ATRIUM_GATEWAY_AUTH_KEYRING_H
#define ATRIUM_GATEWAY_AUTH_KEYRING_H

#include "common/domain/request.h"
#include "common/runtime/flight.h"
#include "gateway/auth/keys.h"

struct gateway;

struct keyring {
    struct key_set *set; /* NULL until the first fetch */
    uint64_t changes;    /* announcements so far */
    uint64_t fetched;    /* `changes` before the fetch of `set` */
    int64_t tried_ms;    /* monotonic: of the last fetch */
    struct flight fetch; /* of the one set there is */
};

void keyring_init(struct keyring *self, struct loop *loop);

/* Has a key set as new as the last announcement; several fibers share a fetch (parks). Fails as
 * authd_keys_get(). */
int keyring_ensure(struct gateway *gateway, const struct request *req, struct error *err) MUST_USE;

/* A token names an unknown key: fetches again, at most once per second. */
int keyring_refetch(struct gateway *gateway, const struct request *req, struct error *err) MUST_USE;

/* The keys have changed: what was verified with the old set counts no more. */
void keyring_forget(struct gateway *gateway);

#endif
