/*
 * network.h - which addresses a project's URL may lead to: public ones, and what operators allow.
 */
#ifndef ATRIUM_COMMON_SERVICE_NETWORK_H
#define ATRIUM_COMMON_SERVICE_NETWORK_H

#include "common/base/address.h"

struct network_rules {
    struct address_networks allowed, closed;
};

/* Reads the networks allowed by the key `key`, as address_networks_parse(). */
int network_rules_read(const char *key, const char *const *allowed, struct arena *arena,
                       struct network_rules *ret, struct error *err) MUST_USE;

/* False for what is not globally reachable (IANA special-purpose registries, RFC 6890), unless it
 * is allowed. */
bool network_is_open(const struct network_rules *self, const struct address *address);

#endif
