/*
 * provider_api.c - shapes of identity providers. See authd_api.c.
 */
#include "authd/federation/provider_api.h"

#include <stdio.h>
#include <string.h>

#include "common/domain/name.h"
#include "common/domain/uri.h"
#include "common/wire/codec.h"

#define GOOGLE_ISSUER "https://accounts.google.com"
#define ENTRA_VERSION "/v2.0"
/* Entra's directory of personal accounts: anyone can have one. */
#define ENTRA_PERSONAL "9188040d-6c67-4c5b-b112-36a304b66dad"

enum {
    PROVIDER_NAME_MAX = 60,
    ISSUER_MAX = 512,
    CLIENT_ID_MAX = 255,
    CLIENT_SECRET_MAX = 1024,
    SCOPES_SIZE_MAX = 512,
    ACR_MAX = 255,
    DOMAIN_SIZE_MAX = 253,
    PROVIDER_DOMAINS_MAX = 20, /* as many as a project can have */
    ROLES_MAX = 2,
    LISTED_MAX = 100, /* see provider_list.sql */
    REDIRECT_MAX = 2048,
};

static const char *const presets[] = {"oidc", "entra", "google", NULL};
static const char *const auth_methods[] = {"client_secret_basic", "client_secret_post", NULL};
static const char *const roles[] = {"practitioners", "patients", NULL};
static const char *const provisionings[] = {"none", "practitioners", "patients", "both", NULL};
const char *const provider_states[] = {"draft", "active", "disabled", NULL};

/* OpenID Connect Discovery 1.0, section 3: an https URL without query and fragment. */
static int check_issuer(const char *value, char why[static 96])
{
    struct uri uri;

    if (uri_https_check(value, why) < 0)
        return -1;
    snprintf(why, 96, "must be an absolute https URL without query");
    return uri_parse(value, &uri) && !uri.has_query ? 0 : -1;
}

/* RFC 6749, appendix A.1 and A.2: what a client id and a secret can contain. */
static int check_printable(const char *value, char why[static 96])
{
    snprintf(why, 96, "must contain only printable ASCII");
    for (; *value; value++) {
        if (*value < ' ' || *value > '~')
            return -1;
    }
    return 0;
}

/* RFC 6749, section 3.3. OpenID Connect needs the scope openid (Core 1.0, section 3.1.2.1). */
static int check_scopes(const char *value, char why[static 96])
{
    bool openid = false;

    snprintf(why, 96, "must contain only printable ASCII without quotes and backslashes");
    for (const char *at = value; *at; at++) {
        if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\')
            return -1;
    }
    for (const char *at = value; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        openid = openid || (strcspn(at, " ") == 6 && strncmp(at, "openid", 6) == 0);
    }
    snprintf(why, 96, "must contain openid");
    return openid ? 0 : -1;
}

#define ROLES_ROW(s, member, min_items_, flags_, doc_, example_)                                   \
    FIELD_ROW(s, member, FIELD_TYPE_TEXTS, struct field_texts, .max = 64, .choices = roles,        \
              .min_items = (min_items_), .max_items = ROLES_MAX, .flags = (flags_), .doc = (doc_), \
              .example = (example_))

