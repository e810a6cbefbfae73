/*
 * issuer.h - an issuer of OpenID Connect and OAuth 2.0: there is one for each tenant,
 * {public_url}/t/{tenantCode}.
 *
 * Its address comes from the configuration, never from a header of the request (OpenID Connect
 * Discovery 1.0, section 4.3; RFC 8414, section 3.3: it must be what a client has been given).
 */
#ifndef ATRIUM_AUTHD_OAUTH_ISSUER_H
#define ATRIUM_AUTHD_OAUTH_ISSUER_H

#include <jansson.h>

#include "authd/authd.h"
#include "settingsd/tenant_api.h"

/* How long what an issuer gives out lives, milliseconds of contract time. */
#define CODE_LIFE SECONDS(60)
#define PUSHED_LIFE SECONDS(60)

/* What an issuer's second factor and its absence are called in `acr`. */
#define ACR_ONE_FACTOR "urn:atrium:acr:one-factor"
#define ACR_TWO_FACTORS "urn:atrium:acr:two-factors"

/* RFC 8628, section 3.4. */
#define GRANT_DEVICE_CODE "urn:ietf:params:oauth:grant-type:device_code"

struct endpoint_visit;
struct settings_view; /* settings_cache.h */

struct issuer {
    struct tenant tenant;
    struct settings_view *view; /* that the tenant was read with; NULL: none */
    const char *public_url;
    const char *url; /* the claim iss */
};

/* The issuer of a tenant's code. ERR_NOT_FOUND: there is no such tenant, or it is suspended.
 * Parks. */
int issuer_open(struct authd *d, const struct request *req, const char *code,
                const struct endpoint_visit *visit, struct issuer *ret, struct error *err) MUST_USE;

/* The same, of what the request has seen of the settings. Parks. */
int issuer_open_view(struct authd *d, const struct request *req, struct settings_view *view,
                     const char *code, const struct endpoint_visit *visit, struct issuer *ret,
                     struct error *err) MUST_USE;

/* The address of one of its endpoints ("token"), from the arena. */
const char *issuer_endpoint(const struct issuer *self, struct arena *arena, const char *name);

/* What a metadata document says: addresses of endpoints, and lists of words. The rows end with a
 * name that is NULL. */
struct issuer_address {
    const char *name, *path;
};
struct issuer_words {
    const char *name;
    const char *const *words;
};

/* A list of words as JSON, a new reference. */
json_t *issuer_words(const char *const *words);

/* A metadata document with these rows, a new reference. */
json_t *issuer_describe(const struct issuer *self, struct arena *arena,
                        const struct issuer_address *addresses, const struct issuer_words *lists);

/* The algorithms that clients can sign with and the grant types, in every metadata document of an
 * issuer. */
extern const char *const issuer_auth_algs[], *const issuer_grant_types[];

#endif
