/* authenticate.c - see authenticate.h. */
#include "gateway/auth/authenticate.h"

#include <strings.h>

#include "authd/authd_api.h"
#include "authd/member/api_key_api.h"
#include "authd/operation_api.h"
#include "common/base/secret.h"
#include "common/domain/endpoint.h"
#include "common/domain/policy.h"
#include "gateway/gateway.h"

enum { KEY_LOOKUPS_MAX = 64, API_KEY_TEXT_MAX = 64 };

static int unauthorized(struct error *err)
{
    return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
}

static const char *shown_token(const char *authorization, bool *ret_bound)
{
    static const char bearer[] = "Bearer ", dpop[] = "DPoP ";
    size_t length = sizeof(bearer) - 1;

    *ret_bound = authorization && strncasecmp(authorization, dpop, sizeof(dpop) - 1) == 0;
    if (*ret_bound)
        length = sizeof(dpop) - 1;
    else if (!authorization || strncasecmp(authorization, bearer, length) != 0)
        return NULL;
    authorization += length;
    return authorization + strspn(authorization, " ");
}

/* RFC 9449, section 7.1: a bound token needs a proof and the scheme DPoP. */
static int check_proof(struct gateway *gateway, const struct request *req,
                       const struct endpoint_visit *visit, const char *text, bool bound,
                       const struct token *token, struct error *err)
{
    const struct dpop_prove_in in = {.visit = visit, .accessToken = text, .jkt = token->jkt};
    struct nothing out;

    if (bound == (token->jkt[0] != '\0'))
        return bound ? authd_dpop_prove(gateway->service.bus, req, &in, &out, err) : 0;
    (void)unauthorized(err);
    error_member(err, "WWW-Authenticate",
                 bound ? "Bearer error=\"invalid_token\"" : "DPoP error=\"invalid_token\"");
    return -1;
}

/* A key's text never changes, so its id is cached. An unknown key costs authd an index lookup, so
 * at most KEY_LOOKUPS_MAX run at a time. */
static int find_key(struct gateway *gateway, const struct request *req, const char *text,
                    struct token *ret, struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct api_key_find_in in = {.hash = {hash, sizeof(hash)}};
    struct api_key_found found = {0};
    int rc;

    if (token_cache_get(gateway->tokens, text, req->now_ms, ret))
        return 0;
    if (strnlen(text, API_KEY_TEXT_MAX) == API_KEY_TEXT_MAX)
        return unauthorized(err);
    if (gateway->key_lookups >= KEY_LOOKUPS_MAX)
        return error_retry(err, ERR_UNAVAILABLE, 1, "Service unavailable. Try again.");
    secret_hash(text, hash);
    gateway->key_lookups++;
    rc = authd_api_key_find(gateway->service.bus, req, &in, &found, err);
    gateway->key_lookups--;
    if (rc < 0)
        return -1;
    *ret = (struct token){.is_key = true,
                          .session = found.id,
                          .project = found.project,
                          .expires_ms = found.expiresAt};
    token_cache_put(gateway->tokens, text, ret);
    return 0;
}

static bool is_key_text(const char *text)
{
    return strncmp(text, API_KEY_PREFIX, strlen(API_KEY_PREFIX)) == 0;
}

static int verify(struct gateway *gateway, const struct request *req, const char *text,
                  struct token *ret, struct error *err)
{
    enum token_status status;

    if (is_key_text(text))
        return find_key(gateway, req, text, ret, err);
    if (keyring_ensure(gateway, req, err) < 0)
        return -1;
    if (token_cache_get(gateway->tokens, text, req->now_ms, ret))
        return 0;
    status = token_verify(gateway->keyring.set, text, req->now_ms, req->arena, ret);
    if (status == TOKEN_UNKNOWN_KEY) {
        if (keyring_refetch(gateway, req, err) < 0 || keyring_ensure(gateway, req, err) < 0)
            return -1;
        status = token_verify(gateway->keyring.set, text, req->now_ms, req->arena, ret);
    }
    if (status != TOKEN_GOOD)
        return unauthorized(err);
    token_cache_put(gateway->tokens, text, ret);
    return 0;
}

/* Caches can still have an account that has been deleted. */
static bool is_over(const struct identity *identity, int64_t now_ms)
{
    return identity->caller.until != 0 && identity->caller.until <= now_ms;
}

