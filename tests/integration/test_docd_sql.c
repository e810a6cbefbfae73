/*
 * test_docd_sql.c - docd's statements on a real server: prepared, with index conditions, and
 * content search.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/service/sql/erasure.h"
#include "docd/sql/document.h"
#include "docd/sql/tenant.h"
#include "docd/sql/upload.h"
#include "tests/support/plans.h"

extern const struct db_migration docd_migrations[];

static const struct plans plans = {
    .schema = "doc",
    .migrations = docd_migrations,
    .sql = {docd_sql, service_erasure_sql},
    .small = "",
    .emptied = "upload",
    .blocking = "0003_object_document 0005_document_indexes",
};

static struct pg *server;

static void test_every_statement_has_its_index(void)
{
    plans_make_schema(&plans, server);
    plans_check(&plans, server,
                "content_list_unfolded"); /* reads a whole index, which is normally empty */
}

static void test_look_ups_use_the_primary_key(void)
{
    static const struct {
        const struct db_statement *const *statement;
        const char *want;
    } rows[] = {
        {&sql_document_file_get_statement,
         "Index Scan using document_pkey on document\n"
         "                    Index Cond: ((project_id = w.project) AND (id = w.id))"},
        {&sql_document_file_find_by_token_statement,
         "Index Scan using document_public on document d"},
        {&sql_document_replace_statement, "Index Scan using document_pkey on document"},
        {&sql_document_update_statement, "Index Scan using document_pkey on document"},
        {&sql_document_delete_statement, "Index Scan using document_pkey on document"},
        {&sql_document_list_statement, "Index Scan using document_updated on document d"},
        {&sql_document_list_own_statement, "document_author on document d"},
        {&sql_document_list_own_sorted_statement, "document_author on document d"},
        {&sql_document_list_kind_statement, "Scan using document_kind_updated on document d"},
        {&sql_document_list_kind_statement,
         "Scan Backward using document_kind_updated on document"},
        {&sql_document_list_kind_statement, "Scan using document_kind_name on document d"},
        {&sql_document_list_kind_statement, "Scan Backward using document_kind_name on document"},
        {&sql_document_list_named_statement, "Bitmap Index Scan on document_name_words"},
        {&sql_document_list_named_statement, "document_author on document d"},
        {&sql_document_list_version_statement,
         "Index Scan using document_usage_pkey on document_usage\n"},
        {&sql_document_wipe_statement, "Index Cond: ((project_id = $1) AND (author_id = $2))"},
        {&sql_upload_finish_statement, "Index Scan using document_pkey on document d"},
        {&sql_tenant_bytes_find_statement, "Index Scan using document_object on document"},
        {&sql_tenant_bytes_show_statement, "Index Scan using document_object on document"},
        {&sql_tenant_page_document_statement, "Index Cond: ((project_id = $1) AND (id > $0))"},
        {&sql_tenant_insert_document_statement, "Index Only Scan using document_pkey on document"},
        {&sql_tenant_insert_document_statement, "Index Scan using document_pkey on document t"},
        {&sql_tenant_insert_document_statement, "Index Only Scan using object_id on object"},
        {&sql_tenant_page_content_translation_statement,
         "Index Scan using content_translation_pkey on content_translation t"},
        {&sql_tenant_insert_content_translation_statement,
         "Index Scan using content_translation_pkey on content_translation t"},
    };
    PGconn *conn = plans_open(&plans, server);
    char plan[8192];

    PQclear(PQexec(conn, "set plan_cache_mode = force_generic_plan; set enable_seqscan = off"));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        plans_explain(conn, *rows[i].statement, plan, sizeof(plan));
        UNIT_CHECK(strstr(plan, rows[i].want) != NULL, "%s should have \"%s\":\n%s",
                   (*rows[i].statement)->name, rows[i].want, plan);
    }
    PQfinish(conn);
}

#define PATIENT "00000000-0000-0000-0000-00000000000a"
#define DOCUMENT "00000000-0000-0000-0000-00000000000d"
#define OF_DOCUMENT " where id = '" DOCUMENT "'"
#define INSERT(id_, type_)                                                                 \
    "insert into doc.document (project_id, id, author_type, author_id, author_display, "   \
    "file_name, content_type, uploads, updated_at) values ('" ID_1 "', '" id_ "', '" type_ \
    "', '" PATIENT "', 'A', 'a', 'a/b', 1, 1)"
#define ID_1 "00000000-0000-0000-0000-000000000001"

