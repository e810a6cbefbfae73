/*
 * test_s3_faults.c - S3 bucket faults: responses and leftovers when the server fails or docd is
 * killed, and findings of doctor and verify. Server: tests/support/bucket.h.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/bucket.h"
#include "tests/support/document.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *patient;

static void check_unavailable(const struct http_answer *answer, const char *label)
{
    char *retry = http_header(answer, "Retry-After");

    UNIT_CHECK(answer->status == 503 && retry, "%s: %d %s", label, answer->status,
               answer->body ? answer->body : "");
    free(retry);
}

/* Retries, because the last attempt may still be in progress. */
static struct http_answer *get_when_well(const char *id)
{
    int64_t until = clock_mono_ms() + 40000;
    struct http_answer *well = bucket_get(id);

    while (well->status == 503 && clock_mono_ms() < until) {
        usleep(100000);
        http_answer_destroy(&well);
        well = bucket_get(id);
    }
    return well;
}

/* The server fails in each way in each step. Clients get a response within their deadline, and the
 * file once the server works again. */
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

        bucket_fault(rows[i].rules);
        if (strstr(rows[i].label, "all"))
            bucket_fault("[{\"header\":\"authorization\",\"do\":\"500\"}]");
        CU_ASSERT_EQUAL(bucket_upload(made, "whole", 5), 204);
        HTTP_ANSWER failed = bucket_get(id);
        check_unavailable(failed, rows[i].label);
        UNIT_CHECK(failed->seconds < 9.9, "%s: %.1f s", rows[i].label, failed->seconds);
        HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=1", patient->access);
        UNIT_CHECK(list->status == 200 && json_is_null(http_member(list, "resources.0.size")),
                   "%s: list %d %s", rows[i].label, list->status, list->body);
        bucket_fault("[]");
        HTTP_ANSWER well = get_when_well(id);
        if (!CHECK_BYTES(well, "whole", 5))
            fprintf(stderr, "  %s\n", rows[i].label);
        bucket_delete(id);
    }
}

/* Makes fault rules that prevent copying these forms' files. */
static void fault_copies(const struct http_answer *const *forms, size_t count, const char *more)
{
    json_t *rules = json_loads(more, 0, NULL);

    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            rules, json_pack("{s:s, s:s, s:s}", "header", "x-amz-copy-source", "value",
                             http_text(forms[i], "uploadOptions.fields.key"), "do", "500"));
    char *text = json_dumps(rules, JSON_COMPACT);
    bucket_fault(text);
    free(text);
    json_decref(rules);
}

static long tries(const char *id)
{
    return suite_count(suite, "select max(failures) from doc.upload where document_id = '%s'", id);
}

/* Moves the clock until the upload has failed `want` times; retries are at most six hours apart. */
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

/* True when no attempt happens for three seconds after the due one. */
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

/* The server refuses to copy some files. Other uploads, reads and the sweep continue; adoption is
 * retried for a week. */
