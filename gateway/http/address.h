/* address.h - the client of a request, who can be behind trusted proxies. */
#ifndef ATRIUM_GATEWAY_HTTP_ADDRESS_H
#define ATRIUM_GATEWAY_HTTP_ADDRESS_H

#include "common/base/address.h"
#include "common/base/arena.h"
#include "common/base/error.h"

enum { FORWARDED_MAX = 4 }; /* earlier headers are ignored */

/* Returns the right-most untrusted entry of `forwarded` (in order of appearance) if the peer is
 * trusted, otherwise the peer. A malformed entry ends the search at the last trusted hop.
 * `standard`: the header is Forwarded (RFC 7239), not X-Forwarded-For. */
struct address address_client(const struct address_networks *trusted, const struct address *peer,
                              bool standard, const char *const *forwarded, size_t count);

#endif
