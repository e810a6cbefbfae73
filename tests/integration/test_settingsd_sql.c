/*
 * test_settingsd_sql.c - settingsd's statements against a real server: that they prepare, and find
 * their rows by an index.
 */
#include "settingsd/sql_part.h"
#include "tests/support/plans.h"

extern const struct db_migration settingsd_migrations[];

static const struct plans plans = {
    .schema = "settings",
    .migrations = settingsd_migrations,
    .sql = {settingsd_sql},
    .small = "",
    .emptied = "outbox",
    .blocking = "0002_locales 0003_client_id",
};

int main(void)
{
    return plans_main("settingsd sql", &plans);
}
