/*
 * test_s3.c - documents in a bucket of S3: posted to it as a browser does, found without a
 * notification, served, replaced and removed; and what is answered, and left behind, when the
 * server fails or docd is killed.
 *
 * The server is s3rver, which `make test` installs (npm), or any other:
 *
 *     ATRIUM_S3_URL=http://127.0.0.1:9000 ATRIUM_S3_KEY=... ATRIUM_S3_SECRET=...
 *     ATRIUM_S3_BUCKET=... ATRIUM_S3_REGION=us-east-1 build/tests/http/test_s3
 *
 * whose bucket is there and empty. With ATRIUM_S3_STYLE=host the bucket is a label of
 * ATRIUM_S3_HOST, a name of this machine that the server knows. s3rver looks at no policy, ignores
 * the conditions of a copy and copies no parts: the cases of those are for other servers, and say
 * so.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *patient;
static struct program *server;
static struct unit_dir dir;
static char door[128]; /* URL of the server, behind the door that can be made to fail */
static bool own;       /* the server is s3rver */
static char *host;     /* whose labels buckets are, or NULL: they are in paths */

/* ---- the server ---- */

static bool have_server(void)
{
    return access("build/s3/node_modules/s3rver", R_OK) == 0;
}

static void server_start(void)
{
    const char *argv[] = {"/usr/bin/env", "NODE_PATH=build/s3/node_modules",
                          "node",         "tests/s3/server.cjs",
                          dir.path,       NULL};
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

static const char *setting(const char *name, const char *fallback)
{
    const char *value = getenv(name);

    return value ? value : fallback;
}

/* Rules as tests/s3/server.cjs has them; "[]": all is well again. */
static void fault(const char *rules)
{
    HTTP_ANSWER answer =
        http_call(door, &(struct http_request){.method = "PUT", .path = "/-/fault", .raw = rules});

    CHECK_STATUS(answer, 200);
}

/* How many requests the first rule has met. */
static long hits(void)
{
    HTTP_ANSWER answer = http_get(door, "/-/hits", NULL);

    return (long)json_integer_value(json_array_get(http_member(answer, "hits"), 0));
}

static bool hits_come_to(long want, int timeout_ms)
{
    int64_t until = clock_mono_ms() + timeout_ms;

    while (hits() < want && clock_mono_ms() < until)
        usleep(20000);
    return UNIT_CHECK(hits() >= want, "%ld requests instead of %ld", hits(), want);
}

/* Keys in the bucket that begin so. */
static size_t keys(const char *prefix)
{
    HTTP_ANSWER answer = http_get(door, "/-/keys", NULL);
    size_t i, count = 0;
    json_t *key;

    json_array_foreach(answer->json, i, key) count +=
        strncmp(json_string_value(key), prefix, strlen(prefix)) == 0;
    return count;
}

static bool keys_become(const char *prefix, size_t want, int timeout_ms)
{
    int64_t until = clock_mono_ms() + timeout_ms;

    while (keys(prefix) != want && clock_mono_ms() < until)
        usleep(50000);
    return UNIT_CHECK(keys(prefix) == want, "%zu keys instead of %zu", keys(prefix), want);
}

/* ---- clients ---- */

static long upload(const struct http_answer *made, const char *bytes, size_t size)
{
    return form_post_to(http_text(made, "uploadOptions.url"),
                        http_member(made, "uploadOptions.fields"), bytes, size);
}

static char *put(const char *name, const char *type, const char *bytes, size_t size)
{
    HTTP_ANSWER made = document_make(suite, patient->access, name, type);

    CHECK_STATUS(made, 200);
    CU_ASSERT_EQUAL(upload(made, bytes, size), 204);
    return strdup(http_text(made, "id"));
}

static struct http_answer *get(const char *id)
{
    return document_get(suite, patient->access, id);
}

static void delete_document(const char *id)
{
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);

    CHECK_STATUS(gone, 200);
}

/* ---- all is well ---- */

static void a_document_goes_to_the_bucket_and_back(void)
{
    char *bytes = test_bytes(300000, 1);
    HTTP_ANSWER made = document_make(suite, patient->access, "a.bin", "application/octet-stream");
    const char *id = http_text(made, "id");

    CU_ASSERT_PTR_NULL(strstr(http_text(made, "uploadOptions.url"), suite_url(suite)));
    HTTP_ANSWER early = get(id);
    CHECK_ERROR(early, 404, "File not uploaded yet.");
    CU_ASSERT_EQUAL(upload(made, bytes, 300000), 204);
    HTTP_ANSWER read = get(id);
    CHECK_BYTES(read, bytes, 300000);
    CU_ASSERT_EQUAL(keys("incoming/"), 0);
    CU_ASSERT_EQUAL(keys(""), 1);
    delete_document(id);
    CU_ASSERT_EQUAL(keys(""), 0);
    free(bytes);
}

/* S3 sends no message when a file arrives: a list of documents finds it, and else the sweep
 * does. */
