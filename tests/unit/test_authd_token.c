/*
 * test_authd_token.c - access tokens, verified by libjwt, which shares no code with their maker.
 */
#include <CUnit/CUnit.h>
#include <jwt.h>
#include <openssl/crypto.h>
#include <sodium.h>
#include <string.h>

#include "authd/session/token.h"
#include "common/base/secret.h"
#include "tests/support/unit.h"

static struct uuid uuid_of(const char *text)
{
    struct uuid id = {""};

    CU_ASSERT_EQUAL(uuid_parse(text, &id), 0);
    return id;
}

static struct token_claims claims(void)
{
    return (struct token_claims){
        .issuer = "atrium",
        .audience = "portal \"quoted\"",
        .role = ROLE_PATIENT,
        .profile = uuid_of("11111111-1111-4111-8111-111111111111"),
        .project = uuid_of("22222222-2222-4222-8222-222222222222"),
        .membership = uuid_of("33333333-3333-4333-8333-333333333333"),
        .session = uuid_of("44444444-4444-4444-8444-444444444444"),
        .id = uuid_of("55555555-5555-4555-8555-555555555555"),
        .admin = true,
        .now_ms = 1700000000999,
        .life_ms = 3600000,
    };
}

static struct jws_key *generate(uint8_t **ret_der, size_t *ret_size)
{
    CU_ASSERT_EQUAL(jws_key_generate(JWS_ES256, ret_der, ret_size), 0);
    return jws_key_parse(JWS_ES256, *ret_der, *ret_size);
}

static void test_libjwt_accepts_a_token_and_reads_its_claims(void)
{
    struct arena *arena = arena_new();
    const struct token_claims want = claims();
    uint8_t *der = NULL;
    size_t size = 0;
    struct jws_key *key = generate(&der, &size);
    char *token;
    jwt_t *jwt = NULL;

    CU_ASSERT_PTR_NOT_NULL_FATAL(key);
    token = token_mint(key, &want, arena);
    CU_ASSERT_PTR_NOT_NULL_FATAL(token);
    CU_ASSERT_EQUAL(jwt_decode(&jwt, token, (const unsigned char *)key->pem, (int)strlen(key->pem)),
                    0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(jwt);
    CU_ASSERT_EQUAL(jwt_get_alg(jwt), JWT_ALG_ES256);
    CU_ASSERT_STRING_EQUAL(jwt_get_header(jwt, "kid"), key->kid);
    CU_ASSERT_STRING_EQUAL(jwt_get_header(jwt, "typ"), "JWT");
    CU_ASSERT_STRING_EQUAL(jwt_get_grant(jwt, "iss"), want.issuer);
    CU_ASSERT_STRING_EQUAL(jwt_get_grant(jwt, "aud"), want.audience);
    CU_ASSERT_STRING_EQUAL(jwt_get_grant(jwt, "sub"),
                           "Patient/11111111-1111-4111-8111-111111111111");
    CU_ASSERT_STRING_EQUAL(jwt_get_grant(jwt, "prj"), want.project.text);
    CU_ASSERT_STRING_EQUAL(jwt_get_grant(jwt, "mem"), want.membership.text);
    CU_ASSERT_STRING_EQUAL(jwt_get_grant(jwt, "sid"), want.session.text);
    CU_ASSERT_STRING_EQUAL(jwt_get_grant(jwt, "jti"), want.id.text);
    CU_ASSERT_EQUAL(jwt_get_grant_int(jwt, "iat"), 1700000000);
    CU_ASSERT_EQUAL(jwt_get_grant_int(jwt, "exp"), 1700003600);
    CU_ASSERT_EQUAL(jwt_get_grant_bool(jwt, "adm"), 1);
    jwt_free(jwt);
    jws_key_destroy(&key);
    OPENSSL_clear_free(der, size);
    arena_destroy(&arena);
}

static void test_signatures_keep_their_zeros_and_cover_every_byte(void)
{
    struct arena *arena = arena_new();
    struct token_claims want = claims();
    uint8_t *der = NULL;
    size_t size = 0, length;
    struct jws_key *key = generate(&der, &size);
    char *token = NULL;
    jwt_t *jwt = NULL;

    CU_ASSERT_PTR_NOT_NULL_FATAL(key);
    for (int i = 0; i < 600; i++) { /* about one in 128 has a leading zero byte in r or s */
        want.now_ms += 1000;
        token = token_mint(key, &want, arena);
        CU_ASSERT_PTR_NOT_NULL_FATAL(token);
        UNIT_CHECK(strlen(strrchr(token, '.') + 1) == 86, "signature %d", i);
        UNIT_CHECK(jwt_decode(&jwt, token, (const unsigned char *)key->pem,
                              (int)strlen(key->pem)) == 0,
                   "signature %d", i);
        jwt_free(jwt);
        jwt = NULL;
    }
    length = strlen(token);
    token[length - 20] = token[length - 20] == 'A' ? 'B' : 'A';
    CU_ASSERT_NOT_EQUAL(
        jwt_decode(&jwt, token, (const unsigned char *)key->pem, (int)strlen(key->pem)), 0);
    jws_key_destroy(&key);
    OPENSSL_clear_free(der, size);
    arena_destroy(&arena);
}

static void test_a_key_survives_its_storage(void)
{
    struct arena *arena = arena_new();
    uint8_t *der = NULL, point[32];
    size_t size = 0, decoded = 0;
    struct jws_key *key = generate(&der, &size), *again;

    CU_ASSERT_PTR_NOT_NULL_FATAL(key);
    again = jws_key_parse(JWS_ES256, der, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    CU_ASSERT_STRING_EQUAL(again->kid, key->kid);
    CU_ASSERT_STRING_EQUAL(again->pem, key->pem);
    CU_ASSERT_EQUAL(secret_decode(again->x, point, sizeof(point), &decoded), 0);
    CU_ASSERT_EQUAL(decoded, 32);
    CU_ASSERT_EQUAL(strlen(again->kid), 43);
    CU_ASSERT_PTR_NULL(jws_key_parse(JWS_ES256, der, size / 2));
    CU_ASSERT_PTR_NULL(jws_key_parse(JWS_ES256, (const uint8_t *)"garbage", 7));
    jws_key_destroy(&again);
    jws_key_destroy(&key);
    jws_key_destroy(&key);
    OPENSSL_clear_free(der, size);
    arena_destroy(&arena);
}

static const struct unit_case cases[] = {
    CASE(test_libjwt_accepts_a_token_and_reads_its_claims),
    CASE(test_signatures_keep_their_zeros_and_cover_every_byte),
    CASE(test_a_key_survives_its_storage),
};

int main(void)
{
    return sodium_init() < 0 ? 1 : unit_run("authd token", cases, ARRAY_SIZE(cases));
}
