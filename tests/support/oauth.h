/*
 * oauth.h - an OAuth client of the demo tenant and its requests to the issuer.
 */
#ifndef ATRIUM_TESTS_SUPPORT_OAUTH_H
#define ATRIUM_TESTS_SUPPORT_OAUTH_H

#include "tests/support/browser.h"
#include "tests/support/jose.h"

#define OAUTH_REDIRECT "https://app.example/cb"
#define OAUTH_VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" /* RFC 7636, appendix B */
#define OAUTH_CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define OAUTH_PKCE "&code_challenge=" OAUTH_CHALLENGE "&code_challenge_method=S256"

/* The parameters of a usual authorize request after client_id. */
#define OAUTH_USUAL                                                             \
    "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=st8" \
    "&scope=openid+profile+email" OAUTH_PKCE

/* Appended to a request: the ID token needs a second factor. */
#define OAUTH_TWO_FACTORS                                                           \
    "&claims=%7B%22id_token%22%3A%7B%22acr%22%3A%7B%22essential%22%3Atrue%2C%22val" \
    "ue%22%3A%22urn%3Aatrium%3Aacr%3Atwo-factors%22%7D%7D%7D"

/* Appended to a request: the ID token needs an unknown acr. */
#define OAUTH_UNKNOWN_ACR                                                           \
    "&claims=%7B%22id_token%22%3A%7B%22acr%22%3A%7B%22essential%22%3Atrue%2C%22val" \
    "ues%22%3A%5B%22urn%3Amace%3Asilver%22%5D%7D%7D%7D"

/* Starts a suite for issuers: two gateways, two authd, test clock, an admin, a patient with
 * FORM_PASSWORD, and a client of oauth_register(). */
void oauth_scene_set(struct suite **ret, struct person **ret_admin, struct person **ret_patient,
                     char **ret_client, const char *more);

void oauth_scene_leave(struct suite **self_p, struct person **admin_p, struct person **patient_p,
                       char **client_p);

char *oauth_issuer(struct suite *suite);

/* Registers a public client of the admin's project; `more`: further JSON members, which override.
 * The caller frees the id. */
char *oauth_register(struct suite *suite, const struct person *admin, const char *more);

char *oauth_secret(struct suite *suite, const struct person *admin, const char *client);

/* Returns a client's "Authorization: Basic ..." (RFC 6749, section 2.3.1) in a static buffer. */
const char *oauth_basic(const char *client, const char *secret);

/* Requests authorize with `client_id` and then the parameters `behind`. Returns the status. */
int oauth_ask(struct browser *browser, const char *client, const char *behind);

/* Follows redirects on this host. Returns the last status. */
int oauth_follow(struct browser *browser);

/* Submits the displayed sign-in form, which carries its request, and follows. Returns the last
 * status. */
int oauth_sign_in(struct browser *browser, const char *email, const char *password);

/* Presses a button of the displayed consent ("allow") and follows. Returns the last status. */
int oauth_consent(struct browser *browser, const char *button);

/* Checks whether an authorize request of a signed-in browser asks the person `again` or returns a
 * code. */
void oauth_check_asked(struct browser *browser, const char *client, const char *behind, bool again);

/* Returns a parameter of the redirect ("code"), "" if there is none (caller frees). */
char *oauth_parameter(const struct browser *browser, const char *name);

struct http_answer *oauth_post(struct suite *suite, const char *endpoint, const char *form);

/* Posts with a header such as oauth_proof() returns; NULL: none. */
struct http_answer *oauth_post_with(struct suite *suite, const char *endpoint, const char *form,
                                    const char *header);

/* Makes the form that exchanges the client's code with the usual redirect URI and verifier, in a
 * static buffer. */
const char *oauth_redeeming(const char *client, const char *code);

struct http_answer *oauth_exchange(struct suite *suite, const char *client, const char *code);

/* Signs a person in with the usual request and returns a code (caller frees). */
char *oauth_code(struct browser *browser, const struct person *person, const char *client,
                 const char *behind);

/* Signs the person in with that browser and returns the response with the tokens. */
struct http_answer *oauth_tokens(struct suite *suite, struct browser *browser,
                                 const struct person *person, const char *client,
                                 const char *behind);

/* Requests userinfo with the token as bearer token or in a form; NULL: not sent there. */
struct http_answer *oauth_userinfo(struct suite *suite, const char *method, const char *bearer,
                                   const char *form);

/* Refreshes a public client's tokens; `more`: further parameters, "&scope=openid". */
struct http_answer *oauth_renew(struct suite *suite, const char *client, const char *refresh,
                                const char *more);

/* Returns a connection that locks a table of authd until it is closed; mode: "share". */
PGconn *oauth_hold(struct suite *suite, const char *table, const char *mode);

/* Posts to the token endpoint while that table's rows can only be read, and calls `change` once the
 * request is blocked by that lock. */
struct http_answer *oauth_token_during(struct suite *suite, const char *form, const char *table,
                                       void (*change)(void *arg), void *arg);

/* A DPoP proof for one request (RFC 9449, section 4.2). */
struct oauth_proof {
    const char *method, *url;
    const char *nonce; /* NULL: none */
    const char *token; /* the token it accompanies; NULL: none */
    int64_t made;      /* iat, in seconds; 0: now */
};

/* Returns the proof's header, "DPoP: ...", with a unique id (caller frees). */
char *oauth_proof(const struct jose *key, const struct oauth_proof *of);

/* Returns the header for a POST to an issuer's endpoint (caller frees). */
char *oauth_proof_for(struct suite *suite, const char *endpoint, const struct jose *key,
                      const char *nonce);

/* Requests a nonce by sending a proof without one (caller frees). */
char *oauth_nonce(struct suite *suite, const char *client, const struct jose *key);

/* Returns the claims of a token verified by the issuer's published keys, or NULL. The caller
 * decrefs them. typ, alg: expected header. */
json_t *oauth_claims(struct suite *suite, const char *token, const char *typ, const char *alg);

/* Like oauth_claims(), with the caller's key set. */
json_t *oauth_claims_by(const json_t *keys, const char *token, const char *typ, const char *alg);

/* Waits up to half a minute until each gateway, which caches keys for ten seconds, publishes this
 * many. */
bool oauth_keys_come_to(struct suite *suite, size_t want);

#endif