static void failed_adoption_blocks_no_reader_and_expires(void)
{
    char *id = bucket_put("old.bin", "text/plain", "old", 3);
    HTTP_ANSWER before = bucket_get(id);
    HTTP_ANSWER replaced = bucket_replace(id);
    HTTP_ANSWER stuck = document_make(suite, patient->access, "stuck.txt", "text/plain");
    HTTP_ANSWER late = document_make(suite, patient->access, "late.txt", "text/plain");
    HTTP_ANSWER empty = document_make(suite, patient->access, "empty.txt", "text/plain");
    const struct http_answer *const bad[] = {replaced, stuck, late};
    const char *stuck_id = http_text(stuck, "id"), *late_id = http_text(late, "id");
    int64_t clock_s = 26 * 3600;

    CHECK_BYTES(before, "old", 3);
    fault_copies(bad, 3, "[]");
    CU_ASSERT_EQUAL(bucket_upload(replaced, "new", 3), 204);
    CU_ASSERT_EQUAL(bucket_upload(stuck, "stuck", 5), 204);
    CU_ASSERT_EQUAL(bucket_upload(late, "late", 4), 204);
    /* Other files are still found, and documents without a file are deleted after a day. */
    char *other = bucket_put("other.txt", "text/plain", "other", 5);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 5, 10000, "select size from doc.document where id = '%s'", other));
    suite_set_clock(suite, clock_s);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000,
                                  "select count(*) from doc.document where id = '%s'",
                                  http_text(empty, "id")));
    /* Documents with a file are not deleted, and readers get the earlier file. */
    CU_ASSERT_TRUE(tries_come_to(10, id, &clock_s) && tries_come_to(10, stuck_id, &clock_s) &&
                   tries_come_to(10, late_id, &clock_s));
    /* no copy is retried without a pause */
    CU_ASSERT_TRUE(tries_rest(stuck_id));
    suite_set_clock(suite, 0);
    HTTP_ANSWER old = bucket_get(id);
    CHECK_BYTES(old, "old", 3);
    HTTP_ANSWER nothing = bucket_get(stuck_id);
    CHECK_ERROR(nothing, 404, "File not uploaded yet.");
    /* When the server can copy a file after all, docd adopts it. */
    fault_copies(bad, 2, "[]");
    suite_set_clock(suite, clock_s + 6 * 3600 + 60);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 4, 10000, "select size from doc.document where id = '%s'", late_id));
    suite_set_clock(suite, 0);
    HTTP_ANSWER saved = bucket_get(late_id);
    CHECK_BYTES(saved, "late", 4);
    /* The other files fail for good after a week, even if docd is killed at that point. */
    fault_copies(bad, 2, "[{\"method\":\"DELETE\",\"path\":\"incoming\",\"do\":\"hold\"}]");
    pid_t pids[2] = {suite_pid(suite, "docd", "1"), suite_pid(suite, "docd", "2")};
    suite_set_clock(suite, 9 * 24 * 3600);
    CU_ASSERT_TRUE(bucket_hits_come_to(1, 15000));
    suite_signal(suite, "docd", "1", SIGKILL);
    suite_signal(suite, "docd", "2", SIGKILL);
    fault_copies(bad, 2, "[]");
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", pids[0]));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "2", pids[1]));
    CU_ASSERT_TRUE(bucket_keys_become("incoming/", 0, 15000));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000,
                                  "select count(*) from doc.document where id = '%s'", stuck_id));
    suite_set_clock(suite, 0);
    CU_ASSERT_EQUAL(count_of("upload", "document_id", id), 0);
    HTTP_ANSWER still = bucket_get(id);
    CHECK_BYTES(still, "old", 3);
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "select count(*) from doc.audit where event::text like '%%given up%%' "
                    "and entity in ('DocumentReference/%s', 'DocumentReference/%s')",
                    id, stuck_id),
        2);
    bucket_fault("[]");
    bucket_delete(id);
    bucket_delete(late_id);
    bucket_delete(other);
    CU_ASSERT_TRUE(bucket_keys_become("", 0, 5000));
    free(id);
    free(other);
}

static void failed_removal_blocks_no_other_removal(void)
{
    char *first = bucket_put("first.txt", "text/plain", "first", 5);
    char *second = bucket_put("second.txt", "text/plain", "second", 6), rules[256], query[256];

    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER read = bucket_get(i == 0 ? first : second);
        CHECK_STATUS(read, 200);
    }
    char *object = document_object(suite, first);
    snprintf(query, sizeof(query),
             "select count(*) from doc.object where document_id in ('%s', '%s')", first, second);
    CU_ASSERT_TRUE(bucket_keys_become("", 2, 5000)); /* the uploads are removed, the copies stay */
    bucket_fault("[{\"method\":\"DELETE\",\"do\":\"500\"}]");
    bucket_delete(first);
    bucket_delete(second);
    CU_ASSERT_EQUAL(bucket_keys(""), 2);
    snprintf(rules, sizeof(rules), "[{\"method\":\"DELETE\",\"path\":\"%s\",\"do\":\"500\"}]",
             object);
    bucket_fault(rules);
    suite_set_clock(suite, 1200);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 15000, "%s", query));
    CU_ASSERT_EQUAL(bucket_keys(""), 1);
    CU_ASSERT_EQUAL(count_of("object", "id", object), 1);
    bucket_fault("[]");
    suite_set_clock(suite, 2400);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 15000, "%s", query));
    CU_ASSERT_EQUAL(bucket_keys(""), 0);
    suite_set_clock(suite, 0);
    free(object);
    free(first);
    free(second);
}

static void a_piece_that_fails_is_not_the_end_of_the_file(void)
{
    char *bytes = test_bytes(600000, 5);
    char *id = bucket_put("a.bin", "text/plain", bytes, 600000);
    HTTP_ANSWER whole = bucket_get(id);

    CHECK_BYTES(whole, bytes, 600000);
    bucket_fault("[{\"method\":\"GET\",\"header\":\"range\",\"do\":\"500\"}]");
    HTTP_ANSWER failed = bucket_get(id);
    CU_ASSERT_TRUE(failed->status == 503 || failed->status == 0 || failed->size < 600000);
    CU_ASSERT_TRUE(failed->status != 200 || failed->size == 0);
    bucket_fault("[]");
    HTTP_ANSWER again = bucket_get(id);
    CHECK_BYTES(again, bytes, 600000);
    bucket_delete(id);
    free(id);
    free(bytes);
}

