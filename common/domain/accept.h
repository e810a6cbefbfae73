/*
 * accept.h - entries of Accept and Accept-Language (RFC 9110, section 12.5).
 */
#ifndef ATRIUM_COMMON_DOMAIN_ACCEPT_H
#define ATRIUM_COMMON_DOMAIN_ACCEPT_H

#include <stddef.h>

/* Returns the weight of an entry such as "de-CH;q=0.8" in thousandths (section 12.4.2); 0 if
 * malformed. */
int accept_weight(const char *entry, size_t length);

#endif