static const struct field identity_provider_in_rows[] = {
    FIELD_UUID(struct identity_provider_in, id, FIELD_PATH, "ID of the provider to replace."),
    FIELD_CHECKED(struct identity_provider_in, name, 1, PROVIDER_NAME_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Text of its button on sign-in pages.",
                  "Lakeside staff"),
    FIELD_CHOICE(struct identity_provider_in, preset, presets, FIELD_REQUIRED,
                 "`entra` for Microsoft Entra ID, `google` for Google Workspace, otherwise `oidc`.",
                 "entra"),
    FIELD_PATTERN(struct identity_provider_in, issuer, 9, ISSUER_MAX, check_issuer,
                  "^[Hh][Tt][Tt][Pp][Ss]://[^?#]*$", FIELD_NULLABLE,
                  "Issuer, exactly as the provider's discovery document states it. With `entra`, "
                  "`https://login.microsoftonline.com/<directory ID>/v2.0`; with `google`, absent.",
                  "https://login.microsoftonline.com/7b5e7a3c-52f4-4b6c-9a53-1d0a6f0c2e11/v2.0"),
    FIELD_CHECKED(struct identity_provider_in, clientId, 1, CLIENT_ID_MAX, check_printable,
                  FIELD_REQUIRED, "Client ID that the provider gave to this application.",
                  "2f1c0e6a-8d0b-4c57-b8e7-94d6a1c3f520"),
    FIELD_CHECKED(struct identity_provider_in, clientSecret, 1, CLIENT_SECRET_MAX, check_printable,
                  FIELD_NULLABLE | FIELD_SECRET,
                  "Client secret; never shown again. If absent from a PUT, it doesn't change. "
                  "Required for an active provider, and with another preset, issuer or client ID.",
                  "Qe58Q~yT0x-3kP9"),
    FIELD_CHOICE(struct identity_provider_in, authMethod, auth_methods, FIELD_NULLABLE,
                 "How the secret is sent to the token endpoint (RFC 6749, section 2.3.1); the "
                 "default is `client_secret_basic`.",
                 "client_secret_basic"),
    FIELD_CHECKED(struct identity_provider_in, scopes, 6, SCOPES_SIZE_MAX, check_scopes,
                  FIELD_NULLABLE,
                  "Scopes to ask for, separated by spaces; the default is `openid email profile`.",
                  "openid email profile"),
    FIELD_CHECKED(struct identity_provider_in, requiredAcr, 1, ACR_MAX, check_printable,
                  FIELD_NULLABLE,
                  "ID tokens without this `acr` are refused (OpenID Connect Core 1.0, section 2).",
                  "https://refeds.org/profile/mfa"),
    FIELD_BOOL(struct identity_provider_in, trustedForMfa, false, 0,
               "Whether the provider's second factor counts: people whose ID token shows two "
               "factors aren't asked for another one."),
    ROLES_ROW(struct identity_provider_in, roles, 1, FIELD_REQUIRED,
              "Who can sign in: `practitioners`, `patients` or both.", "practitioners"),
    FIELD_TEXTS(struct identity_provider_in, domains, 1, DOMAIN_SIZE_MAX, PROVIDER_DOMAINS_MAX, 0,
                "Email domains whose addresses the provider can vouch for. Your project must have "
                "verified each; one that it loses no longer counts.",
                "clinic.example"),
    FIELD_CHOICE(struct identity_provider_in, provisioning, provisionings, FIELD_NULLABLE,
                 "Who becomes a member at the first sign-in, with the project's default access "
                 "policy; the default is `none`.",
                 "practitioners"),
    ROLES_ROW(struct identity_provider_in, enforced, 0, 0,
              "Who can sign in only through this provider; needs a successful test.",
              "practitioners"),
    FIELD_CHOICE(struct identity_provider_in, state, provider_states, FIELD_NULLABLE,
                 "`draft` (the default), `active`, or `disabled`.", "active"),
    FIELD_IF_MATCH(struct identity_provider_in, "the provider"),
};
FIELD_TABLE(identity_provider_in);

static const struct field identity_provider_id_in_rows[] = {
    FIELD_UUID(struct identity_provider_id_in, id, FIELD_PATH | FIELD_REQUIRED,
               "ID of the provider."),
};
FIELD_TABLE(identity_provider_id_in);

static const struct field identity_provider_rows[] = {
    FIELD_UUID(struct identity_provider, id, FIELD_REQUIRED, "ID of the provider.",
               "019ad6e0-7c15-7b3a-9f42-5d8e1a0c6b97"),
    FIELD_TEXT(struct identity_provider, name, 1, PROVIDER_NAME_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS, "Text of its button on sign-in pages.",
               "Lakeside staff"),
    FIELD_CHOICE(struct identity_provider, preset, presets, FIELD_REQUIRED, "Kind of provider.",
                 "entra"),
    FIELD_TEXT(struct identity_provider, issuer, 1, ISSUER_MAX, FIELD_REQUIRED, "Its issuer.",
               "https://login.microsoftonline.com/7b5e7a3c-52f4-4b6c-9a53-1d0a6f0c2e11/v2.0"),
    FIELD_TEXT(struct identity_provider, clientId, 1, CLIENT_ID_MAX, FIELD_REQUIRED,
               "Client ID that the provider gave to this application.",
               "2f1c0e6a-8d0b-4c57-b8e7-94d6a1c3f520"),
    FIELD_BOOL(struct identity_provider, hasSecret, false, FIELD_REQUIRED,
               "Whether a client secret is stored."),
    FIELD_CHOICE(struct identity_provider, authMethod, auth_methods, FIELD_REQUIRED,
                 "How the secret is sent to the token endpoint.", "client_secret_basic"),
    FIELD_TEXT(struct identity_provider, scopes, 1, SCOPES_SIZE_MAX, FIELD_REQUIRED,
               "Scopes to ask for, separated by spaces.", "openid email profile"),
    FIELD_TEXT(struct identity_provider, requiredAcr, 1, ACR_MAX, FIELD_NULLABLE,
               "The `acr` that ID tokens must have; null: any.", "https://refeds.org/profile/mfa"),
    FIELD_BOOL(struct identity_provider, trustedForMfa, false, FIELD_REQUIRED,
               "Whether the provider's second factor counts."),
    FIELD_JSON_TEXTS(struct identity_provider, roles, 64, FIELD_REQUIRED, "Who can sign in.",
                     "[\"practitioners\"]"),
    FIELD_JSON_TEXTS(struct identity_provider, domains, 8192, FIELD_REQUIRED,
                     "Email domains whose addresses the provider can vouch for.",
                     "[\"clinic.example\"]"),
    FIELD_CHOICE(struct identity_provider, provisioning, provisionings, FIELD_REQUIRED,
                 "Who becomes a member at the first sign-in.", "practitioners"),
    FIELD_JSON_TEXTS(struct identity_provider, enforced, 64, FIELD_REQUIRED,
                     "Who can sign in only through this provider.", "[]"),
    FIELD_CHOICE(struct identity_provider, state, provider_states, FIELD_REQUIRED,
                 "`draft`: nobody can sign in yet; `active`; `disabled`.", "active"),
    FIELD_TEXT(struct identity_provider, redirectUri, 1, REDIRECT_MAX, FIELD_NULLABLE,
               "Redirect URI to register at the provider; null if the project has no tenant code, "
               "or the installation no public URL.",
               "https://atrium.example.com/t/lakeside/idp/019ad6e0-7c15-7b3a-9f42-5d8e1a0c6b97/"
               "callback"),
    FIELD_TIME(struct identity_provider, testedAt, FIELD_NULLABLE,
               "When a test sign-in last succeeded with these settings; null if none did."),
    FIELD_TIME(struct identity_provider, createdAt, FIELD_REQUIRED, "When it was created."),
    FIELD_TIME(struct identity_provider, lastUpdated, FIELD_REQUIRED, "When it last changed."),
    FIELD_ETAG(struct identity_provider),
};
FIELD_TABLE(identity_provider);

