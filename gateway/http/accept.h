/*
 * accept.h - whether a client wants a page or JSON. Pure.
 */
#ifndef ATRIUM_GATEWAY_HTTP_ACCEPT_H
#define ATRIUM_GATEWAY_HTTP_ACCEPT_H

#include "common/base/base.h"

/* Returns whether an Accept header (NULL: none) prefers text/html to application/json: a higher
 * weight, each type's taken from the most specific range that it matches (RFC 9110, section
 * 12.5.1). Programs that take anything get JSON. */
bool accept_prefers_html(const char *accept);

#endif
