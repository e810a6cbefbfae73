/*
 * test_documents_verify.c - documents without content, and content without documents, after a
 * restore: readers' responses, findings of `atriumctl documents verify`, and that no valid content
 * is removed.
 */
#include <CUnit/CUnit.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/document.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { SMALL = 1000, LARGE = 3 * 1024 * 1024, PAGE = 200, MANY = PAGE + 50 };

static const int64_t week_s = 7 * 24 * 3600;

static struct suite *suite;
static struct person *patient;
static char *small_bytes, *large_bytes;

static void move_away(const char *id)
{
    TEXT path = document_file(suite, id);
    char away[520];

    snprintf(away, sizeof(away), "%s.away", path);
    UNIT_CHECK(rename(path, away) == 0, "%s", path);
}

static void bring_back(const char *id)
{
    TEXT path = document_file(suite, id);
    char away[520];

    snprintf(away, sizeof(away), "%s.away", path);
    UNIT_CHECK(rename(away, path) == 0, "%s", path);
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    UNIT_CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size, "%s", path);
    close(fd);
}

static char *put(const char *bytes, size_t size)
{
    return document_put(suite, patient->access, "a.bin", "application/octet-stream", bytes, size);
}

static long sum(const struct program *verify, const char *name)
{
    return (long)json_integer_value(json_object_get(json_object_get(verify->json, "sum"), name));
}

static const char *problem_of(const struct program *verify, const char *id)
{
    const json_t *row = http_find(json_object_get(verify->json, "problems"), "id", id);

    return row ? json_string_value(json_object_get(row, "problem")) : "";
}

static void check_doctor(const char *state, const char *seen)
{
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    const json_t *row;
    size_t i, found = 0;

    json_array_foreach(doctor->json, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "check")), "documents") == 0)
            found += strcmp(json_string_value(json_object_get(row, "state")), state) == 0 &&
                     strstr(json_string_value(json_object_get(row, "seen")), seen);
    }
    UNIT_CHECK(found == 1, "%s %s: %s%s", state, seen, doctor->out, doctor->err);
}

static void check_missing(const char *id)
{
    HTTP_ANSWER read = document_get(suite, patient->access, id);

    CHECK_ERROR(read, 404, "The file of this document is missing.");
}

static void an_intact_store_verifies(void)
{
    char *small = put(small_bytes, SMALL), *large = put(large_bytes, LARGE);

    check_doctor("ok", "no document is known");
    PROGRAM verify = ATRIUMCTL(suite, NULL, "documents", "verify", "--hash", "--repair", "--json");
    CU_ASSERT_EQUAL(verify->code, 0);
    CU_ASSERT_EQUAL(sum(verify, "documents"), 2);
    CU_ASSERT_EQUAL(sum(verify, "objects"), 2);
    CU_ASSERT_EQUAL(sum(verify, "orphans"), 0);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(verify->json, "problems")), 0);
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(small), patient->access);
    HTTP_ANSWER gone_too = http_delete(suite_url(suite), document_path(large), patient->access);
    CHECK_STATUS(gone, 200);
    CHECK_STATUS(gone_too, 200);
    free(small);
    free(large);
}

