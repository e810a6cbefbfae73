/* jwk.c - see jwk.h. */
#include "common/domain/jwk.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/sha.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/secret.h"
#include "common/domain/jwt.h"

enum {
    COORDINATE_MAX = 48,
    MODULUS_MIN = 256,
    MODULUS_MAX = 1024,
    ED25519_SIZE = 32,
    EXPONENT_MAX = 4, /* 65537 has three; OpenSSL limits it to 8 for large moduli */
};

static const struct curve {
    const char *name, *group, *alg;
    size_t coordinate;
} curves[] = {{"P-256", "P-256", "ES256", 32}, {"P-384", "P-384", "ES384", 48}};

/* Members of private and symmetric keys (RFC 7518, section 6). */
static const char *const private_members[] = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"};

static bool is_text(const json_t *jwk, const char *name)
{
    const json_t *value = json_object_get(jwk, name);

    return !value || json_is_string(value);
}

static bool has_verify(const json_t *ops)
{
    const json_t *each;
    size_t i;

    json_array_foreach(ops, i, each)
    {
        if (json_is_string(each) && strcmp(json_string_value(each), "verify") == 0)
            return true;
    }
    return false;
}

/* RFC 7517, section 4. */
static const char *use_fault(const json_t *jwk)
{
    const json_t *ops = json_object_get(jwk, "key_ops");

    if (!json_is_object(jwk))
        return "must be a JSON object";
    for (size_t i = 0; i < ARRAY_SIZE(private_members); i++)
        if (json_object_get(jwk, private_members[i]))
            return "must be a public key";
    if (!is_text(jwk, "kid"))
        return "kid must be a text";
    if (json_object_get(jwk, "use") && strcmp(jwt_text(jwk, "use"), "sig") != 0)
        return "use must be sig";
    return ops && !has_verify(ops) ? "key_ops must have verify" : NULL;
}

static bool alg_is(const json_t *jwk, const char *const *algs)
{
    const char *alg = jwt_text(jwk, "alg");

    if (!json_object_get(jwk, "alg"))
        return true;
    for (; *algs; algs++)
        if (strcmp(*algs, alg) == 0)
            return true;
    return false;
}

static const struct curve *curve_of(const json_t *jwk)
{
    for (size_t i = 0; i < ARRAY_SIZE(curves); i++)
        if (strcmp(jwt_text(jwk, "crv"), curves[i].name) == 0)
            return &curves[i];
    return NULL;
}

static const char *ec_fault(const json_t *jwk)
{
    const struct curve *curve = curve_of(jwk);

    if (!curve)
        return "must be on the curve P-256 or P-384";
    if (alg_is(jwk, (const char *const[]){curve->alg, NULL}))
        return NULL;
    return curve == curves ? "alg must be ES256" : "alg must be ES384";
}

static EVP_PKEY *key_build(const char *type, OSSL_PARAM_BLD *builder)
{
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;

    if (!params || !context)
        log_die("jwk", "out of memory");
    if (EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return key;
}

/* RFC 7518, section 6.2.1; OpenSSL rejects a point that is not on the curve. */
static EVP_PKEY *key_ec(const json_t *jwk)
{
    const struct curve *curve = curve_of(jwk);
    uint8_t point[1 + 2 * COORDINATE_MAX];
    size_t x_size, y_size;
    OSSL_PARAM_BLD *builder;
    EVP_PKEY *key = NULL;

    if (!curve || secret_decode(jwt_text(jwk, "x"), point + 1, curve->coordinate, &x_size) < 0 ||
        secret_decode(jwt_text(jwk, "y"), point + 1 + curve->coordinate, curve->coordinate,
                      &y_size) < 0 ||
        x_size != curve->coordinate || y_size != curve->coordinate)
        return NULL;
    point[0] = POINT_CONVERSION_UNCOMPRESSED;
    builder = memory_ensure(OSSL_PARAM_BLD_new());
    if (OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve->group, 0) ==
            1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point,
                                         1 + 2 * curve->coordinate) == 1)
        key = key_build("EC", builder);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/* RFC 7518, section 6.3.1. With exponent 1 the signature would be the message itself; an even
 * exponent has no inverse. */
struct rsa_numbers {
    uint8_t modulus[MODULUS_MAX], exponent[EXPONENT_MAX];
    size_t modulus_size, exponent_size;
};

