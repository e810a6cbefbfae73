/*
 * resolver.h - resolves host names without blocking the loop.
 *
 * getaddrinfo() blocks, cannot be cancelled and takes ten seconds with a silent name server, so
 * lookups run on up to RESOLVER_THREADS_MAX threads. A fiber leaves at its deadline; its thread
 * ends later. Callers that look up the same name at the same time share one lookup. An answer is
 * fresh for RESOLVER_FRESH_MS; while no name server answers, it is used for up to RESOLVER_STALE_MS
 * (RFC 8767).
 */
#ifndef ATRIUM_COMMON_RUNTIME_RESOLVER_H
#define ATRIUM_COMMON_RUNTIME_RESOLVER_H

#include "common/base/address.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/runtime/loop.h"

enum {
    RESOLVER_ADDRESSES_MAX = 8,
    RESOLVER_NAME_MAX = 253, /* RFC 1035 */
    RESOLVER_THREADS_MAX = 8,
    RESOLVER_NAMES_MAX = 256, /* names that are known or pending */
    RESOLVER_FRESH_MS = 30 * 1000,
    RESOLVER_STALE_MS = HOURS(1),
    RESOLVER_STALE_WAIT_MS = 500, /* wait for a new answer if there is an old one */
    RESOLVER_FAILED_MS = 1000,    /* how long a failure is the answer */
};

struct resolver_addresses {
    size_t count;
    struct address items[RESOLVER_ADDRESSES_MAX]; /* RFC 6724 order */
};

enum resolver_state { RESOLVER_PENDING, RESOLVER_FOUND, RESOLVER_FAILED };

struct resolver;

struct resolver *resolver_new(struct loop *loop);

/* Requires that no fiber waits. Threads that wait for a name server end later. */
void resolver_destroy(struct resolver **self_p);

/* False for numeric addresses, also in brackets. */
bool resolver_is_name(const char *host);

/* True for "localhost" and names below it, which are loopback (RFC 6761). */
bool resolver_is_localhost(const char *host);

/* Parks until addresses of both families arrive. Fails: ERR_DEADLINE; ERR_UNAVAILABLE (no such
 * name, no answer, shutdown); ERR_OVERLOADED (too many names). */
int resolver_resolve(struct resolver *self, const char *host, int64_t deadline_mono_ms,
                     struct resolver_addresses *ret, struct error *err) MUST_USE;

/* Polls on the loop's stack, and starts a lookup if needed. While RESOLVER_PENDING, an answer wakes
 * the loop; a lookup still queued after the last `wanted_until_ms` is dropped. RESOLVER_FAILED sets
 * err. */
enum resolver_state resolver_poll(struct resolver *self, const char *host, int64_t wanted_until_ms,
                                  struct resolver_addresses *ret, struct error *err) MUST_USE;

/* Sets other times for tests. */
void resolver_set_times(struct resolver *self, int64_t fresh_ms, int64_t stale_ms);

#endif
