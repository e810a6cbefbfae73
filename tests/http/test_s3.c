/*
 * test_s3.c - documents in an S3 bucket: browser uploads, found without a notification, served,
 * replaced and removed, and upload forms. Server: tests/support/bucket.h.
 *
 * tier: browser
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/bucket.h"
#include "tests/support/document.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *patient;

static void a_document_goes_to_the_bucket_and_back(void)
{
    char *bytes = test_bytes(300000, 1);
    HTTP_ANSWER made = document_make(suite, patient->access, "a.bin", "application/octet-stream");
    const char *id = http_text(made, "id");

    CU_ASSERT_PTR_NULL(strstr(http_text(made, "uploadOptions.url"), suite_url(suite)));
    HTTP_ANSWER early = bucket_get(id);
    CHECK_ERROR(early, 404, "File not uploaded yet.");
    CU_ASSERT_EQUAL(bucket_upload(made, bytes, 300000), 204);
    HTTP_ANSWER read = bucket_get(id);
    CHECK_BYTES(read, bytes, 300000);
    CU_ASSERT_EQUAL(bucket_keys("incoming/"), 0);
    CU_ASSERT_EQUAL(bucket_keys(""), 1);
    bucket_delete(id);
    CU_ASSERT_EQUAL(bucket_keys(""), 0);
    free(bytes);
}

/* S3 sends no message when a file arrives. Listing documents finds it, otherwise the sweep does. */
static void uploaded_files_are_found_without_a_notification(void)
{
    char *bytes = test_bytes(5000, 2);
    char *first = bucket_put("one.bin", "application/octet-stream", bytes, 5000);
    HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=1", patient->access);

    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.id"), first);
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.0.size")), 5000);
    char *second = bucket_put("two.bin", "application/octet-stream", bytes, 4000);
    CU_ASSERT_TRUE(suite_comes_to(suite, 4000, 10000,
                                  "select size from doc.document where id = '%s'", second));
    CU_ASSERT_TRUE(bucket_keys_become("incoming/", 0, 5000));
    bucket_delete(first);
    bucket_delete(second);
    CU_ASSERT_TRUE(bucket_keys_become("", 0, 5000));
    free(first);
    free(second);
    free(bytes);
}

/* The bucket accepts a file during read-only state, where it waits. Reads do not wait for it. */
static void files_wait_while_the_tenant_is_read_only(void)
{
    char *bytes = test_bytes(5000, 8);
    char *before = bucket_put("before.bin", "application/octet-stream", bytes, 3000);
    HTTP_ANSWER adopted = bucket_get(before);
    HTTP_ANSWER made =
        document_make(suite, patient->access, "during.bin", "application/octet-stream");
    const char *id = http_text(made, "id");

    CHECK_BYTES(adopted, bytes, 3000);
    PROGRAM held = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--read-only");
    CHECK_EXIT(held, 0);
    CU_ASSERT_EQUAL(bucket_upload(made, bytes, 5000), 204);
    HTTP_ANSWER early = bucket_get(id);
    CHECK_ERROR(early, 404, "File not uploaded yet.");
    HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=5", patient->access);
    CHECK_STATUS(list, 200);
    sleep(3); /* docd checks the bucket several times meanwhile */
    CU_ASSERT_EQUAL(bucket_keys("incoming/"), 1);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.document where id = '%s' and size > 0", id),
        0);
    HTTP_ANSWER still = bucket_get(before);
    CHECK_BYTES(still, bytes, 3000);
    PROGRAM opened = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--resume");
    CHECK_EXIT(opened, 0);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 5000, 30000, "select coalesce(size, 0) from doc.document where id = '%s'", id));
    CU_ASSERT_TRUE(bucket_keys_become("incoming/", 0, 10000));
    HTTP_ANSWER read = bucket_get(id);
    CHECK_BYTES(read, bytes, 5000);
    bucket_delete(before);
    bucket_delete(id);
    CU_ASSERT_TRUE(bucket_keys_become("", 0, 5000));
    free(before);
    free(bytes);
}

static void a_form_ends_with_its_session(void)
{
    PERSON leaver = person_register(suite, NULL);
    HTTP_ANSWER before = document_make(suite, leaver->access, "a.bin", "a/b");
    HTTP_ANSWER after = document_make(suite, leaver->access, "b.bin", "a/b");

    CU_ASSERT_EQUAL(bucket_upload(before, "abc", 3), 204);
    usleep(1100000); /* the bucket's times have whole seconds */
    HTTP_ANSWER left = http_post(suite_url(suite), "/auth/logout", leaver->access, NULL);
    CHECK_STATUS(left, 204);
    usleep(1100000);
    CU_ASSERT_EQUAL(bucket_upload(after, "abc", 3), 204);
    PERSON again = person_sign_in(suite, "Patient", leaver->email, leaver->password, NULL);
    HTTP_ANSWER there = document_get(suite, again->access, http_text(before, "id"));
    CHECK_BYTES(there, "abc", 3);
    HTTP_ANSWER none = document_get(suite, again->access, http_text(after, "id"));
    CHECK_ERROR(none, 404, "File not uploaded yet.");
    CU_ASSERT_TRUE(bucket_keys_become("incoming/", 0, 5000));
    HTTP_ANSWER first =
        http_delete(suite_url(suite), document_path(http_text(before, "id")), again->access);
    HTTP_ANSWER second =
        http_delete(suite_url(suite), document_path(http_text(after, "id")), again->access);
    CU_ASSERT_TRUE(bucket_keys_become("", 0, 5000));
}

