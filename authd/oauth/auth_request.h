/*
 * auth_request.h - an authorization request: read, checked, pushed, and carried through the pages
 * on which a person signs in and consents (OpenID Connect Core 1.0, section 3.1.2.1; RFC 6749,
 * section 4.1.1; RFC 7636; RFC 8707; RFC 9126).
 *
 * On its way through the pages it is sealed: nothing that was checked can be changed there, and
 * nothing is written for a person who never comes back. It is good for as long as its page is open:
 * client, address and all else are checked again when it comes back. A sign-in or a consent on the
 * way counts for CONTINUATION_LIFE.
 */
#ifndef ATRIUM_AUTHD_OAUTH_AUTH_REQUEST_H
#define ATRIUM_AUTHD_OAUTH_AUTH_REQUEST_H

#include "authd/oauth/issuer.h"
#include "authd/oauth/oauth_api.h"
#include "authd/oauth/word_list.h"
#include "settingsd/client_api.h"

#define REQUEST_URI_PREFIX "urn:ietf:params:oauth:request_uri:"
#define CONTINUATION_LIFE MINUTES(30) /* of what a page has found out, and of a pushed request */
#define PUSHED_WINDOW MINUTES(15)

enum {
    AUTH_REQUEST_MAX = 4096, /* bytes of the JSON of its parameters */
    PUSHED_MAX = 2000,       /* that one address pushes in PUSHED_WINDOW for public clients */
    PROMPT_NONE = 1 << 0,
    PROMPT_LOGIN = 1 << 1, /* select_account, too: a browser has one account of a tenant */
    PROMPT_CONSENT = 1 << 2,
};

struct auth_request {
    struct authorize_in in; /* the parameters */
    struct oauth_client client;
    const char *scope; /* of those that were asked for, what the client may have */
    bool smart;        /* the resource is this FHIR server; smart_narrow() has not run yet: */
    struct fhir_server server;
    struct uuid patient; /* by smart_narrow(): that the grant is about */
    unsigned prompt;
    int64_t max_age_s; /* -1: any */
    bool two_factors;  /* acr is essential, and is that */
    /* Of `id_token` in `claims`: */
    const char *id_claims; /* of the person, words between blanks; NULL: none */
    const char *id_acr;    /* an essential acr that is not the highest; NULL: none */
    const char *subjects;  /* the person's id is one of these words; NULL: any */
    bool prefers_two;      /* of acr_values the first that is known is that */
    const char *pushed;    /* the secret part of the request_uri; NULL: it was not pushed */
    /* Of one that comes back from a page: */
    int64_t sent_at;       /* when the person was sent to sign in anew; 0: was not */
    const char *session;   /* that the browser had then; "" */
    const char *consented; /* the account that has just consented; "" */
    bool denied;           /* it has not */
    bool to_device;        /* of no client: on the way to the page for devices */
};

/* Whether the person has signed in since it was sent to, within CONTINUATION_LIFE: by this session,
 * which is neither the one that the browser had then nor an older one (by a minute). The request
 * could be one that another browser was sent on with. */
bool auth_request_signed_in_anew(const struct auth_request *self, struct uuid session,
                                 int64_t created_at, int64_t now_ms);

/* Reads what a request says: its parameters, or the pushed ones that it names, or the sealed ones
 * that come back. ERR_BAD_REQUEST with a word of OAuth otherwise. Parks. */
int auth_request_read(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const struct authorize_in *in, struct auth_request *ret,
                      struct error *err) MUST_USE;

/* Finds its client, and whether the redirect address is one of it: while either is open, no
 * browser is sent anywhere (RFC 9700, section 4.11). ERR_BAD_REQUEST: they are not known. Parks. */
int auth_request_find_client(struct authd *d, const struct request *req,
                             const struct issuer *issuer, struct auth_request *self,
                             struct error *err) MUST_USE;

/* Checks all else. ERR_BAD_REQUEST with a word of OAuth, for the redirect address. Parks. */
int auth_request_check(struct authd *d, const struct request *req, const struct issuer *issuer,
                       struct auth_request *self, struct error *err) MUST_USE;

/* Of these checks the ones of resource and scope, where there is no browser. Parks. */
int auth_request_check_target(struct authd *d, const struct request *req,
                              const struct issuer *issuer, struct auth_request *self,
                              struct error *err) MUST_USE;

/* The same where the FHIR server, or that there is none, is known: self->smart, self->server. */
int auth_request_check_known(const struct request *req, const struct issuer *issuer,
                             struct auth_request *self, struct error *err) MUST_USE;

/* Keeps a request that was pushed: its request_uri. ERR_BAD_REQUEST: it is too long. Parks. */
int auth_request_push(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const struct auth_request *self, const char **ret,
                      struct error *err) MUST_USE;

/* Spends a pushed one. *ret: it was not spent before. Parks. */
int auth_request_spend(struct authd *d, const struct request *req, const struct issuer *issuer,
                       const struct auth_request *self, struct error *err) MUST_USE;

/* The request with what it has met so far, sealed for this tenant. NULL: it is too long. */
const char *auth_request_seal(struct authd *d, const struct request *req, struct uuid project,
                              const struct auth_request *self);

/* And back. -1: it is none. */
int auth_request_unseal(struct authd *d, const struct request *req, struct uuid project,
                        const char *text, struct auth_request *ret) MUST_USE;

/* What form-action must name for the redirect address: its origin, or the scheme of a private one
 * and of an IPv6 address, which no host-source can be (Content Security Policy Level 3, section
 * 2.3.1). NULL: none that a policy could hold. */
const char *redirect_source(struct arena *arena, const char *redirect_uri);

#endif
