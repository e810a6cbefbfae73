/*
 * resolver.h - host names to addresses, without the loop ever waiting for a name server.
 *
 * getaddrinfo() blocks, cannot be cancelled and takes ten seconds and more when a name server is
 * silent.  So each lookup runs on a thread of its own, of which there are RESOLVER_THREADS_MAX at
 * most; a fiber that waits for one leaves at its deadline, and the thread ends later by itself.  A
 * name is looked up once however many ask for it.
 *
 * A good answer is used for RESOLVER_FRESH_MS.  After that it is looked up again, and while no name
 * server answers, the old answer is used for up to RESOLVER_STALE_MS (RFC 8767).  Used by
 * curl_loop.c and by db_conn.c.
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

/* Prompt: threads that still wait for a name server end by themselves. No fiber may be waiting. */
void resolver_destroy(struct resolver **self_p);

/* False for a numeric address of either family, also in brackets. */
bool resolver_is_name(const char *host);

/* "localhost" and what is below it: always the loopback addresses, which no name server is asked
 * for (RFC 6761). */
bool resolver_is_localhost(const char *host);

/* The addresses of a name, of both families; parks until then. Fails: ERR_DEADLINE; ERR_UNAVAILABLE
 * (no such name, no answer, the loop stops; the detail says which); ERR_OVERLOADED (too many names
 * at once). */
int resolver_resolve(struct resolver *self, const char *host, int64_t deadline_mono_ms,
                     struct resolver_addresses *ret, struct error *err) MUST_USE;

/* The same for code that is not on a fiber: begins a lookup where one is needed and returns at
 * once. While it is RESOLVER_PENDING the loop turns when there is news; a lookup that is still
 * queued after the last `wanted_until_ms` is dropped. RESOLVER_FAILED sets err. */
enum resolver_state resolver_poll(struct resolver *self, const char *host, int64_t wanted_until_ms,
                                  struct resolver_addresses *ret, struct error *err) MUST_USE;

/* For tests: other times than RESOLVER_FRESH_MS and RESOLVER_STALE_MS. */
void resolver_set_times(struct resolver *self, int64_t fresh_ms, int64_t stale_ms);

#endif
