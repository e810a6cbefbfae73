/*
 * resolve.h - resolves a session to a caller: authd knows the person, settingsd the policy.
 */
#ifndef ATRIUM_GATEWAY_AUTH_RESOLVE_H
#define ATRIUM_GATEWAY_AUTH_RESOLVE_H

#include "common/domain/request.h"
#include "gateway/auth/identity.h"
#include "gateway/auth/token.h"

struct gateway;

/* Sets *ret to a reference. Requests of one session share a fetch. Parks. */
int resolve_identity(struct gateway *gateway, const struct request *req, const struct token *token,
                     struct identity **ret, struct error *err) MUST_USE;

#endif
