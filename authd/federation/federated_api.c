/*
 * federated_api.c - shapes of sign-in with an identity provider. See authd_api.c.
 */
#include "authd/federation/federated_api.h"

#include "authd/credential/pkce.h"
#include "authd/shape_api.h"
#include "common/domain/name.h"

enum { IDENTITIES_MAX = 100 /* as in own_identity_list.sql */ };
enum { URI_MAX = 2048, STATE_MAX = 512, ANSWER_MAX = 4096 };

/* Members of each start. `s`: the struct. */
#define ROUND_ROWS(s)                                                                              \
    FIELD_PATTERN(                                                                                 \
        s, codeChallenge, 43, 43, shape_check_base64url, CHALLENGE_PATTERN, FIELD_REQUIRED,        \
        "PKCE challenge (S256): base64url of the SHA-256 of a verifier that stays in the client.", \
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),                                            \
        FIELD_TEXT(s, redirectUri, 1, URI_MAX, FIELD_REQUIRED,                                     \
                   "Where the browser returns to: the project's app URL for the role, followed "   \
                   "by `/federated`, or an https redirect URI of a first-party client of the "     \
                   "project, exactly as registered.",                                              \
                   "https://app.example.org/federated")

static const struct field federated_start_in_rows[] = {
    FIELD_TEXT(struct federated_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project to sign in to.", "demo"),
    FIELD_UUID(struct federated_start_in, providerId, FIELD_REQUIRED,
               "ID of an active identity provider of the project, or of a project above it."),
    ROUND_ROWS(struct federated_start_in),
};
FIELD_TABLE(federated_start_in);

static const struct field own_identity_link_start_in_rows[] = {
    FIELD_UUID(struct own_identity_link_start_in, providerId, FIELD_REQUIRED,
               "ID of an active identity provider of the session's project."),
    ROUND_ROWS(struct own_identity_link_start_in),
};
FIELD_TABLE(own_identity_link_start_in);

static const struct field own_identity_link_in_rows[] = {
    FIELD_TEXT(struct own_identity_link_in, sessionCode, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "`sessionCode` with which the browser returned; valid once.", EXAMPLE_CODE),
    FIELD_PATTERN(struct own_identity_link_in, codeVerifier, PKCE_VERIFIER_MIN, PKCE_VERIFIER_MAX,
                  pkce_verifier_check, VERIFIER_PATTERN, FIELD_REQUIRED | FIELD_SECRET,
                  "PKCE verifier that matches the `codeChallenge` of the start.", EXAMPLE_VERIFIER),
};
FIELD_TABLE(own_identity_link_in);

static const struct field step_up_federated_start_in_rows[] = {
    ROUND_ROWS(struct step_up_federated_start_in),
};
FIELD_TABLE(step_up_federated_start_in);

static const struct field federated_start_out_rows[] = {
    FIELD_UUID(struct federated_start_out, loginId, FIELD_REQUIRED,
               "ID of this sign-in; `redirectUri` gets it, too."),
    FIELD_TEXT(struct federated_start_out, authorizeUrl, 1, 8192, FIELD_REQUIRED,
               "Lead the browser there.", "https://login.example.net/authorize?client_id=atrium"),
};
FIELD_TABLE(federated_start_out);

static const struct field own_identity_rows[] = {
    FIELD_UUID(struct own_identity, id, FIELD_REQUIRED, "ID of the link."),
    FIELD_UUID(struct own_identity, providerId, FIELD_REQUIRED, "ID of the identity provider."),
    FIELD_TEXT(struct own_identity, provider, 1, NAME_MAX_LENGTH, FIELD_REQUIRED,
               "Name of the identity provider.", "Lakeside directory"),
    FIELD_TIME(struct own_identity, createdAt, FIELD_REQUIRED, "When the account was linked.",
               "2026-11-29T08:00:00.000Z"),
    FIELD_TIME(struct own_identity, lastUsedAt, FIELD_REQUIRED, "When it last signed in.",
               "2026-11-30T08:00:00.000Z"),
};
FIELD_TABLE(own_identity);

static const struct field own_identity_list_rows[] = {
    FIELD_OBJECTS(struct own_identity_list, identities, own_identity, IDENTITIES_MAX,
                  FIELD_REQUIRED, "Oldest first."),
};
FIELD_TABLE(own_identity_list);

static const struct field own_identity_path_in_rows[] = {
    FIELD_UUID(struct own_identity_path_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the link."),
};
FIELD_TABLE(own_identity_path_in);

static const struct field project_account_identity_in_rows[] = {
    FIELD_UUID(struct project_account_identity_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_UUID(struct project_account_identity_in, identity, FIELD_PATH | FIELD_REQUIRED,
               "ID of the link."),
    FIELD_CHECKED(struct project_account_identity_in, reason, 1, REASON_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Reason, which the audit log records.",
                  "Ticket 4711: wrong person"),
};
FIELD_TABLE(project_account_identity_in);

static const struct field federated_form_rows[] = {
    FIELD_TEXT(struct federated_form, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED | FIELD_PATH,
               "Whose page.", "demo"),
    FIELD_VISIT(struct federated_form),
    FIELD_TEXT(struct federated_form, id, 0, STATE_MAX, FIELD_PATH, "Which provider.", ""),
    FIELD_TEXT(struct federated_form, role, 0, STATE_MAX, 0, "A field of the form.", ""),
    FIELD_TEXT(struct federated_form, email, 0, STATE_MAX, 0, "A field of the form.", ""),
};
FIELD_TABLE(federated_form);

#define ANSWER_ROW(member, max, flags) \
    FIELD_TEXT(struct federated_callback_in, member, 0, max, flags, "A parameter.", "")

static const struct field federated_callback_in_rows[] = {
    FIELD_TEXT(struct federated_callback_in, tenantCode, 1, 256, FIELD_PATH | FIELD_REQUIRED,
               "The tenant's code.", ""),
    FIELD_ENDPOINT(struct federated_callback_in),
    FIELD_TEXT(struct federated_callback_in, id, 1, STATE_MAX, FIELD_PATH | FIELD_REQUIRED,
               "The provider.", ""),
    ANSWER_ROW(state, STATE_MAX, FIELD_SECRET),
    ANSWER_ROW(code, ANSWER_MAX, FIELD_SECRET),
    ANSWER_ROW(iss, URI_MAX, 0),
    ANSWER_ROW(error, STATE_MAX, 0),
};
FIELD_TABLE(federated_callback_in);

static const struct field federated_logout_in_rows[] = {
    FIELD_TEXT(struct federated_logout_in, tenantCode, 1, 256, FIELD_PATH | FIELD_REQUIRED,
               "The tenant's code.", ""),
    FIELD_ENDPOINT(struct federated_logout_in),
    FIELD_TEXT(struct federated_logout_in, id, 1, STATE_MAX, FIELD_PATH | FIELD_REQUIRED,
               "The provider.", ""),
    FIELD_TEXT(struct federated_logout_in, logout_token, 0, 8192, FIELD_SECRET, "A parameter.", ""),
};
FIELD_TABLE(federated_logout_in);
