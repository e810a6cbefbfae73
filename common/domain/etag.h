/*
 * etag.h - entity tags in the headers of requests (RFC 9110, sections 8.8.3 and 13.1), and what a
 * replacement is bound to by them.
 *
 * Weak tags count as the strong ones that they are made from, in If-Match too: proxies weaken tags
 * when they compress.
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

/* The same as etag_is_named() of the request header ETag, which clients of older interfaces send
 * instead; there the tag may also stand alone and without its quotes. */
bool etag_is_sent(const char *header, const char *etag);

/* Binds the replacement of a state that was read with `etag` to it, where If-Match names it: *ret
 * is `etag` for the statement to compare, or NULL when any state will do (no If-Match, or "*").
 * Fails: CONFLICT as etag_lost(). */
int etag_bind(const char *if_match, const char *etag, const char *what, const char **ret,
              struct error *err) MUST_USE;

/* Do the headers If-Match and If-None-Match (NULL: none) admit that the state with this tag is
 * replaced, or, where it is NULL, that one is made? The second is looked at when the first holds
 * (RFC 9110, section 13.2.2). Fails: CONFLICT as etag_lost() and etag_exists(), since a write that
 * comes too late is 409 on all routes, where the RFC has 412. */
int etag_check(const char *if_match, const char *if_none_match, const char *etag, const char *what,
               struct error *err) MUST_USE;

/* Refuses to make what is there already: ERR_CONFLICT, "The <what> is there already." Always -1. */
int etag_exists(const char *what, struct error *err);

/* Refuses a replacement that is bound to another state: ERR_CONFLICT, "The <what> was changed
 * meanwhile." Always -1. */
int etag_lost(const char *what, struct error *err);

#endif
