/*
 * token.h - access tokens: JWT (RFC 7519) signed with ES256 (RFC 7518, section 3.4) and nothing
 * else.
 */
#ifndef ATRIUM_GATEWAY_AUTH_TOKEN_H
#define ATRIUM_GATEWAY_AUTH_TOKEN_H

#include "common/base/arena.h"
#include "common/base/uuid.h"
#include "gateway/auth/keys.h"

enum { TOKEN_SIZE_MAX = 4096, TOKEN_CACHE_MAX = 8192, TOKEN_JKT_SIZE = 44 };

/* A verified token; or an API key, with its id for the session and without membership. */
struct token {
    bool is_key;
    struct uuid id /* jti */, session /* sid */, project /* prj */, membership /* mem */;
    char jkt[TOKEN_JKT_SIZE]; /* thumbprint of the key that it is bound to (RFC 9449); "": none */
    int64_t expires_ms;       /* contract time */
    int64_t key_retires_ms;   /* contract time, 0: never */
};

enum token_status {
    TOKEN_GOOD,
    TOKEN_BAD,         /* malformed, forged, another algorithm, issuer or audience, or expired */
    TOKEN_UNKNOWN_KEY, /* well-formed, but of no key in the set: newer keys may know it */
};

/* Checks form, header, signature, issuer, audience and expiry. The signing key decides between a
 * token of the API and an issuer's access token (RFC 9068) for the API, a person's. Proof of
 * possession is not checked. Headers that name a key (jku, x5u, jwk, x5c) or extend the format
 * (crit) are refused. */
enum token_status token_verify(const struct key_set *keys, const char *text, int64_t now_ms,
                               struct arena *arena, struct token *ret) MUST_USE;

struct token_cache;
struct token_cache *token_cache_new(void);
void token_cache_destroy(struct token_cache **self_p);

/* True when this very text was verified before and neither it nor its key has expired since. */
bool token_cache_get(struct token_cache *self, const char *text, int64_t now_ms, struct token *ret);
void token_cache_put(struct token_cache *self, const char *text, const struct token *token);
void token_cache_clear(struct token_cache *self);

#endif
