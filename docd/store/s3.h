/*
 * s3.h - requests to a bucket of a server of S3: signed, bounded in time and size, repeated where
 * that is safe.
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
    bool host_style; /* the bucket is the first label of the host; else of the path */
    struct sigv4_signer signer;
};

/* What is wrong with the options, or 0. */
int s3_check(const struct s3_options *options, struct error *err) MUST_USE;

/* Options, which s3_check() has passed, are borrowed. */
struct s3 *s3_new(struct loop *loop, const struct s3_options *options);
void s3_destroy(struct s3 **self_p);

/* The URL of uploads, without a slash at the end. */
const char *s3_bucket_url(const struct s3 *self);

enum { S3_HEADERS_MAX = 3, S3_TRY_MS = 4000 };

struct s3_call {
    const char *method;
    const char *key;   /* nothing in it needs to be encoded; "": the bucket */
    const char *query; /* percent-encoded, sorted by name, each with its "="; NULL: none */
    struct sigv4_header
        headers[S3_HEADERS_MAX]; /* further ones, sorted, between "host" and "x-amz-date" */
    const char *body;            /* of body_size bytes, or, where that is 0, a text; NULL: none */
    size_t body_size;
    void *target;   /* where the bytes of a good answer go; NULL: to the arena */
    size_t room;    /* of target; what is beyond is left */
    int64_t try_ms; /* longest try; 0: S3_TRY_MS */
    bool once;      /* is not tried again */
};
struct s3_answer {
    int status;       /* 200 ... 299, 400 ... 499, 501: it cannot do that */
    size_t size;      /* of its bytes */
    const char *text; /* they, NUL-terminated, unless they are in `target` */
    int64_t length;   /* that it says it has: what HEAD tells */
    const char *etag; /* or NULL */
    int64_t modified; /* Last-Modified, ms since the epoch; 0: not told */
    int64_t date;     /* Date, the same: its clock */
    const char *code; /* of an error, "" when it names none: "NoSuchKey" */
    bool abandoned;   /* a try was not waited for to its end: what it asked for may be done yet */
};

/* Parks, until the request's deadline. A 4xx is an answer; 401, 403, a missing bucket, server
 * errors, silence and cut connections are ERR_UNAVAILABLE, the last three after a second try. After
 * a failure only `abandoned` of *ret is set. */
int s3_call(struct s3 *self, const struct request *req, const struct s3_call *call,
            struct s3_answer *ret, struct error *err) MUST_USE;

/* Percent-encodes a query value (RFC 3986), in the arena. */
const char *s3_encode(struct arena *arena, const char *text);

/* ERR_UNAVAILABLE with a word for the log. */
int s3_unavailable(struct error *err, const char *method, const char *what) MUST_USE;

#endif
