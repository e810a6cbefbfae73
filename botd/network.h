/*
 * network.h - which addresses a project's URL may lead to: the public ones, and those that the operator allows.
 */
#ifndef ATRIUM_BOTD_NETWORK_H
#define ATRIUM_BOTD_NETWORK_H

#include "common/address.h"

/* False for what is not globally reachable: private, loopback, link-local, multicast, reserved and translated ranges
 * of both families (IANA special-purpose registries, RFC 6890), unless `allowed` has it. */
bool network_is_open(const struct address_networks *allowed, const struct address *address);

#endif