static void run(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK ||
                   PQresultStatus(result) == PGRES_TUPLES_OK,
               "%s: %s", sql, PQerrorMessage(conn));
    PQclear(result);
}

static long version(void)
{
    return pg_exec(server, "select coalesce((select version from doc.document_usage "
                           "where author_id = '" PATIENT "'), 0)");
}

/* Each statement that changes a list gives it a new number that no list had before, even after the
 * number's row was deleted and added again. */
static void test_every_change_of_a_list_has_a_new_number(void)
{
    static const char *const changes[] = {
        INSERT(DOCUMENT, "Patient"),
        "update doc.document set file_name = 'b'" OF_DOCUMENT,
        "update doc.document set public_token = 'x', public_hash = 'x'" OF_DOCUMENT,
        "update doc.document set public_token = 'y'" OF_DOCUMENT,
        "update doc.document set updated_at = 2" OF_DOCUMENT,
        "update doc.document set author_display = 'B'" OF_DOCUMENT,
        "update doc.document set content_type = 'b/c'" OF_DOCUMENT,
        "insert into doc.object (project_id, id) values ('" ID_1 "', '" DOCUMENT "');"
        "update doc.document set upload = 1, object_id = '" DOCUMENT
        "', size = 3, etag = 'a', found_type = 'a/b'" OF_DOCUMENT,
        INSERT(PATIENT, "Patient"),
        "delete from doc.document" OF_DOCUMENT,
    };
    PGconn *conn = plans_open(&plans, server);
    long last = 0;

    CU_ASSERT_EQUAL(version(), 0);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
            run(conn, changes[i]);
            UNIT_CHECK(version() > last, "%s: %ld after %ld", changes[i], version(), last);
            last = version();
        }
        run(conn, "update doc.document set file_name = 'c' where author_id <> '" PATIENT "'");
        CU_ASSERT_EQUAL(version(), last);
        run(conn, "delete from doc.document where id = '" PATIENT "'");
        run(conn, "delete from doc.object where id = '" DOCUMENT "'");
        CU_ASSERT_EQUAL(version(), 0);
    }
    PQfinish(conn);
}

/* A second change waits for the first, so no number covers only one of them. */
static void test_changes_of_a_list_follow_one_another(void)
{
    static const char second_change[] = "update doc.document set file_name = '2' where id = "
                                        "'" PATIENT "'";
    PGconn *first = plans_open(&plans, server), *second = plans_open(&plans, server);
    long before;

    run(first, INSERT(DOCUMENT, "Patient"));
    run(first, INSERT(PATIENT, "Patient"));
    before = version();
    run(first, "begin");
    run(first, "update doc.document set file_name = '1'" OF_DOCUMENT);
    CU_ASSERT_EQUAL(version(), before);
    PQsendQuery(second, second_change);
    for (int i = 0; i < 20; i++) {
        PQconsumeInput(second);
        CU_ASSERT_TRUE(PQisBusy(second));
        usleep(10000);
    }
    run(first, "rollback");
    PQclear(PQgetResult(second));
    CU_ASSERT_PTR_NULL(PQgetResult(second));
    CU_ASSERT_TRUE(version() > before);
    run(first, "delete from doc.document where author_id = '" PATIENT "'");
    PQfinish(first);
    PQfinish(second);
}

#define ID "00000000-0000-0000-0000-000000000001"
#define PROJECT "'" ID "'"

/* Adds 3,000 notes with words, and the same for another type, language and project. */
static void notes_are_made(void)
{
    static const char sql[] =
        "set search_path = doc;"
        "create temporary table scope (project_id, type, language) as values "
        "    (" PROJECT "::uuid, 'note', 'en'), (" PROJECT "::uuid, 'other', 'en'), (" PROJECT
        "::uuid, 'note', 'de'), ('00000000-0000-0000-0000-000000000002'::uuid, 'note', 'en');"
        "insert into content select project_id, type, 'n-' || i, array_agg(language) "
        "    from scope, generate_series(1, 3000) i group by project_id, type, i;"
        "insert into content_translation (project_id, type, key, language, title, sections, code, "
        "updated_at) "
        "    select project_id, type, 'n-' || i, language, case when i <= 20 or i > 2980 then "
        "'Titled' else "
        "'Note' end, "
        "           jsonb_build_array(jsonb_build_object('text', concat_ws(' ', 'every titled', "
        "               case when i % 2 = 0 then 'even' else 'uneven' end, "
        "               case when i % 10 = 0 then 'tenth' end, case when i % 100 = 0 then "
        "'hundredth' end))), "
        "           case when i % 50 = 0 then 'it''s \\ a C' end, 0 "
        "    from scope, generate_series(1, 3000) i;"
        "insert into content_word select project_id, type, language, word, count(*) "
        "    from content_translation, unnest(tsvector_to_array(words)) word "
        "    where left(word, 1) <> 'T' group by project_id, type, language, word;"
        "select count(*) from content_word";

    CU_ASSERT_EQUAL(pg_exec(server, sql), 4 * 3008);
}