static void a_copy_that_comes_late_is_removed(void)
{
    char *id;

    bucket_fault("[{\"header\":\"x-amz-copy-source\",\"do\":\"late\"}]");
    id = bucket_put("late.txt", "text/plain", "late", 4);
    /* Each of the two docd tries twice, and again after a pause. */
    CU_ASSERT_TRUE(bucket_hits_come_to(4, 60000));
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 2, 30000, "select max(failures) from doc.upload where document_id = '%s'", id));
    suite_set_clock(suite, 3600);
    CU_ASSERT_TRUE(bucket_hits_come_to(6, 60000));
    suite_set_clock(suite, 0);
    usleep(1000000);
    CU_ASSERT_TRUE(bucket_keys("") > 1);
    bucket_fault("[]");
    HTTP_ANSWER read = get_when_well(id);
    CHECK_BYTES(read, "late", 4);
    bucket_delete(id);
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000, "select count(*) from doc.object"));
    CU_ASSERT_TRUE(bucket_keys_become("", 0, 5000));
    suite_set_clock(suite, 0);
    free(id);
}

/* docd is killed while the server copies: the other instance adopts the file, and leftovers
 * disappear soon. */
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

        bucket_fault(rules[i]);
        id = bucket_put("killed.txt", "text/plain", "killed", 6);
        CU_ASSERT_TRUE(bucket_hits_come_to(1, 5000)); /* the sweep has started */
        pid_t pids[2] = {suite_pid(suite, "docd", "1"), suite_pid(suite, "docd", "2")};
        suite_signal(suite, "docd", "1", SIGKILL);
        suite_signal(suite, "docd", "2", SIGKILL);
        bucket_fault("[]");
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", pids[0]));
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "2", pids[1]));
        HTTP_ANSWER read = bucket_get(id);
        if (!CHECK_BYTES(read, "killed", 6))
            fprintf(stderr, "  %s\n", rules[i]);
        bucket_delete(id);
        free(id);
    }
    CU_ASSERT_TRUE(bucket_keys_become("incoming/", 0, 5000));
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000, "select count(*) from doc.object"));
    CU_ASSERT_TRUE(bucket_keys_become("", 0, 5000));
    suite_set_clock(suite, 0);
}

static void documents_are_kept_while_the_store_cannot_be_read(void)
{
    HTTP_ANSWER made = document_make(suite, patient->access, "a.txt", "text/plain");
    const char *id = http_text(made, "id");

    bucket_fault("[{\"method\":\"GET\",\"path\":\"list-type\",\"do\":\"500\"}]");
    CU_ASSERT_EQUAL(bucket_upload(made, "late", 4), 204);
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(bucket_hits_come_to(4, 15000));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from doc.document where id = '%s'", id), 1);
    bucket_fault("[]");
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 4, 10000, "select size from doc.document where id = '%s'", id));
    suite_set_clock(suite, 0);
    HTTP_ANSWER read = bucket_get(id);
    CHECK_BYTES(read, "late", 4);
    bucket_delete(id);
    HTTP_ANSWER empty = document_make(suite, patient->access, "b.txt", "text/plain");
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000,
                                  "select count(*) from doc.document where id = '%s'",
                                  http_text(empty, "id")));
    suite_set_clock(suite, 0);
}

/* A file is replaced while its parts are copied. Ceph does not check for this, Amazon does. The
 * object is either file, never a mixture. */
static void parts_of_two_files_become_no_object(void)
{
    enum { SIZE = 12 * 1024 * 1024 };
    char *bytes = test_bytes(SIZE, 9);

    if (bucket_is_strict()) {
        HTTP_ANSWER made = document_make(suite, patient->access, "a.bin", "text/plain");
        const char *id = http_text(made, "id");

        bucket_fault("[{\"method\":\"PUT\",\"path\":\"partNumber=2\",\"do\":\"replace\"}]");
        CU_ASSERT_EQUAL(bucket_upload(made, bytes, SIZE), 204);
        CU_ASSERT_TRUE(bucket_hits_come_to(1, 15000));
        bucket_fault("[]");
        for (size_t i = 0; i < SIZE; i++)
            bytes[i] = "replaced"[i % 8];
        CU_ASSERT_TRUE(suite_comes_to(suite, SIZE, 30000,
                                      "select size from doc.document where id = '%s'", id));
        HTTP_ANSWER read = bucket_get(id);
        CHECK_BYTES(read, bytes, SIZE);
        bucket_delete(id);
        CU_ASSERT_TRUE(bucket_keys_become("", 0, 5000));
    }
    free(bytes);
}

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

