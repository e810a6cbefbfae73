/*
 * resolve.h - from a membership to a caller: authd knows the person, settingsd the project and its
 * policy.
 */
#ifndef ATRIUM_GATEWAY_AUTH_RESOLVE_H
#define ATRIUM_GATEWAY_AUTH_RESOLVE_H

#include "common/domain/request.h"
#include "gateway/auth/identity.h"
#include "gateway/auth/token.h"

struct gateway;

/* The holder of a verified token, from the cache or fetched (parks). A hold of yours in *ret.
 * ERR_UNAUTHORIZED when the membership or the session is gone, else what the bus fails with. */
int resolve_identity(struct gateway *gateway, const struct request *req, const struct token *token,
                     struct identity **ret, struct error *err) MUST_USE;

#endif
