/*
 * logout_token.c - see logout_token.h.
 */
#include "authd/oauth/logout_token.h"

#include "authd/session/issuer_key.h"
#include "settingsd/client_api.h"

static enum jws_alg alg_of(const struct oauth_client *client)
{
    enum jws_alg alg = JWS_RS256;

    if (client->settings->idTokenAlg && jws_alg_parse(client->settings->idTokenAlg, &alg) < 0)
        return JWS_RS256;
    return alg;
}

/* The token has no nonce, so that it can't pass as an ID token. */
const char *logout_token(struct authd *d, const struct request *req,
                         const struct ended_grant *grant, struct error *err)
{
    int64_t now_s = req->now_ms / 1000;
    json_t *claims =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:{s:{}}}", "iss", grant->issuer, "sub",
                  grant->subject.text, "aud", grant->client->clientId, "iat", (json_int_t)now_s,
                  "exp", (json_int_t)(now_s + LOGOUT_TOKEN_LIFE / 1000), "jti", uuid_random().text,
                  "sid", grant->session.text, "events", LOGOUT_EVENT);

    return issuer_sign(d, req, alg_of(grant->client), "logout+jwt", claims, err);
}
