/*
 * address.h - whose request is it: the peer, or whom a trusted proxy names.
 */
#ifndef ATRIUM_GATEWAY_ADDRESS_H
#define ATRIUM_GATEWAY_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "common/arena.h"
#include "common/base.h"
#include "common/error.h"

enum { FORWARDED_MAX = 4 }; /* X-Forwarded-For headers looked at: the last ones */

struct address {
    uint8_t bytes[16]; /* IPv4 as ::ffff:a.b.c.d */
};
struct address_network {
    struct address address;
    unsigned prefix; /* of 128 bits */
};
struct address_networks {
    struct address_network *items;
    size_t count;
};

/* Text of either family to an address, "a.b.c.d:port" and "[v6]:port" included; -1 when it is none. */
int address_parse(const char *text, struct address *ret) MUST_USE;
void address_from_socket(const struct sockaddr *socket, struct address *ret);

/* Canonical text; an IPv4-mapped address as IPv4. */
void address_format(const struct address *self, char text[static INET6_ADDRSTRLEN]);

/* "10.0.0.0/8", "fd00::/8", "192.0.2.7". -1 with the bad entry named. `texts` is NULL-ended or NULL. */
int address_networks_parse(const char *const *texts, struct arena *arena,
                           struct address_networks *ret, struct error *err) MUST_USE;
bool address_networks_have(const struct address_networks *self, const struct address *address);

/* The client: the peer, unless it is trusted; then the right-most entry of X-Forwarded-For (`forwarded`, the
 * headers in order of appearance) that is not trusted. An entry that is no address ends the walk: the last
 * trusted hop is then all that is known. */
struct address address_client(const struct address_networks *trusted, const struct address *peer,
                              const char *const *forwarded, size_t count);

#endif
