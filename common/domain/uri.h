/*
 * uri.h - absolute URIs (RFC 3986) that administrators, operators and clients write.
 *
 * Checks are of the form field_check (common/wire/fields.h), for new values only: what was stored
 * before they became stricter is read without them.
 */
#ifndef ATRIUM_COMMON_DOMAIN_URI_H
#define ATRIUM_COMMON_DOMAIN_URI_H

#include <stdbool.h>
#include <stddef.h>

enum uri_host { URI_NAME, URI_IPV4, URI_IPV6 };

struct uri {
    bool secure; /* https */
    bool has_user, has_port, has_query, has_fragment;
    enum uri_host kind;
    const char *host; /* an IPv6 address with its brackets */
    size_t host_length;
    long port;        /* of the scheme where none is written */
    const char *rest; /* behind host and port: path, query and fragment */
};

/* Parses an http or https URL of printable ASCII, scheme in any case. false: no IPv4, [IPv6] or
 * host name (RFC 1123, section 2.1, and "_"), no port from 1 to 65535, or a character that no URI
 * has. */
bool uri_parse(const char *text, struct uri *ret);

/* Whether such a URL is an origin, "https://host[:port]", and nothing more. */
bool uri_is_origin(const char *text);

/* Whether scheme, host and port are the same (RFC 6454, section 5). */
bool uri_same_origin(const struct uri *self, const struct uri *other);

/* Whether the host is 127.0.0.1, [::1] or localhost. */
bool uri_is_loopback(const struct uri *self);

/* What follows "http://" or "https://", in small or capital letters; NULL: another scheme. */
const char *uri_after_http(const char *text, bool *ret_secure);

/* A scheme (RFC 3986, section 3.1) and its colon, as a number of bytes; 0: there is none. */
size_t uri_scheme_length(const char *text);

/* An https URL with a host that is no public suffix ("co.uk"), without user and fragment. */
int uri_https_check(const char *value, char why[static 96]);

/* A redirect URI (RFC 6749, section 3.1.2) without fragment: https as above; http on loopback (RFC
 * 8252, section 7.3) or localhost; or a private-use scheme with a dot (section 7.1). */
int uri_redirect_check(const char *value, char why[static 96]);

/* An application's URL: http or https, a host that is no public suffix, no user. */
int uri_app_check(const char *value, char why[static 96]);

/* What identifies a protected resource (RFC 8707, section 2): an absolute URI without fragment. */
int uri_resource_check(const char *value, char why[static 96]);

/* Whether it is the registered redirect URI: the same bytes (RFC 9700, section 2.1), but for the
 * port of http on the loopback interface (RFC 8252, section 7.3). */
bool uri_redirect_matches(const char *registered, const char *given);

/* Whether an address has the origin of `base` (no final slash), and its path or one below. */
bool uri_is_below(const char *base, const char *address);

#endif
