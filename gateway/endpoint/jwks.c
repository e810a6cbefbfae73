/* jwks.c - serves the key set (RFC 7517). */
#include "gateway/endpoint/endpoints.h"

#include "common/base/clock.h"
#include "gateway/endpoint/exchange.h"
#include "gateway/endpoint/serve.h"

enum {
    JWK_TEXT_MAX = 128,
    JWKS_MAX = 100,
    RENEW_MS = 500, /* wait for newer keys; then serve the known ones */
};

struct jwk {
    const char *kty, *crv, *use, *alg, *kid, *x, *y;
};
struct jwks {
    struct field_list keys; /* struct jwk */
};

static const char *const key_types[] = {"EC", NULL};
static const char *const curves[] = {"P-256", NULL};
static const char *const uses[] = {"sig", NULL};
static const char *const algorithms[] = {"ES256", NULL};

static const struct field jwk_rows[] = {
    FIELD_CHOICE(struct jwk, kty, key_types, FIELD_REQUIRED, "Key type.", "EC"),
    FIELD_CHOICE(struct jwk, crv, curves, FIELD_REQUIRED, "Elliptic curve.", "P-256"),
    FIELD_CHOICE(struct jwk, use, uses, FIELD_REQUIRED, "Use of the key: signatures.", "sig"),
    FIELD_CHOICE(struct jwk, alg, algorithms, FIELD_REQUIRED, "Algorithm that signs the tokens.",
                 "ES256"),
    FIELD_TEXT(struct jwk, kid, 1, JWK_TEXT_MAX, FIELD_REQUIRED,
               "Key ID, as in the header of a token.", "2026-01-31-4f1c"),
    FIELD_TEXT(struct jwk, x, 1, JWK_TEXT_MAX, FIELD_REQUIRED, "X coordinate in base64url.",
               "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"),
    FIELD_TEXT(struct jwk, y, 1, JWK_TEXT_MAX, FIELD_REQUIRED, "Y coordinate in base64url.",
               "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"),
};
static FIELD_TABLE(jwk);

static const struct field jwks_rows[] = {
    FIELD_OBJECTS(struct jwks, keys, jwk, JWKS_MAX, FIELD_REQUIRED,
                  "Keys that verify access tokens."),
};
FIELD_TABLE(jwks);

void jwks_serve(struct exchange *exchange)
{
    struct gateway *gateway = exchange->gateway;
    struct answer answer = {.status = 200, .cache = "public, max-age=300"};
    struct request req;
    json_t *keys;

    warm_up_wait(gateway);
    serve_request(exchange, &req);
    if (gateway->keyring.set)
        req.deadline_mono_ms = MIN(req.deadline_mono_ms, clock_mono_ms() + RENEW_MS);
    if (keyring_ensure(gateway, &req, &exchange->err) < 0) {
        if (!gateway->keyring.set) {
            exchange_fail(exchange, NULL);
            return;
        }
        error_clear(&exchange->err);
        answer.cache = "public, max-age=5";
    }
    keys = key_set_jwks(gateway->keyring.set, req.now_ms);
    answer.body = codec_dump_json(exchange->arena, keys);
    answer.size = strlen(answer.body);
    json_decref(keys);
    exchange_reply(exchange, &answer);
}
