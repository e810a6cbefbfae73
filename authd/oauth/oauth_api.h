/*
 * oauth_api.h - issuers' endpoints, consents, FHIR servers and security events.
 */
#ifndef ATRIUM_AUTHD_OAUTH_OAUTH_API_H
#define ATRIUM_AUTHD_OAUTH_OAUTH_API_H

#include "common/domain/endpoint.h"
#include "common/wire/fields.h"

/* ---- FHIR servers ---- */

enum {
    FHIR_SERVER_SCOPES_MAX = 50, /* per role */
    FHIR_BASE_MAX = 512,
};

struct fhir_servers_in {
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(fhir_servers_in);

/* A new server, or the new settings of server `id`. */
struct fhir_server_in {
    struct uuid id; /* path */
    const char *name, *base;
    struct field_texts patientScopes, practitionerScopes;
};
FIELD_DECLARE(fhir_server_in);

struct fhir_server_id_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(fhir_server_id_in);

struct fhir_server {
    struct uuid id;
    const char *name, *base;
    const char *patientScopes, *practitionerScopes; /* JSON arrays of strings */
    int64_t createdAt, lastUpdated;
};
FIELD_DECLARE(fhir_server);

/* A launch from a health record (SMART App Launch 2.2). */
struct launch_create_in {
    const char *clientId;
    struct uuid resource; /* the FHIR server */
    struct uuid patient;  /* profile */
};
FIELD_DECLARE(launch_create_in);

struct launch {
    const char *launch, *iss;
    int64_t expiresAt;
};
FIELD_DECLARE(launch);

struct fhir_server_list {
    struct field_list resources; /* struct fhir_server */
    const char *next;
};
FIELD_DECLARE(fhir_server_list);

/* An ended session, see authd/oauth/security_event.c. */
struct security_event_sign_in {
    struct uuid projectId, sessionId;
    struct uuid id;             /* claim jti, the same for all attempts */
    struct uuid account, actor; /* actor: who ended it; absent: unknown */
    const char *audience;
    int64_t at; /* end of the session, contract ms */
};
FIELD_DECLARE(security_event_sign_in);

struct security_event_token {
    const char *token;
};
FIELD_DECLARE(security_event_token);

/* ---- endpoints of the issuers ---- */

struct issuer_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
};
FIELD_DECLARE(issuer_in);

struct smart_configuration_in {
    const char *tenantCode;
    const struct endpoint_visit *visit;
    struct uuid id; /* path: the FHIR server */
};
FIELD_DECLARE(smart_configuration_in);

/* Members have the parameters' names. A pushed request (RFC 9126) includes credentials. */
struct authorize_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *client_id, *redirect_uri, *response_type, *response_mode, *scope, *state, *nonce;
    const char *code_challenge, *code_challenge_method, *prompt, *max_age, *login_hint;
    const char *ui_locales, *acr_values, *claims, *id_token_hint, *resource;
    const char *idp_hint; /* id of an identity provider */
    const char *aud;      /* SMART App Launch's `resource` */
    const char *launch;
    const char *dpop_jkt; /* key thumbprint (RFC 9449, section 10) */
    const char *request, *request_uri;
    const char *next; /* sealed request from a page */
    const char *client_secret, *client_assertion, *client_assertion_type;
};
FIELD_DECLARE(authorize_in);

struct token_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *grant_type, *code, *redirect_uri, *code_verifier, *refresh_token, *scope, *resource;
    const char *device_code;
    const char *client_id, *client_secret, *client_assertion, *client_assertion_type;
};
FIELD_DECLARE(token_in);

/* RFC 8628, section 3.1. */
struct device_authorization_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *scope, *resource;
    const char *client_id, *client_secret, *client_assertion, *client_assertion_type;
};
FIELD_DECLARE(device_authorization_in);

/* RFC 7662, section 2.1; RFC 7009, section 2.1. */
struct introspect_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *token;
    const char *client_id, *client_secret, *client_assertion, *client_assertion_type;
};
FIELD_DECLARE(introspect_in);

struct userinfo_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *access_token; /* in a POST */
};
FIELD_DECLARE(userinfo_in);

/* OpenID Connect RP-Initiated Logout 1.0, section 2, and the page's form. */
struct end_session_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *id_token_hint, *client_id, *post_logout_redirect_uri, *state, *ui_locales;
    const char *action; /* "end", "stay" */
};
FIELD_DECLARE(end_session_in);

struct consent {
    const char *clientId, *name;
    const char *scope; /* space-separated */
    int64_t createdAt, lastUpdated;
};
FIELD_DECLARE(consent);

struct consent_list {
    struct field_list consents; /* struct consent, by name */
};
FIELD_DECLARE(consent_list);

struct consent_in {
    const char *clientId; /* query */
};
FIELD_DECLARE(consent_in);

#endif
