/*
 * test_jwt.c - clients' signed tokens: parsing, keys and algorithms.
 */
#include <openssl/bn.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/secret.h"
#include "common/domain/jwk.h"
#include "common/domain/jwt.h"
#include "tests/support/jose.h"
#include "tests/support/unit.h"

static const char *const names[] = {"RS256", "RS384", "PS256", "ES256", "ES384", NULL};

static struct arena *arena;

static bool counts(const char *token, json_t *jwk, const char *const *algs)
{
    struct jwt jwt;
    EVP_PKEY *key = jwk_key(jwk);
    bool fits = false;

    if (jwt_read(token, arena, &jwt) == 0) {
        fits = key && jwt_verify(&jwt, key, algs);
        jwt_clear(&jwt);
    }
    EVP_PKEY_free(key);
    json_decref(jwk);
    return fits;
}

static void each_algorithm_is_verified_by_its_own_key_alone(void)
{
    struct jose *keys[ARRAY_SIZE(names) - 1];

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        keys[i] = jose_new(names[i], NULL);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const char *const others[] = {names[(i + 1) % ARRAY_SIZE(keys)], NULL};
        char *token = jose_sign(keys[i], NULL, json_pack("{s:s}", "iss", "a"));
        char *altered = strdup(token);

        altered[strchr(token, '.') - token + 3] ^= 1;
        for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
            UNIT_CHECK(counts(token, jose_jwk(keys[k]), names) == (i == k), "%s by %s", names[i],
                       names[k]);
        UNIT_CHECK(!counts(altered, jose_jwk(keys[i]), names), "altered, %s", names[i]);
        UNIT_CHECK(!counts(token, jose_jwk(keys[i]), others), "only %s is allowed", others[0]);
        free(token);
        free(altered);
    }
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        jose_destroy(&keys[i]);
}

/* "none" (RFC 8725, section 3.1), a MAC with the public key, another key type's algorithm. */
static void the_header_chooses_no_weaker_algorithm(void)
{
    static const char *const wrong[] = {"none", "HS256", "ES384", "RS256", "ES256K", ""};
    JOSE key = jose_new("ES256", NULL);

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        char *token = jose_sign(key, json_pack("{s:s}", "alg", wrong[i]), json_object());

        UNIT_CHECK(!counts(token, jose_jwk(key), names), "%s", wrong[i]);
        free(token);
    }
}

static void only_whole_tokens_are_read(void)
{
    static const char *const wrong[] = {
        "",
        ".",
        "..",
        "e30.e30",
        "e30.e30.AA.AA",
        "e30.W10.AA",                /* claims in an array */
        "eyJhIjoxLCJhIjoyfQ.e30.AA", /* duplicate member */
        "e30=.e30.AA",
        "eyJjcml0IjpbIngiXX0.e30.AA", /* crit: x */
        "eyJiNjQiOmZhbHNlfQ.e30.AA",  /* b64: false */
        "e30.e30.A",
    };
    struct jwt jwt;
    char *large = calloc(1, JWT_SIZE_MAX + 2);

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        UNIT_CHECK(jwt_read(wrong[i], arena, &jwt) < 0, "%s", wrong[i]);
    memset(large, 'A', JWT_SIZE_MAX + 1);
    CU_ASSERT(jwt_read(large, arena, &jwt) < 0);
    free(large);
    CU_ASSERT_EQUAL(jwt_read("e30.eyJleHAiOjF9.AA", arena, &jwt), 0);
    CU_ASSERT_EQUAL(jwt_time(&jwt, "exp"), 1000);
    CU_ASSERT_EQUAL(jwt_time(&jwt, "nbf"), 0);
    CU_ASSERT_STRING_EQUAL(jwt_text(jwt.claims, "exp"), "");
    jwt_clear(&jwt);
}

static void weak_and_broken_keys_are_none(void)
{
    static const char *const wrong[] = {
        "{}",
        "{\"kty\":\"oct\",\"k\":\"AAAA\"}",
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"}",
        /* not on the curve */
        ("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\","
         "\"y\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\"}"),
        "{\"kty\":\"EC\",\"crv\":\"secp256k1\",\"x\":\"AA\",\"y\":\"AA\"}",
        "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AA\"}",
    };
    JOSE key = jose_new("ES256", NULL);
    json_t *private = jose_jwk(key);

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        json_t *jwk = json_loads(wrong[i], 0, NULL);
        EVP_PKEY *none = jwk_key(jwk);

        UNIT_CHECK(!none && !jwk_thumbprint(jwk, arena), "%s", wrong[i]);
        EVP_PKEY_free(none);
        json_decref(jwk);
    }
    json_object_set_new(private, "d", json_string("AAAA"));
    CU_ASSERT_PTR_NULL(jwk_key(private));
    json_decref(private);
}