/* Each way of searching compares all matches up to its limit, and each result matches. */
static void test_a_search_is_bounded_and_complete(void)
{
    static const struct {
        const char *search;
        int most;
        const char *wanted; /* the query's words */
        const char *code;
    } rows[] = {
        {"every", 10, "every", "null"}, /* found by a scan */
        {"every", 5000, "every", "null"},
        {"tenth", 6, "tenth", "null"},          /* a scan, which finds too few */
        {"tenth", 299, "tenth", "null"},        /* more matches than are compared */
        {"tenth", 300, "tenth", "null"},        /* as many matches as are compared */
        {"hundredth", 29, "hundredth", "null"}, /* found by the index only */
        {"hundredth", 100, "hundredth", "null"},
        {"every hundredth uneven", 10, "hundredth", "null"}, /* never together; one is rare */
        {"uneven even", 10, "even | uneven", "null"},
        {"uneven hundredth", 30, "hundredth", "null"},
        {"uneven hundredth", 1000, "hundredth | uneven", "null"},
        {"hundreth", 1000, "hundredth", "null"},
        {"1", 10, "1:*", "null"}, /* a prefix of more words than are combined */
        {"1", 5000, "1:*", "null"},
        {"hundredth 1", 5, "hundredth & 1:*", "null"},
        {"hundredth 1", 5000, "hundredth & 1:*", "null"},
        {"titled", 50, "titled", "null"},  /* title matches, and others by a scan */
        {"titled", 100, "titled", "null"}, /* ... by the index */
        {"titled 1", 5000, "titled & 1:*", "null"},
        {"tenth 13", 5000, "tenth & 13:*", "null"},
        {"nowhere", 10, "nowhere", "null"},
        {"", 10, "nowhere", "null"},
        {"every", 5000, "every", "'it''s \\ a C'"},
        {"every", 5, "every", "'it''s \\ a C'"},
        {"uneven", 5000, "uneven", "'it''s \\ a C'"},
        {"1", 5000, "1:*", "'it''s \\ a C'"},
        {"every", 5000, "nowhere", "'it'"},
    };
    char sql[2048];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        snprintf(
            sql, sizeof(sql),
            "set search_path = doc; set enable_seqscan = off;"
            "with found as (select distinct key from "
            "    content_search(" PROJECT ", 'note', '{en,en}', '%s', %s, %d)), "
            "fit as (select key from content_translation "
            "        where project_id = " PROJECT " and type = 'note' and language = 'en' "
            "        and words @@ '%s' and (%s::text is null or code = %s)) "
            "select (select least(count(*), %d) from found) - "
            "       (select least(count(*), %d) from fit) + "
            "       100000 * (select count(*) from found where key not in (select key from fit))",
            rows[i].search, rows[i].code, rows[i].most, rows[i].wanted, rows[i].code, rows[i].code,
            rows[i].most, rows[i].most);
        long wrong = pg_exec(server, sql);
        UNIT_CHECK(wrong == 0, "\"%s\", code %s, at most %d: %ld", rows[i].search, rows[i].code,
                   rows[i].most, wrong);
    }
}

static void test_titles_come_first(void)
{
    CU_ASSERT_EQUAL(pg_exec(server, "set search_path = doc; set enable_seqscan = off;"
                                    "select count(*) from (select key from content_search(" PROJECT
                                    ", 'note', '{en}', 'titled', null, 100) "
                                    "group by key order by max(rank) desc, key limit 40) f "
                                    "where substr(key, 3)::int not between 21 and 2980"),
                    40);
}

static long times_asked(const char *index, const char *search)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "set search_path = doc; set enable_seqscan = off; begin;"
             "select count(*) from content_search(" PROJECT ", 'note', '{en,de}', '%s', null, 100);"
             "select pg_stat_get_xact_numscans('%s'::regclass)",
             search, index);
    return pg_exec(server, sql);
}

