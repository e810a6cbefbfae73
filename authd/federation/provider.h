/*
 * provider.h - identity providers of projects.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_PROVIDER_H
#define ATRIUM_AUTHD_FEDERATION_PROVIDER_H

#include "authd/authd.h"
#include "common/wire/fields.h"

enum provider_state { PROVIDER_DRAFT, PROVIDER_ACTIVE, PROVIDER_DISABLED };

struct provider {
    struct uuid id, project;
    const char *name, *preset, *issuer, *client_id;
    const char *secret; /* unsealed */
    const char *scopes, *required_acr /* or NULL */;
    bool by_post; /* client_secret_post */
    bool trusted_for_mfa;
    bool practitioners, patients; /* roles */
    bool provision_practitioners, provision_patients;
    bool enforced_practitioners, enforced_patients;
    struct field_texts domains;
    enum provider_state state;
};

#endif
