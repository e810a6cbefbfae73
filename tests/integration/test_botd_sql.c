/*
 * test_botd_sql.c - botd's statements on a real server: prepared, and with index conditions.
 */
#include <string.h>

#include "botd/sql/execution.h"
#include "botd/sql/translation.h"
#include "common/service/sql/erasure.h"
#include "tests/support/migrations.h"
#include "tests/support/plans.h"

extern const struct db_migration botd_migrations[];

static const struct plans plans = {
    .schema = "bot",
    .migrations = botd_migrations,
    .sql = {botd_sql, service_erasure_sql},
    .small = "",
    .emptied = "translation_memory, translation_memory_size, translation_day",
};

static struct pg *server;

static void test_every_statement_has_its_index(void)
{
    plans_make_schema(&plans, server);
    plans_check(&plans, server, "");
}

/* Another index that starts with the project would read all its rows. */
static void test_translations_are_found_by_the_right_index(void)
{
    static const struct {
        const struct db_statement *const *statement;
        const char *index, *condition;
    } rows[] = {
        {&sql_memory_find_statement, "translation_memory_pkey",
         "((project_id = $3) AND (key = asked.key))"},
        {&sql_memory_use_statement, "translation_memory_pkey",
         "((project_id = $3) AND (key = asked.key))"},
        {&sql_memory_trim_statement, "translation_memory_oldest",
         "((ROW(project_id, used_at) >= ROW($1, 0)"},
        {&sql_memory_expire_statement, "translation_memory_oldest",
         "((ROW(project_id, used_at) >= ROW($1, 0)"},
        {&sql_memory_oldest_statement, "translation_memory_used", "(used_at < $1)"},
        {&sql_translation_record_statement, "translation_day_pkey",
         "((project_id = $1) AND (day = $6))"},
        {&sql_budget_get_statement, "translation_day_pkey", "((project_id = $1) AND (day = $2))"},
        {&sql_budget_expire_statement, "translation_day_day", "(day < $1)"},
    };
    PGconn *conn = plans_open(&plans, server);
    char plan[8192];

    PQclear(PQexec(conn, "set enable_seqscan = off; set plan_cache_mode = force_generic_plan"));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        plans_explain(conn, *rows[i].statement, plan, sizeof(plan));
        UNIT_CHECK(strstr(plan, rows[i].index) && strstr(plan, rows[i].condition),
                   "%s should use %s:\n%s", (*rows[i].statement)->name, rows[i].index, plan);
    }
    PQfinish(conn);
}

static void test_an_erasure_reads_no_execution_of_others(void)
{
    plans_check_filled(
        &plans, server,
        "insert into execution select '00000000-0000-0000-0000-000000000001', "
        "gen_random_uuid(), '00000000-0000-0000-0000-000000000002', i, 1, 'success', "
        "'Patient/' || (i / 10) from generate_series(1, 20000) i",
        sql_execution_blank_statement, "execution_profile on execution");
}

static void test_failures_of_a_project_are_read_without_its_successes(void)
{
    plans_check_filled(
        &plans, server,
        "insert into bot (project_id, id, name, kind, program, timeout_ms, identifier, "
        "secret_names, secrets_sealed, created_at, updated_at) "
        "select gen_random_uuid(), gen_random_uuid(), 'x', 'program', 'x', 1, '[]', '[]', '', 1, 1 "
        "from generate_series(1, 2000); "
        "insert into execution select '00000000-0000-0000-0000-000000000003', "
        "gen_random_uuid(), '00000000-0000-0000-0000-000000000002', i, 1, "
        "case when i % 100 = 0 then 'failure' else 'success' end, 'Patient/1' "
        "from generate_series(1, 20000) i",
        sql_execution_failure_list_statement, "execution_failed on execution");
}

/* Records the bots that a migration's notices name, by SQLSTATE. */
static void on_notice(void *arg, const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    if (state && strcmp(state, MIGRATION_WARNING) == 0)
        *(int *)arg += strstr(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY),
                              "00000000-0000-0000-0000-00000000000a") != NULL;
}

/* Bot a is older than b; both have x, and a has y twice. */
static void test_the_newer_of_two_bots_keeps_an_identifier_at_the_upgrade(void)
{
    static const char seed[] =
        "insert into bot (project_id, id, name, kind, program, timeout_ms, identifier, "
        "secret_names, secrets_sealed, created_at, updated_at) "
        "select '00000000-0000-0000-0000-000000000001', ('00000000-0000-0000-0000-00000000000' || "
        "i)::uuid, i, 'program', 'x', 1, '[]', '[]', '', 1, 1 from unnest('{a,b}'::text[]) i; "
        "insert into bot_identifier select b.project_id, b.id, '', v from bot b, "
        "unnest(case b.name when 'a' then '{x,y,y}' else '{x}' end::text[]) v";
    static const char replace[] =
        "with d as (delete from bot_identifier where value = 'y'), "
        "i as (insert into bot_identifier select project_id, id, '', 'y' from bot where name = "
        "'a') "
        "select (select string_agg(b.name || i.value, ' ' order by 1) from bot_identifier i "
        "join bot b on b.id = i.bot_id)";
    PGconn *conn = PQconnectdb(server->conninfo);
    PGresult *result;
    char held_up[200];
    int told = 0;

    PQsetNoticeReceiver(conn, on_notice, &told);
    PQclear(PQexec(conn, "create schema upgraded; set search_path = upgraded"));
    for (const struct db_migration *row = botd_migrations; row->name; row++) {
        if (strncmp(row->name, "0136", 4) == 0)
            PQclear(PQexec(conn, seed));
        migration_apply(conn, row, held_up, sizeof(held_up));
    }
    CU_ASSERT_EQUAL(told, 2); /* x, and the second y */
    /* a build replaces a bot's identifiers in one statement, in any order */
    result = PQexec(conn, replace);
    UNIT_CHECK(PQntuples(result) == 1 && strcmp(PQgetvalue(result, 0, 0), "ay bx") == 0, "%s: %s",
               PQresultErrorMessage(result), PQntuples(result) ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    result = PQexec(conn, "insert into bot_identifier select project_id, id, '', 'x' from bot");
    CU_ASSERT_STRING_EQUAL(PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME),
                           "bot_identifier_key");
    PQclear(result);
    PQfinish(conn);
}

static const struct unit_case cases[] = {
    CASE(test_every_statement_has_its_index),
    CASE(test_translations_are_found_by_the_right_index),
    CASE(test_an_erasure_reads_no_execution_of_others),
    CASE(test_failures_of_a_project_are_read_without_its_successes),
    CASE(test_the_newer_of_two_bots_keeps_an_identifier_at_the_upgrade),
};

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("botd sql", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return failed;
}
