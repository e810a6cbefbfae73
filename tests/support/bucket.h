/*
 * bucket.h - documents in a bucket of S3, in a suite with two docd whose server can be made to
 * fail.
 *
 * The server is s3rver, which `make npm` installs, or any other:
 *
 *     ATRIUM_S3_URL=http://127.0.0.1:9000 ATRIUM_S3_KEY=... ATRIUM_S3_SECRET=...
 *     ATRIUM_S3_BUCKET=... ATRIUM_S3_REGION=us-east-1 build/tests/http/test_s3
 *
 * whose bucket is there and empty. With ATRIUM_S3_STYLE=host the bucket is a label of
 * ATRIUM_S3_HOST, a name of this machine that the server knows. s3rver looks at no policy, ignores
 * the conditions of a copy and copies no parts: the cases of those are for other servers, and say
 * so.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BUCKET_H
#define ATRIUM_TESTS_SUPPORT_BUCKET_H

#include "tests/support/suite.h"
#include "tests/support/unit.h"

/* Runs the cases of a program over that suite, whose last calls bucket_leave(). Without a server
 * they are left out. ret_patient: whose documents they are. */
int bucket_run(const char *title, const struct unit_case *cases, size_t count,
               struct suite **ret_suite, struct person **ret_patient);

/* All is well, the bucket is empty, and everything ends. */
void bucket_leave(void);

/* Whether the server looks at what s3rver does not; when not, the case is left out. */
bool bucket_is_strict(void);

/* A variable of the environment, or what s3rver has. */
const char *bucket_setting(const char *name, const char *fallback);

/* ---- the server ---- */

/* Rules as tests/s3/server.cjs has them; "[]": all is well again. */
void bucket_fault(const char *rules);

/* How many requests the first rule has met; whether they come to that many, a check. */
long bucket_hits(void);
bool bucket_hits_come_to(long want, int timeout_ms);

/* Keys in the bucket that begin so; whether they become that many, a check. */
size_t bucket_keys(const char *prefix);
bool bucket_keys_become(const char *prefix, size_t want, int timeout_ms);

/* ---- documents ---- */

/* Posts a file with the form of a document that was made or is replaced: the status. */
long bucket_upload(const struct http_answer *made, const char *bytes, size_t size);

/* Makes a document and posts its file; the caller frees the id. */
char *bucket_put(const char *name, const char *type, const char *bytes, size_t size);

struct http_answer *bucket_get(const char *id);
struct http_answer *bucket_replace(const char *id);
void bucket_delete(const char *id);

#endif
