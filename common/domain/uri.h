/*
 * uri.h - absolute URIs (RFC 3986) that an administrator registers: to which a browser may be sent
 * back, and which a daemon asks.
 *
 * The three checks are of the form field_check (common/wire/fields.h): 0, or -1 with what is wrong.
 */
#ifndef ATRIUM_COMMON_DOMAIN_URI_H
#define ATRIUM_COMMON_DOMAIN_URI_H

#include <stdbool.h>

/* An https URL of printable ASCII with a host, without user and fragment. */
int uri_https_check(const char *value, char why[static 96]);

/* A redirect URI (RFC 6749, section 3.1.2): https as above; http on the loopback interface
 * (RFC 8252, section 7.3: 127.0.0.1, [::1]; localhost too); or a private-use scheme with a dot in
 * it (RFC 8252, section 7.1). No fragment. */
int uri_redirect_check(const char *value, char why[static 96]);

/* What identifies a protected resource (RFC 8707, section 2): an absolute URI without fragment. */
int uri_resource_check(const char *value, char why[static 96]);

/* Whether a request's redirect URI is the registered one: the same bytes (RFC 9700, section 2.1),
 * but for the port where the registered one is http on the loopback interface (RFC 8252,
 * section 7.3). */
bool uri_redirect_matches(const char *registered, const char *given);

/* Whether an address is `base`, which ends without a slash, or below it. */
bool uri_is_below(const char *base, const char *address);

#endif
