/* address.h - IP addresses and networks of either family, in one form. */
#ifndef ATRIUM_COMMON_BASE_ADDRESS_H
#define ATRIUM_COMMON_BASE_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

struct address {
    uint8_t bytes[16]; /* IPv4 as ::ffff:a.b.c.d */
};
struct address_network {
    struct address address;
    unsigned prefix; /* of 128 bits */
};

/* Reads an address of either family, also "a.b.c.d:port" and "[v6]:port"; -1: it is none. */
int address_parse(const char *text, struct address *ret) MUST_USE;
void address_from_socket(const struct sockaddr *socket, struct address *ret);

/* Canonical text; an IPv4-mapped address as IPv4. */
void address_format(const struct address *self, char text[static INET6_ADDRSTRLEN]);

/* "10.0.0.0/8", "fd00::/8", "192.0.2.7" (RFC 4632, RFC 4291); -1 when it is none. */
int address_network_parse(const char *text, struct address_network *ret) MUST_USE;

/* Bits behind the prefix do not matter. IPv4 is in networks of its own only: not in ::/0. */
bool address_network_has(const struct address_network *self, const struct address *address);

struct address_networks {
    struct address_network *items;
    size_t count;
};

/* Reads the networks of the key `key`; `texts` is NULL-ended or NULL. -1 names the bad entry. */
int address_networks_parse(const char *key, const char *const *texts, struct arena *arena,
                           struct address_networks *ret, struct error *err) MUST_USE;
bool address_networks_have(const struct address_networks *self, const struct address *address);

/* What a client address counts as where clients are limited. An IPv6 subscriber can choose among
 * 2^64 addresses and rent a /48, so IPv6 counts as its /64 and, at ADDRESS_WIDE_FACTOR times the
 * limit, as its /48. IPv4 counts as itself, also in ::ffff:0:0/96 and 64:ff9b::/96 (RFC 6052). */
enum {
    ADDRESS_SUBJECTS_MAX = 2,
    ADDRESS_WIDE_FACTOR = 8,
    ADDRESS_SUBJECT_SIZE = INET6_ADDRSTRLEN + 4
};

struct address_subject {
    struct address address;          /* the network's first */
    int64_t factor;                  /* of the limit of a single client */
    char text[ADDRESS_SUBJECT_SIZE]; /* "192.0.2.7", "2001:db8:0:1::/64" */
};
struct address_subjects {
    size_t count; /* the narrowest comes first */
    struct address_subject items[ADDRESS_SUBJECTS_MAX];
};
void address_subjects(const struct address *address, struct address_subjects *ret);

/* The same for text; text that is no address is one subject by itself, cut to its size. */
void address_subjects_of(const char *text, struct address_subjects *ret);

#endif
