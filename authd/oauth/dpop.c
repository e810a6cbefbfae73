/*
 * dpop.c - see dpop.h. Handler: dpop_prove.
 */
#include "authd/oauth/dpop.h"

#include <sodium.h>
#include <string.h>

#include "authd/oauth/oauth_error.h"
#include "authd/oauth/single_use.h"
#include "authd/operation_api.h"
#include "common/base/secret.h"
#include "common/domain/endpoint.h"
#include "common/domain/jwk.h"
#include "common/domain/jwt.h"

enum {
    NONCE_TIME_SIZE = 8,
    NONCE_HASH_SIZE = 16,
    NONCE_SIZE = NONCE_TIME_SIZE + NONCE_HASH_SIZE,
    JTI_MAX = 255
};

static const char nonce_purpose[] = "authd DPoP nonce";
static const char *const algs[] = {"ES256", "ES384", "RS256", "PS256", NULL};

/* ---- nonces ---- */

static void nonce_hash(const struct secret *key, const uint8_t time[static NONCE_TIME_SIZE],
                       uint8_t ret[static NONCE_HASH_SIZE])
{
    uint8_t derived[SEAL_KEY_SIZE];

    secret_derive(key, nonce_purpose, derived);
    crypto_generichash(ret, NONCE_HASH_SIZE, time, NONCE_TIME_SIZE, derived, sizeof(derived));
    sodium_memzero(derived, sizeof(derived));
}

static const char *nonce_new(const struct authd *d, const struct request *req)
{
    uint8_t nonce[NONCE_SIZE];

    for (size_t i = 0; i < NONCE_TIME_SIZE; i++)
        nonce[i] = (uint8_t)((uint64_t)req->now_ms >> (56 - 8 * i));
    nonce_hash(seal_keys_current(&d->svc.seal), nonce, nonce + NONCE_TIME_SIZE);
    return secret_encode(req->arena, nonce, sizeof(nonce));
}

/* Returns when the nonce was made, or 0 if it has expired or is not from this installation. */
static int64_t nonce_made(const struct authd *d, const struct request *req, const char *nonce)
{
    const struct seal_keys *keys = &d->svc.seal;
    uint8_t given[NONCE_SIZE], hash[NONCE_HASH_SIZE];
    uint64_t time = 0;
    int64_t made;
    size_t size;

    if (secret_decode(nonce, given, sizeof(given), &size) < 0 || size != sizeof(given))
        return 0;
    for (size_t i = 0; i < NONCE_TIME_SIZE; i++)
        time = time << 8 | given[i];
    made = (int64_t)time;
    for (size_t i = 0; i < keys->in_file; i++) {
        nonce_hash(&keys->items[i].secret, given, hash);
        if (sodium_memcmp(hash, given + NONCE_TIME_SIZE, sizeof(hash)) == 0)
            return req->now_ms - made < DPOP_NONCE_LIFE && made - req->now_ms < JWT_CLOCK_SKEW_MS
                       ? made
                       : 0;
    }
    return 0;
}

/* ---- proofs ---- */

static int refuse(struct error *err, const char *text)
{
    return oauth_fail(err, ERR_BAD_REQUEST, "invalid_dpop_proof", text);
}

/* Compares `htu` with the URL without query and fragment (section 4.2). */
static bool is_address(const char *htu, const struct endpoint_visit *visit)
{
    size_t url = strlen(visit->url), path = strlen(visit->path);

    return strlen(htu) == url + path && strncmp(htu, visit->url, url) == 0 &&
           strcmp(htu + url, visit->path) == 0;
}

/* Compares `ath` with the token's hash. */
static bool is_of_token(const struct request *req, const char *ath, const char *token)
{
    uint8_t hash[SECRET_HASH_SIZE];

    if (!token)
        return true;
    secret_hash(token, hash);
    return strcmp(ath, secret_encode(req->arena, hash, sizeof(hash))) == 0;
}

/* Section 4.3, items 4 to 7: the proof is signed with the key that it contains. */
static const char *key_thumbprint(const struct request *req, const struct jwt *proof)
{
    const json_t *jwk = json_object_get(proof->header, "jwk");
    EVP_PKEY *key = jwk_key(jwk);
    bool fits = key && strcmp(jwt_text(proof->header, "typ"), "dpop+jwt") == 0 &&
                jwt_verify(proof, key, algs);

    EVP_PKEY_free(key);
    return fits ? jwk_thumbprint(jwk, req->arena) : NULL;
}

static int ask_nonce(const struct authd *d, const struct request *req, struct error *err)
{
    (void)oauth_fail(err, ERR_BAD_REQUEST, "use_dpop_nonce",
                     "The proof must contain the nonce from the DPoP-Nonce header.");
    return oauth_fail_nonce(err, nonce_new(d, req));
}