static void uploaded_files_are_found_without_a_notification(void)
{
    char *bytes = test_bytes(5000, 2);
    char *first = put("one.bin", "application/octet-stream", bytes, 5000);
    HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=1", patient->access);

    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.id"), first);
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.0.size")), 5000);
    char *second = put("two.bin", "application/octet-stream", bytes, 4000);
    CU_ASSERT_TRUE(suite_comes_to(suite, 4000, 10000,
                                  "select size from doc.document where id = '%s'", second));
    CU_ASSERT_TRUE(keys_become("incoming/", 0, 5000));
    delete_document(first);
    delete_document(second);
    CU_ASSERT_TRUE(keys_become("", 0, 5000));
    free(first);
    free(second);
    free(bytes);
}

/* The store takes a file whatever state the tenant is in: it waits there, and what reads waits for
 * neither. */
static void files_wait_while_the_tenant_is_read_only(void)
{
    char *bytes = test_bytes(5000, 8);
    char *before = put("before.bin", "application/octet-stream", bytes, 3000);
    HTTP_ANSWER adopted = get(before);
    HTTP_ANSWER made =
        document_make(suite, patient->access, "during.bin", "application/octet-stream");
    const char *id = http_text(made, "id");

    CHECK_BYTES(adopted, bytes, 3000);
    PROGRAM held = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--read-only");
    CHECK_EXIT(held, 0);
    CU_ASSERT_EQUAL(upload(made, bytes, 5000), 204);
    HTTP_ANSWER early = get(id);
    CHECK_ERROR(early, 404, "File not uploaded yet.");
    HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=5", patient->access);
    CHECK_STATUS(list, 200);
    sleep(3); /* several looks of docd at the bucket */
    CU_ASSERT_EQUAL(keys("incoming/"), 1);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.document where id = '%s' and size > 0", id),
        0);
    HTTP_ANSWER still = get(before);
    CHECK_BYTES(still, bytes, 3000);
    PROGRAM opened = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--resume");
    CHECK_EXIT(opened, 0);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 5000, 30000, "select coalesce(size, 0) from doc.document where id = '%s'", id));
    CU_ASSERT_TRUE(keys_become("incoming/", 0, 10000));
    HTTP_ANSWER read = get(id);
    CHECK_BYTES(read, bytes, 5000);
    delete_document(before);
    delete_document(id);
    CU_ASSERT_TRUE(keys_become("", 0, 5000));
    free(before);
    free(bytes);
}

/* A store takes what its form allows; what came after the session had ended is not adopted, what
 * came before is. */
static void a_form_ends_with_its_session(void)
{
    PERSON leaver = person_register(suite, NULL);
    HTTP_ANSWER before = document_make(suite, leaver->access, "a.bin", "a/b");
    HTTP_ANSWER after = document_make(suite, leaver->access, "b.bin", "a/b");

    CU_ASSERT_EQUAL(upload(before, "abc", 3), 204);
    usleep(1100000); /* a store tells whole seconds */
    HTTP_ANSWER left = http_post(suite_url(suite), "/auth/logout", leaver->access, NULL);
    CHECK_STATUS(left, 204);
    usleep(1100000);
    CU_ASSERT_EQUAL(upload(after, "abc", 3), 204);
    PERSON again = person_sign_in(suite, "Patient", leaver->email, leaver->password, NULL);
    HTTP_ANSWER there = document_get(suite, again->access, http_text(before, "id"));
    CHECK_BYTES(there, "abc", 3);
    HTTP_ANSWER none = document_get(suite, again->access, http_text(after, "id"));
    CHECK_ERROR(none, 404, "File not uploaded yet.");
    CU_ASSERT_TRUE(keys_become("incoming/", 0, 5000));
    HTTP_ANSWER first =
        http_delete(suite_url(suite), document_path(http_text(before, "id")), again->access);
    HTTP_ANSWER second =
        http_delete(suite_url(suite), document_path(http_text(after, "id")), again->access);
    CU_ASSERT_TRUE(keys_become("", 0, 5000));
}

static void stored_files_are_served_with_ranges_and_tags(void)
{
    char *bytes = test_bytes(700000, 3);
    char *id = put("large.bin", "application/octet-stream", bytes, 700000);
    HTTP_ANSWER whole = get(id);
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
    delete_document(id);
    free(etag);
    free(id);
    free(bytes);
}

static void empty_files_are_documents(void)
{
    char *id = put("empty", "text/plain", "", 0);
    HTTP_ANSWER read = get(id);

    CHECK_BYTES(read, "", 0);
    delete_document(id);
    free(id);
}

static void pictures_are_resized(void)
{
    size_t size;
    int width, height;
    char *png = test_png(900, 700, &size), path[128]; /* more than one piece */
    char *id = put("picture.png", "image/png", png, size);

    snprintf(path, sizeof(path), "%s?width=90", document_path(id));
    HTTP_ANSWER small = http_get(suite_url(suite), path, patient->access);
    CHECK_STATUS(small, 200);
    test_png_sides(small, &width, &height);
    CU_ASSERT_EQUAL(width, 90);
    CU_ASSERT_EQUAL(height, 70);
    delete_document(id);
    CU_ASSERT_EQUAL(stored_files(suite), 0);
    free(id);
    free(png);
}

