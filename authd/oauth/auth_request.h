/*
 * auth_request.h - an authorization request: read, checked, pushed, and carried through the sign-in
 * and consent pages (OpenID Connect Core 1.0, section 3.1.2.1; RFC 6749, section 4.1.1; RFC 7636;
 * RFC 8707; RFC 9126).
 *
 * The pages carry it sealed, so it can't be changed, and a person who leaves costs no row. It stays
 * valid while its page is open, because everything is checked again when it returns. A sign-in or
 * consent on the way counts for CONTINUATION_LIFE.
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
    PUSHED_MAX = 2000,       /* per address and PUSHED_WINDOW, for public clients */
    PROMPT_NONE = 1 << 0,
    PROMPT_LOGIN = 1 << 1, /* also select_account: a browser has one account per tenant */
    PROMPT_CONSENT = 1 << 2,
};

struct auth_request {
    struct authorize_in in;
    struct oauth_client client;
    const char *scope; /* requested scopes that the client can have */
    bool smart;        /* for this FHIR server, before smart_narrow(): */
    struct fhir_server server;
    struct uuid patient; /* set by smart_narrow() */
    unsigned prompt;
    int64_t max_age_s; /* -1: any */
    bool two_factors;  /* an essential acr requires them */
    /* From `id_token` in `claims`: */
    const char *id_claims; /* space-separated; NULL: none */
    const char *id_acr;    /* essential acr below the highest; NULL: none */
    const char *subjects;  /* allowed person ids, space-separated; NULL: any */
    bool prefers_two;      /* first known value in acr_values */
    const char *pushed;    /* secret of the request_uri; NULL: not pushed */
    /* Of a request that returns from a page: */
    int64_t sent_at;       /* to a new sign-in; 0: never */
    const char *session;   /* the browser's at sent_at; "" */
    const char *consented; /* account that just consented; "" */
    bool denied;           /* instead of consent */
    bool to_device;        /* has no client: leads to the device page */
};

/* True if this session is the new sign-in that the person was sent to, within CONTINUATION_LIFE:
 * not the browser's session at that time, nor older (by a minute). A request sealed for another
 * browser can't pass. */
bool auth_request_signed_in_anew(const struct auth_request *self, struct uuid session,
                                 int64_t created_at, int64_t now_ms);

/* Reads parameters, the pushed request that they name, or a sealed request that returns.
 * ERR_BAD_REQUEST with an OAuth error code. Parks. */
int auth_request_read(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const struct authorize_in *in, struct auth_request *ret,
                      struct error *err) MUST_USE;

/* Finds the client and checks the redirect URI. ERR_BAD_REQUEST if either is unknown; then no
 * browser is redirected (RFC 9700, section 4.11). Parks. */
int auth_request_find_client(struct authd *d, const struct request *req,
                             const struct issuer *issuer, struct auth_request *self,
                             struct error *err) MUST_USE;

/* Checks the rest. ERR_BAD_REQUEST with an OAuth error code, for the redirect URI. Parks. */
int auth_request_check(struct authd *d, const struct request *req, const struct issuer *issuer,
                       struct auth_request *self, struct error *err) MUST_USE;

/* Checks only resource and scope, for requests without a browser. Parks. */
int auth_request_check_target(struct authd *d, const struct request *req,
                              const struct issuer *issuer, struct auth_request *self,
                              struct error *err) MUST_USE;

/* Like auth_request_check_target(), with self->smart and self->server already known. */
int auth_request_check_known(const struct request *req, const struct issuer *issuer,
                             struct auth_request *self, struct error *err) MUST_USE;

/* Stores a pushed request under a request_uri. ERR_BAD_REQUEST: too long. Parks. */
int auth_request_push(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const struct auth_request *self, const char **ret,
                      struct error *err) MUST_USE;

/* Spends a pushed request. Parks. */
int auth_request_spend(struct authd *d, const struct request *req, const struct issuer *issuer,
                       const struct auth_request *self, struct error *err) MUST_USE;

/* Seals the request and its progress for this tenant. NULL: too long. */
const char *auth_request_seal(struct authd *d, const struct request *req, struct uuid project,
                              const struct auth_request *self);

int auth_request_unseal(struct authd *d, const struct request *req, struct uuid project,
                        const char *text, struct auth_request *ret) MUST_USE;

/* Returns the form-action source of a redirect URI: its origin, or the scheme of a private URI or
 * IPv6 address, which no host-source can express (Content Security Policy Level 3, section 2.3.1).
 * NULL: none. */
const char *redirect_source(struct arena *arena, const char *redirect_uri);

#endif