/* The counts are the same for tables that were analyzed full or empty. */
static void test_a_search_asks_its_indexes(void)
{
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(times_asked("content_word_alike", "hundreth"), 1);
        CU_ASSERT_EQUAL(times_asked("content_word_alike", "hundredth"), 0);
        CU_ASSERT_EQUAL(times_asked("content_translation_scoped", "hundreth"), 1);
        CU_ASSERT_EQUAL(times_asked("content_translation_pkey", "hundreth"), 0);
        CU_ASSERT_EQUAL(times_asked("content_translation_pkey", "every"), 1);
        pg_exec(server, "vacuum (analyze) doc.content_translation, doc.content_word");
    }
}

static int rows_of(PGconn *conn)
{
    PGresult *result, *first = PQgetResult(conn);
    int rows = PQntuples(first);

    UNIT_CHECK(PQresultStatus(first) == PGRES_TUPLES_OK, "%s", PQresultErrorMessage(first));
    PQclear(first);
    while ((result = PQgetResult(conn)))
        PQclear(result);
    return rows;
}

static void send_until_it_waits(PGconn *conn, const struct db_statement *statement,
                                const char *const *values)
{
    bool waits = false;

    PQsendQueryPrepared(conn, statement->name, statement->params, values, NULL, NULL, 0);
    for (int i = 0; i < 500 && !waits; i++) {
        waits = pg_exec(server, "select count(*) from pg_locks where not granted") > 0;
        usleep(waits ? 0 : 10000);
    }
    CU_ASSERT_TRUE(waits);
}

static int execute(PGconn *conn, const struct db_statement *statement, const char *const *values)
{
    PQsendQueryPrepared(conn, statement->name, statement->params, values, NULL, NULL, 0);
    return rows_of(conn);
}

static void test_a_file_is_given_up_once(void)
{
    static const char *const values[] = {ID, ID, ID, "5", NULL, "{}"};
    const struct db_statement *statement = sql_upload_give_up_statement;
    PGconn *first = plans_open(&plans, server), *second = plans_open(&plans, server);

    CU_ASSERT_EQUAL(statement->params, ARRAY_SIZE(values));
    pg_exec(server,
            "insert into doc.document (project_id, id, author_type, author_id, author_display, "
            "file_name, content_type, uploads, updated_at) values (" PROJECT ", " PROJECT
            ", 'Patient', " PROJECT ", 'Ada', 'a.txt', 'text/plain', 1, 5)");
    pg_exec(server, "insert into doc.upload (project_id, id, document_id, number, file_name, "
                    "content_type, expires_at) values (" PROJECT ", " PROJECT ", " PROJECT
                    ", 1, 'a.txt', 'text/plain', 5)");
    PQclear(PQexec(first, "begin"));
    CU_ASSERT_EQUAL(execute(first, statement, values), 1);
    send_until_it_waits(second, statement, values);
    PQclear(PQexec(first, "commit"));
    CU_ASSERT_EQUAL(rows_of(second), 0);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from doc.audit where entity = "
                                    "'DocumentReference/' || " PROJECT "::text"),
                    1);
    PQfinish(first);
    PQfinish(second);
}

#define FIRST "00000000-0000-0000-0000-0000000000f1"
#define LAST "00000000-0000-0000-0000-0000000000f2"
#define BYTES "00000000-0000-0000-0000-0000000000f3"
#define FORM(id)                                                                             \
    "insert into doc.upload (project_id, id, document_id, number, file_name, content_type, " \
    "expires_at) values (" PROJECT ", '" id "', '" id "', 1, 'a.txt', 'text/plain', 1000000000)"

static void make_forms(PGconn *conn)
{
    run(conn, INSERT(FIRST, "Patient"));
    run(conn, INSERT(LAST, "Patient"));
    run(conn, FORM(FIRST));
    run(conn, FORM(LAST));
}

static const char *const upload_began[] = {ID, LAST, "f", "5", BYTES, "1000"};
static const char *const upload_ended[] = {ID,  LAST,   "f",  "3", BYTES, "a", "a",
                                           "5", "1000", NULL, "5", NULL,  "{}"};

