/*
 * id_token.c - see id_token.h.
 */
#include "authd/federation/id_token.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "authd/federation/key_set.h"
#include "common/base/secret.h"

#define LOGOUT_EVENT "http://schemas.openid.net/event/backchannel-logout"
#define LOGOUT_EXPIRES_MOST HOURS(24)

enum { NAME_MAX_BYTES = 255 }; /* for a `sub` (Core 1.0, section 2) and other identifiers */

void rule_add(struct rule_list *self, const char *name, const char *fault)
{
    if (self->count < RULES_MAX)
        self->items[self->count++] =
            (struct rule){.name = name, .passed = !fault, .detail = fault ? fault : ""};
}

const struct rule *rule_failed(const struct rule_list *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (!self->items[i].passed)
            return &self->items[i];
    return NULL;
}

/* ---- one function for each rule, which returns what is wrong, or NULL ---- */

static const char *text_of(const struct token_check *self, const char *name)
{
    return jwt_text(self->token->claims, name);
}

static bool has(const struct token_check *self, const char *name)
{
    return json_object_get(self->token->claims, name) != NULL;
}

/* `none` and HMAC are not among them: an HMAC's key would be the public key or our secret. */
static const char *const algs[] = {"RS256", "PS256", "ES256", "EdDSA", NULL};

static const char *alg_fault(const struct token_check *self)
{
    const char *alg = jwt_text(self->token->header, "alg");

    for (const char *const *each = algs; *each; each++)
        if (strcmp(*each, alg) == 0)
            return NULL;
    return arena_printf(self->arena, "%.40s is not RS256, PS256, ES256 or EdDSA", alg);
}

static const char *signature_fault(const struct token_check *self)
{
    return key_set_signed(self->keys, self->token, algs) ? NULL
                                                         : "no published key made the signature";
}

static const char *iss_fault(const struct token_check *self)
{
    const char *issuer = text_of(self, "iss");

    return strcmp(issuer, self->provider->issuer) == 0
               ? NULL
               : arena_printf(self->arena, "%.100s is not the provider's issuer", issuer);
}

static bool is_in(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *each = json_string_value(json_array_get(list, i));

        if (each && strcmp(each, text) == 0)
            return true;
    }
    return false;
}

/* A token for several recipients must say that it was made for this one. */
static const char *aud_fault(const struct token_check *self)
{
    const char *client = self->provider->client_id, *azp = text_of(self, "azp");
    const json_t *aud = json_object_get(self->token->claims, "aud");
    bool ours = json_is_array(aud) ? is_in(aud, client) : strcmp(text_of(self, "aud"), client) == 0;

    if (!ours)
        return "the token is for another client";
    if (json_is_array(aud) && !*azp)
        return "aud is a list, but azp is absent";
    return !has(self, "azp") || strcmp(azp, client) == 0 ? NULL : "azp is another client";
}

static const char *exp_fault(const struct token_check *self)
{
    int64_t expires = jwt_time(self->token, "exp");

    if (expires == 0)
        return "exp is absent";
    if (!self->authorization && expires > self->now_ms + LOGOUT_EXPIRES_MOST)
        return "the token expires too late";
    return expires > self->now_ms - JWT_CLOCK_SKEW_MS ? NULL : "the token has expired";
}

/* Does not limit its age: some providers date tokens back, and the nonce is of this login. */
static const char *iat_fault(const struct token_check *self)
{
    int64_t latest = self->now_ms + JWT_CLOCK_SKEW_MS;

    if (jwt_time(self->token, "iat") == 0)
        return "iat is absent";
    return jwt_time(self->token, "iat") <= latest && jwt_time(self->token, "nbf") <= latest
               ? NULL
               : "the token is from the future";
}

static const char *sub_fault(const struct token_check *self)
{
    size_t size = strlen(text_of(self, "sub"));

    return size > 0 && size <= NAME_MAX_BYTES ? NULL : "sub must have 1 to 255 bytes";
}

static const char *nonce_fault(const struct token_check *self)
{
    return strcmp(text_of(self, "nonce"), self->authorization->nonce) == 0
               ? NULL
               : "the token is of another login";
}

/* Returns the left half of the access token's hash (section 3.1.3.6), by the token's algorithm. */
static const char *half_hash(const struct token_check *self)
{
    bool eddsa = strcmp(jwt_text(self->token->header, "alg"), "EdDSA") == 0;
    uint8_t hash[EVP_MAX_MD_SIZE];
    unsigned size = 0;

    if (EVP_Digest(self->access_token, strlen(self->access_token), hash, &size,
                   eddsa ? EVP_sha512() : EVP_sha256(), NULL) != 1)
        return "";
    return secret_encode(self->arena, hash, size / 2);
}

static const char *at_hash_fault(const struct token_check *self)
{
    if (!has(self, "at_hash"))
        return NULL;
    return self->access_token && strcmp(text_of(self, "at_hash"), half_hash(self)) == 0
               ? NULL
               : "the access token is another one";
}

