/*
 * provider.h - identity providers: OpenID Connect providers, such as a clinic's own directory, with
 * which people can sign in.
 *
 * Projects below a provider's project inherit it, unless their setting inheritProviders is off,
 * which also holds for the projects below them. Enforced providers are always inherited. The client
 * secret is sealed for the provider's id.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_PROVIDER_H
#define ATRIUM_AUTHD_FEDERATION_PROVIDER_H

#include "authd/authd.h"
#include "common/service/check.h"

enum provider_state { PROVIDER_DRAFT, PROVIDER_ACTIVE, PROVIDER_DISABLED };

/* A provider for a sign-in. Texts are in the request's arena. */
struct provider {
    struct uuid id, project;
    const char *name, *preset, *issuer, *client_id;
    const char *secret; /* NULL: none, or not asked for */
    const char *scopes, *required_acr /* or NULL */;
    bool by_post;                 /* client_secret_post */
    bool trusted_for_mfa;         /* its second factor replaces ours */
    bool practitioners, patients; /* roles that can sign in */
    bool provision_practitioners, provision_patients;
    bool enforced_practitioners, enforced_patients;
    struct field_texts domains; /* those that its project has verified */
    enum provider_state state;
};

/* Finds a provider of the project, or one that it inherits, in any state, with its secret. Fails:
 * NOT_FOUND "Identity provider not found." Parks. */
int provider_find(struct authd *d, const struct request *req, struct uuid project, struct uuid id,
                  struct provider *ret, struct error *err) MUST_USE;

/* Returns the active providers (struct provider, without secrets) of the project, then those that
 * it inherits, nearest first. Parks. */
int providers_active(struct authd *d, const struct request *req, struct uuid project,
                     struct field_list *ret, struct error *err) MUST_USE;

/* True if the domain of an email address is one of the provider's. */
bool provider_has_domain(const struct provider *self, struct arena *arena, const char *email);

/* NOT_FOUND for no rows, otherwise as sql_require(). */
int provider_require(int rows, struct error *err) MUST_USE;

/* Seals a client secret for this provider; NULL is no bytes. */
struct field_bytes provider_seal(struct authd *d, const struct request *req, struct uuid id,
                                 const char *secret);

/* `atriumctl doctor`: whether the active providers answer with fresh keys. */
int provider_health_check(void *daemon, const struct request *req, struct finding *ret,
                          struct error *err);

#endif
