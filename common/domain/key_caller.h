/*
 * key_caller.h - API keys as callers: ROLE_DEVICE, no account; profile and session are the key's
 * id.
 */
#ifndef ATRIUM_COMMON_DOMAIN_KEY_CALLER_H
#define ATRIUM_COMMON_DOMAIN_KEY_CALLER_H

#include "common/domain/request.h"

/* A route flag beside enum route_flags: API keys may call it. Only for what a policy can name. */
#define R_KEY (1 << 20)

bool request_is_key(const struct request *req);

#endif
