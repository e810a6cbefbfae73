/*
 * federated.h - a sign-in with an identity provider, from its start to the provider's answer
 * (OpenID Connect Core 1.0, section 3.1). authd/page and authd/oauth/federated_callback.c lead the
 * browser.
 *
 * A sign-in is a row with one use, for ten minutes. It is bound to the browser of a page by the
 * page's cookie, and to an application by its code challenge: only it can exchange the session
 * code.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_FEDERATED_H
#define ATRIUM_AUTHD_FEDERATION_FEDERATED_H

#include "authd/authd.h"
#include "authd/federation/provider.h"
#include "common/domain/role.h"
#include "settingsd/tenant_api.h"

struct federated_callback_in;
struct login_step; /* signin/sign_in_api.h */

/* Either a page's or an application's. */
struct federated_begin {
    const struct tenant *tenant;
    struct uuid provider;
    enum role role;
    bool test;                            /* an admin tests a provider in any state */
    const char *cookie, *next;            /* the page's; `next`: or NULL */
    const char *login_hint;               /* email address for the provider's form, or NULL */
    const char *challenge, *redirect_uri; /* the application's */
    struct uuid account, session;         /* a signed-in person's, who links or proves */
    bool step_up;                         /* wants a fresh proof, not a link */
};

/* Starts a sign-in. *ret_url: where to lead the browser. Fails: NOT_FOUND (no such active provider
 * for the role), FORBIDDEN (sign-in is disabled), UNAVAILABLE (the provider doesn't answer).
 * Parks. */
int federated_begin(struct authd *d, const struct request *req, const struct federated_begin *in,
                    struct uuid *ret_login, const char **ret_provider_name, const char **ret_url,
                    struct error *err) MUST_USE;

/* A sign-in that its state has found. */
struct federated {
    struct uuid id, provider, project;
    enum role role;
    struct tenant tenant;
    const char *name;         /* the provider's, or NULL */
    const char *challenge;    /* an application's, or NULL */
    const char *redirect_uri; /* an application's, or NULL */
    const char *next;
    struct uuid account; /* a signed-in person's, or not set */
    bool step_up, test;
    const char *state, *nonce, *verifier;
    struct field_bytes browser_hash;
    int64_t started_ms;
};

/* Finds the sign-in of a callback, which must be for the provider of the path. BAD_REQUEST: there
 * is none. Parks. */
int federated_find(struct authd *d, const struct request *req,
                   const struct federated_callback_in *in, struct federated *ret,
                   struct error *err) MUST_USE;

/* True if a browser with this cookie has started the sign-in on a page. */
bool federated_is_of_browser(const struct federated *self, const char *cookie);

/* Uses the sign-in, takes the provider's answer and finds the person. `challenge`: of the session
 * code. Fails: BAD_REQUEST and other errors of a sign-in. Parks. */
int federated_finish(struct authd *d, const struct request *req, struct federated *self,
                     const struct federated_callback_in *in, const char *challenge,
                     struct login_step *out, struct error *err) MUST_USE;

/* Uses the round of a signed-in person, takes the provider's answer and keeps it for the session
 * that started it (signin/federated_proof.h). *ret: its code. Parks. */
int federated_prove(struct authd *d, const struct request *req, struct federated *self,
                    const struct federated_callback_in *in, const char **ret,
                    struct error *err) MUST_USE;

/* The result of a test. */
struct federated_test {
    struct field_list rules; /* struct rule */
    const char *claims;      /* JSON; NULL: none could be read */
    bool passed;
};

/* Uses a test, takes the provider's answer and records a success. Signs no one in, and links no
 * one. Fails: BAD_REQUEST (used by another request). Parks. */
int federated_test(struct authd *d, const struct request *req, struct federated *self,
                   const struct federated_callback_in *in, struct federated_test *ret,
                   struct error *err) MUST_USE;

#endif
