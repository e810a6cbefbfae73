/*
 * test_quotas.c - a patient's quota of documents and bytes, also concurrently, and in an older
 * database without counts.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/document.h"
#include "tests/support/unit.h"

enum { AT_ONCE = 64, PARALLEL = 32, DOCUMENTS_MAX = 10000, SMALL = 400 };

static const int64_t bytes_max = 10LL << 30;

static struct suite *suite;

static const char *id_of(const char *reference)
{
    return strchr(reference, '/') + 1;
}

/* Runs SQL for a person: $1 is its project, $2 its profile, $3 a number. */
static void run_for(const struct person *person, const char *sql, int64_t number)
{
    PGconn *conn = suite_database(suite);
    char text[24];
    const char *values[] = {id_of(person->project), id_of(person->profile), text};
    PGresult *result;

    snprintf(text, sizeof(text), "%lld", (long long)number);
    result = PQexecParams(conn, sql, ARRAY_SIZE(values), NULL, values, NULL, NULL, 0);
    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK, "%s", PQerrorMessage(conn));
    PQclear(result);
    PQfinish(conn);
}

static void fill(const struct person *person, int64_t count)
{
    run_for(person,
            "insert into doc.document (project_id, id, author_type, author_id, author_display, "
            "file_name, content_type, uploads, updated_at) "
            "select $1::uuid, gen_random_uuid(), role, $2::uuid, 'A', 'a', 'a/b', 0, "
            "(extract(epoch from now()) * 1000)::bigint "
            "from generate_series(1, $3::bigint), (select a.role from auth.membership m "
            "join auth.account a on a.id = m.account_id where m.profile_id = $2::uuid) a",
            count);
}

static void keep_bytes(const struct person *person, int64_t bytes)
{
    run_for(person,
            "with o as (insert into doc.object (project_id, id) "
            "values ($1::uuid, gen_random_uuid()) returning id) "
            "insert into doc.document (project_id, id, author_type, author_id, author_display, "
            "file_name, content_type, uploads, updated_at, upload, object_id, size, etag, "
            "found_type) select $1::uuid, gen_random_uuid(), 'Patient', $2::uuid, 'A', 'a', 'a/b', "
            "1, 1, 1, o.id, $3::bigint, '\"a\"', 'a/b' from o",
            bytes);
}

/* Removes the counts, as right after an upgrade. */
static void forget_counts(const struct person *person)
{
    run_for(person,
            "delete from doc.document_usage where project_id = $1::uuid and author_id = $2::uuid "
            "and $3::bigint = 0",
            0);
}

#define CHECK_QUOTA(answer)                                                  \
    do {                                                                     \
        CHECK_STATUS(answer, 413);                                           \
        CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "QUOTA_EXCEEDED"); \
    } while (0)

static long wrong_counts(void)
{
    return suite_count(
        suite,
        "with real as (select project_id, author_id, count(*) as documents, coalesce(sum(size), 0) "
        "as bytes "
        "    from doc.document where author_type = 'Patient' group by project_id, author_id) "
        "select count(*) from doc.document_usage u full join real r using (project_id, author_id) "
        "where u.author_id <> '00000000-0000-0000-0000-000000000000' "
        "and (u.documents, u.bytes) is distinct from (coalesce(r.documents, 0), coalesce(r.bytes, "
        "0))");
}

static void documents_at_once_stay_within_the_quota(void)
{
    PERSON patient = person_register(suite, NULL);
    struct http_request requests[AT_ONCE];
    struct http_answer *answers[AT_ONCE];
    int made = 0, refused = 0;

    fill(patient, DOCUMENTS_MAX - 10);
    forget_counts(patient);
    for (int i = 0; i < AT_ONCE; i++)
        requests[i] = (struct http_request){
            .method = "POST",
            .path = "/document",
            .bearer = patient->access,
            .raw = "{\"fileName\":\"a\",\"contentType\":\"a/b\"}",
        };
    http_call_many(suite_url(suite), requests, AT_ONCE, PARALLEL, answers);
    for (int i = 0; i < AT_ONCE; i++) {
        made += answers[i]->status / 100 == 2;
        refused += answers[i]->status == 413;
    }
    CU_ASSERT_EQUAL(made, 10);
    CU_ASSERT_EQUAL(refused, AT_ONCE - 10);
    CHECK_QUOTA(answers[0]->status == 413 ? answers[0] : answers[AT_ONCE - 1]);
    http_answers_destroy(answers, AT_ONCE);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from doc.document where author_id = '%s'",
                                id_of(patient->profile)),
                    DOCUMENTS_MAX);
    CU_ASSERT_EQUAL(wrong_counts(), 0);
}

