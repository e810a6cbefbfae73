/*
 * resolver.h - host names to addresses, without the loop ever waiting for a name server.
 *
 * getaddrinfo() blocks, cannot be cancelled and takes ten seconds when a name server is silent:
 * lookups run on up to RESOLVER_THREADS_MAX threads. A fiber leaves at its deadline, the thread
 * ends later. A name is looked up once however many ask.
 *
 * An answer is used for RESOLVER_FRESH_MS, then looked up again; while no name server answers, the
 * old one is used for up to RESOLVER_STALE_MS (RFC 8767).
 */
#ifndef ATRIUM_COMMON_RUNTIME_RESOLVER_H
#define ATRIUM_COMMON_RUNTIME_RESOLVER_H

#include "common/base/address.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/runtime/loop.h"

enum {
    RESOLVER_ADDRESSES_MAX = 8,
    RESOLVER_NAME_MAX = 253, /* bytes (RFC 1035) */
    RESOLVER_THREADS_MAX = 8,
    RESOLVER_NAMES_MAX = 256, /* remembered, waiting or being looked up */
    RESOLVER_FRESH_MS = 30 * 1000,
    RESOLVER_STALE_MS = HOURS(1),
    RESOLVER_STALE_WAIT_MS = 500, /* for a new answer, when there is an old one */
    RESOLVER_FAILED_MS = 1000,    /* a failure is the answer for so long */
};

struct resolver_addresses {
    size_t count;
    struct address items[RESOLVER_ADDRESSES_MAX]; /* in the order of RFC 6724 */
};

enum resolver_state { RESOLVER_PENDING, RESOLVER_FOUND, RESOLVER_FAILED };

struct resolver;

struct resolver *resolver_new(struct loop *loop);

/* Threads that wait for a name server end by themselves. No fiber may be waiting. */
void resolver_destroy(struct resolver **self_p);

/* False for a numeric address of either family, also in brackets. */
bool resolver_is_name(const char *host);

/* "localhost" and names below it: always the loopback addresses, without a lookup (RFC 6761). */
bool resolver_is_localhost(const char *host);

/* Parks until the addresses of both families arrive. Fails: ERR_DEADLINE; ERR_UNAVAILABLE (no such
 * name, no answer, shutdown; see the detail); ERR_OVERLOADED (too many names). */
int resolver_resolve(struct resolver *self, const char *host, int64_t deadline_mono_ms,
                     struct resolver_addresses *ret, struct error *err) MUST_USE;

/* For the loop's stack: begins a lookup where needed. While RESOLVER_PENDING the loop turns at
 * news; a lookup queued past the last `wanted_until_ms` is dropped. RESOLVER_FAILED sets err. */
enum resolver_state resolver_poll(struct resolver *self, const char *host, int64_t wanted_until_ms,
                                  struct resolver_addresses *ret, struct error *err) MUST_USE;

/* For tests: other times than RESOLVER_FRESH_MS and RESOLVER_STALE_MS. */
void resolver_set_times(struct resolver *self, int64_t fresh_ms, int64_t stale_ms);

#endif
