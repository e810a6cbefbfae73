/*
 * bucket.h - documents in an S3 bucket, in a suite with two docd and a server with fault injection.
 *
 * The server is s3rver from `make npm`, or any other with an empty bucket:
 *
 *     ATRIUM_S3_URL=http://127.0.0.1:9000 ATRIUM_S3_KEY=... ATRIUM_S3_SECRET=...
 *     ATRIUM_S3_BUCKET=... ATRIUM_S3_REGION=us-east-1 build/tests/http/test_s3
 *
 * ATRIUM_S3_STYLE=host makes the bucket a label of ATRIUM_S3_HOST, a local name that the server
 * knows. s3rver checks no policy, ignores conditions of copies and copies no parts; those cases
 * need another server.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BUCKET_H
#define ATRIUM_TESTS_SUPPORT_BUCKET_H

#include "tests/support/suite.h"
#include "tests/support/unit.h"

/* Runs a program's cases in that suite, the last of which call bucket_leave(). If there is no
 * server, they are left out. ret_patient: owner of the documents. */
int bucket_run(const char *title, const struct unit_case *cases, size_t count,
               struct suite **ret_suite, struct person **ret_patient);

/* Removes the faults, checks that the bucket is empty, and stops everything. */
void bucket_leave(void);

/* True when the server checks what s3rver does not; otherwise the case is left out. */
bool bucket_is_strict(void);

/* Returns an environment variable, or s3rver's value. */
const char *bucket_setting(const char *name, const char *fallback);

/* Sets rules of tests/s3/server.cjs; "[]" removes them. */
void bucket_fault(const char *rules);

/* Count the requests that match the first rule, or wait for that count. */
long bucket_hits(void);
bool bucket_hits_come_to(long want, int timeout_ms);

/* Count keys with this prefix, or wait for that count. */
size_t bucket_keys(const char *prefix);
bool bucket_keys_become(const char *prefix, size_t want, int timeout_ms);

/* Posts a file with the upload form from the response that created or replaced a document. Returns
 * the status. */
long bucket_upload(const struct http_answer *made, const char *bytes, size_t size);

/* Makes a document and posts its file. The caller frees the id. */
char *bucket_put(const char *name, const char *type, const char *bytes, size_t size);

struct http_answer *bucket_get(const char *id);
struct http_answer *bucket_replace(const char *id);
void bucket_delete(const char *id);

#endif