/* Compares with the second of the request, since the claim has whole seconds. */
static const char *auth_time_fault(const struct token_check *self)
{
    int64_t time = jwt_time(self->token, "auth_time");

    if (time > self->now_ms + JWT_CLOCK_SKEW_MS)
        return "the sign-in is in the future";
    if (!self->authorization->fresh)
        return NULL;
    if (time == 0)
        return "auth_time is absent";
    return time >= self->authorization->started_ms / 1000 * 1000 ? NULL
                                                                 : "the sign-in is an older one";
}

static const char *acr_fault(const struct token_check *self)
{
    const char *wanted = self->provider->required_acr;

    return !wanted || strcmp(text_of(self, "acr"), wanted) == 0
               ? NULL
               : arena_printf(self->arena, "%.100s is not the required acr", text_of(self, "acr"));
}

static const char *events_fault(const struct token_check *self)
{
    const json_t *events = json_object_get(self->token->claims, "events");

    return json_is_object(json_object_get(events, LOGOUT_EVENT)) ? NULL : "the event is absent";
}

/* So that an ID token can't pass as a logout token. */
static const char *no_nonce_fault(const struct token_check *self)
{
    return has(self, "nonce") ? "a logout token has no nonce" : NULL;
}

static const char *session_fault(const struct token_check *self)
{
    size_t sub = strlen(text_of(self, "sub")), sid = strlen(text_of(self, "sid"));

    return sub + sid > 0 && sub <= NAME_MAX_BYTES && sid <= NAME_MAX_BYTES
               ? NULL
               : "sub or sid must have 1 to 255 bytes";
}

static const char *jti_fault(const struct token_check *self)
{
    size_t size = strlen(text_of(self, "jti"));

    return size > 0 && size <= NAME_MAX_BYTES ? NULL : "jti must have 1 to 255 bytes";
}

/* ---- the lists ---- */

struct token_rule {
    const char *name;
    const char *(*fault)(const struct token_check *self);
};

static const struct token_rule common_rules[] = {
    {"alg", alg_fault}, {"signature", signature_fault},
    {"iss", iss_fault}, {"aud", aud_fault},
    {"exp", exp_fault}, {"iat", iat_fault},
};
static const struct token_rule id_rules[] = {
    {"sub", sub_fault},         {"nonce", nonce_fault},
    {"at_hash", at_hash_fault}, {"auth_time", auth_time_fault},
    {"acr", acr_fault},
};
static const struct token_rule logout_rules[] = {
    {"events", events_fault},
    {"nonce", no_nonce_fault},
    {"sub, sid", session_fault},
    {"jti", jti_fault},
};

static void check(const struct token_check *self, const struct token_rule *rules, size_t count,
                  struct rule_list *ret)
{
    for (size_t i = 0; i < count; i++)
        rule_add(ret, rules[i].name, rules[i].fault(self));
}

void id_token_check(const struct token_check *self, struct rule_list *ret)
{
    check(self, common_rules, ARRAY_SIZE(common_rules), ret);
    check(self, id_rules, ARRAY_SIZE(id_rules), ret);
}

void logout_token_check(const struct token_check *self, struct rule_list *ret)
{
    check(self, common_rules, ARRAY_SIZE(common_rules), ret);
    check(self, logout_rules, ARRAY_SIZE(logout_rules), ret);
}

/* ---- claims ---- */

static struct field_texts texts_of(const json_t *list, struct arena *arena)
{
    struct field_texts ret = {arena_calloc(arena, json_array_size(list) + 1, sizeof(*ret.items)),
                              0};

    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            ret.items[ret.count++] =
                arena_strdup(arena, json_string_value(json_array_get(list, i)));
    return ret;
}

/* Some providers write a boolean as text. */
static bool is_false(const json_t *value)
{
    return json_is_false(value) ||
           (json_is_string(value) && strcmp(json_string_value(value), "false") == 0);
}

void id_claims_read(const struct jwt *token, struct arena *arena, struct id_claims *ret)
{
    const json_t *claims = token->claims;
    char *all = json_dumps(claims, JSON_COMPACT);

#define TEXT(name) arena_strdup(arena, json_string_value(json_object_get(claims, name)))
    *ret =
        (struct id_claims){.subject = TEXT("sub"),
                           .email = TEXT("email"),
                           .name = TEXT("name"),
                           .given_name = TEXT("given_name"),
                           .family_name = TEXT("family_name"),
                           .acr = TEXT("acr"),
                           .sid = TEXT("sid"),
                           .email_verified = !is_false(json_object_get(claims, "email_verified")),
                           .amr = texts_of(json_object_get(claims, "amr"), arena),
                           .auth_time_ms = jwt_time(token, "auth_time"),
                           .all = arena_strdup(arena, all)};
#undef TEXT
    free(all);
}
