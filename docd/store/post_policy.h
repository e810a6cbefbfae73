/*
 * post_policy.h - signed upload forms: Amazon S3's POST policies (API reference, "Authenticating
 * requests in browser-based uploads using POST"). A form names one object, its type, size limits
 * and expiry. S3 checks it; for local files docd does.
 */
#ifndef ATRIUM_DOCD_STORE_POST_POLICY_H
#define ATRIUM_DOCD_STORE_POST_POLICY_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/domain/content.h"
#include "docd/store/sigv4.h"

struct post_policy {
    const char *bucket, *key;
    const char *content_type;
    int64_t size_min, size_max;
    int64_t expires_ms;
};

/* Returns a JSON object of fields in sending order. */
const char *post_policy_sign(const struct sigv4_signer *signer, const struct post_policy *policy,
                             int64_t now_ms, struct arena *arena);

/* Checks a form and returns the signed values, in the arena. Field names are case-insensitive.
 * ERR_FORBIDDEN: altered, or expired. */
int post_policy_check(const struct sigv4_signer *signer, const struct field_list *fields,
                      const char *bucket, int64_t now_ms, struct arena *arena,
                      struct post_policy *ret, struct error *err) MUST_USE;

#endif
