/*
 * oauth.h - an OAuth client of the demo tenant, and what it asks of its issuer.
 */
#ifndef ATRIUM_TESTS_SUPPORT_OAUTH_H
#define ATRIUM_TESTS_SUPPORT_OAUTH_H

#include "tests/support/browser.h"
#include "tests/support/jose.h"

#define OAUTH_REDIRECT "https://app.example/cb"
#define OAUTH_VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" /* RFC 7636, appendix B */
#define OAUTH_CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define OAUTH_PKCE "&code_challenge=" OAUTH_CHALLENGE "&code_challenge_method=S256"

/* The whole of a usual request but client_id, to be put behind it. */
#define OAUTH_USUAL                                                             \
    "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=st8" \
    "&scope=openid+profile+email" OAUTH_PKCE

/* To be put behind a request: no ID token but with a second factor. */
#define OAUTH_TWO_FACTORS                                                           \
    "&claims=%7B%22id_token%22%3A%7B%22acr%22%3A%7B%22essential%22%3Atrue%2C%22val" \
    "ue%22%3A%22urn%3Aatrium%3Aacr%3Atwo-factors%22%7D%7D%7D"

/* To be put behind a request: no ID token but with an acr that the issuer does not know. */
#define OAUTH_UNKNOWN_ACR                                                           \
    "&claims=%7B%22id_token%22%3A%7B%22acr%22%3A%7B%22essential%22%3Atrue%2C%22val" \
    "ues%22%3A%5B%22urn%3Amace%3Asilver%22%5D%7D%7D%7D"

/* The suite in which issuers are tested: two gateways and two authd, on the test clock; an admin, a
 * patient whose password is FORM_PASSWORD, and a client of oauth_register(). */
void oauth_scene_set(struct suite **ret, struct person **ret_admin, struct person **ret_patient,
                     char **ret_client, const char *more);

void oauth_scene_leave(struct suite **self_p, struct person **admin_p, struct person **patient_p,
                       char **client_p);

/* The issuer's own name; the caller frees it. */
char *oauth_issuer(struct suite *suite);

/* Registers a public client of the admin's project; `more`: further members as JSON, which win; the
 * caller frees the id. */
char *oauth_register(struct suite *suite, const struct person *admin, const char *more);

/* Exchanges the secret of a client of the admin's project; the caller frees the new one. */
char *oauth_secret(struct suite *suite, const struct person *admin, const char *client);

/* "Authorization: Basic ..." of a client (RFC 6749, section 2.3.1); static. */
const char *oauth_basic(const char *client, const char *secret);

/* Asks authorize with `client_id` and what stands behind it: the status. */
int oauth_ask(struct browser *browser, const char *client, const char *behind);

/* Follows addresses of this host as far as they lead: the last status. */
int oauth_follow(struct browser *browser);

/* Fills in the sign-in that is shown, keeps its request, and follows: the last status. */
int oauth_sign_in(struct browser *browser, const char *email, const char *password);

/* Presses a button of the consent that is shown ("allow"), and follows: the last status. */
int oauth_consent(struct browser *browser, const char *button);

/* Whether a request of a browser that is signed in is answered by asking the person `again`, or by
 * a code. */
void oauth_check_asked(struct browser *browser, const char *client, const char *behind, bool again);

/* A parameter of the address that the browser is sent to ("code"); the caller frees it, "" when
 * there is none, or no such address. */
char *oauth_parameter(const struct browser *browser, const char *name);

/* Posts a form to an endpoint of the issuer ("token"). */
struct http_answer *oauth_post(struct suite *suite, const char *endpoint, const char *form);

/* The same with a further header, as of oauth_proof(); NULL: without. */
struct http_answer *oauth_post_with(struct suite *suite, const char *endpoint, const char *form,
                                    const char *header);

/* The form that exchanges a code of that client with the usual redirect address and verifier;
 * static. */
const char *oauth_redeeming(const char *client, const char *code);

/* Posts that form to the token endpoint. */
struct http_answer *oauth_exchange(struct suite *suite, const char *client, const char *code);

/* A fresh code for a person that signs in to the usual request; the caller frees it. */
char *oauth_code(struct browser *browser, const struct person *person, const char *client,
                 const char *behind);

/* The tokens of a code that a person of that browser is given now. */
struct http_answer *oauth_tokens(struct suite *suite, struct browser *browser,
                                 const struct person *person, const char *client,
                                 const char *behind);

/* Asks the issuer's userinfo: the token as a bearer or in a form; NULL: not so. */
struct http_answer *oauth_userinfo(struct suite *suite, const char *method, const char *bearer,
                                   const char *form);

/* Renews the tokens of a public client; `more`: further parameters, "&scope=openid". */
struct http_answer *oauth_renew(struct suite *suite, const char *client, const char *refresh,
                                const char *more);

/* A connection that holds a lock on a table of authd until it is closed; mode: "share". */
PGconn *oauth_hold(struct suite *suite, const char *table, const char *mode);

/* Posts to the token endpoint while rows of that table can be read and not written, and calls
 * `change` when the request waits for that. */
struct http_answer *oauth_token_during(struct suite *suite, const char *form, const char *table,
                                       void (*change)(void *arg), void *arg);

/* A proof of a key for one request (RFC 9449, section 4.2). */
struct oauth_proof {
    const char *method, *url;
    const char *nonce; /* NULL: none */
    const char *token; /* that it is shown with; NULL: none */
    int64_t made;      /* seconds; 0: now */
};

/* The header of such a proof, "DPoP: ...", with an id of its own; the caller frees it. */
char *oauth_proof(const struct jose *key, const struct oauth_proof *of);

/* The header of a proof for a POST to an endpoint of the issuer; the caller frees it. */
char *oauth_proof_for(struct suite *suite, const char *endpoint, const struct jose *key,
                      const char *nonce);

/* A nonce of the issuer for proofs, which it gives a client that shows one without; the caller
 * frees it. */
char *oauth_nonce(struct suite *suite, const char *client, const struct jose *key);

/* The claims of a token that the published keys of the issuer verify (the caller decrefs); NULL:
 * they do not. typ, alg: what its header must say. */
json_t *oauth_claims(struct suite *suite, const char *token, const char *typ, const char *alg);

/* The same with a key set that the caller has, the `keys` of one. */
json_t *oauth_claims_by(const json_t *keys, const char *token, const char *typ, const char *alg);

/* Whether so many keys of the issuer are published at each gateway, within half a minute: each
 * keeps an answer for ten seconds. */
bool oauth_keys_come_to(struct suite *suite, size_t want);

#endif
