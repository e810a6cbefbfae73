/*
 * token.c - see token.h.
 */
#include "authd/session/token.h"

#include <jansson.h>
#include <string.h>

#include "common/base/secret.h"
#include "common/wire/codec.h"

static char *encode_json(struct arena *arena, json_t *json)
{
    const char *text = codec_dump_json(arena, json);

    json_decref(json);
    return secret_encode(arena, text, strlen(text));
}

char *token_mint(const struct jws_key *key, const struct token_claims *claims, struct arena *arena)
{
    const char *subject =
        arena_printf(arena, "%s/%s", role_text(claims->role), claims->profile.text);
    json_int_t now_s = claims->now_ms / 1000;
    uint8_t signature[JWS_SIGNATURE_MAX];
    char *header, *body, *signed_part;
    size_t size;

    header = encode_json(arena, json_pack("{s:s, s:s, s:s}", "alg", "ES256", "typ", "JWT", "kid",
                                          key->kid));
    body = encode_json(arena, json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s, s:b}", "iss",
                                        claims->issuer, "sub", subject, "aud", claims->audience,
                                        "exp", now_s + claims->life_ms / 1000, "iat", now_s, "jti",
                                        claims->id.text, "sid", claims->session.text, "prj",
                                        claims->project.text, "mem", claims->membership.text, "adm",
                                        claims->admin));
    signed_part = arena_printf(arena, "%s.%s", header, body);
    if (jws_sign_es256(key->signer, signed_part, signature, &size) < 0)
        return NULL;
    return arena_printf(arena, "%s.%s", signed_part, secret_encode(arena, signature, size));
}
