/* token.h - access tokens: JWTs (RFC 7519), only signed with ES256 (RFC 7518, section 3.4). */
#ifndef ATRIUM_GATEWAY_AUTH_TOKEN_H
#define ATRIUM_GATEWAY_AUTH_TOKEN_H

#include "common/base/arena.h"
#include "common/base/cache.h"
#include "common/base/uuid.h"
#include "gateway/auth/keys.h"

enum { TOKEN_SIZE_MAX = 4096, TOKEN_CACHE_MAX = 8192, TOKEN_JKT_SIZE = 44 };

/* An API key's token has the key's id as session and no membership. */
struct token {
    bool is_key;
    struct uuid id /* jti */, session /* sid */, project /* prj */, membership /* mem */;
    char jkt[TOKEN_JKT_SIZE]; /* thumbprint of the bound key (RFC 9449) or "" */
    int64_t expires_ms;       /* contract time */
    int64_t key_retires_ms;   /* contract time, 0: never */
};

enum token_status {
    TOKEN_GOOD,
    TOKEN_BAD,
    TOKEN_UNKNOWN_KEY, /* well-formed, but signed with a key that isn't in the set */
};

/* Checks everything except the proof of possession. A token is either the API's own or an issuer's
 * access token (RFC 9068) for the API; its key decides which. Headers that name a key (jku, x5u,
 * jwk, x5c) or extend the format (crit) are rejected. */
enum token_status token_verify(const struct key_set *keys, const char *text, int64_t now_ms,
                               struct arena *arena, struct token *ret) MUST_USE;

struct cache *token_cache_new(void);

/* Finds a verified token, unless the token or its key has expired. */
bool token_cache_get(struct cache *self, const char *text, int64_t now_ms, struct token *ret);
void token_cache_put(struct cache *self, const char *text, const struct token *token);

#endif
