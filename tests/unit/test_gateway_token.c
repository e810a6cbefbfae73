/*
 * test_gateway_token.c - access tokens: valid ones, and every known forgery.
 */
#include <stdlib.h>
#include <string.h>

#include <jwt.h>
#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>

#include "authd/session/key_api.h"
#include "common/base/secret.h"
#include "gateway/auth/token.h"
#include "tests/support/unit.h"

enum { NOW_S = 1800000000 };

static const char good_header[] = "{\"alg\":\"ES256\",\"kid\":\"k1\",\"typ\":\"JWT\"}";
static const char good_claims[] = "{\"iss\":\"atrium\",\"aud\":\"api\",\"exp\":1800000010,"
                                  "\"jti\":\"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\",\"sid\":"
                                  "\"6f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\","
                                  "\"prj\":\"7f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\",\"mem\":"
                                  "\"8f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\"}";

static struct arena *arena;
static EVP_PKEY *own_key, *other_key;
static struct key_set *keys;

static char *public_pem(EVP_PKEY *key)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *data, *text;
    long size;

    PEM_write_bio_PUBKEY(bio, key);
    size = BIO_get_mem_data(bio, &data);
    text = arena_strndup(arena, data, (size_t)size);
    BIO_free(bio);
    return text;
}

static struct key_set *set_of(EVP_PKEY *key, const char *kid, int64_t retire_at)
{
    struct public_key row = {
        .kid = kid, .x = "x", .y = "y", .pem = public_pem(key), .retireAt = retire_at};
    struct keys_get_out answer = {.issuer = "atrium", .audience = "api", .keys = {&row, 1}};
    struct error err;

    error_init(&err, NULL);
    return key_set_new(&answer, &err);
}

static struct key_set *set_with_issuers(const char *public_url)
{
    struct public_key own = {.kid = "k1", .x = "x", .y = "y", .pem = public_pem(own_key)};
    struct public_key issuers = {.kid = "i1", .pem = public_pem(other_key)};
    struct keys_get_out answer = {.issuer = "atrium",
                                  .audience = "api",
                                  .keys = {&own, 1},
                                  .issuerKeys = {&issuers, 1},
                                  .publicUrl = public_url};
    struct error err;

    error_init(&err, NULL);
    return key_set_new(&answer, &err);
}

static uint8_t *sign_der(EVP_PKEY *key, const char *text, size_t *ret_size)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t *der;

    EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key);
    EVP_DigestSign(context, NULL, ret_size, (const uint8_t *)text, strlen(text));
    der = arena_alloc(arena, *ret_size);
    EVP_DigestSign(context, der, ret_size, (const uint8_t *)text, strlen(text));
    EVP_MD_CTX_free(context);
    return der;
}

static char *sign_raw(EVP_PKEY *key, const char *text)
{
    size_t size;
    const uint8_t *der = sign_der(key, text, &size);
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)size);
    uint8_t raw[64];

    BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32);
    ECDSA_SIG_free(signature);
    return secret_encode(arena, raw, sizeof(raw));
}

static char *signing_input(const char *header, const char *claims)
{
    return arena_printf(arena, "%s.%s", secret_encode(arena, header, strlen(header)),
                        secret_encode(arena, claims, strlen(claims)));
}

static char *make(EVP_PKEY *key, const char *header, const char *claims)
{
    char *input = signing_input(header, claims);

    return arena_printf(arena, "%s.%s", input, sign_raw(key, input));
}

/* Makes a token with libjwt, which accepts only PEM (caller frees). */
static char *make_by_libjwt(EVP_PKEY *key, const char *kid, const char *claims)
{
    BIO *bio = BIO_new(BIO_s_mem());
    jwt_t *jwt = NULL;
    char *pem = NULL, *token;
    long size;

    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
    size = BIO_get_mem_data(bio, &pem);
    CU_ASSERT_EQUAL_FATAL(jwt_new(&jwt), 0);
    CU_ASSERT_EQUAL(jwt_add_header(jwt, "kid", kid), 0);
    CU_ASSERT_EQUAL(jwt_add_grants_json(jwt, claims), 0);
    CU_ASSERT_EQUAL(jwt_set_alg(jwt, JWT_ALG_ES256, (const unsigned char *)pem, (int)size), 0);
    token = jwt_encode_str(jwt);
    jwt_free(jwt);
    BIO_free(bio);
    return token;
}