static void missing_bytes_are_reported(void)
{
    char *small = put(small_bytes, SMALL), *large = put(large_bytes, LARGE);

    move_away(small);
    move_away(large);
    check_missing(small);
    HTTP_ANSWER read = document_get(suite, patient->access, large);
    CHECK_ERROR(read, 404, "The file of this document is missing.");
    check_doctor("warn", "0 marked as lacking their bytes");

    PROGRAM verify = ATRIUMCTL(suite, NULL, "documents", "verify", "--json");
    CU_ASSERT_EQUAL(verify->code, 1);
    CU_ASSERT_EQUAL(sum(verify, "missing"), 2);
    CU_ASSERT_EQUAL(sum(verify, "marked"), 0);
    CU_ASSERT_STRING_EQUAL(problem_of(verify, small), "missing");
    CU_ASSERT_STRING_EQUAL(problem_of(verify, large), "missing");

    PROGRAM repair = ATRIUMCTL(suite, NULL, "documents", "verify", "--repair", "--json");
    CU_ASSERT_EQUAL(repair->code, 1);
    CU_ASSERT_EQUAL(sum(repair, "marked"), 2);
    check_missing(small);
    check_missing(large);
    check_doctor("warn", "2 marked as lacking their bytes");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from doc.audit where event->>'action' = "
                                       "'document.missing'"),
                    2);
    HTTP_ANSWER list = http_get(suite_url(suite), "/document", patient->access);
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "total")), 2);

    /* one file is restored from the backup, the other is uploaded again */
    bring_back(large);
    HTTP_ANSWER again = http_post(suite_url(suite), document_path(small), patient->access,
                                  json_pack("{s:s, s:s}", "fileName", "b.bin", "contentType",
                                            "application/octet-stream"));
    HTTP_ANSWER sent = document_upload(suite, again, small_bytes, SMALL);
    CHECK_STATUS(sent, 204);
    HTTP_ANSWER there = document_get(suite, patient->access, small);
    CHECK_BYTES(there, small_bytes, SMALL);
    PROGRAM found = ATRIUMCTL(suite, NULL, "documents", "verify", "--repair", "--json");
    CU_ASSERT_EQUAL(found->code, 0);
    CU_ASSERT_STRING_EQUAL(problem_of(found, large), "found");
    CU_ASSERT_EQUAL(sum(found, "marked"), 1);
    HTTP_ANSWER back = document_get(suite, patient->access, large);
    CHECK_BYTES(back, large_bytes, LARGE);
    free(small);
    free(large);
}

static void wrong_bytes_are_reported(void)
{
    char *cut = put(small_bytes, SMALL), *other = put(small_bytes, SMALL);
    TEXT cut_path = document_file(suite, cut);
    TEXT other_path = document_file(suite, other);

    write_file(cut_path, small_bytes, SMALL / 2);
    write_file(other_path, large_bytes + 1, SMALL);
    PROGRAM quick = ATRIUMCTL(suite, NULL, "documents", "verify", "--json");
    CU_ASSERT_STRING_EQUAL(problem_of(quick, cut), "size");
    CU_ASSERT_STRING_EQUAL(problem_of(quick, other), "");
    PROGRAM thorough =
        ATRIUMCTL(suite, NULL, "documents", "verify", "--hash", "--repair", "--json");
    CU_ASSERT_STRING_EQUAL(problem_of(thorough, cut), "size");
    CU_ASSERT_STRING_EQUAL(problem_of(thorough, other), "changed");
    CU_ASSERT_EQUAL(sum(thorough, "marked"), 1);
    check_missing(cut);
    HTTP_ANSWER read = document_get(suite, patient->access, other);
    CHECK_STATUS(read, 200);
    write_file(cut_path, small_bytes, SMALL);
    write_file(other_path, small_bytes, SMALL);
    PROGRAM mended = ATRIUMCTL(suite, NULL, "documents", "verify", "--hash", "--repair");
    UNIT_CHECK(mended->code == 0, "%s%s", mended->out, mended->err);
    free(cut);
    free(other);
}

