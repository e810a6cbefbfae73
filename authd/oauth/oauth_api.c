/*
 * oauth_api.c - see oauth_api.h.
 */
#include "authd/oauth/oauth_api.h"

#include <stdio.h>
#include <string.h>

#include "authd/session/smart_scope.h"
#include "authd/shape_api.h"
#include "common/domain/name.h"
#include "common/domain/uri.h"
#include "common/service/page_cursor.h"

#define ISSUER_ROWS(s)                                                                           \
    FIELD_TEXT(s, tenantCode, 1, 256, FIELD_PATH | FIELD_REQUIRED, "Tenant code of the issuer.", \
               ""),                                                                              \
        FIELD_ENDPOINT(s)

static const struct field issuer_in_rows[] = {
    ISSUER_ROWS(struct issuer_in),
};
FIELD_TABLE(issuer_in);

static const struct field smart_configuration_in_rows[] = {
    ISSUER_ROWS(struct smart_configuration_in),
    FIELD_UUID(struct smart_configuration_in, id, FIELD_PATH | FIELD_REQUIRED,
               "ID of the FHIR server."),
};
FIELD_TABLE(smart_configuration_in);

/* Limits only; the readers check the contents. */
#define PARAMETER_ROW(s, member, max) \
    FIELD_TEXT(s, member, 0, max, 0, "A parameter of the request.", "")
#define SECRET_ROW(s, member, max) \
    FIELD_TEXT(s, member, 0, max, FIELD_SECRET, "A parameter of the request.", "")
#define CLIENT_ROWS(s)                                                   \
    PARAMETER_ROW(s, client_id, 256), SECRET_ROW(s, client_secret, 512), \
        SECRET_ROW(s, client_assertion, 8192), PARAMETER_ROW(s, client_assertion_type, 256)

static const struct field authorize_in_rows[] = {
    ISSUER_ROWS(struct authorize_in),
    CLIENT_ROWS(struct authorize_in),
    PARAMETER_ROW(struct authorize_in, redirect_uri, 2048),
    PARAMETER_ROW(struct authorize_in, response_type, 64),
    PARAMETER_ROW(struct authorize_in, response_mode, 64),
    PARAMETER_ROW(struct authorize_in, scope, 2048),
    PARAMETER_ROW(struct authorize_in, state, 2048),
    PARAMETER_ROW(struct authorize_in, nonce, 1024),
    PARAMETER_ROW(struct authorize_in, code_challenge, 256),
    PARAMETER_ROW(struct authorize_in, code_challenge_method, 64),
    PARAMETER_ROW(struct authorize_in, prompt, 256),
    PARAMETER_ROW(struct authorize_in, max_age, 64),
    PARAMETER_ROW(struct authorize_in, login_hint, 512),
    PARAMETER_ROW(struct authorize_in, idp_hint, 512),
    PARAMETER_ROW(struct authorize_in, ui_locales, 256),
    PARAMETER_ROW(struct authorize_in, acr_values, 1024),
    PARAMETER_ROW(struct authorize_in, claims, 2048),
    PARAMETER_ROW(struct authorize_in, id_token_hint, 4096),
    PARAMETER_ROW(struct authorize_in, resource, 2048),
    PARAMETER_ROW(struct authorize_in, aud, 2048),
    SECRET_ROW(struct authorize_in, launch, 512),
    PARAMETER_ROW(struct authorize_in, dpop_jkt, 256),
    PARAMETER_ROW(struct authorize_in, request, 8192),
    PARAMETER_ROW(struct authorize_in, request_uri, 2048),
    SECRET_ROW(struct authorize_in, next, PAGE_NEXT_MAX),
};
FIELD_TABLE(authorize_in);

static const struct field token_in_rows[] = {
    ISSUER_ROWS(struct token_in),
    CLIENT_ROWS(struct token_in),
    PARAMETER_ROW(struct token_in, grant_type, 256),
    SECRET_ROW(struct token_in, code, 512),
    PARAMETER_ROW(struct token_in, redirect_uri, 2048),
    SECRET_ROW(struct token_in, code_verifier, 256),
    SECRET_ROW(struct token_in, refresh_token, 512),
    PARAMETER_ROW(struct token_in, scope, 2048),
    PARAMETER_ROW(struct token_in, resource, 2048),
    SECRET_ROW(struct token_in, device_code, 512),
};
FIELD_TABLE(token_in);

static const struct field device_authorization_in_rows[] = {
    ISSUER_ROWS(struct device_authorization_in),
    CLIENT_ROWS(struct device_authorization_in),
    PARAMETER_ROW(struct device_authorization_in, scope, 2048),
    PARAMETER_ROW(struct device_authorization_in, resource, 2048),
};
FIELD_TABLE(device_authorization_in);

