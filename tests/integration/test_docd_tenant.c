/*
 * test_docd_tenant.c - moves docd's rows of a project to another installation.
 */
#include <stdio.h>

#include "docd/docd.h"
#include "docd/sql_part.h"
#include "docd/tenant.h"
#include "tests/support/tenant_kit.h"
#include "tests/support/unit.h"

extern const struct db_migration docd_migrations[];

#define DOCUMENT(digit_, i_) "0190a00" digit_ "-0000-7000-8000-00000000000" i_
#define OBJECT(digit_, i_) "0190a00" digit_ "-0000-7000-8000-00000000001" i_
#define AUTHOR "0190a000-0000-7000-8000-0000000000aa"

/* Three documents: without content, public with a file, and a practitioner's. Objects being
 * removed, and forms, are not moved. */
#define ROWS_OF(project_, digit_)                                                                 \
    "insert into object (project_id, id, document_id, sweep_at) "                                 \
    "select '" project_ "', ('0190a00" digit_ "-0000-7000-8000-00000000001' || i)::uuid, "        \
    "('0190a00" digit_ "-0000-7000-8000-00000000000' || least(i, 3))::uuid, nullif(i, least(i, "  \
    "3)) from generate_series(2, 4) i;\n"                                                         \
    "insert into document (project_id, id, author_type, author_id, author_display, file_name, "   \
    "content_type, public_token, public_hash, uploads, updated_at, upload, object_id, size, "     \
    "etag, found_type, missing_at) select '" project_ "', "                                       \
    "('0190a00" digit_ "-0000-7000-8000-00000000000' || i)::uuid, "                               \
    "case i when 3 then 'Practitioner' else 'Patient' end, '" AUTHOR "', E'A \"B\"', "            \
    "E'caf\\u00e9.png', 'image/png', token, case i when 2 then '\\x0" digit_ "'::bytea end, i, "  \
    "10 + i, case when i > 1 then 2 end, "                                                        \
    "case when i > 1 then ('0190a00" digit_ "-0000-7000-8000-00000000001' || i)::uuid end, "      \
    "case i when 2 then 1000 when 3 then 200 end, case when i > 1 then '\"tag\"' end, "           \
    "case when i > 1 then 'x/y' end, case i when 3 then 9 end "                                   \
    "from (values (1, null), (2, @" DOCUMENT_TOKEN_PURPOSE "|the token " digit_ "@::bytea), "     \
    "(3, null)) v (i, token);\n"                                                                  \
    "insert into upload (project_id, id, document_id, number, file_name, content_type, "          \
    "expires_at) values ('" project_ "', '0190a00" digit_ "-0000-7000-8000-000000000019', "       \
    "'0190a00" digit_ "-0000-7000-8000-000000000001', 1, 'a', 'b/c', 99);\n"                      \
    "insert into content (project_id, type, key, languages) "                                     \
    "select '" project_ "', 'article', k, '{de,en}' from unnest('{a,b,c}'::text[]) k;\n"          \
    "insert into content_translation (project_id, type, key, language, title, sections, author, " \
    "code, updated_at) select '" project_ "', 'article', k, l, E'R\\u00fccken ' || l || k, "      \
    "'[{\"text\": \"Long  text\", \"title\": null}]', nullif('Ada ' || k, 'Ada b'), "             \
    "nullif('M54 ' || k, 'M54 c'), 7 from unnest('{a,b,c}'::text[]) k, "                          \
    "unnest('{de,en}'::text[]) l;\n"                                                              \
    "insert into content_draft (project_id, type, key, language, title, sections, author, code, " \
    "updated_at) select '" project_ "', 'article', k, 'en', E'R\\u00fccken ' || k, "              \
    "'[{\"text\": \"Long  text\"}]', nullif('Ada ' || k, 'Ada b'), null, 8 "                      \
    "from unnest('{a,b,new}'::text[]) k;\n"

/* Adds the counts of words that the sender's statements would have made, because no trigger counts
 * them. */