static enum token_status verify(const char *text, struct token *ret)
{
    return token_verify(keys, text, NOW_S * 1000LL, arena, ret);
}

static void a_good_token_passes(void)
{
    struct token token;

    CU_ASSERT_EQUAL(verify(make(own_key, good_header, good_claims), &token), TOKEN_GOOD);
    CU_ASSERT_STRING_EQUAL(token.id.text, "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
    CU_ASSERT_STRING_EQUAL(token.session.text, "6f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
    CU_ASSERT_STRING_EQUAL(token.project.text, "7f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
    CU_ASSERT_STRING_EQUAL(token.membership.text, "8f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
    CU_ASSERT_EQUAL(token.expires_ms, 1800000010000);
}

static void a_token_that_libjwt_made_passes(void)
{
    char *own = make_by_libjwt(own_key, "k1", good_claims);
    char *other = make_by_libjwt(other_key, "k1", good_claims);
    struct token token;

    CU_ASSERT_PTR_NOT_NULL_FATAL(own);
    CU_ASSERT_PTR_NOT_NULL_FATAL(other);
    CU_ASSERT_EQUAL(verify(own, &token), TOKEN_GOOD);
    CU_ASSERT_STRING_EQUAL(token.session.text, "6f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
    CU_ASSERT_EQUAL(verify(other, &token), TOKEN_BAD);
    free(own);
    free(other);
}

#define IDS                                                                               \
    "\"jti\":\"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\",\"sid\":\"6f0c4a52-8c1e-4d8a-9b0e-" \
    "0e8f1c2d3a4b\","                                                                     \
    "\"prj\":\"7f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\",\"mem\":\"8f0c4a52-8c1e-4d8a-9b0e-" \
    "0e8f1c2d3a4b\""

static void headers_and_claims_are_checked(void)
{
    static const struct {
        const char *label, *header, *claims;
        enum token_status want;
    } rows[] = {
        {"alg none", "{\"alg\":\"none\",\"kid\":\"k1\"}", good_claims, TOKEN_BAD},
        {"alg HS256", "{\"alg\":\"HS256\",\"kid\":\"k1\"}", good_claims, TOKEN_BAD},
        {"alg es256", "{\"alg\":\"es256\",\"kid\":\"k1\"}", good_claims, TOKEN_BAD},
        {"no alg", "{\"kid\":\"k1\"}", good_claims, TOKEN_BAD},
        {"no kid", "{\"alg\":\"ES256\"}", good_claims, TOKEN_BAD},
        {"unknown kid", "{\"alg\":\"ES256\",\"kid\":\"k2\"}", good_claims, TOKEN_UNKNOWN_KEY},
        {"jku", "{\"alg\":\"ES256\",\"kid\":\"k1\",\"jku\":\"https://x\"}", good_claims, TOKEN_BAD},
        {"jwk", "{\"alg\":\"ES256\",\"kid\":\"k1\",\"jwk\":{}}", good_claims, TOKEN_BAD},
        {"x5u", "{\"alg\":\"ES256\",\"kid\":\"k1\",\"x5u\":\"https://x\"}", good_claims, TOKEN_BAD},
        {"crit", "{\"alg\":\"ES256\",\"kid\":\"k1\",\"crit\":[]}", good_claims, TOKEN_BAD},
        {"alg twice", "{\"alg\":\"none\",\"alg\":\"ES256\",\"kid\":\"k1\"}", good_claims,
         TOKEN_BAD},
        {"header no object", "[]", good_claims, TOKEN_BAD},
        {"header no JSON", "{", good_claims, TOKEN_BAD},
        {"claims no JSON", good_header, "{", TOKEN_BAD},
        {"other issuer", good_header, "{\"iss\":\"x\",\"aud\":\"api\",\"exp\":1800000010," IDS "}",
         TOKEN_BAD},
        {"other audience", good_header,
         "{\"iss\":\"atrium\",\"aud\":\"x\",\"exp\":1800000010," IDS "}", TOKEN_BAD},
        {"one audience of two", good_header,
         "{\"iss\":\"atrium\",\"aud\":[\"x\",\"api\"],\"exp\":1800000010," IDS "}", TOKEN_GOOD},
        {"no audience", good_header, "{\"iss\":\"atrium\",\"exp\":1800000010," IDS "}", TOKEN_BAD},
        {"expires now", good_header,
         "{\"iss\":\"atrium\",\"aud\":\"api\",\"exp\":1800000000," IDS "}", TOKEN_BAD},
        {"expires in a second", good_header,
         "{\"iss\":\"atrium\",\"aud\":\"api\",\"exp\":1800000001," IDS "}", TOKEN_GOOD},
        {"exp as text", good_header,
         "{\"iss\":\"atrium\",\"aud\":\"api\",\"exp\":\"1800000010\"," IDS "}", TOKEN_BAD},
        {"no exp", good_header, "{\"iss\":\"atrium\",\"aud\":\"api\"," IDS "}", TOKEN_BAD},
        {"huge exp", good_header,
         "{\"iss\":\"atrium\",\"aud\":\"api\",\"exp\":9223372036854775807," IDS "}", TOKEN_BAD},
        {"no ids", good_header, "{\"iss\":\"atrium\",\"aud\":\"api\",\"exp\":1800000010}",
         TOKEN_BAD},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct token token;

        UNIT_CHECK(verify(make(own_key, rows[i].header, rows[i].claims), &token) == rows[i].want,
                   "%s", rows[i].label);
    }
}

#define JKT "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
#define ISSUED(iss, aud, more) "{\"iss\":" iss ",\"aud\":" aud ",\"exp\":1800000010," more IDS "}"
#define ISSUER_CLAIMS ISSUED("\"https://id/t/demo\"", "\"https://id\"", "")

static void tokens_of_issuers_are_for_the_api_alone(void)
{
    static const char at[] = "{\"alg\":\"ES256\",\"kid\":\"i1\",\"typ\":\"at+jwt\"}";
    static const struct {
        const char *label, *header, *claims;
        enum token_status want;
    } rows[] = {
        {"as it should be", at, ISSUER_CLAIMS, TOKEN_GOOD},
        {"an ID token", "{\"alg\":\"ES256\",\"kid\":\"i1\",\"typ\":\"JWT\"}", ISSUER_CLAIMS,
         TOKEN_BAD},
        {"a logout token", "{\"alg\":\"ES256\",\"kid\":\"i1\",\"typ\":\"logout+jwt\"}",
         ISSUER_CLAIMS, TOKEN_BAD},
        {"no typ", "{\"alg\":\"ES256\",\"kid\":\"i1\"}", ISSUER_CLAIMS, TOKEN_BAD},
        {"for the issuer", at, ISSUED("\"https://id/t/demo\"", "\"https://id/t/demo\"", ""),
         TOKEN_BAD},
        {"for two", at, ISSUED("\"https://id/t/demo\"", "[\"https://id\",\"x\"]", ""), TOKEN_BAD},
        {"as of the API", at, good_claims, TOKEN_BAD},
        {"another host", at, ISSUED("\"https://id.x/t/demo\"", "\"https://id\"", ""), TOKEN_BAD},
        {"no tenant", at, ISSUED("\"https://id\"", "\"https://id\"", ""), TOKEN_BAD},
        {"bound", at,
         ISSUED("\"https://id/t/demo\"", "\"https://id\"", "\"cnf\":{\"jkt\":\"" JKT "\"},"),
         TOKEN_GOOD},
        {"bound to a certificate", at,
         ISSUED("\"https://id/t/demo\"", "\"https://id\"", "\"cnf\":{\"x5t#S256\":\"a\"},"),
         TOKEN_BAD},
        {"of a client", at,
         "{\"iss\":\"https://id/t/demo\",\"aud\":\"https://id\",\"exp\":1800000010,"
         "\"jti\":\"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\"}",
         TOKEN_BAD},
    };
    struct key_set *set = set_with_issuers("https://id"), *none = set_with_issuers(NULL);
    struct token token;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(token_verify(set, make(other_key, rows[i].header, rows[i].claims),
                                NOW_S * 1000LL, arena, &token) == rows[i].want,
                   "%s", rows[i].label);
    CU_ASSERT_EQUAL(token_verify(set, make(other_key, rows[9].header, rows[9].claims),
                                 NOW_S * 1000LL, arena, &token),
                    TOKEN_GOOD);
    CU_ASSERT_STRING_EQUAL(token.jkt, JKT);
    CU_ASSERT_EQUAL(token_verify(set, make(own_key, good_header, good_claims), NOW_S * 1000LL,
                                 arena, &token),
                    TOKEN_GOOD);
    CU_ASSERT_STRING_EQUAL(token.jkt, "");
    CU_ASSERT_EQUAL(token_verify(set, make(own_key, good_header, ISSUER_CLAIMS), NOW_S * 1000LL,
                                 arena, &token),
                    TOKEN_BAD);
    CU_ASSERT_EQUAL(token_verify(none, make(other_key, at, ISSUER_CLAIMS), NOW_S * 1000LL, arena,
                                 &token),
                    TOKEN_BAD);
    key_set_destroy(&none);
    key_set_destroy(&set);
}

static char *altered(const char *token, int part)
{
    char *copy = arena_strdup(arena, token), *at = copy;

    while (part-- > 0)
        at = strchr(at, '.') + 1;
    at[9] = at[9] == 'A' ? 'B' : 'A';
    return copy;
}

static void forgeries_are_refused(void)
{
    char *good = make(own_key, good_header, good_claims);
    char *input = signing_input(good_header, good_claims);
    char *long_text = arena_alloc(arena, 10241), *dot = strrchr(good, '.');
    size_t size;
    uint8_t *der = sign_der(own_key, input, &size), zero[64] = {0};
    struct {
        const char *label, *text;
    } rows[] = {
        {"empty", ""},
        {"one word", "abc"},
        {"two parts", arena_strndup(arena, good, (size_t)(dot - good))},
        {"no signature", arena_strndup(arena, good, (size_t)(dot - good) + 1)},
        {"four parts", arena_printf(arena, "%s.x", good)},
        {"dots", "..."},
        {"altered header", altered(good, 0)},
        {"altered claims", altered(good, 1)},
        {"altered signature", altered(good, 2)},
        {"truncated", arena_strndup(arena, good, strlen(good) - 5)},
        {"padded", arena_printf(arena, "%s==", good)},
        {"trailing space", arena_printf(arena, "%s ", good)},
        {"leading space", arena_printf(arena, " %s", good)},
        {"another key", make(other_key, good_header, good_claims)},
        {"DER signature", arena_printf(arena, "%s.%s", input, secret_encode(arena, der, size))},
        {"zero signature", arena_printf(arena, "%s.%s", input, secret_encode(arena, zero, 64))},
        {"10 KB", long_text},
        {"10 KB of header", arena_printf(arena, "%s.%s", long_text, good)},
    };

    memset(long_text, 'a', 10240);
    long_text[5000] = long_text[6000] = '.';
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct token token;

        UNIT_CHECK(verify(rows[i].text, &token) == TOKEN_BAD, "%s", rows[i].label);
    }
}

static void retired_keys_verify_nothing(void)
{
    struct key_set *set = set_of(own_key, "k1", NOW_S * 1000LL);
    char *text = make(own_key, good_header, good_claims);
    struct token token;

    CU_ASSERT_EQUAL(token_verify(set, text, NOW_S * 1000LL - 1, arena, &token), TOKEN_GOOD);
    CU_ASSERT_EQUAL(token_verify(set, text, NOW_S * 1000LL, arena, &token), TOKEN_UNKNOWN_KEY);
    key_set_destroy(&set);
}

static void verified_tokens_are_remembered(void)
{
    struct cache *cache = token_cache_new();
    char *text = make(own_key, good_header, good_claims);
    struct token token, found;

    CU_ASSERT_EQUAL(verify(text, &token), TOKEN_GOOD);
    CU_ASSERT_FALSE(token_cache_get(cache, text, NOW_S * 1000LL, &found));
    token_cache_put(cache, text, &token);
    CU_ASSERT_TRUE(token_cache_get(cache, text, NOW_S * 1000LL, &found));
    CU_ASSERT_TRUE(uuid_equal(&found.session, &token.session));
    CU_ASSERT_FALSE(token_cache_get(cache, altered(text, 2), NOW_S * 1000LL, &found));
    CU_ASSERT_FALSE(token_cache_get(cache, text, token.expires_ms, &found));
    token.key_retires_ms = NOW_S * 1000LL + 5;
    token_cache_put(cache, text, &token);
    CU_ASSERT_TRUE(token_cache_get(cache, text, NOW_S * 1000LL + 4, &found));
    CU_ASSERT_FALSE(token_cache_get(cache, text, NOW_S * 1000LL + 5, &found));
    cache_remove_if(cache, NULL, NULL);
    CU_ASSERT_FALSE(token_cache_get(cache, text, NOW_S * 1000LL, &found));
    cache_destroy(&cache);
}

static void only_p_256_keys_are_taken(void)
{
    EVP_PKEY *rsa = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048);
    EVP_PKEY *p384 = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-384");
    struct public_key row = {.kid = "k", .pem = "no PEM"};
    struct keys_get_out answer = {.issuer = "atrium", .audience = "api", .keys = {&row, 1}};
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT_PTR_NULL(set_of(rsa, "k", 0));
    CU_ASSERT_PTR_NULL(set_of(p384, "k", 0));
    CU_ASSERT_PTR_NULL(key_set_new(&answer, &err));
    EVP_PKEY_free(rsa);
    EVP_PKEY_free(p384);
}

static void the_jwk_set_names_the_live_keys(void)
{
    struct key_set *set = set_of(own_key, "k1", NOW_S * 1000LL);
    json_t *live = key_set_jwks(set, NOW_S * 1000LL - 1), *none = key_set_jwks(set, NOW_S * 1000LL);
    const json_t *key = json_array_get(json_object_get(live, "keys"), 0);

    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(key, "kty")), "EC");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(key, "kid")), "k1");
    CU_ASSERT_EQUAL(json_array_size(json_object_get(none, "keys")), 0);
    json_decref(live);
    json_decref(none);
    key_set_destroy(&set);
}

