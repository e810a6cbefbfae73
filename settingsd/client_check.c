/* client_check.c - see client_check.h. Field tables check single members. */
#include "settingsd/client_check.h"

#include <jansson.h>
#include <string.h>

#include "common/domain/jwk.h"
#include "common/domain/jwt.h"
#include "common/wire/codec.h"
#include "common/wire/fields.h"
#include "settingsd/client_api.h"

enum { KEYS_MAX = 20 };

bool client_has_secret(const struct oauth_settings *settings)
{
    return settings->authMethod == CLIENT_AUTH_SECRET_BASIC ||
           settings->authMethod == CLIENT_AUTH_SECRET_POST;
}

static bool has(const struct field_texts *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0)
            return true;
    }
    return false;
}

struct key_set_check {
    const char *text;
    bool is_set;
    size_t count;
    const char *faults[KEYS_MAX]; /* or NULL */
};

/* Finds ambiguous keys (RFC 7517, section 4.5). */
static bool has_kid_before(const json_t *keys, size_t at)
{
    const char *kid = jwt_text(json_array_get(keys, at), "kid");

    for (size_t i = 0; i < at && *kid; i++) {
        if (strcmp(jwt_text(json_array_get(keys, i), "kid"), kid) == 0)
            return true;
    }
    return false;
}

static void key_set_work(void *arg)
{
    struct key_set_check *self = arg;
    struct error ignored;
    json_auto_t *set = NULL;
    json_t *keys;

    error_init(&ignored, NULL);
    set = codec_parse_json(self->text, strlen(self->text), true, &ignored);
    keys = json_object_get(set, "keys");
    self->count = json_array_size(keys);
    self->is_set = self->count >= 1 && self->count <= KEYS_MAX;
    for (size_t i = 0; i < self->count && self->is_set; i++) {
        self->faults[i] = jwk_fault(json_array_get(keys, i));
        if (!self->faults[i] && has_kid_before(keys, i))
            self->faults[i] = "kid must differ from that of every other key";
    }
}

int client_check_keys(struct offload *threads, const char *jwks, int64_t deadline_mono_ms,
                      struct error *err)
{
    struct key_set_check check = {.text = jwks};
    int result = 0;

    if (offload_run(threads, key_set_work, &check, deadline_mono_ms, err) < 0)
        return -1;
    if (!check.is_set)
        return error_problem(err, "jwks.keys", "must be an array of 1 to %d keys", KEYS_MAX);
    for (size_t i = 0; i < check.count; i++) {
        char path[32];

        snprintf(path, sizeof(path), "jwks.keys.%zu", i);
        if (check.faults[i])
            result = error_problem(err, path, "%s", check.faults[i]);
    }
    return result;
}

static int check_keys(const struct oauth_settings *settings, struct error *err)
{
    bool signs = settings->authMethod == CLIENT_AUTH_PRIVATE_KEY;

    if (settings->jwks && settings->jwksUri) /* RFC 7591, section 2 */
        return error_problem(err, "jwksUri", "must be absent beside jwks");
    if (!signs && settings->jwks)
        return error_problem(err, "jwks", "is for authMethod private_key_jwt only");
    if (!signs && settings->jwksUri)
        return error_problem(err, "jwksUri", "is for authMethod private_key_jwt only");
    if (signs && !settings->jwks && !settings->jwksUri)
        return error_problem(err, "jwks", "is required: jwks, or jwksUri");
    return 0;
}

static int check_grants(const struct oauth_settings *settings, bool confidential, struct error *err)
{
    const struct field_texts *grants = &settings->grantTypes;
    bool code = has(grants, "authorization_code");
    bool device = has(grants, "urn:ietf:params:oauth:grant-type:device_code");
    int result = 0;

    if (has(grants, "client_credentials") && !confidential) /* RFC 6749, section 4.4 */
        result =
            error_problem(err, "grantTypes", "client_credentials is for type confidential only");
    if (has(grants, "refresh_token") && !code && !device)
        result =
            error_problem(err, "grantTypes", "refresh_token needs a grant that signs people in");
    if (code && !settings->redirectUris.count)
        result = error_problem(err, "redirectUris", "is required for authorization_code");
    return result;
}

int client_check(struct oauth_settings *settings, struct error *err)
{
    bool confidential;
    int result = 0;

    if (!settings->type)
        settings->type = "public";
    confidential = strcmp(settings->type, "confidential") == 0;
    if (!settings->authMethod)
        settings->authMethod = confidential ? CLIENT_AUTH_SECRET_BASIC : CLIENT_AUTH_NONE;
    if (!settings->dpop)
        settings->dpop = "optional";
    if (!settings->idTokenAlg)
        settings->idTokenAlg = "RS256";
    if (confidential == (settings->authMethod == CLIENT_AUTH_NONE))
        result = error_problem(err, "authMethod",
                               confidential ? "must not be none for type confidential"
                                            : "must be none for type public");
    if (settings->pkceOptional && !confidential)
        result = error_problem(err, "pkceOptional", "is for type confidential only");
    if (check_grants(settings, confidential, err) < 0)
        result = -1;
    if (check_keys(settings, err) < 0)
        result = -1;
    return result;
}
