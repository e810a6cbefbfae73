/*
 * test_file_cache.c - the gateway caches files that are read repeatedly, and docd still authorizes.
 * Files are removed from docd's store, so later bytes come from the gateway. docd passes no open
 * files here (test_file_passing.c), because those are not cached.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gateway/transfer/file_cache.h"
#include "tests/support/document.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *patient;

static long kept_bytes_now(void)
{
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    const char *line = strstr(metrics->body, "\natrium_gateway_kept_bytes{");

    line = line ? strchr(line, ' ') : NULL;
    return line ? strtol(line, NULL, 10) : -1;
}

static void lose_file(const char *id)
{
    TEXT path = document_file(suite, id);

    UNIT_CHECK(unlink(path) == 0, "%s", path);
}

static char *put(const char *bytes, size_t size)
{
    return document_put(suite, patient->access, "a.txt", "text/plain", bytes, size);
}

static void read_twice(const char *id, const char *bytes, size_t size)
{
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER read = document_get(suite, patient->access, id);
        CHECK_BYTES(read, bytes, size);
    }
}

static void files_read_twice_are_cached(void)
{
    static const size_t sizes[] = {1, 10240, 65536, 65537, 700000, FILE_CACHE_FILE_MAX};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        char *bytes = test_bytes(sizes[i], (unsigned)i), *id = put(bytes, sizes[i]);
        long before = kept_bytes_now();

        read_twice(id, bytes, sizes[i]);
        CU_ASSERT_EQUAL(kept_bytes_now() - before, (long)sizes[i]);
        lose_file(id);
        for (int again = 0; again < 2; again++) {
            HTTP_ANSWER read = document_get(suite, patient->access, id);
            CHECK_BYTES(read, bytes, sizes[i]);
        }
        free(id);
        free(bytes);
    }
}

static void one_off_and_oversized_files_are_not_cached(void)
{
    char *bytes = test_bytes(FILE_CACHE_FILE_MAX + 1, 9);
    char *once = put(bytes, 100), *large = put(bytes, FILE_CACHE_FILE_MAX + 1);
    long before = kept_bytes_now();

    HTTP_ANSWER read = document_get(suite, patient->access, once);
    CHECK_BYTES(read, bytes, 100);
    read_twice(large, bytes, FILE_CACHE_FILE_MAX + 1);
    CU_ASSERT_EQUAL(kept_bytes_now(), before);
    lose_file(once);
    HTTP_ANSWER lost = document_get(suite, patient->access, once);
    CHECK_STATUS(lost, 404);
    free(once);
    free(large);
    free(bytes);
}

static void ranges_of_a_cached_file_are_served(void)
{
    char *bytes = test_bytes(200000, 3), *id = put(bytes, 200000), line[200];

    read_twice(id, bytes, 200000);
    lose_file(id);
    HTTP_ANSWER part =
        document_get_with(suite, patient->access, id, NULL, "Range: bytes=1000-150999");
    CHECK_STATUS(part, 206);
    CU_ASSERT_EQUAL(part->size, 150000);
    CU_ASSERT_EQUAL(memcmp(part->body, bytes + 1000, 150000), 0);
    HTTP_ANSWER end = document_get_with(suite, patient->access, id, NULL, "Range: bytes=-5");
    CHECK_STATUS(end, 206);
    CU_ASSERT_EQUAL(end->size, 5);
    HTTP_ANSWER beyond =
        document_get_with(suite, patient->access, id, NULL, "Range: bytes=200000-");
    CHECK_STATUS(beyond, 416);
    HTTP_ANSWER head = document_get_with(suite, patient->access, id, "HEAD", NULL);
    CHECK_STATUS(head, 200);
    CU_ASSERT_EQUAL(head->size, 0);
    char *length = http_header(head, "Content-Length"), *etag = http_header(head, "ETag");
    CU_ASSERT_STRING_EQUAL(length, "200000");
    snprintf(line, sizeof(line), "If-None-Match: %s", etag);
    HTTP_ANSWER same = document_get_with(suite, patient->access, id, NULL, line);
    CHECK_STATUS(same, 304);
    CU_ASSERT_EQUAL(same->size, 0);
    free(length);
    free(etag);
    free(id);
    free(bytes);
}

/* docd checks the owner, the current version and the existence on each request. */
static void docd_still_authorizes_each_request(void)
{
    char *id = put("before", 6), path[300];
    struct person *other = person_register(suite, NULL);
    HTTP_ANSWER shared =
        http_call(suite_url(suite), &(struct http_request){.method = "PATCH",
                                                           .path = document_path(id),
                                                           .bearer = patient->access,
                                                           .raw = "{\"isPublic\":true}"});

    snprintf(path, sizeof(path), "/document/public/%s", http_text(shared, "publicToken"));
    read_twice(id, "before", 6);
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER open = http_get(suite_url(suite), path, NULL);
        CHECK_BYTES(open, "before", 6);
    }
    HTTP_ANSWER hidden = document_get(suite, other->access, id);
    CHECK_ERROR(hidden, 404, "Document not found.");
    HTTP_ANSWER nobody = document_get(suite, NULL, id);
    CHECK_STATUS(nobody, 401);
    HTTP_ANSWER closed =
        http_call(suite_url(suite), &(struct http_request){.method = "PATCH",
                                                           .path = document_path(id),
                                                           .bearer = patient->access,
                                                           .raw = "{\"isPublic\":false}"});
    CHECK_STATUS(closed, 200);
    HTTP_ANSWER shut = http_get(suite_url(suite), path, NULL);
    CHECK_ERROR(shut, 404, "Document not found.");
    HTTP_ANSWER replaced = http_call(
        suite_url(suite),
        &(struct http_request){.method = "POST",
                               .path = document_path(id),
                               .bearer = patient->access,
                               .raw = "{\"fileName\":\"b\",\"contentType\":\"text/csv\"}"});
    HTTP_ANSWER uploaded = document_upload(suite, replaced, "after!", 6);
    CHECK_STATUS(uploaded, 204);
    read_twice(id, "after!", 6);
    HTTP_ANSWER third = document_get(suite, patient->access, id);
    CHECK_BYTES(third, "after!", 6);
    HTTP_ANSWER deleted = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_STATUS(deleted, 200);
    HTTP_ANSWER gone = document_get(suite, patient->access, id);
    CHECK_ERROR(gone, 404, "Document not found.");
    person_destroy(&other);
    free(id);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(files_read_twice_are_cached),        CASE(one_off_and_oversized_files_are_not_cached),
    CASE(ranges_of_a_cached_file_are_served), CASE(docd_still_authorizes_each_request),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.set = "docd.pass_files=false"});
    patient = person_register(suite, NULL);
    return unit_run("kept files", cases, ARRAY_SIZE(cases));
}
