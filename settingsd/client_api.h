/* client_api.h - client applications of a project. */
#ifndef ATRIUM_SETTINGSD_CLIENT_API_H
#define ATRIUM_SETTINGSD_CLIENT_API_H

#include "common/wire/fields.h"

/* A client's authentication (RFC 7591, section 2), for FIELD_ENUM(). */
enum client_auth {
    CLIENT_AUTH_UNSET,
    CLIENT_AUTH_NONE,
    CLIENT_AUTH_SECRET_BASIC,
    CLIENT_AUTH_SECRET_POST,
    CLIENT_AUTH_PRIVATE_KEY,
};
extern const char *const client_auth_texts[];

/* An OAuth client's rights: scopes and grant types that it can request. A client without OAuth
 * settings is public and has no grants. */
struct oauth_settings {
    const char *type; /* "public", "confidential" (RFC 6749, section 2.1) */
    enum client_auth authMethod;
    const char *jwks; /* JWK set (RFC 7517, section 5) */
    const char *jwksUri;
    struct field_texts redirectUris, grantTypes, scopes;
    struct field_texts audiences; /* resources for its tokens (RFC 8707) */
    struct field_texts postLogoutRedirectUris;
    const char *backchannelLogoutUri;
    const char *dpop;                 /* "required", "optional" (RFC 9449) */
    const char *idTokenAlg;           /* "RS256", "ES256" */
    bool firstParty;                  /* the project's own: no consent, can use Atrium's API */
    bool pkceOptional;                /* RFC 7636 */
    struct field_texts idTokenClaims; /* person's claims that are always in ID tokens */
    const char *tosVersion;           /* a new version asks for consent again */
    struct field_texts patientScopes, practitionerScopes; /* SMART scopes per role */
};
FIELD_DECLARE(oauth_settings);

/* A new client application or, with an id, its new state. */
struct client_in {
    struct uuid id; /* path */
    const char *name;
    struct oauth_settings settings;
    const char *ifMatch; /* header of a replacement */
};
FIELD_DECLARE(client_in);

struct client {
    struct uuid id;
    const char *name;
    int64_t lastUpdated;
    const char *type;
    enum client_auth authMethod;
    const char *grantTypes; /* JSON array of texts */
    bool firstParty;
};
FIELD_DECLARE(client);

struct client_record {
    struct uuid id;
    const char *name;
    int64_t lastUpdated;
    struct oauth_settings settings;
    int64_t secretCreatedAt, previousSecretUntil; /* or 0 */
    const char *secret;                           /* only in the answer that creates it */
    const char *etag;                             /* quoted */
};
FIELD_DECLARE(client_record);

struct client_secret_in {
    struct uuid id; /* path */
    int64_t previousHours;
};
FIELD_DECLARE(client_secret_in);

struct client_list {
    struct field_list resources; /* struct client */
};
FIELD_DECLARE(client_list);

struct client_lookup_in {
    struct uuid clientId;
};
FIELD_DECLARE(client_lookup_in);

struct oauth_client_get_in {
    struct uuid projectId;
    const char *clientId;
};
FIELD_DECLARE(oauth_client_get_in);

struct client_redirect_in {
    struct uuid projectId;
    const char *uri;
};
FIELD_DECLARE(client_redirect_in);

struct oauth_client {
    const char *clientId, *name;
    struct uuid projectId;
    const struct oauth_settings *settings;
    struct field_bytes secretHash, previousHash; /* SHA-256, or NULL bytes */
    int64_t previousUntil;                       /* the previous hash's expiry */
};
FIELD_DECLARE(oauth_client);

struct operator_client_create_in {
    const char *name;
};
FIELD_DECLARE(operator_client_create_in);

/* A new client application or, with an id, its new state. */
struct operator_client_put_in {
    struct uuid id; /* absent: new */
    const char *name;
    const struct oauth_settings *settings; /* NULL: public, without grants */
    const char *ifMatch;                   /* see client_in */
};
FIELD_DECLARE(operator_client_put_in);

#endif
