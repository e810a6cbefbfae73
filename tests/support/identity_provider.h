/*
 * identity_provider.h - an identity provider (OpenID Connect) for tests, on https://127.0.0.1. It
 * runs on threads of the test's program.
 *
 * Its authorization endpoint shows no page: it redirects with a code for the person that the test
 * set. The token endpoint checks client, code (one use), redirect URI and PKCE. A test bends its
 * answers.
 */
#ifndef ATRIUM_TESTS_SUPPORT_IDENTITY_PROVIDER_H
#define ATRIUM_TESTS_SUPPORT_IDENTITY_PROVIDER_H

#include <jansson.h>

#include "tests/support/unit.h"

enum identity_endpoint {
    IDENTITY_DISCOVERY,
    IDENTITY_KEYS,
    IDENTITY_AUTHORIZE,
    IDENTITY_TOKEN,
    IDENTITY_ENDPOINTS
};

/* How an endpoint answers. */
enum identity_trouble {
    IDENTITY_FINE,
    IDENTITY_SILENT,   /* not at all, until the bend is changed */
    IDENTITY_SLOW,     /* after 300 ms */
    IDENTITY_CUT,      /* closes the connection */
    IDENTITY_FAILS,    /* 500 */
    IDENTITY_REDIRECT, /* 302 to the right answer */
    IDENTITY_GARBAGE,  /* 200 with text that is not JSON */
    IDENTITY_HUGE,     /* the right answer with a member of 1 MiB */
};

/* Zeroed: an honest provider. The JSON objects are merged over the honest answer; a member that is
 * null removes it. */
struct identity_bend {
    enum identity_trouble trouble[IDENTITY_ENDPOINTS];
    json_t *metadata; /* the discovery document's */
    json_t *keys;     /* replaces the key set */
    json_t *header;   /* the ID token's */
    json_t *claims;   /* the ID token's */
    json_t *answer;   /* the token endpoint's */
    const char *alg;  /* RS256, PS256, ES256 (default), EdDSA; "none"; "HS256": the public key's PEM
                         as secret */
    const char *iss;  /* the callback's; "": none. NULL: the issuer, announced */
    bool unpublished; /* signs with a key that is not in the key set */
    bool by_post;     /* takes only client_secret_post; otherwise only client_secret_basic */
    const char *cache_control; /* for discovery document and key set; NULL: none */
    int64_t shift_s;           /* its clock is ahead */
};

struct identity_provider;

/* Starts a provider with one client, and certificate_make()'s certificate in `dir`, which
 * client_ca_file must name. Ends the test program on failure. */
struct identity_provider *identity_provider_start(const struct unit_dir *dir, const char *client_id,
                                                  const char *secret);
void identity_provider_stop(struct identity_provider **self_p);

const char *identity_provider_issuer(const struct identity_provider *self);

/* Sets the person's claims ("sub" at least), which later sign-ins have. Consumes them. */
void identity_provider_person(struct identity_provider *self, json_t *claims);

/* Bends later answers. Consumes the JSON, borrows the texts; NULL: honest again. */
void identity_provider_bend(struct identity_provider *self, const struct identity_bend *bend);

/* Replaces the keys; the old ones are no longer published. */
void identity_provider_rotate(struct identity_provider *self);

/* Goes to an authorization URL, as a browser does. Returns the callback's URL, to which the
 * provider redirects (caller frees), or NULL. */
char *identity_provider_visit(struct identity_provider *self, const char *authorize_url);

/* Returns the value of a query parameter, decoded (caller frees), or NULL. */
char *identity_provider_parameter(const char *url, const char *name);

/* Signs a logout token (Back-Channel Logout 1.0, section 2.4) for `sub` of the person. `claims` is
 * merged over it and consumed; NULL: none. The bend's alg, header and key count, not its claims.
 * The caller frees it. */
char *identity_provider_logout_token(struct identity_provider *self, json_t *claims);

/* Returns how many requests an endpoint got. */
long identity_provider_count(const struct identity_provider *self, enum identity_endpoint endpoint);

#endif
