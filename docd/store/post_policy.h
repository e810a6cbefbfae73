/*
 * post_policy.h - signed upload forms: POST policies of Amazon S3, signed by Signature Version 4.
 *
 * The form names one object of one bucket, its type, how large it may be and until when it is good.
 * A store of S3 checks it; for files of our own, docd does (Amazon S3 API reference,
 * "Authenticating requests in browser-based uploads using POST").
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
    int64_t size_min, size_max; /* bytes of the file */
    int64_t expires_ms;
};

/* The form's fields in sending order, a JSON object of texts in the arena. */
const char *post_policy_sign(const struct sigv4_signer *signer, const struct post_policy *policy,
                             int64_t now_ms, struct arena *arena);

/* Checks a form's fields and fills *ret with what was signed; texts in the arena. Field names are
 * case-insensitive. ERR_FORBIDDEN: altered, or expired. */
int post_policy_check(const struct sigv4_signer *signer, const struct field_list *fields,
                      const char *bucket, int64_t now_ms, struct arena *arena,
                      struct post_policy *ret, struct error *err) MUST_USE;

#endif