/* Section 4.3, item 11: checks the proof's age by nonce, or by `iat` at a protected resource. */
static int check_time(const struct authd *d, const struct request *req, const struct jwt *proof,
                      bool needs_nonce, int64_t *ret_until, struct error *err)
{
    const char *nonce = jwt_text(proof->claims, "nonce");
    int64_t given = nonce_made(d, req, nonce), made = jwt_time(proof, "iat");

    *ret_until = given + DPOP_NONCE_LIFE;
    if (given != 0)
        return 0;
    *ret_until = made + DPOP_PROOF_LIFE;
    if (*nonce || needs_nonce || made <= req->now_ms - DPOP_PROOF_LIFE ||
        made >= req->now_ms + DPOP_PROOF_LIFE)
        return ask_nonce(d, req, err);
    return 0;
}

static int check_claims(const struct request *req, const struct endpoint_visit *visit,
                        const char *access_token, const struct jwt *proof, struct error *err)
{
    if (strcmp(jwt_text(proof->claims, "htm"), visit->method) != 0 ||
        !is_address(jwt_text(proof->claims, "htu"), visit))
        return refuse(err, "The proof is for another request.");
    if (!is_of_token(req, jwt_text(proof->claims, "ath"), access_token))
        return refuse(err, "The proof is for another token.");
    return jwt_time(proof, "iat") > 0 ? 0 : refuse(err, "The proof has no valid iat.");
}

static int check_proof(struct authd *d, const struct request *req,
                       const struct endpoint_visit *visit, const char *access_token,
                       const struct jwt *proof, struct dpop_proof *ret, struct error *err)
{
    const char *id = jwt_text(proof->claims, "jti"), *jkt = key_thumbprint(req, proof);
    int64_t until;

    if (!jkt || !*id || strlen(id) > JTI_MAX)
        return refuse(err, "The signature of the proof is invalid.");
    if (check_claims(req, visit, access_token, proof, err) < 0 ||
        check_time(d, req, proof, !access_token, &until, err) < 0)
        return -1;
    *ret = (struct dpop_proof){.jkt = jkt, .id = arena_strdup(req->arena, id), .until = until};
    return 0;
}

static int read_proof(struct authd *d, const struct request *req,
                      const struct endpoint_visit *visit, const char *access_token,
                      struct dpop_proof *ret, struct error *err)
{
    struct jwt proof;
    int result;

    *ret = (struct dpop_proof){.jkt = NULL};
    if (!visit->dpop)
        return 0;
    if (jwt_read(visit->dpop, req->arena, &proof) < 0)
        return refuse(err, "Send exactly one proof, which must be a JWT.");
    result = check_proof(d, req, visit, access_token, &proof, ret, err);
    jwt_clear(&proof);
    return result;
}

static int refuse_used(struct error *err)
{
    return refuse(err, "The proof was used before.");
}

int dpop_check(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
               struct dpop_proof *ret, struct error *err)
{
    bool used = false;

    if (read_proof(d, req, visit, NULL, ret, err) < 0 ||
        (ret->jkt && single_use_is_spent(d, req, NULL, "proof", ret->jkt, ret->id, &used, err) < 0))
        return -1;
    return used ? refuse_used(err) : 0;
}

int dpop_spend(struct authd *d, const struct request *req, const struct dpop_proof *proof,
               struct error *err)
{
    bool first;

    if (!proof->jkt)
        return 0;
    if (single_use_spend(d, NULL, req, "proof", proof->jkt, proof->id, proof->until, &first, err) <
        0)
        return -1;
    return first ? 0 : refuse_used(err);
}

/* ---- protected resources ---- */

/* Turns an error of oauth_fail() into a 401 with a challenge. */
static int challenge(const struct request *req, struct error *err)
{
    const char *text = arena_printf(req->arena, "DPoP error=\"%s\", algs=\"", oauth_word(err));

    for (size_t i = 0; algs[i]; i++)
        text = arena_printf(req->arena, "%s%s%s", text, i > 0 ? " " : "", algs[i]);
    err->code = ERR_UNAUTHORIZED;
    return oauth_fail_challenge(err, arena_printf(req->arena, "%s\"", text));
}

int dpop_check_token(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
                     const char *access_token, const char *jkt, struct dpop_proof *ret,
                     struct error *err)
{
    if (read_proof(d, req, visit, access_token, ret, err) < 0)
        return oauth_word(err) ? challenge(req, err) : -1;
    if (ret->jkt && strcmp(jkt, ret->jkt) == 0)
        return 0;
    (void)oauth_fail(err, ERR_UNAUTHORIZED, "invalid_token",
                     "The token is bound to a key: send a DPoP proof.");
    return challenge(req, err);
}

int dpop_spend_token(struct authd *d, const struct request *req, const struct dpop_proof *proof,
                     struct error *err)
{
    if (dpop_spend(d, req, proof, err) == 0)
        return 0;
    return oauth_word(err) ? challenge(req, err) : -1;
}

/* Checks and spends a proof for a token that the gateway has verified. */
int dpop_prove(struct authd *d, const struct request *req, const struct dpop_prove_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    struct dpop_proof proof;

    if (dpop_check_token(d, req, in->visit, in->accessToken, in->jkt, &proof, err) < 0)
        return -1;
    return dpop_spend_token(d, req, &proof, err);
}