static void the_jwk_set_is_of_the_api_alone(void)
{
    struct key_set *set = set_with_issuers("https://id");
    json_t *jwks = key_set_jwks(set, 0);
    const json_t *all = json_object_get(jwks, "keys");

    CU_ASSERT_EQUAL(json_array_size(all), 1);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(json_array_get(all, 0), "kid")), "k1");
    json_decref(jwks);
    key_set_destroy(&set);
}

static void key_sets_are_compared(void)
{
    struct key_set *same = set_of(own_key, "k1", 0), *later = set_of(own_key, "k1", 7),
                   *other = set_of(other_key, "k1", 0);

    CU_ASSERT_TRUE(key_set_equal(keys, same));
    CU_ASSERT_FALSE(key_set_equal(keys, later));
    CU_ASSERT_FALSE(key_set_equal(keys, other));
    key_set_destroy(&same);
    key_set_destroy(&later);
    key_set_destroy(&other);
}

static const struct unit_case cases[] = {
    CASE(a_good_token_passes),
    CASE(a_token_that_libjwt_made_passes),
    CASE(headers_and_claims_are_checked),
    CASE(tokens_of_issuers_are_for_the_api_alone),
    CASE(forgeries_are_refused),
    CASE(retired_keys_verify_nothing),
    CASE(verified_tokens_are_remembered),
    CASE(only_p_256_keys_are_taken),
    CASE(the_jwk_set_names_the_live_keys),
    CASE(the_jwk_set_is_of_the_api_alone),
    CASE(key_sets_are_compared),
};

int main(void)
{
    int result;

    arena = arena_new();
    own_key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    other_key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    keys = set_of(own_key, "k1", 0);
    result = unit_run("gateway token", cases, ARRAY_SIZE(cases));
    key_set_destroy(&keys);
    EVP_PKEY_free(own_key);
    EVP_PKEY_free(other_key);
    arena_destroy(&arena);
    return result;
}
