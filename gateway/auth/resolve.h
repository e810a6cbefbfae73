/*
 * resolve.h - resolves a membership to a caller: asks authd for the person, settingsd for the
 * policy.
 */
#ifndef ATRIUM_GATEWAY_AUTH_RESOLVE_H
#define ATRIUM_GATEWAY_AUTH_RESOLVE_H

#include "common/domain/request.h"
#include "gateway/auth/identity.h"
#include "gateway/auth/token.h"

struct gateway;

/* Returns a reference to a verified token's identity in *ret. Parks. Fails with ERR_UNAUTHORIZED if
 * the membership or session doesn't exist. */
int resolve_identity(struct gateway *gateway, const struct request *req, const struct token *token,
                     struct identity **ret, struct error *err) MUST_USE;

#endif