static void test_bytes_that_come_while_a_wipe_waits_are_due(void)
{
    static const char *const wipe[] = {ID, PATIENT, "200", "7", PATIENT, NULL, "7", NULL, "{}"};
    PGconn *holder = plans_open(&plans, server), *wiper = plans_open(&plans, server);
    PGconn *uploader = plans_open(&plans, server);

    CU_ASSERT_EQUAL(sql_document_wipe_statement->params, ARRAY_SIZE(wipe));
    CU_ASSERT_EQUAL(sql_upload_begin_statement->params, ARRAY_SIZE(upload_began));
    CU_ASSERT_EQUAL(sql_upload_finish_statement->params, ARRAY_SIZE(upload_ended));
    make_forms(holder);
    run(holder, "begin");
    run(holder, "select from doc.document where id = '" FIRST "' for update");
    send_until_it_waits(wiper, sql_document_wipe_statement, wipe);
    CU_ASSERT_EQUAL(execute(uploader, sql_upload_begin_statement, upload_began), 1);
    CU_ASSERT_EQUAL(execute(uploader, sql_upload_finish_statement, upload_ended), 1);
    run(holder, "commit");
    CU_ASSERT_EQUAL(rows_of(wiper), 2);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from doc.object where id = '" BYTES
                                    "' and sweep_at = 7 and erased_for = '" PATIENT "'"),
                    1);
    CU_ASSERT_EQUAL(pg_exec(server, "select rows from doc.erasure where table_name = 'object'"), 1);
    run(holder, "delete from doc.object; delete from doc.erasure");
    PQfinish(holder);
    PQfinish(wiper);
    PQfinish(uploader);
}

static void test_no_upload_begins_of_a_document_that_is_being_deleted(void)
{
    static const char *const delete[] = {ID, LAST, NULL, "7", NULL, "7", NULL, "{}"};
    PGconn *deleter = plans_open(&plans, server), *uploader = plans_open(&plans, server);

    CU_ASSERT_EQUAL(sql_document_delete_statement->params, ARRAY_SIZE(delete));
    make_forms(deleter);
    run(deleter, "begin");
    CU_ASSERT_EQUAL(execute(deleter, sql_document_delete_statement, delete), 1);
    send_until_it_waits(uploader, sql_upload_begin_statement, upload_began);
    run(deleter, "commit");
    CU_ASSERT_EQUAL(rows_of(uploader), 0);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from doc.object"), 0);
    run(deleter, "delete from doc.document");
    PQfinish(deleter);
    PQfinish(uploader);
}

/* Runs last, because its documents stay. */
static void test_large_lists_use_the_indexes_of_their_filters(void)
{
    static const struct {
        const struct db_statement *const *statement;
        const char *want;
    } rows[] = {
        {&sql_document_list_kind_statement,
         "Index Only Scan using document_kind_updated on document"},
        {&sql_document_list_kind_statement, "Index Scan using document_kind_updated on document"},
        {&sql_document_list_kind_statement,
         "Scan Backward using document_kind_updated on document"},
        {&sql_document_list_kind_statement, "Index Scan using document_kind_name on document"},
        {&sql_document_list_kind_statement, "Scan Backward using document_kind_name on document"},
        {&sql_document_list_named_statement, "Bitmap Index Scan on document_name_words"},
    };
    PGconn *conn = plans_open(&plans, server);
    char plan[16384];

    run(conn, "insert into doc.document (project_id, id, author_type, author_id, author_display, "
              "file_name, content_type, uploads, updated_at) select '" ID_1 "', "
              "gen_random_uuid(), 'Practitioner', gen_random_uuid(), 'Ada', 'scan ' || i, "
              "(array['image/png', 'application/pdf', 'text/plain', 'a/b'])[i % 4 + 1], 1, i "
              "from generate_series(1, 20000) i");
    run(conn, "vacuum (analyze) doc.document");
    run(conn, "set plan_cache_mode = force_generic_plan; set enable_seqscan = off");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        plans_explain(conn, *rows[i].statement, plan, sizeof(plan));
        UNIT_CHECK(strstr(plan, rows[i].want) != NULL, "%s should have \"%s\":\n%s",
                   (*rows[i].statement)->name, rows[i].want, plan);
    }
    PQfinish(conn);
}

static const struct unit_case cases[] = {
    CASE(test_every_statement_has_its_index),
    CASE(test_look_ups_use_the_primary_key),
    CASE(test_every_change_of_a_list_has_a_new_number),
    CASE(test_changes_of_a_list_follow_one_another),
    CASE(notes_are_made),
    CASE(test_a_search_is_bounded_and_complete),
    CASE(test_titles_come_first),
    CASE(test_a_search_asks_its_indexes),
    CASE(test_a_file_is_given_up_once),
    CASE(test_bytes_that_come_while_a_wipe_waits_are_due),
    CASE(test_no_upload_begins_of_a_document_that_is_being_deleted),
    CASE(test_large_lists_use_the_indexes_of_their_filters),
};

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("docd sql", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return failed;
}