static void orphans_are_swept_a_week_later(void)
{
    size_t before = stored_files(suite);
    char path[512];

    for (int i = 0; i < MANY; i++) {
        snprintf(path, sizeof(path), "%s/storage/%s/%s0000000-0000-4000-8000-%012d",
                 suite_dir(suite), i % 2 ? "a0" : "incoming", i % 2 ? "a" : "b", i);
        write_file(path, "x", 1);
    }
    PROGRAM look = ATRIUMCTL(suite, NULL, "documents", "verify", "--json");
    CU_ASSERT_EQUAL(look->code, 0);
    CU_ASSERT_EQUAL(sum(look, "orphans"), MANY);
    PROGRAM repair = ATRIUMCTL(suite, NULL, "documents", "verify", "--repair", "--json");
    CU_ASSERT_EQUAL(sum(repair, "orphans"), MANY);
    CU_ASSERT_EQUAL(stored_files(suite), before + MANY);
    PROGRAM again = ATRIUMCTL(suite, NULL, "documents", "verify", "--repair", "--json");
    CU_ASSERT_EQUAL(sum(again, "orphans"), 0);
    suite_set_clock(suite, week_s + 3600);
    CU_ASSERT_TRUE(stored_files_become(suite, before, 90000));
}

static void verification_continues_where_it_was_stopped(void)
{
    char *last, after[100];
    long all = suite_count(suite, "select count(*) from doc.document where object_id is not null");

    for (int i = 0; i < MANY; i++)
        free(put(small_bytes, 10));
    last = suite_query(suite, "select project_id || '/' || id from doc.document where object_id is "
                              "not null order by project_id, id offset 99 limit 1");
    snprintf(after, sizeof(after), "%s", last);
    PROGRAM whole = ATRIUMCTL(suite, NULL, "documents", "verify", "--json");
    CU_ASSERT_EQUAL(sum(whole, "documents"), all + MANY);
    PROGRAM rest = ATRIUMCTL(suite, NULL, "documents", "verify", "--json", "--after", after);
    CU_ASSERT_EQUAL(sum(rest, "documents"), all + MANY - 100);
    PROGRAM own = ATRIUMCTL(suite, NULL, "documents", "verify", "--json", "--project", "demo");
    CU_ASSERT_EQUAL(sum(own, "documents"), all + MANY);
    CU_ASSERT_EQUAL(sum(own, "objects"), 0);
    free(last);
}

/* The host that was asked removes its variants too. docd on another host removes its own when it
 * notices that the object is gone. */
static void variants_on_other_hosts_go_too(void)
{
    size_t size, before = stored_files(suite);
    char *png = test_png(60, 40, &size), pattern[600], path[128], saved[512], *object;
    char *id = document_put(suite, patient->access, "a.png", "image/png", png, size);
    glob_t found;

    snprintf(path, sizeof(path), "%s?width=9", document_path(id));
    HTTP_ANSWER small = http_get(suite_url(suite), path, patient->access);
    CHECK_STATUS(small, 200);
    object = document_object(suite, id);
    snprintf(pattern, sizeof(pattern), "%s/storage/variants/*/%s-*", suite_dir(suite), object);
    CU_ASSERT_EQUAL(glob(pattern, 0, NULL, &found), 0);
    snprintf(saved, sizeof(saved), "%s/saved", suite_dir(suite));
    CU_ASSERT_EQUAL(link(found.gl_pathv[0], saved), 0);
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_STATUS(gone, 200);
    CU_ASSERT_EQUAL(stored_files(suite), before);
    CU_ASSERT_EQUAL(rename(saved, found.gl_pathv[0]), 0);
    CU_ASSERT_TRUE(stored_files_become(suite, before, 15000));
    globfree(&found);
    free(object);
    free(id);
    free(png);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
    free(small_bytes);
    free(large_bytes);
}

static const struct unit_case cases[] = {
    CASE(an_intact_store_verifies),        CASE(missing_bytes_are_reported),
    CASE(wrong_bytes_are_reported),        CASE(verification_continues_where_it_was_stopped),
    CASE(variants_on_other_hosts_go_too),  CASE(orphans_are_swept_a_week_later),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.test_clock = true});
    patient = person_register(suite, NULL);
    small_bytes = test_bytes(SMALL, 1);
    large_bytes = test_bytes(LARGE, 2);
    return unit_run("documents verify", cases, ARRAY_SIZE(cases));
}