/* Of one that is too large for an image nothing is fetched. */
static void oversized_pictures_are_not_fetched(void)
{
    size_t size;
    char *png = test_png(1400, 1000, &size), path[128]; /* more than docd.image_bytes */
    char *id = put("large.png", "image/png", png, size);
    HTTP_ANSWER whole = get(id);

    CHECK_BYTES(whole, png, size);
    fault("[{\"method\":\"GET\",\"header\":\"range\",\"do\":\"\"}]");
    snprintf(path, sizeof(path), "%s?height=90", document_path(id));
    HTTP_ANSWER refused = http_get(suite_url(suite), path, patient->access);
    CHECK_STATUS(refused, 422);
    CU_ASSERT_STRING_EQUAL(http_text(refused, "message.0.path"), "height");
    CU_ASSERT_STRING_EQUAL(http_text(refused, "message.0.message"),
                           "needs a file of at most 3145728 bytes");
    CU_ASSERT_EQUAL(hits(), 0);
    fault("[]");
    delete_document(id);
    free(id);
    free(png);
}

static struct http_answer *replace(const char *id)
{
    return http_post(suite_url(suite), document_path(id), patient->access,
                     json_pack("{s:s, s:s}", "fileName", "new.bin", "contentType", "text/plain"));
}

/* The old bytes are served until the new ones have come; and of two forms the later one counts. */
static void a_document_is_replaced(void)
{
    char *id = put("old.bin", "text/plain", "old", 3);
    HTTP_ANSWER before = get(id);
    HTTP_ANSWER first = replace(id);
    HTTP_ANSWER second = replace(id);
    HTTP_ANSWER meanwhile = get(id);

    CHECK_BYTES(before, "old", 3);
    CHECK_BYTES(meanwhile, "old", 3);
    CU_ASSERT_EQUAL(upload(second, "second", 6), 204);
    HTTP_ANSWER after = get(id);
    CHECK_BYTES(after, "second", 6);
    CU_ASSERT_EQUAL(upload(first, "first", 5), 204);
    HTTP_ANSWER still = get(id);
    CHECK_BYTES(still, "second", 6);
    CU_ASSERT_TRUE(keys_become("incoming/", 0, 5000));
    HTTP_ANSWER again = get(id);
    CHECK_BYTES(again, "second", 6);
    delete_document(id);
    CU_ASSERT_TRUE(keys_become("", 0, 5000));
    free(id);
}

/* A form that was never sent is forgotten a day after its end. */
static void an_unused_form_hides_nothing(void)
{
    char *id = put("kept.bin", "text/plain", "kept", 4);
    HTTP_ANSWER before = get(id);
    HTTP_ANSWER form = replace(id);

    CHECK_BYTES(before, "kept", 4);
    CHECK_STATUS(form, 200);
    suite_set_clock(suite, 26 * 3600);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000,
                                  "select count(*) from doc.upload where document_id = '%s'", id));
    suite_set_clock(suite, 0);
    HTTP_ANSWER after = get(id);
    CHECK_BYTES(after, "kept", 4);
    delete_document(id);
    free(id);
}

/* S3 takes a form as often as it comes. The document takes it once. */
static void a_replayed_form_changes_nothing(void)
{
    HTTP_ANSWER made = document_make(suite, patient->access, "a.txt", "text/plain");
    const char *id = http_text(made, "id");

    CU_ASSERT_EQUAL(upload(made, "first", 5), 204);
    HTTP_ANSWER first = get(id);
    CHECK_BYTES(first, "first", 5);
    CU_ASSERT_EQUAL(upload(made, "another", 7), 204);
    HTTP_ANSWER second = get(id);
    CHECK_BYTES(second, "first", 5);
    CU_ASSERT_TRUE(keys_become("incoming/", 0, 5000));
    HTTP_ANSWER third = get(id);
    CHECK_BYTES(third, "first", 5);
    delete_document(id);
    CU_ASSERT_EQUAL(upload(made, "ghost", 5), 204); /* the form is still good at S3 */
    CU_ASSERT_TRUE(keys_become("", 0, 5000));
    HTTP_ANSWER gone = get(id);
    CHECK_STATUS(gone, 404);
}

/* Both instances, many readers of each: all get the file, and one object is left. */
static void concurrent_adoptions_yield_one_document(void)
{
    enum { MANY = 40 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];

    for (int round = 0; round < 5; round++) {
        char *id = put("race.txt", "text/plain", "race", 4);

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
        CU_ASSERT_TRUE(keys_become("", 1, 5000));
        delete_document(id);
        CU_ASSERT_EQUAL(
            suite_count(suite,
                        "select count(*) from doc.audit where entity = 'DocumentReference/%s' "
                        "and event::text like '%%document.upload%%'",
                        id),
            1);
        free(id);
    }
    CU_ASSERT_EQUAL(keys(""), 0);
}

/* ---- something fails ---- */

static void check_unavailable(const struct http_answer *answer, const char *label)
{
    char *retry = http_header(answer, "Retry-After");

    UNIT_CHECK(answer->status == 503 && retry, "%s: %d %s", label, answer->status,
               answer->body ? answer->body : "");
    free(retry);
}

/* What was tried last may still be under way. */
static struct http_answer *get_when_well(const char *id)
{
    int64_t until = clock_mono_ms() + 40000;
    struct http_answer *well = get(id);

    while (well->status == 503 && clock_mono_ms() < until) {
        usleep(100000);
        http_answer_destroy(&well);
        well = get(id);
    }
    return well;
}

/* Whatever the server does in which step: the client is told in time, and has its file when all is
 * well again. */