static void stored_files_are_served_with_ranges_and_tags(void)
{
    char *bytes = test_bytes(700000, 3);
    char *id = bucket_put("large.bin", "application/octet-stream", bytes, 700000);
    HTTP_ANSWER whole = bucket_get(id);
    char *etag = http_header(whole, "ETag"), line[256];

    CHECK_BYTES(whole, bytes, 700000);
    snprintf(line, sizeof(line), "If-None-Match: %s", etag);
    HTTP_ANSWER same = http_call(suite_url(suite), &(struct http_request){.path = document_path(id),
                                                                          .bearer = patient->access,
                                                                          .headers = {line}});
    CHECK_STATUS(same, 304);
    HTTP_ANSWER part = http_call(suite_url(suite),
                                 &(struct http_request){.path = document_path(id),
                                                        .bearer = patient->access,
                                                        .headers = {"Range: bytes=300000-600000"}});
    CHECK_STATUS(part, 206);
    CU_ASSERT_EQUAL(part->size, 300001);
    CU_ASSERT_TRUE(part->size == 300001 && memcmp(part->body, bytes + 300000, 300001) == 0);
    HTTP_ANSWER shared = http_call(
        suite_url(suite), &(struct http_request){.method = "PATCH",
                                                 .path = document_path(id),
                                                 .bearer = patient->access,
                                                 .body = json_pack("{s:b}", "isPublic", 1)});
    CHECK_STATUS(shared, 200);
    snprintf(line, sizeof(line), "/document/public/%s", http_text(shared, "publicToken"));
    HTTP_ANSWER open = http_get(suite_url(suite), line, NULL);
    CHECK_BYTES(open, bytes, 700000);
    bucket_delete(id);
    free(etag);
    free(id);
    free(bytes);
}

static void empty_files_are_documents(void)
{
    char *id = bucket_put("empty", "text/plain", "", 0);
    HTTP_ANSWER read = bucket_get(id);

    CHECK_BYTES(read, "", 0);
    bucket_delete(id);
    free(id);
}

static void pictures_are_resized(void)
{
    size_t size;
    int width, height;
    char *png = test_png(900, 700, &size), path[128]; /* docd reads it in more than one piece */
    char *id = bucket_put("picture.png", "image/png", png, size);

    snprintf(path, sizeof(path), "%s?width=90", document_path(id));
    HTTP_ANSWER small = http_get(suite_url(suite), path, patient->access);
    CHECK_STATUS(small, 200);
    test_png_sides(small, &width, &height);
    CU_ASSERT_EQUAL(width, 90);
    CU_ASSERT_EQUAL(height, 70);
    bucket_delete(id);
    CU_ASSERT_EQUAL(stored_files(suite), 0);
    free(id);
    free(png);
}

static void oversized_pictures_are_not_fetched(void)
{
    size_t size;
    char *png = test_png(1400, 1000, &size), path[128]; /* larger than docd.image_bytes */
    char *id = bucket_put("large.png", "image/png", png, size);
    HTTP_ANSWER whole = bucket_get(id);

    CHECK_BYTES(whole, png, size);
    bucket_fault("[{\"method\":\"GET\",\"header\":\"range\",\"do\":\"\"}]");
    snprintf(path, sizeof(path), "%s?height=90", document_path(id));
    HTTP_ANSWER refused = http_get(suite_url(suite), path, patient->access);
    CHECK_STATUS(refused, 422);
    CU_ASSERT_STRING_EQUAL(http_text(refused, "message.0.path"), "height");
    CU_ASSERT_STRING_EQUAL(http_text(refused, "message.0.message"),
                           "needs a file of at most 3145728 bytes");
    CU_ASSERT_EQUAL(bucket_hits(), 0);
    bucket_fault("[]");
    bucket_delete(id);
    free(id);
    free(png);
}

