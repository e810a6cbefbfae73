/*
 * test_docd_sql.c - docd's statements against a real server: that they prepare, and find their rows by an
 * index.
 */
#include <string.h>

#include "docd/docd_sql.h"
#include "tests/unit/plans.h"

extern const struct db_migration docd_migrations[];

static const struct plans plans = {
    .schema = "doc",
    .migrations = docd_migrations,
    .statements = docd_statements,
    .count = DOCD_STATEMENT_COUNT,
    .small = "",
    .emptied = "upload",
    .blocking = "0003_object_document 0005_document_indexes",
};

static struct pg *server;

static void test_every_statement_has_its_index(void)
{
    plans_make_schema(&plans, server);
    plans_check(&plans, server, "");
}

/* By id the primary key, and not one of the other indexes that begin with the project. */
static void test_look_ups_use_the_primary_key(void)
{
    static const struct {
        int statement;
        const char *want;
    } rows[] = {
        {SQL_DOCUMENT_CONTENT, "Index Scan using document_pkey on document d\n"
                               "  Index Cond: ((project_id = $1) AND (id = $2))"},
        {SQL_DOCUMENT_PUBLIC, "Index Scan using document_public on document d"},
        {SQL_DOCUMENT_REPLACE, "Index Scan using document_pkey on document"},
        {SQL_DOCUMENT_UPDATE, "Index Scan using document_pkey on document"},
        {SQL_DOCUMENT_DELETE, "Index Scan using document_pkey on document"},
        {SQL_DOCUMENTS, "Index Scan using document_updated on document d"},
        {SQL_DOCUMENTS_OWN, "Index Cond: ((project_id = $1) AND (author_id = $2))"},
        {SQL_DOCUMENTS_OWN_SORTED, "Index Cond: ((project_id = $1) AND (author_id = $2))"},
        {SQL_DOCUMENTS_WIPE, "Index Cond: ((project_id = $1) AND (author_id = $2))"},
        {SQL_UPLOAD_FINISH, "Index Scan using document_pkey on document d"},
    };
    PGconn *conn = plans_open(&plans, server);
    char plan[8192];

    PQclear(PQexec(conn, "set plan_cache_mode = force_generic_plan"));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        plans_explain(conn, &docd_statements[rows[i].statement], plan, sizeof(plan));
        UNIT_CHECK(strstr(plan, rows[i].want) != NULL, "%s should have \"%s\":\n%s",
                   docd_statements[rows[i].statement].name, rows[i].want, plan);
    }
    PQfinish(conn);
}

static const struct unit_case cases[] = {
    {"every statement has its index", test_every_statement_has_its_index},
    {"look-ups use the primary key", test_look_ups_use_the_primary_key},
};

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("docd sql", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return failed;
}