static const char *rsa_fault(const json_t *jwk, struct rsa_numbers *ret)
{
    static const char *const algs[] = {"RS256", "RS384", "PS256", NULL};
    const uint8_t *e = ret->exponent;
    size_t size;

    if (secret_decode(jwt_text(jwk, "n"), ret->modulus, sizeof(ret->modulus), &ret->modulus_size) <
            0 ||
        ret->modulus_size < MODULUS_MIN || !ret->modulus[0])
        return "must have 2048 to 8192 bits";
    if (!(ret->modulus[ret->modulus_size - 1] & 1))
        return "n must be odd";
    if (secret_decode(jwt_text(jwk, "e"), ret->exponent, sizeof(ret->exponent), &size) < 0 ||
        !size || !(e[size - 1] & 1) || !e[0] || (size == 1 && e[0] < 3))
        return "e must be odd, 3 at least and less than 2^32";
    ret->exponent_size = size;
    return alg_is(jwk, algs) ? NULL : "alg must be RS256, RS384 or PS256";
}

static EVP_PKEY *key_rsa(const struct rsa_numbers *numbers)
{
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *n = BN_bin2bn(numbers->modulus, (int)numbers->modulus_size, NULL);
    BIGNUM *e = BN_bin2bn(numbers->exponent, (int)numbers->exponent_size, NULL);
    EVP_PKEY *key = NULL;

    if (!builder || !n || !e)
        log_die("jwk", "out of memory");
    if (OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        key = key_build("RSA", builder);
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return key;
}

static EVP_PKEY *key_read(const json_t *jwk, const char **ret_fault)
{
    const char *type = jwt_text(jwk, "kty");
    struct rsa_numbers numbers;
    EVP_PKEY *key;

    *ret_fault = use_fault(jwk);
    if (*ret_fault)
        return NULL;
    if (strcmp(type, "RSA") == 0) {
        *ret_fault = rsa_fault(jwk, &numbers);
        return *ret_fault ? NULL : key_rsa(&numbers);
    }
    *ret_fault = strcmp(type, "EC") == 0 ? ec_fault(jwk) : "must be of kty EC or RSA";
    if (*ret_fault)
        return NULL;
    key = key_ec(jwk);
    if (!key)
        *ret_fault = "x and y must be a point of the curve";
    return key;
}

EVP_PKEY *jwk_key(const json_t *jwk)
{
    const char *fault;

    return key_read(jwk, &fault);
}

const char *jwk_fault(const json_t *jwk)
{
    const char *fault;
    EVP_PKEY *key = key_read(jwk, &fault);
    EVP_PKEY_CTX *context;

    if (!key)
        return fault ? fault : "must be a key that OpenSSL builds";
    context = memory_ensure(EVP_PKEY_CTX_new(key, NULL));
    if (EVP_PKEY_public_check(context) != 1)
        fault = EVP_PKEY_is_a(key, "RSA") ? "n must be the product of two large primes"
                                          : "x and y must be a point of the curve";
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(key);
    return fault;
}

EVP_PKEY *jwk_ed25519_key(const json_t *jwk)
{
    uint8_t point[ED25519_SIZE];
    size_t size;

    if (use_fault(jwk) || strcmp(jwt_text(jwk, "kty"), "OKP") != 0 ||
        strcmp(jwt_text(jwk, "crv"), "Ed25519") != 0 ||
        !alg_is(jwk, (const char *const[]){"EdDSA", NULL}) ||
        secret_decode(jwt_text(jwk, "x"), point, sizeof(point), &size) < 0 || size != sizeof(point))
        return NULL;
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, point, size);
}

/* Hashes only the required members, in order (RFC 7638, section 3.2). */
const char *jwk_thumbprint(const json_t *jwk, struct arena *arena)
{
    EVP_PKEY *key = jwk_key(jwk);
    bool curve = strcmp(jwt_text(jwk, "kty"), "EC") == 0;
    uint8_t hash[SHA256_DIGEST_LENGTH];
    const char *text;

    if (!key)
        return NULL;
    EVP_PKEY_free(key);
    text = curve ? arena_printf(arena, "{\"crv\":\"%s\",\"kty\":\"EC\",\"x\":\"%s\",\"y\":\"%s\"}",
                                jwt_text(jwk, "crv"), jwt_text(jwk, "x"), jwt_text(jwk, "y"))
                 : arena_printf(arena, "{\"e\":\"%s\",\"kty\":\"RSA\",\"n\":\"%s\"}",
                                jwt_text(jwk, "e"), jwt_text(jwk, "n"));
    SHA256((const uint8_t *)text, strlen(text), hash);
    return secret_encode(arena, hash, sizeof(hash));
}
