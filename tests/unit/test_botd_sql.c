/*
 * test_botd_sql.c - botd's statements against a real server: that they prepare, and find their rows
 * by an index.
 */
#include <string.h>

#include "botd/botd_sql.h"
#include "tests/unit/plans.h"

extern const struct db_migration botd_migrations[];

static const struct plans plans = {
    .schema = "bot",
    .migrations = botd_migrations,
    .statements = botd_statements,
    .count = BOTD_STATEMENT_COUNT,
    .small = "",
    .emptied = "translation_memory, translation_memory_size, translation_day",
};

static struct pg *server;

static void test_every_statement_has_its_index(void)
{
    plans_make_schema(&plans, server);
    plans_check(&plans, server, "");
}

/* Not by just any that begins with the project: that would read all that a project has. */
static void test_translations_are_found_by_the_right_index(void)
{
    static const struct {
        int statement;
        const char *index, *condition;
    } rows[] = {
        {SQL_MEMORY_RECALL, "translation_memory_pkey", "((project_id = $1) AND (key = asked.key))"},
        {SQL_MEMORY_USED, "translation_memory_pkey", "((project_id = $1) AND (key = asked.key))"},
        {SQL_MEMORY_TRIM, "translation_memory_oldest", "((ROW(project_id, used_at) >= ROW($1, 0)"},
        {SQL_MEMORY_FORGET, "translation_memory_oldest",
         "((ROW(project_id, used_at) >= ROW($1, 0)"},
        {SQL_MEMORY_OLDEST, "translation_memory_used", "(used_at < $1)"},
        {SQL_TRANSLATED, "translation_day_pkey", "((project_id = $1) AND (day = $5))"},
        {SQL_BUDGET_TAKEN, "translation_day_pkey", "((project_id = $1) AND (day = $2))"},
        {SQL_BUDGET_FORGET, "translation_day_day", "(day < $1)"},
    };
    PGconn *conn = plans_open(&plans, server);
    char plan[8192];

    PQclear(PQexec(conn, "set enable_seqscan = off; set plan_cache_mode = force_generic_plan"));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *name = botd_statements[rows[i].statement].name;

        plans_explain(conn, &botd_statements[rows[i].statement], plan, sizeof(plan));
        UNIT_CHECK(strstr(plan, rows[i].index) && strstr(plan, rows[i].condition),
                   "%s should use %s:\n%s", name, rows[i].index, plan);
    }
    PQfinish(conn);
}

static const struct unit_case cases[] = {
    CASE(test_every_statement_has_its_index),
    CASE(test_translations_are_found_by_the_right_index),
};

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("botd sql", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return failed;
}
