/*
 * issuer.c - see issuer.h. Handlers: openid_configuration, oauth_configuration, issuer_jwks.
 */
#include "authd/oauth/issuer.h"

#include "authd/oauth/oauth_api.h"
#include "authd/session/issuer_key.h"
#include "authd/tenant.h"
#include "common/domain/endpoint.h"
#include "common/wire/codec.h"
#include "settingsd/client_api.h"

int issuer_open_view(struct authd *d, const struct request *req, struct settings_view *view,
                     const char *code, const struct endpoint_visit *visit, struct issuer *ret,
                     struct error *err)
{
    if (tenant_open_view(d, req, view, code, &ret->tenant, err) < 0)
        return -1;
    ret->view = view;
    ret->public_url = visit->url;
    ret->url = arena_printf(req->arena, "%s/t/%s", visit->url, ret->tenant.tenantCode);
    return 0;
}

int issuer_open(struct authd *d, const struct request *req, const char *code,
                const struct endpoint_visit *visit, struct issuer *ret, struct error *err)
{
    return issuer_open_view(d, req, NULL, code, visit, ret, err);
}

const char *issuer_endpoint(const struct issuer *self, struct arena *arena, const char *name)
{
    return arena_printf(arena, "%s/%s", self->url, name);
}

/* ---- metadata ---- */

const char *const issuer_auth_algs[] = {"RS256", "RS384", "PS256", "ES256", "ES384", NULL};
const char *const issuer_grant_types[] = {"authorization_code", "refresh_token",
                                          "client_credentials", GRANT_DEVICE_CODE, NULL};

json_t *issuer_words(const char *const *words)
{
    json_t *array = json_array();

    for (size_t i = 0; words[i]; i++)
        json_array_append_new(array, json_string(words[i]));
    return array;
}

json_t *issuer_describe(const struct issuer *self, struct arena *arena,
                        const struct issuer_address *addresses, const struct issuer_words *lists)
{
    json_t *page = json_pack("{s:s}", "issuer", self->url);

    for (; addresses->name; addresses++)
        json_object_set_new(page, addresses->name,
                            json_string(issuer_endpoint(self, arena, addresses->path)));
    for (; lists->name; lists++)
        json_object_set_new(page, lists->name, issuer_words(lists->words));
    return page;
}

/* Discovery 1.0, section 3; RFC 8414, section 2; RFC 9126, section 5; RFC 9207, section 3; RFC
 * 9449, section 5.1; RFC 9701, section 7. */
static const struct issuer_words lists[] = {
    {"scopes_supported",
     (const char *const[]){"openid", "profile", "email", "fhirUser", "offline_access", NULL}},
    {"response_types_supported", (const char *const[]){"code", NULL}},
    {"response_modes_supported", (const char *const[]){"query", NULL}},
    {"grant_types_supported", issuer_grant_types},
    {"introspection_endpoint_auth_methods_supported", client_auth_texts + 1}, /* not "none" */
    {"introspection_endpoint_auth_signing_alg_values_supported", issuer_auth_algs},
    {"revocation_endpoint_auth_methods_supported", client_auth_texts},
    {"revocation_endpoint_auth_signing_alg_values_supported", issuer_auth_algs},
    {"introspection_signing_alg_values_supported", (const char *const[]){"RS256", NULL}},
    {"dpop_signing_alg_values_supported",
     (const char *const[]){"ES256", "ES384", "RS256", "PS256", NULL}},
    {"subject_types_supported", (const char *const[]){"public", NULL}},
    {"id_token_signing_alg_values_supported", (const char *const[]){"RS256", "ES256", NULL}},
    {"token_endpoint_auth_methods_supported", client_auth_texts},
    {"token_endpoint_auth_signing_alg_values_supported", issuer_auth_algs},
    {"code_challenge_methods_supported", (const char *const[]){"S256", NULL}},
    {"prompt_values_supported",
     (const char *const[]){"none", "login", "consent", "select_account", NULL}},
    {"acr_values_supported", (const char *const[]){ACR_ONE_FACTOR, ACR_TWO_FACTORS, NULL}},
    {"claim_types_supported", (const char *const[]){"normal", NULL}},
    {"claims_supported",
     (const char *const[]){"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr",
                           "at_hash", "sid", "name", "given_name", "family_name", "locale", "email",
                           "email_verified", "fhirUser", NULL}},
    {"ui_locales_supported", (const char *const[]){"en", "de", "es", NULL}},
    {NULL, NULL},
};

static const struct issuer_address endpoints[] = {
    {"authorization_endpoint", "authorize"},
    {"token_endpoint", "token"},
    {"userinfo_endpoint", "userinfo"},
    {"jwks_uri", "jwks"},
    {"introspection_endpoint", "introspect"},
    {"revocation_endpoint", "revoke"},
    {"pushed_authorization_request_endpoint", "par"},
    {"device_authorization_endpoint", "device_authorization"},
    {"end_session_endpoint", "logout"},
    {NULL, NULL},
};

static const struct {
    const char *name;
    bool value;
} switches[] = {
    {"authorization_response_iss_parameter_supported", true},
    {"claims_parameter_supported", true},
    {"backchannel_logout_supported", true},
    {"backchannel_logout_session_supported", true},
    {"request_parameter_supported", false},
    {"request_uri_parameter_supported", false},
};

static const char *metadata(const struct issuer *issuer, struct arena *arena)
{
    json_auto_t *page = issuer_describe(issuer, arena, endpoints, lists);

    for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
        json_object_set_new(page, switches[i].name, json_boolean(switches[i].value));
    return codec_dump_json(arena, page);
}

/* ---- handlers ---- */

/* OpenID Connect Discovery 1.0, section 4. */
int openid_configuration(struct authd *d, const struct request *req, const struct issuer_in *in,
                         struct endpoint_answer *out, struct error *err)
{
    struct issuer issuer;

    if (issuer_open(d, req, in->tenantCode, in->visit, &issuer, err) < 0)
        return -1;
    *out = (struct endpoint_answer){.status = 200,
                                    .body = metadata(&issuer, req->arena),
                                    .cacheControl = ENDPOINT_PUBLIC_CACHE};
    return 0;
}

/* RFC 8414, section 3.1. */
int oauth_configuration(struct authd *d, const struct request *req, const struct issuer_in *in,
                        struct endpoint_answer *out, struct error *err)
{
    return openid_configuration(d, req, in, out, err);
}

/* RFC 7517, section 5. */
int issuer_jwks(struct authd *d, const struct request *req, const struct issuer_in *in,
                struct endpoint_answer *out, struct error *err)
{
    struct issuer issuer;

    if (issuer_open(d, req, in->tenantCode, in->visit, &issuer, err) < 0)
        return -1;
    *out = (struct endpoint_answer){
        .status = 200, .body = issuer_key_set(d, req), .cacheControl = ENDPOINT_PUBLIC_CACHE};
    return 0;
}