static json_t *rsa_with(const struct jose *key, const char *n, const char *e)
{
    json_t *jwk = jose_jwk(key);

    if (n)
        json_object_set_new(jwk, "n", json_string(n));
    if (e)
        json_object_set_new(jwk, "e", json_string(e));
    return jwk;
}

/* Returns the modulus minus one in base64url: same length, and even. */
static char *even_modulus(const struct jose *key)
{
    json_t *jwk = jose_jwk(key);
    uint8_t bytes[256];
    size_t size;

    CU_ASSERT_EQUAL(secret_decode(jwt_text(jwk, "n"), bytes, sizeof(bytes), &size), 0);
    json_decref(jwk);
    bytes[size - 1]--;
    return jose_encode(bytes, size);
}

/* Returns a prime of that length, which reveals the private exponent. */
static char *prime_modulus(void)
{
    BIGNUM *prime = BN_new();
    uint8_t bytes[256];

    CU_ASSERT_EQUAL(BN_generate_prime_ex(prime, 2048, 0, NULL, NULL, NULL), 1);
    CU_ASSERT_EQUAL(BN_bn2binpad(prime, bytes, sizeof(bytes)), (int)sizeof(bytes));
    BN_free(prime);
    return jose_encode(bytes, sizeof(bytes));
}

static void check_fault(const char *label, json_t *jwk, const char *part, bool builds)
{
    const char *fault = jwk_fault(jwk);
    EVP_PKEY *key = jwk_key(jwk);

    UNIT_CHECK(part ? fault && strstr(fault, part) : !fault, "%s: %s", label,
               fault ? fault : "no fault");
    UNIT_CHECK(builds == (key != NULL), "%s: %s", label, key ? "a key" : "no key");
    EVP_PKEY_free(key);
    json_decref(jwk);
}

