/*
 * resolve.h - from a membership to a caller: authd knows the person, settingsd project and policy.
 */
#ifndef ATRIUM_GATEWAY_AUTH_RESOLVE_H
#define ATRIUM_GATEWAY_AUTH_RESOLVE_H

#include "common/domain/request.h"
#include "gateway/auth/identity.h"
#include "gateway/auth/token.h"

struct gateway;

/* A verified token's holder, held in *ret; may fetch (parks). ERR_UNAUTHORIZED: membership or
 * session is gone. */
int resolve_identity(struct gateway *gateway, const struct request *req, const struct token *token,
                     struct identity **ret, struct error *err) MUST_USE;

#endif
