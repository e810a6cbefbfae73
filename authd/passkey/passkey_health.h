/*
 * passkey_health.h - the check of passkeys for `atriumctl doctor`.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_HEALTH_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_HEALTH_H

#include "authd/authd.h"
#include "common/service/check.h"

/* Counts passkeys, and finds those whose host no application has. A row of authd_checks. Parks. */
int passkey_health_check(void *daemon, const struct request *req, struct finding *ret,
                         struct error *err) MUST_USE;

#endif
