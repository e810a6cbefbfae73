/*
 * relying_party.h - this installation as a client of a project's identity provider (OpenID Connect
 * Core 1.0, Discovery 1.0 and Back-Channel Logout 1.0).
 *
 * All requests to a provider are fetched as URLs of OAuth clients are (common/service/fetch.h).
 * Errors for the person are ERR_BAD_REQUEST (the answer broke a rule) and ERR_UNAVAILABLE (the
 * provider couldn't be reached); the log has the rule's name. Codes, tokens and secrets are never
 * logged.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_RELYING_PARTY_H
#define ATRIUM_AUTHD_FEDERATION_RELYING_PARTY_H

#include "authd/federation/provider.h"

struct relying_party;

struct relying_party *relying_party_new(struct authd *d);
void relying_party_destroy(struct relying_party **self_p);

enum { RELYING_PARTY_REQUESTS_MAX = 64 }; /* token requests of a project at a time */

struct discovery {
    const char *issuer, *authorization_endpoint, *token_endpoint, *jwks_uri;
    bool announces_iss; /* callbacks have `iss` (RFC 9207) */
};

/* Fetches the provider's metadata (Discovery 1.0, section 4), or takes it from the cache. It is
 * fresh for its max-age, at least five minutes, at most a day, and used for a day while the
 * provider fails. A failure is remembered for five seconds. err->detail tells an administrator why.
 * Parks. */
int relying_party_discover(struct authd *d, const struct request *req, const char *issuer,
                           struct discovery *ret, struct error *err) MUST_USE;

/* For `atriumctl doctor`: fails, with the reason as err->detail, if metadata or keys can't be had
 * or are older than their lifetime. Parks. */
int relying_party_reach(struct authd *d, const struct request *req, const char *issuer,
                        struct error *err) MUST_USE;

/* A login's request to the provider, kept for the callback. */
struct authorization {
    const char *redirect_uri, *state, *nonce;
    const char *verifier;   /* PKCE's (RFC 7636): 43 to 128 characters */
    const char *login_hint; /* or NULL */
    bool fresh;             /* asks for a new sign-in at the provider: a proof of now */
    int64_t started_ms;     /* contract time of the request; a proof must not be older */
};

/* Returns the URL to which the browser goes. */
const char *relying_party_url(struct arena *arena, const struct provider *provider,
                              const struct discovery *discovery,
                              const struct authorization *authorization);

struct id_claims {
    const char *subject;                                             /* at most 255 bytes */
    const char *email, *name, *given_name, *family_name, *acr, *sid; /* NULL: absent */
    bool email_verified;                                             /* is not false */
    struct field_texts amr;
    int64_t auth_time_ms; /* 0: absent */
    const char *all;      /* JSON, for `test`; NULL: the token was unreadable */
};

/* A rule that was checked, for `test`. */
struct rule {
    const char *name; /* "nonce" */
    bool passed;
    /* the fault, for an administrator; it can contain the provider's texts; "": none */
    const char *detail;
};

/* Exchanges a callback's code for an ID token, and checks it (Core 1.0, section 3.1.3.7). iss: the
 * callback's parameter, or NULL; the code is not sent if it is wrong. ret_rules: struct rule, set
 * also on failure, as ret->all is; NULL: not wanted. Parks. */
int relying_party_redeem(struct authd *d, const struct request *req,
                         const struct provider *provider, const struct authorization *authorization,
                         const char *code, const char *iss, struct id_claims *ret,
                         struct field_list *ret_rules, struct error *err) MUST_USE;

struct logout_claims {
    const char *subject, *sid; /* one can be NULL */
    const char *jti;
    int64_t exp_ms;
};

/* Reads and checks a logout token (Back-Channel Logout 1.0, section 2.6). The caller must accept
 * each jti only once. Parks. */
int logout_token_read(struct authd *d, const struct request *req, const struct provider *provider,
                      const char *token, struct logout_claims *ret, struct error *err) MUST_USE;

#endif
