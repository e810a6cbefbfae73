/*
 * s3.h - requests to an S3 bucket: signed, limited, retried where safe.
 */
#ifndef ATRIUM_DOCD_STORE_S3_H
#define ATRIUM_DOCD_STORE_S3_H

#include "common/domain/request.h"
#include "common/runtime/loop.h"
#include "docd/store/sigv4.h"

struct s3;

struct s3_options {
    const char *url; /* "https://s3.eu-central-1.amazonaws.com", no path */
    const char *bucket;
    bool host_style; /* the bucket is the host's first label, not in the path */
    struct sigv4_signer signer;
};

int s3_check(const struct s3_options *options, struct error *err) MUST_USE;

/* Options are borrowed; call s3_check() first. */
struct s3 *s3_new(struct loop *loop, const struct s3_options *options);
void s3_destroy(struct s3 **self_p);

/* Returns the URL of uploads, without a trailing slash. */
const char *s3_bucket_url(const struct s3 *self);

enum { S3_HEADERS_MAX = 3, S3_TRY_MS = 4000 };

struct s3_call {
    const char *method;
    const char *key;   /* must need no encoding; "": the bucket */
    const char *query; /* encoded, sorted, each with "="; NULL: none */
    struct sigv4_header
        headers[S3_HEADERS_MAX]; /* additional ones, sorted, between "host" and "x-amz-date" */
    const char *body;            /* body_size bytes, or text if 0 */
    size_t body_size;
    void *target;   /* for a successful response; NULL: the arena */
    size_t room;    /* size of target; further bytes are ignored */
    int64_t try_ms; /* 0: S3_TRY_MS */
    bool once;
};
struct s3_answer {
    int status; /* 200 ... 299, 400 ... 499, or 501 */
    size_t size;
    const char *text; /* NUL-terminated, unless in `target` */
    int64_t length;   /* Content-Length, also of HEAD */
    const char *etag;
    int64_t modified; /* Last-Modified in ms; 0: none */
    int64_t date;     /* the server's clock, ms */
    const char *code; /* such as "NoSuchKey"; "": none */
    bool abandoned;   /* a try timed out: the server may still carry it out */
};

/* Parks. A 4xx is a response. 401, 403 and a missing bucket fail with ERR_UNAVAILABLE, like server
 * errors and timeouts after a retry. After a failure only ret->abandoned is set. */
int s3_call(struct s3 *self, const struct request *req, const struct s3_call *call,
            struct s3_answer *ret, struct error *err) MUST_USE;

/* Percent-encodes a query value (RFC 3986). */
const char *s3_encode(struct arena *arena, const char *text);

int s3_unavailable(struct error *err, const char *method, const char *what) MUST_USE;

#endif