static void a_deleted_document_makes_room(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER made = document_make(suite, patient->access, "a", "a/b");

    fill(patient, DOCUMENTS_MAX - 1);
    HTTP_ANSWER refused = document_make(suite, patient->access, "b", "a/b");
    CHECK_QUOTA(refused);
    HTTP_ANSWER replaced =
        http_post(suite_url(suite), document_path(http_text(made, "id")), patient->access,
                  json_pack("{s:s, s:s}", "fileName", "c", "contentType", "a/b"));
    CHECK_STATUS(replaced, 200);
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), document_path(http_text(made, "id")), patient->access);
    CHECK_STATUS(gone, 200);
    HTTP_ANSWER again = document_make(suite, patient->access, "b", "a/b");
    CHECK_STATUS(again, 200);
    CU_ASSERT_EQUAL(wrong_counts(), 0);
}

static void bytes_are_refused_at_the_form(void)
{
    CLEANUP(http_answer_destroy) struct http_answer *refused = NULL;
    PERSON patient = person_register(suite, NULL);
    char *bytes = test_bytes(2000, 1);

    keep_bytes(patient, bytes_max - 1000);
    forget_counts(patient);
    HTTP_ANSWER first = document_make(suite, patient->access, "a", "a/b");
    HTTP_ANSWER second = document_make(suite, patient->access, "b", "a/b");
    HTTP_ANSWER large = document_upload(suite, first, bytes, 1001);
    CHECK_QUOTA(large);
    HTTP_ANSWER fits = document_upload(suite, first, bytes, 600);
    CHECK_STATUS(fits, 204);
    refused = document_upload(suite, second, bytes, 600);
    CHECK_QUOTA(refused);
    /* A document's own bytes do not count against their replacement. */
    HTTP_ANSWER replacement =
        http_post(suite_url(suite), document_path(http_text(first, "id")), patient->access,
                  json_pack("{s:s, s:s}", "fileName", "c", "contentType", "a/b"));
    CHECK_STATUS(replacement, 200);
    HTTP_ANSWER whole = document_upload(suite, replacement, bytes, 1000);
    CHECK_STATUS(whole, 204);
    HTTP_ANSWER read = document_get(suite, patient->access, http_text(first, "id"));
    CHECK_BYTES(read, bytes, 1000);
    HTTP_ANSWER full = document_make(suite, patient->access, "d", "a/b");
    CHECK_QUOTA(full);
    HTTP_ANSWER late = document_upload(suite, second, bytes, 1);
    CHECK_QUOTA(late);
    CU_ASSERT_EQUAL(wrong_counts(), 0);
    free(bytes);
}

static void uploads_at_once_stay_within_the_quota(void)
{
    PERSON patient = person_register(suite, NULL);
    struct http_request requests[AT_ONCE];
    struct http_answer *answers[AT_ONCE];
    struct form_body forms[AT_ONCE];
    char *bytes = test_bytes(SMALL, 2);
    int stored = 0, refused = 0;

    keep_bytes(patient, bytes_max - 5 * SMALL - 1);
    for (int i = 0; i < AT_ONCE; i++) {
        HTTP_ANSWER made = document_make(suite, patient->access, "a", "a/b");

        forms[i] = form_body_of(http_member(made, "uploadOptions.fields"), bytes, SMALL);
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/storage/documents",
                                            .raw = forms[i].bytes,
                                            .raw_size = forms[i].size,
                                            .content_type = forms[i].type};
    }
    http_call_many(suite_url(suite), requests, AT_ONCE, PARALLEL, answers);
    for (int i = 0; i < AT_ONCE; i++) {
        stored += answers[i]->status == 204;
        refused += answers[i]->status == 413;
        form_body_free(&forms[i]);
    }
    CU_ASSERT_EQUAL(stored, 5);
    CU_ASSERT_EQUAL(refused, AT_ONCE - 5);
    http_answers_destroy(answers, AT_ONCE);
    CU_ASSERT_EQUAL(wrong_counts(), 0);
    /* Refused uploads leave no files. */
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from doc.object o join doc.document d "
                                "on d.project_id = o.project_id and d.id = o.document_id "
                                "where d.author_id = '%s' and d.object_id is null",
                                id_of(patient->profile)),
                    0);
    free(bytes);
}

