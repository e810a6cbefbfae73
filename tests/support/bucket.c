/*
 * bucket.c - see bucket.h.
 */
#include "tests/support/bucket.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"
#include "tests/support/program.h"

static struct suite *suite;
static struct person *patient;
static struct program *server;
static struct unit_dir dir;
static char door[128]; /* URL of the proxy that can inject faults */
static bool own;       /* the server is s3rver */
static char *host;     /* the host whose labels are buckets, or NULL: buckets are in paths */

static bool have_server(void)
{
    return access("build/npm/installed/s3", R_OK) == 0;
}

static void server_start(void)
{
    const char *argv[] = {"/usr/bin/env", "node", "tests/s3/server.cjs", dir.path, NULL};
    const char *at;

    server = program_start(argv, NULL);
    if (!program_wait_output(server, "ready http", 30000)) {
        fprintf(stderr, "server: %s\n", server->err);
        exit(1);
    }
    at = strstr(server->out, "http");
    snprintf(door, sizeof(door), "%.*s", (int)strcspn(at, "\n"), at);
    if (host)
        snprintf(door, sizeof(door), "http://%s%.*s", host, (int)strcspn(strrchr(at, ':'), "\n"),
                 strrchr(at, ':'));
}

const char *bucket_setting(const char *name, const char *fallback)
{
    const char *value = getenv(name);

    return value ? value : fallback;
}

void bucket_fault(const char *rules)
{
    HTTP_ANSWER answer =
        http_call(door, &(struct http_request){.method = "PUT", .path = "/-/fault", .raw = rules});

    CHECK_STATUS(answer, 200);
}

long bucket_hits(void)
{
    HTTP_ANSWER answer = http_get(door, "/-/hits", NULL);

    return (long)json_integer_value(json_array_get(http_member(answer, "hits"), 0));
}

bool bucket_hits_come_to(long want, int timeout_ms)
{
    int64_t until = clock_mono_ms() + timeout_ms;

    while (bucket_hits() < want && clock_mono_ms() < until)
        usleep(20000);
    return UNIT_CHECK(bucket_hits() >= want, "%ld requests instead of %ld", bucket_hits(), want);
}

size_t bucket_keys(const char *prefix)
{
    HTTP_ANSWER answer = http_get(door, "/-/keys", NULL);
    size_t i, count = 0;
    json_t *key;

    json_array_foreach(answer->json, i, key) count +=
        strncmp(json_string_value(key), prefix, strlen(prefix)) == 0;
    return count;
}

bool bucket_keys_become(const char *prefix, size_t want, int timeout_ms)
{
    int64_t until = clock_mono_ms() + timeout_ms;

    while (bucket_keys(prefix) != want && clock_mono_ms() < until)
        usleep(50000);
    return UNIT_CHECK(bucket_keys(prefix) == want, "%zu keys instead of %zu", bucket_keys(prefix),
                      want);
}

long bucket_upload(const struct http_answer *made, const char *bytes, size_t size)
{
    return form_post_to(http_text(made, "uploadOptions.url"),
                        http_member(made, "uploadOptions.fields"), bytes, size);
}

char *bucket_put(const char *name, const char *type, const char *bytes, size_t size)
{
    HTTP_ANSWER made = document_make(suite, patient->access, name, type);

    CHECK_STATUS(made, 200);
    CU_ASSERT_EQUAL(bucket_upload(made, bytes, size), 204);
    return strdup(http_text(made, "id"));
}

struct http_answer *bucket_get(const char *id)
{
    return document_get(suite, patient->access, id);
}

void bucket_delete(const char *id)
{
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);

    CHECK_STATUS(gone, 200);
}

struct http_answer *bucket_replace(const char *id)
{
    return http_post(suite_url(suite), document_path(id), patient->access,
                     json_pack("{s:s, s:s}", "fileName", "new.bin", "contentType", "text/plain"));
}

bool bucket_is_strict(void)
{
    if (!own)
        return true;
    unit_leave_out("s3rver does not look at that");
    return false;
}

static void there_is_a_server(void)
{
    unit_leave_out("there is no server of S3 (make npm)");
    CU_ASSERT_PTR_NULL(getenv("ATRIUM_REQUIRE_ALL"));
}

int bucket_run(const char *title, const struct unit_case *cases, size_t count,
               struct suite **ret_suite, struct person **ret_patient)
{
    static const struct unit_case none[] = {CASE(there_is_a_server)};
    const char *style = bucket_setting("ATRIUM_S3_STYLE", "path");
    char set[128];

    if (!have_server())
        return unit_run(title, none, ARRAY_SIZE(none));
    unit_optional();
    own = !getenv("ATRIUM_S3_URL");
    host = strcmp(style, "host") == 0 ? getenv("ATRIUM_S3_HOST") : NULL;
    dir = unit_dir_make();
    server_start();
    snprintf(set, sizeof(set),
             "docd.s3_region=%s,docd.s3_part_size=5M,docd.s3_style=%s,docd.image_bytes=3M",
             bucket_setting("ATRIUM_S3_REGION", "us-east-1"), style);
    *ret_suite = suite = suite_start(&(struct suite_options){
        .test_clock = true,
        .instances = "docd=2",
        .set = set,
        .s3_url = door,
        .s3_key = bucket_setting("ATRIUM_S3_KEY", "S3RVER"),
        .s3_secret = bucket_setting("ATRIUM_S3_SECRET", "S3RVER"),
        .s3_bucket = bucket_setting("ATRIUM_S3_BUCKET", "documents"),
    });
    *ret_patient = patient = person_register(suite, NULL);
    return unit_run(title, cases, count);
}

void bucket_leave(void)
{
    bucket_fault("[]");
    CU_ASSERT_EQUAL(bucket_keys(""), 0);
    person_destroy(&patient);
    suite_stop(&suite);
    program_destroy(&server);
    unit_dir_remove(&dir);
}