static void a_document_is_replaced(void)
{
    char *id = bucket_put("old.bin", "text/plain", "old", 3);
    HTTP_ANSWER before = bucket_get(id);
    HTTP_ANSWER first = bucket_replace(id);
    HTTP_ANSWER second = bucket_replace(id);
    HTTP_ANSWER meanwhile = bucket_get(id);

    CHECK_BYTES(before, "old", 3);
    CHECK_BYTES(meanwhile, "old", 3);
    CU_ASSERT_EQUAL(bucket_upload(second, "second", 6), 204);
    HTTP_ANSWER after = bucket_get(id);
    CHECK_BYTES(after, "second", 6);
    CU_ASSERT_EQUAL(bucket_upload(first, "first", 5), 204);
    HTTP_ANSWER still = bucket_get(id);
    CHECK_BYTES(still, "second", 6);
    CU_ASSERT_TRUE(bucket_keys_become("incoming/", 0, 5000));
    HTTP_ANSWER again = bucket_get(id);
    CHECK_BYTES(again, "second", 6);
    bucket_delete(id);
    CU_ASSERT_TRUE(bucket_keys_become("", 0, 5000));
    free(id);
}

static void an_unused_form_hides_nothing(void)
{
    char *id = bucket_put("kept.bin", "text/plain", "kept", 4);
    HTTP_ANSWER before = bucket_get(id);
    HTTP_ANSWER form = bucket_replace(id);

    CHECK_BYTES(before, "kept", 4);
    CHECK_STATUS(form, 200);
    suite_set_clock(suite, 26 * 3600);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000,
                                  "select count(*) from doc.upload where document_id = '%s'", id));
    suite_set_clock(suite, 0);
    HTTP_ANSWER after = bucket_get(id);
    CHECK_BYTES(after, "kept", 4);
    bucket_delete(id);
    free(id);
}

static void a_replayed_form_changes_nothing(void)
{
    HTTP_ANSWER made = document_make(suite, patient->access, "a.txt", "text/plain");
    const char *id = http_text(made, "id");

    CU_ASSERT_EQUAL(bucket_upload(made, "first", 5), 204);
    HTTP_ANSWER first = bucket_get(id);
    CHECK_BYTES(first, "first", 5);
    CU_ASSERT_EQUAL(bucket_upload(made, "another", 7), 204);
    HTTP_ANSWER second = bucket_get(id);
    CHECK_BYTES(second, "first", 5);
    CU_ASSERT_TRUE(bucket_keys_become("incoming/", 0, 5000));
    HTTP_ANSWER third = bucket_get(id);
    CHECK_BYTES(third, "first", 5);
    bucket_delete(id);
    CU_ASSERT_EQUAL(bucket_upload(made, "ghost", 5), 204); /* the form is still valid at S3 */
    CU_ASSERT_TRUE(bucket_keys_become("", 0, 5000));
    HTTP_ANSWER gone = bucket_get(id);
    CHECK_STATUS(gone, 404);
}

static void concurrent_adoptions_yield_one_document(void)
{
    enum { MANY = 40 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];

    for (int round = 0; round < 5; round++) {
        char *id = bucket_put("race.txt", "text/plain", "race", 4);

        for (int i = 0; i < MANY; i++)
            requests[i] = (struct http_request){.path = i % 4 ? document_path(id) : "/document",
                                                .bearer = patient->access};
        http_call_many(suite_url(suite), requests, MANY, 20, answers);
        for (int i = 0; i < MANY; i++) {
            if (i % 4)
                CHECK_BYTES(answers[i], "race", 4);
            CHECK_STATUS(answers[i], 200);
        }
        http_answers_destroy(answers, MANY);
        CU_ASSERT_TRUE(suite_comes_to(suite, 1, 5000, "select count(*) from doc.object"));
        CU_ASSERT_TRUE(bucket_keys_become("", 1, 5000));
        bucket_delete(id);
        CU_ASSERT_EQUAL(
            suite_count(suite,
                        "select count(*) from doc.audit where entity = 'DocumentReference/%s' "
                        "and event::text like '%%document.upload%%'",
                        id),
            1);
        free(id);
    }
    CU_ASSERT_EQUAL(bucket_keys(""), 0);
}

/* Amazon's SDK makes an equal form, signs docd's policy equally, and its own form also delivers a
 * file. */
