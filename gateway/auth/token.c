/* token.c - verifies access tokens with keys parsed once, and remembers the verified ones. */
#include "gateway/auth/token.h"

#include <openssl/ecdsa.h>

#include "common/base/cache.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/secret.h"
#include "common/domain/jwt.h"
#include "common/wire/codec.h"

enum {
    PART_MAX = 3072,    /* decoded bytes of header or payload; TOKEN_SIZE_MAX of base64 */
    SIGNATURE_SIZE = 64 /* r and s of P-256, 32 bytes each */
};

/* The three parts of the compact form (RFC 7515, section 7.1); dots replaced by NUL. */
struct parts {
    char *header, *payload, *signature;
    size_t signed_size; /* header "." payload */
};

static int parts_split(const char *text, struct arena *arena, struct parts *ret)
{
    size_t size = strnlen(text, TOKEN_SIZE_MAX + 1);

    if (size > TOKEN_SIZE_MAX)
        return -1;
    ret->header = arena_strndup(arena, text, size);
    ret->payload = strchr(ret->header, '.');
    if (!ret->payload)
        return -1;
    *ret->payload++ = '\0';
    ret->signature = strchr(ret->payload, '.');
    if (!ret->signature)
        return -1;
    ret->signed_size = (size_t)(ret->signature - ret->header);
    *ret->signature++ = '\0';
    return strchr(ret->signature, '.') ? -1 : 0;
}

/* Decodes a part and parses it as a JSON object. New reference, or NULL. */
static json_t *part_json(const char *part, struct arena *arena)
{
    char *text = arena_alloc(arena, PART_MAX);
    struct error ignored;
    size_t size;

    error_init(&ignored, NULL);
    if (secret_decode(part, text, PART_MAX, &size) < 0)
        return NULL;
    return codec_parse_json(text, size, true, &ignored);
}

/* The key that signed, by the header; *ret_status says why there is none. */
static const struct key *header_key(const json_t *header, const struct key_set *keys,
                                    int64_t now_ms, enum token_status *ret_status)
{
    static const char *const refused[] = {"jku", "jwk", "x5u", "x5c", "crit", "b64"};
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
    /* RFC 9068, section 4: an ID token is by the same key. */
    if (key && key->issuer && strcmp(jwt_text(header, "typ"), "at+jwt") != 0)
        return NULL;
    return key;
}

/* JWS carries r and s as they are; OpenSSL wants them in DER. */
static int signature_to_der(const char *part, uint8_t **ret_der)
{
    uint8_t raw[SIGNATURE_SIZE];
    size_t size;
    ECDSA_SIG *signature;
    BIGNUM *r, *s;
    int length;

    if (secret_decode(part, raw, sizeof(raw), &size) < 0 || size != SIGNATURE_SIZE)
        return -1;
    signature = ECDSA_SIG_new();
    r = BN_bin2bn(raw, SIGNATURE_SIZE / 2, NULL);
    s = BN_bin2bn(raw + SIGNATURE_SIZE / 2, SIGNATURE_SIZE / 2, NULL);
    if (!signature || !r || !s)
        log_die("token", "out of memory");
    ECDSA_SIG_set0(signature, r, s);
    length = i2d_ECDSA_SIG(signature, ret_der);
    ECDSA_SIG_free(signature);
    return length;
}

static bool signature_fits(const struct key *key, const char *signature, const char *text,
                           size_t size)
{
    uint8_t *der = NULL;
    int der_size = signature_to_der(signature, &der);
    EVP_MD_CTX *context;
    bool fits;

    if (der_size <= 0)
        return false;
    context = EVP_MD_CTX_new();
    fits = context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key->key) == 1 &&
           EVP_DigestVerify(context, der, (size_t)der_size, (const uint8_t *)text, size) == 1;
    EVP_MD_CTX_free(context);
    OPENSSL_free(der);
    return fits;
}

/* "aud" is one text or an array of them (RFC 7519, section 4.1.3). */
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

/* One of the API itself: authd's token.c makes it. */
static bool is_own(const json_t *claims, const struct key_set *keys)
{
    return strcmp(jwt_text(claims, "iss"), keys->issuer) == 0 &&
           audience_fits(json_object_get(claims, "aud"), keys->audience);
}

/* One of an issuer, {public_url}/t/{tenantCode}, for the API alone. */
static bool is_of_issuer(const json_t *claims, const struct key_set *keys)
{
    const char *issuer = jwt_text(claims, "iss");
    size_t length = strlen(keys->public_url);

    return length > 0 && strncmp(issuer, keys->public_url, length) == 0 &&
           strncmp(issuer + length, "/t/", 3) == 0 &&
           strcmp(jwt_text(claims, "aud"), keys->public_url) == 0;
}

/* RFC 7800, section 3.1: a confirmation that is not understood refuses the token. */
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
    enum token_status status = TOKEN_BAD;
    const struct key *key;
    struct parts parts;
    json_t *header, *claims;

    if (parts_split(text, arena, &parts) < 0)
        return TOKEN_BAD;
    header = part_json(parts.header, arena);
    key = header_key(header, keys, now_ms, &status);
    json_decref(header);
    if (!key)
        return status;
    if (!signature_fits(key, parts.signature, text, parts.signed_size))
        return TOKEN_BAD;
    claims = part_json(parts.payload, arena);
    status = claims_read(claims, keys, key->issuer, now_ms, ret);
    ret->key_retires_ms = key->retire_at;
    json_decref(claims);
    return status;
}

struct token_cache {
    struct cache *cache;
};

struct token_cache *token_cache_new(void)
{
    struct token_cache *self = memory_new(sizeof(*self));

    self->cache = cache_new(TOKEN_CACHE_MAX, free);
    return self;
}

void token_cache_destroy(struct token_cache **self_p)
{
    if (*self_p) {
        cache_destroy(&(*self_p)->cache);
        free(*self_p);
        *self_p = NULL;
    }
}

bool token_cache_get(struct token_cache *self, const char *text, int64_t now_ms, struct token *ret)
{
    struct cache_key key = cache_key_of(self->cache, &text, 1);
    const struct token *token = cache_get(self->cache, &key);

    if (!token || now_ms >= token->expires_ms ||
        (token->key_retires_ms != 0 && now_ms >= token->key_retires_ms))
        return false;
    *ret = *token;
    return true;
}

void token_cache_put(struct token_cache *self, const char *text, const struct token *token)
{
    struct cache_key key = cache_key_of(self->cache, &text, 1);
    struct token *copy = memory_raw(sizeof(*copy));

    *copy = *token;
    cache_put(self->cache, &key, copy);
}

void token_cache_clear(struct token_cache *self)
{
    cache_remove_if(self->cache, NULL, NULL);
}