static void a_server_that_fails_is_503(void)
{
    static const struct {
        const char *label, *rules;
    } rows[] = {
        {"looking: 500", "[{\"method\":\"HEAD\",\"do\":\"500\"}]"},
        {"looking: nothing", "[{\"method\":\"HEAD\",\"do\":\"slow\"}]"},
        {"copying: 500", "[{\"header\":\"x-amz-copy-source\",\"do\":\"500\"}]"},
        {"copying: too busy", "[{\"header\":\"x-amz-copy-source\",\"do\":\"503\"}]"},
        {"copying: nothing", "[{\"header\":\"x-amz-copy-source\",\"do\":\"slow\"}]"},
        {"copying: cut", "[{\"header\":\"x-amz-copy-source\",\"do\":\"cut\"}]"},
        {"copying: not told", "[{\"header\":\"x-amz-copy-source\",\"do\":\"lost\"}]"},
        {"reading: 500", "[{\"method\":\"GET\",\"header\":\"range\",\"do\":\"500\"}]"},
        {"reading: cut", "[{\"method\":\"GET\",\"header\":\"range\",\"do\":\"cut\"}]"},
        {"reading: nothing", "[{\"method\":\"GET\",\"header\":\"range\",\"do\":\"slow\"}]"},
        {"all: 500", "[{\"do\":\"500\"}]"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = document_make(suite, patient->access, "a.txt", "text/plain");
        const char *id = http_text(made, "id");

        fault(rows[i].rules);
        if (strstr(rows[i].label, "all"))
            fault("[{\"header\":\"authorization\",\"do\":\"500\"}]");
        CU_ASSERT_EQUAL(upload(made, "whole", 5), 204);
        HTTP_ANSWER failed = get(id);
        check_unavailable(failed, rows[i].label);
        UNIT_CHECK(failed->seconds < 9.9, "%s: %.1f s", rows[i].label, failed->seconds);
        HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=1", patient->access);
        UNIT_CHECK(list->status == 200 && json_is_null(http_member(list, "resources.0.size")),
                   "%s: list %d %s", rows[i].label, list->status, list->body);
        fault("[]");
        HTTP_ANSWER well = get_when_well(id);
        if (!CHECK_BYTES(well, "whole", 5))
            fprintf(stderr, "  %s\n", rows[i].label);
        delete_document(id);
    }
}

/* Rules by which what forms brought cannot be copied. */
static void fault_copies(const struct http_answer *const *forms, size_t count, const char *more)
{
    json_t *rules = json_loads(more, 0, NULL);

    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            rules, json_pack("{s:s, s:s, s:s}", "header", "x-amz-copy-source", "value",
                             http_text(forms[i], "uploadOptions.fields.key"), "do", "500"));
    char *text = json_dumps(rules, JSON_COMPACT);
    fault(text);
    free(text);
    json_decref(rules);
}

static long tries(const char *id)
{
    return suite_count(suite, "select max(failures) from doc.upload where document_id = '%s'", id);
}

/* Six hours are the longest pause between two tries. */
static bool tries_come_to(long want, const char *id, int64_t *clock_s)
{
    int64_t until = clock_mono_ms() + 60000;

    while (tries(id) < want && clock_mono_ms() < until) {
        long before = tries(id);

        suite_set_clock(suite, *clock_s += 6 * 3600 + 60);
        for (int i = 0; i < 60 && tries(id) == before; i++)
            usleep(50000);
    }
    return UNIT_CHECK(tries(id) >= want, "%ld tries instead of %ld", tries(id), want);
}

/* Whether it is not tried for three seconds, once the try that is due has been made. */
static bool tries_rest(const char *id)
{
    for (int i = 0; i < 4; i++) {
        long before = tries(id);

        usleep(3000000);
        if (tries(id) == before)
            return true;
    }
    return false;
}

static long count_of(const char *table, const char *column, const char *id)
{
    return suite_count(suite, "select count(*) from doc.%s where %s = '%s'", table, column, id);
}

/* The server copies all but some files. Everything else goes on as ever, sweeping too; these wait,
 * for a week. */
