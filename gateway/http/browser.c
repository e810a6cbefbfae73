/* browser.c - see browser.h. */
#include "gateway/http/browser.h"

#include <strings.h>

#include <sodium.h>

#include "common/base/secret.h"
#include "common/domain/page.h"
#include "common/domain/uri.h"

enum { LANGUAGE_COOKIE_LIFE = 365 * 24 * 3600 }; /* seconds */

static const char token_purpose[] = "atrium form token";

const char *cookie_name(struct arena *arena, const char *tenant, bool secure)
{
    if (!page_is_code(tenant))
        return NULL;
    return arena_printf(arena, "%satrium-%s", secure ? "__Host-" : "", tenant);
}

static bool is_cookie(const char *value, uint8_t ret[static COOKIE_BYTES])
{
    size_t size;

    return value && secret_decode(value, ret, COOKIE_BYTES, &size) == 0 && size == COOKIE_BYTES;
}

/* RFC 6265, section 5.4. NULL: absent or repeated. */
static const char *cookie_value(struct arena *arena, const char *header, const char *name)
{
    const char *found = NULL;
    size_t size = strlen(name);

    for (const char *at = header ? header : ""; *at;) {
        size_t length;

        at += strspn(at, " \t");
        length = strcspn(at, ";");
        if (length > size && memcmp(at, name, size) == 0 && at[size] == '=') {
            if (found)
                return NULL;
            found = arena_strndup(arena, at + size + 1, length - size - 1);
        }
        at += length + (at[length] == ';');
    }
    return found;
}

const char *cookie_find(struct arena *arena, const char *header, const char *name)
{
    uint8_t bytes[COOKIE_BYTES];
    const char *found = cookie_value(arena, header, name);

    if (!is_cookie(found, bytes))
        return NULL;
    sodium_memzero(bytes, sizeof(bytes));
    return found;
}

const char *cookie_header(struct arena *arena, const char *name, const char *value, bool secure)
{
    return arena_printf(arena, "%s=%s; Path=/; HttpOnly; SameSite=Lax%s%s", name,
                        value ? value : "", secure ? "; Secure" : "", value ? "" : "; Max-Age=0");
}

/* Tenants' cookies have a hyphen there, so no tenant has this one. */
static const char *language_cookie_name(bool secure)
{
    return secure ? "__Host-atrium_language" : "atrium_language";
}

bool is_language_choice(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

    return text && strlen(text) == 2 && strspn(text, letters) == 2;
}

const char *language_cookie_find(struct arena *arena, const char *header, bool secure)
{
    const char *found = cookie_value(arena, header, language_cookie_name(secure));

    return is_language_choice(found) ? found : NULL;
}

const char *language_cookie_header(struct arena *arena, const char *language, bool secure)
{
    return arena_printf(arena, "%s=%s; Path=/; HttpOnly; SameSite=Lax; Max-Age=%d%s",
                        language_cookie_name(secure), language, LANGUAGE_COOKIE_LIFE,
                        secure ? "; Secure" : "");
}

/* Hashes the cookie, for its form token. */
static bool token_proof(const char *cookie, uint8_t ret[static COOKIE_BYTES])
{
    uint8_t key[COOKIE_BYTES];

    if (!is_cookie(cookie, key))
        return false;
    crypto_generichash(ret, COOKIE_BYTES, (const uint8_t *)token_purpose, sizeof(token_purpose) - 1,
                       key, sizeof(key));
    sodium_memzero(key, sizeof(key));
    return true;
}

const char *form_token(struct arena *arena, const char *cookie)
{
    uint8_t token[FORM_TOKEN_BYTES], proof[COOKIE_BYTES];

    if (!token_proof(cookie, proof))
        return NULL;
    randombytes_buf(token, COOKIE_BYTES);
    for (size_t i = 0; i < COOKIE_BYTES; i++)
        token[COOKIE_BYTES + i] = token[i] ^ proof[i];
    sodium_memzero(proof, sizeof(proof));
    return secret_encode(arena, token, sizeof(token));
}

bool form_token_is_of(const char *token, const char *cookie)
{
    uint8_t bytes[FORM_TOKEN_BYTES], proof[COOKIE_BYTES];
    size_t size;
    bool same;

    if (!token || secret_decode(token, bytes, sizeof(bytes), &size) < 0 || size != sizeof(bytes) ||
        !token_proof(cookie, proof))
        return false;
    for (size_t i = 0; i < COOKIE_BYTES; i++)
        bytes[i] ^= bytes[COOKIE_BYTES + i];
    same = sodium_memcmp(bytes, proof, sizeof(proof)) == 0;
    sodium_memzero(proof, sizeof(proof));
    return same;
}

const char *form_submission(struct arena *arena, const char *cookie, const char *path,
                            const uint8_t *body, size_t size)
{
    uint8_t key[COOKIE_BYTES], hash[COOKIE_BYTES];
    crypto_generichash_state state;

    if (!is_cookie(cookie, key))
        return NULL;
    crypto_generichash_init(&state, key, sizeof(key), sizeof(hash));
    crypto_generichash_update(&state, (const uint8_t *)path, strlen(path) + 1);
    crypto_generichash_update(&state, body, size);
    crypto_generichash_final(&state, hash, sizeof(hash));
    sodium_memzero(key, sizeof(key));
    sodium_memzero(&state, sizeof(state));
    return secret_encode(arena, hash, sizeof(hash));
}

bool browser_is_own(const char *origin, const char *fetch_site, const char *public_url)
{
    struct uri own, other;

    if (!public_url || !uri_parse(public_url, &own) || !origin ||
        (fetch_site && strcmp(fetch_site, "same-origin") != 0))
        return false;
    if (strcmp(origin, "null") == 0)
        return fetch_site != NULL;
    return uri_is_origin(origin) && uri_parse(origin, &other) && uri_same_origin(&own, &other);
}

static bool is_repeated(const struct query *query, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(query->pairs[i].name, query->pairs[index].name) == 0)
            return true;
    return false;
}

int browser_body_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err)
{
    const char *text = arena_strndup(arena, (const char *)body, size);
    int result = strlen(text) == size ? query_decode(text, arena, ret, err) : -1;

    secret_wipe_text(text);
    return result < 0 ? error_set(err, ERR_BAD_REQUEST, "The form is malformed.") : 0;
}

int browser_form_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err)
{
    if (browser_body_decode(body, size, arena, ret, err) < 0)
        return -1;
    for (size_t i = 1; i < ret->count; i++)
        if (is_repeated(ret, i))
            return error_set(err, ERR_BAD_REQUEST, "The form has a field twice.");
    return 0;
}
