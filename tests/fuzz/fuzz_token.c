/*
 * fuzz_token.c - access tokens: without the key none is accepted, and signed ones only with valid
 * claims. Input: a token; or two lines, header and claims, to be signed.
 */
#include <string.h>

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>

#include "authd/session/key_api.h"
#include "common/base/secret.h"
#include "common/wire/codec.h"
#include "gateway/auth/token.h"
#include "tests/fuzz/fuzz.h"

enum { NOW_S = 1800000000, PEM_MAX = 512 };

/* Made once, because targets cannot keep it. */
static EVP_PKEY *signing_key;
static struct key_set *keys;

static void keys_make(void)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char pem[PEM_MAX] = "";
    struct public_key row = {.kid = "k1", .x = "x", .y = "y", .pem = pem};
    struct keys_get_out answer = {.issuer = "atrium", .audience = "api", .keys = {&row, 1}};
    struct error err;

    signing_key = EVP_EC_gen("P-256");
    FUZZ_REQUIRE(PEM_write_bio_PUBKEY(bio, signing_key) == 1);
    FUZZ_REQUIRE(BIO_read(bio, pem, PEM_MAX - 1) > 0);
    BIO_free(bio);
    error_init(&err, NULL);
    keys = key_set_new(&answer, &err);
    FUZZ_REQUIRE(keys);
}

static const char *signed_text(struct arena *arena, const char *text)
{
    uint8_t der[80], raw[64];
    const uint8_t *at = der;
    size_t size = sizeof(der);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    ECDSA_SIG *signature;

    FUZZ_REQUIRE(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, signing_key) == 1);
    FUZZ_REQUIRE(EVP_DigestSign(context, der, &size, (const uint8_t *)text, strlen(text)) == 1);
    EVP_MD_CTX_free(context);
    signature = d2i_ECDSA_SIG(NULL, &at, (long)size);
    BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32);
    ECDSA_SIG_free(signature);
    return arena_printf(arena, "%s.%s", text, secret_encode(arena, raw, sizeof(raw)));
}

static bool member_is(const json_t *object, const char *name, const char *want)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text && strcmp(text, want) == 0;
}

/* Checks a valid token's claims independently of the product's code. */
static void check_good(struct arena *arena, const char *header_text, const char *claims_text,
                       const char *token, const struct token *good)
{
    struct error err;
    json_t *header, *claims;
    char *forged = arena_strdup(arena, token);
    struct token ignored;

    error_init(&err, arena);
    header = codec_parse_json(header_text, strlen(header_text), true, &err);
    claims = codec_parse_json(claims_text, strlen(claims_text), true, &err);
    FUZZ_REQUIRE(member_is(header, "alg", "ES256") && member_is(header, "kid", "k1"));
    FUZZ_REQUIRE(!json_object_get(header, "crit") && !json_object_get(header, "jwk"));
    FUZZ_REQUIRE(member_is(claims, "iss", "atrium"));
    FUZZ_REQUIRE(member_is(claims, "aud", "api") || json_is_array(json_object_get(claims, "aud")));
    FUZZ_REQUIRE(json_integer_value(json_object_get(claims, "exp")) > NOW_S);
    FUZZ_REQUIRE(good->expires_ms == json_integer_value(json_object_get(claims, "exp")) * 1000);
    FUZZ_REQUIRE(uuid_is_set(&good->id) && uuid_is_set(&good->session));
    FUZZ_REQUIRE(uuid_is_set(&good->project) && uuid_is_set(&good->membership));
    json_decref(header);
    json_decref(claims);
    /* Changing any letter invalidates it. */
    forged[strlen(claims_text) % strlen(forged)] ^= 1;
    FUZZ_REQUIRE(token_verify(keys, forged, NOW_S * 1000LL, arena, &ignored) != TOKEN_GOOD);
}

int fuzz_token(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *first = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *second = fuzz_line(&data, &size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *input;
    struct token token;

    if (!keys)
        keys_make();
    FUZZ_REQUIRE(token_verify(keys, first, NOW_S * 1000LL, arena, &token) != TOKEN_GOOD);
    if (!*second)
        return 0;
    input = arena_printf(arena, "%s.%s", secret_encode(arena, first, strlen(first)),
                         secret_encode(arena, second, strlen(second)));
    input = signed_text(arena, input);
    if (token_verify(keys, input, NOW_S * 1000LL, arena, &token) == TOKEN_GOOD)
        check_good(arena, first, second, input, &token);
    return 0;
}
