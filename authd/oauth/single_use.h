/*
 * single_use.h - ids that may be used once: `jti` of assertions (RFC 7523, section 3, item 7) and
 * of proofs (RFC 9449, section 11.1). All instances share them; a row that PostgreSQL has committed
 * decides races. What was revoked before its time is spent, too (RFC 7009).
 */
#ifndef ATRIUM_AUTHD_OAUTH_SINGLE_USE_H
#define ATRIUM_AUTHD_OAUTH_SINGLE_USE_H

#include "authd/authd.h"

struct settings_view; /* settings_cache.h */

/* Spends the id of a subject (a client, a key). *ret_first: it was not spent before; it is
 * remembered until expires_ms, contract time, when what bore it counts no more. Parks. */
int single_use_spend(struct authd *d, const struct request *req, const char *kind,
                     const char *subject, const char *id, int64_t expires_ms, bool *ret_first,
                     struct error *err) MUST_USE;

/* Whether that id was spent; compares the view. Parks. */
int single_use_is_spent(struct authd *d, const struct request *req, struct settings_view *view,
                        const char *kind, const char *subject, const char *id, bool *ret,
                        struct error *err) MUST_USE;

#endif
