/* address.h - finds a request's client: the peer, or the client that a trusted proxy names. */
#ifndef ATRIUM_GATEWAY_HTTP_ADDRESS_H
#define ATRIUM_GATEWAY_HTTP_ADDRESS_H

#include "common/base/address.h"
#include "common/base/arena.h"
#include "common/base/error.h"

enum { FORWARDED_MAX = 4 }; /* only the last headers are used */

/* Returns the peer unless it is trusted, otherwise the right-most untrusted entry of `forwarded`
 * (in order of appearance). A malformed entry ends the search at the last trusted hop. `standard`:
 * the header is Forwarded (RFC 7239, "for"), not X-Forwarded-For. */
struct address address_client(const struct address_networks *trusted, const struct address *peer,
                              bool standard, const char *const *forwarded, size_t count);

#endif