#define WORDS                                                                                   \
    "select count(*) from (select t.language, w, count(*) from content_translation t, "         \
    "unnest(tsvector_to_array(t.words)) w where t.project_id = '" TENANT_KIT_PROJECT            \
    "' and left(w, 1) <> 'T' group by t.language, w) s (l, w, n) full join content_word c on "  \
    "c.language = l and c.word = w and c.documents = n and c.type = 'article' and c.project_id" \
    " = '" TENANT_KIT_PROJECT "' where l is null or c.word is null"

static void check_usage(struct tenant_kit_case *self, const char *label)
{
    long right =
        tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                       "select count(*) from document_usage where project_id = '" TENANT_KIT_PROJECT
                       "' and author_id = '" AUTHOR "' and documents = 2 and bytes = 1000");

    UNIT_CHECK(right == 1, "%s: two documents of 1000 bytes: %ld", label, right);
    right = tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                           "select (document_usage_hold_project('" TENANT_KIT_PROJECT "')).bytes");
    UNIT_CHECK(right == 1200, "%s: %ld bytes of the project", label, right);
}

static void usage_case(struct tenant_kit_case *self)
{
    UNIT_CHECK(tenant_kit_move(self, false) > 3, "%s", tenant_kit_error(self)->message);
    check_usage(self, "at once");
    UNIT_CHECK(tenant_kit_move(self, true) == 0, "%s", tenant_kit_error(self)->message);
    check_usage(self, "again");
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER, WORDS) == 0, "words are counted");
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from content_word") > 5,
               "words are there");
}

/* A document is not readable until its content arrives: it is marked as missing, and its object is
 * not swept. */
static void missing_case(struct tenant_kit_case *self)
{
    UNIT_CHECK(tenant_kit_move(self, true) > 3, "%s", tenant_kit_error(self)->message);
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                              "select count(*) from document where (missing_at is null) = "
                              "(object_id is null)") == 3,
               "those with a file lack their bytes");
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                              "select count(*) from object o join document d on d.object_id = o.id "
                              "and o.document_id = d.id where o.sweep_at is null") == 2,
               "each has its object");
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from object") == 2,
               "and there is no other");
}

static const char *document_row(struct tenant_kit_case *self, const char *change)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "select row_to_json(json_populate_record(d, '{\"missing_at\":null,"
             "\"public_token\":null,\"public_hash\":null%s}')) from document d where id = '%s'",
             change, DOCUMENT("1", "2"));
    return tenant_kit_text(self, TENANT_KIT_SENDER, sql);
}

static void refuse_document(struct tenant_kit_case *self, const char *label, const char *change)
{
    UNIT_CHECK(tenant_kit_add(self, "document", document_row(self, change)) < 0 &&
                   tenant_kit_error(self)->code == ERR_CONFLICT,
               "%s: %s", label, tenant_kit_error(self)->message);
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from document") == 0,
               "%s: none was added", label);
}

/* A file is found by its object's id alone. A forged row with another owner's object would let its
 * document read and remove that file. */
static void objects_case(struct tenant_kit_case *self)
{
    static const char *const owners[] = {TENANT_KIT_PROJECT, TENANT_KIT_OTHER, UUID_NIL};
    char sql[512];

    for (size_t i = 0; i < ARRAY_SIZE(owners); i++) {
        snprintf(sql, sizeof(sql),
                 "delete from object; insert into object (project_id, id, document_id) values "
                 "('%s', '" OBJECT("1", "2") "', '" DOCUMENT("2", "2") "')",
                 owners[i]);
        tenant_kit_sql(self, TENANT_KIT_RECEIVER, sql);
        refuse_document(self, owners[i], "");
    }
    tenant_kit_sql(self, TENANT_KIT_RECEIVER, "delete from object");
    UNIT_CHECK(tenant_kit_add(self, "document", document_row(self, "")) == 1, "%s",
               tenant_kit_error(self)->message);
    UNIT_CHECK(tenant_kit_add(self, "document",
                              document_row(self, ",\"id\":\"" DOCUMENT("1", "8") "\"")) < 0,
               "a second document of the same file");
}

