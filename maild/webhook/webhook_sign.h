/*
 * webhook_sign.h - signatures of Standard Webhooks (standardwebhooks.com, "Signature scheme", v1).
 */
#ifndef ATRIUM_MAILD_WEBHOOK_WEBHOOK_SIGN_H
#define ATRIUM_MAILD_WEBHOOK_WEBHOOK_SIGN_H

#include "common/base/arena.h"
#include "common/base/base.h"

/* Returns "whsec_" and base64 of 32 random bytes. */
const char *webhook_secret_new(struct arena *arena);

/* Returns "v1," and base64 of HMAC-SHA256 over "<id>.<seconds>.<body>". NULL: malformed secret. */
const char *webhook_signature(struct arena *arena, const char *secret, const char *id,
                              int64_t seconds, const char *body);

#endif