static const struct field introspect_in_rows[] = {
    ISSUER_ROWS(struct introspect_in),
    CLIENT_ROWS(struct introspect_in),
    SECRET_ROW(struct introspect_in, token, 8192),
};
FIELD_TABLE(introspect_in);

static const struct field userinfo_in_rows[] = {
    ISSUER_ROWS(struct userinfo_in),
    SECRET_ROW(struct userinfo_in, access_token, 8192),
};
FIELD_TABLE(userinfo_in);

static const struct field end_session_in_rows[] = {
    ISSUER_ROWS(struct end_session_in),
    PARAMETER_ROW(struct end_session_in, id_token_hint, 4096),
    PARAMETER_ROW(struct end_session_in, client_id, 256),
    PARAMETER_ROW(struct end_session_in, post_logout_redirect_uri, 2048),
    PARAMETER_ROW(struct end_session_in, state, 2048),
    PARAMETER_ROW(struct end_session_in, ui_locales, 256),
    PARAMETER_ROW(struct end_session_in, FIELD_AS(action, "do"), 64),
};
FIELD_TABLE(end_session_in);

static const struct field consent_rows[] = {
    FIELD_TEXT(struct consent, clientId, 1, 256, FIELD_REQUIRED, "ID of the client.",
               "019af3c2-6a3e-7b1c-9d2e-3f4a5b6c7d8e"),
    FIELD_TEXT(struct consent, name, 1, 200, FIELD_REQUIRED, "Name of the client.", "Diary"),
    FIELD_TEXT(struct consent, scope, 0, 4096, FIELD_REQUIRED, "Scopes that the person allowed.",
               "openid profile"),
    FIELD_TIME(struct consent, createdAt, FIELD_REQUIRED, "When consent was first given.",
               "2026-01-12T08:00:00.000Z"),
    FIELD_TIME(struct consent, lastUpdated, FIELD_REQUIRED, "When consent was last given."),
};
FIELD_TABLE(consent);

static const struct field consent_list_rows[] = {
    FIELD_OBJECTS(struct consent_list, consents, consent, 200, FIELD_REQUIRED,
                  "Consents, sorted by the client's name."),
};
FIELD_TABLE(consent_list);

static const struct field consent_in_rows[] = {
    FIELD_TEXT(struct consent_in, clientId, 1, 256, FIELD_QUERY | FIELD_REQUIRED,
               "ID of the client.", "019af3c2-6a3e-7b1c-9d2e-3f4a5b6c7d8e"),
};
FIELD_TABLE(consent_in);

/* ---- FHIR servers ---- */

/* Accepts http only on the same machine, for development. */
static int check_fhir_base(const char *value, char why[static 96])
{
    struct uri uri;
    bool good = uri_parse(value, &uri) && !uri.has_query &&
                (uri.secure ? uri_https_check(value, why) : uri_redirect_check(value, why)) == 0;

    snprintf(why, 96, "must be an https URL without query, or http on the loopback interface");
    return good ? 0 : -1;
}

static const struct field fhir_servers_in_rows[] = {
    FIELD_TEXT(struct fhir_servers_in, _cursor, 1, PAGE_CURSOR_MAX, FIELD_QUERY,
               "`next` of the previous page.", "AQF3Zm..."),
    FIELD_INT(struct fhir_servers_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY,
              "Maximum number of servers to return.", "50"),
};
FIELD_TABLE(fhir_servers_in);

#define FHIR_SCOPES_ROW(s, member_, check_, doc_, example_)                                       \
    FIELD_ROW(s, member_, FIELD_TYPE_TEXTS, struct field_texts, .min = 1, .max = SMART_SCOPE_MAX, \
              .max_items = FHIR_SERVER_SCOPES_MAX, .check = check_, .doc = doc_,                  \
              .example = example_)

