/*
 * smart_configuration.c - a FHIR server's metadata (SMART App Launch 2.2, conformance). Handler:
 * smart_configuration. The FHIR server serves it below its base URL.
 */
#include <string.h>

#include "authd/oauth/fhir_server.h"
#include "authd/oauth/issuer.h"
#include "authd/oauth/oauth_api.h"
#include "common/domain/endpoint.h"
#include "common/wire/codec.h"
#include "settingsd/client_api.h"

static const struct issuer_address endpoints[] = {
    {"jwks_uri", "jwks"},
    {"authorization_endpoint", "authorize"},
    {"token_endpoint", "token"},
    {"introspection_endpoint", "introspect"},
    {"revocation_endpoint", "revoke"},
    {"management_endpoint", "account"},
    {NULL, NULL},
};

static const struct issuer_words lists[] = {
    {"grant_types_supported", issuer_grant_types},
    {"response_types_supported", (const char *const[]){"code", NULL}},
    {"code_challenge_methods_supported", (const char *const[]){"S256", NULL}},
    {"token_endpoint_auth_methods_supported", client_auth_texts},
    {"token_endpoint_auth_signing_alg_values_supported", issuer_auth_algs},
    {"capabilities",
     (const char *const[]){
         "launch-ehr", "launch-standalone", "context-ehr-patient", "context-standalone-patient",
         "context-banner", "permission-patient", "permission-user", "authorize-post",
         "client-public", "client-confidential-symmetric", "client-confidential-asymmetric",
         "sso-openid-connect", "permission-offline", "permission-v1", "permission-v2", NULL}},
    {NULL, NULL},
};

static void add_listed(json_t *array, const char *text, struct arena *arena)
{
    struct error ignored;
    json_auto_t *list = NULL;
    json_t *each, *other;
    size_t i, j;

    error_init(&ignored, arena);
    list = codec_parse_json(text, strlen(text), false, &ignored);
    json_array_foreach(list, i, each)
    {
        bool found = false;

        json_array_foreach(array, j, other) found |= json_equal(each, other);
        if (!found)
            json_array_append(array, each);
    }
}

static json_t *scopes_of(const struct fhir_server *server, struct arena *arena)
{
    json_t *array = issuer_words((const char *const[]){"openid", "profile", "email", "fhirUser",
                                                       "offline_access", "launch", "launch/patient",
                                                       "system/*.cruds", NULL});

    add_listed(array, server->patientScopes, arena);
    add_listed(array, server->practitionerScopes, arena);
    return array;
}

static const char *configuration(const struct issuer *issuer, const struct fhir_server *server,
                                 struct arena *arena)
{
    json_auto_t *page = issuer_describe(issuer, arena, endpoints, lists);

    json_object_set_new(page, "scopes_supported", scopes_of(server, arena));
    return codec_dump_json(arena, page);
}

int smart_configuration(struct authd *d, const struct request *req,
                        const struct smart_configuration_in *in, struct endpoint_answer *out,
                        struct error *err)
{
    struct fhir_server server;
    struct issuer issuer;

    if (issuer_open(d, req, in->tenantCode, in->visit, &issuer, err) < 0 ||
        fhir_server_read(d, req, issuer.tenant.projectId, in->id, &server, err) < 0)
        return -1;
    *out = (struct endpoint_answer){.status = 200,
                                    .body = configuration(&issuer, &server, req->arena),
                                    .cacheControl = ENDPOINT_PUBLIC_CACHE};
    return 0;
}
