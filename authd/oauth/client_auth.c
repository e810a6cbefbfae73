/*
 * client_auth.c - see client_auth.h.
 */
#include "authd/oauth/client_auth.h"

#include <sodium.h>
#include <string.h>

#include "authd/credential/throttle.h"
#include "authd/federation/key_set.h"
#include "authd/oauth/client.h"
#include "authd/oauth/client_keys.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/single_use.h"
#include "authd/settings_cache.h"
#include "common/base/secret.h"
#include "common/domain/jwt.h"
#include "common/wire/codec.h"
#include "settingsd/client_api.h"

#define ASSERTION_TYPE "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

enum { BASIC_MAX = 2048, JTI_MAX = 255 };

/* Authentication data before verification. */
struct claim {
    enum client_auth method; /* method in the registration */
    const char *client_id, *secret;
    bool basic; /* in the Authorization header: a failure needs a challenge */
    struct jwt assertion;
};

static void claim_clear(struct claim *self)
{
    jwt_clear(&self->assertion);
    secret_wipe_text(self->secret);
}

static int refuse(const struct claim *claim, struct error *err)
{
    (void)oauth_fail(err, ERR_UNAUTHORIZED, "invalid_client", "The client authentication failed.");
    /* RFC 6749, section 5.2 */
    return claim->basic ? oauth_fail_challenge(err, "Basic realm=\"OAuth\"") : -1;
}

/* ---- reading ---- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 0x20) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* RFC 6749, section 2.3.1: decodes in place. */
static int form_decode(char *text)
{
    char *out = text;

    for (; *text; text++) {
        if (*text == '%') {
            int high = hex_digit(text[1]), low = high < 0 ? -1 : hex_digit(text[2]);

            if (low < 0 || (!high && !low))
                return -1;
            *out++ = (char)(high * 16 + low);
            text += 2;
        } else {
            *out++ = *text;
            if (*text == '+')
                out[-1] = ' ';
        }
    }
    *out = '\0';
    return 0;
}

/* RFC 7617, with form-encoded id and secret. -1: another header. */
static int read_basic(const struct request *req, const char *header, struct claim *claim)
{
    char *text = arena_alloc(req->arena, BASIC_MAX + 1), *secret;
    size_t size;

    if (strncasecmp(header, "Basic ", 6) != 0)
        return -1;
    header += 6 + strspn(header + 6, " ");
    if (sodium_base642bin((uint8_t *)text, BASIC_MAX, header, strlen(header), NULL, &size, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0)
        return -1;
    text[size] = '\0';
    secret = strchr(text, ':');
    if (!codec_is_text(text, size) || !secret)
        return -1;
    *secret++ = '\0';
    if (form_decode(text) < 0 || form_decode(secret) < 0 || !*text)
        return -1;
    claim->client_id = text;
    claim->secret = secret;
    return 0;
}

/* RFC 7523, section 3: the client is issuer and subject. */
static int read_assertion(const struct request *req, const struct client_credentials *given,
                          struct claim *claim)
{
    const char *subject;

    if (!given->client_assertion || !given->client_assertion_type ||
        strcmp(given->client_assertion_type, ASSERTION_TYPE) != 0 ||
        jwt_read(given->client_assertion, req->arena, &claim->assertion) < 0)
        return -1;
    subject = jwt_text(claim->assertion.claims, "sub");
    if (!*subject || strcmp(subject, jwt_text(claim->assertion.claims, "iss")) != 0)
        return -1;
    claim->client_id = subject;
    return 0;
}

static int claim_read(const struct request *req, const struct client_credentials *given,
                      struct claim *claim, struct error *err)
{
    bool asserted = given->client_assertion || given->client_assertion_type;
    int methods = !!given->authorization + !!given->client_secret + asserted;
    int result = 0;

    *claim = (struct claim){.method = CLIENT_AUTH_NONE, .client_id = given->client_id};
    if (methods > 1) /* RFC 6749, section 2.3 */
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request",
                          "The client used two authentication methods. Use one.");
    if (given->authorization) {
        claim->method = CLIENT_AUTH_SECRET_BASIC;
        claim->basic = true;
        result = read_basic(req, given->authorization, claim);
    } else if (given->client_secret) {
        claim->method = CLIENT_AUTH_SECRET_POST;
        claim->secret = arena_strdup(req->arena, given->client_secret);
    } else if (asserted) {
        claim->method = CLIENT_AUTH_PRIVATE_KEY;
        result = read_assertion(req, given, claim);
    }
    if (result < 0 || !claim->client_id)
        return refuse(claim, err);
    if (given->client_id && strcmp(given->client_id, claim->client_id) != 0)
        return refuse(claim, err);
    return 0;
}

/* ---- secrets ---- */

