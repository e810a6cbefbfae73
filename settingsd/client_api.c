/* client_api.c - see client_api.h. */
#include "settingsd/client_api.h"

#include <stdio.h>

#include "common/domain/name.h"
#include "common/domain/uri.h"
#include "settingsd/shape_api.h"

enum {
    JWKS_MAX = 16384,
    URI_MAX = 2000,
    URIS_MAX = 32,
    SCOPE_MAX = 128,
    SCOPES_MAX = 64,
    CLIENT_ID_MAX = 255, /* in requests; an invalid id is not found */
    PREVIOUS_HOURS = 24, /* validity of a replaced secret */
    PREVIOUS_HOURS_MAX = 24 * 7,
};

/* RFC 6749, section 3.3. */
static int scope_check(const char *value, char why[static 96])
{
    snprintf(why, 96, "must contain only printable ASCII without spaces, quotes and backslashes");
    for (; *value; value++) {
        if (*value <= ' ' || *value > '~' || *value == '"' || *value == '\\')
            return -1;
    }
    return 0;
}

static const char *const client_types[] = {"public", "confidential", NULL};
const char *const client_auth_texts[] = {"none", "client_secret_basic", "client_secret_post",
                                         "private_key_jwt", NULL};
static const char *const id_token_algs[] = {"RS256", "ES256", NULL};
/* The claims of authd/oauth/person_claims.c. */
static const char *const person_claims[] = {"name",  "given_name",     "family_name", "locale",
                                            "email", "email_verified", "fhirUser",    NULL};
static const char *const dpop_choices[] = {"required", "optional", NULL};
static const char *const grant_types[] = {"authorization_code", "refresh_token",
                                          "client_credentials",
                                          "urn:ietf:params:oauth:grant-type:device_code", NULL};

#define PREVIOUS_HOURS_ROW(s)                                             \
    FIELD_INT(s, previousHours, 0, PREVIOUS_HOURS_MAX, PREVIOUS_HOURS, 0, \
              "Hours for which the previous secret stays valid; 0 revokes it immediately.", "24")

/* Rows of struct oauth_settings, which is s or, with `at`, its member. URI_CHECKS are for input;
 * NO_CHECKS for stored registrations, which can predate a check. */