static const struct field fhir_server_in_rows[] = {
    FIELD_UUID(struct fhir_server_in, id, FIELD_PATH, "ID of the server to replace."),
    FIELD_CHECKED(struct fhir_server_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the server.", "Clinical records"),
    FIELD_CHECKED(struct fhir_server_in, base, 1, FHIR_BASE_MAX, check_fhir_base, FIELD_REQUIRED,
                  "Base URL of the server, exactly as applications send it in `aud`.",
                  "https://fhir.example.com/r4"),
    FHIR_SCOPES_ROW(struct fhir_server_in, patientScopes, smart_scope_patient_check,
                    "SMART scopes that patients can grant at this server.", "patient/*.rs"),
    FHIR_SCOPES_ROW(struct fhir_server_in, practitionerScopes, smart_scope_practitioner_check,
                    "SMART scopes that practitioners can grant at this server.", "user/*.cruds"),
};
FIELD_TABLE(fhir_server_in);

static const struct field fhir_server_id_in_rows[] = {
    FIELD_UUID(struct fhir_server_id_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the server."),
};
FIELD_TABLE(fhir_server_id_in);

static const struct field fhir_server_rows[] = {
    FIELD_UUID(struct fhir_server, id, FIELD_REQUIRED,
               "ID of the server. Its SMART configuration is at "
               "`{issuer}/smart/{id}/.well-known/smart-configuration`.",
               "019ac7d3-1f48-7e62-a905-3b8e6d0f2c74"),
    FIELD_TEXT(struct fhir_server, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the server.", "Clinical records"),
    FIELD_TEXT(struct fhir_server, base, 1, FHIR_BASE_MAX, FIELD_REQUIRED,
               "Base URL of the server.", "https://fhir.example.com/r4"),
    FIELD_JSON_TEXTS(struct fhir_server, patientScopes, 8192, FIELD_REQUIRED,
                     "SMART scopes that patients can grant at this server.", "[\"patient/*.rs\"]"),
    FIELD_JSON_TEXTS(struct fhir_server, practitionerScopes, 8192, FIELD_REQUIRED,
                     "SMART scopes that practitioners can grant at this server.",
                     "[\"user/*.cruds\"]"),
    FIELD_TIME(struct fhir_server, createdAt, FIELD_REQUIRED, "When the server was registered.",
               "2026-01-12T08:00:00.000Z"),
    FIELD_TIME(struct fhir_server, lastUpdated, FIELD_REQUIRED,
               "When the server was registered or last replaced."),
};
FIELD_TABLE(fhir_server);

static const struct field launch_create_in_rows[] = {
    FIELD_TEXT(struct launch_create_in, clientId, 1, 64, FIELD_REQUIRED,
               "ID of the client application. It needs the scope `launch`, and the server's base "
               "URL in `audiences`.",
               "019a5c1e-7d3b-7c56-9a6e-0f5d2f8b6c12"),
    FIELD_UUID(struct launch_create_in, resource, FIELD_REQUIRED, "ID of the FHIR server.",
               "019ac7d3-1f48-7e62-a905-3b8e6d0f2c74"),
    FIELD_UUID(struct launch_create_in, patient, FIELD_REQUIRED,
               "ID of the patient's profile, as in `Patient/<id>`."),
};
FIELD_TABLE(launch_create_in);

static const struct field launch_rows[] = {
    FIELD_TEXT(struct launch, launch, 1, 64, FIELD_REQUIRED | FIELD_SECRET,
               "Value of `launch` for the authorization endpoint.",
               "C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE"),
    FIELD_TEXT(struct launch, iss, 1, FHIR_BASE_MAX, FIELD_REQUIRED,
               "Base URL of the server. Send the browser to the application's launch URL with "
               "`iss` and `launch`.",
               "https://fhir.example.com/r4"),
    FIELD_TIME(struct launch, expiresAt, FIELD_REQUIRED, "When the launch expires.",
               "2026-01-31T09:35:00.000Z"),
};
FIELD_TABLE(launch);

static const struct field fhir_server_list_rows[] = {
    FIELD_OBJECTS(struct fhir_server_list, resources, fhir_server, MEMBERS_MAX, FIELD_REQUIRED,
                  "The servers, oldest first."),
    FIELD_TEXT(struct fhir_server_list, next, 1, PAGE_CURSOR_MAX, FIELD_NULLABLE,
               "`_cursor` of the next page; null on the last page.", "AQF3Zm..."),
};
FIELD_TABLE(fhir_server_list);

/* ---- security events ---- */

static const struct field security_event_sign_in_rows[] = {
    FIELD_UUID(struct security_event_sign_in, projectId, FIELD_REQUIRED, "Project of the session."),
    FIELD_UUID(struct security_event_sign_in, sessionId, FIELD_REQUIRED, "Session that ended."),
    FIELD_UUID(struct security_event_sign_in, id, FIELD_REQUIRED, "Identifier of the event."),
    FIELD_UUID(struct security_event_sign_in, account, 0, "Account of the session."),
    FIELD_UUID(struct security_event_sign_in, actor, 0,
               "Account that ended the session; absent if unknown."),
    FIELD_TEXT(struct security_event_sign_in, audience, 1, 255, FIELD_REQUIRED,
               "Recipient of the token (`aud`).", "https://events.example.com"),
    FIELD_INT(struct security_event_sign_in, at, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "When the session ended.", "1"),
};
FIELD_TABLE(security_event_sign_in);

static const struct field security_event_token_rows[] = {
    FIELD_TEXT(struct security_event_token, token, 1, 16384, FIELD_REQUIRED, "The signed token.",
               "eyJ"),
};
FIELD_TABLE(security_event_token);
