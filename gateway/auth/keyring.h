/* keyring.h - the current key set, fetched from any authd. */
#ifndef ATRIUM_GATEWAY_AUTH_KEYRING_H
#define ATRIUM_GATEWAY_AUTH_KEYRING_H

#include "common/domain/request.h"
#include "common/runtime/flight.h"
#include "gateway/auth/keys.h"

struct gateway;

struct keyring {
    struct key_set *set; /* NULL until the first fetch */
    uint64_t changes;    /* number of announcements received */
    uint64_t fetched;    /* `changes` before the fetch of `set` */
    int64_t tried_ms;    /* monotonic time of the last fetch */
    struct flight fetch;
};

void keyring_init(struct keyring *self, struct loop *loop);

/* Makes sure that the key set is as new as the last announcement. Fibers share a fetch. Parks. */
int keyring_ensure(struct gateway *gateway, const struct request *req, struct error *err) MUST_USE;

/* Fetches again because a token names an unknown key, at most once per second. Parks. */
int keyring_refetch(struct gateway *gateway, const struct request *req, struct error *err) MUST_USE;

/* Marks the key set as outdated and drops all verified tokens. */
void keyring_forget(struct gateway *gateway);

#endif
