/* address.h - IP addresses and networks of both families. */
#ifndef ATRIUM_COMMON_BASE_ADDRESS_H
#define ATRIUM_COMMON_BASE_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

struct address {
    uint8_t bytes[16]; /* IPv4: ::ffff:a.b.c.d */
};
struct address_network {
    struct address address;
    unsigned prefix; /* in bits */
};

/* Reads an address, also "a.b.c.d:port" and "[v6]:port". Returns -1 for other text. */
int address_parse(const char *text, struct address *ret) MUST_USE;
void address_from_socket(const struct sockaddr *socket, struct address *ret);

/* Writes the canonical text, an IPv4-mapped address as IPv4. */
void address_format(const struct address *self, char text[static INET6_ADDRSTRLEN]);

/* Reads "10.0.0.0/8", "fd00::/8" or "192.0.2.7" (RFC 4632, RFC 4291). Returns -1 for other text. */
int address_network_parse(const char *text, struct address_network *ret) MUST_USE;

/* Ignores bits after the prefix. An IPv4 address is only in IPv4 networks, never in ::/0. */
bool address_network_has(const struct address_network *self, const struct address *address);

struct address_networks {
    struct address_network *items;
    size_t count;
};

/* Reads the networks of configuration key `key`, which the error names. `texts` ends with NULL or
 * is NULL. */
int address_networks_parse(const char *key, const char *const *texts, struct arena *arena,
                           struct address_networks *ret, struct error *err) MUST_USE;
bool address_networks_have(const struct address_networks *self, const struct address *address);

/* The subjects that a client's limits count for. An IPv6 subscriber can rent a /48, so an IPv6
 * address counts as its /64 and, with ADDRESS_WIDE_FACTOR times the limit, as its /48. An IPv4
 * address counts as itself, also in ::ffff:0:0/96 and 64:ff9b::/96. */
enum {
    ADDRESS_SUBJECTS_MAX = 2,
    ADDRESS_WIDE_FACTOR = 8,
    ADDRESS_SUBJECT_SIZE = INET6_ADDRSTRLEN + 4
};

struct address_subject {
    struct address address;
    int64_t factor;                  /* multiplies a single client's limit */
    char text[ADDRESS_SUBJECT_SIZE]; /* "192.0.2.7", "2001:db8:0:1::/64" */
};
struct address_subjects {
    size_t count; /* narrowest subject first */
    struct address_subject items[ADDRESS_SUBJECTS_MAX];
};
void address_subjects(const struct address *address, struct address_subjects *ret);

/* Like address_subjects(), for the address in a text; a text that is no address is one subject. */
void address_subjects_of(const char *text, struct address_subjects *ret);

#endif
