/*
 * userinfo.c - claims about a person (OpenID Connect Core 1.0, section 5.3). Handlers: userinfo,
 * userinfo_post. Each request reads the grant, so an answer proves that it is live.
 */
#include <string.h>
#include <strings.h>

#include "authd/oauth/auth_request.h"
#include "authd/oauth/dpop.h"
#include "authd/oauth/grant.h"
#include "authd/oauth/oauth_api.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/person_claims.h"
#include "authd/session/issuer_key.h"
#include "authd/settings_cache.h"
#include "authd/sql/oauth.h"
#include "common/domain/endpoint.h"
#include "common/wire/codec.h"

/* RFC 6750, section 3.1. */
static int refuse(struct error *err, const char *challenge)
{
    (void)oauth_fail(err, ERR_UNAUTHORIZED, "invalid_token", "The access token is invalid.");
    return oauth_fail_challenge(err, challenge);
}

static int refuse_token(struct error *err)
{
    return refuse(err, "Bearer error=\"invalid_token\"");
}

static int refuse_scope(struct error *err)
{
    (void)oauth_fail(err, ERR_FORBIDDEN, "insufficient_scope", "The scope openid is missing.");
    return oauth_fail_challenge(err, "Bearer error=\"insufficient_scope\", scope=\"openid\"");
}

/* RFC 6750, sections 2.1 and 2.2: in the header or form, not both, never in the URL. RFC 9449,
 * section 7.1: *ret_bound for a key-bound token. */
static int find_token(const struct userinfo_in *in, const char **ret, bool *ret_bound,
                      struct error *err)
{
    const char *header = in->visit->authorization;
    bool bound = *ret_bound = header && strncasecmp(header, "DPoP ", 5) == 0;
    bool bearer = header && strncasecmp(header, "Bearer ", 7) == 0;
    bool posted = strcmp(in->visit->method, "POST") == 0 && in->access_token;

    if (header && in->access_token)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request",
                          "The request contains two access tokens. Send one.");
    if (!bearer && !bound && !posted)
        return refuse(err, "Bearer");
    *ret = in->access_token;
    if (header)
        *ret = header + strcspn(header, " ") + strspn(strchr(header, ' '), " ");
    return 0;
}

/* RFC 9449, section 7.1: a key-bound token needs its proof and scheme. */
static int check_key(struct authd *d, const struct request *req, const struct userinfo_in *in,
                     const char *text, bool bound, const json_t *claims,
                     struct dpop_proof *ret_proof, struct error *err)
{
    const json_t *confirmation = json_object_get(claims, "cnf");
    const char *key = json_string_value(json_object_get(confirmation, "jkt"));

    if (bound != (key != NULL))
        return refuse_token(err);
    *ret_proof = (struct dpop_proof){.jkt = NULL};
    return bound ? dpop_check_token(d, req, in->visit, text, key, ret_proof, err) : 0;
}

/* RFC 9068, section 4: checks issuer, audience and expiry. */
static int open_token(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const struct userinfo_in *in, struct uuid *ret_session,
                      const char **ret_scope, struct dpop_proof *ret_proof, struct error *err)
{
    const char *text = NULL, *audience, *session, *scope;
    json_auto_t *claims = NULL;
    bool bound;

    if (find_token(in, &text, &bound, err) < 0)
        return -1;
    claims = issuer_verify(d, req, text, "at+jwt", issuer->url);
    audience = json_string_value(json_object_get(claims, "aud"));
    session = json_string_value(json_object_get(claims, "sid"));
    scope = json_string_value(json_object_get(claims, "scope"));
    if (!audience || strcmp(audience, issuer->url) != 0 ||
        json_integer_value(json_object_get(claims, "exp")) <= req->now_ms / 1000 || !session ||
        uuid_parse(session, ret_session) < 0)
        return refuse_token(err);
    *ret_scope = arena_strdup(req->arena, scope ? scope : "");
    return check_key(d, req, in, text, bound, claims, ret_proof, err);
}

/* Uses only scopes of both grant and token (RFC 6749, section 6). */
static int read_person(struct authd *d, const struct request *req, const struct issuer *issuer,
                       struct uuid session, const char *scope, struct sql_userinfo_get_row *ret,
                       struct error *err)
{
    int found = grant_person(d, req, issuer, session, ret, err);

    if (found < 0)
        return -1;
    if (found == 0)
        return refuse_token(err);
    ret->scope = word_list_common(req->arena, ret->scope, scope);
    return word_list_has(ret->scope, "openid") ? 0 : refuse_scope(err);
}

static const char *claims_json(const struct request *req, const struct issuer *issuer,
                               const struct sql_userinfo_get_row *row)
{
    json_auto_t *claims = json_pack("{s:s}", "sub", row->person.profile.text);

    person_claims_set(claims, issuer, &row->person, row->scope, NULL);
    return codec_dump_json(req->arena, claims);
}

static int show_person(struct authd *d, const struct request *req, struct settings_view *view,
                       const struct userinfo_in *in, struct endpoint_answer *out, struct error *err)
{
    struct sql_userinfo_get_row row;
    const char *scope = "";
    struct dpop_proof proof;
    struct uuid session;
    struct issuer issuer;

    if (issuer_open_view(d, req, view, in->tenantCode, in->visit, &issuer, err) < 0 ||
        open_token(d, req, &issuer, in, &session, &scope, &proof, err) < 0 ||
        read_person(d, req, &issuer, session, scope, &row, err) < 0 ||
        dpop_spend_token(d, req, &proof, err) < 0)
        return -1;
    out->status = 200;
    out->body = claims_json(req, &issuer, &row);
    return 0;
}

int userinfo(struct authd *d, const struct request *req, const struct userinfo_in *in,
             struct endpoint_answer *out, struct error *err)
{
    struct settings_view view = {.change = 0};
    int result;

    do {
        result = show_person(d, req, &view, in, out, err);
    } while (settings_view_again(&view, result, err));
    return result;
}

int userinfo_post(struct authd *d, const struct request *req, const struct userinfo_in *in,
                  struct endpoint_answer *out, struct error *err)
{
    return userinfo(d, req, in, out, err);
}