static int allow(const struct authentication *self, enum access access, bool safe,
                 const char *address, struct error *err)
{
    const struct request as = {.caller = &self->caller};

    if (access == ACCESS_LOGOUT) /* signing out is always allowed */
        return 0;
    if (self->identity->suspended)
        return error_set(err, ERR_FORBIDDEN, "The project is suspended.");
    if ((self->identity->address_rules || self->identity->policy_address_rules) &&
        (policy_address_check(self->identity->address_rules, address, err) < 0 ||
         policy_address_check(self->identity->policy_address_rules, address, err) < 0))
        return -1;
    if ((access == ACCESS_PRACTITIONER && !request_is_practitioner(&as)) ||
        (access == ACCESS_ADMIN && !request_is_admin(&as)))
        return error_set(err, ERR_FORBIDDEN, "Forbidden");
    return self->identity->read_only && !safe ? refuse_read_only(err) : 0;
}

bool authentication_logged_out(const struct gateway *gateway, const struct authentication *self)
{
    return revocations_check(gateway->revocations, &self->session, &self->token) ==
           REVOCATION_LOGOUT;
}

bool authentication_is_known(const struct gateway *gateway, const char *authorization)
{
    struct token token;
    bool bound;
    const char *text = shown_token(authorization, &bound);

    return text &&
           token_cache_get(gateway->tokens, text, clock_now_ms(gateway->service.clock), &token) &&
           bound == (token.jkt[0] != '\0') &&
           revocations_check(gateway->revocations, &token.session, &token.id) == REVOCATION_NONE;
}

static int check_session(struct gateway *gateway, const struct authentication *self,
                         enum access access, struct error *err)
{
    if (!lease_is_live(&gateway->lease))
        return error_retry(err, ERR_UNAVAILABLE, 1, "Service unavailable. Try again.");
    switch (revocations_check(gateway->revocations, &self->session, &self->token)) {
    case REVOCATION_NONE:
        return 0;
    case REVOCATION_LOGOUT:
        return access == ACCESS_LOGOUT ? 1 : unauthorized(err);
    case REVOCATION_ENDED:
        break;
    }
    return unauthorized(err);
}

/* Forms expire before access tokens, so if a valid form's session has ended, it is still in the
 * revocation set. */
int authenticate_form(const struct gateway *gateway, const struct uuid *session, struct error *err)
{
    static const struct uuid no_token = {""};

    if (!uuid_is_set(session)) /* from an older docd, which doesn't send it */
        return 0;
    if (!lease_is_live(&gateway->lease))
        return error_retry(err, ERR_UNAVAILABLE, 1, "Service unavailable. Try again.");
    if (revocations_check(gateway->revocations, session, &no_token) == REVOCATION_NONE)
        return 0;
    return error_set(err, ERR_FORBIDDEN,
                     "The upload form is invalid or has expired. Request a new one.");
}

int authenticate(struct gateway *gateway, const struct request *req,
                 const struct endpoint_visit *visit, enum access access, bool safe,
                 struct authentication *ret, struct error *err)
{
    struct token token;
    bool bound;
    const char *text = shown_token(visit->authorization, &bound);
    int ended;

    *ret = (struct authentication){0};
    if (!text)
        return unauthorized(err);
    if (verify(gateway, req, text, &token, err) < 0)
        return -1;
    ret->session = token.session;
    ret->token = token.id;
    ended = check_session(gateway, ret, access, err);
    /* Each proof adds a row in authd, so don't check the proof of an ended session's token. */
    if (ended >= 0 && check_proof(gateway, req, visit, text, bound, &token, err) < 0)
        return -1;
    if (ended == 0 && resolve_identity(gateway, req, &token, &ret->identity, err) < 0)
        ended = err->code == ERR_UNAUTHORIZED && access == ACCESS_LOGOUT &&
                        authentication_logged_out(gateway, ret)
                    ? 1
                    : -1;
    /* The session may have ended while this fiber was parked. */
    if (ended == 0)
        ended = check_session(gateway, ret, access, err);
    ret->logged_out = ended > 0;
    if (ended != 0)
        return ended > 0 ? 0 : -1;
    if (is_over(ret->identity, req->now_ms))
        return unauthorized(err);
    ret->caller = ret->identity->caller;
    ret->caller.session = token.session;
    ret->caller.tokenId = token.id;
    return allow(ret, access, safe, req->address, err);
}

void authentication_end(struct authentication *self)
{
    identity_release(&self->identity);
}