static void forms_are_those_of_amazons_sdk(void)
{
    static const char *const pairs[] = {"url", "names", "conditions", "expiration"};
    const char *argv[] = {"/usr/bin/env", "node", "tests/s3/forms.cjs", NULL};
    HTTP_ANSWER made = document_make(suite, patient->access, "a.txt", "text/plain");
    json_t *ours =
        json_pack("{s:s, s:O, s:s, s:s, s:s, s:s}", "url", http_text(made, "uploadOptions.url"),
                  "fields", http_member(made, "uploadOptions.fields"), "key",
                  bucket_setting("ATRIUM_S3_KEY", "S3RVER"), "secret",
                  bucket_setting("ATRIUM_S3_SECRET", "S3RVER"), "region",
                  bucket_setting("ATRIUM_S3_REGION", "us-east-1"), "bucket",
                  bucket_setting("ATRIUM_S3_BUCKET", "documents"));
    char *input = json_dumps(ours, JSON_COMPACT);
    PROGRAM sdk = program_run(argv, input);

    CHECK_EXIT(sdk, 0);
    CU_ASSERT_STRING_EQUAL(program_text(sdk, "signature"),
                           http_text(made, "uploadOptions.fields.x-amz-signature"));
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        json_t *pair = json_object_get(sdk->json, pairs[i]);

        UNIT_CHECK(json_array_size(pair) == 2 &&
                       json_equal(json_array_get(pair, 0), json_array_get(pair, 1)),
                   "%s: %s", pairs[i], sdk->out);
    }
    CU_ASSERT_EQUAL(form_post_to(http_text(made, "uploadOptions.url"),
                                 json_object_get(json_object_get(sdk->json, "form"), "fields"),
                                 "sdk", 3),
                    204);
    HTTP_ANSWER read = bucket_get(http_text(made, "id"));
    CHECK_BYTES(read, "sdk", 3);
    bucket_delete(http_text(made, "id"));
    free(input);
    json_decref(ours);
}

static void forged_forms_are_refused(void)
{
    static const struct {
        const char *label, *field, *value;
        size_t size;
        long status;
        int made_at; /* seconds from now */
    } rows[] = {
        {"another key", "key", "incoming/x/y", 3, 403, 0},
        {"an object's key", "key", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b/x", 3, 403, 0},
        {"another type", "Content-Type", "text/html", 3, 403, 0},
        {"another signature", "x-amz-signature",
         "0000000000000000000000000000000000000000000000000000000000000000", 3, 403, 0},
        {"another policy", "policy", "eyJleHBpcmF0aW9uIjoiMjA5OS0wMS0wMVQwMDowMDowMC4wMDBaIn0=", 3,
         403, 0},
        {"too large", NULL, NULL, 101 * 1024 * 1024, 400, 0},
        {"too old", NULL, NULL, 3, 403, -3601},
        {"not quite too old", "key", "incoming/x/y", 3, 403, -3500},
    };

    if (!bucket_is_strict())
        return;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        suite_set_clock(suite, rows[i].made_at);
        HTTP_ANSWER made = document_make(suite, patient->access, "a.txt", "text/plain");
        suite_set_clock(suite, 0);
        json_t *fields = json_deep_copy(http_member(made, "uploadOptions.fields"));
        char *bytes = test_bytes(rows[i].size, 1);

        if (rows[i].field)
            json_object_set_new(fields, rows[i].field, json_string(rows[i].value));
        long status =
            form_post_to(http_text(made, "uploadOptions.url"), fields, bytes, rows[i].size);
        UNIT_CHECK(status == rows[i].status, "%s: %ld", rows[i].label, status);
        HTTP_ANSWER read = bucket_get(http_text(made, "id"));
        CHECK_STATUS(read, 404);
        bucket_delete(http_text(made, "id"));
        json_decref(fields);
        free(bytes);
    }
    CU_ASSERT_EQUAL(bucket_keys(""), 0);
}

static void large_files_are_copied_in_parts(void)
{
    enum { SIZE = 12 * 1024 * 1024 };
    char *bytes = test_bytes(SIZE, 7);

    if (bucket_is_strict()) {
        char *id = bucket_put("large.bin", "application/octet-stream", bytes, SIZE);
        HTTP_ANSWER read = bucket_get(id);

        CHECK_BYTES(read, bytes, SIZE);
        bucket_delete(id);
        CU_ASSERT_EQUAL(bucket_keys(""), 0);
        free(id);
    }
    free(bytes);
}

static void suite_shuts_down_cleanly(void)
{
    bucket_leave();
}

static const struct unit_case cases[] = {
    CASE(a_document_goes_to_the_bucket_and_back),
    CASE(uploaded_files_are_found_without_a_notification),
    CASE(files_wait_while_the_tenant_is_read_only),
    CASE(a_form_ends_with_its_session),
    CASE(stored_files_are_served_with_ranges_and_tags),
    CASE(empty_files_are_documents),
    CASE(pictures_are_resized),
    CASE(oversized_pictures_are_not_fetched),
    CASE(a_document_is_replaced),
    CASE(an_unused_form_hides_nothing),
    CASE(a_replayed_form_changes_nothing),
    CASE(concurrent_adoptions_yield_one_document),
    CASE(forms_are_those_of_amazons_sdk),
    CASE(forged_forms_are_refused),
    CASE(large_files_are_copied_in_parts),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return bucket_run("s3", cases, ARRAY_SIZE(cases), &suite, &patient);
}
