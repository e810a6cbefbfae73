/* token.h - access tokens: JWT (RFC 7519), signed only with ES256 (RFC 7518, section 3.4). */
#ifndef ATRIUM_GATEWAY_AUTH_TOKEN_H
#define ATRIUM_GATEWAY_AUTH_TOKEN_H

#include "common/base/arena.h"
#include "common/base/cache.h"
#include "common/base/uuid.h"
#include "gateway/auth/keys.h"

enum { TOKEN_SIZE_MAX = 4096, TOKEN_CACHE_MAX = 8192, TOKEN_JKT_SIZE = 44 };

/* A verified token. For an API key, `session` is the key's id and `membership` is empty. */
struct token {
    bool is_key;
    struct uuid id /* jti */, session /* sid */, project /* prj */, membership /* mem */;
    char jkt[TOKEN_JKT_SIZE]; /* thumbprint of the DPoP key (RFC 9449); "": unbound */
    int64_t expires_ms;       /* contract time */
    int64_t key_retires_ms;   /* contract time, 0: never */
};

enum token_status {
    TOKEN_GOOD,
    TOKEN_BAD,         /* malformed, forged, expired, or wrong algorithm, issuer or audience */
    TOKEN_UNKNOWN_KEY, /* well-formed, but the key isn't in the set; a newer set may have it */
};

/* Checks form, header, signature, issuer, audience and expiry, but not the proof of possession. The
 * signing key decides what the token must be: one of the API's own, or an issuer's access token
 * (RFC 9068) of a person for the API. Headers that name a key (jku, x5u, jwk, x5c) or extend the
 * format (crit) are rejected. */
enum token_status token_verify(const struct key_set *keys, const char *text, int64_t now_ms,
                               struct arena *arena, struct token *ret) MUST_USE;

struct cache *token_cache_new(void);

/* True when this text was verified before and neither the token nor its key has expired. */
bool token_cache_get(struct cache *self, const char *text, int64_t now_ms, struct token *ret);
void token_cache_put(struct cache *self, const char *text, const struct token *token);

#endif
