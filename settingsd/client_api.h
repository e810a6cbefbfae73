/* client_api.h - client applications of a project. */
#ifndef ATRIUM_SETTINGSD_CLIENT_API_H
#define ATRIUM_SETTINGSD_CLIENT_API_H

#include "common/wire/fields.h"

/* How a client authenticates (RFC 7591, section 2), for FIELD_ENUM(). */
enum client_auth {
    CLIENT_AUTH_UNSET,
    CLIENT_AUTH_NONE,
    CLIENT_AUTH_SECRET_BASIC,
    CLIENT_AUTH_SECRET_POST,
    CLIENT_AUTH_PRIVATE_KEY,
};
extern const char *const client_auth_texts[];

/* What an OAuth client may do. Scopes and grant types are those it may request; without OAuth
 * settings it is public and has no grants. */
struct oauth_settings {
    const char *type; /* "public" or "confidential" (RFC 6749, section 2.1) */
    enum client_auth authMethod;
    const char *jwks;    /* its public keys: a JWK set (RFC 7517, section 5) as JSON */
    const char *jwksUri; /* or where that is */
    struct field_texts redirectUris, grantTypes, scopes;
    struct field_texts audiences; /* resources that its tokens may be for (RFC 8707) */
    struct field_texts postLogoutRedirectUris;
    const char *backchannelLogoutUri;
    const char *dpop;       /* "required" or "optional" (RFC 9449) */
    const char *idTokenAlg; /* "RS256" or "ES256": what signs its ID tokens */
    bool firstParty;   /* of the project itself: asks for no consent, may open Atrium's own API */
    bool pkceOptional; /* PKCE is not demanded of it (RFC 7636) */
    struct field_texts idTokenClaims; /* of a person, in its ID tokens without being asked for */
    const char *tosVersion;           /* of its terms: another one asks for consent again */
    struct field_texts patientScopes, practitionerScopes; /* SMART scopes for each role */
};
FIELD_DECLARE(oauth_settings);

/* A new client application, or, with an id, what it is from now on. */
struct client_in {
    struct uuid id; /* path */
    const char *name;
    struct oauth_settings settings;
    const char *ifMatch; /* header, of a replacement */
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
    int64_t secretCreatedAt, previousSecretUntil; /* 0: there is none */
    const char *secret;                           /* only in the answer that makes it */
    const char *etag;                             /* the ETag header, quoted */
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

struct oauth_client {
    const char *clientId, *name;
    struct uuid projectId;
    const struct oauth_settings *settings;
    struct field_bytes secretHash, previousHash; /* SHA-256; NULL bytes: there is none */
    int64_t previousUntil;                       /* the previous one counts until then */
};
FIELD_DECLARE(oauth_client);

struct operator_client_create_in {
    const char *name;
};
FIELD_DECLARE(operator_client_create_in);

/* A new client application, or, with an id, what it is from now on. */
struct operator_client_put_in {
    struct uuid id; /* absent: a new one */
    const char *name;
    const struct oauth_settings *settings; /* NULL: public, without grants */
    const char *ifMatch;                   /* as of client_in */
};
FIELD_DECLARE(operator_client_put_in);

#endif
