/*
 * key_caller.h - API keys as callers: machines of a project, of no person.
 *
 * Such a caller has the role "Device", no account and no membership; its profile and its session
 * are the id of the key.
 */
#ifndef ATRIUM_COMMON_DOMAIN_KEY_CALLER_H
#define ATRIUM_COMMON_DOMAIN_KEY_CALLER_H

#include "common/domain/request.h"

/* A route flag beside those of enum route_flags: an API key opens it, too. For what a policy can
 * name, and nothing else. */
#define R_KEY (1 << 20)

/* True for an API key. */
bool request_is_key(const struct request *req);

#endif
