/*
 * federated_api.h - sign-in with an identity provider.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_FEDERATED_API_H
#define ATRIUM_AUTHD_FEDERATION_FEDERATED_API_H

#include "common/base/uuid.h"
#include "common/domain/endpoint.h"
#include "common/wire/fields.h"

struct federated_start_in {
    const char *tenantCode, *codeChallenge, *redirectUri;
    struct uuid providerId;
};
FIELD_DECLARE(federated_start_in);

struct own_identity_link_start_in {
    const char *codeChallenge, *redirectUri;
    struct uuid providerId;
};
FIELD_DECLARE(own_identity_link_start_in);

struct own_identity_link_in {
    const char *sessionCode, *codeVerifier;
};
FIELD_DECLARE(own_identity_link_in);

struct step_up_federated_start_in {
    const char *codeChallenge, *redirectUri;
};
FIELD_DECLARE(step_up_federated_start_in);

struct federated_start_out {
    struct uuid loginId;
    const char *authorizeUrl;
};
FIELD_DECLARE(federated_start_out);

struct own_identity {
    struct uuid id, providerId;
    const char *provider; /* its name */
    int64_t createdAt, lastUsedAt;
};
FIELD_DECLARE(own_identity);

struct own_identity_list {
    struct field_list identities; /* struct own_identity */
};
FIELD_DECLARE(own_identity_list);

struct own_identity_path_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(own_identity_path_in);

struct project_account_identity_in {
    struct uuid id, identity; /* path */
    const char *reason;
};
FIELD_DECLARE(project_account_identity_in);

/* A button of a tenant's sign-in page. */
struct federated_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *id;   /* the provider's */
    const char *role; /* "practitioner", "patient" */
    const char *email;
};
FIELD_DECLARE(federated_form);

/* A provider's answer (OpenID Connect Core 1.0, section 3.1.2.5; RFC 9207). */
struct federated_callback_in {
    const char *tenantCode;
    const struct endpoint_visit *visit;
    const char *id; /* the provider's */
    const char *state, *code, *iss, *error;
};
FIELD_DECLARE(federated_callback_in);

/* OpenID Connect Back-Channel Logout 1.0, section 2.5. */
struct federated_logout_in {
    const char *tenantCode;
    const struct endpoint_visit *visit;
    const char *id; /* the provider's */
    const char *logout_token;
};
FIELD_DECLARE(federated_logout_in);

#endif
