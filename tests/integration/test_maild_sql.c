/*
 * test_maild_sql.c - maild's statements against a real server: that they prepare, and find their
 * rows by an index.
 */
#include "maild/sql_part.h"
#include "tests/support/plans.h"

extern const struct db_migration maild_migrations[];

static const struct plans plans = {
    .schema = "mail",
    .migrations = maild_migrations,
    .sql = {maild_sql},
    .small = "webhook_source",
    .emptied = "message",
    .blocking = "0005_listed",
};

int main(void)
{
    return plans_main("maild sql", &plans);
}