static void two_of_one_case(struct tenant_kit_case *self)
{
    refuse_document(self, "another project", ",\"project_id\":\"" TENANT_KIT_OTHER "\"");
    UNIT_CHECK(
        tenant_kit_add(self, "document",
                       document_row(self, ",\"missing_at\":4,\"found_type\":\"text/html\"")) == 1,
        "%s", tenant_kit_error(self)->message);
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select missing_at from document") == 1,
               "marked now");
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                              "select count(*) from document where found_type = "
                              "'application/octet-stream'") == 1,
               "what the bytes are is not believed");
}

/* Name and type become response headers, and browsers interpret types liberally. */
static void headers_case(struct tenant_kit_case *self)
{
    static const char *const refused[] = {
        ",\"content_type\":\" text/html\"",
        ",\"content_type\":\"text/plain, text/html\"",
        ",\"content_type\":\"text/plain;x, text/html\"",
        ",\"content_type\":\"image/png\\r\\nSet-Cookie: a=b\"",
        ",\"content_type\":\"image/png\\n\"",
        ",\"content_type\":\"text\"",
        ",\"content_type\":\"\"",
        ",\"file_name\":\"a\\r\\nSet-Cookie: a=b\"",
        ",\"file_name\":\"a\\u007f\"",
    };

    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        refuse_document(self, refused[i], refused[i]);
    UNIT_CHECK(tenant_kit_add(self, "document",
                              document_row(self, ",\"content_type\":\"text/plain ; a=\\\"b, "
                                                 "c\\\";d=e\"")) == 1,
               "%s", tenant_kit_error(self)->message);
}

static void content_case(struct tenant_kit_case *self)
{
    const char *row = tenant_kit_text(
        self, TENANT_KIT_SENDER,
        "select row_to_json(t) from content_translation t where key = 'a' and language = 'de' "
        "and project_id = '" TENANT_KIT_PROJECT "'");

    UNIT_CHECK(tenant_kit_add(self, "content_translation", row) < 0 &&
                   tenant_kit_error(self)->code == ERR_CONFLICT,
               "words are not taken over: %s", tenant_kit_error(self)->message);
}

#define ON_KIT(name_, fn_)   \
    static void name_(void)  \
    {                        \
        tenant_kit_run(fn_); \
    }
ON_KIT(quotas_and_words_are_counted_once, usage_case)
ON_KIT(documents_lack_their_bytes_until_they_come, missing_case)
ON_KIT(objects_of_others_are_refused, objects_case)
ON_KIT(documents_of_other_projects_are_refused, two_of_one_case)
ON_KIT(types_and_names_that_break_headers_are_refused, headers_case)
ON_KIT(words_are_not_taken_over, content_case)

static const struct unit_case further[] = {
    CASE(quotas_and_words_are_counted_once),
    CASE(documents_lack_their_bytes_until_they_come),
    CASE(objects_of_others_are_refused),
    CASE(documents_of_other_projects_are_refused),
    CASE(types_and_names_that_break_headers_are_refused),
    CASE(words_are_not_taken_over),
    {.fn = NULL},
};

static const struct tenant_kit kit = {
    .migrations = docd_migrations,
    .sql = docd_sql,
    .tables = docd_tenant_tables,
    .seed = ROWS_OF(TENANT_KIT_PROJECT, "1") ROWS_OF(TENANT_KIT_OTHER, "2"),
    .arrives = "select count(*) from content_translation where words @@ 'rucken' "
               "having count(*) = 6",
    .opens = "update document set missing_at = null, etag = '\"other\"', found_type = 'z/z' "
             "where object_id is not null",
    .conflict = "update document set file_name = 'other'",
    .cases = further,
};

int main(void)
{
    return tenant_kit_main("docd tenant", &kit);
}