static void failed_adoption_blocks_no_reader_and_expires(void)
{
    char *id = put("old.bin", "text/plain", "old", 3);
    HTTP_ANSWER before = get(id);
    HTTP_ANSWER replaced = replace(id);
    HTTP_ANSWER stuck = document_make(suite, patient->access, "stuck.txt", "text/plain");
    HTTP_ANSWER late = document_make(suite, patient->access, "late.txt", "text/plain");
    HTTP_ANSWER empty = document_make(suite, patient->access, "empty.txt", "text/plain");
    const struct http_answer *const bad[] = {replaced, stuck, late};
    const char *stuck_id = http_text(stuck, "id"), *late_id = http_text(late, "id");
    int64_t clock_s = 26 * 3600;

    CHECK_BYTES(before, "old", 3);
    fault_copies(bad, 3, "[]");
    CU_ASSERT_EQUAL(upload(replaced, "new", 3), 204);
    CU_ASSERT_EQUAL(upload(stuck, "stuck", 5), 204);
    CU_ASSERT_EQUAL(upload(late, "late", 4), 204);
    /* the others are found, and what nothing came for goes after a day */
    char *other = put("other.txt", "text/plain", "other", 5);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 5, 10000, "select size from doc.document where id = '%s'", other));
    suite_set_clock(suite, clock_s);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000,
                                  "select count(*) from doc.document where id = '%s'",
                                  http_text(empty, "id")));
    /* these do not, whose files are there; readers get the earlier file */
    CU_ASSERT_TRUE(tries_come_to(10, id, &clock_s) && tries_come_to(10, stuck_id, &clock_s) &&
                   tries_come_to(10, late_id, &clock_s));
    /* and no copy is tried again without a pause */
    CU_ASSERT_TRUE(tries_rest(stuck_id));
    suite_set_clock(suite, 0);
    HTTP_ANSWER old = get(id);
    CHECK_BYTES(old, "old", 3);
    HTTP_ANSWER nothing = get(stuck_id);
    CHECK_ERROR(nothing, 404, "File not uploaded yet.");
    /* one that can be copied in the end is there, */
    fault_copies(bad, 2, "[]");
    suite_set_clock(suite, clock_s + 6 * 3600 + 60);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 4, 10000, "select size from doc.document where id = '%s'", late_id));
    suite_set_clock(suite, 0);
    HTTP_ANSWER saved = get(late_id);
    CHECK_BYTES(saved, "late", 4);
    /* the others are given up, also when docd is killed at it */
    fault_copies(bad, 2, "[{\"method\":\"DELETE\",\"path\":\"incoming\",\"do\":\"hold\"}]");
    pid_t pids[2] = {suite_pid(suite, "docd", "1"), suite_pid(suite, "docd", "2")};
    suite_set_clock(suite, 9 * 24 * 3600);
    CU_ASSERT_TRUE(hits_come_to(1, 15000));
    suite_signal(suite, "docd", "1", SIGKILL);
    suite_signal(suite, "docd", "2", SIGKILL);
    fault_copies(bad, 2, "[]");
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", pids[0]));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "2", pids[1]));
    CU_ASSERT_TRUE(keys_become("incoming/", 0, 15000));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000,
                                  "select count(*) from doc.document where id = '%s'", stuck_id));
    suite_set_clock(suite, 0);
    CU_ASSERT_EQUAL(count_of("upload", "document_id", id), 0);
    HTTP_ANSWER still = get(id);
    CHECK_BYTES(still, "old", 3);
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "select count(*) from doc.audit where event::text like '%%given up%%' "
                    "and entity in ('DocumentReference/%s', 'DocumentReference/%s')",
                    id, stuck_id),
        2);
    fault("[]");
    delete_document(id);
    delete_document(late_id);
    delete_document(other);
    CU_ASSERT_TRUE(keys_become("", 0, 5000));
    free(id);
    free(other);
}

/* An object that cannot be removed does not keep the others, and is removed when it can be. */
static void failed_removal_blocks_no_other_removal(void)
{
    char *first = put("first.txt", "text/plain", "first", 5);
    char *second = put("second.txt", "text/plain", "second", 6), rules[256], query[256];

    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER read = get(i == 0 ? first : second);
        CHECK_STATUS(read, 200);
    }
    snprintf(rules, sizeof(rules), "select object_id from doc.document where id = '%s'", first);
    char *object = suite_query(suite, rules);
    /* a docd that was killed in a case before may have left a row that is due much later */
    snprintf(query, sizeof(query),
             "select count(*) from doc.object where document_id in ('%s', '%s')", first, second);
    CU_ASSERT_TRUE(keys_become("", 2, 5000)); /* what they were uploaded to is removed */
    fault("[{\"method\":\"DELETE\",\"do\":\"500\"}]");
    delete_document(first);
    delete_document(second);
    CU_ASSERT_EQUAL(keys(""), 2);
    snprintf(rules, sizeof(rules), "[{\"method\":\"DELETE\",\"path\":\"%s\",\"do\":\"500\"}]",
             object);
    fault(rules);
    suite_set_clock(suite, 1200);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 15000, "%s", query));
    CU_ASSERT_EQUAL(keys(""), 1);
    CU_ASSERT_EQUAL(count_of("object", "id", object), 1);
    fault("[]");
    suite_set_clock(suite, 2400);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 15000, "%s", query));
    CU_ASSERT_EQUAL(keys(""), 0);
    suite_set_clock(suite, 0);
    free(object);
    free(first);
    free(second);
}

/* A document that is there is read again and again: pieces fail too. */
static void a_piece_that_fails_is_not_the_end_of_the_file(void)
{
    char *bytes = test_bytes(600000, 5);
    char *id = put("a.bin", "text/plain", bytes, 600000);
    HTTP_ANSWER whole = get(id);

    CHECK_BYTES(whole, bytes, 600000);
    fault("[{\"method\":\"GET\",\"header\":\"range\",\"do\":\"500\"}]");
    HTTP_ANSWER failed = get(id);
    CU_ASSERT_TRUE(failed->status == 503 || failed->status == 0 || failed->size < 600000);
    CU_ASSERT_TRUE(failed->status != 200 || failed->size == 0);
    fault("[]");
    HTTP_ANSWER again = get(id);
    CHECK_BYTES(again, bytes, 600000);
    delete_document(id);
    free(id);
    free(bytes);
}

