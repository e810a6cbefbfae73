/*
 * client_check.c - see client_check.h. What one member may be by itself is in its field table.
 */
#include "settingsd/client_check.h"

#include <jansson.h>
#include <string.h>

#include "common/domain/jwt.h"
#include "common/wire/codec.h"

enum {
    KEYS_MAX = 20,
    RSA_TEXT_MIN = 342, /* base64url of a modulus of 2048 bits (RFC 7518, section 3.3) */
    RSA_TEXT_MAX = 1366 /* of 8192 bits: a longer one takes too long to verify with */
};

bool client_has_secret(const struct oauth_settings *settings)
{
    return strcmp(settings->authMethod, "client_secret_basic") == 0 ||
           strcmp(settings->authMethod, "client_secret_post") == 0;
}

static bool has(const struct field_texts *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0)
            return true;
    }
    return false;
}

/* ---- keys ---- */

/* What is wrong with a key of a set, NULL when it is fine (RFC 7517, section 4; RFC 7518,
 * section 6). */
static const char *key_fault(const json_t *key)
{
    const char *type = jwt_text(key, "kty"), *curve = jwt_text(key, "crv");
    size_t modulus = strlen(jwt_text(key, "n"));

    if (json_object_get(key, "d") || json_object_get(key, "k"))
        return "must be a public key";
    if (strcmp(type, "EC") == 0)
        return strcmp(curve, "P-256") == 0 || strcmp(curve, "P-384") == 0
                   ? NULL
                   : "must be on the curve P-256 or P-384";
    if (strcmp(type, "RSA") == 0)
        return modulus >= RSA_TEXT_MIN && modulus <= RSA_TEXT_MAX ? NULL
                                                                  : "must have 2048 to 8192 bits";
    return "must be of kty EC or RSA";
}

static int check_key_set(const char *text, struct error *err)
{
    json_t *set = codec_parse_json(text, strlen(text), true, err);
    json_t *keys = json_object_get(set, "keys");
    size_t count = json_array_size(keys);
    int result = 0;

    if (count < 1 || count > KEYS_MAX)
        result = error_problem(err, "jwks.keys", "must be an array of 1 to %d keys", KEYS_MAX);
    for (size_t i = 0; i < count && i < KEYS_MAX; i++) {
        const char *fault = key_fault(json_array_get(keys, i));
        char path[32];

        snprintf(path, sizeof(path), "jwks.keys.%zu", i);
        if (fault)
            result = error_problem(err, path, "%s", fault);
    }
    json_decref(set);
    return result;
}

static int check_keys(const struct oauth_settings *settings, struct error *err)
{
    bool signs = strcmp(settings->authMethod, "private_key_jwt") == 0;

    if (settings->jwks && settings->jwksUri) /* RFC 7591, section 2 */
        return error_problem(err, "jwksUri", "must be absent beside jwks");
    if (!signs && settings->jwks)
        return error_problem(err, "jwks", "is for authMethod private_key_jwt only");
    if (!signs && settings->jwksUri)
        return error_problem(err, "jwksUri", "is for authMethod private_key_jwt only");
    if (signs && !settings->jwks && !settings->jwksUri)
        return error_problem(err, "jwks", "is required: jwks, or jwksUri");
    return settings->jwks ? check_key_set(settings->jwks, err) : 0;
}

/* ---- the rest ---- */

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
        settings->authMethod = confidential ? "client_secret_basic" : "none";
    if (!settings->dpop)
        settings->dpop = "optional";
    if (!settings->idTokenAlg)
        settings->idTokenAlg = "RS256";
    if (confidential == (strcmp(settings->authMethod, "none") == 0))
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
