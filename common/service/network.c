/* network.c - see network.h. */
#include "common/service/network.h"

/* Closed networks. Includes 6to4, NAT64 and Teredo, whose addresses contain IPv4 addresses that
 * would bypass the other rows. */
static const char *const closed[] = {
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
    NULL,
};

int network_rules_read(const char *key, const char *const *allowed, struct arena *arena,
                       struct network_rules *ret, struct error *err)
{
    if (address_networks_parse(key, allowed, arena, &ret->allowed, err) < 0)
        return -1;
    return address_networks_parse("closed networks", closed, arena, &ret->closed, err);
}

bool network_is_open(const struct network_rules *self, const struct address *address)
{
    return address_networks_have(&self->allowed, address) ||
           !address_networks_have(&self->closed, address);
}
