/*
 * issuer.h - OpenID Connect and OAuth 2.0 issuers, one per tenant: {public_url}/t/{tenantCode}.
 *
 * The URL comes from the configuration, never from a request header (OpenID Connect Discovery 1.0,
 * section 4.3; RFC 8414, section 3.3).
 */
#ifndef ATRIUM_AUTHD_OAUTH_ISSUER_H
#define ATRIUM_AUTHD_OAUTH_ISSUER_H

#include <jansson.h>

#include "authd/authd.h"
#include "settingsd/tenant_api.h"

/* Milliseconds of contract time. */
#define CODE_LIFE SECONDS(60)
#define PUSHED_LIFE SECONDS(60)

/* Values of `acr`. */
#define ACR_ONE_FACTOR "urn:atrium:acr:one-factor"
#define ACR_TWO_FACTORS "urn:atrium:acr:two-factors"

/* RFC 8628, section 3.4. */
#define GRANT_DEVICE_CODE "urn:ietf:params:oauth:grant-type:device_code"

struct endpoint_visit;
struct settings_view;

struct issuer {
    struct tenant tenant;
    struct settings_view *view; /* used to read the tenant; NULL: none */
    const char *public_url;
    const char *url; /* claim iss */
};

/* Opens a tenant's issuer. ERR_NOT_FOUND: no such tenant, or suspended. Parks. */
int issuer_open(struct authd *d, const struct request *req, const char *code,
                const struct endpoint_visit *visit, struct issuer *ret, struct error *err) MUST_USE;

/* Like issuer_open(), with the request's settings view. Parks. */
int issuer_open_view(struct authd *d, const struct request *req, struct settings_view *view,
                     const char *code, const struct endpoint_visit *visit, struct issuer *ret,
                     struct error *err) MUST_USE;

/* Returns an endpoint's URL ("token"), from the arena. */
const char *issuer_endpoint(const struct issuer *self, struct arena *arena, const char *name);

/* Rows of a metadata document, terminated by a NULL name. */
struct issuer_address {
    const char *name, *path;
};
struct issuer_words {
    const char *name;
    const char *const *words;
};

/* Returns a new reference to a JSON list. */
json_t *issuer_words(const char *const *words);

/* Returns a new reference to a metadata document. */
json_t *issuer_describe(const struct issuer *self, struct arena *arena,
                        const struct issuer_address *addresses, const struct issuer_words *lists);

/* For all metadata documents. */
extern const char *const issuer_auth_algs[], *const issuer_grant_types[];

#endif