static void doctor_tries_the_bucket(void)
{
    static const struct {
        const char *rules, *seen, *mend;
    } rows[] = {
        {"[{\"method\":\"PUT\",\"path\":\"doctor\",\"do\":\"403\"}]", "PUT: 403 AccessDenied",
         "rights"},
        {"[{\"method\":\"GET\",\"path\":\"doctor\",\"do\":\"500\"}]", "GET: 500",
         "Start the S3 server"},
        {"[{\"method\":\"DELETE\",\"path\":\"doctor\",\"do\":\"403\"}]", "DELETE: 403 AccessDenied",
         "rights"},
        {"[{\"method\":\"GET\",\"path\":\"list-type\",\"do\":\"403\"}]", "GET: 403 AccessDenied",
         "rights"},
        {"[{\"do\":\"slow\"}]", "no answer in time", "Start the S3 server"},
    };

    check_doctor("ok", "put, read, listed and deleted", NULL);
    CU_ASSERT_EQUAL(bucket_keys("doctor/"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        bucket_fault(rows[i].rules);
        check_doctor("fail", rows[i].seen, rows[i].mend);
        bucket_fault("[]");
    }
    check_doctor("ok", "put, read, listed and deleted", NULL);
}

static void documents_and_bucket_are_compared(void)
{
    static const char other[] = "0f000000-0000-4000-8000-00000000000f";
    char *there = bucket_put("there.bin", "application/octet-stream", "abc", 3);
    char *lost = bucket_put("lost.bin", "application/octet-stream", "abc", 3);
    HTTP_ANSWER adopted = bucket_get(there);
    HTTP_ANSWER adopted_too = bucket_get(lost);
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
    HTTP_ANSWER read = bucket_get(lost);
    CHECK_ERROR(read, 404, "The file of this document is missing.");
    HTTP_ANSWER well = bucket_get(there);
    CHECK_BYTES(well, "abc", 3);
    bucket_delete(there);
    bucket_delete(lost);
    CU_ASSERT_EQUAL(bucket_keys(""), 1);
    suite_set_clock(suite, 8 * 24 * 3600);
    CU_ASSERT_TRUE(bucket_keys_become("", 0, 90000));
    suite_set_clock(suite, 0);
    free(old);
    free(lost);
    free(there);
}

/* Many downloads end because their first piece fails while other pieces are in progress. When those
 * pieces arrive, their buffers may be reused or freed. */
static void pieces_that_come_late_harm_nothing(void)
{
    enum { DOWNLOADS = 300 }; /* more than the gateway's pool of exchanges */
    static const char *const sources[] = {"127.7.3.1", "127.7.3.2", "127.7.3.3"};
    struct http_request requests[DOWNLOADS];
    struct http_answer *answers[DOWNLOADS];
    char *bytes = test_bytes(600000, 6);
    char *id = bucket_put("late.bin", "text/plain", bytes, 600000);
    pid_t gateway = suite_pid(suite, "gateway", "1");
    HTTP_ANSWER whole = bucket_get(id);

    CHECK_BYTES(whole, bytes, 600000);
    for (int i = 0; i < DOWNLOADS; i++)
        requests[i] = (struct http_request){.path = document_path(id),
                                            .bearer = patient->access,
                                            .source = sources[i % ARRAY_SIZE(sources)]};
    bucket_fault(
        "[{\"method\":\"GET\",\"header\":\"range\",\"value\":\"^bytes=0-\",\"do\":\"500\"},"
        "{\"method\":\"GET\",\"header\":\"range\",\"do\":\"slow\"}]");
    http_call_many(suite_url(suite), requests, DOWNLOADS, DOWNLOADS, answers);
    for (int i = 0; i < DOWNLOADS; i++)
        UNIT_CHECK(answers[i]->status == 503 || answers[i]->status == 0 /* cut off */, "%d %s",
                   answers[i]->status, answers[i]->body);
    http_answers_destroy(answers, DOWNLOADS);
    bucket_fault("[]");
    HTTP_ANSWER again = bucket_get(id);
    CHECK_BYTES(again, bytes, 600000);
    CU_ASSERT_EQUAL(suite_pid(suite, "gateway", "1"), gateway);
    bucket_delete(id);
    free(id);
    free(bytes);
}

static void suite_shuts_down_cleanly(void)
{
    bucket_leave();
}

static const struct unit_case cases[] = {
    CASE(a_server_that_fails_is_503),
    CASE(a_piece_that_fails_is_not_the_end_of_the_file),
    CASE(pieces_that_come_late_harm_nothing),
    CASE(a_copy_that_comes_late_is_removed),
    CASE(docd_is_killed_while_it_adopts),
    CASE(documents_are_kept_while_the_store_cannot_be_read),
    CASE(failed_adoption_blocks_no_reader_and_expires),
    CASE(failed_removal_blocks_no_other_removal),
    CASE(parts_of_two_files_become_no_object),
    CASE(doctor_tries_the_bucket),
    CASE(documents_and_bucket_are_compared),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return bucket_run("s3 faults", cases, ARRAY_SIZE(cases), &suite, &patient);
}
