/*
 * single_use.h - ids that are valid once, across all instances: `jti` of assertions (RFC 7523,
 * section 3, item 7) and proofs (RFC 9449, section 11.1). The committed row decides races. Revoked
 * tokens count as spent (RFC 7009).
 */
#ifndef ATRIUM_AUTHD_OAUTH_SINGLE_USE_H
#define ATRIUM_AUTHD_OAUTH_SINGLE_USE_H

#include "authd/authd.h"

struct db_tx;
struct settings_view;

/* Spends a client's or key's id until expires_ms, contract time. *ret_first: it was unspent. tx:
 * the open transaction, or NULL. Parks. */
int single_use_spend(struct authd *d, struct db_tx *tx, const struct request *req, const char *kind,
                     const char *subject, const char *id, int64_t expires_ms, bool *ret_first,
                     struct error *err) MUST_USE;

/* Reports if the id is spent; compares the view. Parks. */
int single_use_is_spent(struct authd *d, const struct request *req, struct settings_view *view,
                        const char *kind, const char *subject, const char *id, bool *ret,
                        struct error *err) MUST_USE;

#endif