/* docd stops waiting, and the server completes the copy later: that copy is removed too. */
static void a_copy_that_comes_late_is_removed(void)
{
    char *id;

    fault("[{\"header\":\"x-amz-copy-source\",\"do\":\"late\"}]");
    id = put("late.txt", "text/plain", "late", 4);
    /* Each docd has two tries, gives the object up and begins anew after a pause. */
    CU_ASSERT_TRUE(hits_come_to(4, 60000));
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 2, 30000, "select max(failures) from doc.upload where document_id = '%s'", id));
    suite_set_clock(suite, 3600);
    CU_ASSERT_TRUE(hits_come_to(6, 60000));
    suite_set_clock(suite, 0);
    usleep(1000000);
    CU_ASSERT_TRUE(keys("") > 1);
    fault("[]");
    HTTP_ANSWER read = get_when_well(id);
    CHECK_BYTES(read, "late", 4);
    delete_document(id);
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000, "select count(*) from doc.object"));
    CU_ASSERT_TRUE(keys_become("", 0, 5000));
    suite_set_clock(suite, 0);
    free(id);
}

/* docd is killed while the server copies: the other instance has the file, and nothing stays behind
 * for long. */
static void docd_is_killed_while_it_adopts(void)
{
    static const char *const rules[] = {
        "[{\"header\":\"x-amz-copy-source\",\"do\":\"hold\"}]",
        "[{\"header\":\"x-amz-copy-source\",\"do\":\"slow\"}]",
        "[{\"method\":\"GET\",\"header\":\"range\",\"do\":\"slow\"}]",
        "[{\"method\":\"DELETE\",\"do\":\"slow\"}]",
    };

    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        char *id;

        fault(rules[i]);
        id = put("killed.txt", "text/plain", "killed", 6);
        CU_ASSERT_TRUE(hits_come_to(1, 5000)); /* the sweep has begun */
        pid_t pids[2] = {suite_pid(suite, "docd", "1"), suite_pid(suite, "docd", "2")};
        suite_signal(suite, "docd", "1", SIGKILL);
        suite_signal(suite, "docd", "2", SIGKILL);
        fault("[]");
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", pids[0]));
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "2", pids[1]));
        HTTP_ANSWER read = get(id);
        if (!CHECK_BYTES(read, "killed", 6))
            fprintf(stderr, "  %s\n", rules[i]);
        delete_document(id);
        free(id);
    }
    CU_ASSERT_TRUE(keys_become("incoming/", 0, 5000));
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000, "select count(*) from doc.object"));
    CU_ASSERT_TRUE(keys_become("", 0, 5000));
    suite_set_clock(suite, 0);
}

/* A document without a file is removed after a day, but not while the store cannot say whether a
 * file arrived. */
static void documents_are_kept_while_the_store_cannot_be_read(void)
{
    HTTP_ANSWER made = document_make(suite, patient->access, "a.txt", "text/plain");
    const char *id = http_text(made, "id");

    fault("[{\"method\":\"GET\",\"path\":\"list-type\",\"do\":\"500\"}]");
    CU_ASSERT_EQUAL(upload(made, "late", 4), 204);
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(hits_come_to(4, 15000));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from doc.document where id = '%s'", id), 1);
    fault("[]");
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 4, 10000, "select size from doc.document where id = '%s'", id));
    suite_set_clock(suite, 0);
    HTTP_ANSWER read = get(id);
    CHECK_BYTES(read, "late", 4);
    delete_document(id);
    HTTP_ANSWER empty = document_make(suite, patient->access, "b.txt", "text/plain");
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000,
                                  "select count(*) from doc.document where id = '%s'",
                                  http_text(empty, "id")));
    suite_set_clock(suite, 0);
}

/* ---- forms ---- */

/* Amazon's SDK makes the same form for the same object, signs docd's policy as docd does, and
 * its own form brings a file too. */
static void forms_are_those_of_amazons_sdk(void)
{
    static const char *const pairs[] = {"url", "names", "conditions", "expiration"};
    const char *argv[] = {"/usr/bin/env", "NODE_PATH=build/s3/node_modules", "node",
                          "tests/s3/forms.cjs", NULL};
    HTTP_ANSWER made = document_make(suite, patient->access, "a.txt", "text/plain");
    json_t *ours =
        json_pack("{s:s, s:O, s:s, s:s, s:s, s:s}", "url", http_text(made, "uploadOptions.url"),
                  "fields", http_member(made, "uploadOptions.fields"), "key",
                  setting("ATRIUM_S3_KEY", "S3RVER"), "secret",
                  setting("ATRIUM_S3_SECRET", "S3RVER"), "region",
                  setting("ATRIUM_S3_REGION", "us-east-1"), "bucket",
                  setting("ATRIUM_S3_BUCKET", "documents"));
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
    HTTP_ANSWER read = get(http_text(made, "id"));
    CHECK_BYTES(read, "sdk", 3);
    delete_document(http_text(made, "id"));
    free(input);
    json_decref(ours);
}

/* ---- what s3rver does not look at ---- */

static bool strict(void)
{
    if (!own)
        return true;
    unit_leave_out("s3rver does not look at that");
    return false;
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

    if (!strict())
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
        HTTP_ANSWER read = get(http_text(made, "id"));
        CHECK_STATUS(read, 404);
        delete_document(http_text(made, "id"));
        json_decref(fields);
        free(bytes);
    }
    CU_ASSERT_EQUAL(keys(""), 0);
}

