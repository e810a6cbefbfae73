/*
 * auth_request.h - an authorization request: read, checked, pushed, and carried through the sign-in
 * and consent pages (OpenID Connect Core 1.0, section 3.1.2.1; RFC 6749, section 4.1.1; RFC 7636;
 * RFC 8707; RFC 9126).
 *
 * The pages carry it sealed, so it can't be changed and needs no row. It stays valid while its page
 * is open, because everything is checked again afterwards. A sign-in or consent on the way counts
 * for CONTINUATION_LIFE.
 */
#ifndef ATRIUM_AUTHD_OAUTH_AUTH_REQUEST_H
#define ATRIUM_AUTHD_OAUTH_AUTH_REQUEST_H

#include "authd/oauth/issuer.h"
#include "authd/oauth/oauth_api.h"
#include "authd/oauth/word_list.h"
#include "settingsd/client_api.h"

#define REQUEST_URI_PREFIX "urn:ietf:params:oauth:request_uri:"
#define CONTINUATION_LIFE MINUTES(30) /* for a page's results and pushed requests */
#define PUSHED_WINDOW MINUTES(15)

enum {
    AUTH_REQUEST_MAX = 4096, /* bytes of JSON */
    PUSHED_MAX = 2000,       /* per address and window, for public clients */
    PROMPT_NONE = 1 << 0,
    PROMPT_LOGIN = 1 << 1, /* also for select_account, since a browser has one account per tenant */
    PROMPT_CONSENT = 1 << 2,
};

struct auth_request {
    struct authorize_in in;
    struct oauth_client client;
    const char *scope; /* requested, and possible for the client */
    bool smart;        /* the resource is a FHIR server: */
    struct fhir_server server;
    struct uuid patient; /* set by smart_narrow() */
    unsigned prompt;
    int64_t max_age_s; /* -1: any */
    bool two_factors;  /* required by an essential acr */
    /* Set by `id_token` in `claims`: */
    const char *id_claims; /* space-separated; NULL: none */
    const char *id_acr;    /* acr of the ID token; NULL: the acr of the sign-in */
    const char *subjects;  /* allowed person ids, space-separated; NULL: any */
    bool prefers_two;      /* acr_values prefer two factors to one */
    const char *pushed;    /* the request_uri's secret; NULL: not pushed */
    /* Set when the request returns from a page: */
    int64_t sent_at;       /* time of sending the browser to a sign-in; 0: never */
    const char *session;   /* the browser's session at that time; "": none */
    const char *consented; /* account that consented; "": none */
    bool denied;
    bool to_device; /* for the device page, without a client */
};

/* True if this session is the new sign-in that the request needed: it is not the session that the
 * browser had at sent_at, it began after that time (or at most a minute before), and less than
 * CONTINUATION_LIFE ago. So a request sealed in another browser doesn't accept this browser's older
 * session. */
bool auth_request_signed_in_anew(const struct auth_request *self, struct uuid session,
                                 int64_t created_at, int64_t now_ms);

/* Reads the parameters, the pushed request that they name, or a sealed request. ERR_BAD_REQUEST
 * with an OAuth error code. Parks. */
int auth_request_read(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const struct authorize_in *in, struct auth_request *ret,
                      struct error *err) MUST_USE;

/* Finds the client and checks the redirect URI. After ERR_BAD_REQUEST, the browser must not be
 * redirected (RFC 9700, section 4.11). Parks. */
int auth_request_find_client(struct authd *d, const struct request *req,
                             const struct issuer *issuer, struct auth_request *self,
                             struct error *err) MUST_USE;

/* Checks the other parameters. ERR_BAD_REQUEST with an OAuth error code, for a redirect. Parks. */
int auth_request_check(struct authd *d, const struct request *req, const struct issuer *issuer,
                       struct auth_request *self, struct error *err) MUST_USE;

/* Checks only resource and scope. Parks. */
int auth_request_check_target(struct authd *d, const struct request *req,
                              const struct issuer *issuer, struct auth_request *self,
                              struct error *err) MUST_USE;

/* Like auth_request_check_target(), with self->smart and self->server set. */
int auth_request_check_known(const struct request *req, const struct issuer *issuer,
                             struct auth_request *self, struct error *err) MUST_USE;

/* Stores a pushed request under a request_uri. ERR_BAD_REQUEST: too long. Parks. */
int auth_request_push(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const struct auth_request *self, const char **ret,
                      struct error *err) MUST_USE;

/* Spends the pushed request, if there is one. Parks. */
int auth_request_spend(struct authd *d, const struct request *req, const struct issuer *issuer,
                       const struct auth_request *self, struct error *err) MUST_USE;

/* Seals the request for this tenant. NULL: too long. */
const char *auth_request_seal(struct authd *d, const struct request *req, struct uuid project,
                              const struct auth_request *self);

int auth_request_unseal(struct authd *d, const struct request *req, struct uuid project,
                        const char *text, struct auth_request *ret) MUST_USE;

/* Returns the form-action source of a redirect URI: its origin, or the scheme of a private URI or
 * IPv6 address, which no host-source can express (Content Security Policy Level 3, section 2.3.1),
 * or NULL. */
const char *redirect_source(struct arena *arena, const char *redirect_uri);

#endif
