/*
 * address.h - whose request is it: the peer, or whom a trusted proxy names.
 */
#ifndef ATRIUM_GATEWAY_HTTP_ADDRESS_H
#define ATRIUM_GATEWAY_HTTP_ADDRESS_H

#include "common/base/address.h"
#include "common/base/arena.h"
#include "common/base/error.h"

enum { FORWARDED_MAX = 4 }; /* headers looked at: the last ones */

/* The client: the peer, unless it is trusted; then the right-most entry of `forwarded` (the headers
 * in order of appearance) that is not trusted. An entry that is no address ends the walk: the last
 * trusted hop is then all that is known. `standard`: the headers are Forwarded (RFC 7239), of whose
 * entries the parameter "for" counts, and not X-Forwarded-For. */
struct address address_client(const struct address_networks *trusted, const struct address *peer,
                              bool standard, const char *const *forwarded, size_t count);

#endif
