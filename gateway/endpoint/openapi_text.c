/* openapi_text.c - see openapi_private.h. */
#include "gateway/endpoint/openapi_private.h"

const char openapi_introduction[] =
    "Atrium is the sign-in service of a health platform with many tenants. It also stores their "
    "settings, documents, content and bots.\n\n"
    "## Terms\n\n"
    "A **project** is a customer of the installation, such as a clinic. It is also called "
    "**tenant**: people name it by its tenant code. **Patient** and **practitioner** are the two "
    "roles. An account can be a member of several projects. A practitioner whose membership has "
    "`admin` administers the project.\n\n"
    "## Tokens\n\n"
    "Sign-in and registration return an access token and a refresh token. Send the access token as "
    "`Authorization: Bearer <accessToken>`. It is a JWT signed with ES256; other services can "
    "verify it with the keys of `/.well-known/jwks.json`. Get new tokens with `POST "
    "/auth/refresh-token` before `expiresIn` seconds have passed, and replace the old refresh "
    "token with the new one.\n\n"
    "Sign-in and registration call these members `accessToken`, `refreshToken` and `expiresIn`. "
    "`POST /auth/refresh-token` and the OAuth token endpoint use the names of OAuth 2.0 (RFC "
    "6749): `access_token`, `refresh_token` and `expires_in`. Registration calls a person's names "
    "`name` and `surname`; members and accounts have `firstName` and `lastName`. A client "
    "application's ID is `clientId` in this API and `client_id` in OAuth.\n\n"
    "## Bodies\n\n"
    "Bodies are JSON in UTF-8 with at most 1 MiB, 32 levels and no duplicate members. Unknown "
    "members are ignored. Times are ISO 8601 in UTC with milliseconds, IDs are UUIDs. If a schema "
    "has `x-maxBytes`, the limit counts bytes of UTF-8. JSON Schema's `maxLength` counts "
    "characters, so a text within `maxLength` can still be too long.\n\n"
    "## Errors\n\n"
    "Every error is JSON with `statusCode`, `message` and `error`, and with a `code` if a client "
    "needs to tell cases apart. The `message` of a 422 is a list of `{path, message, code, "
    "params}`, one for each problem; `params` has the values of the `code`, such as the `max` of "
    "`TOO_LONG`. Decide by the status and the codes: the texts are for people and can change. "
    "Every response has `X-Request-Id`; include it when you ask the operator for help. "
    "Each operation lists the codes that it returns. The page *Errors* of Atrium's documentation "
    "(`/usr/share/doc/atrium/errors.md` on the server) says what to do about each.\n\n"
    "## Limits and retries\n\n"
    "429 and 503 have `Retry-After` in seconds. Wait that long before you retry. If a response is "
    "lost, you can retry GET, PUT and DELETE requests, and within two minutes also `POST "
    "/auth/refresh-token` with the same token. Other POST requests may already have taken "
    "effect.\n\n"
    "## Lists\n\n"
    "Lists have `_count` and `_offset`; `total` is the number of entries. If a list's response has "
    "`next`, send its value as `_cursor` instead of `_offset`.";

const struct openapi_tag openapi_tags[] = {
    {"Registration", "Create accounts of patients and practitioners."},
    {"Sign-in", "Sign in with a password, a second factor, a passkey or an emailed code."},
    {"Sessions", "Refresh tokens; list and end sessions."},
    {"Account", "Your own account: profile, password, email address and deletion."},
    {"Second factor", "Authenticator codes (TOTP, RFC 6238) and recovery codes."},
    {"Passkeys", "Sign-in without a password (Web Authentication Level 3)."},
    {"Members", "Members of a project, and invitations."},
    {"Accounts", "A project's accounts, for its help desk."},
    {"Project", "The project itself: its tenant code and its children."},
    {"Settings", "How people can register and sign in, and where links in emails lead."},
    {"Languages", "The languages of a project."},
    {"Access policies", "What members who aren't admins can do."},
    {"Client applications", "Applications that sign people in, also by OAuth."},
    {"Audit", "The audit log of a project, with proofs that it was not changed."},
    {"API keys", "Keys with which machines use a project."},
    {"Domains", "Email domains that a project has verified."},
    {"Identity providers", "OpenID Connect providers with which people can sign in."},
    {"Directory", "Provisioning of practitioners by your directory (SCIM 2.0)."},
    {"FHIR servers", "FHIR servers that applications use with SMART App Launch."},
    {"Mail templates", "Texts of the project's emails. Some emails have a built-in English text."},
    {"Webhooks", "Post a project's events to its own servers."},
    {"Documents", "Files: upload with a form, download, resized images, public links."},
    {"Content", "Articles, questions and other texts in several languages."},
    {"Bots", "A project's own code that clients can call."},
    {"Translation", "Machine translation of texts."},
    {"Service", "Health, public keys and this description."},
    {NULL, NULL},
};

const char *openapi_code_meaning(enum error_code code)
{
    switch (code) {
    case ERR_ENTITY_TOO_LARGE:
        return "the file is larger than the upload form allows";
    case ERR_MFA_REQUIRED:
        return "the password is right, and a second factor is needed: continue at the tenant "
               "sign-in's `login/mfa` with the `loginId`, which is present if the request had a "
               "`codeChallenge`";
    case ERR_SIGN_IN_REQUIRED:
        return "sign in first, or send the account's password; the link stays valid";
    case ERR_STEP_UP_REQUIRED:
        return "the session needs a fresh proof: call `POST /auth/step-up`, then retry";
    case ERR_ACCOUNT_LOCKED:
        return "the password is right, but an operator has locked the account, or an admin has "
               "locked it in the project";
    case ERR_ACCOUNT_SHARED:
        return "the account is also a member of projects of other organizations: only its owner or "
               "an operator can do this";
    case ERR_ACCOUNT_MANAGED:
        return "the person signs in only with their organization's identity provider, which also "
               "manages their password and email address";
    case ERR_PASSWORD_CHANGE_REQUIRED:
        return "the password is right, but too common for the project: reset it";
    case ERR_EMAIL_NOT_VERIFIED:
        return "the password is right (or the member exists), but the account's email address is "
               "not verified yet";
    case ERR_MFA_ENROLLMENT_REQUIRED:
        return "the project requires a second factor, and the session has none: enrol one";
    case ERR_PROJECT_READ_ONLY:
        return "the project is read-only while it moves to another installation: reads work; retry "
               "writes after `Retry-After`. A refresh token stays valid";
    case ERR_ACCEPT_SIGNED_IN:
        return "the account exists and is verified: sign in and accept the invitation with its "
               "access token";
    case ERR_ACCEPT_BY_PASSWORD:
        return "there is no verified account yet: accept the invitation by setting a password";
    case ERR_QUOTA_EXCEEDED:
        return "the account or the project has reached its limit of documents or bytes";
    case ERR_INVALID_SETTING_VALUE:
        return "the value is not valid for the setting, or something that the setting needs is "
               "missing";
    case ERR_PASSWORD_REFUSED:
        return "the project's password rules reject this password; `path` is `password`";
    default:
        return NULL;
    }
}