static const struct field inherited_provider_rows[] = {
    FIELD_UUID(struct inherited_provider, id, FIELD_REQUIRED, "ID of the provider.",
               "019ad6e0-7c15-7b3a-9f42-5d8e1a0c6b98"),
    FIELD_TEXT(struct inherited_provider, name, 1, PROVIDER_NAME_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS, "Text of its button on sign-in pages.",
               "Lakeside group"),
    FIELD_TEXT(struct inherited_provider, issuer, 1, ISSUER_MAX, FIELD_REQUIRED, "Its issuer.",
               "https://login.lakeside.example"),
};
FIELD_TABLE(inherited_provider);

static const struct field identity_provider_list_rows[] = {
    FIELD_OBJECTS(struct identity_provider_list, resources, identity_provider, LISTED_MAX,
                  FIELD_REQUIRED, "Identity providers of the project, oldest first."),
    FIELD_OBJECTS(struct identity_provider_list, inherited, inherited_provider, LISTED_MAX,
                  FIELD_REQUIRED,
                  "Active identity providers that the project inherits, nearest first."),
};
FIELD_TABLE(identity_provider_list);

/* ---- checks ---- */

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

/* True for an issuer of one Entra directory: /<directory ID>/v2.0. The issuers "common",
 * "organizations" and "consumers" stand for many directories, whose admins each choose addresses
 * and names freely. */
static bool is_entra_directory(const char *issuer)
{
    struct uri uri;
    struct uuid directory;
    const char *id;

    if (!uri_parse(issuer, &uri) || strlen(uri.rest) != strlen("/" ENTRA_PERSONAL ENTRA_VERSION))
        return false;
    id = uri.rest + 1;
    if (strcmp(id + strlen(ENTRA_PERSONAL), ENTRA_VERSION) != 0)
        return false;
    memcpy(directory.text, id, strlen(ENTRA_PERSONAL));
    directory.text[strlen(ENTRA_PERSONAL)] = '\0';
    return uuid_parse(directory.text, &directory) == 0 && !is(directory.text, ENTRA_PERSONAL);
}

static int set_issuer(struct identity_provider_in *self, struct error *err)
{
    if (is(self->preset, "google")) {
        if (self->issuer && !is(self->issuer, GOOGLE_ISSUER))
            return error_problem(err, "issuer", "must be absent with this preset");
        self->issuer = GOOGLE_ISSUER;
        return 0;
    }
    if (!self->issuer)
        return error_problem(err, "issuer", "is required");
    if (is(self->preset, "entra") && !is_entra_directory(self->issuer))
        return error_problem(
            err, "issuer",
            "is only allowed as https://login.microsoftonline.com/<directory ID>" ENTRA_VERSION);
    return 0;
}

int provider_check(struct identity_provider_in *self, struct error *err)
{
    if (set_issuer(self, err) < 0)
        return -1;
    self->authMethod = self->authMethod ? self->authMethod : "client_secret_basic";
    self->scopes = self->scopes ? self->scopes : "openid email profile";
    self->provisioning = self->provisioning ? self->provisioning : "none";
    self->state = self->state ? self->state : provider_states[0];
    return 0;
}

/* A row has no path, query or headers. */
static const char *no_value(const void *context UNUSED, unsigned where UNUSED,
                            const char *name UNUSED)
{
    return NULL;
}

int provider_check_row(struct arena *arena, const char *row, struct error *err)
{
    static const char *const renamed[][2] = {{"client_id", "clientId"},
                                             {"auth_method", "authMethod"},
                                             {"required_acr", "requiredAcr"},
                                             {"trusted_for_mfa", "trustedForMfa"}};
    json_auto_t *json = codec_parse_json(row, strlen(row), true, err);
    const struct field_source source = {.body = json, .lookup = no_value};
    struct identity_provider_in in;

    if (!json)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
        json_object_set(json, renamed[i][1], json_object_get(json, renamed[i][0]));
    if (fields_read(&identity_provider_in_table, &source, arena, &in, err) < 0)
        return -1;
    return provider_check(&in, err);
}
