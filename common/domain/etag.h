/*
 * etag.h - entity tags in requests (RFC 9110, sections 8.8.3 and 13.1), and bound replacements.
 *
 * Weak tags count as their strong ones, in If-Match too: proxies weaken tags when they compress.
 */
#ifndef ATRIUM_COMMON_DOMAIN_ETAG_H
#define ATRIUM_COMMON_DOMAIN_ETAG_H

#include "common/base/error.h"

/* Does a header such as If-None-Match (a list of tags, or "*"; NULL: none) name this tag? */
bool etag_is_named(const char *header, const char *etag);

/* Is it "*", which names whatever is there? */
bool etag_is_any(const char *header);

/* Does the header If-Match (NULL: none) admit the state with this tag (NULL: there is no state)? */
bool etag_admits(const char *if_match, const char *etag);

/* The same for the request header ETag of older clients; the tag may stand alone and unquoted. */
bool etag_is_sent(const char *header, const char *etag);

/* Binds the replacement of a state read with `etag`, where If-Match names it: *ret is `etag`, or
 * NULL when any state will do. Fails: CONFLICT as etag_lost(). */
int etag_bind(const char *if_match, const char *etag, const char *what, const char **ret,
              struct error *err) MUST_USE;

/* Whether If-Match and then If-None-Match (RFC 9110, section 13.2.2) admit replacing the state with
 * this tag, or making one (NULL). Fails: CONFLICT, where the RFC has 412, as etag_lost() and
 * etag_exists(): a late write is 409 on all routes. */
int etag_check(const char *if_match, const char *if_none_match, const char *etag, const char *what,
               struct error *err) MUST_USE;

/* ERR_CONFLICT, "The <what> is there already." Always -1. */
int etag_exists(const char *what, struct error *err);

/* ERR_CONFLICT, "The <what> was changed meanwhile." Always -1. */
int etag_lost(const char *what, struct error *err);

#endif
