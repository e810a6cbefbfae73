/*
 * network.h - which addresses a project's URL may lead to: the public ones, and those that the
 * operator allows.
 */
#ifndef ATRIUM_COMMON_SERVICE_NETWORK_H
#define ATRIUM_COMMON_SERVICE_NETWORK_H

#include "common/base/address.h"

struct network_rules {
    struct address_networks allowed, closed;
};

/* Reads the networks that the operator allows under this `key` of the configuration, and the closed
 * ones once for all. As address_networks_parse(). */
int network_rules_read(const char *key, const char *const *allowed, struct arena *arena,
                       struct network_rules *ret, struct error *err) MUST_USE;

/* False for what is not globally reachable: private, loopback, link-local, multicast, reserved and
 * translated ranges of both families (IANA special-purpose registries, RFC 6890), unless it is
 * allowed. */
bool network_is_open(const struct network_rules *self, const struct address *address);

#endif