static bool hash_is(const struct field_bytes *stored, const uint8_t hash[static SECRET_HASH_SIZE])
{
    return stored->bytes && stored->size == SECRET_HASH_SIZE &&
           sodium_memcmp(stored->bytes, hash, SECRET_HASH_SIZE) == 0;
}

static int refuse_wrong(struct authd *d, const struct request *req, const struct issuer *issuer,
                        const struct claim *claim, const struct oauth_client *client,
                        const char *kind, struct error *err)
{
    const char *subject = arena_printf(req->arena, "%s %s %s", client->projectId.text,
                                       client->clientId, req->address);

    if (settings_view_settle(d, req, issuer->view, err) < 0)
        return -1;
    return throttle_limit(d, req, kind, subject, CLIENT_FAILURES_WINDOW, CLIENT_FAILURES_MAX, err) <
                   0
               ? -1
               : refuse(claim, err);
}

static int check_secret(struct authd *d, const struct request *req, const struct issuer *issuer,
                        const struct claim *claim, const struct oauth_client *client,
                        struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];

    secret_hash(claim->secret, hash);
    return hash_is(&client->secretHash, hash) ||
                   (req->now_ms < client->previousUntil && hash_is(&client->previousHash, hash))
               ? 0
               : refuse_wrong(d, req, issuer, claim, client, "client secret", err);
}

/* ---- assertions ---- */

/* RFC 7523, section 3: for this issuer or its token endpoint, and for at most five minutes. aud
 * must be a string, since one of several recipients could use the assertion at another. */
static bool claims_fit(const struct request *req, const struct jwt *assertion,
                       const struct issuer *issuer, int64_t *ret_expires)
{
    const char *audience = jwt_text(assertion->claims, "aud");
    const char *token_endpoint = issuer_endpoint(issuer, req->arena, "token");
    int64_t expires = jwt_time(assertion, "exp"), now = req->now_ms;
    size_t id = strlen(jwt_text(assertion->claims, "jti"));

    *ret_expires = expires + JWT_CLOCK_SKEW_MS;
    return (strcmp(audience, issuer->url) == 0 || strcmp(audience, token_endpoint) == 0) &&
           expires > now - JWT_CLOCK_SKEW_MS &&
           expires <= now + CLIENT_ASSERTION_LIFE + JWT_CLOCK_SKEW_MS &&
           jwt_time(assertion, "nbf") <= now + JWT_CLOCK_SKEW_MS &&
           jwt_time(assertion, "iat") <= now + JWT_CLOCK_SKEW_MS && id > 0 && id <= JTI_MAX;
}

/* Needs a settled view, because it can fetch keys and spends the assertion. */
static int check_assertion(struct authd *d, const struct request *req, const struct issuer *issuer,
                           const struct claim *claim, const struct oauth_client *client,
                           struct error *err)
{
    static const char *const algs[] = {"RS256", "RS384", "PS256", "ES256", "ES384", NULL};
    const struct jwt *assertion = &claim->assertion;
    json_t *keys = NULL;
    bool good = false;
    int64_t expires;

    if (!claims_fit(req, assertion, issuer, &expires))
        return refuse(claim, err);
    if (settings_view_settle(d, req, issuer->view, err) < 0)
        return -1;
    keys = client_keys_get(d, req, client, jwt_text(assertion->header, "kid"), err);
    if (!keys)
        return -1;
    good = key_set_signed(keys, assertion, algs);
    json_decref(keys);
    if (!good)
        return refuse_wrong(d, req, issuer, claim, client, "client assertion", err);
    if (single_use_spend(d, NULL, req, "assertion", client->clientId,
                         jwt_text(assertion->claims, "jti"), expires, &good, err) < 0)
        return -1;
    return good ? 0 : refuse(claim, err);
}

/* ---- all methods ---- */

static int check_claim(struct authd *d, const struct request *req, const struct issuer *issuer,
                       const struct claim *claim, struct oauth_client *ret, struct error *err)
{
    if (oauth_client_find(d, req, issuer->view, &issuer->tenant, claim->client_id, ret, err) < 0) {
        if (err->code != ERR_NOT_FOUND)
            return -1;
        error_clear(err);
        return refuse(claim, err);
    }
    if (ret->settings->authMethod != claim->method)
        return refuse(claim, err);
    if (claim->secret)
        return check_secret(d, req, issuer, claim, ret, err);
    return claim->assertion.claims ? check_assertion(d, req, issuer, claim, ret, err) : 0;
}

int client_authenticate(struct authd *d, const struct request *req, const struct issuer *issuer,
                        const struct client_credentials *given, struct oauth_client *ret,
                        struct error *err)
{
    struct claim claim;
    int result = claim_read(req, given, &claim, err);

    if (result == 0)
        result = check_claim(d, req, issuer, &claim, ret, err);
    claim_clear(&claim);
    return result;
}