/* More than a part, which is 5 MiB here. */
static void large_files_are_copied_in_parts(void)
{
    enum { SIZE = 12 * 1024 * 1024 };
    char *bytes = test_bytes(SIZE, 7);

    if (strict()) {
        char *id = put("large.bin", "application/octet-stream", bytes, SIZE);
        HTTP_ANSWER read = get(id);

        CHECK_BYTES(read, bytes, SIZE);
        delete_document(id);
        CU_ASSERT_EQUAL(keys(""), 0);
        free(id);
    }
    free(bytes);
}

/* What came is replaced while its parts are copied, which Ceph does not look at, and Amazon does:
 * the object has the one or the other, never parts of both. */
static void parts_of_two_files_become_no_object(void)
{
    enum { SIZE = 12 * 1024 * 1024 };
    char *bytes = test_bytes(SIZE, 9);

    if (strict()) {
        HTTP_ANSWER made = document_make(suite, patient->access, "a.bin", "text/plain");
        const char *id = http_text(made, "id");

        fault("[{\"method\":\"PUT\",\"path\":\"partNumber=2\",\"do\":\"replace\"}]");
        CU_ASSERT_EQUAL(upload(made, bytes, SIZE), 204);
        CU_ASSERT_TRUE(hits_come_to(1, 15000));
        fault("[]");
        for (size_t i = 0; i < SIZE; i++)
            bytes[i] = "replaced"[i % 8];
        CU_ASSERT_TRUE(suite_comes_to(suite, SIZE, 30000,
                                      "select size from doc.document where id = '%s'", id));
        HTTP_ANSWER read = get(id);
        CHECK_BYTES(read, bytes, SIZE);
        delete_document(id);
        CU_ASSERT_TRUE(keys_become("", 0, 5000));
    }
    free(bytes);
}

/* What doctor says of the bucket. */
static void check_doctor(const char *state, const char *seen, const char *mend)
{
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    json_t *row;
    size_t i, found = 0;

    json_array_foreach(doctor->json, i, row)
    {
        const char *advice = json_string_value(json_object_get(row, "mend"));

        if (strcmp(json_string_value(json_object_get(row, "check")), "bucket") == 0)
            found += strcmp(json_string_value(json_object_get(row, "state")), state) == 0 &&
                     strstr(json_string_value(json_object_get(row, "seen")), seen) &&
                     (mend ? advice && strstr(advice, mend) : !advice);
    }
    UNIT_CHECK(found == 2, "of each docd: %s%s", doctor->out, doctor->err);
    CU_ASSERT_EQUAL(doctor->code, strcmp(state, "fail") == 0);
}

/* Each step that an object needs is tried with one that is gone afterwards. */
static void doctor_tries_the_bucket(void)
{
    static const struct {
        const char *rules, *seen, *mend;
    } rows[] = {
        {"[{\"method\":\"PUT\",\"path\":\"doctor\",\"do\":\"403\"}]", "PUT: 403 AccessDenied",
         "rights"},
        {"[{\"method\":\"GET\",\"path\":\"doctor\",\"do\":\"500\"}]", "GET: 500",
         "Start the server of S3"},
        {"[{\"method\":\"DELETE\",\"path\":\"doctor\",\"do\":\"403\"}]", "DELETE: 403 AccessDenied",
         "rights"},
        {"[{\"method\":\"GET\",\"path\":\"list-type\",\"do\":\"403\"}]", "GET: 403 AccessDenied",
         "rights"},
        {"[{\"do\":\"slow\"}]", "no answer in time", "Start the server of S3"},
    };

    check_doctor("ok", "put, read, listed and deleted", NULL);
    CU_ASSERT_EQUAL(keys("doctor/"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        fault(rows[i].rules);
        check_doctor("fail", rows[i].seen, rows[i].mend);
        fault("[]");
    }
    check_doctor("ok", "put, read, listed and deleted", NULL);
}

/* The bytes of one document lie under another name: they lack a document, and it lacks its
 * bytes. */
static void documents_and_bucket_are_compared(void)
{
    static const char other[] = "0f000000-0000-4000-8000-00000000000f";
    char *there = put("there.bin", "application/octet-stream", "abc", 3);
    char *lost = put("lost.bin", "application/octet-stream", "abc", 3);
    HTTP_ANSWER adopted = get(there);
    HTTP_ANSWER adopted_too = get(lost);
    char sql[600];

    CHECK_BYTES(adopted, "abc", 3);
    CHECK_BYTES(adopted_too, "abc", 3);
    snprintf(sql, sizeof(sql),
             "insert into doc.object select project_id, '%s', null, id from doc.document "
             "where id = '%s' returning 1",
             other, lost);
    free(suite_query(suite, sql));
    snprintf(sql, sizeof(sql),
             "with old as (select object_id from doc.document where id = '%s'), "
             "moved as (update doc.document set object_id = '%s' where id = '%s') "
             "select object_id from old",
             lost, other, lost);
    char *old = suite_query(suite, sql);
    snprintf(sql, sizeof(sql), "delete from doc.object where id = '%s' returning 1", old);
    free(suite_query(suite, sql));

    PROGRAM verify = ATRIUMCTL(suite, NULL, "documents", "verify", "--repair", "--hash", "--json");
    CU_ASSERT_EQUAL(verify->code, 1);
    json_t *sum = json_object_get(verify->json, "sum");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(sum, "missing")), 1);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(sum, "changed")), 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(sum, "orphans")), 1);
    HTTP_ANSWER read = get(lost);
    CHECK_ERROR(read, 404, "The file of this document is missing.");
    HTTP_ANSWER well = get(there);
    CHECK_BYTES(well, "abc", 3);
    delete_document(there);
    delete_document(lost);
    CU_ASSERT_EQUAL(keys(""), 1);
    suite_set_clock(suite, 8 * 24 * 3600);
    CU_ASSERT_TRUE(keys_become("", 0, 90000));
    suite_set_clock(suite, 0);
    free(old);
    free(lost);
    free(there);
}

