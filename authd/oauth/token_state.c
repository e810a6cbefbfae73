/*
 * token_state.c - see token_state.h.
 */
#include "authd/oauth/token_state.h"

#include <string.h>

#include "authd/session/issuer_key.h"
#include "authd/session/refresh_token.h"
#include "common/domain/jwt.h"

static void read_access(const struct request *req, struct token_state *ret)
{
    const json_t *claims = ret->claims;

    (void)!uuid_parse(jwt_text(claims, "sid"), &ret->session);
    ret->client_id = arena_strdup(req->arena, jwt_text(claims, "client_id"));
    ret->id = arena_strdup(req->arena, jwt_text(claims, "jti"));
    ret->expires_ms = json_integer_value(json_object_get(claims, "exp")) * 1000;
}

void token_state_read(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const char *token, struct token_state *ret)
{
    CLEANUP(refresh_token_wipe) struct refresh_token refresh = {.text = ""};

    *ret = (struct token_state){.claims = issuer_verify(d, req, token, "at+jwt", issuer->url)};
    if (ret->claims) {
        read_access(req, ret);
    } else if (refresh_token_parse(token, &refresh) == 0 &&
               refresh_token_genuine(&refresh, &d->svc.seal, d->svc.seal.count) &&
               uuid_equal(&refresh.project, &issuer->tenant.projectId)) {
        ret->refresh = true;
        ret->session = refresh.session;
    }
}

void token_state_clear(struct token_state *self)
{
    json_decref(self->claims);
    self->claims = NULL;
}