#define URI_CHECKS uri_https_check, uri_redirect_check, uri_resource_check
#define NO_CHECKS NULL, NULL, NULL
#define OAUTH_ROWS(s, at, checks_) OAUTH_ROWS_(s, at, checks_)
#define OAUTH_ROWS_(s, at, https_check_, redirect_check_, resource_check_)                         \
    FIELD_CHOICE(s, FIELD_AS(at type, "type"), client_types, 0,                                    \
                 "`confidential` if the application can keep a secret (RFC 6749, section 2.1); "   \
                 "the default is `public`.",                                                       \
                 "confidential"),                                                                  \
        FIELD_ENUM(                                                                                \
            s, FIELD_AS(at authMethod, "authMethod"), client_auth, client_auth_texts, 0,           \
            "How the application authenticates at the token endpoint (RFC 7591, section 2). The "  \
            "default is `client_secret_basic` for confidential applications, otherwise `none`.",   \
            "client_secret_basic"),                                                                \
        FIELD_JSON_OBJECT(s, FIELD_AS(at jwks, "jwks"), JWKS_MAX, 0,                               \
                          "Public keys for `private_key_jwt`, as a JWK Set (RFC 7517).",           \
                          "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"1\","            \
                          "\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\","                 \
                          "\"y\":\"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM\"}]}"),             \
        FIELD_CHECKED(s, FIELD_AS(at jwksUri, "jwksUri"), 1, URI_MAX, https_check_, 0,             \
                      "URL of the public keys, instead of `jwks`.",                                \
                      "https://portal.example.com/jwks.json"),                                     \
        FIELD_ROW(s, FIELD_AS(at redirectUris, "redirectUris"), FIELD_TYPE_TEXTS,                  \
                  struct field_texts, .min = 1, .max = URI_MAX, .max_items = URIS_MAX,             \
                  .check = redirect_check_,                                                        \
                  .doc = "Redirect URIs: https, http on 127.0.0.1, [::1] or localhost with any "   \
                         "port, or a custom scheme that contains a dot.",                          \
                  .example = "https://portal.example.com/callback"),                               \
        FIELD_ROW(s, FIELD_AS(at grantTypes, "grantTypes"), FIELD_TYPE_TEXTS, struct field_texts,  \
                  .max = 64, .max_items = 4, .choices = grant_types,                               \
                  .doc =                                                                           \
                      "Grant types that the application can use; if empty, it can't get tokens.",  \
                  .example = "authorization_code"),                                                \
        FIELD_ROW(s, FIELD_AS(at scopes, "scopes"), FIELD_TYPE_TEXTS, struct field_texts,          \
                  .min = 1, .max = SCOPE_MAX, .max_items = SCOPES_MAX, .check = scope_check,       \
                  .doc = "Scopes that the application can request.", .example = "openid"),         \
        FIELD_ROW(s, FIELD_AS(at audiences, "audiences"), FIELD_TYPE_TEXTS, struct field_texts,    \
                  .min = 1, .max = URI_MAX, .max_items = URIS_MAX, .check = resource_check_,       \
                  .doc = "Resources that access tokens can be for (RFC 8707).",                    \
                  .example = "https://fhir.example.com/r4"),                                       \
        FIELD_ROW(s, FIELD_AS(at postLogoutRedirectUris, "postLogoutRedirectUris"),                \
                  FIELD_TYPE_TEXTS, struct field_texts, .min = 1, .max = URI_MAX,                  \
                  .max_items = URIS_MAX, .check = redirect_check_,                                 \
                  .doc = "URIs to which browsers can return after sign-out.",                      \
                  .example = "https://portal.example.com/"),                                       \
        FIELD_CHECKED(                                                                             \
            s, FIELD_AS(at backchannelLogoutUri, "backchannelLogoutUri"), 1, URI_MAX,              \
            https_check_, 0,                                                                       \
            "URL that receives logout tokens when a session ends (Back-Channel Logout 1.0).",      \
            "https://portal.example.com/backchannel"),                                             \
        FIELD_CHOICE(                                                                              \
            s, FIELD_AS(at dpop, "dpop"), dpop_choices, 0,                                         \
            "Whether tokens must be bound to a key (DPoP, RFC 9449); the default is `optional`.",  \
            "optional"),                                                                           \
        FIELD_CHOICE(s, FIELD_AS(at idTokenAlg, "idTokenAlg"), id_token_algs, 0,                   \
                     "Signature algorithm of ID tokens; the default is `RS256`.", "RS256"),        \
        FIELD_BOOL(s, FIELD_AS(at firstParty, "firstParty"), false, 0,                             \
                   "Whether this is a first-party application: people aren't asked for consent, "  \
                   "and its tokens can be for Atrium's API."),                                     \
        FIELD_BOOL(s, FIELD_AS(at pkceOptional, "pkceOptional"), false, 0,                         \
                   "Whether PKCE (RFC 7636) is optional; confidential applications only."),        \
        FIELD_ROW(s, FIELD_AS(at idTokenClaims, "idTokenClaims"), FIELD_TYPE_TEXTS,                \
                  struct field_texts, .max = 64, .max_items = 7, .choices = person_claims,         \
                  .doc = "Claims to put into ID tokens whenever their scope was granted, even if " \
                         "no request asks for them.",                                              \
                  .example = "email"),                                                             \
        FIELD_TEXT(                                                                                \
            s, FIELD_AS(at tosVersion, "tosVersion"), 1, 64, 0,                                    \
            "Version of the application's terms. A new version asks people for consent again.",    \
            "2026-01"),                                                                            \
        FIELD_ROW(s, FIELD_AS(at patientScopes, "patientScopes"), FIELD_TYPE_TEXTS,                \
                  struct field_texts, .min = 1, .max = SCOPE_MAX, .max_items = SCOPES_MAX,         \
                  .check = scope_check,                                                            \
                  .doc = "SMART scopes that patients can grant to the application.",               \
                  .example = "patient/Observation.rs"),                                            \
        FIELD_ROW(s, FIELD_AS(at practitionerScopes, "practitionerScopes"), FIELD_TYPE_TEXTS,      \
                  struct field_texts, .min = 1, .max = SCOPE_MAX, .max_items = SCOPES_MAX,         \
                  .check = scope_check,                                                            \
                  .doc = "SMART scopes that practitioners can grant to the application.",          \
                  .example = "patient/Observation.rs")

static const struct field oauth_settings_rows[] = {OAUTH_ROWS(struct oauth_settings, , NO_CHECKS)};
FIELD_TABLE(oauth_settings);

static const struct field oauth_settings_in_rows[] = {
    OAUTH_ROWS(struct oauth_settings, , URI_CHECKS)};
FIELD_VARIANT(oauth_settings_in, struct oauth_settings);

static const struct field client_in_rows[] = {
    FIELD_UUID(struct client_in, id, FIELD_PATH, "ID of the client application to replace."),
    FIELD_CHECKED(struct client_in, name, 1, 200, name_check, FIELD_REQUIRED | FIELD_CHARACTERS,
                  "Name of the application.", "Patient portal"),
    OAUTH_ROWS(struct client_in, settings., URI_CHECKS),
    FIELD_IF_MATCH(struct client_in, "the registration"),
};
FIELD_TABLE(client_in);

