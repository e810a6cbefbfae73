/* network.h - addresses that a project's URL can use: public ones, and those that the operator
 * allows. */
#ifndef ATRIUM_COMMON_SERVICE_NETWORK_H
#define ATRIUM_COMMON_SERVICE_NETWORK_H

#include "common/base/address.h"

struct network_rules {
    struct address_networks allowed, closed;
};

/* Reads allowed networks as address_networks_parse() does. */
int network_rules_read(const char *key, const char *const *allowed, struct arena *arena,
                       struct network_rules *ret, struct error *err) MUST_USE;

/* False for an address that is not globally reachable (IANA special-purpose registries, RFC 6890),
 * unless allowed. */
bool network_is_open(const struct network_rules *self, const struct address *address);

#endif
