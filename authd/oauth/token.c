/*
 * token.c - see token.h. Handler: token.
 */
#include "authd/oauth/token.h"

#include <string.h>

#include "authd/oauth/client.h"
#include "authd/oauth/client_auth.h"
#include "authd/oauth/grant.h"
#include "authd/oauth/oauth_api.h"
#include "authd/oauth/oauth_error.h"
#include "authd/settings_cache.h"
#include "common/domain/endpoint.h"
#include "common/wire/codec.h"
#include "settingsd/client_api.h"

static const struct {
    const char *type;
    grant_fn *run;
} grants[] = {
    {"authorization_code", grant_authorization_code},
    {"refresh_token", grant_refresh_token},
    {CLIENT_CREDENTIALS_GRANT, grant_client_credentials},
    {GRANT_DEVICE_CODE, grant_device_code},
};

static int run(struct authd *d, const struct token_call *call, struct token_answer *out,
               struct error *err)
{
    const struct oauth_settings *settings = call->client->settings;

    if (!call->in->grant_type)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", "grant_type is missing.");
    for (size_t i = 0; i < ARRAY_SIZE(grants); i++) {
        if (strcmp(grants[i].type, call->in->grant_type) != 0)
            continue;
        if (!oauth_client_allows(&settings->grantTypes, grants[i].type))
            return oauth_fail(err, ERR_BAD_REQUEST, "unauthorized_client",
                              "The client is not allowed to use this grant type.");
        return grants[i].run(d, call, out, err);
    }
    return oauth_fail(err, ERR_BAD_REQUEST, "unsupported_grant_type", "The grant type is unknown.");
}

static void set_text(json_t *body, const char *name, const char *value)
{
    if (value)
        json_object_set_new(body, name, json_string(value));
}

static const char *answer_json(const struct request *req, const struct token_answer *answer)
{
    json_auto_t *body =
        json_pack("{s:s, s:s, s:I}", "access_token", answer->access_token, "token_type",
                  answer->token_type, "expires_in", (json_int_t)answer->expires_in);

    set_text(body, "refresh_token", answer->refresh_token);
    set_text(body, "id_token", answer->id_token);
    set_text(body, "scope", answer->scope);
    set_text(body, "patient", answer->patient);
    if (answer->patient)
        json_object_set_new(body, "need_patient_banner", json_true());
    return codec_dump_json(req->arena, body);
}

/* RFC 9449, section 5. Some clients require a proof. */
static int check_proof(const struct token_call *call, struct error *err)
{
    const char *wanted = call->client->settings->dpop;

    if (call->proof.jkt || !wanted || strcmp(wanted, "required") != 0)
        return 0;
    return oauth_fail(err, ERR_BAD_REQUEST, "invalid_dpop_proof",
                      "The client must send a DPoP proof.");
}

/* RFC 6749, section 6: a refresh token identifies a public client, as SMART's browser clients
 * expect. */
static int name_client(struct authd *d, const struct request *req, const struct token_in *in,
                       const struct issuer *issuer, struct client_credentials *given,
                       struct error *err)
{
    bool says = given->authorization || given->client_id || given->client_secret ||
                given->client_assertion || given->client_assertion_type;

    if (says || !in->refresh_token || !in->grant_type ||
        strcmp(in->grant_type, "refresh_token") != 0)
        return 0;
    return grant_client(d, req, issuer, in->refresh_token, &given->client_id, err);
}

static int give(struct authd *d, const struct request *req, struct settings_view *view,
                const struct token_in *in, struct endpoint_answer *out, struct error *err)
{
    struct client_credentials given = CLIENT_CREDENTIALS(in);
    struct oauth_client client;
    struct issuer issuer;
    struct token_call call = {.req = req, .in = in, .issuer = &issuer, .client = &client};
    struct token_answer answer = {.access_token = NULL};

    if (issuer_open_view(d, req, view, in->tenantCode, in->visit, &issuer, err) < 0 ||
        name_client(d, req, in, &issuer, &given, err) < 0 ||
        client_authenticate(d, req, &issuer, &given, &client, err) < 0 ||
        dpop_check(d, req, in->visit, &call.proof, err) < 0 || check_proof(&call, err) < 0 ||
        run(d, &call, &answer, err) < 0)
        return -1;
    out->status = 200;
    out->body = answer_json(req, &answer);
    return 0;
}

/* Begins with a guessed settings view if the grant's only effect is client_token.h's record. */
int token(struct authd *d, const struct request *req, const struct token_in *in,
          struct endpoint_answer *out, struct error *err)
{
    struct settings_view view = {.reads = !in->grant_type ||
                                          strcmp(in->grant_type, CLIENT_CREDENTIALS_GRANT) != 0};
    int result;

    do {
        result = give(d, req, &view, in, out, err);
    } while (settings_view_again(&view, result, err));
    return result;
}
