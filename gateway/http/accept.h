/*
 * accept.h - does a client want a page or JSON?
 */
#ifndef ATRIUM_GATEWAY_HTTP_ACCEPT_H
#define ATRIUM_GATEWAY_HTTP_ACCEPT_H

#include "common/base/base.h"

/* True when text/html has a higher weight than application/json in the Accept header (NULL: none).
 * The most specific range decides (RFC 9110, section 12.5.1). If any type is accepted, JSON
 * wins. */
bool accept_prefers_html(const char *accept);

#endif
