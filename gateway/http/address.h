/* address.h - whose request is it: the peer, or whom a trusted proxy names. */
#ifndef ATRIUM_GATEWAY_HTTP_ADDRESS_H
#define ATRIUM_GATEWAY_HTTP_ADDRESS_H

#include "common/base/address.h"
#include "common/base/arena.h"
#include "common/base/error.h"

enum { FORWARDED_MAX = 4 }; /* headers looked at: the last ones */

/* The peer, unless trusted; then the right-most untrusted entry of `forwarded` (in order of
 * appearance). An entry that is no address ends the walk at the last trusted hop. `standard`:
 * Forwarded (RFC 7239, "for"), not X-Forwarded-For. */
struct address address_client(const struct address_networks *trusted, const struct address *peer,
                              bool standard, const char *const *forwarded, size_t count);

#endif
