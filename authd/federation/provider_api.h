/*
 * provider_api.h - identity providers as their project's admins see them.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_PROVIDER_API_H
#define ATRIUM_AUTHD_FEDERATION_PROVIDER_API_H

#include "common/wire/fields.h"

#define PROVIDER_SEAL_PURPOSE "identity provider" /* followed by the provider's id */

/* A new provider, or the new settings of provider `id`. */
struct identity_provider_in {
    struct uuid id; /* path */
    const char *name, *preset;
    const char *issuer; /* NULL: the preset's */
    const char *clientId;
    const char *clientSecret;         /* NULL: unchanged, or none yet */
    const char *authMethod, *scopes;  /* NULL: the default */
    const char *requiredAcr;          /* or NULL */
    const char *provisioning, *state; /* NULL: the default */
    bool trustedForMfa;
    struct field_texts roles, domains, enforced;
    const char *ifMatch;
};
FIELD_DECLARE(identity_provider_in);

struct identity_provider_id_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(identity_provider_id_in);

struct identity_provider {
    struct uuid id;
    const char *name, *preset, *issuer, *clientId;
    bool hasSecret;
    const char *authMethod, *scopes, *requiredAcr;
    bool trustedForMfa;
    const char *roles, *domains, *enforced; /* JSON arrays of texts */
    const char *provisioning, *state;
    const char *redirectUri; /* NULL: the project has no issuer */
    int64_t testedAt;        /* 0: no test succeeded */
    int64_t createdAt, lastUpdated;
    const char *etag;
};
FIELD_DECLARE(identity_provider);

struct inherited_provider {
    struct uuid id;
    const char *name, *issuer;
};
FIELD_DECLARE(inherited_provider);

struct identity_provider_list {
    struct field_list resources; /* struct identity_provider */
    struct field_list inherited; /* struct inherited_provider */
};
FIELD_DECLARE(identity_provider_list);

/* Values of `state`, in the order of enum provider_state. */
extern const char *const provider_states[];

/* Checks the members together, and sets defaults. Fails with problems. */
int provider_check(struct identity_provider_in *self, struct error *err) MUST_USE;

/* Checks a row of a tenant file as the routes check what admins send. */
int provider_check_row(struct arena *arena, const char *row, struct error *err) MUST_USE;

#endif
