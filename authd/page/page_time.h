/*
 * page_time.h - a time as the reader of a page writes it.
 */
#ifndef ATRIUM_AUTHD_PAGE_PAGE_TIME_H
#define ATRIUM_AUTHD_PAGE_PAGE_TIME_H

#include "authd/page/page.h"

/* Returns date and time in UTC, without the zone: "31 January 2026, 09:30". English has the order
 * and the 12 hours of the United States if `accept` (Accept-Language, or NULL) names en-US before
 * any other English. */
const char *page_time(struct arena *arena, enum page_language language, const char *accept,
                      int64_t at_ms);

#endif
