/*
 * security_event.c - Security Event Tokens (RFC 8417) for webhooks of the format caep
 * (maild/webhook): session-revoked of CAEP 1.0. Handler: security_event_sign.
 */
#include <string.h>

#include "authd/oauth/oauth_api.h"
#include "authd/session/issuer_key.h"
#include "authd/sql/session.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

#define SESSION_REVOKED "https://schemas.openid.net/secevent/caep/event-type/session-revoked"

/* Values of session.end_reason. */
static const struct why {
    const char *reason;
    bool policy; /* ended by a rule, not a person */
    const char *text;
} whys[] = {
    {"logout", false, "The session was signed out."},
    {"revoked", false, "The session was ended."},
    {"credential", false, "A password or another credential of the account was changed."},
    {"removed", false, "The account is no longer a member, or is locked."},
    {"theft", true, "A refresh token was used twice: it may have been stolen."},
    {"login-replay", true, "A code of a sign-in was used twice: it may have been stolen."},
    {"limit", true, "The account had too many sessions."},
};

static const struct why *why_of(const char *reason)
{
    for (size_t i = 0; reason && i < ARRAY_SIZE(whys); i++) {
        if (strcmp(whys[i].reason, reason) == 0)
            return &whys[i];
    }
    return NULL;
}

static const char *initiator_of(const struct security_event_sign_in *in, const struct why *why)
{
    if (why && why->policy)
        return "policy";
    if (!uuid_is_set(&in->actor))
        return "system";
    return uuid_equal(&in->actor, &in->account) ? "user" : "admin";
}

/* CAEP 1.0, section 3.1. */
static json_t *event_of(const struct security_event_sign_in *in, const struct why *why)
{
    json_t *event = json_pack("{s:I, s:s}", "event_timestamp", (json_int_t)(in->at / 1000),
                              "initiating_entity", initiator_of(in, why));

    if (why)
        json_object_set_new(event, "reason_admin", json_pack("{s:s}", "en", why->text));
    return event;
}

/* Returns the subject: sid and sub as in ID tokens, without a user if the session is unknown. */
static json_t *subject_of(const struct security_event_sign_in *in, const char *issuer,
                          const struct uuid *profile)
{
    json_t *subject = json_pack("{s:s, s:{s:s, s:s}}", "format", "complex", "session", "format",
                                "opaque", "id", in->sessionId.text);

    if (profile)
        json_object_set_new(subject, "user",
                            json_pack("{s:s, s:s, s:s}", "format", "iss_sub", "iss", issuer, "sub",
                                      profile->text));
    return subject;
}

/* RS256 is what all receivers accept. Without sub and exp and with its own typ, the token can't
 * pass as an access, ID or logout token. iat is the session's end, so attempts have equal claims.
 * NOT_FOUND: there is no issuer (project deleted or suspended, or no public_url). */
int security_event_sign(struct authd *d, const struct request *req,
                        const struct security_event_sign_in *in, struct security_event_token *out,
                        struct error *err)
{
    const struct sql_session_ended_get_in get = {.project = in->projectId,
                                                 .session = in->sessionId};
    struct sql_session_ended_get_row row = {.reason = NULL};
    struct tenant tenant;
    const struct why *why;
    const char *issuer;
    json_t *claims;
    int found;

    if (!d->svc.common->public_url)
        return error_set(err, ERR_NOT_FOUND,
                         "OpenID Connect is not available: the operator has not set public_url.");
    if (tenant_open_id(d, req, in->projectId, &tenant, err) < 0 ||
        (found = sql_session_ended_get(d->svc.db, req, &get, &row, err)) < 0)
        return -1;
    issuer = arena_printf(req->arena, "%s/t/%s", d->svc.common->public_url, tenant.tenantCode);
    why = why_of(row.reason);
    claims = json_pack("{s:s, s:s, s:I, s:s, s:o, s:{s:o}}", "iss", issuer, "aud", in->audience,
                       "iat", (json_int_t)(in->at / 1000), "jti", in->id.text, "sub_id",
                       subject_of(in, issuer, found > 0 ? &row.profile : NULL), "events",
                       SESSION_REVOKED, event_of(in, why));
    out->token = issuer_sign(d, req, JWS_RS256, "secevent+jwt", claims, err);
    return out->token ? 0 : -1;
}