static void practitioners_have_no_quota(void)
{
    PERSON admin = person_admin(suite);

    fill(admin, DOCUMENTS_MAX + 1);
    HTTP_ANSWER made = document_make(suite, admin->access, "a", "a/b");
    CHECK_STATUS(made, 200);
    run_for(admin,
            "delete from doc.document where project_id = $1::uuid and author_id = $2::uuid "
            "and $3::bigint = 0",
            0);
}

static void set_quotas(const struct person *admin, json_t *members)
{
    HTTP_ANSWER put =
        http_put(suite_url(suite), "/v1/project/account-policy", admin->access, members);

    CHECK_STATUS(put, 200);
}

static void a_project_sets_how_many_documents(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);

    set_quotas(admin, json_pack("{s:i}", "documentsPerAccount", 2));
    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER made = document_make(suite, patient->access, "a", "a/b");
        HTTP_ANSWER own = document_make(suite, admin->access, "a", "a/b");

        if (i < 2)
            CHECK_STATUS(made, 200);
        else
            CHECK_QUOTA(made);
        CHECK_STATUS(own, 200);
    }
    set_quotas(admin, json_pack("{s:n}", "documentsPerAccount"));
    HTTP_ANSWER again = document_make(suite, patient->access, "a", "a/b");
    CHECK_STATUS(again, 200);
}

static void a_project_sets_how_many_bytes(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    char *bytes = test_bytes(2000, 3);

    set_quotas(admin, json_pack("{s:i}", "bytesPerAccount", 1500));
    HTTP_ANSWER made = document_make(suite, patient->access, "a", "a/b");
    HTTP_ANSWER large = document_upload(suite, made, bytes, 1501);
    CHECK_QUOTA(large);
    HTTP_ANSWER fits = document_upload(suite, made, bytes, 1500);
    CHECK_STATUS(fits, 204);
    HTTP_ANSWER more = document_make(suite, patient->access, "b", "a/b");
    CHECK_QUOTA(more);
    HTTP_ANSWER own = document_make(suite, admin->access, "a", "a/b");
    HTTP_ANSWER free_of_it = document_upload(suite, own, bytes, 1600);
    CHECK_STATUS(free_of_it, 204);
    set_quotas(admin, json_pack("{s:n}", "bytesPerAccount"));
    free(bytes);
}

static void a_project_sets_how_many_bytes_in_all(void)
{
    PERSON admin = person_admin_of_child(suite, "quota");
    char *bytes = test_bytes(2000, 4);

    set_quotas(admin, json_pack("{s:i}", "bytesPerProject", 1000));
    HTTP_ANSWER first = document_make(suite, admin->access, "a", "a/b");
    HTTP_ANSWER second = document_make(suite, admin->access, "b", "a/b");
    HTTP_ANSWER fits = document_upload(suite, first, bytes, 600);
    CHECK_STATUS(fits, 204);
    HTTP_ANSWER large = document_upload(suite, second, bytes, 401);
    CHECK_QUOTA(large);
    HTTP_ANSWER rest = document_upload(suite, second, bytes, 400);
    CHECK_STATUS(rest, 204);
    HTTP_ANSWER full = document_make(suite, admin->access, "c", "a/b");
    CHECK_QUOTA(full);
    set_quotas(admin, json_pack("{s:n}", "bytesPerProject"));
    HTTP_ANSWER again = document_make(suite, admin->access, "c", "a/b");
    CHECK_STATUS(again, 200);
    free(bytes);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(documents_at_once_stay_within_the_quota),
    CASE(a_deleted_document_makes_room),
    CASE(bytes_are_refused_at_the_form),
    CASE(uploads_at_once_stay_within_the_quota),
    CASE(practitioners_have_no_quota),
    CASE(a_project_sets_how_many_documents),
    CASE(a_project_sets_how_many_bytes),
    CASE(a_project_sets_how_many_bytes_in_all),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){0});
    return unit_run("quotas", cases, ARRAY_SIZE(cases));
}
