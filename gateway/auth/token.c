/* token.c - see token.h. */
#include "gateway/auth/token.h"

#include "common/base/memory.h"
#include "common/domain/jwt.h"

static const struct key *header_key(const json_t *header, const struct key_set *keys,
                                    int64_t now_ms, enum token_status *ret_status)
{
    static const char *const refused[] = {"jku", "jwk", "x5u", "x5c"};
    const struct key *key;

    *ret_status = TOKEN_BAD;
    if (strcmp(jwt_text(header, "alg"), "ES256") != 0 || jwt_text(header, "kid")[0] == '\0')
        return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        if (json_object_get(header, refused[i]))
            return NULL;
    key = key_set_find(keys, jwt_text(header, "kid"), now_ms);
    if (!key)
        *ret_status = TOKEN_UNKNOWN_KEY;
    /* RFC 9068, section 4: ID tokens are signed with the same key, but aren't access tokens. */
    if (key && key->issuer && strcmp(jwt_text(header, "typ"), "at+jwt") != 0)
        return NULL;
    return key;
}

/* RFC 7519, section 4.1.3: "aud" is a text or an array. */
static bool audience_fits(const json_t *audience, const char *want)
{
    size_t index;
    const json_t *item;

    if (json_is_string(audience))
        return strcmp(json_string_value(audience), want) == 0;
    json_array_foreach(audience, index,
                       item) if (json_is_string(item) &&
                                 strcmp(json_string_value(item), want) == 0) return true;
    return false;
}

/* Accepts the API's own tokens, made by authd's token.c. */
static bool is_own(const json_t *claims, const struct key_set *keys)
{
    return strcmp(jwt_text(claims, "iss"), keys->issuer) == 0 &&
           audience_fits(json_object_get(claims, "aud"), keys->audience);
}

/* Accepts tokens of the issuer {public_url}/t/{tenantCode}, with the API as the only audience. */
static bool is_of_issuer(const json_t *claims, const struct key_set *keys)
{
    const char *issuer = jwt_text(claims, "iss");
    size_t length = strlen(keys->public_url);

    return length > 0 && strncmp(issuer, keys->public_url, length) == 0 &&
           strncmp(issuer + length, "/t/", 3) == 0 &&
           strcmp(jwt_text(claims, "aud"), keys->public_url) == 0;
}

/* RFC 7800, section 3.1: reject unknown confirmation methods. */
static int read_confirmation(const json_t *claims, struct token *ret)
{
    const json_t *confirmation = json_object_get(claims, "cnf");
    const char *jkt = jwt_text(confirmation, "jkt");

    ret->jkt[0] = '\0';
    if (!confirmation)
        return 0;
    if (strlen(jkt) != sizeof(ret->jkt) - 1)
        return -1;
    memcpy(ret->jkt, jkt, sizeof(ret->jkt));
    return 0;
}

static enum token_status claims_read(const json_t *claims, const struct key_set *keys, bool issuer,
                                     int64_t now_ms, struct token *ret)
{
    const json_t *expiry = json_object_get(claims, "exp");

    if (!(issuer ? is_of_issuer(claims, keys) : is_own(claims, keys)) || !json_is_integer(expiry) ||
        json_integer_value(expiry) <= 0 || json_integer_value(expiry) > INT64_MAX / 1000)
        return TOKEN_BAD;
    ret->is_key = false;
    ret->expires_ms = json_integer_value(expiry) * 1000;
    if (now_ms >= ret->expires_ms || read_confirmation(claims, ret) < 0 ||
        uuid_parse(jwt_text(claims, "jti"), &ret->id) < 0 ||
        uuid_parse(jwt_text(claims, "sid"), &ret->session) < 0 ||
        uuid_parse(jwt_text(claims, "prj"), &ret->project) < 0 ||
        uuid_parse(jwt_text(claims, "mem"), &ret->membership) < 0)
        return TOKEN_BAD;
    return TOKEN_GOOD;
}

enum token_status token_verify(const struct key_set *keys, const char *text, int64_t now_ms,
                               struct arena *arena, struct token *ret)
{
    static const char *const algorithms[] = {"ES256", NULL};
    enum token_status status = TOKEN_BAD;
    const struct key *key;
    struct jwt jwt;

    if (strnlen(text, TOKEN_SIZE_MAX + 1) > TOKEN_SIZE_MAX || jwt_read(text, arena, &jwt) < 0)
        return TOKEN_BAD;
    key = header_key(jwt.header, keys, now_ms, &status);
    if (key) {
        status = jwt_verify(&jwt, key->key, algorithms)
                     ? claims_read(jwt.claims, keys, key->issuer, now_ms, ret)
                     : TOKEN_BAD;
        ret->key_retires_ms = key->retire_at;
    }
    jwt_clear(&jwt);
    return status;
}

struct cache *token_cache_new(void)
{
    return cache_new(TOKEN_CACHE_MAX, free);
}

bool token_cache_get(struct cache *self, const char *text, int64_t now_ms, struct token *ret)
{
    struct cache_key key = cache_key_of(self, &text, 1);
    const struct token *token = cache_get(self, &key);

    if (!token || now_ms >= token->expires_ms ||
        (token->key_retires_ms != 0 && now_ms >= token->key_retires_ms))
        return false;
    *ret = *token;
    return true;
}

void token_cache_put(struct cache *self, const char *text, const struct token *token)
{
    struct cache_key key = cache_key_of(self, &text, 1);
    struct token *copy = memory_raw(sizeof(*copy));

    *copy = *token;
    cache_put(self, &key, copy);
}
