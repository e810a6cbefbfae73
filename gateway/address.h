/*
 * address.h - whose request is it: the peer, or whom a trusted proxy names.
 */
#ifndef ATRIUM_GATEWAY_ADDRESS_H
#define ATRIUM_GATEWAY_ADDRESS_H

#include "common/address.h"
#include "common/arena.h"
#include "common/error.h"

enum { FORWARDED_MAX = 4 }; /* X-Forwarded-For headers looked at: the last ones */

struct address_networks {
    struct address_network *items;
    size_t count;
};

/* Networks as address_network_parse() reads them. -1 with the bad entry named. `texts` is NULL-ended or NULL. */
int address_networks_parse(const char *const *texts, struct arena *arena,
                           struct address_networks *ret, struct error *err) MUST_USE;
bool address_networks_have(const struct address_networks *self, const struct address *address);

/* The client: the peer, unless it is trusted; then the right-most entry of X-Forwarded-For (`forwarded`, the
 * headers in order of appearance) that is not trusted. An entry that is no address ends the walk: the last
 * trusted hop is then all that is known. */
struct address address_client(const struct address_networks *trusted, const struct address *peer,
                              const char *const *forwarded, size_t count);

#endif