static const struct field client_rows[] = {
    FIELD_UUID(struct client, id, FIELD_REQUIRED, "The application's `clientId`.",
               "019a5c1e-7d3b-7c56-9a6e-0f5d2f8b6c12"),
    FIELD_TEXT(struct client, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the application.", "Patient portal"),
    FIELD_TIME(struct client, lastUpdated, FIELD_REQUIRED,
               "When the application was registered or last replaced."),
    FIELD_CHOICE(struct client, type, client_types, 0,
                 "`confidential` if the application can keep a secret, otherwise `public`.",
                 "public"),
    FIELD_ENUM(struct client, authMethod, client_auth, client_auth_texts, 0,
               "How the application authenticates at the token endpoint.", "none"),
    FIELD_JSON_TEXTS(struct client, grantTypes, 1024, 0,
                     "Grant types that the application can use.", "[\"authorization_code\"]"),
    FIELD_BOOL(struct client, firstParty, false, 0, "Whether this is a first-party application."),
};
FIELD_TABLE(client);

static const struct field client_record_rows[] = {
    FIELD_UUID(struct client_record, id, FIELD_REQUIRED,
               "ID of the application: `clientId` in this API, `client_id` in OAuth.",
               "019a5c1e-7d3b-7c56-9a6e-0f5d2f8b6c12"),
    FIELD_TEXT(struct client_record, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the application.", "Patient portal"),
    FIELD_TIME(struct client_record, lastUpdated, FIELD_REQUIRED,
               "When the application was registered or last replaced."),
    OAUTH_ROWS(struct client_record, settings., NO_CHECKS),
    FIELD_TIME(struct client_record, secretCreatedAt, FIELD_NULLABLE,
               "When the client secret was created; null if there is none."),
    FIELD_TIME(struct client_record, previousSecretUntil, FIELD_NULLABLE,
               "Until when the previous secret is still valid; null if it is not.", "null"),
    FIELD_TEXT(struct client_record, secret, 0, 64, FIELD_SECRET,
               "The `client_secret`; only in the response that creates it.",
               "atcs_C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE"),
    FIELD_ETAG(struct client_record),
};
FIELD_TABLE(client_record);

static const struct field client_secret_in_rows[] = {
    FIELD_UUID(struct client_secret_in, id, FIELD_PATH | FIELD_REQUIRED,
               "ID of the client application."),
    PREVIOUS_HOURS_ROW(struct client_secret_in),
};
FIELD_TABLE(client_secret_in);

static const struct field client_list_rows[] = {
    FIELD_OBJECTS(struct client_list, resources, client, LIST_MAX, FIELD_REQUIRED,
                  "Client applications of the project, sorted by name."),
};
FIELD_TABLE(client_list);

static const struct field client_lookup_in_rows[] = {
    FIELD_UUID(struct client_lookup_in, clientId, FIELD_REQUIRED, "ID of the client application."),
};
FIELD_TABLE(client_lookup_in);

static const struct field oauth_client_get_in_rows[] = {
    FIELD_UUID(struct oauth_client_get_in, projectId, FIELD_REQUIRED, "Project of the client."),
    FIELD_TEXT(struct oauth_client_get_in, clientId, 0, CLIENT_ID_MAX, FIELD_REQUIRED,
               "The `client_id` of a request.", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(oauth_client_get_in);

static const struct field client_redirect_in_rows[] = {
    FIELD_UUID(struct client_redirect_in, projectId, FIELD_REQUIRED, "Project of the client."),
    FIELD_TEXT(struct client_redirect_in, uri, 1, 2048, FIELD_REQUIRED, "A redirect URI.",
               "https://portal.example.org/callback"),
};
FIELD_TABLE(client_redirect_in);

static const struct field oauth_client_rows[] = {
    FIELD_TEXT(struct oauth_client, clientId, 1, CLIENT_ID_MAX, FIELD_REQUIRED,
               "The client's `client_id`.", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct oauth_client, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the application.", "Patient portal"),
    FIELD_UUID(struct oauth_client, projectId, FIELD_REQUIRED, "Project of the client."),
    FIELD_OBJECT(struct oauth_client, settings, oauth_settings, FIELD_REQUIRED,
                 "OAuth settings of the client."),
    FIELD_BYTES(struct oauth_client, secretHash, 32, 0, "SHA-256 of the client secret."),
    FIELD_BYTES(struct oauth_client, previousHash, 32, 0, "SHA-256 of the previous client secret."),
    FIELD_INT(struct oauth_client, previousUntil, 0, INT64_MAX, 0, 0,
              "When the previous client secret expires.", "0"),
};
FIELD_TABLE(oauth_client);

static const struct field operator_client_create_in_rows[] = {
    FIELD_CHECKED(struct operator_client_create_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the application.", "Patient portal"),
};
FIELD_TABLE(operator_client_create_in);

static const struct field operator_client_put_in_rows[] = {
    FIELD_UUID(struct operator_client_put_in, id, 0,
               "ID of the client application to replace; absent to create one."),
    FIELD_CHECKED(struct operator_client_put_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the application.", "Patient portal"),
    FIELD_ROW(struct operator_client_put_in, settings, FIELD_TYPE_OBJECT,
              const struct oauth_settings *, .table = &oauth_settings_in_table,
              .doc = "OAuth settings of the client application."),
    FIELD_TEXT(struct operator_client_put_in, ifMatch, 0, 256, 0,
               "ETag of the registration that is replaced.", "\"5f0c4a52\""),
};
FIELD_TABLE(operator_client_put_in);
