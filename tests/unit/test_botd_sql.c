/*
 * test_botd_sql.c - botd's statements against a real server: that they prepare, and find their rows by an
 * index.
 */
#include "botd/botd_sql.h"
#include "tests/unit/plans.h"

extern const struct db_migration botd_migrations[];

static const struct plans plans = {
    .schema = "bot",
    .migrations = botd_migrations,
    .statements = botd_statements,
    .count = BOTD_STATEMENT_COUNT,
    .small = "",
};

int main(void)
{
    return plans_main("botd sql", &plans);
}
