/* keyring.h - the current key set, fetched from any authd. */
#ifndef ATRIUM_GATEWAY_AUTH_KEYRING_H
#define ATRIUM_GATEWAY_AUTH_KEYRING_H

#include "common/domain/request.h"
#include "common/runtime/flight.h"
#include "gateway/auth/keys.h"

struct gateway;

struct keyring {
    struct key_set *set;
    uint64_t changes; /* number of announcements of changed keys */
    uint64_t fetched; /* value of `changes` before `set` was fetched */
    int64_t tried_ms; /* last fetch, monotonic */
    struct flight fetch;
};

void keyring_init(struct keyring *self, struct loop *loop);

/* Fetches keys newer than the last announcement, once for all waiting fibers. Parks. */
int keyring_ensure(struct gateway *gateway, const struct request *req, struct error *err) MUST_USE;

/* Fetches keys for a token with an unknown key, at most once per second. Parks. */
int keyring_refetch(struct gateway *gateway, const struct request *req, struct error *err) MUST_USE;

/* Drops the keys and all verified tokens. */
void keyring_forget(struct gateway *gateway);

#endif
