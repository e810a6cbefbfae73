/*
 * uri.h - absolute URIs (RFC 3986) from administrators, operators and clients.
 *
 * Checks are for new values only; values stored before a check became stricter stay valid.
 */
#ifndef ATRIUM_COMMON_DOMAIN_URI_H
#define ATRIUM_COMMON_DOMAIN_URI_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"

enum uri_host { URI_NAME, URI_IPV4, URI_IPV6 };

struct uri {
    bool secure;
    bool has_user, has_port, has_query, has_fragment;
    enum uri_host kind;
    const char *host; /* IPv6 in brackets */
    size_t host_length;
    long port; /* if not given, the scheme's default */
    const char *rest;
};

/* Parses an http or https URL of printable ASCII: IPv4 address, [IPv6] or host name (RFC 1123,
 * section 2.1, and "_"), port 1 to 65535. */
bool uri_parse(const char *text, struct uri *ret);

bool uri_is_origin(const char *text);

/* RFC 6454, section 5. */
bool uri_same_origin(const struct uri *self, const struct uri *other);
bool uri_is_loopback(const struct uri *self);

/* Returns the text after "http://" or "https://" in any case, or NULL. */
const char *uri_after_http(const char *text, bool *ret_secure);

/* Returns the length with the colon (RFC 3986, section 3.1), or 0 without a scheme. */
size_t uri_scheme_length(const char *text);

/* Accepts https with a host that is no public suffix ("co.uk"), without user or fragment. */
int uri_https_check(const char *value, char why[static 96]);

/* Accepts the same, and http on loopback or localhost. */
int uri_receiver_check(const char *value, char why[static 96]);

/* Accepts a redirect URI (RFC 6749, section 3.1.2) without fragment: https as above; http on
 * loopback (RFC 8252, section 7.3) or localhost; or a private-use scheme with a dot (section
 * 7.1). */
int uri_redirect_check(const char *value, char why[static 96]);

/* Accepts http or https with a host that is no public suffix, without user. */
int uri_app_check(const char *value, char why[static 96]);

/* Accepts a protected resource's identifier (RFC 8707, section 2): an absolute URI without
 * fragment. */
int uri_resource_check(const char *value, char why[static 96]);

/* Compares bytes (RFC 9700, section 2.1), but ignores the port of http on loopback (RFC 8252,
 * section 7.3). */
bool uri_redirect_matches(const char *registered, const char *given);

/* True if `address` has `base`'s origin and its path or one below; `base` has no final slash. */
bool uri_is_below(const char *base, const char *address);

/* Returns the text with all but unreserved characters encoded (section 2.1). */
const char *uri_encode(struct arena *arena, const char *text);

/* Adds an encoded parameter to the query, unless value is NULL. From the arena. */
const char *uri_add(struct arena *arena, const char *url, const char *name, const char *value);

#endif