static void each_fault_of_an_rsa_key_is_named(void)
{
    JOSE rsa = jose_new("RS256", NULL);
    char *even = even_modulus(rsa), *prime = prime_modulus();
    const struct {
        const char *label, *n, *e, *part; /* part of the reason; NULL: valid */
        bool builds;
    } rows[] = {
        {"its own", NULL, NULL, NULL, true},
        {"exponent 0", NULL, "AA", "e must", false},
        {"exponent 1", NULL, "AQ", "e must", false},
        {"exponent 1, longer", NULL, "AAAAAQ", "e must", false},
        {"exponent 2", NULL, "Ag", "e must", false},
        {"exponent 3", NULL, "Aw", NULL, true},
        {"exponent 65536", NULL, "AQAA", "e must", false},
        {"exponent 2^32 + 1", NULL, "AQAAAAE", "e must", false},
        {"exponent of 64 bits", NULL, "__________8", "e must", false},
        {"exponent of 256 bits", NULL, "_________________________________________38", "e must",
         false},
        {"no exponent", NULL, "", "e must", false},
        {"an exponent that is none", NULL, "!", "e must", false},
        {"even modulus", even, NULL, "n must be odd", false},
        {"prime modulus", prime, NULL, "product", true},
        {"modulus 1", "AQ", NULL, "2048", false},
        {"no modulus", "", NULL, "2048", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_fault(rows[i].label, rsa_with(rsa, rows[i].n, rows[i].e), rows[i].part,
                    rows[i].builds);
    free(prime);
    free(even);
}

static void each_fault_of_the_other_members_is_named(void)
{
    static const struct {
        const char *label, *alg, *members, *part;
    } rows[] = {
        {"for signatures", "ES256",
         "{\"use\":\"sig\",\"alg\":\"ES256\",\"key_ops\":[\"verify\"],\"kid\":\"1\"}", NULL},
        {"for encryption", "ES256", "{\"use\":\"enc\"}", "use must"},
        {"use is no text", "ES256", "{\"use\":1}", "use must"},
        {"to sign alone", "ES256", "{\"key_ops\":[\"sign\"]}", "key_ops must"},
        {"for nothing", "ES256", "{\"key_ops\":[]}", "key_ops must"},
        {"key_ops is no array", "ES256", "{\"key_ops\":\"verify\"}", "key_ops must"},
        {"no algorithm", "ES256", "{\"alg\":\"none\"}", "alg must"},
        {"a MAC", "ES256", "{\"alg\":\"HS256\"}", "alg must"},
        {"of another curve", "ES256", "{\"alg\":\"ES384\"}", "alg must"},
        {"of another type", "ES384", "{\"alg\":\"RS256\"}", "alg must"},
        {"of RSA", "RS256", "{\"alg\":\"PS256\"}", NULL},
        {"RSA for a curve", "RS256", "{\"alg\":\"ES256\"}", "alg must"},
        {"RSA by none", "RS256", "{\"alg\":\"none\"}", "alg must"},
        {"kid is no text", "ES256", "{\"kid\":1}", "kid must"},
        {"private", "ES256", "{\"d\":\"AA\"}", "public key"},
        {"private RSA", "RS256", "{\"p\":\"AA\"}", "public key"},
        {"a secret", "ES256", "{\"kty\":\"oct\",\"k\":\"AA\"}", "public key"},
        {"another type", "ES256", "{\"kty\":\"OKP\"}", "kty"},
        {"another curve", "ES256", "{\"crv\":\"secp256k1\"}", "curve P-256"},
        {"off the curve", "ES256", "{\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\"}",
         "point"},
        {"a short coordinate", "ES256", "{\"y\":\"AA\"}", "point"},
        {"the other curve's name", "ES256", "{\"crv\":\"P-384\"}", "point"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        JOSE key = jose_new(rows[i].alg, NULL);
        json_t *jwk = jose_jwk(key), *members = json_loads(rows[i].members, 0, NULL);

        json_object_del(jwk, "alg");
        json_object_update(jwk, members);
        json_decref(members);
        check_fault(rows[i].label, jwk, rows[i].part, !rows[i].part);
    }
    check_fault("no object", json_string("key"), "object", false);
}

/* The example of RFC 7638, section 3.1. */
static void thumbprints_are_those_of_the_standard(void)
{
    json_t *jwk = json_loads(
        "{\"kty\":\"RSA\",\"n\":\"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zw"
        "u1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6"
        "Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD"
        "08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJz"
        "KnqDKgw\",\"e\":\"AQAB\",\"alg\":\"RS256\",\"kid\":\"2011-04-29\"}",
        0, NULL);
    const char *thumbprint = jwk_thumbprint(jwk, arena);

    CU_ASSERT(thumbprint && strcmp(thumbprint, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs") == 0);
    json_decref(jwk);
}

/* The key and signature of RFC 8037, sections A.2 and A.4. */
static void ed25519_verifies_but_is_no_clients_key(void)
{
    static const char text[] = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    static const char *const eddsa[] = {"EdDSA", NULL};
    json_t *jwk = json_pack("{s:s, s:s, s:s}", "kty", "OKP", "crv", "Ed25519", "x",
                            "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
    EVP_PKEY *key = jwk_ed25519_key(jwk);
    struct jwt jwt = {.text = text, .text_size = strlen(text)};

    jwt.header = json_pack("{s:s}", "alg", "EdDSA");
    CU_ASSERT_EQUAL(secret_decode("hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5"
                                  "BhVsPt9g7sVvpAr_MuM0KAg",
                                  jwt.signature, sizeof(jwt.signature), &jwt.signature_size),
                    0);
    UNIT_REQUIRE(key != NULL, "no key");
    CU_ASSERT_TRUE(jwt_verify(&jwt, key, eddsa));
    CU_ASSERT_FALSE(jwt_verify(&jwt, key, names));
    jwt.signature[0] ^= 1;
    CU_ASSERT_FALSE(jwt_verify(&jwt, key, eddsa));
    CU_ASSERT_PTR_NULL(jwk_key(jwk));
    CU_ASSERT_PTR_NOT_NULL(jwk_fault(jwk));
    json_object_set_new(jwk, "alg", json_string("ES256"));
    CU_ASSERT_PTR_NULL(jwk_ed25519_key(jwk));
    jwt_clear(&jwt);
    EVP_PKEY_free(key);
    json_decref(jwk);
}

static const struct unit_case cases[] = {
    CASE(each_algorithm_is_verified_by_its_own_key_alone),
    CASE(the_header_chooses_no_weaker_algorithm),
    CASE(only_whole_tokens_are_read),
    CASE(weak_and_broken_keys_are_none),
    CASE(each_fault_of_an_rsa_key_is_named),
    CASE(each_fault_of_the_other_members_is_named),
    CASE(thumbprints_are_those_of_the_standard),
    CASE(ed25519_verifies_but_is_no_clients_key),
};

int main(void)
{
    int result;

    arena = arena_new();
    result = unit_run("JSON Web Tokens of clients", cases, ARRAY_SIZE(cases));
    arena_destroy(&arena);
    return result;
}
