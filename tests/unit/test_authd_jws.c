/*
 * test_authd_jws.c - issuers' keys and signatures, verified by the code for others' tokens, and by
 * libjwt, which shares no code with either.
 */
#include <jwt.h> /* libjwt's jwt_t is opaque: struct jwt here is our own */
#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#include "authd/session/jws.h"
#include "common/base/secret.h"
#include "common/domain/jwk.h"
#include "common/domain/jwt.h"
#include "tests/support/unit.h"

static struct jws_key *make(enum jws_alg alg, uint8_t **ret_der, size_t *ret_size)
{
    CU_ASSERT_EQUAL_FATAL(jws_key_generate(alg, ret_der, ret_size), 0);
    return jws_key_parse(alg, *ret_der, *ret_size);
}

static const char *token_of(struct arena *arena, const struct jws_key *key)
{
    uint8_t signature[JWS_SIGNATURE_MAX];
    char *header =
        arena_printf(arena, "{\"alg\":\"%s\",\"kid\":\"%s\"}", jws_alg_name(key->alg), key->kid);
    const char *text = arena_printf(arena, "%s.%s", secret_encode(arena, header, strlen(header)),
                                    secret_encode(arena, "{\"iss\":\"x\"}", 11));
    size_t size;

    CU_ASSERT_EQUAL(key->signer ? jws_sign_es256(key->signer, text, signature, &size)
                                : jws_sign_rs256(key->pkey, text, signature, &size),
                    0);
    return arena_printf(arena, "%s.%s", text, secret_encode(arena, signature, size));
}

static void published_keys_verify(void)
{
    static const char *const algs[] = {"ES256", "RS256", NULL};

    for (int alg = 0; alg < JWS_ALGS; alg++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        uint8_t *der = NULL;
        size_t size = 0;
        struct jws_key *key = make((enum jws_alg)alg, &der, &size);
        json_t *jwk = json_loads(key->jwk, 0, NULL);
        EVP_PKEY *published = jwk_key(jwk);
        const char *token = token_of(arena, key);
        struct jwt jwt;

        CU_ASSERT_EQUAL(jwt_read(token, arena, &jwt), 0);
        CU_ASSERT_TRUE(jwt_verify(&jwt, published, algs));
        CU_ASSERT_STRING_EQUAL(jwk_thumbprint(jwk, arena), key->kid); /* RFC 7638 */
        CU_ASSERT_PTR_NULL(json_object_get(jwk, "d"));
        jwt.signature[jwt.signature_size - 1] ^= 1;
        CU_ASSERT_FALSE(jwt_verify(&jwt, published, algs));
        jwt_clear(&jwt);
        EVP_PKEY_free(published);
        json_decref(jwk);
        jws_key_destroy(&key);
        OPENSSL_clear_free(der, size);
    }
}

static int libjwt_reads(const char *token, const char *pem, jwt_t **ret)
{
    *ret = NULL;
    return jwt_decode(ret, token, (const unsigned char *)pem, (int)strlen(pem));
}

/* Returns the private key in PEM, the only form that libjwt accepts. */
static char *private_pem(struct arena *arena, const struct jws_key *key)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL, *pem;
    long size;

    CU_ASSERT_EQUAL(PEM_write_bio_PrivateKey(bio, key->pkey, NULL, NULL, 0, NULL, NULL), 1);
    size = BIO_get_mem_data(bio, &text);
    pem = arena_strndup(arena, text, (size_t)size);
    BIO_free(bio);
    return pem;
}

static char *token_by_libjwt(struct arena *arena, const struct jws_key *key)
{
    char *pem = private_pem(arena, key), *token;
    jwt_t *jwt = NULL;

    CU_ASSERT_EQUAL_FATAL(jwt_new(&jwt), 0);
    CU_ASSERT_EQUAL(jwt_add_grant(jwt, "iss", "x"), 0);
    CU_ASSERT_EQUAL(jwt_set_alg(jwt, jwt_str_alg(jws_alg_name(key->alg)),
                                (const unsigned char *)pem, (int)strlen(pem)),
                    0);
    token = jwt_encode_str(jwt);
    jwt_free(jwt);
    return token;
}

static void libjwt_verifies_what_a_key_signs(void)
{
    for (int alg = 0; alg < JWS_ALGS; alg++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        uint8_t *der = NULL;
        size_t size = 0;
        struct jws_key *key = make((enum jws_alg)alg, &der, &size);
        char *token = arena_strdup(arena, token_of(arena, key));
        jwt_t *read;

        CU_ASSERT_EQUAL_FATAL(libjwt_reads(token, key->pem, &read), 0);
        CU_ASSERT_STRING_EQUAL(jwt_alg_str(jwt_get_alg(read)), jws_alg_name(key->alg));
        CU_ASSERT_STRING_EQUAL(jwt_get_header(read, "kid"), key->kid);
        CU_ASSERT_STRING_EQUAL(jwt_get_grant(read, "iss"), "x");
        jwt_free(read);
        token[strlen(token) - 20] ^= 1;
        CU_ASSERT_NOT_EQUAL(libjwt_reads(token, key->pem, &read), 0);
        jws_key_destroy(&key);
        OPENSSL_clear_free(der, size);
    }
}

static void what_libjwt_signs_is_verified(void)
{
    for (int alg = 0; alg < JWS_ALGS; alg++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const char *const algs[] = {jws_alg_name((enum jws_alg)alg), NULL};
        uint8_t *der = NULL;
        size_t size = 0;
        struct jws_key *key = make((enum jws_alg)alg, &der, &size);
        char *token = token_by_libjwt(arena, key);
        struct jwt jwt;

        CU_ASSERT_PTR_NOT_NULL_FATAL(token);
        CU_ASSERT_EQUAL_FATAL(jwt_read(token, arena, &jwt), 0);
        CU_ASSERT_STRING_EQUAL(jwt_text(jwt.claims, "iss"), "x");
        CU_ASSERT_TRUE(jwt_verify(&jwt, key->pkey, algs));
        jwt.signature[0] ^= 1;
        CU_ASSERT_FALSE(jwt_verify(&jwt, key->pkey, algs));
        jwt_clear(&jwt);
        free(token);
        jws_key_destroy(&key);
        OPENSSL_clear_free(der, size);
    }
}

static void foreign_keys_are_refused(void)
{
    uint8_t *der = NULL;
    size_t size = 0;
    struct jws_key *key = make(JWS_ES256, &der, &size);

    CU_ASSERT_PTR_NULL(jws_key_parse(JWS_RS256, der, size));
    CU_ASSERT_PTR_NULL(jws_key_parse(JWS_ES256, der, size / 2));
    CU_ASSERT_PTR_NULL(jws_key_parse(JWS_ES256, (const uint8_t *)"garbage", 7));
    jws_key_destroy(&key);
    jws_key_destroy(&key);
    OPENSSL_clear_free(der, size);
}

static void algorithms_have_their_names(void)
{
    enum jws_alg alg;

    CU_ASSERT_EQUAL(jws_alg_parse("RS256", &alg), 0);
    CU_ASSERT_EQUAL(alg, JWS_RS256);
    CU_ASSERT_EQUAL(jws_alg_parse("none", &alg), -1);
    CU_ASSERT_EQUAL(jws_alg_parse("HS256", &alg), -1);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(published_keys_verify),         CASE(libjwt_verifies_what_a_key_signs),
        CASE(what_libjwt_signs_is_verified), CASE(foreign_keys_are_refused),
        CASE(algorithms_have_their_names),
    };

    return unit_run("authd jws", cases, ARRAY_SIZE(cases));
}