/* Many downloads are over by their first piece while others of theirs are under way, so that what
 * these belonged to is used by others, or freed, when they come. */
static void pieces_that_come_late_harm_nothing(void)
{
    enum { DOWNLOADS = 300 }; /* more than the exchanges that the gateway keeps */
    static const char *const sources[] = {"127.7.3.1", "127.7.3.2", "127.7.3.3"};
    struct http_request requests[DOWNLOADS];
    struct http_answer *answers[DOWNLOADS];
    char *bytes = test_bytes(600000, 6);
    char *id = put("late.bin", "text/plain", bytes, 600000);
    pid_t gateway = suite_pid(suite, "gateway", "1");
    HTTP_ANSWER whole = get(id);

    CHECK_BYTES(whole, bytes, 600000);
    for (int i = 0; i < DOWNLOADS; i++)
        requests[i] = (struct http_request){.path = document_path(id),
                                            .bearer = patient->access,
                                            .source = sources[i % ARRAY_SIZE(sources)]};
    fault("[{\"method\":\"GET\",\"header\":\"range\",\"value\":\"^bytes=0-\",\"do\":\"500\"},"
          "{\"method\":\"GET\",\"header\":\"range\",\"do\":\"slow\"}]");
    http_call_many(suite_url(suite), requests, DOWNLOADS, DOWNLOADS, answers);
    for (int i = 0; i < DOWNLOADS; i++)
        UNIT_CHECK(answers[i]->status == 503 || answers[i]->status == 0 /* cut off */, "%d %s",
                   answers[i]->status, answers[i]->body);
    http_answers_destroy(answers, DOWNLOADS);
    fault("[]");
    HTTP_ANSWER again = get(id);
    CHECK_BYTES(again, bytes, 600000);
    CU_ASSERT_EQUAL(suite_pid(suite, "gateway", "1"), gateway);
    delete_document(id);
    free(id);
    free(bytes);
}

static void suite_shuts_down_cleanly(void)
{
    fault("[]");
    CU_ASSERT_EQUAL(keys(""), 0);
    person_destroy(&patient);
    suite_stop(&suite);
    program_destroy(&server);
    unit_dir_remove(&dir);
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
    CASE(a_server_that_fails_is_503),
    CASE(a_piece_that_fails_is_not_the_end_of_the_file),
    CASE(pieces_that_come_late_harm_nothing),
    CASE(a_copy_that_comes_late_is_removed),
    CASE(docd_is_killed_while_it_adopts),
    CASE(documents_are_kept_while_the_store_cannot_be_read),
    CASE(failed_adoption_blocks_no_reader_and_expires),
    CASE(failed_removal_blocks_no_other_removal),
    CASE(forms_are_those_of_amazons_sdk),
    CASE(forged_forms_are_refused),
    CASE(large_files_are_copied_in_parts),
    CASE(parts_of_two_files_become_no_object),
    CASE(doctor_tries_the_bucket),
    CASE(documents_and_bucket_are_compared),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

static void left_out(void)
{
    unit_leave_out("there is no server of S3 (make s3)");
    CU_ASSERT_PTR_NULL(getenv("ATRIUM_REQUIRE_S3"));
}

int main(void)
{
    static const struct unit_case none[] = {CASE(left_out)};
    const char *style = setting("ATRIUM_S3_STYLE", "path");
    char set[128];

    if (!have_server())
        return unit_run("s3", none, ARRAY_SIZE(none));
    own = !getenv("ATRIUM_S3_URL");
    host = strcmp(style, "host") == 0 ? getenv("ATRIUM_S3_HOST") : NULL;
    dir = unit_dir_make();
    server_start();
    snprintf(set, sizeof(set),
             "docd.s3_region=%s,docd.s3_part_size=5M,docd.s3_style=%s,docd.image_bytes=3M",
             setting("ATRIUM_S3_REGION", "us-east-1"), style);
    suite = suite_start(&(struct suite_options){
        .test_clock = true,
        .instances = "docd=2",
        .set = set,
        .s3_url = door,
        .s3_key = setting("ATRIUM_S3_KEY", "S3RVER"),
        .s3_secret = setting("ATRIUM_S3_SECRET", "S3RVER"),
        .s3_bucket = setting("ATRIUM_S3_BUCKET", "documents"),
    });
    patient = person_register(suite, NULL);
    return unit_run("s3", cases, ARRAY_SIZE(cases));
}
