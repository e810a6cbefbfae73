/*
 * etag.h - entity tags in requests (RFC 9110, sections 8.8.3 and 13.1).
 *
 * Weak tags match strong ones, in If-Match too, since proxies weaken tags when they compress.
 */
#ifndef ATRIUM_COMMON_DOMAIN_ETAG_H
#define ATRIUM_COMMON_DOMAIN_ETAG_H

#include "common/base/error.h"

/* True if a header such as If-None-Match (tags or "*"; NULL: none) has this tag. */
bool etag_is_named(const char *header, const char *etag);

bool etag_is_any(const char *header);

/* True if If-Match (NULL: none) admits the state with this tag (NULL: no state). */
bool etag_admits(const char *if_match, const char *etag);

/* True if the header ETag, which older clients send instead of If-Match, names this tag, also
 * without quotes. */
bool etag_is_sent(const char *header, const char *etag);

/* Sets *ret to `etag` if If-Match requires that state, otherwise to NULL. Fails with
 * etag_lost(). */
int etag_bind(const char *if_match, const char *etag, const char *what, const char **ret,
              struct error *err) MUST_USE;

/* Checks If-Match, then If-None-Match (RFC 9110, section 13.2.2), before a state that has this tag
 * is replaced; NULL: it is created. Fails with etag_lost() or etag_exists(): CONFLICT instead of
 * the RFC's 412, because a late write is 409 on all routes. */
int etag_check(const char *if_match, const char *if_none_match, const char *etag, const char *what,
               struct error *err) MUST_USE;

/* Fails with CONFLICT, "The <what> is there already." */
int etag_exists(const char *what, struct error *err);

/* Fails with CONFLICT, "The <what> was changed meanwhile." */
int etag_lost(const char *what, struct error *err);

#endif
