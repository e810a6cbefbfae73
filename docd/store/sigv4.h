/*
 * sigv4.h - AWS Signature Version 4 for S3 forms and requests (API reference, "Authenticating
 * requests").
 *
 * Replaces libcurl's own signing: in Debian 12 (7.88) it sorts "x-amz-copy-source-range" before
 * "x-amz-copy-source" and does not sign "x-amz-content-sha256", so copies of large objects fail,
 * and strict servers reject it.
 */
#ifndef ATRIUM_DOCD_STORE_SIGV4_H
#define ATRIUM_DOCD_STORE_SIGV4_H

#include "common/base/arena.h"
#include "common/base/base.h"

/* The signer's keys and region. Borrowed. */
struct sigv4_signer {
    const char *access_key, *secret_key, *region;
};

#define SIGV4_ALGORITHM "AWS4-HMAC-SHA256"

enum {
    SIGV4_STAMP_SIZE = 17,     /* "20260131T093000Z" */
    SIGV4_SIGNATURE_SIZE = 65, /* hex digits */
    SIGV4_SECRET_MAX = 256,    /* bytes of a secret key */
};

/* Formats a signature's time. The first 8 characters are the date. */
void sigv4_stamp(int64_t ms, char ret[static SIGV4_STAMP_SIZE]);

/* "<access key>/<date>/<region>/s3/aws4_request" */
const char *sigv4_credential(const struct sigv4_signer *signer, const char *stamp,
                             struct arena *arena);

void sigv4_sign(const struct sigv4_signer *signer, const char *stamp, const char *text,
                char ret[static SIGV4_SIGNATURE_SIZE]);

void sigv4_hash(const void *bytes, size_t size, char ret[static SIGV4_SIGNATURE_SIZE]);

struct sigv4_header {
    const char *name, *value; /* name in lower case */
};

/* A request as sent: encoded path and query; sorted query and headers, all signed, with "host",
 * "x-amz-content-sha256" and "x-amz-date". */
struct sigv4_request {
    const char *method, *path, *query;
    const struct sigv4_header *headers;
    size_t header_count;
};

const char *sigv4_authorization(const struct sigv4_signer *signer,
                                const struct sigv4_request *request, struct arena *arena);

#endif
