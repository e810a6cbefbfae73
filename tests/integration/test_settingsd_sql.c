/*
 * test_settingsd_sql.c - settingsd's statements on a real server: prepared, and with index
 * conditions.
 */
#include "common/service/sql/erasure.h"
#include "settingsd/sql/setting.h"
#include "tests/support/plans.h"

extern const struct db_migration settingsd_migrations[];

static const struct plans plans = {
    .schema = "settings",
    .migrations = settingsd_migrations,
    .sql = {settingsd_sql, service_erasure_sql},
    .small = "",
    .emptied = "outbox",
    .blocking = "0002_locales 0003_client_id",
};

static struct pg *server;

static void test_every_statement_has_its_index(void)
{
    plans_make_schema(&plans, server);
    plans_check(&plans, server, "");
}

static void test_an_erasure_reads_no_change_of_others(void)
{
    plans_check_filled(&plans, server,
                       "insert into project (id, name, created_at) values "
                       "('00000000-0000-0000-0000-000000000001', 'A', 1); "
                       "insert into setting_history (project_id, version, name, changed_at, "
                       "profile_id, profile_display) select "
                       "'00000000-0000-0000-0000-000000000001', i, 'NAME', 1, "
                       "md5((i % 500)::text)::uuid, 'A' from generate_series(1, 20000) i",
                       sql_setting_history_blank_statement,
                       "setting_history_named on setting_history");
}

static const struct unit_case cases[] = {
    CASE(test_every_statement_has_its_index),
    CASE(test_an_erasure_reads_no_change_of_others),
};

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("settingsd sql", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return failed;
}
