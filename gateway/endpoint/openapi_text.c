/* openapi_text.c - see openapi_text.h. */
#include "gateway/endpoint/openapi_text.h"

const char openapi_introduction[] =
    "Atrium authenticates the users of a health platform with many tenants, and keeps their "
    "settings, documents, "
    "content and bots.\n\n"
    "## Words\n\n"
    "A **tenant** is a project. People name it by its tenant code. A **patient** and a "
    "**practitioner** are the two "
    "roles; an account may be a member of several projects. A practitioner whose membership has "
    "`admin` administers "
    "the project.\n\n"
    "## Tokens\n\n"
    "Sign-in and registration answer an access token and a refresh token. Send the access token as "
    "`Authorization: Bearer ...`. It is a JWT signed with ES256; other services verify it with the "
    "keys of "
    "`/.well-known/jwks.json`. Renew it with `POST /auth/refresh-token` before `expiresIn` seconds "
    "are over, and keep "
    "the new refresh token in the place of the old one.\n\n"
    "## Bodies\n\n"
    "Bodies are JSON in UTF-8, at most 1 MiB and 32 levels deep, without duplicate members. "
    "Members that are not "
    "described are ignored. Times are ISO 8601 in UTC with milliseconds, identifiers are UUIDs. "
    "Where a schema says "
    "`x-maxBytes`, the limit counts bytes of UTF-8: JSON Schema's `maxLength`, which counts "
    "characters, is then "
    "necessary, but not sufficient.\n\n"
    "## Errors\n\n"
    "Every error is JSON: `statusCode`, `message` and `error`, with a `code` where clients should "
    "tell cases apart. "
    "The `message` of a 422 is a list of `{path, message}`, one for each thing that is wrong. Read "
    "the status and the "
    "`code`; the texts are for people. `X-Request-Id` is on every answer: keep it for the "
    "operator.\n\n"
    "## Limits and repetition\n\n"
    "429 and 503 carry `Retry-After` in seconds. Wait that long, then repeat. GET requests, PUT "
    "and DELETE may be "
    "repeated after a lost answer, and so may `POST /auth/refresh-token` with the same token "
    "within two minutes; "
    "other POST requests may have happened.\n\n"
    "## Lists\n\n"
    "Lists take `_count` and `_offset`. `total` says how many entries there are. Lists whose "
    "answer "
    "has `next` take it as `_cursor` instead of `_offset`.";

const struct openapi_tag openapi_tags[] = {
    {"Registration", "New accounts of patients and practitioners."},
    {"Sign-in", "From a password, and a second factor, to tokens."},
    {"Sessions", "Renew, list and end sessions."},
    {"Account", "Your own account: profile, password, address and deletion."},
    {"Second factor", "Codes of an authenticator (TOTP, RFC 6238) and recovery codes."},
    {"Passkeys", "Keys that sign in without a password (Web Authentication Level 3)."},
    {"Members", "Who belongs to a project, and invitations to it."},
    {"Accounts", "The people of a project, as its help desk sees them."},
    {"Project", "The project itself: its tenant code and its children."},
    {"Settings", "Which ways to register and sign in are open, and where mail leads."},
    {"Languages", "The languages of a project."},
    {"Access policies", "What members who do not administer the project may do."},
    {"Client applications", "Applications that sign people in with one request."},
    {"Audit", "Who did what in a project, and proofs that nothing of it was changed."},
    {"API keys", "Keys by which machines use a project."},
    {"FHIR servers", "Servers that applications reach by SMART App Launch."},
    {"Mail templates", "What is mailed, in which words. Without a template nothing is mailed."},
    {"Webhooks", "Where a project's own servers are told of what happens in it."},
    {"Documents", "Files: upload by a form, download, images in other sizes, public links."},
    {"Content", "Texts such as articles and questions, in several languages."},
    {"Bots", "Code of a project's own that clients may call."},
    {"Translation", "Machine translation of texts."},
    {"Service", "What belongs to no tenant: health, keys and this page."},
    {NULL, NULL},
};

const char *openapi_code_meaning(enum error_code code)
{
    switch (code) {
    case ERR_ENTITY_TOO_LARGE:
        return "the file is larger than the form admits";
    case ERR_MFA_REQUIRED:
        return "the password is right and a second factor is needed: go on at the tenant sign-in's "
               "`login/mfa` with "
               "the `loginId`, which is there when the request had a `codeChallenge`";
    case ERR_SIGN_IN_REQUIRED:
        return "sign in first, or send the password of the account; the link is not spent";
    case ERR_STEP_UP_REQUIRED:
        return "the last proof of the session is too old: `POST /auth/step-up`, then repeat";
    case ERR_ACCOUNT_LOCKED:
        return "the password is right, and an operator has locked the account, or an admin of the "
               "project "
               "the member";
    case ERR_ACCOUNT_SHARED:
        return "the account is a member of projects that are not yours: its owner, or an operator, "
               "can do this";
    case ERR_PASSWORD_CHANGE_REQUIRED:
        return "the password is right and a common one, and the project wants another: reset it";
    case ERR_EMAIL_NOT_VERIFIED:
        return "the password is right (or the member is found) and the address of the account is "
               "not "
               "verified yet";
    case ERR_MFA_ENROLLMENT_REQUIRED:
        return "the project demands a second factor of this account, and the session has none: "
               "enrol one";
    case ERR_PROJECT_READ_ONLY:
        return "the project is read-only for seconds or minutes, while it moves to another "
               "installation: what reads goes on, the rest is to be tried again after "
               "`Retry-After`; a refresh token is not spent by it";
    case ERR_ACCEPT_SIGNED_IN:
        return "the account exists and is verified: sign in and accept with its token";
    case ERR_ACCEPT_BY_PASSWORD:
        return "there is no verified account yet: accept by setting a password";
    case ERR_QUOTA_EXCEEDED:
        return "the account or the project has as many documents or bytes as it may have";
    case ERR_INVALID_SETTING_VALUE:
        return "the value does not fit the setting, or something that it needs is missing";
    case ERR_PASSWORD_REFUSED:
        return "the project's rules do not admit this password; `path` is `password`";
    default:
        return NULL;
    }
}
