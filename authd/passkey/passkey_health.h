/*
 * passkey_health.h - what `atriumctl doctor` says of passkeys.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_HEALTH_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_HEALTH_H

#include "authd/authd.h"
#include "common/service/check.h"

/* How many there are, and whether some are of a host name that no application has any more: a row
 * of authd_checks. Parks. */
int passkey_health_check(void *daemon, const struct request *req, struct finding *ret,
                         struct error *err) MUST_USE;

#endif
